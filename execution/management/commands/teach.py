from __future__ import annotations

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from execution.actions.teach import close_lesson, open_lesson
from execution.desktop.base import DesktopError
from execution.desktop.local import open_desktop
from execution.desktop.lock import DesktopLock
from execution.lesson.drafting import Draft
from execution.lesson.editing import new_workflow
from execution.lesson.here import Here
from execution.lesson.recorder import Recorder
from execution.lesson.sight import Sight
from execution.lesson.story import Story, Told, read_story
from execution.lesson.storyteller import Storyteller
from execution.models import Lesson
from execution.perception.analyzer import build_analyzer
from execution.perception.config import PerceptionConfig
from execution.record.hidden import Hidden
from execution.record.redaction import redaction_of
from sentences.said import worded
from workflows.actions.publish import publish
from workflows.exceptions import DomainError
from workflows.pictures import PictureStore
from workflows.specs import graph_of


class Command(BaseCommand):
    help = "Teach a workflow on a desktop by a story file, as its page would be clicked (S6.16)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--story", required=True, metavar="FILE", help="what is done, as YAML")
        parser.add_argument("--user", required=True, metavar="NAME", help="who teaches it; a designer")
        parser.add_argument("--desktop", metavar="NAME", help="the desktop, such as :1 (default: $DISPLAY)")
        parser.add_argument("--publish", action="store_true", help="publish it when it is told to its end")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            story = read_story(Path(options["story"]).read_text())
            user = get_user_model().objects.get(username=options["user"])
            lesson = open_lesson(workflow=new_workflow(story.workflow), robot=None, user=user)
            try:
                self._teach(lesson, story, options["desktop"])
            finally:
                close_lesson(lesson)
            if options["publish"]:
                version = publish(workflow=lesson.workflow, user=user, note=Path(options["story"]).name)
                self.stdout.write(_("Published as version %(n)d.") % {"n": version.number})
        except (DomainError, DesktopError) as error:
            raise CommandError(worded(error)) from error
        except (OSError, UnicodeDecodeError, PermissionDenied, get_user_model().DoesNotExist) as error:
            raise CommandError(str(error)) from error

    def _teach(self, lesson: Lesson, story: Story, desktop_name: str | None) -> None:
        lesson.workflow.description = story.description
        lesson.workflow.save(update_fields=["description"])
        analyzer = build_analyzer(PerceptionConfig.from_settings(settings))
        with ExitStack() as stack:
            desktop = open_desktop(desktop_name)
            stack.callback(desktop.close)
            stack.enter_context(DesktopLock(desktop.identity(), settings.DATA_DIR / "locks"))
            sight = Sight(desktop, analyzer)
            redaction = redaction_of(graph_of(lesson.workflow), Hidden(()))
            here = Here(lesson, Draft(lesson.workflow, PictureStore()), analyzer, redaction)
            recorder = Recorder(lesson, desktop=desktop, sight=sight, here=here)
            sight.start()
            stack.callback(desktop.release_all)
            stack.callback(sight.stop)
            Storyteller(story, recorder, sight, on_told=self._say).tell()
            recorder.typing.close()
            self._end(here)
        words = {"name": lesson.workflow.name, "id": lesson.workflow.workflow_id}
        self.stdout.write(_("“%(name)s” is taught: %(id)s.") % words)

    def _end(self, here: Here) -> None:
        """The story ends where it ends."""
        if here.cursor is not None and not here.cursor.outgoing.exists():
            here.cursor.is_end = True
            here.cursor.save(update_fields=["is_end"])

    def _say(self, step: Told) -> None:
        self.stdout.write(f"{step.line}: {step.act} {step.what}")
