from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from analytics.jobs import PRUNE, pruned_by
from analytics.models import StorageDay
from analytics.retention import prune, told
from execution.behind.asking import do
from execution.behind.leases import Taken
from sentences.said import worded
from workflows.exceptions import PictureAway


class Command(BaseCommand):
    help = "Delete what is older than its workflow keeps it, and say what; then measure what takes how much."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["dry_run"]:
            self._say(_("This would be deleted:"), told(prune(dry=True), dry=True))
            return
        try:
            job = do(PRUNE)
        except Taken:
            self.stdout.write(_("A worker is at it already."))
            return
        except PictureAway as error:  # what was noted to be deleted is deleted the next time
            raise CommandError(worded(error)) from error
        self._say(_("Deleted:"), told(pruned_by(job)))
        if today := StorageDay.objects.first():
            free = {"free": filesizeformat(today.free_bytes), "total": filesizeformat(today.total_bytes)}
            self.stdout.write(_("%(free)s of %(total)s are free") % free)

    def _say(self, head: str, lines: list[str]) -> None:
        self.stdout.write(head)
        for line in lines or [_("nothing")]:
            self.stdout.write(f"  {line}")
