"""Dialogs that the workflow says may come over a screen: found on it, and closed as it says.

A dialog is closed only if it is the one that is meant: its window title fits and all its texts stand inside it. One
that is known by nothing but what many dialogs say could be any question, so it is closed by a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords, wanted
from execution.matching.dialogs import within
from execution.matching.windows import title_matches
from execution.types import Box, ElementRole, Point, Resolution, ResolveStatus, ScreenState, Suggestion, TextLine
from sentences.said import say
from workflows.choices import EffectClass
from workflows.commonplaces import is_told_apart
from workflows.graph import EdgeSpec, PopupSpec, TargetSpec

CLOSE = "close_popup"  # no action of the catalogue: nobody teaches it, and only a PopupSpec makes one
MOST_IN_A_ROW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Closable:
    """A declared dialog that is on the screen; `point` is where to click, None where keys close it."""

    spec: PopupSpec
    box: Box
    point: Point | None


def declared(
    popups: Iterable[PopupSpec], state: ScreenState, *, variables: Mapping[str, str], at: Box | None = None
) -> Closable | None:
    """The first of the workflow's dialogs that is seen whole, and can be closed as declared; within `at` where that is
    known to be a dialog's box."""
    return next((found for popup in popups if (found := _seen(popup, state, variables, at))), None)


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
        sentence=say("turn.close_popup", name=spec.name),
        resolution=Resolution(status=status, point=found.point, box=box),
    )


def _seen(popup: PopupSpec, state: ScreenState, variables: Mapping[str, str], at: Box | None = None) -> Closable | None:
    if not state.text_method or not is_told_apart(popup):
        return None
    if popup.window_title and not _title_fits(popup, state, variables):
        return None
    box = _box_of(popup, state, variables, at)
    if box is None:
        return None
    if popup.keys:
        return Closable(spec=popup, box=box, point=None)
    places = [s.box for s in ScreenWords(_lines_in(box, state)).whole_lines(popup.click, minimum=SEEN)]
    return Closable(spec=popup, box=box, point=places[0].center) if len(places) == 1 else None


def _title_fits(popup: PopupSpec, state: ScreenState, variables: Mapping[str, str]) -> bool:
    want = wanted(popup.window_title, variables)
    return not want.problem and state.window is not None and title_matches(want.text, state.window.title)


def _box_of(popup: PopupSpec, state: ScreenState, variables: Mapping[str, str], at: Box | None) -> Box | None:
    """The smallest frame that holds all the texts: a dialog's own in the window, else the window."""
    window = state.front
    frames = [e.box for e in state.elements if e.role is ElementRole.GROUP and within(e.box, window)]
    rooms = sorted(frames, key=lambda box: box.area) if not popup.window_title else []
    for room in [at] if at else [*rooms, window]:
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
