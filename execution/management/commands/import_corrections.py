from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from execution.actions.import_pack import import_pack
from execution.choices import Origin
from sentences.said import worded
from workflows.exceptions import DomainError


class Command(BaseCommand):
    help = "Take corrections from a file on trial; a bad file is refused whole and nothing changes (S6.4)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--id", default="", dest="workflow_id", help="of this workflow here, instead of its own id")

    def handle(self, *args: Any, file: Path, workflow_id: str, **options: Any) -> None:
        try:
            imported = import_pack(file.read_bytes(), workflow_id=workflow_id, origin=Origin.COMMAND)
        except DomainError as error:
            words = _("%(file)s was not imported. %(why)s")
            raise CommandError(words % {"file": file, "why": worded(error)}) from error
        except OSError as error:
            words = _("%(file)s cannot be read: %(error)s")
            raise CommandError(words % {"file": file, "error": error.strerror or error}) from error
        for sentence in imported.told():
            self.stdout.write(sentence)
