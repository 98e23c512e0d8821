"""S5.9 where it is taught: a step is proved by another workflow, and steps of that are said to change nothing."""

from __future__ import annotations

from typing import Any

import pytest

from execution.lesson import editing
from execution.lesson.calling import callable_from
from execution.lesson.editing import BadEdit
from execution.lesson.telling import draft_told
from execution.models import Lesson, LessonStep
from tests.factories import make_published
from tests.support.taught import make_lesson
from tests.workflows.test_proofs import LOOK
from workflows.models import Edge, Variable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def lesson(designer: Any) -> Lesson:
    made = make_lesson(designer)
    make_published(**LOOK)
    return made


def edge_of(lesson: Lesson) -> Edge:
    edge = LessonStep.objects.get(lesson=lesson, index=1).edge
    assert edge is not None
    return edge


def told(lesson: Lesson) -> dict[str, Any]:
    return next(step for step in draft_told(lesson)["steps"] if step["index"] == 1)


def test_what_the_workflow_has_by_the_same_name_is_given_to_its_proof(lesson: Lesson) -> None:
    Variable.objects.create(workflow=lesson.workflow, name="who", order=9)
    editing.change_step(lesson, 1, proof={"workflow": "look"})
    assert edge_of(lesson).proof == {"workflow": "look", "version": 1, "values": {"who": "{{who}}"}}
    assert told(lesson)["proved_by"] == edge_of(lesson).proof
    assert "then read back by “Look in the list”, version 1" in told(lesson)["when"]
    editing.change_step(lesson, 1, proof=None)
    assert (edge_of(lesson).proof, told(lesson)["proved_by"]) == ({}, None)


def test_its_values_are_those_that_the_teacher_says_and_follow_a_new_name(lesson: Lesson) -> None:
    editing.change_step(lesson, 1, proof={"workflow": "look", "values": {"who": " {{patient}} ", "ward": " "}})
    assert edge_of(lesson).proof["values"] == {"who": "{{patient}}"}
    editing.change_variable(lesson, "patient", {"name": "person"})
    assert edge_of(lesson).proof["values"] == {"who": "{{person}}"}
    with pytest.raises(BadEdit, match="is used"):
        editing.remove_variable(lesson, "person")


def test_what_is_not_published_proves_nothing(lesson: Lesson) -> None:
    with pytest.raises(BadEdit, match="no published workflow"):
        editing.change_step(lesson, 1, proof={"workflow": "nobody"})
    assert edge_of(lesson).proof == {}


def test_a_value_that_lacks_is_a_problem_of_the_draft_that_leads_to_the_step(lesson: Lesson) -> None:
    editing.change_step(lesson, 1, proof={"workflow": "look"})
    found = [one for one in draft_told(lesson)["problems"] if one["code"] == "call_without_value"]
    assert [one["goto"] for one in found] == ["step:1"]


def test_only_what_looks_and_says_what_must_be_seen_is_offered(lesson: Lesson) -> None:
    make_published(workflow_id="does", name="Does something")
    assert {one["id"]: one["proves"] for one in callable_from(lesson)} == {"look": True, "does": False}


def test_a_step_that_merely_leads_somewhere_is_said_to_change_nothing(lesson: Lesson) -> None:
    assert told(lesson)["changes_nothing"] is False
    editing.change_step(lesson, 1, changes_nothing=True)
    assert (edge_of(lesson).effect_class, told(lesson)["changes_nothing"]) == ("read", True)
    editing.change_step(lesson, 1, changes_nothing=False)
    assert edge_of(lesson).effect_class == "undeclared"
