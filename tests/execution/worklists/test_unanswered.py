"""A question with nobody there ends the run of a row and sets the row aside (S12.12)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind, PromptState
from execution.models import Decision, Execution, Prompt, Robot, Step, Worklist, WorkRun
from execution.models.worklist import ItemState, WorklistState
from execution.record.claims import Claim
from execution.record.journal import Journal
from execution.running.runner import Hooks, Runner
from execution.worklists.actions.lists import append, create_list, start_list
from execution.worklists.adding import NewRow
from execution.worklists.claiming import take
from execution.worklists.outcome import settle
from execution.worklists.unanswered import end_unanswered
from sentences.said import say
from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_user
from tests.support.lists import IDENTITY, new_list, robot, states
from tests.support.scripted import analyzer, publish_line, screens

pytestmark = pytest.mark.django_db

PATIENCE_S = 600
LATER = timedelta(seconds=PATIENCE_S + 1)
PAGES = ("one", "two", "three")


def paused(**more: Any) -> Claim:
    new_list("Ada", "Bea", patience_s=PATIENCE_S, **more)
    claimed = take(robot(), IDENTITY)
    assert claimed is not None
    journal = Journal(claimed.execution, claimed.execution.version.spec())
    journal.pause(PauseReason.DIALOG, say("turn.unknown_screen", why="no node"), {"picture": "a" * 64})
    return claimed


def test_a_run_that_stands_for_longer_than_its_list_is_patient_is_ended_with_what_it_asked() -> None:
    """S12.12: its picture stays."""
    claimed = paused()
    run, now = claimed.execution.execution_id, timezone.now()
    assert not end_unanswered(run, now=now + timedelta(seconds=PATIENCE_S - 60))
    assert end_unanswered(run, now=now + LATER)
    work = WorkRun.objects.get()
    assert (work.unanswered.code, work.picture) == ("worklists.unanswered", "a" * 64)
    assert str(work.unanswered).endswith("(Nobody answered for 10 minutes.)")
    Journal(claimed.execution, claimed.execution.version.spec()).finish(ExecutionState.STOPPED)
    assert settle(run)
    item = work.item
    item.refresh_from_db()
    assert (item.state, item.saved, item.reason) == (ItemState.SET_ASIDE, False, work.unanswered)


def test_a_list_that_is_patient_for_ever_waits() -> None:
    claimed = paused()
    Worklist.objects.update(patience_s=None)
    assert not end_unanswered(claimed.execution.execution_id, now=timezone.now() + LATER)


def test_nobody_ends_a_run_that_a_person_has_in_hand() -> None:
    claimed = paused()
    Execution.objects.update(pause_reason=PauseReason.CONTROL)
    assert not end_unanswered(claimed.execution.execution_id, now=timezone.now() + LATER)


def test_a_run_of_no_list_is_left_to_its_own_time_outs() -> None:
    claimed = paused()
    WorkRun.objects.all().delete()
    assert not end_unanswered(claimed.execution.execution_id, now=timezone.now() + LATER)


def asking(**fields: Any) -> tuple[str, Prompt]:
    claimed = paused()
    run = claimed.execution
    Execution.objects.filter(pk=run.pk).update(state=ExecutionState.WAITING_CONFIRMATION)
    step = Step.objects.create(execution=run, index=1, epoch=1, mode="automatic")
    asked = {"kind": PromptKind.CONFIRMATION, "message": "Save?", "picture": "b" * 64, **fields}
    return run.execution_id, Prompt.objects.create(execution=run, step=step, **asked)


def test_a_question_is_withdrawn_and_not_rejected() -> None:
    run, prompt = asking()
    assert end_unanswered(run, now=timezone.now() + LATER)
    prompt.refresh_from_db()
    assert (prompt.state, Decision.objects.count()) == (PromptState.WITHDRAWN, 0)
    assert WorkRun.objects.get().picture == "b" * 64


def test_a_question_that_somebody_corrects_right_now_is_left_open() -> None:
    now = timezone.now()
    held = {"held_by": make_user("operator"), "held_since": now, "held_until": now + 2 * LATER}
    run, prompt = asking(**held)
    assert not end_unanswered(run, now=now + LATER)
    assert Prompt.objects.open().get() == prompt


class Night:
    """The real run loop on a scripted desktop, with nobody there."""

    def __init__(self, *pages: str, **options: Any) -> None:
        self.desktop = ScriptedDesktop(screens(*pages))
        self.leave = threading.Event()
        self.asked: list[Prompt] = []
        self.runner = Runner(
            desktop=self.desktop,
            analyzer=analyzer(self.desktop),
            leave=self.leave,
            **{"hooks": Hooks(on_prompt=self.hear), "max_executions": 1, **options},
        )

    def hear(self, prompt: Prompt) -> None:
        """As the heartbeat does, once time has gone by."""
        self.asked.append(prompt)
        assert prompt.deadline_at is None
        assert end_unanswered(prompt.execution.execution_id, now=timezone.now() + LATER)


def line_list(version: Any, *names: str, **more: Any) -> Worklist:
    worklist = create_list(
        name="Pages", workflow_id=version.workflow.workflow_id, columns=["Name"], keys=["Name"],
        **{"mode": "automatic", **more},
    )  # fmt: skip
    append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Name": name}) for name in names])
    start_list(worklist_id=worklist.worklist_id)
    return worklist


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
def test_a_robot_works_a_row_off_and_keeps_what_came_of_it() -> None:
    """S12.2, by the loop that every run has."""
    worklist = line_list(publish_line(*PAGES), "Ada", "Bea")
    Night(*PAGES).runner.run()
    assert states(worklist) == {"Ada": "done", "Bea": "new"}
    assert Robot.objects.get().stopped_at is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_folder")
def test_a_question_at_night_sets_the_row_aside_and_nothing_is_rejected() -> None:
    """S12.12: a supervised run asks before each act; nobody answers."""
    worklist = line_list(publish_line(*PAGES), "Ada", "Bea", mode="supervised", patience_s=PATIENCE_S)
    night = Night(*PAGES)
    night.runner.run()
    item = worklist.items.get(reference="Ada")
    assert len(night.asked) == 1
    assert (item.state, item.reason.code, item.saved) == (ItemState.SET_ASIDE, "worklists.unanswered", False)
    assert [act.kind for act in night.desktop.log if act.kind == "click"] == []
    step = Step.objects.get()
    assert (step.outcome, step.picture_before != "") == (Outcome.INTERRUPTED, True)
    assert Decision.objects.count() == 0
    worklist.refresh_from_db()
    assert worklist.state == WorklistState.RUNNING
