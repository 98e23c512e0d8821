"""What a run has put into the fields of a screen, looked at again before what saves or sends it (S9.8).

A page may empty one field while another is filled in, or put back what stood there before; what is saved then was
never meant. Only what was seen to stand there is looked for again, and only while its field is in sight.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from execution.language.fuzzy import SEEN, similarity
from execution.language.letters import shown_in
from execution.language.written_forms import same_value
from execution.perception.elements.layout import union
from execution.targeting.boxes import same_box
from execution.teaching.labels import naming_label
from execution.types import Box, Element, ElementRole, ScreenState, Suggestion
from execution.verification.chosen import control_box, value_lines
from sentences.said import say
from workflows.catalogue import VALUE_PARAMS, effect_of
from workflows.choices import MAY_SAVE
from workflows.graph import EdgeSpec
from workflows.text import names

_NOISE = 16  # levels
_BORDER, _WIDEST, _FULL = 4, 3, 0.9  # pixels of a control's border, and of a caret; of a line's height
_CONTROLS = frozenset({ElementRole.FIELD, ElementRole.BUTTON})


@dataclass(frozen=True, slots=True)
class _Put:
    value: str
    seen: str  # what was read there once it stood
    box: Box
    label: str = ""  # what named its field then
    drawn: np.ndarray | None = field(default=None, compare=False, repr=False)  # its letters in grey


class PutValues:
    """The values of one screen, by where they stand. `secret` are names of variables that nothing is kept of."""

    def __init__(self, secret: Collection[str]) -> None:
        self._secret = frozenset(secret)
        self._put: list[_Put] = []

    def verified(self, suggestion: Suggestion, after: ScreenState | None) -> None:
        """An act was seen to be done: what it put there stands there, what leads on leaves it behind.

        Without a screen it was done before another run loop took over: how its field wrote it nobody knows any more.
        """
        edge, box = suggestion.edge, suggestion.resolution.box
        param = VALUE_PARAMS.get(edge.action_type)
        if param is None:
            if leaves_behind(edge):
                self._put.clear()
            return
        value = str(suggestion.params.get(param, ""))
        if box is None or not value.strip() or edge.action_type == "set_state" or names(edge.params) & self._secret:
            return
        control = control_box(box, after) if after else box
        self._put = [one for one in self._put if not same_box(one.box, control)]
        if seen := _read(control, after) if after else value:
            told = (_label(control, after), _drawn(control, after)) if after else ()
            self._put.append(_Put(value, seen, control, *told))

    def problem(self, edge: EdgeSpec, state: ScreenState) -> str:
        """Why what the run has put there is not saved, with both values; "" where it stands, or is out of sight."""
        only_types = edge.action_type in VALUE_PARAMS and not edge.params.get("enter")
        if only_types or effect_of(edge) not in MAY_SAVE or not self._put:
            return ""
        if not state.text_method:
            return say("turn.not_read")
        for put in self._put:
            control = _field_of(put, state)
            if control is None:
                continue
            now = _read(control.box, state)
            if not now:
                return say("turn.value_gone", value=put.value)
            if not _as_it_stood(put, now) and not _is_drawn(put, control.box, state):
                return say("turn.value_changed", value=put.value, now=now)
        return ""


def leaves_behind(edge: EdgeSpec) -> bool:
    """Whether it leads away from what was put on its screen."""
    return edge.action_type not in VALUE_PARAMS and edge.source not in edge.leads_to


def _as_it_stood(put: _Put, now: str) -> bool:
    """To the letter; another way to write a date or a number is not the value's letters, but stands as it stood."""
    found = (shown_in(put.seen, now), shown_in(put.value, now))
    return any(one and one.is_all for one in found) or same_value(put.value, now)


def _read(box: Box, state: ScreenState) -> str:
    return " ".join(line.text for line in value_lines(box, state)).strip()


def _field_of(put: _Put, state: ScreenState) -> Element | None:
    """The control at its place; where none is there, or another label beside it, the page was scrolled: the one that
    its own label names. Where that is not told, what stands at its place is not the value, and a person is asked."""
    at = _control_at(put.box, state.elements)
    if not put.label or (at and similarity(_label(at.box, state) or put.label, put.label) >= SEEN):
        return at
    named = [e for e in state.elements if e.role in _CONTROLS and _label(e.box, state) == put.label]
    return named[0] if len(named) == 1 else at


def _label(box: Box, state: ScreenState) -> str:
    label = naming_label(box, ElementRole.FIELD, state)
    return label.text if label else ""


def _drawn(box: Box, state: ScreenState) -> np.ndarray | None:
    """The letters in a field, with nothing around them: right after they were typed a caret stands behind them, and a
    reader may take it for one, or the ring of the focus for a part of the line."""
    lines = [line.box for line in value_lines(box, state)]
    inner = box.grown(-_BORDER, state.frame.size)
    if not lines or not (within := union(lines).intersection(inner)).area:
        return None
    return _bare(_without_caret(_bare(_grey(within, state))))


def _ink(drawn: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(drawn.astype(np.int16) - int(np.median(drawn))) > _NOISE)


def _bare(drawn: np.ndarray) -> np.ndarray:
    """Without what is empty around it."""
    rows, columns = (np.flatnonzero(_ink(drawn).any(axis=axis)) for axis in (1, 0))
    return drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else drawn


def _without_caret(drawn: np.ndarray) -> np.ndarray:
    """Without a stroke as high as all of it at its end; where that was a letter, it is not the same afterwards."""
    ink = _ink(drawn)
    last = np.flatnonzero(ink.any(axis=0))[-1:]
    if not last.size:
        return drawn
    end = int(last[0])
    stroke = ink[:, end]
    start = end
    while start > 0 and (ink[:, start - 1] == stroke).all():
        start -= 1
    is_bar = stroke.mean() >= _FULL and end - start < _WIDEST and start > 0
    return drawn[:, :start] if is_bar else drawn


def _grey(box: Box, state: ScreenState) -> np.ndarray:
    return cv2.cvtColor(state.frame.crop(box), cv2.COLOR_BGR2GRAY)


def _is_drawn(put: _Put, box: Box, state: ScreenState) -> bool:
    """Whether the very letters stand there that were seen to, and nothing around them, whatever a reader makes of them
    this time."""
    if put.drawn is None:
        return False
    inner = box.grown(-_BORDER, state.frame.size)
    now, (height, width) = _grey(inner, state), put.drawn.shape
    if height > now.shape[0] or width > now.shape[1]:
        return False
    _, _, (x, y), _ = cv2.minMaxLoc(cv2.matchTemplate(now, put.drawn, cv2.TM_SQDIFF))
    if not x or x + width == now.shape[1]:
        return False  # what stands beside them is not seen
    around = now[:, max(0, x - height) : x + width + height].astype(np.int16)
    left = min(x, height)
    same = np.abs(around[y : y + height, left : left + width] - put.drawn).max() <= _NOISE
    around[y : y + height, left : left + width] = around[0, 0]  # an accent above, or a hook below, is another letter
    return bool(same) and int(np.ptp(around)) <= _NOISE


def _control_at(box: Box, elements: Sequence[Element]) -> Element | None:
    return next((e for e in elements if e.role in _CONTROLS and same_box(e.box, box)), None)
