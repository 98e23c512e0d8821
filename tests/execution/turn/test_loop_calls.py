"""S6.12 in the loop: another workflow is done inside the run's, once, wherever the run dies."""

from __future__ import annotations

from typing import Any

import pytest

from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind
from execution.turn.position import Position
from execution.turn.ways import Standpoint, Ways
from sentences.said import from_json, in_words
from tests.doubles.stage import LINE, edge
from tests.execution.turn.test_loop_rounds import FILES, each, message, of_list, paused, reading
from tests.factories import make_published

pytestmark = pytest.mark.django_db

PAUSED, COMPLETED = ExecutionState.PAUSED, ExecutionState.COMPLETED


def screens(*names: str) -> list[dict[str, Any]]:
    return [node for node in LINE if node["node_id"] in names]


INNER = [edge("ab", "a", "b"), reading("look", "b", order=1), edge("bd", "b", "d", order=2)]


@pytest.fixture(autouse=True)
def inner() -> None:
    """It ends on d, and reads a total on its way."""
    make_published(
        workflow_id="inner",
        name="Inner",
        nodes=screens("a", "b", "d"),
        edges=INNER,
        variables=[{"name": "who", "choices": ["Ann", "Bob"]}],
    )


def call(edge_id: str, source: str, destination: str, who: str = "{{patient}}", **fields: Any) -> dict[str, Any]:
    params = {"workflow": "inner", "version": 1, "values": {"who": who}, "outputs": {"total": "sum"}}
    return {
        **edge(edge_id, source, destination, action_type="call_workflow", **fields),
        "params": params,
        "target": None,
    }


def type_sum(edge_id: str, source: str, destination: str, **fields: Any) -> dict[str, Any]:
    made = edge(edge_id, source, destination, action_type="type_text", **fields)
    return {**made, "params": {"text": "{{sum}} of {{patient}}"}, "target": None}


PATIENT = [{"name": "patient"}]
OUTER = [call("it", "a", "b"), type_sum("bd", "b", "d", order=1)]
ALL = ["it", "it/ab", "it/look", "it/bd", "it/end/1", "bd"]


def calling(stage: Any, mode: str = "automatic", edges: Any = OUTER, reads: Any = ("5",), **more: Any) -> Any:
    used = {e[end] for e in edges for end in ("source", "destination")}
    variables = {"nodes": screens(*used), "variables": PATIENT, "values": {"patient": "Ann"}}
    s = stage(mode, edges=edges, **{**variables, **more})
    s.world.reads = {e.edge_id: list(reads) for e in s.world.graph.edges if e.action_type == "read_value"}
    return s


def test_what_it_does_are_steps_of_the_run_and_what_it_reads_is_brought_back(stage: Any) -> None:
    s = calling(stage)
    typed: list[str] = []
    s.world.on_act = lambda edge_id: typed.append(s.world.variables.get("sum", "")) if edge_id == "bd" else None
    assert s.run().state == COMPLETED
    assert (s.world.acts, typed) == (ALL, ["5"])
    assert s.outcomes() == [Outcome.SUCCEEDED] * 6 + ([] if len(s.outcomes()) == 6 else [Outcome.TERMINAL])


@pytest.mark.parametrize("dies_at", [1, 2, 3, 5])
def test_a_run_that_dies_anywhere_in_it_goes_on_there_and_does_nothing_twice(stage: Any, dies_at: int) -> None:
    """Right after an act, before its result is kept. What was only read is read again."""
    s = calling(stage, reads=("5", "5"))
    s.killed_after(dies_at)
    assert s.run().state == COMPLETED
    again = ["it/look"] if ALL[dies_at - 1] == "it/look" else []
    assert s.world.acts == [*ALL[:dies_at], *again, *ALL[dies_at:]]


SIGNS = ["it", "it/ab", "it/bd", "it/sign", "it/look", "it/end/1", "bd"]


@pytest.mark.parametrize("dies_at", [0, 4, 5, 6])
def test_what_stays_on_its_last_screen_is_done_as_in_a_run_of_it(stage: Any, dies_at: int) -> None:
    """It signs there, and reads there what it brings back; a run that dies on the way signs once (0: it does not)."""
    make_published(
        workflow_id="signing",
        name="Signing",
        nodes=screens("a", "b", "d"),
        edges=[
            edge("ab", "a", "b"),
            edge("bd", "b", "d"),
            edge("sign", "d", "d", order=1),
            reading("look", "d", order=2),
        ],
        variables=[],
    )
    params = {"workflow": "signing", "version": 1, "outputs": {"total": "sum"}}
    s = calling(stage, edges=[{**call("it", "a", "b"), "params": params}, type_sum("bd", "b", "d", order=1)])
    s.world.reads = {"it/look": ["5", "5"]}
    if dies_at:
        s.killed_after(dies_at)
    assert s.run().state == COMPLETED
    assert [act for n, act in enumerate(s.world.acts) if act != "it/look" or act not in s.world.acts[:n]] == SIGNS


