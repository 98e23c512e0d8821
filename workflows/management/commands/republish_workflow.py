from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sentences.said import worded
from workflows.actions.publish import publish_again
from workflows.exceptions import DomainError
from workflows.models import Workflow


class Command(BaseCommand):
    help = "Make an earlier version of a workflow the one that runs use (S1.4)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workflow_id")
        parser.add_argument("number", type=int, help="of the version that was right")
        parser.add_argument("--note", default="", help="why")

    def handle(self, *args: Any, workflow_id: str, number: int, note: str, **options: Any) -> None:
        try:
            workflow = Workflow.objects.by_id(workflow_id)
            version = publish_again(workflow=workflow, number=number, user=None, note=note)
        except DomainError as error:
            raise CommandError(worded(error)) from error
        self.stdout.write(f"{workflow_id}: version {version.number} is as version {number}")
