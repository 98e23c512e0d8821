"""A run whose run loops die is set aside for a person, and never ended: real processes that abort (S9.2, S9.4)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import FINAL, ExecutionState, PauseReason, PromptKind, StepPhase
from execution.models import Execution, Prompt, Robot, Step
from execution.record.claims import MOST_DEATHS, claim, release
from execution.record.journal import Journal
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource
from tests.execution.record.test_claims import IDENTITY, queued, robot
from tests.support.display import wait_until
from tests.support.processes import database_url
from tests.support.scripted import analyzer, publish_line, queue, three_pages

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("one", "two", "three")

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.security]


def run_loop(folder: Path) -> subprocess.Popen[str]:
    """One `runloop --once` as a process of its own on this test's database."""
    desktop = "scripted:tests.support.scripted.three_pages"
    return subprocess.Popen(
        [sys.executable, "manage.py", "runloop", "--desktop", desktop, "--once"],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": database_url(),
            "RPA_DATA_DIR": str(folder),
            "RPA_OCR_ENGINE": "none",
            "RPA_WINDOW_PROVIDERS": "deadly=os.abort",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def aborts(folder: Path) -> None:
    process = run_loop(folder)
    said, _nothing = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGABRT, said


def test_a_run_that_ends_its_run_loop_twice_is_set_aside_with_a_question(settings: Any, tmp_path: Path) -> None:
    """S9.2, S9.4: a person says how it goes on; before that nothing of it is loaded or called, and it never ends."""
    settings.RPA_WINDOW_PROVIDERS = {"deadly": "os.abort"}
    execution = queue(publish_line(*NAMES), flags={"window_info_provider": "deadly"})
    for _death in range(MOST_DEATHS):
        aborts(tmp_path)
    third = run_loop(tmp_path)
    try:
        wait_until(lambda: row(execution).state == ExecutionState.PAUSED or third.poll() is not None, timeout=60)
    finally:
        third.terminate()
        said, _nothing = third.communicate(timeout=60)
    assert third.returncode == 0, said
    stands = row(execution)
    assert (stands.state, stands.pause_reason, stands.deaths) == (ExecutionState.PAUSED, PauseReason.ERROR, 0)
    assert stands.pause_detail["message"] == {"code": "running.set_aside", "n": 2}
    assert Execution.objects.needing_a_person().get().pk == execution.pk
    assert execution.events.filter(kind="error").get().payload["message"] == {"code": "running.set_aside", "n": 2}
    control.resume(execution_id=execution.execution_id)
    aborts(tmp_path)
    claimed = claim(Robot.objects.get(), three_pages().identity())
    assert claimed is not None
    assert (claimed.execution.deaths, claimed.deadly) == (1, False), "whoever resumes it has it tried anew"


def test_an_old_run_that_names_code_is_refused_and_the_code_is_not_called(settings: Any, tmp_path: Path) -> None:
    """S2.7: rows from before providers had names."""
    settings.DATA_DIR, settings.RPA_WINDOW_PROVIDERS = tmp_path, {"deadly": "os.abort"}
    old = queue(publish_line(*NAMES))
    Execution.objects.filter(pk=old.pk).update(window_info_provider="os.getcwd")
    desktop = three_pages()
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True).run()
    execution = Execution.objects.get(pk=old.pk)
    assert execution.state == ExecutionState.FAILED
    assert execution.error.startswith("“os.getcwd” is none of the window info providers of this server: deadly.")


def dead_loop(mine: Robot) -> Journal:
    """A run loop that claims the run and says nothing more."""
    claimed = claim(mine, IDENTITY)
    assert claimed is not None
    assert not claimed.deadly
    return Journal(claimed.execution, claimed.execution.version.spec())


def closed(journal: Journal, outcome: str) -> None:
    execution = journal.execution
    step = Step.objects.create(
        execution=execution, index=execution.next_step, epoch=execution.epoch, mode=execution.mode
    )
    Execution.objects.filter(pk=execution.pk).update(next_step=execution.next_step + 1)
    journal.close_step(step, outcome)  # type: ignore[arg-type]


def test_a_step_in_between_is_progress() -> None:
    """Twice in a row: a run that gets on is taken over as often as it takes."""
    execution, mine = queued(), robot()
    for _death in range(4):
        closed(dead_loop(mine), "succeeded")
    assert Execution.objects.get(pk=execution.pk).deaths == 0


def test_closing_what_was_never_done_is_no_progress() -> None:
    execution, mine = queued(), robot()
    dead_loop(mine)
    closed(dead_loop(mine), "interrupted")
    third = claim(mine, IDENTITY)
    assert third is not None
    assert third.deadly
    assert Execution.objects.get(pk=execution.pk).deaths == MOST_DEATHS


def test_whoever_lets_go_has_not_died() -> None:
    """S1.17: a run loop that is told to leave leaves the run for the next one, however often."""
    execution, mine = queued(), robot()
    for _leave in range(3):
        release(dead_loop(mine).execution)
    again = claim(mine, IDENTITY)
    assert again is not None
    assert not again.deadly
    assert Execution.objects.get(pk=execution.pk).deaths == 0