def test_a_loop_that_is_told_to_leave_between_two_steps_is_followed_by_one_in_the_same_place(stage: Any) -> None:
    s = calling(stage)
    s.journal.on_step.append(lambda step: s.leave.set())
    for _ in ALL:
        s.loop.run()
        s.leave.clear()
        place = s.loop.at.place
        s.begin()
        assert s.loop.at.place == place
        s.journal.on_step.append(lambda step: s.leave.set())
    assert s.run().state == COMPLETED
    assert s.world.acts == ALL


BACK = [call("one", "a", "a"), call("two", "a", "a", "Bob", order=1), edge("ad", "a", "d", order=2)]


def test_the_same_one_twice_in_a_row_on_the_same_screen_is_each_done_once(stage: Any) -> None:
    """It leads back to the screen that it began on: what was done there stays done."""
    s = calling(stage, edges=BACK)
    who: list[str] = []
    s.world.on_act = lambda edge_id: who.append(_who(s, edge_id)) if edge_id.endswith("/ab") else None
    assert s.run().state == COMPLETED
    assert [act for act in s.world.acts if "/end" not in act and "look" not in act] == [
        "one", "one/ab", "one/bd", "two", "two/ab", "two/bd", "ad",
    ]  # fmt: skip
    assert who == ["Ann", "Bob"]


def _who(s: Any, edge_id: str) -> str:
    return str(s.world.variables[f"{edge_id.split('/')[0]}__who"])


LINES = [
    of_list("ab", "a", "b", **each()),
    edge("ad", "a", "d", order=1),
    call("it", "b", "c", order=2),
    {**type_sum("ca", "c", "a", order=3), "params": {"text": "{{n}}: {{sum}}"}},
]


def test_it_is_done_for_each_line_of_a_list(stage: Any) -> None:
    s = calling(stage, edges=LINES, reads=("1", "2", "3"))
    s.world.lists = {"ab": list(FILES)}
    typed: list[str] = []

    def note(edge_id: str) -> None:
        if edge_id == "ca":
            typed.append(f"{s.world.variables['n']}: {s.world.variables['sum']}")

    s.world.on_act = note
    assert s.run().state == COMPLETED
    assert typed == ["1: 1", "2: 2", "3: 3"]
    assert s.world.acts.count("it/ab") == 3


def test_what_was_read_when_it_was_done_before_is_no_value_of_this_time(stage: Any) -> None:
    """The second time the total is not read: typing the first one again would be another record's."""
    only = {"condition": [{"value": "who", "test": "equals", "to": ["Ann"]}]}
    inner = [edge("ab", "a", "b"), reading("look", "b", order=1, **only), edge("bd", "b", "d", order=2)]
    make_published(
        workflow_id="some", name="Some", nodes=screens("a", "b", "d"), edges=inner, variables=[{"name": "who"}]
    )
    again = call("it", "a", "b", "{{patient}}")
    again["params"]["workflow"] = "some"
    twice = [
        again,
        type_sum("bc", "b", "c", order=1),
        {**reading("next", "c", order=2), "params": {"name": "more", "label": "More", "kind": "text"}},
        edge("ca", "c", "a", order=3, condition=[{"value": "more", "test": "equals", "to": ["yes"]}]),
        edge("cd", "c", "d", order=4),
    ]
    s = calling(stage, edges=twice)
    s.world.reads = {"it/look": ["5"], "next": ["yes", "no"]}

    def second(edge_id: str) -> None:
        if edge_id == "ca":  # the next record is another patient's
            s.world.variables = {**s.world.variables, "patient": "Bob"}

    s.world.on_act = second
    s.run()
    assert paused(s) == (PAUSED, PauseReason.NO_WAY)
    assert "sum" in message(s)
    assert s.world.acts.count("bc") == 1


@pytest.mark.parametrize("optional", [True, False])
def test_skipped_by_a_person_all_of_it_is_left_out(stage: Any, optional: bool) -> None:
    edges = [{**OUTER[0], "optional": optional}, edge("bd", "b", "d", order=1)]
    s = calling(stage, "coaching", edges=edges)

    def come(step: Any) -> None:
        if step.outcome == Outcome.SKIPPED:
            s.world.node = "b"  # a person sees to it that the screen comes

    s.journal.on_step.append(come)
    assert s.run("skip", "accept").state == COMPLETED
    assert s.world.acts == ["bd"]


