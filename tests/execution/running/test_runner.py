"""The run loop process: claims, runs, says what it does, and lets go of the desktop (S1.17, S9.2, S9.4)."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import ExecutionState, PauseReason, PromptKind, StepPhase
from execution.desktop.base import DesktopBusy
from execution.desktop.lock import DesktopLock
from execution.exceptions import NotTaken
from execution.models import Execution, Robot
from execution.running import runner, terminal
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource
from sentences.said import say, told_by, worded
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import analyzer, publish_line, queue, screens
from workflows.exceptions import PictureAway

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

NAMES = ("one", "two", "three")


def unasked(prompt: Any) -> None:
    """Nobody is there to answer: a question ends the test."""
    pytest.fail(f"a person was asked: {prompt.message}")


def hooks(**more: Any) -> Hooks:
    return Hooks(**{"on_prompt": unasked, **more})


class Talk:
    """A run loop on a scripted desktop, and every line that it said."""

    def __init__(self, desktop: ScriptedDesktop | None = None, **options: Any) -> None:
        self.desktop = desktop or ScriptedDesktop(screens(*NAMES))
        self.lines: list[str] = []
        self.leave = threading.Event()
        self.runner = Runner(
            desktop=self.desktop,
            analyzer=analyzer(self.desktop),
            out=self.lines.append,
            shows_values=True,
            leave=self.leave,
            **{"once": True, "hooks": hooks(), **options},
        )

    def run(self) -> str:
        self.runner.run()
        return "\n".join(self.lines)


def row(execution: Execution) -> Execution:
    return Execution.objects.by_id(execution.execution_id)


def test_a_queued_run_is_run_to_its_end_and_told_a_line_a_step() -> None:
    """S1.17: one line a step; the summary of S7.3 last."""
    execution = queue(publish_line(*NAMES))
    talk = Talk()
    said = talk.run()
    done = row(execution)
    assert (done.state, done.steps_executed, done.steps_succeeded) == (ExecutionState.COMPLETED, 3, 2), said
    assert [act.kind for act in talk.desktop.log if act.kind == "click"] == ["click", "click"]
    steps = [line for line in talk.lines if line.startswith("    1 ") or line.startswith("    2 ")]
    assert len(steps) == 2
    assert "Go on" in steps[0]
    assert talk.lines[-1].startswith(f"{done.execution_id}: ")
    assert done.desktop == Robot.objects.get().desktop


def test_api_page_and_terminal_tell_the_same_summary(client: Client, make_user: Any) -> None:
    """S7.3: the same numbers at each door, and the same words."""
    execution = queue(publish_line(*NAMES))
    line = Talk().run().splitlines()[-1]
    client.force_login(make_user("viewer", "viewer"))
    run = execution.execution_id
    api = client.get(f"/api/executions/{run}/").json()["summary"]
    page = client.get(reverse("run_snapshot", args=[run])).json()["summary"]
    assert api["sentence"] in line
    assert {name: page[name] for name in api if name != "sentence"} == {n: api[n] for n in api if n != "sentence"}
    assert (api["actions"], api["done"], api["not_verified"], api["rungs"]) == (2, 2, 0, {"ocr_text": 2})
    assert "Text 2" in line
    assert f"{api['mean_resolve_ms']:.0f} ms" in line


def test_the_desktop_is_released_and_the_robot_signed_off_at_the_end() -> None:
    """S1.17"""
    queue(publish_line(*NAMES))
    talk = Talk()
    talk.run()
    robot = Robot.objects.get()
    assert robot.stopped_at is not None
    with DesktopLock(talk.desktop.identity().name, robot_locks()):
        pass


def robot_locks() -> Path:
    from django.conf import settings

    return settings.DATA_DIR / "locks"


def test_a_desktop_that_is_held_by_another_is_refused_with_its_name() -> None:
    """S9.4"""
    talk = Talk()
    with DesktopLock("scripted", robot_locks(), holder="the other one"), pytest.raises(DesktopBusy, match="in use by"):
        talk.run()


def test_nothing_to_do_is_said() -> None:
    """S1.17"""
    assert "Nothing is queued" in Talk().run()


def test_runs_come_one_after_the_other_oldest_first() -> None:
    """S1.4, S1.17: a second run on the same desktop waits its turn; --max-executions counts."""
    version = publish_line("one", "two")
    first, second, third = queue(version), queue(version), queue(version)
    talk = Talk(once=False, max_executions=2)
    talk.runner.hooks = hooks(on_begin=lambda journal: talk.desktop.show("one"))
    talk.run()
    states = [row(e).state for e in (first, second, third)]
    assert states == [ExecutionState.COMPLETED, ExecutionState.COMPLETED, ExecutionState.QUEUED]
    assert row(first).ended_at <= row(second).started_at  # type: ignore[operator]


def test_a_loop_for_one_run_says_why_it_cannot_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """S9.4: once on the terminal for each reason, and once to a program; and it takes the run when it can."""
    monkeypatch.setattr(terminal, "EVERY_S", 0.05)
    execution = queue(publish_line("one", "two"), desktop=":98")
    told: list[tuple[str, Exception]] = []
    talk = Talk(
        once=False,
        execution_id=execution.execution_id,
        hooks=hooks(on_error=lambda kind, error: told.append((kind, error))),
    )
    looks, why = list[str](), terminal.why_untaken

    def seen(execution_id: str) -> str:
        """It waits for one desktop, then for another, then for this one."""
        looks.append(why(execution_id))
        if len(looks) in (3, 6):
            Execution.objects.update(desktop=":99" if len(looks) == 3 else "")
        return looks[-1]

    monkeypatch.setattr(terminal, "why_untaken", seen)
    talk.run()
    assert row(execution).state == ExecutionState.COMPLETED
    reasons = [line for line in talk.lines if "no robot is alive there" in line]
    assert reasons == [
        f"{execution.execution_id}: It is for the desktop {name}, and no robot is alive there."
        for name in (":98", ":99")
    ]
    assert [(kind, type(error)) for kind, error in told] == [("not_taken", NotTaken)]
    assert "It is for the desktop :98" in worded(told_by(told[0][1]))


def test_a_pipeline_that_raises_fails_its_run_and_not_the_loop() -> None:
    """S1.21: the next run is run as if nothing had been."""
    version = publish_line("one", "two")
    broken, good = queue(version), queue(version)
    talk = Talk(once=False, max_executions=2)

    def stages(journal: Any, own: Any) -> Any:
        if journal.execution.execution_id == broken.execution_id:
            own.suggest = lambda *args: 1 / 0
        return own

    told: list[tuple[str, Exception]] = []
    talk.runner.hooks = hooks(stages=stages, on_error=lambda kind, error: told.append((kind, error)))
    talk.run()
    assert row(broken).state == ExecutionState.FAILED
    assert "ZeroDivisionError" in row(broken).error
    assert row(good).state == ExecutionState.COMPLETED
    assert [(kind, type(error)) for kind, error in told] == [("execution_loop", ZeroDivisionError)]


@pytest.mark.parametrize("after_effect", [False, True], ids=["before the input arrived", "after it arrived"])
def test_a_desktop_lost_in_an_action_leaves_the_step_in_doubt_and_nothing_is_done_twice(after_effect: bool) -> None:
    """S9.1, S9.2: paused with the reason; what is seen to be done stays done, of anything else a person says it."""
    execution = queue(publish_line(*NAMES))
    talk = Talk()

    def lose_at_the_click(journal: Any, own: Any) -> Any:
        act = own.act

        def losing(suggestion: Any, hold: Any) -> Any:
            talk.desktop.lose(after_effect=after_effect)
            return act(suggestion, hold)

        own.act = losing
        return own

    talk.runner.hooks = hooks(stages=lose_at_the_click)
    said = talk.run()
    paused = row(execution)
    assert (paused.state, paused.pause_reason) == (ExecutionState.PAUSED, PauseReason.DESKTOP_LOST)
    assert paused.steps.get().phase == StepPhase.INTENT
    assert "is lost" in said
    clicks = len([act for act in talk.desktop.log if act.kind == "click"])
    assert clicks == int(after_effect)
    talk.desktop._lost, talk.desktop._calls_left = False, None  # the same session is back
    control.resume(execution_id=execution.execution_id)
    again = Talk(talk.desktop)
    asked = []

    def not_done(prompt: Any) -> None:
        asked.append(prompt.kind)
        decide(prompt_id=prompt.pk, choice="retry", source=DecisionSource.PROGRAM)

    again.runner.hooks = hooks(on_prompt=not_done)
    again.run()
    assert asked == ([] if after_effect else [PromptKind.IN_DOUBT])
    assert row(execution).state == ExecutionState.COMPLETED, again.lines
    assert len([act for act in talk.desktop.log if act.kind == "click"]) == 2


def test_another_session_is_not_acted_on_blindly() -> None:
    """S9.2: a run that is taken over on a desktop that has changed waits for a person."""
    execution = queue(publish_line(*NAMES), mode="coaching")
    talk = Talk()
    talk.runner.hooks = hooks(on_prompt=lambda prompt: talk.leave.set())
    talk.run()
    assert row(execution).state in (ExecutionState.RUNNING, ExecutionState.WAITING_COACHING)
    talk.desktop.come_back()
    again = Talk(talk.desktop)
    again.runner.hooks = hooks(on_begin=lambda journal: journal.on_state.append(lambda e: again.leave.set()))
    again.run()
    paused = row(execution)
    assert (paused.state, paused.pause_reason) == (ExecutionState.PAUSED, PauseReason.OTHER_DESKTOP)
    assert paused.pause_detail["message"]["what"] == [{"code": "running.of_session"}]
    assert paused.deaths == 0, "whoever lets go of an open question has not died"


def test_told_to_leave_it_finishes_the_step_and_leaves_the_run_for_the_next_loop() -> None:
    """S1.17: the first SIGTERM."""
    execution = queue(publish_line(*NAMES))
    talk = Talk()
    talk.runner.hooks = hooks(on_begin=lambda journal: journal.on_step.append(lambda step: talk.leave.set()))
    said = talk.run()
    assert "left for the next run loop" in said
    assert row(execution).steps.get().phase == StepPhase.CLOSED
    Talk(talk.desktop).run()
    done = row(execution)
    assert (done.state, done.steps_succeeded, done.epoch) == (ExecutionState.COMPLETED, 2, 2)


def test_a_run_waits_for_a_store_of_pictures_that_is_away_as_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its taught pictures cannot be read: it is paused, and asked for again until they can; nothing is guessed."""
    run = queue(publish_line(*NAMES), mode="automatic")
    prepare, tries = runner.references_for, list[str]()

    def away(journal: Any, **asked: Any) -> Any:
        tries.append(journal.refresh().state)
        if len(tries) < 3:
            raise PictureAway(say("pictures.not_read", where="there", why=say("pictures.store_silent")))
        execution = Execution.objects.get(pk=run.pk)
        assert (execution.state, execution.pause_reason) == (ExecutionState.PAUSED, PauseReason.STORAGE)
        assert "does not answer" in worded(execution.pause_detail["message"])
        control.resume(execution_id=run.execution_id)
        return prepare(journal, **asked)

    monkeypatch.setattr(runner, "references_for", away)
    monkeypatch.setattr(runner, "RECONNECT_EVERY_S", 0.01)
    talk = Talk()
    talk.run()
    assert tries == [ExecutionState.RUNNING, ExecutionState.PAUSED, ExecutionState.PAUSED]
    run.refresh_from_db()
    assert run.state == ExecutionState.COMPLETED
    assert (run.deaths, run.epoch) == (0, 1)
    assert run.events.filter(kind="error").count() == 1


