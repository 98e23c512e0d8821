"""Screenshots that somebody teaches from, taken in: pictures of one size, never more than the limits (S6.16)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import IO, Protocol, cast

from django.conf import settings
from django.utils.translation import gettext as _

from execution.exceptions import ExecutionError
from execution.lesson.slides import Slide
from execution.perception.masking import masks_from, painted_over
from workflows import unpacking
from workflows.exceptions import PictureRefused
from workflows.graph import GraphSpec
from workflows.parsing import whole_number
from workflows.pictures import PictureStore, decode

MOST_PICTURES = 100
MOST_BYTES = 100 * 1024 * 1024  # of all files together, and of what they unpack to
SUFFIXES = (".png", ".jpg", ".jpeg")
_ZIP = b"PK\x03\x04"
_NOT_MEANT = re.compile(r"(^|/)(__MACOSX/|\.)")  # what systems put into a zip file beside what people did


class BadUpload(ExecutionError, status=422):
    """The files are refused as a whole; the message says why, and nothing was kept."""


class File(Protocol):
    """A file as a form has it."""

    @property
    def name(self) -> str | None: ...

    @property
    def size(self) -> int | None: ...

    def read(self, count: int = ...) -> bytes: ...

    def seek(self, at: int, /) -> int: ...


def slides_from(files: Iterable[File], *, graph: GraphSpec | None, store: PictureStore) -> list[Slide]:
    """The pictures, in the order of their names; where `graph` masks regions, without what stands there.

    Raises BadUpload.
    """
    masks = masks_from(graph.flags.get("masks")) if graph else ()
    pictures = sorted(_pictures(files), key=lambda one: _in_order(one[0]))
    if not pictures:
        raise BadUpload(_("Choose the screenshots, or a zip file with them."))
    size = _one_size(pictures)  # all are looked at before one is kept, one at a time in memory
    kept = ((name, painted_over(decode(data), masks)) for name, data in pictures)
    return [Slide(picture=store.put(pixels), size=size, name=name) for name, pixels in kept]


def _one_size(pictures: Sequence[tuple[str, bytes]]) -> tuple[int, int]:
    """Width and height of every picture; raises BadUpload where one is none, is too large, or is of another size."""
    size: tuple[int, int] | None = None
    left = settings.RPA_MAX_BUNDLE_MEGAPIXELS * 1_000_000
    for name, data in pictures:
        try:
            height, width = decode(data, name=f"“{name}”").shape[:2]
        except PictureRefused as error:
            raise BadUpload(str(error)) from error
        left -= width * height
        if left < 0:
            raise BadUpload(
                _("The pictures have more than %(limit)d megapixels in all. Take fewer.")
                % {"limit": settings.RPA_MAX_BUNDLE_MEGAPIXELS}
            )
        size = size or (width, height)
        if (width, height) != size:
            raise BadUpload(
                _(
                    "The pictures are of different sizes: “%(first)s” has %(w)d × %(h)d, “%(name)s” has "
                    "%(w2)d × %(h2)d. Take them all on one screen."
                )
                % {"first": pictures[0][0], "w": size[0], "h": size[1], "name": name, "w2": width, "h2": height}
            )
    assert size is not None
    return size


def _pictures(files: Iterable[File]) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each, those in zip files among them."""
    left, count = MOST_BYTES, 0
    for file in files:
        name = PurePosixPath(file.name or "").name
        if (file.size or 0) > left:
            raise _too_large()
        start = file.read(len(_ZIP))
        file.seek(0)
        if start == _ZIP:
            entries = list(_unpacked(name, file, MOST_PICTURES - count, left))
        elif name.lower().endswith(SUFFIXES):
            entries = [(name, file.read())]
        else:
            raise _no_picture(name)
        count += len(entries)
        left -= sum(len(part) for _name, part in entries)
        if left < 0:
            raise _too_large()
        if count > MOST_PICTURES:
            raise _too_many()
        yield from entries


def _unpacked(name: str, file: File, most: int, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """What a zip file holds, read where it lies; nothing is written by the names in it."""
    budget = unpacking.Budget(most_bytes)
    try:
        with unpacking.opened(cast(IO[bytes], file)) as packed:
            infos = [one for one in packed.infolist() if not one.is_dir() and not _NOT_MEANT.search(one.filename)]
            if len(infos) > most:
                raise _too_many()
            for info in infos:
                inside = PurePosixPath(info.filename.replace("\\", "/")).name
                if not inside.lower().endswith(SUFFIXES):
                    raise _no_picture(f"{name}: {inside}")
                yield info.filename, unpacking.read(packed, info, budget)
    except unpacking.BadBundle as error:
        raise BadUpload(f"“{name}”: {error}") from error


def _in_order(name: str) -> list[tuple[int, str]]:
    """As people count: “2.png” comes before “10.png”."""
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(0, part) if (number := whole_number(part)) is None else (number, "") for part in parts]


def _no_picture(name: str) -> BadUpload:
    said = _("“%(name)s” is no PNG or JPEG picture.")
    return BadUpload(said % {"name": name[:120]})


def _too_many() -> BadUpload:
    return BadUpload(_("At most %(n)d pictures are taken at a time.") % {"n": MOST_PICTURES})


def _too_large() -> BadUpload:
    return BadUpload(_("The files are larger than %(n)d MB together.") % {"n": MOST_BYTES // (1024 * 1024)})