def test_done_by_a_person_all_of_it_is_done(stage: Any) -> None:
    s = calling(stage, "coaching", edges=[OUTER[0], edge("bd", "b", "d", order=1)])

    def by_hand(prompt: Any) -> None:
        from execution.actions.decide import decide
        from execution.types import DecisionSource

        s.world.node = "b"
        decide(prompt_id=prompt.pk, choice="manual", source=DecisionSource.PROGRAM)

    assert s.run(by_hand, "accept").state == COMPLETED
    assert s.world.acts == ["bd"]
    place = Position.left(s.row(), Ways(s.world.graph)).place
    assert (place.back, place.last) == (None, "d")


def test_a_coach_is_asked_before_it_begins_and_about_each_of_its_steps_and_never_at_its_end(stage: Any) -> None:
    s = calling(stage, "coaching")
    assert s.run(*["accept"] * 5).state == COMPLETED
    assert [prompt.step.edge_id for prompt in s.asked] == [*ALL[:4], "bd"]


def test_another_act_cannot_be_put_in_its_place(stage: Any) -> None:
    from execution.actions.decide import check_correction
    from execution.exceptions import BadDecision

    with pytest.raises(BadDecision):
        check_correction({"action": "call_workflow"})
    with pytest.raises(BadDecision):
        check_correction({"action": "return_workflow"})


def test_a_screen_of_the_run_itself_is_a_leap_out_of_it(stage: Any) -> None:
    """S1.22: nothing of what is left of it is passed over."""
    s = calling(stage)
    ways = Ways(s.world.graph)
    place = ways.arrive(Standpoint(expected="a"), "a").passed(s.world.graph.edge("it"), done=True)
    assert not ways.may_go_on(place, "b")
    assert ways.may_go_on(place, "it/a")
    inside = ways.arrive(place, "it/a")
    assert [n.node_id for n in s.world.graph.nodes if ways.may_go_on(inside, n.node_id)] == ["it/a"]
    assert inside.back is not None
    at_end = ways.arrive(inside.passed(s.world.graph.edge("it/ab"), done=True), "it/b")
    at_end = ways.arrive(at_end.passed(s.world.graph.edge("it/bd"), done=True), "it/d")
    over = at_end.passed(s.world.graph.edge("it/end/1"), done=True)
    assert (over.last, over.expected, over.back) == ("a", "b", None)
    assert ways.arrive(over, "b").last == "b"


def test_put_back_before_it_by_a_person_the_run_asks_before_it_begins_it_again(stage: Any) -> None:
    s = calling(stage)
    ways = Ways(s.world.graph)
    graph = s.world.graph
    inside = Standpoint(expected="a")
    for node, edge_id in (("a", "it"), ("it/a", "it/ab"), ("it/b", "it/look")):
        inside = ways.arrive(inside, node).passed(graph.edge(edge_id), done=True)
    put = ways.put(inside, "a", anew=True)
    assert (put.last, put.begun, put.back, put.done_here) == ("a", "it", None, frozenset())
    assert ways.put(inside, "b", anew=True).begun == "it"
    done = ways.arrive(inside.passed(graph.edge("it/bd"), done=True), "it/d")
    assert ways.put(done, "b", anew=True).begun == ""


def test_put_back_to_a_screen_that_it_leads_back_to(stage: Any) -> None:
    graph = calling(stage, edges=BACK).world.graph
    ways = Ways(graph)
    inside = ways.arrive(Standpoint(expected="a"), "a").passed(graph.edge("one"), done=True)
    inside = ways.arrive(inside, "one/a").passed(graph.edge("one/ab"), done=True)
    put = ways.put(inside, "a", anew=True)
    assert (put.begun, put.done_here) == ("one", frozenset())


def test_a_call_that_was_begun_and_not_done_is_asked_about(stage: Any) -> None:
    s = calling(stage)
    s.loop.at.place = Standpoint(last="a", expected="a", begun="it")
    s.run("accept")
    assert [p.kind for p in s.asked][:1] == [PromptKind.CONFIRMATION]
    assert "“Inner” was begun here and not done to its end." in in_words(from_json(s.asked[0].message))


def test_a_run_inside_of_it_moves_to_another_version_only_where_that_leads_back_alike(stage: Any) -> None:
    """S6.14"""
    from execution.turn.versions import why_not
    from workflows.actions.publish import publish

    s = calling(stage)
    for kept in (1, 2):
        s.left_after(kept)
    assert s.world.acts == ["it", "it/ab"]
    draft, was = s.row().version.workflow, s.world.graph
    draft.edges.filter(edge_id="bd").update(params={"text": "{{patient}}"})
    now = publish(workflow=draft, user=None).spec()
    assert why_not(s.row(), was, now) == ""
    draft.edges.filter(edge_id="it").update(destination=draft.nodes.get(node_id="d"))
    draft.edges.filter(edge_id="bd").delete()
    draft.nodes.filter(node_id="b").delete()
    other = publish(workflow=draft, user=None).spec()
    assert why_not(s.row(), was, other) != ""
