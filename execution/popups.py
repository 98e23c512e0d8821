"""Dialogs that come over a screen: recognised as unknown over known, and closed where the workflow says how.

A dialog is closed only if it is the one that is meant: its window title fits and all its texts stand inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from execution.matching.signs import title_matches
from execution.navigation.screen_words import ScreenWords, wanted
from execution.navigation.words import SEEN
from execution.perception.changes import find_changes, union
from execution.types import Box, ElementRole, Point, Resolution, ResolveStatus, ScreenState, Suggestion, TextLine
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, PopupSpec, TargetSpec

CLOSE = "close_popup"  # no action of the catalogue: nobody teaches it, and only a PopupSpec makes one
MOST_IN_A_ROW = 3
# A dialog inside a window leaves some of it on every side, and most of what was read around it can still be read.
_LARGEST = 0.6
_RIM = 0.02
_STILL_READ = 0.5
_TITLE_BAR = 40  # pixels that a window's title bar and border add to its own area
_TEXTS_TOLD = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """Something unknown that lies over a known screen: its title, if it has a window, and what it says."""

    title: str
    texts: tuple[str, ...]

    def __str__(self) -> str:
        said = " ".join(self.texts[:_TEXTS_TOLD])
        return ": ".join(part for part in (f"“{self.title}”" if self.title else "", said) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Closable:
    """A declared dialog that is on the screen; `point` is where to click, None where keys close it."""

    spec: PopupSpec
    box: Box
    point: Point | None


def declared(popups: Iterable[PopupSpec], state: ScreenState, *, variables: Mapping[str, str]) -> Closable | None:
    """The first of the workflow's dialogs that is seen whole, and can be closed as declared."""
    return next((found for popup in popups if (found := _seen(popup, state, variables))), None)


def is_gone(popup: PopupSpec, state: ScreenState, *, variables: Mapping[str, str]) -> bool:
    """Whether nothing of the dialog shows any more; False where the screen was not read."""
    if popup.window_title:
        return state.window is not None and not _title_fits(popup, state, variables)
    return bool(state.text_method) and _seen(popup, state, variables) is None


def suggestion_of(found: Closable, node_id: str) -> Suggestion:
    """Closing it, as something that can be recorded and shown; it belongs to no edge."""
    spec = found.spec
    target = TargetSpec(target_id=f"popup_{spec.name}", label=spec.click, text=spec.click) if spec.click else None
    params: dict[str, Any] = {"keys": spec.keys} if spec.keys else {}
    edge = EdgeSpec(
        edge_id="",
        source=node_id,
        destination=node_id,
        action_type=CLOSE,
        params=params,
        target=target,
        effect_class=EffectClass.OBSERVABLE,
    )
    status = ResolveStatus.FOUND if found.point else ResolveStatus.NOT_NEEDED
    box = Box(found.point.x - 4, found.point.y - 4, 8, 8) if found.point else None
    return Suggestion(
        edge=edge,
        node_id=node_id,
        params=params,
        sentence=_("Close “%(name)s”") % {"name": spec.name},
        resolution=Resolution(status=status, point=found.point, box=box),
    )


def over_known(state: ScreenState, known: ScreenState | None) -> Dialog | None:
    """What lies over the screen that was known last; None if that screen is simply another one now."""
    if known is None or known.frame.size != state.frame.size:
        return None
    return _other_window(state, known) or _inside_window(state, known)


def _other_window(state: ScreenState, known: ScreenState) -> Dialog | None:
    """Another window has the focus, and leaves what was known in sight behind it."""
    now, then = state.window, known.window
    if now is None or then is None or now.box is None or now.title == then.title:
        return None
    if now.box.area > _LARGEST * state.frame.size.width * state.frame.size.height and now.box != then.box:
        return None
    if now.box == then.box or not _still_behind(state, known, now.box.grown(_TITLE_BAR, state.frame.size)):
        return None
    return Dialog(title=now.title, texts=tuple(line.text for line in state.texts if now.box.contains(line.box.center)))


