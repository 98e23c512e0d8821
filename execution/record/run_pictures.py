"""The one way of a run's screens into the store of pictures: each as it may be kept (S10.4)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from execution.record.redaction import Redaction, Shown
from execution.types import Frame, ScreenState
from workflows.pictures import PictureStore

T = TypeVar("T")


class Kept(NamedTuple):
    digest: str
    shown: Shown


class RunPictures:
    """The pictures of one run. It has no way to put pixels as they are."""

    def __init__(self, store: PictureStore, redaction: Redaction) -> None:
        self._store, self._redaction = store, redaction

    def keep(self, state: ScreenState) -> Kept:
        """Store what may be kept of a screen. Raises PictureNotStored or PictureRefused."""
        shown = self._redaction.shown(state)
        return Kept(self._store.put(shown.state.frame.pixels), shown)

    def keep_unread(self, frame: Frame) -> str:
        """The same for a frame that nobody has read; gives its digest."""
        return self._store.put(self._redaction.live(frame))

    def teach(self, state: ScreenState, lesson: Callable[[Shown, PictureStore], T]) -> T:
        """What a lesson makes of a screen as it may be kept: its pictures are cut from that."""
        return lesson(self._redaction.shown(state), self._store)

    def get(self, digest: str) -> np.ndarray:
        """BGR pixels as they were kept; raises PictureMissing."""
        return self._store.get(digest)

    def file(self, digest: str) -> Path:
        """A file of this machine with it, for programs that take a path."""
        return self._store.file(digest)

    def lies(self, digest: str) -> tuple[str, int]:
        """Where it lies, in words for the record, and how many bytes it has."""
        return self._store.address(digest), self._store.size(digest)
