from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workflows.bundle import import_bundle
from workflows.exceptions import DomainError


class Command(BaseCommand):
    help = "Make a draft from a workflow file; a bad file is refused whole and nothing changes (S8.6)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--id", default="", dest="workflow_id", help="import under this id instead of its own")

    def handle(self, *args: Any, file: Path, workflow_id: str, **options: Any) -> None:
        try:
            workflow = import_bundle(file.read_bytes(), user=None, workflow_id=workflow_id)
        except DomainError as error:
            raise CommandError(f"{file} was not imported. {error}") from error
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror or error}") from error
        self.stdout.write(f"{workflow.workflow_id}: {workflow.name}, a draft. Publish it to run it.")
