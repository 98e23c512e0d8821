from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rpa_site.backups import BackupError, DataPlace, back_up
from workflows.pictures import PictureStore


class Command(BaseCommand):
    help = (
        "Write database and pictures to one file, also while everything runs (S5.8). vault.key, which opens the "
        "passwords kept in the database, is not in it unless asked for."
    )
    requires_system_checks = []  # whatever is wrong with the settings: the data can be saved

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="where to; in a folder it gets a dated name")
        parser.add_argument("--overwrite", action="store_true", help="replace FILE where it is there")
        parser.add_argument(
            "--with-key", action="store_true", help="put vault.key in; then guard the file like the key"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            place = DataPlace.of_settings()
            made = back_up(place, options["file"], overwrite=options["overwrite"], with_key=options["with_key"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            _("%(file)s: %(size).1f MB, version %(version)s, %(migrations)s, %(pictures)s.")
            % {
                "file": made.file,
                "size": made.bytes / 1e6,
                "version": made.version,
                "migrations": ngettext("%(n)d migration", "%(n)d migrations", made.migrations) % {"n": made.migrations},
                "pictures": ngettext("%(n)d picture", "%(n)d pictures", made.pictures) % {"n": made.pictures},
            }
        )
        store = PictureStore()
        if not store.is_here:
            words = _("The pictures lie in %(where)s and are not in the file: save that store by its own means.")
            self.stdout.write(words % {"where": store.where})
        elif made.missing:
            self.stdout.write(
                ngettext(
                    "%(count)d picture that workflows refer to is not in %(folder)s, and so not in the backup.",
                    "%(count)d pictures that workflows refer to are not in %(folder)s, and so not in the backup.",
                    made.missing,
                )
                % {"count": made.missing, "folder": place.pictures}
            )
        if made.key == "included":
            self.stdout.write(_("vault.key is in it: whoever has the file has the passwords."))
        elif made.key == "left out":
            self.stdout.write(_("vault.key is not in it: keep a copy of %(key)s elsewhere.") % {"key": place.key})
