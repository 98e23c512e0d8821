"""A run moves to a mended version only where nothing is new there before it stands: not done too late, nor never."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from execution.choices import Outcome, StepPhase
from execution.models import Execution, Step
from execution.turn.versions import why_not
from sentences.said import worded
from tests.factories import make_published
from tests.support.scripted import queue
from workflows.graph import ConditionSpec, EdgeSpec, GraphSpec, RepeatSpec

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


def node(node_id: str, **more: Any) -> dict[str, Any]:
    return {"node_id": node_id, "name": node_id.title(), "texts": [node_id], "is_entry": node_id == "form", **more}


def press(edge_id: str, source: str, destination: str, order: int) -> dict[str, Any]:
    return {
        "edge_id": edge_id, "source": source, "destination": destination, "action_type": "press_keys",
        "params": {"keys": f"ctrl+{edge_id[0]}"}, "order": order,
    }  # fmt: skip


@pytest.fixture
def graph() -> GraphSpec:
    """On the form: fill, maybe a note, then on to the list; there: look, then on to the end."""
    edges = [
        press("fill", "form", "form", 1), press("note", "form", "form", 2), press("go", "form", "list", 3),
        press("look", "list", "list", 1), press("out", "list", "end", 3),
    ]  # fmt: skip
    nodes = [node("form"), node("list"), node("end", is_end=True)]
    return make_published(nodes=nodes, edges=edges, variables=[]).spec()


@pytest.fixture
def moved(graph: GraphSpec) -> Callable[[Callable[[GraphSpec], GraphSpec]], str]:
    """Why a run that stands on the list, with fill, go and look behind it, does not go on with a changed graph."""
    from workflows.models import WorkflowVersion

    run = queue(WorkflowVersion.objects.get())
    for index, (screen, edge) in enumerate([("form", "fill"), ("form", "go"), ("list", "look")], start=1):
        Step.objects.create(
            execution=run, index=index, epoch=1, node_id=screen, edge_id=edge, phase=StepPhase.CLOSED,
            outcome=Outcome.SUCCEEDED, ended_at=run.created_at,
        )  # fmt: skip
    Execution.objects.filter(pk=run.pk).update(current_node_id="list")
    run.refresh_from_db()
    return lambda change: worded(why_not(run, graph, change(graph)))


def with_edges(graph: GraphSpec, *more: EdgeSpec, **changes: dict[str, Any]) -> GraphSpec:
    edges = [replace(e, **changes.get(e.edge_id, {})) for e in graph.edges]
    return replace(graph, edges=(*edges, *more))


def step(edge_id: str, source: str, destination: str, order: int) -> EdgeSpec:
    return EdgeSpec(**press(edge_id, source, destination, order))


MAY = [
    lambda g: g,
    lambda g: with_edges(g, out={"params": {"keys": "ctrl+x"}, "retries": 9}),  # what lies before it
    lambda g: with_edges(g, step("check", "list", "list", 2)),
    lambda g: with_edges(g, step("check", "end", "end", 1)),
    lambda g: with_edges(g, go={"retries": 9, "settle_ms": 7}),  # what it was known by
    # where the step that was done may end as well
    lambda g: with_edges(g, replace(step("go_error", "form", "end", 4), params={"keys": "ctrl+g"})),
]
NEW = [
    (lambda g: with_edges(g, step("check", "list", "list", 0)), "check"),  # done too late
    (lambda g: with_edges(g, step("check", "form", "form", 0)), "check"),  # never done
    (lambda g: with_edges(g, step("check", "form", "form", 2)), "check"),
    (lambda g: with_edges(g, step("check", "form", "end", 4)), "check"),  # a way that it may have had to take
    (lambda g: with_edges(g, note={"params": {"keys": "ctrl+x"}}), "x"),  # it left another one out
    (lambda g: with_edges(g, note={"condition": (ConditionSpec(value="a", test="is", to=("1",)),)}), "n"),
    (lambda g: with_edges(g, note={"order": 0}), "n"),  # in another order
    (lambda g: with_edges(g, fill={"order": 9}), "n"),
    (lambda g: with_edges(g, out={"order": 0}), "o"),
]
ELSEWHERE = [
    lambda g: with_edges(g, go={"destination": "end"}),
    lambda g: replace(g, nodes=tuple(replace(n, is_entry=n.node_id == "end") for n in g.nodes)),
]


@pytest.mark.parametrize("change", MAY)
def test_what_lies_before_it_may_be_anything(moved: Any, change: Any) -> None:
    assert moved(change) == ""


@pytest.mark.parametrize(("change", "what"), NEW)
def test_a_step_that_is_new_on_its_way_is_named(moved: Any, change: Any, what: str) -> None:
    said = moved(change)
    assert said.startswith("In the new version “")
    assert "comes before where it stands" in said
    assert f"Ctrl+{what[0]}".casefold() in said.casefold()


@pytest.mark.parametrize("change", ELSEWHERE)
def test_another_way_there_is_another_place(moved: Any, change: Any) -> None:
    assert "leads elsewhere" in moved(change)


def test_a_list_whose_rounds_have_another_step_is_another_step(moved: Any) -> None:
    repeat = RepeatSpec(counter="n", most=5, until=(), steps=("out",))
    assert "is another one, or gone" in moved(lambda g: with_edges(g, look={"repeat": repeat}))
