"""S1.22: no leap, over any graph and by example."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from execution.turn.ways import Standpoint, Ways
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec

NODES = "abcdef"


def edge(source: str, destination: str, **fields: Any) -> EdgeSpec:
    fields = {"edge_id": f"{source}{destination}", "action_type": "click", **fields}
    return EdgeSpec(source=source, destination=destination, **fields)


def ways(*edges: EdgeSpec, common: str = "", entries: str = "a") -> Ways:
    nodes = tuple(
        NodeSpec(node_id=n, name=n.upper(), is_entry=n in entries, is_common=n in common) for n in NODES
    )  # fmt: skip
    return Ways(GraphSpec(workflow_id="w", name="w", learning_state="COACHING", nodes=nodes, edges=edges))


LINE = [edge(a, b) for a, b in pairwise(NODES)]


def open_from(one: Ways, place: Standpoint) -> str:
    return "".join(n for n in NODES if one.may_go_on(place, n))


def test_the_run_goes_on_from_its_own_screen_and_the_expected_one() -> None:
    one = ways(*LINE)
    place = one.arrive(Standpoint(expected="a"), "a")
    assert open_from(one, place) == "a"
    assert open_from(one, place.passed(LINE[0], done=True)) == "ab"
    assert [e.edge_id for e in one.between(place.passed(LINE[0], done=True), "d")] == ["bc", "cd"]
    assert open_from(one, one.arrive(place.passed(LINE[0], done=True), "b")) == "b", "not back"
    assert one.between(Standpoint(last="d", expected="e"), "a") == (), "no way leads back"


def test_steps_that_are_optional_or_only_look_may_be_passed_over() -> None:
    one = ways(edge("a", "b"), edge("b", "c", optional=True), edge("c", "d", action_type="wait"), edge("d", "e"))
    assert open_from(one, Standpoint(last="a", expected="b")) == "abcd"
    assert open_from(ways(edge("a", "b"), edge("b", "c", effect_class="idempotent")), Standpoint(last="b")) == "b"


def test_a_common_screen_may_come_anywhere_and_the_run_goes_on_where_it_was() -> None:
    one = ways(*LINE, edge("f", "a"), common="f")
    done = one.arrive(Standpoint(expected="a"), "a").passed(LINE[0], done=True)
    there = one.arrive(done, "f")
    assert open_from(one, done) == "abf"
    assert open_from(one, there) == "abf"
    after = there.passed(edge("f", "a"), done=True)
    back = one.arrive(after, "a")
    assert back == done, "what was done there before is not forgotten"
    assert open_from(one, one.arrive(after, "b")) == "bf"


def test_it_begins_on_an_entry_or_where_it_was_told_to() -> None:
    one = ways(*LINE, entries="ac")
    assert open_from(one, Standpoint(expected="a")) == "ac"
    assert open_from(one, Standpoint(expected="d")) == "d"
    assert open_from(ways(*LINE, entries=""), Standpoint()) == NODES, "a graph that says nothing of it"


def test_one_act_may_end_on_one_screen_or_on_another() -> None:
    """A search finds something or nothing: it is the same act."""
    found, none = edge("a", "b", edge_id="found"), edge("a", "c", edge_id="none")
    other = edge("a", "d", edge_id="other", action_type="press_keys", params={"keys": "f5"})
    one = ways(found, none, other)
    assert open_from(one, Standpoint(last="a").passed(found, done=True)) == "abc"


names = st.sampled_from(NODES)
edges = st.lists(
    st.builds(
        edge,
        names,
        names,
        optional=st.booleans(),
        action_type=st.sampled_from(["click", "wait", "type_text", "press_keys"]),
        effect_class=st.sampled_from(["undeclared", "read", "idempotent", "observable", "opaque"]),
    ),
    max_size=14,
).map(lambda found: tuple({e.edge_id: e for e in found}.values()))


def passable(one: EdgeSpec) -> bool:
    looks = one.effect_class == "read" or (one.effect_class == "undeclared" and one.action_type == "wait")
    return one.optional or looks


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(edges, st.sets(names, max_size=2), names, st.integers(0, 9))
def test_no_step_that_does_something_is_ever_passed_over(graph, common, here, which) -> None:
    """What is accepted is reached over nothing but steps that need not be done; worked out the slow way."""
    one = ways(*graph, common="".join(common))
    place = one.arrive(Standpoint(expected=here), here)
    done = None
    if outgoing := [e for e in graph if e.source == here]:
        done = outgoing[which % len(outgoing)]
        place = place.passed(done, done=True)
    roots = {place.last, place.expected}
    if done:
        roots |= {e.destination for e in graph if e.source == here and e.action_type == done.action_type}
    reach = {(e.source, e.destination) for e in graph if passable(e)} | {(n, n) for n in NODES}
    for middle in NODES:
        reach |= {(a, b) for a in NODES for b in NODES if (a, middle) in reach and (middle, b) in reach}
    assert set(open_from(one, place)) == common | {b for a, b in reach if a in roots}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(edges, names, names)
def test_what_lies_between_is_a_way(graph, here, there) -> None:
    way = ways(*graph).between(Standpoint(last=here, expected=here), there)
    stops = [here, *(e.destination for e in way)]
    assert all(e.source == at for e, at in zip(way, stops, strict=False))
    assert not way or stops[-1] == there


def test_where_a_programs_own_action_leads_it_alone_knows() -> None:
    """S11.3: a pipeline names no destination."""
    place = Standpoint(last="a", expected="a").passed(edge("a", ""), done=True)
    assert open_from(ways(*LINE), place) == NODES