def _inside_window(state: ScreenState, known: ScreenState) -> Dialog | None:
    """All that changed lies in one part of the window, with what was known around it on every side."""
    size = state.frame.size
    window = state.window.box if state.window and state.window.box else Box(0, 0, *size)
    window = window.intersection(Box(0, 0, *size))
    if not window.area:
        return None
    before, after = known.frame.crop(window), state.frame.crop(window)
    changes = find_changes(before, after)
    if changes is None or not changes.regions or changes.is_caret_only:
        return None
    area = union(list(changes.regions))
    frame = [e.box for e in state.elements if e.role is ElementRole.GROUP and _within(e.box, window)]
    over = Box(area.x + window.x, area.y + window.y, area.w, area.h)
    framed = [box for box in frame if box.iou(over) > _STILL_READ and box.area <= _LARGEST * window.area]
    if not framed and not _has_rim(over, window):
        return None
    box = max(framed, key=lambda b: b.iou(over)) if framed else over
    if box.area > _LARGEST * window.area or not _still_behind(state, known, box):
        return None
    came = tuple(line.text for line in state.texts if box.contains(line.box.center))
    return Dialog(title="", texts=came) if came else None


def _has_rim(box: Box, window: Box) -> bool:
    rim_x, rim_y = _RIM * window.w, _RIM * window.h
    return (
        box.x - window.x > rim_x
        and window.right - box.right > rim_x
        and box.y - window.y > rim_y
        and window.bottom - box.bottom > rim_y
    )


def _still_behind(state: ScreenState, known: ScreenState, box: Box) -> bool:
    """Whether most of what was read around the box before can still be read there."""
    were = [line for line in known.texts if not box.intersection(line.box).area]
    words = ScreenWords(tuple(line for line in state.texts if not box.contains(line.box.center)))
    still = sum(words.seen(line.text) >= SEEN for line in were)
    return bool(were) and still >= _STILL_READ * len(were)


def _seen(popup: PopupSpec, state: ScreenState, variables: Mapping[str, str]) -> Closable | None:
    if not state.text_method or not (popup.texts or popup.window_title):
        return None
    if popup.window_title and not _title_fits(popup, state, variables):
        return None
    box = _box_of(popup, state, variables)
    if box is None:
        return None
    if popup.keys:
        return Closable(spec=popup, box=box, point=None)
    places = [s.box for s in ScreenWords(_lines_in(box, state)).whole_lines(popup.click, minimum=SEEN)]
    return Closable(spec=popup, box=box, point=places[0].center) if len(places) == 1 else None


def _title_fits(popup: PopupSpec, state: ScreenState, variables: Mapping[str, str]) -> bool:
    want = wanted(popup.window_title, variables)
    return not want.problem and state.window is not None and title_matches(want.text, state.window.title)


def _box_of(popup: PopupSpec, state: ScreenState, variables: Mapping[str, str]) -> Box | None:
    """The smallest frame that holds all the texts: a dialog's own in the window, else the window."""
    everything = Box(0, 0, *state.frame.size)
    window = state.window.box.intersection(everything) if state.window and state.window.box else everything
    frames = [e.box for e in state.elements if e.role is ElementRole.GROUP and _within(e.box, window)]
    rooms = sorted(frames, key=lambda box: box.area) if not popup.window_title else []
    for room in [*rooms, window]:
        lines = _lines_in(room, state)
        if _all_in(popup.texts, lines, variables) and (not popup.click or _all_in((popup.click,), lines, variables)):
            return room
    return None


def _all_in(texts: Iterable[str], lines: tuple[TextLine, ...], variables: Mapping[str, str]) -> bool:
    words = ScreenWords(lines)
    wants = [wanted(text, variables) for text in texts]
    return all(not want.problem and words.seen(want.text, strict=want.exact) >= SEEN for want in wants)


def _lines_in(box: Box, state: ScreenState) -> tuple[TextLine, ...]:
    return tuple(line for line in state.texts if box.contains(line.box.center))


def _within(inner: Box, outer: Box) -> bool:
    return outer.contains(inner.center) and inner.intersection(outer).area >= 0.95 * inner.area
