"""Training data on the command line: written to a file with its pictures, and made again from the runs (S6.3)."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.behind.asking import do
from execution.behind.leases import Taken
from execution.choices import Origin
from execution.pages.training import AGAIN, archive


class Command(BaseCommand):
    help = "Exports what coaches decided as JSON lines with pictures, or makes it again from the runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        export = verbs.add_parser("export", help="write a file with all of it, or with that of one workflow")
        export.add_argument("file", type=Path)
        export.add_argument("--workflow", default="", help="of this workflow alone, by its id")
        verbs.add_parser("rebuild", help="make all records again from the recorded runs")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] == "rebuild":
            try:
                self.stdout.write(_("Records made: %(n)d") % {"n": do(AGAIN).place.get("made", 0)})
            except Taken:
                self.stdout.write(_("A worker is at it already."))
            return
        file: Path = options["file"]
        try:
            with file.open("xb") as out:
                for piece in archive(options["workflow"]):
                    out.write(piece)
        except OSError as error:
            raise CommandError(str(error)) from error
        who = name_of(None, Origin.COMMAND)
        record(Verb.EXPORT, user=None, who=who, origin=Origin.COMMAND, kind="training", about=options["workflow"])
        self.stdout.write(str(file))
