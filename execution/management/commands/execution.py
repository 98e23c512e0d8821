from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from execution.actions import control
from execution.actions.decide import decide_open
from execution.choices import ExecutionMode, Origin
from execution.models import Execution
from execution.types import Choice, DecisionSource
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.parsing import parsed_json


class Command(BaseCommand):
    help = "Control a run: execution pause|resume|stop|mode|confirm|decide|progress ID (S1.7 to S1.12, S1.23)."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        for name in ("pause", "stop", "progress"):
            verbs.add_parser(name).add_argument("execution_id")
        resume = verbs.add_parser("resume")
        resume.add_argument("execution_id")
        resume.add_argument("--node", default="", help="the node that the screen is")
        resume.add_argument("--press", default="", metavar="TEXT", help="the button of the dialog that it paused for")
        mode = verbs.add_parser("mode", help="another mode, from the next turn on")
        mode.add_argument("execution_id")
        mode.add_argument("mode", choices=ExecutionMode.values)
        confirm = verbs.add_parser("confirm", help="answer a confirmation")
        confirm.add_argument("execution_id")
        confirm.add_argument("--no", action="store_true", help="reject the action")
        decide = verbs.add_parser("decide", help="answer a prompt")
        decide.add_argument("execution_id")
        decide.add_argument("choice", choices=[c.value for c in Choice])
        decide.add_argument("--correction", type=parsed_json, default=None, metavar="JSON")
        decide.add_argument("--feedback", default="")
        decide.add_argument("--node", default="", help="reject: the screen that it is instead")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['verb']}")(options)
        except DomainError as error:
            raise CommandError(worded(error)) from error

    def _progress(self, options: dict[str, Any]) -> None:
        execution = Execution.objects.by_id(options["execution_id"])
        self.stdout.write(json.dumps(execution.progress(), indent=2))

    def _pause(self, options: dict[str, Any]) -> None:
        self._asked(control.pause(execution_id=options["execution_id"], origin=Origin.COMMAND), "pause")

    def _stop(self, options: dict[str, Any]) -> None:
        self._asked(control.stop(execution_id=options["execution_id"], origin=Origin.COMMAND), "stop")

    def _resume(self, options: dict[str, Any]) -> None:
        more = {"node_id": options["node"], "press": options["press"]}
        self._asked(control.resume(execution_id=options["execution_id"], origin=Origin.COMMAND, **more), "resume")

    def _mode(self, options: dict[str, Any]) -> None:
        execution = control.set_mode(execution_id=options["execution_id"], mode=options["mode"], origin=Origin.COMMAND)
        self._asked(execution, f"mode {options['mode']}")

    def _confirm(self, options: dict[str, Any]) -> None:
        self._answer(options, Choice.REJECT if options["no"] else Choice.ACCEPT, {})

    def _decide(self, options: dict[str, Any]) -> None:
        more = {"correction": options["correction"], "feedback": options["feedback"], "node_id": options["node"]}
        self._answer(options, Choice(options["choice"]), more)

    def _answer(self, options: dict[str, Any], choice: Choice, more: dict[str, Any]) -> None:
        execution = Execution.objects.by_id(options["execution_id"])
        decide_open(execution=execution, choice=choice, source=DecisionSource.COACH, origin=Origin.COMMAND, **more)
        self.stdout.write(f"{execution.execution_id}: {choice.value}")

    def _asked(self, execution: Execution, verb: str) -> None:
        self.stdout.write(f"{execution.execution_id}: {execution.state}, {verb} asked for")
