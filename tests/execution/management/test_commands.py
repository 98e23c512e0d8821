"""The command line: `manage.py execution …` and `manage.py runloop` (S1.17)."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from execution.choices import ExecutionState, PauseReason, PromptKind
from execution.desktop.base import DesktopBusy, DesktopRefused
from execution.management.commands import runloop
from execution.management.commands.runloop import parse_variables
from execution.models import Decision, Execution, Prompt, Step
from tests.factories import make_execution, make_published
from tests.support.display import wait_until
from workflows.actions.publish import publish

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def at_work(state: ExecutionState = ExecutionState.RUNNING, **fields: Any) -> Execution:
    return make_execution(state=state, desktop="here:7", **fields)


def asking(kind: PromptKind) -> Prompt:
    confirmation = kind is PromptKind.CONFIRMATION
    state = ExecutionState.WAITING_CONFIRMATION if confirmation else ExecutionState.WAITING_COACHING
    execution = at_work(state)
    step = Step.objects.create(execution=execution, index=1, epoch=0, mode=execution.mode, sentence="Click Save")
    return Prompt.objects.create(execution=execution, step=step, kind=kind, message="Click Save?")


# --- execution ------------------------------------------------------------------------------------------------------
def test_progress_is_json_of_the_same_shape_as_everywhere() -> None:
    """S1.12"""
    execution = at_work(current_node_id="save_dialog", steps_executed=3, steps_succeeded=2, steps_failed=1)
    progress = json.loads(run("execution", "progress", execution.execution_id))
    assert progress == {**execution.progress(), "duration_seconds": progress["duration_seconds"]}
    assert (progress["status"], progress["current_node"], progress["steps_executed"]) == ("running", "save_dialog", 3)


@pytest.mark.parametrize("verb", ["pause", "stop"])
def test_a_run_is_asked_to_pause_or_stop(verb: str) -> None:
    """S1.7"""
    execution = at_work()
    said = run("execution", verb, execution.execution_id)
    assert execution.execution_id in said
    assert Execution.objects.get().wish == verb


def test_a_paused_run_is_resumed_at_the_node_that_was_named() -> None:
    """S1.6, S1.7"""
    execution = at_work(ExecutionState.PAUSED, pause_reason=PauseReason.NO_MATCH)
    run("execution", "resume", execution.execution_id, "--node", "save_dialog")
    resumed = Execution.objects.get()
    assert (resumed.wish, resumed.wish_node_id) == ("resume", "save_dialog")


@pytest.mark.parametrize(("arguments", "choice"), [((), "accept"), (("--no",), "reject")])
def test_a_confirmation_is_answered(arguments: tuple[str, ...], choice: str) -> None:
    """S1.8"""
    prompt = asking(PromptKind.CONFIRMATION)
    run("execution", "confirm", prompt.execution.execution_id, *arguments)
    assert Decision.objects.get(prompt=prompt).choice == choice


def test_a_correction_is_given_as_json() -> None:
    """S1.9, S1.10"""
    prompt = asking(PromptKind.COACHING)
    correction = '{"corrected_params": {"text": "Zoë"}, "wait_after": 1}'
    run(
        "execution", "decide", prompt.execution.execution_id, "correct",
        "--correction", correction, "--feedback", "with the diaeresis",
    )  # fmt: skip
    decision = Decision.objects.get(prompt=prompt)
    assert (decision.choice, decision.correction["params"]) == ("correct", {"text": "Zoë"})
    assert (decision.correction["wait_after"], decision.feedback) == (1, "with the diaeresis")


REFUSED = {
    "unknown run": (("progress", "exec_nowhere"), "exec_nowhere"),
    "nothing asked": (("confirm", "{id}"), "asks nothing"),
    "not paused": (("resume", "{id}"), "paused"),
    "no verb": (("frobnicate", "{id}"), "frobnicate"),
    "no choice": (("decide", "{id}", "perhaps"), "perhaps"),
    "no JSON": (("decide", "{id}", "correct", "--correction", "{oops"), "oops"),
    "no id": (("pause",), "execution_id"),
}


@pytest.mark.parametrize(("arguments", "named"), REFUSED.values(), ids=REFUSED.keys())
def test_what_does_not_fit_is_refused_in_words(arguments: tuple[str, ...], named: str) -> None:
    execution = at_work()
    given = [argument.replace("{id}", execution.execution_id) for argument in arguments]
    with pytest.raises(CommandError, match=named):
        run("execution", *given)
    assert Execution.objects.get().wish == ""


# --- runloop --------------------------------------------------------------------------------------------------------
@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """With what the run loop would have been made; nothing is run."""
    seen: list[dict[str, Any]] = []

    class Recorded:
        def __init__(self, **options: Any) -> None:
            seen.append(options)

        def run(self) -> None:
            seen[-1]["out"]("ran")

    monkeypatch.setattr(runloop, "Runner", Recorded)
    return seen


def test_options_reach_the_run_loop(made: list[dict[str, Any]]) -> None:
    """S1.17"""
    waiting = make_execution(state=ExecutionState.QUEUED)
    said = run("runloop", "--desktop", ":7", "--max-executions", "3", "--execution", waiting.execution_id)
    assert said == "ran\n"
    told = (made[0]["desktop_name"], made[0]["max_executions"], made[0]["execution_id"])
    assert told == (":7", 3, waiting.execution_id)
    assert made[0]["once"] is False
    assert Execution.objects.count() == 1


def test_a_workflow_is_started_with_all_that_was_said_and_run(made: list[dict[str, Any]], settings: Any) -> None:
    """S1.17, S2.2"""
    settings.RPA_WINDOW_PROVIDERS = {"citrix": "os.getcwd"}
    make_published(workflow_id="wf_notes", variables=[{"name": "patient", "label": "Patient"}])
    run(
        "runloop", "--workflow", "wf_notes", "--mode", "supervised", "--start-node", "save_dialog",
        "--var", "patient=a=b", "--no-ocr", "--no-ui-detection", "--analyze-timeout-ms", "3000",
        "--window-info-provider", "citrix", "--once",
    )  # fmt: skip
    execution = Execution.objects.get()
    assert made[0]["execution_id"] == execution.execution_id
    assert made[0]["once"] is True
    assert (execution.mode, execution.start_node_id) == ("supervised", "save_dialog")
    assert execution.variables == {"patient": "a=b"}
    assert (execution.enable_ocr, execution.enable_ui_detection) == (False, False)
    assert (execution.analyze_timeout_ms, execution.window_info_provider) == (3000, "citrix")


def test_an_earlier_version_is_started(made: list[dict[str, Any]]) -> None:
    """S1.4: `--version` itself is Django's own."""
    first = make_published(workflow_id="wf_twice")
    first.workflow.nodes.filter(node_id="saved").update(name="Done")
    publish(workflow=first.workflow, user=None)
    run("runloop", "--workflow", "wf_twice", "--workflow-version", "1")
    assert Execution.objects.get().version == first
    with pytest.raises(CommandError, match="has no version 3"):
        run("runloop", "--workflow", "wf_twice", "--workflow-version", "3")


