"""Steps are moved and inserted on their screen, and never to where a run would not come by them (S6.10)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.exceptions import BadEdit
from execution.lesson import editing
from execution.lesson.changes import changes_of
from execution.lesson.telling import draft_told
from execution.models import Lesson
from tests.support.taught import make_lesson
from workflows.models import Edge, Node
from workflows.specs import graph_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def lesson(designer: Any) -> Lesson:
    """Click, type, Enter, all on one screen; the last one leads to another."""
    lesson = make_lesson(designer)
    record = Node.objects.create(workflow=lesson.workflow, node_id="record", name="Record", is_end=True)
    Edge.objects.filter(edge_id="press_return").update(destination=record)
    return lesson


def order(lesson: Lesson) -> list[str]:
    return [edge.edge_id for edge in graph_of(lesson.workflow).outgoing("queue")]


def moves(lesson: Lesson) -> list[tuple[bool, bool]]:
    return [(step["moves"]["earlier"], step["moves"]["later"]) for step in draft_told(lesson)["steps"]]


def test_a_step_changes_places_with_the_one_beside_it(lesson: Lesson) -> None:
    assert moves(lesson) == [(False, True), (True, False), (False, False)]
    was = graph_of(lesson.workflow)
    editing.change_step(lesson, 2, move="earlier")
    assert order(lesson) == ["type_patient", "click_search", "press_return"]
    [change] = changes_of(was, graph_of(lesson.workflow))
    assert change.what == "The order on “Queue”"
    assert change.was == list(reversed(change.now[:2])) + list(change.now[2:])
    editing.change_step(lesson, 2, move="later")
    assert order(lesson) == ["click_search", "type_patient", "press_return"]


@pytest.mark.parametrize(("index", "where"), [(2, "later"), (3, "earlier"), (1, "earlier"), (3, "later")])
def test_it_is_not_moved_behind_what_leaves_its_screen(lesson: Lesson, index: int, where: str) -> None:
    with pytest.raises(BadEdit, match="leads to another screen"):
        editing.change_step(lesson, index, move=where)
    assert order(lesson) == ["click_search", "type_patient", "press_return"]


@pytest.mark.parametrize("but", [{"optional": True}, {"condition": [{"value": "patient", "test": "empty", "to": []}]}])
def test_what_may_be_left_out_holds_nothing_up(lesson: Lesson, but: dict[str, Any]) -> None:
    Edge.objects.filter(edge_id="press_return").update(**but)
    editing.change_step(lesson, 2, move="later")
    assert order(lesson) == ["click_search", "press_return", "type_patient"]


def test_steps_are_told_as_a_run_comes_by_them(lesson: Lesson) -> None:
    """Screens that nothing leads to come last, and what was shown in this lesson keeps the order it was shown in."""
    for name in ("b", "c", "apart"):
        Node.objects.create(workflow=lesson.workflow, node_id=name, name=name)
    queue = {node.node_id: node for node in lesson.workflow.nodes.all()}
    for edge_id, source, to in (("on", "record", "b"), ("back", "b", "queue"), ("alone", "apart", "c")):
        ends = {"source": queue[source], "destination": queue[to]}
        Edge.objects.create(workflow=lesson.workflow, edge_id=edge_id, action_type="wait", order=9, **ends)
    wanted = ["click_search", "type_patient", "press_return", "on", "back", "alone"]
    assert [edge.edge_id for edge in graph_of(lesson.workflow).in_order] == wanted
