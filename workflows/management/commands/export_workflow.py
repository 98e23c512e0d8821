from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workflows.bundle import export_bundle
from workflows.exceptions import DomainError
from workflows.models import Workflow


class Command(BaseCommand):
    help = "Write a workflow with its pictures to one file (S8.6)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workflow_id")
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, workflow_id: str, file: Path, **options: Any) -> None:
        try:
            data = export_bundle(Workflow.objects.by_id(workflow_id))
            file.write_bytes(data)
        except DomainError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror or error}") from error
        self.stdout.write(f"{workflow_id}: {len(data):,} bytes in {file}")
