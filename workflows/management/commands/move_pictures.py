from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from sentences.said import worded
from workflows.exceptions import PictureAway, PictureError
from workflows.picture_files import PictureFiles, StoreAway
from workflows.pictures import PictureStore, decode, name_of

TELL_EVERY = 500


class Command(BaseCommand):
    help = (
        "Put the pictures of this machine's folder into the store that RPA_PICTURES_URL names. What is there already "
        "is not sent again: when it breaks off, call it again. With --copy the folder stays as it is, so that all can "
        "go on until every picture is there; without, each goes from the folder once the store has it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--copy", action="store_true", help="delete nothing here")

    def handle(self, *args: Any, **options: Any) -> None:
        store, folder = PictureStore(), PictureFiles(Path(settings.DATA_DIR) / "pictures")
        if store.is_here:
            raise CommandError(_("RPA_PICTURES_URL is not set: pictures lie in %(where)s.") % {"where": store.where})
        sent = there = 0
        try:
            store.answer()
            for path in sorted(Path(folder.where).glob("??/*.png")):
                name = name_of(path.stem)
                if store.place.exists(name):
                    there += 1
                else:
                    store.place.save(name, ContentFile(path.read_bytes()))
                    sent += 1
                if store.place.size(name) != path.stat().st_size and not _alike(store.place.read(name), path):
                    words = _(
                        "%(name)s is another file in the store than here: delete the wrong one, then call this again."
                    )
                    raise CommandError(words % {"name": name})
                if not options["copy"]:
                    folder.delete(name)
                if (sent + there) % TELL_EVERY == 0:
                    self.stdout.write(_told(sent, there))
        except StoreAway as error:
            raise CommandError(f"{_told(sent, there)} {worded(error.why)}") from error
        except PictureAway as error:
            raise CommandError(worded(error)) from error
        self.stdout.write(_told(sent, there))


def _alike(there: bytes, here: Path) -> bool:
    """Whether both are the same picture: two versions of an encoder make two files of one."""
    try:
        return np.array_equal(decode(there, name=here.name), decode(here.read_bytes(), name=here.name))
    except PictureError:
        return False


def _told(sent: int, there: int) -> str:
    words = ngettext("%(n)d picture was sent, %(m)d were there.", "%(n)d pictures were sent, %(m)d were there.", sent)
    return words % {"n": sent, "m": there}