@pytest.mark.parametrize("stops", [True, False])
def test_a_run_that_waits_for_a_store_is_stopped_or_left_and_tells_of_it_once(
    monkeypatch: pytest.MonkeyPatch, stops: bool
) -> None:
    run = queue(publish_line(*NAMES), mode="automatic")
    talk, told = Talk(), list[int]()

    def away(journal: Any, **asked: Any) -> Any:
        told.append(Execution.objects.get(pk=run.pk).events.count())
        if len(told) == 9:
            control.stop(execution_id=run.execution_id) if stops else talk.leave.set()
        raise PictureAway(say("pictures.not_read", where="there", why=say("pictures.store_silent")))

    monkeypatch.setattr(runner, "references_for", away)
    monkeypatch.setattr(runner, "RECONNECT_EVERY_S", 0.01)
    talk.run()
    run.refresh_from_db()
    assert run.state == (ExecutionState.STOPPED if stops else ExecutionState.PAUSED)
    assert (len(told), len(set(told[1:]))) == (9, 1)


def test_a_loop_for_one_run_says_which_run_holds_its_desktop_and_how_to_end_it() -> None:
    """S9.4: `runloop --workflow … --once` where a paused run was left."""
    version = publish_line(*NAMES)
    left = queue(version, mode="coaching")
    talk = Talk()
    talk.runner.hooks = hooks(on_prompt=lambda prompt: talk.leave.set())
    talk.run()
    wanted = queue(version)
    again = Talk(talk.desktop, execution_id=wanted.execution_id)
    said = again.run()
    assert row(wanted).state == ExecutionState.QUEUED
    assert f"with run {left.pk} of “{version.workflow.name}”" in said
    assert f"manage.py execution stop {left.execution_id}" in said
    assert "stays queued" in said
    control.stop(execution_id=left.execution_id)
    Talk(talk.desktop).run()
    Talk(talk.desktop, execution_id=wanted.execution_id).run()
    assert row(wanted).state == ExecutionState.COMPLETED