def test_a_machine_that_goes_down_is_not_the_doing_of_its_run() -> None:
    """S9.2, S9.4: without power nobody lets go, and the run is the same as before; on one boot it is counted."""
    execution, mine = queued(), robot()
    for boot in ("first", "second", "third"):
        claimed = claim(mine, replace(IDENTITY, boot_id=boot))
        assert claimed is not None
        assert not claimed.deadly
        Execution.objects.filter(pk=execution.pk).update(desktop_identity={"boot_id": boot})
    assert Execution.objects.get(pk=execution.pk).deaths == 0
    for died in range(1, MOST_DEATHS + 1):
        again = claim(mine, replace(IDENTITY, boot_id="third"))
        assert again is not None
        assert (again.execution.deaths, again.deadly) == (died, died == MOST_DEATHS)


@pytest.mark.parametrize("asks", [True, False])
def test_a_loop_that_dies_while_a_person_is_asked_was_not_ended_by_its_run(asks: bool) -> None:
    """S9.4: a question may stand all night, and machines and people end processes meanwhile."""
    execution, mine = queued(), robot()
    for _death in range(MOST_DEATHS + 1):
        journal = dead_loop(mine)
        journal.tidy()
        if asks:
            ask(journal)
        else:
            journal.pause(PauseReason.TARGET, "where is it?")
    assert row(execution).deaths == 0


def test_a_loop_that_dies_once_it_was_answered_counts() -> None:
    """S9.4: what was answered is about to be done."""
    execution, mine = queued(), robot()
    for _death in range(MOST_DEATHS):
        journal = dead_loop(mine)
        journal.tidy()
        prompt = ask(journal)
        decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM)
    third = claim(mine, IDENTITY)
    assert third is not None
    assert third.deadly
    assert row(execution).state not in FINAL


class LeavesWhereItWaits(threading.Event):
    """The run loop is told to leave as soon as it has nothing to do."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


def ask(journal: Journal) -> Prompt:
    execution = journal.execution
    step = Step.objects.create(
        execution=execution, index=execution.next_step, epoch=execution.epoch, mode=execution.mode
    )
    Execution.objects.filter(pk=execution.pk).update(next_step=execution.next_step + 1)
    return journal.ask(step, PromptKind.COACHING, "shall I?", timeout_s=None)


def test_a_step_in_doubt_stays_so_when_its_run_is_set_aside(settings: Any, tmp_path: Path) -> None:
    """S9.1, S9.2: nobody can say whether it was done, and whoever resumes has it looked at first."""
    settings.DATA_DIR = tmp_path
    execution = queue(publish_line(*NAMES))
    desktop = three_pages()
    mine = robot(f"{desktop.identity().host}scripted")
    assert claim(mine, desktop.identity()) is not None
    Step.objects.create(execution=execution, index=1, epoch=1, mode="automatic", phase=StepPhase.INTENT)
    Execution.objects.filter(pk=execution.pk).update(deaths=MOST_DEATHS - 1, next_step=2)
    built: list[Any] = []
    hooks = Hooks(stages=lambda journal, own: built.append(own) or own)
    leave = LeavesWhereItWaits()
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, leave=leave, hooks=hooks).run()
    assert (row(execution).state, execution.steps.get().phase) == (ExecutionState.PAUSED, StepPhase.INTENT)
    assert built == []
    assert [act.kind for act in desktop.log] == ["release_all"]


@pytest.mark.parametrize("wish", ["stop", "resume"])
def test_what_was_wished_of_a_run_that_is_set_aside(settings: Any, tmp_path: Path, wish: str) -> None:
    """S1.7, S9.2: a stop is heeded with nothing of it loaded; to resume is not what somebody wished before it died."""
    settings.DATA_DIR = tmp_path
    execution = queue(publish_line(*NAMES))
    desktop = three_pages()
    mine = robot(f"{desktop.identity().host}scripted")
    claimed = claim(mine, desktop.identity())
    assert claimed is not None
    Journal(claimed.execution, claimed.execution.version.spec()).pause(PauseReason.TARGET, "where is it?")
    getattr(control, wish)(execution_id=execution.execution_id)
    Execution.objects.filter(pk=execution.pk).update(deaths=MOST_DEATHS - 1)
    built: list[Any] = []
    hooks = Hooks(stages=lambda journal, own: built.append(own) or own)
    leave = LeavesWhereItWaits()
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, leave=leave, hooks=hooks).run()
    assert built == []
    found = row(execution)
    assert (found.state, found.wish) == (ExecutionState.STOPPED if wish == "stop" else ExecutionState.PAUSED, "")


def test_a_mode_that_was_wished_is_taken_with_nothing_of_the_run_loaded(settings: Any, tmp_path: Path) -> None:
    """S1.23, S9.2: it needs no eyes; to load what the run was taught would end one run loop after the other."""
    settings.DATA_DIR = tmp_path
    execution = queue(publish_line(*NAMES))
    desktop = three_pages()
    mine = robot(f"{desktop.identity().host}scripted")
    assert claim(mine, desktop.identity()) is not None
    control.set_mode(execution_id=execution.execution_id, mode="observation")
    assert row(execution).wish_mode == "observation"
    Execution.objects.filter(pk=execution.pk).update(deaths=MOST_DEATHS - 1)
    built: list[Any] = []
    hooks = Hooks(stages=lambda journal, own: built.append(own) or own)
    leave = LeavesWhereItWaits()
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, leave=leave, hooks=hooks).run()
    assert built == []
    found = row(execution)
    assert (found.state, found.mode, found.wish_mode) == (ExecutionState.PAUSED, "observation", "")


def row(execution: Execution) -> Execution:
    return Execution.objects.get(pk=execution.pk)