def test_flags_that_were_not_given_are_left_to_the_workflow(made: list[dict[str, Any]]) -> None:
    """S2.2"""
    make_published(workflow_id="wf_slow", analyze_timeout_ms=20_000, enable_ui_detection=False)
    run("runloop", "--workflow", "wf_slow")
    execution = Execution.objects.get()
    assert (execution.analyze_timeout_ms, execution.enable_ui_detection, execution.enable_ocr) == (20_000, False, True)


def test_a_desktop_that_is_held_is_exit_code_2(monkeypatch: pytest.MonkeyPatch, made: list[dict[str, Any]]) -> None:
    def busy(self: Any) -> None:
        raise DesktopBusy("the desktop :7 is in use by process 4711")

    monkeypatch.setattr(runloop.Runner, "run", busy)
    with pytest.raises(CommandError, match="4711") as refusal:
        run("runloop")
    assert refusal.value.returncode == 2


def test_a_login_that_is_refused_has_an_exit_code_of_its_own(monkeypatch, made) -> None:
    """The unit does not start it again: each try counts against the account."""

    def refused(self: Any) -> None:
        raise DesktopRefused("er-12 does not let us in")

    monkeypatch.setattr(runloop.Runner, "run", refused)
    with pytest.raises(CommandError, match="does not let us in") as refusal:
        run("runloop")
    assert refusal.value.returncode == runloop.EXIT_REFUSED == 3


@pytest.mark.parametrize("pair", ["a", "=1"])
def test_a_value_without_a_name_is_refused(pair: str) -> None:
    with pytest.raises(CommandError, match="name=value"):
        parse_variables([pair])


WRITING = """
import threading
import django
django.setup()
from execution.management.commands.runloop import leaving_on_signals
leave = threading.Event()
with leaving_on_signals(leave, told_on=1):
    while True:
        print("leaving\\n" if leave.is_set() else "working\\n", end="", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_the_first_signal_asks_to_leave_and_the_second_leaves_at_once(number: signal.Signals) -> None:
    """S1.17; also in the middle of a line that is being written. In a process of its own: the signals are real."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "rpa_site.settings"}
    env.pop("PYTHONUNBUFFERED", None)  # with it no write is ever in the middle
    with subprocess.Popen([sys.executable, "-c", WRITING], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        try:
            waits = Path(f"/proc/{one.pid}/wchan")
            wait_until(lambda: "pipe_write" in waits.read_text(), what="a line that nobody reads")
            one.send_signal(number)
            told = itertools.takewhile(lambda line: line != "leaving\n", one.stdout)
            assert [line for line in told if line != "working\n"] == ["Finishing the step; once more leaves at once.\n"]
            assert one.poll() is None
            one.send_signal(number)
            one.stdout.read()
            assert one.wait(60) == 128 + number
        finally:
            one.kill()


def test_signals_are_the_callers_again_once_the_command_has_ended(made: list[dict[str, Any]]) -> None:
    kept = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    run("runloop", "--once")
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == kept


def test_a_run_that_there_is_not_or_that_has_ended_is_refused_at_once() -> None:
    """S1.17: nothing would ever come of waiting for it."""
    with pytest.raises(CommandError, match="exec_nothing"):
        call_command("runloop", "--execution", "exec_nothing", stdout=StringIO())
    done = make_execution()
    done.move(ExecutionState.STOPPED)
    with pytest.raises(CommandError, match=f"{done.execution_id} is stopped"):
        call_command("runloop", "--execution", done.execution_id, stdout=StringIO())
