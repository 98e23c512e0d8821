from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rpa_site.backups import BackupError, Checked, DataPlace, Restored, check, restore
from rpa_site.migration_names import named


class Command(BaseCommand):
    help = (
        "Put a backup in the place of the data that is here (S5.8), which is kept aside; on PostgreSQL into an empty "
        "database. Stop the web process and the run loops first."
    )
    requires_system_checks = []  # the data may be damaged: that is what this is for

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="what `manage.py backup` wrote")
        parser.add_argument("--check", action="store_true", help="only say whether it could be restored here")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            place = DataPlace.of_settings()
            if options["check"]:
                checked = check(place, options["file"])
                self._say_checked(checked)
                if checked.obstacle:
                    self.stdout.write(checked.obstacle)
                return
            self._say_restored(place, restore(place, options["file"]))
        except BackupError as error:
            raise CommandError(str(error)) from error

    def _say_checked(self, checked: Checked) -> None:
        self.stdout.write(
            _("The backup is whole: made %(when)s by version %(version)s, %(pictures)s.")
            % {
                "when": checked.manifest.made_at,
                "version": checked.manifest.version,
                "pictures": ngettext("%(n)d picture", "%(n)d pictures", checked.pictures) % {"n": checked.pictures},
            }
        )
        if checked.pending:
            self.stdout.write(
                ngettext(
                    "%(count)d migration is newer than it: %(names)s. Run `manage.py migrate` after restoring it.",
                    "%(count)d migrations are newer than it: %(names)s. Run `manage.py migrate` after restoring it.",
                    len(checked.pending),
                )
                % {"count": len(checked.pending), "names": named(checked.pending)}
            )
        else:
            self.stdout.write(_("Its migrations are those of this version."))

    def _say_restored(self, place: DataPlace, restored: Restored) -> None:
        self._say_checked(restored.checked)
        self.stdout.write(_("It is in place."))
        if restored.aside is not None:
            self.stdout.write(
                _("What was here is kept in %(folder)s; nothing else refers to it.") % {"folder": restored.aside}
            )
        if restored.stopped:
            self.stdout.write(
                ngettext(
                    "%(count)d run that was live in the backup is stopped.",
                    "%(count)d runs that were live in the backup are stopped.",
                    restored.stopped,
                )
                % {"count": restored.stopped}
            )
        if restored.checked.manifest.key == "left out" and not place.key.exists():
            self.stdout.write(
                _("There is no %(key)s: passwords kept in the data cannot be read until it is there.")
                % {"key": place.key}
            )
