"""*Save and resume* where the run cannot go on with the new version: it says why, and nothing of the run changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Model
from django.forms.models import model_to_dict
from django.test import Client
from django.utils import timezone

from execution.choices import ExecutionState, LessonKind, Outcome, PauseReason, StepPhase, Wish
from execution.models import Execution, Lesson, Step
from tests.factories import make_user
from tests.support.scripted import publish_line, queue
from workflows.models import Edge, Node, Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def run() -> Execution:
    """It has clicked on page one, and is paused on page two; nobody has it in hand."""
    run = queue(publish_line("one", "two", "three"))
    for index, (screen, edge, outcome) in enumerate(
        [("one", "one_two", Outcome.SUCCEEDED), ("two", "two_three", Outcome.FAILED)], start=1
    ):
        Step.objects.create(
            execution=run, index=index, epoch=1, node_id=screen, edge_id=edge, phase=StepPhase.CLOSED,
            outcome=outcome, ended_at=timezone.now(),
        )  # fmt: skip
    Execution.objects.filter(pk=run.pk).update(
        state=ExecutionState.PAUSED, pause_reason=PauseReason.FAILED_ACTION, current_node_id="two", desktop=":9"
    )
    return Execution.objects.get(pk=run.pk)


@pytest.fixture
def designer() -> Any:
    return make_user("designer", "dora")


@pytest.fixture
def save(run: Execution, designer: Any, client_of: Callable[[Any], Client]) -> Callable[[], Any]:
    lesson = Lesson.objects.create(
        workflow=run.version.workflow, teacher=designer, kind=LessonKind.RUN, execution=run, step_index=2, state="live"
    )
    path = f"/api/lessons/{lesson.lesson_id}/resume/"
    return lambda: client_of(designer).post(path, {}, content_type="application/json")


def every_row(run: Execution) -> dict[str, Any]:
    """The run, and whatever belongs to it."""
    run.refresh_from_db()
    rows: dict[str, list[Model]] = {
        relation.name: list(relation.related_model._default_manager.filter(**{relation.field.name: run}).order_by("pk"))
        for relation in Execution._meta.related_objects
    }
    return {"run": model_to_dict(run)} | {name: [model_to_dict(row) for row in some] for name, some in rows.items()}


def edges(workflow: Workflow) -> Any:
    return Edge.objects.filter(workflow=workflow)


def nodes(workflow: Workflow) -> Any:
    return Node.objects.filter(workflow=workflow)


def in_doubt(run: Execution, _draft: Workflow) -> None:
    run.steps.filter(index=2).update(phase=StepPhase.INTENT, outcome="", ended_at=None)


def of_a_program(run: Execution, _draft: Workflow) -> None:
    Execution.objects.filter(pk=run.pk).update(own_parts=["pipeline"])


def with_a_step_before(_run: Execution, draft: Workflow) -> None:
    one = nodes(draft).get(node_id="one")
    Edge.objects.create(
        workflow=draft, edge_id="first", source=one, destination=one, action_type="press_keys",
        params={"keys": "f5"}, order=0,
    )  # fmt: skip
    edges(draft).filter(edge_id="one_two").update(order=1)


def at_its_end(run: Execution, _draft: Workflow) -> None:
    Execution.objects.filter(pk=run.pk).update(state=ExecutionState.STOPPED, ended_at=timezone.now())


def to_be_stopped(run: Execution, _draft: Workflow) -> None:
    Execution.objects.filter(pk=run.pk).update(wish=Wish.STOP)


def in_somebodys_hand(run: Execution, _draft: Workflow) -> None:
    Execution.objects.filter(pk=run.pk).update(
        pause_reason=PauseReason.CONTROL, controller=make_user("operator", "olga")
    )


REFUSED = [
    (in_doubt, "Nobody knows whether its last step was done."),
    (of_a_program, "It is of a program that brought parts of its own"),
    (with_a_step_before, "In the new version “Press f5” comes before where it stands"),
    (at_its_end, "Only a run that is paused or asks can go on with another version."),
    (to_be_stopped, "It has just changed; look again."),
    (in_somebodys_hand, "olga has control of the desktop."),
]


@pytest.mark.parametrize(("make_so", "why"), REFUSED, ids=lambda one: getattr(one, "__name__", ""))
def test_it_is_published_and_the_run_stays_as_it_is(run: Execution, save: Any, make_so: Any, why: str) -> None:
    """S6.14"""
    make_so(run, run.version.workflow)
    before = every_row(run)
    answer = save()
    assert answer.status_code == 200
    told = answer.json()
    assert told["run"]["resumed"] is False
    assert why in told["run"]["why"], told["run"]
    assert every_row(run) == before
    assert (run.version.number, told["version"]["number"]) == (1, run.version.workflow.latest_version().number)


def test_without_any_of_it_the_run_goes_on(run: Execution, save: Any) -> None:
    """Or nothing above would tell anything."""
    before = every_row(run)
    assert save().json()["run"] == {"resumed": True, "why": ""}
    assert every_row(run) != before
    assert run.wish == Wish.CHANGE_VERSION


def test_what_cannot_be_published_is_not_and_the_run_stays_as_it_is(run: Execution, save: Any) -> None:
    """S6.14: what is left to mend is said as in *Done*."""
    nodes(run.version.workflow).update(is_end=False)
    before = every_row(run)
    answer = save()
    assert answer.status_code == 422
    assert "end" in str(answer.json())
    assert every_row(run) == before
    assert run.version.workflow.versions.count() == 1
