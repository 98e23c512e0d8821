"""S6.13: which way is taken, and rounds of a list, over any graph and by example."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from execution.turn.choosing import Way, next_way
from execution.turn.rounds import counted, edges_in_rounds
from execution.turn.ways import Behind, Standpoint, Ways
from workflows.graph import ConditionSpec, EdgeSpec, GraphSpec, NodeSpec, RepeatSpec, VariableSpec


def edge(edge_id: str, **fields: Any) -> EdgeSpec:
    """`ab` leads from a to b, `a1` stays on a."""
    destination = edge_id[1] if edge_id[1].isalpha() else edge_id[0]
    given = {"source": edge_id[0], "destination": destination, "action_type": "click", **fields}
    return EdgeSpec(edge_id=edge_id, **given)


def graph(*edges: EdgeSpec) -> GraphSpec:
    nodes = tuple(NodeSpec(node_id=n, name=n.upper(), is_entry=n == "a") for n in "abcdef")
    ordered = tuple(EdgeSpec(**{**{f: getattr(e, f) for f in e.__slots__}, "order": i}) for i, e in enumerate(edges))
    variables = (VariableSpec(name="kind"), VariableSpec(name="amount", kind="number"))
    return GraphSpec(
        workflow_id="w", name="w", learning_state="COACHING", nodes=nodes, edges=ordered, variables=variables
    )


def only_if(value: str, test: str, *to: str) -> dict[str, Any]:
    return {"condition": (ConditionSpec(value=value, test=test, to=to),)}


def each(counter: str = "n", *steps: str) -> dict[str, Any]:
    return {"repeat": RepeatSpec(counter=counter, most=50, steps=steps)}


def way(one: GraphSpec, node: str = "a", place: Standpoint = Standpoint(), **how: Any) -> Way:  # noqa: B008
    how.setdefault("values", {})
    return next_way(one, place.rounds, node, behind={*place.done_here, *how.pop("behind", ())}, **how)


def taken(*args: Any, **how: Any) -> str:
    found = way(*args, **how)
    return found.edge.edge_id if found.edge else ""


# --- ways -------------------------------------------------------------------------------------------------------
BRANCH = graph(edge("ab", **only_if("kind", "equals", "X")), edge("ac", **only_if("kind", "equals", "Y")), edge("ad"))


def test_the_first_way_whose_condition_holds_is_taken_and_else_the_one_without() -> None:
    assert [taken(BRANCH, values={"kind": kind}) for kind in ("X", "Y", "Z")] == ["ab", "ac", "ad"]


def test_what_cannot_be_told_is_no_way_at_all() -> None:
    found = way(BRANCH)
    assert found.edge is None
    assert found.unsure == "“kind” has no value yet."


def test_the_way_for_all_other_cases_is_none_where_a_condition_holds() -> None:
    """A person rejects the way that is meant: the other ones are not what it should have been."""
    assert way(BRANCH, values={"kind": "X"}, behind={"ab"}) == Way()


def test_no_condition_that_holds_is_said() -> None:
    shut = graph(*BRANCH.edges[:2])
    assert [e.edge_id for e in way(shut, values={"kind": "Z"}).unmet] == ["ab", "ac"]
    assert way(shut, values={"kind": "Y"}, behind={"ac"}).unmet == (), "it was rejected, which is another thing"


def test_a_step_of_a_form_with_a_condition_is_left_out_and_what_follows_is_not() -> None:
    form = graph(edge("a1", **only_if("kind", "not_empty")), edge("a2"), edge("ab"))
    assert taken(form, values={"kind": ""}) == "a2"
    assert taken(form, values={"kind": "x"}) == "a1"
    assert taken(form, values={"kind": "x"}, behind={"a1", "a2"}) == "ab"


def test_a_way_that_is_shut_is_passed_over_by_nobody() -> None:
    """S1.22: an optional step is no excuse for being on a screen that this run does not lead to."""
    one = graph(edge("ab", optional=True, **only_if("kind", "equals", "X")), edge("ac", optional=True))
    for is_open, reached in ((True, "abc"), (False, "ac")):
        ways = Ways(one, lambda e, is_open=is_open: is_open or not e.condition)
        assert "".join(n for n in "abcdef" if ways.may_go_on(Standpoint(last="a", expected="a"), n)) == reached


def test_one_act_ends_on_the_screen_of_the_way_that_is_open() -> None:
    one = graph(edge("ab", **only_if("kind", "equals", "X")), edge("ac", **only_if("kind", "equals", "Y")))
    ways = Ways(one, lambda e: e.edge_id == "ab")
    place = Standpoint(last="a").passed(one.edges[0], done=True)
    assert [n for n in "abcdef" if ways.may_go_on(place, n)] == ["a", "b"]


# --- rounds -----------------------------------------------------------------------------------------------------
def walk(one: GraphSpec, lines: dict[str, list[int]], *, stops: int = 0, limit: int = 200) -> list[str]:
    """What a run does, each step with what the counters say; `lines`: how many lines each list has, each time it is
    gone through. The `stops` first steps are done by another loop that died: the place is told from its steps."""
    ways, behind = Ways(one), list[Behind]()
    todo = {edge_id: list(counts) for edge_id, counts in lines.items()}
    place, node, did, ended = Standpoint(expected="a"), "a", list[str](), set[str]()
    while len(did) < limit:
        place = ways.arrive(place, node)
        found = way(one, node, place, ended=ended)
        if found.edge is None:
            return did
        values = counted(one, place.rounds, found.edge)
        if (repeat := found.edge.repeat) and int(values[repeat.counter]) > todo[found.edge.edge_id][0]:
            ended.add(found.edge.edge_id)
            todo[found.edge.edge_id].pop(0)
            continue
        did.append(found.edge.edge_id + "".join(f" {name}{values[name]}" for name in sorted(values)))
        behind.append(Behind(node, found.edge.edge_id, done=True))
        place = place.passed(found.edge, done=True)
        if found.edge.destination != node:
            node, ended = found.edge.destination, set()
        if len(did) == stops:
            place = ways.replay(Standpoint(expected="a"), behind)
    return did


def test_each_line_is_opened_done_and_closed_and_then_the_list_is_left() -> None:
    one = graph(edge("a1"), edge("ab", **each()), edge("ad"), edge("b1"), edge("ba"))
    assert walk(one, {"ab": [2]}) == ["a1 n1", "ab n1", "b1 n1", "ba n1", "ab n2", "b1 n2", "ba n2", "ad n2"]
    assert walk(one, {"ab": [0]}) == ["a1 n1", "ad n1"]


def test_a_round_of_several_steps_on_the_lists_own_screen() -> None:
    one = graph(edge("a1", **each("n", "a2")), edge("a2"), edge("a3"), edge("ad"))
    assert walk(one, {"a1": [2]}) == ["a1 n1", "a2 n1", "a1 n2", "a2 n2", "a3 n2", "ad n2"]


def test_a_round_may_leave_its_screen_and_come_back_for_more() -> None:
    one = graph(edge("a1", **each("n", "ab", "a2")), edge("ab"), edge("a2"), edge("ad"), edge("ba"))
    assert walk(one, {"a1": [2]}) == [
        f"{step} n{n}" for n in (1, 2) for step in ("a1", "ab", "ba", "a2")
    ] + ["ad n2"]  # fmt: skip


def test_a_list_within_a_list_begins_anew_in_each_round() -> None:
    one = graph(edge("ab", **each("n")), edge("ad"), edge("b1"), edge("bc", **each("m")), edge("ba"), edge("cb"))
    assert walk(one, {"ab": [2], "bc": [2, 1]}) == [
        "ab m1 n1", "b1 m1 n1", "bc m1 n1", "cb m1 n1", "bc m2 n1", "cb m2 n1", "ba m2 n1",
        "ab m1 n2", "b1 m1 n2", "bc m1 n2", "cb m1 n2", "ba m1 n2", "ad m1 n2",
    ]  # fmt: skip


def test_a_list_that_is_gone_through_again_begins_at_its_first_line() -> None:
    one = graph(edge("ab", **each()), edge("ac"), edge("ba"), edge("ca", **only_if("kind", "equals", "again")))
    assert walk(one, {"ab": [1, 1]}) == ["ab n1", "ba n1", "ac n1"]
    place = Standpoint(last="a").passed(one.edges[0], done=True).passed(one.edges[1], done=True)
    assert counted(one, place.rounds, one.edges[0]) == {"n": "1"}


def test_a_line_that_is_skipped_is_skipped_whole() -> None:
    one = graph(edge("a1", **each("n", "a2")), edge("a2"), edge("ad"))
    place = Standpoint(last="a", expected="a").passed(one.edges[0], done=False)
    assert taken(one, "a", place) == "a1"
    assert counted(one, place.rounds, one.edges[0]) == {"n": "2"}


def test_a_step_of_a_round_with_a_condition() -> None:
    one = graph(edge("a1", **each("n", "ab", "ac")), edge("ab", **only_if("kind", "equals", "X")), edge("ac"),
                edge("ad"), edge("ba"), edge("ca"))  # fmt: skip
    begun = Standpoint(last="a", expected="a").passed(one.edges[0], done=True)
    assert taken(one, "a", begun, values={"kind": "X"}) == "ab"
    assert taken(one, "a", begun, values={"kind": "Y"}) == "ac"
    back = begun.passed(one.edges[1], done=True)
    assert taken(one, "a", back, values={"kind": "X"}) == "a1", "the other way is none of this round"


shapes = st.sampled_from(
    [
        (["a1", "ab", "ad", "b1", "ba"], {"ab": ("n", ())}),
        (["a1", "a2", "a3", "ad"], {"a1": ("n", ("a2",))}),
        (["a1", "ab", "a2", "ad", "ba"], {"a1": ("n", ("ab", "a2"))}),
        (["ab", "ad", "b1", "bc", "ba", "c1", "cb"], {"ab": ("n", ()), "bc": ("m", ())}),
        (["ab", "ad", "b1", "b2", "b3", "bc", "ca"], {"ab": ("n", ()), "b1": ("m", ("b2",))}),
    ]
)


@given(shapes, st.lists(st.integers(0, 4), min_size=8, max_size=8), st.integers(0, 60))
def test_no_line_is_left_out_or_done_twice_wherever_the_loop_is_killed(shape: Any, counts: list[int], at: int) -> None:
    """S9.2: the line is told from the steps that are done."""
    ids, loops = shape
    one = graph(*(edge(i, **(each(loops[i][0], *loops[i][1]) if i in loops else {})) for i in ids))
    outer, *inner = loops
    lines = {outer: counts[:1], **dict.fromkeys(inner, counts[1:])}
    did = walk(one, lines)
    assert walk(one, lines, stops=at) == did
    opened = [step.split() for step in did if step.startswith(outer)]
    assert [next(c for c in step if c[0] == "n") for step in opened] == [f"n{i}" for i in range(1, counts[0] + 1)]
    for edge_id in inner:
        numbers = [int(next(c for c in step.split() if c[0] == "m")[1:]) for step in did if step.startswith(edge_id)]
        assert numbers == [m for count in counts[1 : 1 + counts[0]] for m in range(1, count + 1)]
    assert did[-1].startswith("ad")


def test_what_is_done_for_each_line_is_all_that_a_line_leads_to_up_to_its_list() -> None:
    """Also on other screens; not what comes before the list and after it."""
    nodes = ("start", "list", "letter", "signed", "closed")
    ways = {
        "begin": ("start", "list"), "open": ("list", "letter"), "sign": ("letter", "signed"),
        "back": ("signed", "list"), "mark": ("list", "list"), "close": ("list", "closed"),
    }  # fmt: skip
    repeat = RepeatSpec(counter="line", most=9, steps=("mark",))
    edges = tuple(
        EdgeSpec(edge_id=name, source=a, destination=b, action_type="click", repeat=repeat if name == "open" else None)
        for name, (a, b) in ways.items()
    )
    graph = GraphSpec(
        workflow_id="w",
        name="W",
        learning_state="",
        nodes=tuple(NodeSpec(node_id=n, name=n) for n in nodes),
        edges=edges,
    )
    assert edges_in_rounds(graph) == {"open", "mark", "sign", "back"}
