"""A run that stands still goes on with the mended version, if where it stands exists there (S6.14)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from execution.actions import control
from execution.choices import EventKind, ExecutionState, Outcome, PauseReason, StepPhase, Verb, Wish
from execution.exceptions import IllegalMove, ModeNotEarned
from execution.models import Execution
from execution.record.journal import Journal
from execution.turn.versions import why_not
from sentences.said import in_words, worded
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.stage import Killed
from tests.support.control import run_loop, until
from tests.support.scripted import analyzer, publish_line, queue, screens
from workflows.actions.publish import publish
from workflows.models import Edge, Variable, WorkflowVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


def row(execution: Execution) -> Execution:
    return Execution.objects.by_id(execution.execution_id)


def paused(execution: Execution) -> bool:
    return row(execution).state == ExecutionState.PAUSED


def told(execution: Execution, kind: EventKind) -> list[dict[str, Any]]:
    return [event.payload for event in execution.events.filter(kind=kind).order_by("seq")]


@pytest.fixture
def operator(make_user: Any) -> Any:
    return make_user("olga", "designer")  # a version that was just published has earned nothing


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ScriptedDesktop(screens("one", "two", "three"))


@pytest.fixture
def first() -> WorkflowVersion:
    """Page two is taught by a text that it has not."""
    version = publish_line("one", "two", "three")
    version.workflow.nodes.filter(node_id="two").update(texts=["Page zwei"])
    return publish(workflow=version.workflow, user=None)


def mended(version: WorkflowVersion, **changes: Any) -> WorkflowVersion:
    """The screen is known by what it says; with further changes of the step that is behind the run."""
    version.workflow.nodes.filter(node_id="two").update(texts=["Page two"])
    if changes:
        Edge.objects.filter(workflow=version.workflow, edge_id="one_two").update(**changes)
    return publish(workflow=version.workflow, user=None)


@pytest.fixture
def run(desktop: ScriptedDesktop, first: WorkflowVersion) -> Any:
    """Paused on a screen that its version does not know, after its first click."""
    execution = queue(first)
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: paused(execution), "the pause")
        assert row(execution).pause_reason in (PauseReason.NO_MATCH, PauseReason.FAILED_ACTION)
        yield execution


def clicks(desktop: ScriptedDesktop) -> int:
    return sum(act.kind == "click" for act in desktop.log)


def test_it_goes_on_with_the_mended_version_to_its_end(run, first, desktop, operator) -> None:
    """S6.14: what was done is not done again, and who asked is kept (S1.24)."""
    version = mended(first)
    control.change_version(execution_id=run.execution_id, version=version, user=operator)
    until(lambda: row(run).is_final, "its end")
    assert (row(run).state, row(run).version) == (ExecutionState.COMPLETED, version)
    assert (row(run).wish, row(run).wish_version) == (Wish.NONE, None)
    assert clicks(desktop) == 2
    [changed] = told(run, EventKind.VERSION_CHANGED)
    assert (changed["was"], changed["version"], changed["by"]) == (first.number, version.number, "olga")
    assert run.wishes.get(verb=Verb.CHANGE_VERSION).detail == {"was": first.number, "version": version.number}
    assert row(run).deaths == 0


def test_it_stays_and_says_why_where_what_it_did_is_another_step(run, first, desktop, operator) -> None:
    version = mended(first, action_type="right_click")
    control.change_version(execution_id=run.execution_id, version=version, user=operator)
    until(lambda: told(run, EventKind.ERROR), "why not")
    assert (row(run).state, row(run).version, row(run).wish) == (ExecutionState.PAUSED, first, Wish.NONE)
    assert "is another one, or gone, in the new version" in worded_of(told(run, EventKind.ERROR)[0])
    assert clicks(desktop) == 1
    assert not told(run, EventKind.VERSION_CHANGED)


def worded_of(payload: dict[str, Any]) -> str:
    return str(in_words(payload["message"]))


def test_a_run_that_asks_goes_on_with_it_and_asks_anew(desktop, first, operator) -> None:
    """Its question is withdrawn; nothing was done of it."""
    execution = queue(mended(first), mode="supervised")
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: execution.prompts.open().exists(), "its question")
        asked = execution.prompts.open().get()
        first.workflow.nodes.filter(node_id="three").update(name="The end")
        version = publish(workflow=first.workflow, user=None)
        control.change_version(execution_id=execution.execution_id, version=version, user=operator)
        until(lambda: execution.prompts.open().exclude(pk=asked.pk).exists(), "another question")
        assert row(execution).version == version
        assert execution.steps.order_by("index").first().outcome == Outcome.INTERRUPTED
        assert clicks(desktop) == 0


def test_a_loop_that_dies_before_it_heard_it_leaves_it_to_the_next(desktop, first, operator) -> None:
    """S9.2: asked while nobody has the run in hand."""
    execution = queue(first)
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: paused(execution), "the pause")
    version = mended(first)
    control.change_version(execution_id=execution.execution_id, version=version, user=operator)
    assert row(execution).version == first
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: row(execution).is_final, "its end")
    assert (row(execution).state, clicks(desktop)) == (ExecutionState.COMPLETED, 2)


def test_a_loop_that_dies_right_after_it_took_it_is_followed_by_one_that_resumes(
    desktop, first, operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9.2: the version is the run's, and nothing was done with it yet."""
    execution = queue(first)
    whole = Journal.change_version

    def last(self: Journal) -> bool:
        assert whole(self)
        raise Killed

    with pytest.raises(Killed), run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: paused(execution), "the pause")
        monkeypatch.setattr(Journal, "change_version", last)
        control.change_version(execution_id=execution.execution_id, version=mended(first), user=operator)
        until(lambda: row(execution).wish == Wish.RESUME, "that it was taken")
    monkeypatch.undo()
    assert (row(execution).state, row(execution).version.number) == (ExecutionState.PAUSED, first.number + 1)
    with run_loop(desktop, analyzer=analyzer(desktop)):
        until(lambda: row(execution).is_final, "its end")
    assert (row(execution).state, clicks(desktop)) == (ExecutionState.COMPLETED, 2)


