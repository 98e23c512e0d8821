from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils.translation import gettext as _

from execution.actions.teach import open_lesson
from execution.desktop.base import DesktopError
from execution.lesson.alone import alone
from execution.lesson.editing import change_screen, new_workflow
from execution.lesson.recorder import Recorder
from execution.lesson.recording import HotKeys, Recording
from execution.lesson.telling import draft_told
from execution.models import Lesson
from execution.perception.analyzer import build_analyzer
from execution.perception.config import PerceptionConfig
from execution.perception.ocr.base import ReaderUnavailable
from execution.running.desktops import open_named
from sentences.said import in_words, worded
from workflows.actions.publish import publish
from workflows.exceptions import DomainError
from workflows.models import Node, Workflow
from workflows.parsing import whole_number


class Command(BaseCommand):
    help = "Record what you do at this desktop as a workflow, by hot keys and without a browser (S6.2)."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        into = parser.add_mutually_exclusive_group(required=True)
        into.add_argument("--workflow", metavar="NAME", help="the name of a new workflow")
        into.add_argument("--into", metavar="ID", help="a workflow that is there, for a new part of it")
        parser.add_argument("--user", required=True, metavar="NAME", help="who teaches it; a designer")
        parser.add_argument("--desktop", metavar="NAME", help="the desktop, such as :1 (default: $DISPLAY)")
        parser.add_argument("--publish", action="store_true", help="publish it at the end")
        for key in fields(HotKeys):
            keys, dest = str(key.default), f"key_{key.name}"
            parser.add_argument(f"--{key.name}-key", dest=dest, default=keys, metavar="KEYS", help=f"default: {keys}")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = get_user_model().objects.get(username=options["user"])
            keys = HotKeys(**{key.name: options[f"key_{key.name}"] for key in fields(HotKeys)})
            desktop = open_named(options["desktop"])
            with transaction.atomic():  # whoever may not teach leaves no empty draft
                lesson = open_lesson(workflow=self._workflow(options), robot=None, user=user)
            recording = Recording(keys, on_told=self._say)
            analyzer = build_analyzer(PerceptionConfig.from_settings(settings))
            eyes = alone(
                lesson, desktop, analyzer, on_read=recording.read, on_problem=recording.went_wrong, by_hand=True
            )
            with eyes as parts:
                with stopping_on_signals(recording):
                    recording.run(parts)
                self._ask(parts.recorder)
                self._name(lesson, recording.to_name)
            self._tell(lesson)
            if options["publish"]:
                version = publish(workflow=lesson.workflow, user=user, note="record")
                self.stdout.write(_("Published as version %(n)d.") % {"n": version.number})
        except (DomainError, DesktopError) as error:
            raise CommandError(worded(error)) from error
        except (ReaderUnavailable, PermissionDenied, get_user_model().DoesNotExist, Workflow.DoesNotExist) as error:
            raise CommandError(str(error)) from error

    def _workflow(self, options: dict[str, Any]) -> Workflow:
        if options["into"]:
            return Workflow.objects.get(workflow_id=options["into"])
        return new_workflow(options["workflow"])

    def _ask(self, recorder: Recorder) -> None:
        """What could have meant several things; the likely answer comes first, and none leaves it to the run."""
        for step in recorder.afterwards.open():
            question = in_words(step.question)
            self.stdout.write(f"\n{step.index}. {question['text']}")
            for number, answer in enumerate(question["answers"], 1):
                self.stdout.write(f"   {number}) {answer['text']}")
            said = self._input(_("Number (nothing: a run asks): "))
            if chosen := whole_number(said.strip(), most=len(question["answers"])):
                recorder.answer(str(step.index), question["answers"][chosen - 1]["code"], {})
            else:
                recorder.cancel(str(step.index))

    def _name(self, lesson: Lesson, nodes: list[Node]) -> None:
        for node in nodes:
            shown = ", ".join(node.texts[:3])
            asked = _("Name of the screen “%(name)s” (%(texts)s): ") % {"name": node.name, "texts": shown}
            if name := self._input(asked).strip():
                change_screen(lesson, node.node_id, texts=[], name=name)

    def _tell(self, lesson: Lesson) -> None:
        told = draft_told(lesson)
        self.stdout.write("")
        for step in told["steps"]:
            self.stdout.write(f"{step['index']}. {step['sentence']}{_aside(step['detail'])}")
        for problem in told["problems"]:
            self.stdout.write(_("To mend: %(text)s") % {"text": problem["text"]})
        words = {"name": lesson.workflow.name, "id": lesson.workflow.workflow_id}
        self.stdout.write(_("“%(name)s” is taught: %(id)s.") % words)

    def _input(self, text: str) -> str:
        """What somebody says at the terminal; nothing where nobody is there."""
        if not sys.stdin.isatty():
            return ""
        self.stdout.write(text, ending="")
        self.stdout.flush()
        return sys.stdin.readline().strip()

    def _say(self, said: str) -> None:
        self.stdout.write(worded(said))
        self.stdout.flush()


@contextmanager
def stopping_on_signals(recording: Recording) -> Iterator[None]:
    """What was done until then is kept, and asked about."""
    kinds = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(kind, lambda number, frame: recording.stop()) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)


def _aside(detail: str) -> str:
    return f" ({detail})" if detail else ""
