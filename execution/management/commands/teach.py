from __future__ import annotations

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from execution.actions.teach import open_lesson
from execution.desktop.base import DesktopError
from execution.lesson.alone import alone
from execution.lesson.editing import new_workflow
from execution.lesson.story import BadStory, Story, Told
from execution.lesson.story_checks import check, check_here
from execution.lesson.story_reading import read_story
from execution.lesson.storyteller import Storyteller
from execution.models import Lesson
from execution.perception.analyzer import build_analyzer
from execution.perception.config import PerceptionConfig
from execution.perception.ocr.base import ReaderUnavailable
from execution.running.desktops import open_named
from sentences.said import worded
from workflows.actions.publish import publish
from workflows.exceptions import DomainError


class Command(BaseCommand):
    help = "Teach a workflow on a desktop by a story file, as its page would be clicked (S6.16)."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--story", required=True, metavar="FILE", help="what is done, as YAML")
        parser.add_argument("--user", required=True, metavar="NAME", help="who teaches it; a designer")
        parser.add_argument("--desktop", metavar="NAME", help="the desktop, such as :1 (default: $DISPLAY)")
        parser.add_argument("--keep", action="store_true", help="keep the draft where the story ends in the middle")
        parser.add_argument("--publish", action="store_true", help="publish it when it is told to its end")

    def handle(self, *args: Any, **options: Any) -> None:
        file = Path(options["story"])
        try:
            story = read_story(file.read_text())
            check(story)
            check_here(story)
            user = get_user_model().objects.get(username=options["user"])
            with transaction.atomic():  # whoever may not teach leaves no empty draft
                lesson = open_lesson(workflow=new_workflow(story.workflow), robot=None, user=user)
            with ExitStack() as half:
                if not options["keep"]:
                    half.callback(lesson.workflow.delete)  # nobody goes on with half of it: the story is told anew
                self._teach(lesson, story, options["desktop"])
                half.pop_all()
            if options["publish"]:
                version = publish(workflow=lesson.workflow, user=user, note=file.name)
                self.stdout.write(_("Published as version %(n)d.") % {"n": version.number})
        except BadStory as error:
            raise CommandError(f"{file}: {worded(error)}") from error
        except (DomainError, DesktopError) as error:
            raise CommandError(worded(error)) from error
        except (
            ReaderUnavailable,
            OSError,
            UnicodeDecodeError,
            PermissionDenied,
            get_user_model().DoesNotExist,
        ) as error:
            raise CommandError(str(error)) from error

    def _teach(self, lesson: Lesson, story: Story, desktop_name: str | None) -> None:
        lesson.workflow.description = story.description
        lesson.workflow.save(update_fields=["description"])
        analyzer = build_analyzer(PerceptionConfig.from_settings(settings))
        with alone(lesson, open_named(desktop_name), analyzer) as parts:
            Storyteller(story, parts, on_told=lambda step: self._say(lesson, step)).tell()
        words = {"name": lesson.workflow.name, "id": lesson.workflow.workflow_id}
        self.stdout.write(_("“%(name)s” is taught: %(id)s.") % words)

    def _say(self, lesson: Lesson, step: Told) -> None:
        Lesson.objects.filter(pk=lesson.pk).update(presence_at=timezone.now())
        self.stdout.write(f"{step.line}: {step.act} {step.what}")
