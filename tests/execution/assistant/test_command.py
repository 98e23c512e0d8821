"""S4.7: `manage.py assistant`, its words and exit codes; at a real terminal it is in tests/e2e."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import override_settings

from execution.assistant.service import close_all
from execution.assistant.terminal import help_text, printable
from gpu.assistant import conversations
from gpu.models import CatalogueModel, Conversation, Message
from tests.doubles.ollama import Model, OllamaServer, Reply, ollama_server
from tests.execution.assistant.runs import make_failed

pytestmark = pytest.mark.django_db(transaction=True)

Run = Callable[..., str]


@pytest.fixture
def run(capsys: Any) -> Run:
    """`run("ask", "x")`: what it wrote."""

    def call(*arguments: str, typed: str | None = None) -> str:
        with pytest.MonkeyPatch.context() as patch:
            if typed is not None:
                patch.setattr(sys, "stdin", io.StringIO(typed))
            out = io.StringIO()
            call_command("assistant", *arguments, stdout=out)
            return out.getvalue() + capsys.readouterr().out

    return call


@pytest.fixture(autouse=True)
def nothing_left_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manager that somebody made before has its settings of then; the language is not this machine's."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    close_all()


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    CatalogueModel.objects.all().delete()
    for tier, key in ((1, "small"), (2, "large")):
        CatalogueModel.objects.create(
            key=key, name=f"{key}:1b", tier=tier, vram_mb=9, ram_mb=9, context_length=8192, capabilities=["text"]
        )
    models = [Model(f"{key}:1b", size_mb=9, capabilities=("completion",)) for key in ("small", "large")]
    with ollama_server(*models, hurry=True) as server, override_settings(RPA_OLLAMA_URL=server.url):
        server.clock.start = datetime.now(UTC)  # what it says of the end of a model is compared with the real time
        yield server


def test_a_question_is_answered_by_the_records_and_worded_by_a_model(run: Run, ollama: OllamaServer) -> None:
    make_failed()
    ollama.replies.append(Reply(content="The window stayed as it was."))
    shown = run("ask", "Which step failed?")
    assert shown.startswith("Step 4 (Click “Save”, on “Save dialog”) failed.")
    assert "\n\nThe window stayed as it was.\n(large)" in shown
    assert [m.role for m in Message.objects.order_by("index")] == ["user", "assistant"]


def test_what_a_screen_shows_is_no_command_for_a_terminal(run: Run) -> None:
    """T8"""
    run_ = make_failed()
    run_.steps.filter(index=4).update(message="\x1b]0;owned\x07 \x1b[2J\u202egnp.exe\u2028x")
    shown = run("ask", "/why 4")
    assert not set("\x1b\x07\u202e\u2028") & set(shown)
    assert printable("Né à l’œil\n\t“ok” …") == "Né à l’œil\n\t“ok” …"


def test_the_run_can_be_named_by_id_or_number(run: Run) -> None:
    first, _second = make_failed(), make_failed()
    assert "failed" in run("ask", "Which step failed?", "--execution", first.execution_id)
    assert "failed" in run("ask", "Which step failed?", "--execution", str(first.pk))
    assert set(Conversation.objects.values_list("about", flat=True)) == {first.execution_id}


def test_a_conversation_can_be_gone_on_with(run: Run) -> None:
    make_failed()
    run("ask", "What did it do at step 2?")
    run("ask", "And the step before?", "--continue")
    assert Message.objects.count() == 4
    assert Conversation.objects.count() == 1
    run("ask", "Hello")
    assert Conversation.objects.count() == 2


def test_commands_of_a_chat(run: Run, ollama: OllamaServer) -> None:
    made = make_failed()
    lines = f"/help\n/model small\n/model\n/model nope\n/run {made.pk}\n/run nope\n/new\n/what\n\n/quit\nnever asked\n"
    shown = run("chat", typed=lines)
    for words in (
        help_text(), "From now on: small", "Mai: small", "nope", f"({made.execution_id})", "There is no run “nope”.",
        "A new conversation.", "There is no command /what",
    ):  # fmt: skip
        assert words in shown
    assert not Message.objects.exists()


def test_a_chat_begins_with_the_briefing_and_answers_commands_about_the_run(run: Run) -> None:
    make_failed()
    shown = run("chat", typed="/why 4\n/compare\n")
    assert "\nWhat failed: Step 4 (Click “Save”, on “Save dialog”) failed.\nWhy: " in shown
    assert "Step 4 (Click “Save”, on “Save dialog”): failed." in shown
    assert "No earlier run of this workflow was completed." in shown
    assert Message.objects.count() == 4


def test_who_reads_french_gets_french(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8.5: a terminal says its language by LANG."""
    make_failed()
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    shown = run("ask", "/pourquoi 4")
    assert shown.startswith("L’étape 4 (") and "Elle a pris 0,34\u00a0s." in shown
    assert "La suite\u00a0: " in run("ask")


def test_status_models_and_switch(run: Run, ollama: OllamaServer) -> None:
    assert run("switch", "small") == "From now on: small\n"
    status = run("status")
    assert "Mai: small" in status
    assert "held by hand: small" in status
    assert "memory: " in status
    models = run("models")
    assert "* small" in models
    assert "  large" in models
    assert run("switch", "auto") == "From now on: auto\n"
    assert "* large" in run("models")


def test_without_a_model_status_says_what_is_missing(run: Run) -> None:
    assert "no model; the records answer alone" in run("status")
    assert "No model fits" in run("status")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("ask", "x", "--execution", "exec_nope"), 1),
        (("switch", "nope"), 1),
        (("dance",), 1),  # 2 on a command line: there it is the parser that ends the process
        ((), 1),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: tuple[str, ...], code: int) -> None:
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    assert refused.value.returncode == code


def test_an_empty_question_ends_with_2(run: Run) -> None:
    with pytest.raises(SystemExit) as left:
        run("ask", "-", typed=" \n")
    assert left.value.code == 2


def test_ctrl_c_at_the_prompt_ends_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Typing(io.StringIO):
        def __next__(self) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Typing("x"))
    with pytest.raises(SystemExit) as left:
        run("chat")
    assert left.value.code == 130


def test_a_database_that_is_locked_is_said_and_the_next_question_can_be_asked(run, capsys, monkeypatch) -> None:
    make_failed()
    keep, refusals = conversations.keep, [OperationalError("database is locked")] * 2

    def kept(*arguments: Any, **named: Any) -> Any:
        if refusals:
            raise refusals.pop()
        return keep(*arguments, **named)

    monkeypatch.setattr(conversations, "keep", kept)
    with pytest.raises(SystemExit) as end:
        run("ask", "Which step failed?")
    assert end.value.code == 1
    assert "The database cannot be used now: database is locked" in capsys.readouterr().out
    said = run("chat", typed="Which step failed?\n/why 4\n")
    assert said.index("database is locked") < said.index("Step 4 (Click “Save”, on “Save dialog”): failed.")


def test_bytes_that_are_no_text_end_no_conversation(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    make_failed()
    typed = io.BytesIO("\n".join(("/run ²", "/run 99999999999999999999", "Which step failed?")).encode() + b"\xff\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(typed, "utf-8"))
    said = run("chat")
    assert "There is no run “²”." in said and "There is no run “99999999999999999999”." in said
    assert "Step 4 (Click" in said
