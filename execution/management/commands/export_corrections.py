from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from execution.actions.export_pack import export_pack
from execution.choices import Origin
from sentences.said import worded
from workflows.exceptions import DomainError


class Command(BaseCommand):
    help = "Write the corrections of a workflow with their pictures to one file (S6.4)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workflow_id")
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, workflow_id: str, file: Path, **options: Any) -> None:
        try:
            exported = export_pack(workflow_id, origin=Origin.COMMAND)
            file.write_bytes(exported.data)
        except DomainError as error:
            raise CommandError(worded(error)) from error
        except OSError as error:
            words = _("%(file)s cannot be written: %(error)s")
            raise CommandError(words % {"file": file, "error": error.strerror or error}) from error
        self.stdout.write(_("Corrections in %(file)s: %(n)d") % {"file": file, "n": exported.count})
        if exported.kept_back:
            numbers = ", ".join(str(row.pk) for row in exported.kept_back)
            self.stderr.write(_("Not exported: %(numbers)s") % {"numbers": numbers})
