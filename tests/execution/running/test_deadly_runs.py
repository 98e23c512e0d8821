"""A run whose run loops die is not taken a third time: real processes that abort (S9.2, S9.4)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from execution.choices import ExecutionState, StepPhase
from execution.models import Execution, Robot, Step
from execution.record.claims import MOST_DEATHS, claim, release
from execution.record.journal import Journal
from execution.running.runner import Hooks, Runner
from tests.execution.record.test_claims import IDENTITY, queued, robot
from tests.support.processes import database_url
from tests.support.scripted import analyzer, publish_line, queue, three_pages

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("one", "two", "three")

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.security]


def run_loop(folder: Path) -> tuple[int, str]:
    """One `runloop --once` as a process of its own on this test's database; its exit status and all it said."""
    desktop = "scripted:tests.support.scripted.three_pages"
    done = subprocess.run(
        [sys.executable, "manage.py", "runloop", "--desktop", desktop, "--once"],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": database_url(),
            "RPA_DATA_DIR": str(folder),
            "RPA_OCR_ENGINE": "none",
            "RPA_WINDOW_PROVIDERS": "deadly=os.abort",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_run_that_ends_its_run_loop_twice_is_set_aside_and_the_next_one_is_run(settings: Any, tmp_path: Path) -> None:
    """S9.2, S9.4"""
    settings.RPA_WINDOW_PROVIDERS = {"deadly": "os.abort"}
    version = publish_line(*NAMES)
    deadly = queue(version, flags={"window_info_provider": "deadly"})
    good = queue(version, mode="observation")
    aborted = [run_loop(tmp_path) for _ in range(MOST_DEATHS)]
    assert [status for status, said in aborted] == [-signal.SIGABRT] * MOST_DEATHS, aborted
    status, said = run_loop(tmp_path)
    assert status == 0, said
    execution = Execution.objects.get(pk=deadly.pk)
    assert (execution.state, execution.deaths) == (ExecutionState.FAILED, MOST_DEATHS)
    assert "set aside" in execution.error
    assert execution.events.filter(kind="error").get().payload["message"] == {"code": "running.set_aside", "n": 2}
    assert Execution.objects.get(pk=good.pk).state == ExecutionState.QUEUED
    Robot.objects.all().delete()
    mine = robot()
    claimed = claim(mine, IDENTITY)
    assert claimed is not None
    assert claimed.execution.pk == good.pk


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


def test_a_step_in_doubt_is_closed_when_its_run_is_set_aside(settings: Any, tmp_path: Path) -> None:
    """S9.1: nobody can say whether it was done, and that is said."""
    settings.DATA_DIR = tmp_path
    execution = queue(publish_line(*NAMES))
    desktop = three_pages()
    mine = robot(f"{desktop.identity().host}scripted")
    claimed = claim(mine, desktop.identity())
    assert claimed is not None
    Step.objects.create(execution=execution, index=1, epoch=1, mode="automatic", phase=StepPhase.INTENT)
    Execution.objects.filter(pk=execution.pk).update(deaths=MOST_DEATHS - 1, next_step=2)
    begun: list[Any] = []
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, hooks=Hooks(on_begin=begun.append)).run()
    step = execution.steps.get()
    assert begun == []
    assert (step.phase, step.success) == (StepPhase.CLOSED, False)
    assert "before anyone could say" in step.message
    assert [act.kind for act in desktop.log] == ["release_all"]
