"""Screens seen lately, so that a screen that comes back need not be analysed again (S2.6)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from execution.perception.changes import block_count, differing_rows
from execution.types import Frame, ScreenState, pixels_digest

MOST_BYTES = 64 * 2**20  # ten screens of 1920×1080, five of 2560×1600
MOST_ENTRIES = 16
_CLOSE = 2  # blocks of rows: a letter typed, a caret, a clock; another screen is hardly closer
_ALIASES = 64  # looks of one screen: the phases of its carets, what was in its masked regions


class Asked(NamedTuple):
    """Which parts were to make a state: the reader's name and the detector's, empty where it was switched off."""

    reader: str
    detector: str

    def is_answered_by(self, other: Asked) -> bool:
        """True where a state that `other` asked for holds all that this one asks for."""
        return self.reader == other.reader and self.detector in ("", other.detector)


@dataclass(slots=True)
class CacheCounts:
    """How often a screen was known, for the status page; `near` counts hits on screens that differ in nothing that
    matters, by what they differ in."""

    hits: int = 0
    near: dict[str, int] = field(default_factory=dict)
    misses: int = 0
    entries: int = 0
    bytes: int = 0


@dataclass(slots=True, eq=False)
class CachedScreen:
    """A state, what it was asked for, and the digests of all pictures it answers for."""

    state: ScreenState
    asked: Asked
    digests: list[str]

    @property
    def nbytes(self) -> int:
        return self.state.frame.pixels.nbytes


class ScreenStateCache:
    """The states of the screens seen last, with their pictures; the least recently seen ones are dropped.

    A state is found by the digest of its picture's pixels: one pixel, one digit changed is a miss. What is `close`
    to a known screen has to be judged by the caller, who then says that it is one look more of it.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES) -> None:
        self._most_bytes, self._most_entries = most_bytes, most_entries
        self._entries: OrderedDict[CachedScreen, None] = OrderedDict()
        self._by_digest: dict[tuple[str, Asked], CachedScreen] = {}
        self._counts = CacheCounts()
        self._lock = threading.Lock()  # counters are read by the heartbeat

    def counts(self) -> CacheCounts:
        """The counters as they are now; a copy."""
        with self._lock:
            held = {"entries": len(self._entries), "bytes": sum(e.nbytes for e in self._entries)}
            return CacheCounts(**{**asdict(self._counts), **held})

    def same(self, frame: Frame, asked: Asked) -> CachedScreen | None:
        """The screen of exactly these pixels that holds what is asked for."""
        digest = digest_of(frame)
        with self._lock:
            for known, entry in self._with_digest(digest):
                if asked.is_answered_by(known):
                    self._entries.move_to_end(entry)
                    return entry
        return None

    def close(self, frame: Frame, asked: Asked) -> CachedScreen | None:
        """The screen of this size that holds what is asked for and has the fewest rows unlike `frame`'s, or few enough.

        None where all are different in most of theirs.
        """
        with self._lock:
            entries = [e for e in reversed(self._entries) if asked.is_answered_by(e.asked)]
        best, fewest = None, block_count(frame.size.height) // 2
        for entry in entries:
            pixels = entry.state.frame.pixels
            if pixels.shape != frame.pixels.shape:
                continue
            rows = differing_rows(pixels, frame.pixels, most=fewest)
            if rows is not None and (best is None or len(rows) < fewest):
                best, fewest = entry, len(rows)
            if best is not None and fewest <= _CLOSE:
                break
        return best

    def put(self, state: ScreenState, asked: Asked) -> CachedScreen:
        """Keep a state that is whole."""
        entry = CachedScreen(state=state, asked=asked, digests=[])
        with self._lock:
            self._entries[entry] = None
            self._point(digest_of(state.frame), entry)
            self._trim()
        return entry

    def also(self, frame: Frame, entry: CachedScreen) -> None:
        """`frame` shows the screen of `entry`, and differs from it in nothing that matters."""
        with self._lock:
            if entry not in self._entries:
                return
            self._entries.move_to_end(entry)
            self._point(digest_of(frame), entry)
            while len(entry.digests) > _ALIASES:
                self._by_digest.pop((entry.digests.pop(1), entry.asked), None)

    def instead(self, entry: CachedScreen, state: ScreenState) -> None:
        """The screen of `entry` looks like `state` from now on: its clock has moved on, it will not move back."""
        with self._lock:
            self._drop(entry)
        self.put(state, entry.asked)

    def clear(self) -> None:
        """Forget all screens; the counters stay."""
        with self._lock:
            self._entries.clear()
            self._by_digest.clear()

    def count_hit(self) -> None:
        with self._lock:
            self._counts.hits += 1

    def count_near(self, reason: str) -> None:
        with self._lock:
            self._counts.near[reason] = self._counts.near.get(reason, 0) + 1

    def count_miss(self) -> None:
        with self._lock:
            self._counts.misses += 1

    def _with_digest(self, digest: str) -> Iterator[tuple[Asked, CachedScreen]]:
        for one in {e.asked: None for e in self._entries}:
            if entry := self._by_digest.get((digest, one)):
                yield one, entry

    def _point(self, digest: str, entry: CachedScreen) -> None:
        if (other := self._by_digest.get((digest, entry.asked))) is not None and other is not entry:
            other.digests.remove(digest)
            if not other.digests:
                self._drop(other)
        if digest not in entry.digests:
            entry.digests.append(digest)
        self._by_digest[digest, entry.asked] = entry

    def _trim(self) -> None:
        """Drop the least recently seen, but never the last one left: what is on the screen now is held anyway."""
        held = sum(e.nbytes for e in self._entries)
        while len(self._entries) > 1 and (held > self._most_bytes or len(self._entries) > self._most_entries):
            oldest = next(iter(self._entries))
            held -= oldest.nbytes
            self._drop(oldest)

    def _drop(self, entry: CachedScreen) -> None:
        self._entries.pop(entry, None)
        for digest in entry.digests:
            self._by_digest.pop((digest, entry.asked), None)


def digest_of(frame: Frame) -> str:
    """The frame's digest, computed where whoever took it did not."""
    return frame.digest or pixels_digest(frame.pixels)
