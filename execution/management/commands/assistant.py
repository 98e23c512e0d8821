from __future__ import annotations

import argparse
import io
import logging
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import translation

from execution.assistant.service import close_all, get_assistant
from execution.assistant.terminal import Chat, printable, run_to_talk_about
from gpu.assistant import conversations
from gpu.exceptions import GPUError
from gpu.model_manager import ModelStatus, get_model_manager
from workflows.exceptions import DomainError

EXIT_INTERRUPTED = 130

EPILOG = """\
examples:
  manage.py assistant ask                                   the briefing of the latest run
  manage.py assistant ask "/why 4" --execution exec_20261121_101500_ab12cd
  manage.py assistant ask "Was the name typed as it should be?"    in your own words: a model answers
  manage.py assistant chat                                  a conversation; /help in it for more
  echo /compare | manage.py assistant chat                  one command or question a line
  manage.py assistant status                                which model answers, and what the machine has left
  manage.py assistant switch llama3-2-3b                    this one answers until `switch auto`
  manage.py assistant models                                what there is to choose from, and what bars each

Commands are answered from the database alone. To a question in your own words a model answers, with the briefing of the
run as facts; where there is none, that is said and the briefing stands alone. Answers are in the language of LANG.

exit codes:
  0    answered, by a model or by the records alone
  1    it cannot be done: no such run, no such model, the database is away
  2    the command line is wrong
  130  Ctrl-C (in a chat: at the prompt; during an answer it stops the answer alone)"""


class Command(BaseCommand):
    help = "Ask the assistant about runs; see and choose the model that answers (S4.7)."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(
            prog_name, subcommand, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="chat | ask | status | models | switch")
        chat = verbs.add_parser("chat", help="talk about a run")
        ask = verbs.add_parser("ask", help="one question, or the briefing of the run")
        ask.add_argument(
            "question",
            nargs="?",
            default="/briefing",
            help="a command, or in your own words; - reads it from the input",
        )
        for verb in (chat, ask):
            verb.add_argument("--execution", metavar="ID", default="", help="the run (default: the latest)")
            verb.add_argument("--continue", dest="go_on", action="store_true", help="go on where the last one ended")
        verbs.add_parser("status", help="the model that would answer, and the machine's resources")
        verbs.add_parser("models", help="the models of the catalogue, and what bars each")
        switch = verbs.add_parser("switch", help="this model answers until `switch auto`")
        switch.add_argument("name", metavar="NAME", help="a key of `models`, or auto")

    def handle(self, *args: Any, **options: Any) -> None:
        root = logging.getLogger()
        level = root.level
        if options["verbosity"] < 2:
            root.setLevel(logging.ERROR)  # what happens is told here, in words
        try:
            with translation.override(_language()):
                getattr(self, f"_{options['verb']}")(options)
        except (DomainError, GPUError) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used now: {error}") from error
        except KeyboardInterrupt:
            sys.stdout.write("\n")
            sys.exit(EXIT_INTERRUPTED)
        finally:
            close_all()
            root.setLevel(level)

    # --- talking ----------------------------------------------------------------------------------------------------
    def _chat(self, options: dict[str, Any]) -> None:
        _read_anything()
        chat = self._talk(options)
        chat.greet()
        chat.hear(_typed() if sys.stdin.isatty() else iter(sys.stdin))

    def _ask(self, options: dict[str, Any]) -> None:
        _read_anything()
        question = sys.stdin.read() if options["question"] == "-" else options["question"]
        chat = self._talk(options)
        outcome = chat.ask(question)
        if outcome is None:
            sys.exit(2)
        if outcome == "failed" and chat.is_database_away:
            sys.exit(1)
        if outcome == "stopped":
            sys.exit(EXIT_INTERRUPTED)

    def _talk(self, options: dict[str, Any]) -> Chat:
        about = run_to_talk_about(options["execution"])
        return Chat(
            get_assistant(),
            out=sys.stdout,
            about=about,
            switch=_switch,
            status=lambda: status_lines(get_model_manager().get_current_model_status_sync()),
            key=conversations.latest(person=None, about=about) if options["go_on"] else "",
        )

    # --- models -----------------------------------------------------------------------------------------------------
    def _status(self, options: dict[str, Any]) -> None:
        self.stdout.write(printable(status_lines(get_model_manager().get_current_model_status_sync())))

    def _models(self, options: dict[str, Any]) -> None:
        self.stdout.write(printable(model_lines(get_model_manager().get_current_model_status_sync())))

    def _switch(self, options: dict[str, Any]) -> None:
        self.stdout.write(f"From now on: {_switch(options['name'])}")


def _switch(name: str) -> str:
    return get_model_manager().switch_model_sync(name)


def _language() -> str:
    """Of whoever sits at the terminal, where the product speaks it; otherwise the installation's."""
    wanted = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")[:2]
    return wanted if wanted in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def _read_anything() -> None:
    """Bytes that are no text must not end a conversation."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def _typed() -> Iterator[str]:
    """Lines as a person types them, with the keys that a line editor has; ends with Ctrl-D."""
    import readline  # noqa: F401  gives input() its arrow keys

    while True:
        try:
            yield input("> ")
        except EOFError:
            sys.stdout.write("\n")
            return


def status_lines(status: ModelStatus) -> str:
    """Who would answer and why, and what the machine has left."""
    has = status.resources
    lines = [f"{settings.RPA_ASSISTANT_NAME}: {status.model or 'no model; the records answer alone'}"]
    if status.selection:
        lines += [f"  {reason}" for reason in status.selection.reasons]
    if status.problem:
        lines.append(f"  {'. '.join(status.problem.split('. ')[:2])} … (`assistant models` says what bars each)")
    if status.held:
        lines.append(f"  held by hand: {status.held} (`assistant switch auto` lets go)")
    lines.append(f"mode: {status.mode}")
    lines.append(f"processor: {_per_cent(has.cpu_percent)}")
    lines.append(f"memory: {_free(has.ram_free_mb, has.ram_total_mb)}")
    lines.append(f"GPU memory: {_free(has.vram_free_mb, has.vram_total_mb)}")
    if status.preloading:
        lines.append(f"being loaded: {', '.join(status.preloading)}")
    return "\n".join(lines)


def model_lines(status: ModelStatus) -> str:
    """Every model, the one that would answer marked, and what bars the others."""
    if not status.models:
        return "The catalogue of models is empty: `manage.py load_catalogue` fills it."
    width = max(len(line.entry.key) for line in status.models)
    lines = []
    for line in status.models:
        entry = line.entry
        mark = "*" if entry.key == status.model else " "
        marks = [word for word, on in (("loaded", line.loaded), ("held", entry.held)) if on]
        marks += [line.barred] if line.barred else list(line.lowered)
        able = f"{entry.tier.name.lower():8} {', '.join(sorted(entry.capabilities))}"
        lines.append(f"{mark} {entry.key:{width}}  {able}{'  · ' if marks else ''}{'; '.join(marks)}")
    return "\n".join([*lines, "(* would answer now)"])


def _per_cent(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.0f} %"


def _free(free: int | None, total: int | None) -> str:
    return "unknown" if free is None or total is None else f"{free} of {total} MB free"
