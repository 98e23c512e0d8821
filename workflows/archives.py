"""The file of a workflow: one JSON document and `pictures/<digest>.png`, in a zip (S8.6).

What comes in is taken apart within the limits of `unpacking`; nothing of it is kept before all of it was checked.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.utils.translation import gettext as _

from sentences.said import worded
from workflows.exceptions import PictureRefused
from workflows.models import Picture
from workflows.pictures import PictureStore, decode
from workflows.shape import WrongShape, check
from workflows.unpacking import (
    MAX_BYTES,
    MAX_DOCUMENT_BYTES,
    PICTURE_NAME,
    BadBundle,
    Budget,
    check_pixels,
    checked_entries,
    is_png,
    opened,
    read,
)

EPOCH = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes


DOCUMENT, FORMAT, VERSION = "workflow.json", "surehand.workflow", 1


# --- written ---------------------------------------------------------------------------------------------------------
def packed(document: Mapping[str, Any], pictures: Iterable[str]) -> bytes:
    """The file, with those pictures of the product's store. Raises PictureMissing."""
    store, file = PictureStore(), io.BytesIO()
    said = {"format": FORMAT, "format_version": VERSION, **document}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        text = json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True)
        archive.writestr(_entry(DOCUMENT, zipfile.ZIP_DEFLATED), text)
        for digest in sorted(pictures):
            archive.writestr(_entry(f"pictures/{digest}.png", zipfile.ZIP_STORED), store.bytes_of(digest))
    return file.getvalue()


def _entry(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    return info


# --- read ------------------------------------------------------------------------------------------------------------
class Archive:
    """A file that was taken apart: its `document`, of the form that was asked for, and `store`, the pictures of it that
    were taken, in a folder that goes with it."""

    def __init__(self, document: dict[str, Any], store: PictureStore, zipped: zipfile.ZipFile, budget: Budget) -> None:
        self.document = document
        self.store = store
        self._zip = zipped
        self._budget = budget

    def take_pictures(self, named: Iterable[str]) -> None:
        """Those that the document names, which must be all that there are. Raises BadBundle."""
        entries = {match[1]: info for info in self._zip.infolist() if (match := PICTURE_NAME.fullmatch(info.filename))}
        wanted = set(named)
        if missing := sorted(wanted - entries.keys()):
            raise BadBundle(_("The file lacks the picture %(digest)s.") % {"digest": missing[0][:64]})
        if spare := sorted(entries.keys() - wanted):
            raise BadBundle(_("The file holds the picture %(digest)s, which nothing refers to.") % {"digest": spare[0]})
        check_pixels(self._zip, entries.values())
        for digest, info in entries.items():
            self._take(digest, f"pictures/{digest}.png", read(self._zip, info, self._budget))

    def _take(self, digest: str, name: str, data: bytes) -> None:
        if not is_png(data):
            raise BadBundle(_("“%(name)s” is no picture that can be read; PNG can.") % {"name": name})
        try:
            own = self.store.put(decode(data, name=name))
        except PictureRefused as error:
            raise BadBundle(worded(error)) from error
        if own != digest:
            raise BadBundle(_("“%(name)s” is not the picture that its name says.") % {"name": name})

    def keep(self, digest: str) -> tuple[int, int]:
        """Its pixels go to the product's store, where something else may have them already; width and height."""
        pixels = self.store.get(digest)
        PictureStore().put(pixels)
        height, width = pixels.shape[:2]
        return width, height

    def row_of(self, digest: str) -> Picture:
        """The row of a picture, which is kept."""
        width, height = self.keep(digest)
        return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]


@contextmanager
def taken_apart(data: bytes | IO[bytes], form: type) -> Iterator[Archive]:
    """The file in `data`, its document of the `form` of a dataclass. Raises BadBundle with the reason."""
    with tempfile.TemporaryDirectory(prefix="surehand-import-") as folder, opened(data) as zipped:
        entries = checked_entries(zipped, DOCUMENT)
        budget = Budget(MAX_BYTES)
        document = _document(read(zipped, entries[DOCUMENT], budget, limit=MAX_DOCUMENT_BYTES))
        try:
            check(document, form, DOCUMENT)
        except WrongShape as error:
            raise BadBundle(str(error)) from error
        yield Archive(document, PictureStore(Path(folder)), zipped, budget)


def _document(data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        words = _("%(file)s is no JSON that can be read: look at line %(line)s, column %(column)s.")
        raise BadBundle(words % {"file": DOCUMENT, "line": error.lineno, "column": error.colno}) from error
    except UnicodeDecodeError as error:
        raise BadBundle(
            _("%(file)s is no JSON that can be read: it is not written in UTF-8.") % {"file": DOCUMENT}
        ) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of figures
        raise BadBundle(
            _("%(file)s is no JSON that can be read: it holds what no such file has.") % {"file": DOCUMENT}
        ) from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise BadBundle(_("workflow.json does not say that it is a workflow of this product."))
    if (said := raw.get("format_version")) != VERSION or isinstance(said, bool):
        words = _("%(file)s has format %(format)s, this server reads %(known)d. Export it again from a like version.")
        if isinstance(said, int) and said > VERSION:
            words = _(
                "%(file)s has format %(format)s, this server reads %(known)d. Update this server, or export it again "
                "from one like it."
            )
        raise BadBundle(words % {"file": DOCUMENT, "format": str(said)[:20], "known": VERSION})
    return raw
