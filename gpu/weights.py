"""Whether a file of weights is whole, told without a model library and without connecting to anything (D6)."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpu.exceptions import ClipUnavailable
from sentences.said import say

# PyTorch and what stands on it are no part of the first installation: they are 6 GB, and the default uses none of it.
INSTALL = "Install what it needs with 'make models'."

_CHUNK = 1 << 20
_LONGEST_HEADER = 100_000_000  # of a safetensors file, as its own library has it


class Damaged(ValueError):
    """A file is not what it should be; the message ends a sentence that begins with its name."""


def checksum(path: Path, algorithm: str, *, on_bytes: Callable[[int], None] = lambda count: None) -> str:
    """The file's checksum in hex; `on_bytes` hears of each piece read."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
            on_bytes(len(piece))
    return digest.hexdigest()


def look_over(path: Path, *, suffix: str = "") -> None:
    """Raises Damaged for what can be told without a model library: empty, cut off, or no weights at all."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(64)
    if not size:
        raise Damaged(say("weights.empty"))
    if start.lstrip()[:1] == b"<":
        raise Damaged(say("weights.web_page"))
    if start.startswith(b"version https://git-lfs"):
        raise Damaged(say("weights.pointer"))
    if (suffix or path.suffix) == ".safetensors":
        _look_over_safetensors(path, size)
    elif start.startswith(b"PK\x03\x04") and not zipfile.is_zipfile(path):
        raise Damaged(say("weights.cut_off", n=size))


def _look_over_safetensors(path: Path, size: int) -> None:
    """Its header says where the last tensor ends, which is where the file must end."""
    length, tensors = _header(path, size)
    try:
        end = 8 + length + max((row["data_offsets"][1] for row in tensors.values()), default=0)
    except (KeyError, TypeError, IndexError) as error:
        raise Damaged(say("weights.no_safetensors")) from error
    if size != end:
        raise Damaged(
            say("weights.cut_off_of", n=size, of=end) if size < end else say("weights.too_long", n=size - end)
        )


def _header(path: Path, size: int) -> tuple[int, dict[str, Any]]:
    """The length of a safetensors file's header in bytes, and its tensors by name."""
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 2 <= length <= _LONGEST_HEADER:
            raise Damaged(say("weights.no_safetensors"))
        header = file.read(length)
    if len(header) < length:
        raise Damaged(say("weights.cut_in_header", n=size))
    try:
        return length, {name: row for name, row in json.loads(header).items() if name != "__metadata__"}
    except (ValueError, AttributeError) as error:
        raise Damaged(say("weights.no_safetensors")) from error


def count_values(path: Path, prefix: str) -> int:
    """How many numbers the tensors of that prefix have, told by the header of a safetensors file; raises Damaged."""
    _length, tensors = _header(path, path.stat().st_size)
    try:
        return sum(math.prod(row["shape"]) for name, row in tensors.items() if name.startswith(prefix))
    except (KeyError, TypeError) as error:
        raise Damaged(say("weights.no_safetensors")) from error


class WeightsFile:
    """`check` and `count_values` look at the file anew only when its time or size has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._version: tuple[int, int] | None = None
        self._problem, self._values = "", 0

    def check(self) -> None:
        """Raises ClipUnavailable for what cannot be a file of weights."""
        if problem := self.problem:
            raise ClipUnavailable(problem)

    @property
    def problem(self) -> str:
        """What is wrong with it and what to do; empty if nothing can be told."""
        try:
            found = self.path.stat()
            if (version := (found.st_mtime_ns, found.st_size)) != self._version:
                self._problem, self._values = self._looked_over()
                self._version = version
        except FileNotFoundError:
            return say("clip.weights_missing", path=self.path)
        except OSError as error:
            return say("clip.weights_unread", path=self.path, error=error.strerror)
        return self._problem

    def count_values(self) -> int:
        """How many numbers CLIP's image half has, or more than that; 0 for a file that is none."""
        return 0 if self.problem else self._values

    def _looked_over(self) -> tuple[str, int]:
        try:
            look_over(self.path)
            if self.path.suffix == ".safetensors":
                return "", count_values(self.path, "visual.")
            return "", self.path.stat().st_size // 4  # more than enough: the text half is in it
        except Damaged as error:
            return say("clip.weights_damaged", path=self.path, error=error), 0