def test_a_stop_is_not_overtaken(run, first, operator) -> None:
    control.stop(execution_id=run.execution_id, user=operator)
    with pytest.raises(IllegalMove):
        control.change_version(execution_id=run.execution_id, version=mended(first), user=operator)
    until(lambda: row(run).state == ExecutionState.STOPPED, "its end")


def test_who_may_not_operate_and_a_run_at_its_end_are_refused(run, first, make_user, operator) -> None:
    with pytest.raises(PermissionDenied):
        control.change_version(execution_id=run.execution_id, version=mended(first), user=make_user("vera", "viewer"))
    control.stop(execution_id=run.execution_id, user=operator)
    until(lambda: row(run).is_final, "its end")
    with pytest.raises(IllegalMove, match="Only a run that is paused or asks"):
        control.change_version(execution_id=run.execution_id, version=mended(first), user=operator)


def test_one_that_has_not_earned_it_is_not_gone_on_with_by_itself(run, first, make_user) -> None:
    """S1.3: an operator's run that acts by itself stays with what has earned that."""
    version = mended(first)
    otto = make_user("otto", "operator")
    with pytest.raises(ModeNotEarned):
        control.change_version(execution_id=run.execution_id, version=version, user=otto)
    control.change_version(execution_id=run.execution_id, version=version, user=make_user("dora", "designer"))


def test_what_stands_in_the_way_is_said(run, first) -> None:
    """S6.14, S9.1: a step in doubt, a screen that is gone, a value that it was not started with."""
    was, execution = first.spec(), row(run)
    now = mended(first).spec()
    assert why_not(execution, was, now) == ""
    step = execution.steps.order_by("index").last()
    type(step).objects.filter(pk=step.pk).update(phase=StepPhase.INTENT, outcome="", ended_at=None)
    assert "whether its last step was done" in worded(why_not(execution, was, now))
    type(step).objects.filter(pk=step.pk).update(
        phase=StepPhase.CLOSED, outcome=Outcome.SUCCEEDED, ended_at=step.ended_at or step.started_at
    )
    Variable.objects.create(workflow=first.workflow, name="bed", default="1", required=False)
    assert "without a value of “bed”" in worded(
        why_not(execution, was, publish(workflow=first.workflow, user=None).spec())
    )
    first.workflow.variables.all().delete()
    first.workflow.nodes.filter(node_id="one").update(node_id="uno")
    assert "It stands on “One”" in worded(why_not(execution, was, publish(workflow=first.workflow, user=None).spec()))
