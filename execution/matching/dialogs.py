"""What came over a known screen and is no screen of the workflow: its title, what it says, its buttons, its place.

The page behind a dialog can often still be read, so that it is recognised as if nothing lay over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from execution.language.fuzzy import SEEN, words
from execution.language.screen_texts import ScreenWords, wanted
from execution.matching.references import Reading
from execution.matching.windows import title_matches
from execution.perception.changes import Changes, find_changes, union
from execution.perception.elements.controls import TALLEST_ROW
from execution.perception.elements.scene import frames_on
from execution.types import Box, Element, ElementRole, ScreenState, TextLine
from sentences.said import say
from workflows.graph import NodeSpec

# A dialog inside a window leaves some of it on every side, and most of what was read around it can still be read.
LARGEST = 0.6
_RIM = 0.02
_STILL_READ = 0.5
_IN_PLACE = 8  # pixels: a line that moved farther is not where it was; a ring of the focus lies within
_PADDING = 24  # pixels around the texts of a dialog whose frame was not found
_DIMMED, _MOSTLY = 8, 0.5  # levels, and the share of the pixels around it that are darker or paler by as much
_INK = 60  # levels over the ground: writing
_SAME_FRAME = 0.7
_COVERED = 0.2
_EDGE = 4  # pixels from its outermost side to where a border with round corners is drawn
_FADED = 0.7  # of its contrast: writing that has less lies under something
_MARKS = frozenset({ElementRole.CHECKBOX, ElementRole.RADIO})
_FIXED = 2  # lines that the picture of a screen and the screen share at least, to compare the two by them
_OWN = 0.5  # of a dialog's lines: so many stand on the picture of a node that shows it


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """Something unknown that lies over a known screen: its title, if it has a window, what it says, and its buttons.

    `box` is where, in pixels of the screen.
    """

    title: str
    texts: tuple[str, ...]
    box: Box
    buttons: tuple[Element, ...] = ()

    @property
    def told(self) -> str:
        """Its title, what it says besides, and its buttons."""
        named = {words(text).key for text in (self.title, *(button.text for button in self.buttons))}
        said = " ".join(text for text in self.texts if words(text).key not in named)[:400]
        code = "dialog.says" if self.title and said else "dialog.titled" if self.title else "dialog.untitled"
        told = say(code, title=self.title, said=said.rstrip(".") if self.buttons else said)
        names = [button.text for button in self.buttons]
        return say("dialog.with_buttons", dialog=told, names=names) if names else told

    def to_json(self, state: ScreenState) -> dict[str, Any]:
        """For the pages: boxes as fractions of the screen, and the title of the window in front with it."""
        size = state.frame.size
        return {
            "title": self.title,
            "window": state.window.title if state.window else "",
            "texts": list(self.texts),
            "box": list(self.box.normalised(size)),
            "buttons": [{"text": b.text, "box": list(b.box.normalised(size))} for b in self.buttons],
        }


def over_known(state: ScreenState, known: ScreenState | None) -> Dialog | None:
    """What lies over the screen that was known last; None if that screen is simply another one now."""
    if known is None or known.frame.size != state.frame.size:
        return None
    return _other_window(state, known) or _on_page(state, known, frameless=False) or _inside_window(state, known)


def is_same_page(state: ScreenState, known: ScreenState) -> bool:
    """Whether most of what was read then can still be read: something may lie over it, but it is no other page."""
    return _still_behind(state, known, Box(0, 0, 0, 0))


def over_recognised(
    state: ScreenState,
    known: ScreenState | None,
    node: NodeSpec,
    *,
    taught: Reading | None,
    variables: Mapping[str, str],
) -> Dialog | None:
    """What lies over a screen although it was recognised as `node`; None for what belongs to that node.

    Stricter than `over_known`, as nothing is amiss else: another window, or a box with buttons that hides a part of the
    page or dims the rest. `taught` is what was read on the node's own picture.
    """
    if known is None or known.frame.size != state.frame.size or not state.text_method:
        return None
    dialog = _other_window(state, known) or _on_page(state, known, frameless=True)
    return None if dialog is None or _belongs(dialog, state, node, taught, variables) else dialog


def over_taught(
    state: ScreenState,
    node: NodeSpec,
    *,
    taught: Reading,
    picture: np.ndarray | None,
    variables: Mapping[str, str],
) -> Dialog | None:
    """What lies over `node`, or over what is most like it, if that is not the screen known last: told by its picture.

    The data on it may be another day's. A dialog is a small window of another title, or a box with buttons that was not
    there, where what both show around it is darker or paler now, or where it hides something and none of its buttons is
    the screen's own. Without a box it is all new texts together, if none of the screen's stands among them and the rest
    is dimmed. `picture`: BGR, None where it cannot be had.
    """
    if taught.size != state.frame.size or not state.text_method:
        return None
    fixed = _fixed(state, taught)
    if len(fixed) < _FIXED:
        return None
    known = _moved(taught, state, fixed)
    if (over := _small_window(state, known)) and node.window_title and not _is_named(node, over.title, variables):
        return over
    window, on_picture = state.front, {words(line.text).key for line in taught.texts}
    fresh = [t for t in state.texts if window.contains(t.box.center) and words(t.text).key not in on_picture]
    framed = _framed(state, known, window, fresh)
    box = framed or (_apart(fresh, fixed, window, state, picture) if picture is not None else None)
    if box is None or _is_grown(box, known) or not _has_rim(box, window) or not _still_behind(state, known, box):
        return None
    dialog = _dialog(state, box, [line for line in state.texts if box.contains(line.box.center)])
    around = [(now, then) for now, then in fixed if not box.intersection(now.box).area]
    strange = not any(words(button.text).key in on_picture for button in dialog.buttons)
    dimmed = picture is not None and _are_dimmed(state, picture, around)
    covers = bool(dialog.buttons) and (dimmed or (strange and _hides(box, state, known))) if framed else dimmed
    return dialog if covers and not _belongs(dialog, state, node, taught, variables) else None


def _apart(
    fresh: Sequence[TextLine],
    fixed: Sequence[tuple[TextLine, TextLine]],
    window: Box,
    state: ScreenState,
    picture: np.ndarray,
) -> Box | None:
    """Where the new lines on a ground of their own stand together; None where lines of the screen stand among them.

    The screen's data, new as well, lie under what dims it and have a ground that the rest has; what is drawn as
    on the picture and was read otherwise is nothing new.
    """
    grounds = [_shades(state.frame.crop(now.box))[0] for now, _then in fixed]
    dx, dy = _shift(fixed)
    own = []
    for line in fresh:
        then = Box(line.box.x - dx, line.box.y - dy, line.box.w, line.box.h)
        before = picture[max(0, then.y) : then.bottom, max(0, then.x) : then.right]
        now, was = _shades(state.frame.crop(line.box)), _shades(before) if before.size else (np.inf, np.inf)
        as_before = all(abs(a - b) <= _DIMMED for a, b in zip(now, was, strict=True))
        if not as_before and all(abs(now[0] - ground) > _DIMMED for ground in grounds):
            own.append(line.box)
    if not own:
        return None
    box = union(own)
    if box.area > LARGEST * window.area or any(box.contains(now.box.center) for now, _then in fixed):
        return None
    return box.grown(_PADDING, state.frame.size)


def _shift(fixed: Sequence[tuple[TextLine, TextLine]]) -> tuple[int, int]:
    """How far what both show has moved since the picture, in pixels."""
    dx, dy = (round(float(np.median([now.box[i] - then.box[i] for now, then in fixed]))) for i in (0, 1))
    return dx, dy


def _fixed(state: ScreenState, taught: Reading) -> list[tuple[TextLine, TextLine]]:
    """The lines that stand once on the screen and once on its picture: now, and then."""
    now, then = _once(state.texts), _once(taught.texts)
    return [(line, then[key]) for key, line in now.items() if key in then]


def _once(lines: Sequence[TextLine]) -> dict[str, TextLine]:
    keys = [words(line.text).key for line in lines]
    return {key: line for key, line in zip(keys, lines, strict=True) if key and keys.count(key) == 1}


def _moved(taught: Reading, state: ScreenState, fixed: Sequence[tuple[TextLine, TextLine]]) -> ScreenState:
    """What was read on the picture, as if its window had lain where it lies now."""
    dx, dy = _shift(fixed)
    return replace(
        state,
        texts=tuple(replace(t, box=Box(t.box.x + dx, t.box.y + dy, t.box.w, t.box.h)) for t in taught.texts),
        elements=tuple(replace(e, box=Box(e.box.x + dx, e.box.y + dy, e.box.w, e.box.h)) for e in taught.elements),
    )


def _is_grown(box: Box, known: ScreenState) -> bool:
    """Whether it is a frame of the screen itself that holds more, or less, than when it was taught."""
    groups = [e.box for e in known.elements if e.role is ElementRole.GROUP]
    return any(max(abs(g.x - box.x), abs(g.y - box.y), abs(g.right - box.right)) <= _IN_PLACE for g in groups)


def _are_dimmed(state: ScreenState, picture: np.ndarray, fixed: Sequence[tuple[TextLine, TextLine]]) -> bool:
    """Whether most of the lines lie under something: their ground is another, or their writing is paler."""
    dimmed = 0
    for now, then in fixed:
        ground, ink = _shades(state.frame.crop(now.box))
        old_ground, old_ink = _shades(picture[then.box.y : then.box.bottom, then.box.x : then.box.right])
        alike = ink * old_ink > 0 and abs(ink) <= abs(old_ink)
        dimmed += alike and (abs(ground - old_ground) > _DIMMED or abs(ink) < _FADED * abs(old_ink))
    return dimmed > _MOSTLY * len(fixed)


def _shades(pixels: np.ndarray) -> tuple[float, float]:
    """The ground of a line, and how much darker (negative) or lighter its writing is."""
    grey = pixels.astype(np.int16).mean(axis=2)
    ground, low, high = np.median(grey), grey.min(), grey.max()
    return float(ground), float(low - ground if ground - low > high - ground else high - ground)


def _belongs(
    dialog: Dialog, state: ScreenState, node: NodeSpec, taught: Reading | None, variables: Mapping[str, str]
) -> bool:
    """Whether the node shows it itself: its title, its picture or a text that it declares says so."""
    if dialog.title and _is_named(node, dialog.title, variables):
        return True
    if taught is not None:
        on_picture = ScreenWords(taught.texts)
        named = {button.text for button in dialog.buttons}  # a page may have a “Save” and a “Cancel” of its own
        says = [text for text in dialog.texts if text not in named]
        return all(sum(on_picture.seen(t) >= SEEN for t in some) >= _OWN * len(some) for some in (dialog.texts, says))
    inside = ScreenWords(tuple(line for line in state.texts if dialog.box.contains(line.box.center)))
    outside = ScreenWords(tuple(line for line in state.texts if not dialog.box.contains(line.box.center)))
    wants = [want.text for text in node.texts if not (want := wanted(text, variables)).problem]
    return any(inside.seen(text) >= SEEN > outside.seen(text) for text in wants)


def _other_window(state: ScreenState, known: ScreenState) -> Dialog | None:
    """Another window has the focus, and leaves what was known in sight behind it."""
    now, then = state.window, known.window
    other = now is not None and then is not None and now.title != then.title and now.box != then.box
    return _small_window(state, known) if other else None


def _small_window(state: ScreenState, known: ScreenState) -> Dialog | None:
    """The window that has the focus, if it is small and most of what was known can still be read around it."""
    window, size = state.window, state.frame.size
    if window is None or window.box is None or window.box.area > LARGEST * size.width * size.height:
        return None
    lines = [line for line in state.texts if window.box.contains(line.box.center)]
    stands = _still_behind(state, known, window.box)
    return _dialog(state, window.box, lines, title=window.title) if stands else None


def _is_named(node: NodeSpec, title: str, variables: Mapping[str, str]) -> bool:
    want = wanted(node.window_title, variables)
    return bool(node.window_title) and not want.problem and title_matches(want.text, title)


def _on_page(state: ScreenState, known: ScreenState, *, frameless: bool) -> Dialog | None:
    """New texts in the middle of a page that stands as it stood: dimming it, or a box with buttons that hides some;
    `frameless`: also where no frame was found around them."""
    window = state.front
    came = _came(find_changes(known.frame.crop(window), state.frame.crop(window)), window, state, known)
    new = _fresh(state, known, window)
    fresh = [line for line in new if any(line.box.intersection(box).area for box in came)]
    if not fresh:
        return None
    framed = _framed(state, known, window, fresh)
    box = framed or union([line.box for line in fresh]).grown(_PADDING, state.frame.size)
    if box.area > LARGEST * window.area or not _has_rim(box, window):
        return None
    if not _still_behind(state, known, box, within=window):
        return None
    lines = [line for line in state.texts if box.contains(line.box.center)]
    dialog = _dialog(state, box, lines)
    if _is_dimmed(state, known, window, box):
        return dialog  # nothing behind it is there to be clicked, whether its buttons were found or not
    said = {words(line.text).key for line in known.texts}
    moved = sum(words(line.text).key in said for line in lines) > len(lines) / 2  # where a row of a list went
    near = box.grown(_IN_PLACE, state.frame.size)  # what it cuts is read anew
    is_page = sum(not near.intersection(line.box).area for line in new) > len(new) / 2  # it says more that is new
    is_over = dialog.buttons and not moved and not is_page and _hides(box, state, known)
    return dialog if (framed or frameless) and is_over else None


def _fresh(state: ScreenState, known: ScreenState, window: Box) -> list[TextLine]:
    """The lines in the window that did not stand there. What is drawn as it was and is read only now is not new."""
    return [
        line
        for line in state.texts
        if window.contains(line.box.center)
        and not _stands(line, known.texts)
        and not np.array_equal(state.frame.crop(line.box), known.frame.crop(line.box))
    ]


def _stands(line: TextLine, among: Sequence[TextLine]) -> bool:
    """Whether the line is at its place among those."""
    key, at = words(line.text).key, line.box.center
    return any(
        abs(other.box.center.x - at.x) <= _IN_PLACE
        and abs(other.box.center.y - at.y) <= _IN_PLACE
        and words(other.text).key == key
        for other in among
    )


def _is_covered(line: TextLine, box: Box) -> bool:
    """Whether so much of the line lies under the box that it could not be read any more."""
    return line.box.intersection(box).area >= _COVERED * line.box.area > 0


def _framed(state: ScreenState, known: ScreenState, window: Box, fresh: Sequence[TextLine]) -> Box | None:
    """The smallest new frame that holds buttons and says something besides; what it covers in part is read anew too."""
    buttons = [e.box for e in state.elements if e.role is ElementRole.BUTTON]
    frames = []
    for element in state.elements:
        box = element.box
        if element.role is not ElementRole.GROUP or box.area > LARGEST * window.area or not within(box, window):
            continue
        inside = [b for b in buttons if box.contains(b.center)]
        lines = [line for line in fresh if box.contains(line.box.center)]
        says = [line for line in lines if not any(b.contains(line.box.center) for b in inside)]
        if inside and says and not any(other.box.iou(box) > _SAME_FRAME for other in known.elements):
            frames.append(box)
    return min(frames, key=lambda box: box.area, default=None)


def _is_dimmed(state: ScreenState, known: ScreenState, window: Box, box: Box) -> bool:
    """Whether the window around the box is darker or paler than it was: its ground, or all that is drawn on it and can
    still be seen."""
    step = 4
    now, then = (s.frame.crop(window)[::step, ::step].astype(np.int16).mean(axis=2) for s in (state, known))
    outside = np.ones(now.shape, bool)
    left, top = max(0, box.x - window.x) // step, max(0, box.y - window.y) // step
    outside[top : (box.bottom - window.y) // step + 1, left : (box.right - window.x) // step + 1] = False
    changed = np.abs(now - then) > _DIMMED
    drawn = outside & (np.abs(then - np.median(then)) > _INK)
    paler = changed & (np.abs(now - np.median(now)) > _DIMMED)
    told = ((outside, changed), (drawn, paler))
    return any(bool(part.any()) and float(dimmed[part].mean()) > _MOSTLY for part, dimmed in told)


def _dialog(state: ScreenState, box: Box, lines: Sequence[TextLine], *, title: str = "") -> Dialog:
    buttons = [e for e in state.elements if e.role is ElementRole.BUTTON and e.text and box.contains(e.box.center)]
    return Dialog(title=title, texts=tuple(line.text for line in lines), box=box, buttons=tuple(buttons))


def _inside_window(state: ScreenState, known: ScreenState) -> Dialog | None:
    """All that changed lies in one part of the window, with what was known around it on every side."""
    window = state.front
    before, after = known.frame.crop(window), state.frame.crop(window)
    changes = find_changes(before, after)
    came = _came(changes, window, state, known)
    if changes is None or not came or changes.is_caret_only:
        return None
    over = union(came)
    frame = [e.box for e in state.elements if e.role is ElementRole.GROUP and within(e.box, window)]
    framed = [box for box in frame if box.iou(over) > _STILL_READ and box.area <= LARGEST * window.area]
    framed = [box for box in framed if not any(e.box.iou(box) > _SAME_FRAME for e in known.elements)]
    if not framed and not _has_rim(over, window):
        return None
    box = max(framed, key=lambda b: b.iou(over)) if framed else over
    if box.area > LARGEST * window.area or not _still_behind(state, known, box, within=window):
        return None
    lines = [line for line in state.texts if box.contains(line.box.center)]
    if not lines or any(_stands(line, known.texts) for line in lines):
        return None  # the page's own text is still there: a message came, or the focus went
    if all(any(field.contains(line.box.center) for field in _fields(state)) for line in lines):
        return None  # a field that could not be used holds another value, or can be used now
    return _dialog(state, box, lines) if framed or _is_outlined(changes, _within_window(over, window)) else None


def _is_outlined(changes: Changes, area: Box) -> bool:
    """Whether what changed has edges of its own on all sides, or a ground: a message is ink alone, and of a page that
    is another now so is what came and what went."""
    part = changes.mask[area.y : area.bottom, area.x : area.right]
    if float(part.mean()) > _MOSTLY:
        return True
    sides = (
        part[:, :_EDGE].any(axis=1),
        part[:, -_EDGE:].any(axis=1),
        part[:_EDGE].any(axis=0),
        part[-_EDGE:].any(axis=0),
    )
    return min(float(side.mean()) for side in sides) > _MOSTLY


def _hides(box: Box, state: ScreenState, known: ScreenState) -> bool:
    return any(_is_covered(line, box) and not _stands(line, state.texts) for line in known.texts)


def _has_rim(box: Box, window: Box) -> bool:
    rim_x, rim_y = _RIM * window.w, _RIM * window.h
    return (
        box.x - window.x > rim_x
        and window.right - box.right > rim_x
        and box.y - window.y > rim_y
        and window.bottom - box.bottom > rim_y
    )


def _came(changes: Changes | None, window: Box, state: ScreenState, known: ScreenState) -> list[Box]:
    """Where on the screen something of a window changed, but for what is filled in and marked, as it was or is seen: a
    ring around the one that has the focus may hide what it is."""
    if changes is None:
        return []
    set_by_people = [*_set_by_people(known), *_set_by_people(state), *_areas_in_both(known, state)]
    own = [_within_window(box.grown(_IN_PLACE, state.frame.size), window) for box in set_by_people]
    came = [region for region in changes.regions if changes.within(region).outside(own).regions]
    return [box._replace(x=box.x + window.x, y=box.y + window.y) for box in came]


def _within_window(box: Box, window: Box) -> Box:
    return box._replace(x=box.x - window.x, y=box.y - window.y)


def _set_by_people(known: ScreenState) -> list[Box]:
    """The fields of one line, and the boxes to tick with their captions: what is filled in or marked there lies over
    nothing, nor does a ring around the one that has the focus. What lies over one reaches beyond it."""
    fields = _fields(known)
    marks = [e for e in known.elements if e.role in _MARKS]
    for mark in marks:
        level = (t for t in known.texts if abs(t.box.center.y - mark.box.center.y) < t.box.h)
        beside = (t.box for t in level if mark.text and mark.text in t.text)  # a row of them may be read as one line
        fields.append(union([mark.box, *beside]))
    return fields


def _areas_in_both(known: ScreenState, state: ScreenState) -> list[Box]:
    """The fields of several rows whose frame is still seen, with nothing in it but texts."""
    areas = [e.box for e in known.elements if e.role is ElementRole.FIELD and e.box.h > TALLEST_ROW]
    frames = frames_on(state.frame.pixels, state.texts) if areas else ()
    drawn = [e.box for e in state.elements if e.role is not ElementRole.TEXT]
    return [
        box
        for box in areas
        if any(box.iou(frame) > _SAME_FRAME for frame in frames)
        and not any(within(one, box) and box.iou(one) <= _SAME_FRAME for one in drawn)
    ]


def _fields(state: ScreenState) -> list[Box]:
    """The fields of one line."""
    return [e.box for e in state.elements if e.role is ElementRole.FIELD and e.box.h <= TALLEST_ROW]


def _still_behind(state: ScreenState, known: ScreenState, box: Box, *, within: Box | None = None) -> bool:
    """Whether most of what was read around the box before can still be read there: of a box in a window what that says
    beside it, for what other windows say stands behind any page of its program."""
    whole = within or Box(0, 0, *state.frame.size)
    were = [t for t in known.texts if whole.contains(t.box.center) and not box.intersection(t.box).area]
    around = (t for t in state.texts if whole.contains(t.box.center) and not box.contains(t.box.center))
    seen = ScreenWords(tuple(around))
    still = sum(seen.seen(line.text) >= SEEN for line in were)
    return bool(were) and still >= _STILL_READ * len(were)


def within(inner: Box, outer: Box) -> bool:
    return outer.contains(inner.center) and inner.intersection(outer).area >= 0.95 * inner.area
