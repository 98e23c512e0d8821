"""What of a run's screens is kept: masked regions, texts of given shapes and secrets are taken out before (S10.4).

Everything that is written down of a screen comes through here: stored pictures, the live picture, texts. What the eyes
see in memory stays whole. A screen that was not read cannot be searched for patterns: then nothing of it is shown.
"""

from __future__ import annotations

import hmac
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.conf import settings

from execution.perception.masking import masks_from, painted_over
from execution.record.hidden import HIDDEN, Hidden
from execution.record.typed_places import Screen, TypedPlace
from execution.types import Box, Element, Frame, ScreenState, Size, TextLine, Window
from sentences.said import Said
from workflows.graph import GraphSpec, NormBox
from workflows.mask_patterns import Patterns

WHOLE: NormBox = (0.0, 0.0, 1.0, 1.0)
TILE = 16  # pixels: the live picture hides what changed since it was read in squares of this size
_APART = 2.0  # heights of a line: texts in a row that are nearer to each other may be parts of one number

# Names in JSON whose values are the product's own words and ids, never a screen's.
OURS = frozenset({
    "action", "answer", "capture_method", "destination", "digest", "edge_id", "embedding", "expected_node",
    "node_id", "picture", "role", "rung", "runner_up", "screen_state_id", "screenshot_path", "session_id", "sign",
    "states", "status", "target_id", "text_detection_method", "timestamp", "vector_id", "workflow_id",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """A screen as it may be kept. `hidden` are the places that were painted over; `seal` tells whether they changed."""

    state: ScreenState
    hidden: tuple[Box, ...] = ()
    seal: str = ""


class Redaction:
    """Takes out of a run's screens and texts what is not kept of them. May be asked by several threads."""

    def __init__(
        self,
        hidden: Hidden,
        *,
        regions: Sequence[NormBox] = (),
        patterns: Patterns | None = None,
        typed: Sequence[TypedPlace] = (),
    ) -> None:
        self.values, self._regions, self._patterns = hidden, tuple(regions), patterns or Patterns(())
        self._read_there = Hidden(())  # what was read in the regions, wherever else it is quoted
        self._typed = list(typed)
        self._found: tuple[np.ndarray, tuple[NormBox, ...]] | None = None  # where what was typed is on a screen
        self._typed_there: tuple[NormBox, ...] = ()  # the same of the screen that was read last
        self._last: tuple[Frame, np.ndarray] | None = None  # read last, and as it may be shown
        self._secrets: tuple[NormBox, ...] = ()  # where secret values were read on it
        self._lock = threading.Lock()

    # --- texts ------------------------------------------------------------------------------------------------------
    def text(self, value: object) -> str:
        """A text without secret values and without what matches a pattern; a sentence stays one."""
        if isinstance(value, Said):
            return value.with_texts(self.text)
        said = self._read_there.text(self.values.text(value))
        for a, b in reversed(self._patterns.spans(said)):
            said = said[:a] + HIDDEN + said[b:]
        return said

    def any(self, value: Any) -> Any:
        """The same for JSON; names, and the values that are our own ids, as they are."""
        if isinstance(value, Mapping):
            return {key: inner if _is_ours(key, inner) else self.any(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.any(inner) for inner in value]
        return self.text(value) if isinstance(value, str) else value

    # --- screens ----------------------------------------------------------------------------------------------------
    def typed_secret(self, place: TypedPlace) -> None:
        """A secret was, or is about to be, typed there: a program may show it, so its field is hidden from now on."""
        with self._lock:
            if place in self._typed:
                return
            self._found = None
            self._typed.append(place)
            self._typed_there = (*self._typed_there, place.box)
            if self._last:
                self._last = (self._last[0], painted_over(self._last[1], [place.box]))

    def places(self, state: ScreenState) -> tuple[NormBox, ...]:
        """What is hidden of a screen, as fractions of it: regions, the lines that match, fields with secrets."""
        if self._patterns and not state.text_method:
            return (WHOLE,)
        lines = [_around(line.box, state.frame.size) for line, said in self._lines(state.texts) if said != line.text]
        lines += [
            _around(element.box, state.frame.size)
            for element in state.elements
            if self.text(element.text) != element.text and not any(_meet(element.box, box) for box in lines)
        ]
        return (*self._in_place(state.frame), *(box.normalised(state.frame.size) for box in lines))

    def shown(self, state: ScreenState) -> Shown:
        """The screen as it may be kept, picture and texts."""
        places, size = self.places(state), state.frame.size
        masked = [Box.from_normalised(place, size) for place in self._in_place(state.frame)]
        self._note_regions(state)
        boxes = tuple(Box.from_normalised(place, size) for place in places)
        if places == (WHOLE,):
            unread = replace(self._unread(state), frame=_with(state.frame, places))
            return Shown(unread, boxes, sealed(state.frame.pixels, boxes))
        texts = tuple(replace(line, text=said) for line, said in self._lines(state.texts))
        quiet = replace(
            state,
            frame=_with(state.frame, places),
            window=self._window(state.window),
            texts=tuple(replace(line, text=HIDDEN) if _in_any(line.box, masked) else line for line in texts),
            elements=tuple(self._element(element, masked) for element in state.elements),
            notes=tuple(self.text(note) for note in state.notes),
        )
        return Shown(quiet, boxes, sealed(state.frame.pixels, boxes))

    def seen(self, state: ScreenState) -> None:
        """The newest screen that was read: the live picture may show of a later one what is the same."""
        self._note_regions(state)
        pixels, size = painted_over(state.frame.pixels, self.places(state)), state.frame.size
        secret = [_around(line.box, size) for line in state.texts if self.values.text(line.text) != line.text]
        typed = self._typed_in(state.frame)
        with self._lock:
            self._last, self._typed_there = (state.frame, pixels), typed
            self._secrets = tuple(box.normalised(size) for box in secret)

    def live(self, frame: Frame) -> np.ndarray:
        """The pixels of a frame that nobody has read yet, as they may be shown."""
        if not self._patterns:
            return painted_over(frame.pixels, (*self._in_place(frame), *self._typed_there, *self._secrets))
        with self._lock:
            last = self._last
        if last is None or last[0].size != frame.size:
            return painted_over(frame.pixels, [WHOLE])
        return _unchanged_parts(frame.pixels, last[0].pixels, last[1])

    def unmasked(self, frame: Frame) -> np.ndarray:
        """The pixels for those who may see what is masked; the run's secrets nobody sees (S10.3). Never to be kept."""
        return painted_over(frame.pixels, (*self._typed_in(frame), *self._typed_there, *self._secrets))

    @property
    def is_needed(self) -> bool:
        """Whether screens are shown otherwise than they are."""
        return bool(self._patterns or self._regions or self._typed)

    def _note_regions(self, state: ScreenState) -> None:
        if self._regions:
            masked = [Box.from_normalised(place, state.frame.size) for place in self._in_place(state.frame)]
            self._read_there = Hidden(line.text for line in state.texts if _in_any(line.box, masked))

    def _in_place(self, frame: Frame) -> tuple[NormBox, ...]:
        """What is hidden of a screen wherever nobody has read it."""
        return (*self._regions, *self._typed_in(frame))

    def _typed_in(self, frame: Frame) -> tuple[NormBox, ...]:
        with self._lock:
            typed, found = tuple(self._typed), self._found
        if not typed:
            return ()
        if found is None or found[0] is not frame.pixels:
            screen = Screen(frame.pixels)
            typed = tuple(place.learnt_anew(screen) for place in typed)
            found = (frame.pixels, tuple(dict.fromkeys(box for place in typed for box in place.within(screen))))
            with self._lock:
                if len(typed) == len(self._typed):
                    self._typed, self._found = list(typed), found
        return found[1]

    def _lines(self, texts: Sequence[TextLine]) -> list[tuple[TextLine, str]]:
        """Each line with its text as it may be kept; a number may stand in several lines of one row."""
        said = {n: self.text(line.text) for n, line in enumerate(texts)}
        for row in _rows(texts):
            joined, starts = "", []
            for n in row:
                starts.append(len(joined))
                joined += texts[n].text + " "
            spans = self._patterns.spans(joined)
            for n, start in zip(row, starts, strict=True):
                end = start + len(texts[n].text)
                parts = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
                if parts:
                    said[n] = self.text(_without(texts[n].text, parts))
        return [(line, said[n]) for n, line in enumerate(texts)]

    def _unread(self, state: ScreenState) -> ScreenState:
        return replace(state, window=self._window(state.window), texts=(), elements=(), embedding=None)

    def _window(self, window: Window | None) -> Window | None:
        return replace(window, title=self.text(window.title)) if window else None

    def _element(self, element: Element, masked: Sequence[Box]) -> Element:
        if _in_any(element.box, masked):
            return replace(element, text=HIDDEN if element.text else "", label=HIDDEN if element.label else "")
        return replace(element, text=self.text(element.text), label=self.text(element.label))


class NothingShown(Redaction):
    """Where nobody can say what may be shown: of no screen anything."""

    def __init__(self, hidden: Hidden | None = None) -> None:
        super().__init__(hidden or Hidden(()), regions=[WHOLE])

    def unmasked(self, frame: Frame) -> np.ndarray:
        return painted_over(frame.pixels, [WHOLE])


def redaction_of(graph: GraphSpec, hidden: Hidden, *, typed: Sequence[TypedPlace] = ()) -> Redaction:
    """What a workflow's flags hide. Raises ValueError where they cannot be understood."""
    flags = graph.flags
    return Redaction(
        hidden,
        regions=masks_from(flags.get("masks")),
        patterns=Patterns(flags.get("mask_patterns") or ()),
        typed=typed,
    )


def hidden_in_screen(screen: Mapping[str, Any]) -> tuple[NormBox, ...]:
    """The places that were painted over in the picture of a screen that was kept."""
    return tuple((box[0], box[1], box[2], box[3]) for box in screen.get("hidden") or ())


def kept_in_part(screen: Mapping[str, Any], size: Size) -> tuple[TextLine, ...]:
    """The lines of a screen that was kept which its picture does not show, as far as they were kept."""
    perception = screen.get("perception") or {}
    lines = zip(perception.get("detected_text") or (), perception.get("text_boxes") or (), strict=False)
    return tuple(TextLine(text=t, box=Box.from_normalised(tuple(box), size)) for t, box in lines if HIDDEN in t)


def covered(state: ScreenState, places: Sequence[NormBox]) -> ScreenState:
    """The screen with those places painted over, its texts as they were read."""
    return replace(state, frame=_with(state.frame, places))


def is_as_kept(screen: Mapping[str, Any], now: ScreenState) -> bool:
    """Whether what was hidden of a screen that was kept is, to the pixel, what stands there now."""
    boxes = [Box.from_normalised(place, now.frame.size) for place in hidden_in_screen(screen)]
    return hmac.compare_digest(str(screen.get("seal") or ""), sealed(now.frame.pixels, boxes))


def sealed(pixels: np.ndarray, boxes: Sequence[Box]) -> str:
    """A keyed digest of what stands in the boxes, equal where nothing changed; empty where there are no boxes."""
    if not boxes:
        return ""
    seal = hmac.new(settings.SECRET_KEY.encode(), digestmod="sha256")
    for box in boxes:
        seal.update(repr(tuple(box)).encode())
        seal.update(np.ascontiguousarray(pixels[box.y : box.bottom, box.x : box.right]).data)
    return seal.hexdigest()


def _is_ours(key: str, value: Any) -> bool:
    return key in OURS and isinstance(value, str)


def _with(frame: Frame, places: Sequence[NormBox]) -> Frame:
    return replace(frame, pixels=painted_over(frame.pixels, places)) if places else frame


def _around(box: Box, size: Size) -> Box:
    """A line as it was found may cut its letters: some pixels more on all sides."""
    return box.grown(max(3, box.h // 3), size)


def _meet(a: Box, b: Box) -> bool:
    return a.intersection(b).area > 0


def _in_any(box: Box, places: Sequence[Box]) -> bool:
    return any(_meet(box, place) for place in places)


def _rows(texts: Sequence[TextLine]) -> list[list[int]]:
    """The lines that stand beside each other, from left to right; those alone are left out."""
    rows: list[list[int]] = []
    for n in sorted(range(len(texts)), key=lambda n: texts[n].box.x):
        box = texts[n].box
        for row in rows:
            last = texts[row[-1]].box
            shared = min(last.bottom, box.bottom) - max(last.y, box.y)
            if shared > min(last.h, box.h) / 2 and box.x - last.right < _APART * max(last.h, box.h):
                row.append(n)
                break
        else:
            rows.append([n])
    return [row for row in rows if len(row) > 1]


def _without(text: str, parts: Sequence[tuple[int, int]]) -> str:
    for a, b in reversed(parts):
        text = text[:a] + HIDDEN + text[b:]
    return text


def _unchanged_parts(now: np.ndarray, read: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """`shown`, the picture of what was read, without the squares that have changed since."""
    height, width = now.shape[:2]
    differs = (now != read).any(axis=2)
    padded = np.zeros((-(-height // TILE) * TILE, -(-width // TILE) * TILE), bool)
    padded[:height, :width] = differs
    tiles = padded.reshape(padded.shape[0] // TILE, TILE, padded.shape[1] // TILE, TILE).any(axis=(1, 3))
    if not tiles.any():
        return shown
    squares = np.repeat(np.repeat(tiles, TILE, axis=0), TILE, axis=1)[:height, :width]
    pixels = shown.copy()
    pixels[squares] = (128, 128, 128)
    return pixels
