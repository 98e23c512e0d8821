from __future__ import annotations

import logging
import os
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from execution.actions.start import start
from execution.choices import ON_DESKTOP, ExecutionMode, ExecutionState
from execution.desktop.base import DesktopError, DesktopRefused
from execution.models import Execution
from execution.running import service_manager
from execution.running.runner import Runner
from sentences.said import worded
from workflows.exceptions import DomainError

EXIT_NO_DESKTOP = 2
EXIT_REFUSED = 3  # the unit does not start it again: each try counts against the account
STDERR = 2  # the file descriptor

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Watch a desktop and run what is queued for it, until told to stop (S1.17)."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="run what is next, then leave")
        parser.add_argument("--execution", metavar="ID", default="", help="run this execution, then leave")
        parser.add_argument("--desktop", metavar="NAME", help="the desktop, such as :1 (default: $DISPLAY)")
        parser.add_argument("--max-executions", type=int, metavar="N", help="leave after N executions")
        parser.add_argument("--workflow", metavar="ID", help="start this workflow and run it")
        parser.add_argument(
            "--workflow-version", type=int, metavar="N", help="of that version of it (default: the newest)"
        )
        parser.add_argument("--mode", choices=ExecutionMode.values, help="its mode (default: by learning state)")
        parser.add_argument("--start-node", metavar="ID", help="its start node (default: the first entry node)")
        parser.add_argument("--var", action="append", default=[], metavar="K=V", help="a variable; may be repeated")
        parser.add_argument("--no-ui-detection", action="store_true", help="do not detect elements (VLM down)")
        parser.add_argument("--no-ocr", action="store_true", help="do not read text")
        parser.add_argument("--analyze-timeout-ms", type=int, metavar="MS", help="degrade after a slower analysis")
        parser.add_argument("--window-info-provider", metavar="NAME", help="one of RPA_WINDOW_PROVIDERS")
        parser.add_argument(
            "--show-values", action="store_true", help="tell what is typed and asked, names of people too"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        execution_id = options["execution"]
        if options["workflow"]:
            execution_id = self._start(options)
        elif execution_id:
            check_waiting(execution_id)
        leave = threading.Event()
        runner = Runner(
            desktop_name=options["desktop"],
            execution_id=execution_id,
            once=options["once"],
            max_executions=options["max_executions"],
            out=self._say,
            shows_values=options["show_values"],
            leave=leave,
        )
        try:
            with leaving_on_signals(leave), service_manager.watched():
                runner.run()
        except DesktopRefused as error:
            raise CommandError(worded(error), returncode=EXIT_REFUSED) from error
        except DesktopError as error:
            raise CommandError(worded(error), returncode=EXIT_NO_DESKTOP) from error

    def _start(self, options: dict[str, Any]) -> str:
        flags = {
            "enable_ui_detection": False if options["no_ui_detection"] else None,
            "enable_ocr": False if options["no_ocr"] else None,
            "analyze_timeout_ms": options["analyze_timeout_ms"],
            "window_info_provider": options["window_info_provider"],
        }
        try:
            execution = start(
                workflow_id=options["workflow"],
                version_number=options["workflow_version"],
                mode=options["mode"],
                start_node_id=options["start_node"],
                variables=parse_variables(options["var"]),
                flags=flags,
            )
        except DomainError as error:
            raise CommandError(worded(error)) from error
        return execution.execution_id

    def _say(self, line: str) -> None:
        try:
            self.stdout.write(line)
            self.stdout.flush()
        except OSError as error:  # a disk that is full, or a terminal that is gone
            log.warning("a line could not be told: %s", error)


def check_waiting(execution_id: str) -> None:
    """Refuse a run that there is not, or that no run loop can take: nothing would ever come of waiting for it."""
    try:
        execution = Execution.objects.by_id(execution_id)
    except DomainError as error:
        raise CommandError(worded(error)) from error
    if execution.state not in ON_DESKTOP | {ExecutionState.QUEUED}:
        words = _("The run %(id)s is %(state)s: it cannot be run. Start another one.")
        raise CommandError(words % {"id": execution_id, "state": ExecutionState(execution.state).label})


def parse_variables(pairs: list[str]) -> dict[str, str]:
    variables = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise CommandError(f"--var takes name=value, not “{pair}”.")
        variables[name] = value
    return variables


@contextmanager
def leaving_on_signals(leave: threading.Event, *, told_on: int = STDERR) -> Iterator[None]:
    """The first SIGTERM or Ctrl-C finishes the step and releases the desktop, the second leaves at once.

    `told_on` is the file descriptor on which that is told. Afterwards the signals do again what they did: a program
    that runs this command in its own process goes on.
    """

    def on_signal(number: int, frame: Any) -> None:
        if leave.is_set():
            os._exit(128 + number)
        leave.set()
        # Not by a stream of Python's: the signal may have come in the middle of a write to it, which would then fail.
        with suppress(OSError):
            os.write(told_on, b"Finishing the step; once more leaves at once.\n")

    kept = {number: signal.signal(number, on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler or signal.SIG_DFL)
