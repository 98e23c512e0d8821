"""Check boxes, radio buttons and switches: small plain shapes, most of them beside their label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from execution.perception.elements.found import Found
from execution.perception.elements.frames import BorderedBox
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole, ElementState, TextLine

_SMALLEST, _LARGEST = 9, 60  # pixels: 13 at 100 % in most themes, 20 in large ones, twice that at 200 %
_DISC, _TINY_DISC = 0.87, 0.9  # a disc has 0.785 of its box, more in few pixels; a square with round corners 0.946
_PILL = 0.955  # a pill twice as wide as high has 0.893
_MARK = 40  # levels by which a tick or a dot stands out, on a control that is not faded
_LABEL_GAP = 1.6  # of the side: how far the label may stand
_SMALL_FOR_LABEL, _LARGE_FOR_LABEL = 0.45, 1.7  # of the height of the label's line, of the size of its font
_CLEAR = 0.22  # of the side, to its label: the next letter of a word is at most 0.2 away
_HIGHER = 0.85  # of the size of the font: capitals and digits have 0.73
_PLAIN = 0.8  # of the rim within the border that has the one colour
_NAMED = 0.8  # confidence
_TINY, _PLAIN_TINY = 18, 0.55  # pixels: a tick fills so small a box


def choices_of(scene: Scene) -> list[Found]:
    """The choices, each with the frame it was made of and the line that is its label."""
    found: list[Found] = []
    for frame in reversed(scene.frames):
        if any(f.element.box.contains(frame.box.center) for f in found):
            continue  # the knob of a switch
        role = _shape(scene, frame)
        if role is None:
            continue
        label = _label(scene, frame.box)
        if role == "switch" and _is_digits(scene, frame.box):
            continue
        if label is None and not _free(scene, frame):
            continue
        lines = () if label is None else (label,)
        found.append(Found(_choice(scene, frame, role, label), frame, lines))
    return found


def captioned(scene: Scene, marker: Found) -> Found:
    """A marker that was found beside others, with the caption that was cut for it."""
    label = _label(scene, marker.element.box)
    if label is None:
        return marker
    element = replace(marker.element, text=_label_text(scene.texts[label].text), confidence=_NAMED)
    return replace(marker, element=element, lines=(label,))


def _shape(scene: Scene, frame: BorderedBox) -> str | None:
    """What the shape alone could be: checkbox, radio or switch."""
    box = frame.box
    if not _SMALLEST <= box.h <= _LARGEST or not 0.85 * box.h - 1 <= box.w <= 2.6 * box.h:
        return None
    if box.w > 1.4 * box.h:
        if any(box.contains(t.box.center) and len(t.text) > 1 for t in _beside(scene, box)):
            return None
        return "switch" if frame.fullness < _PILL and _has_knob(scene, frame) else None
    if abs(box.w - box.h) > max(1, round(0.06 * box.h)):
        return None
    if frame.fullness < (_DISC if box.h > _TINY else _TINY_DISC):
        return "radio" if is_round(scene, box) else None
    return "checkbox" if _is_plain(scene, frame) else None


def _beside(scene: Scene, box: Box) -> list[TextLine]:
    return [scene.texts[i] for i in scene.near(box, up=_LARGEST)]


def is_round(scene: Scene, box: Box) -> bool:
    """True where a quarter turn changes nothing."""
    side = min(box.w, box.h)
    corners = {(box.x, box.y), (box.right - side, box.bottom - side)}  # a disc between pixels has a soft side
    parts = [scene.pixels[y : y + side, x : x + side].astype(np.int16) for x, y in corners]
    scale = max(float(np.ptp(parts[0].reshape(-1, 3), axis=0).max()), 1.0)
    return any(float(np.abs(part - np.rot90(part)).max(axis=2).mean()) < 0.12 * scale for part in parts)


def _is_plain(scene: Scene, frame: BorderedBox) -> bool:
    """True where the rim within the border has one colour: a tick stands in the middle."""
    box = frame.box
    inset = max(2, round(0.14 * box.h))
    part = scene.pixels[box.y + inset : box.bottom - inset, box.x + inset : box.right - inset].astype(np.int16)
    if min(part.shape[:2]) < 3:
        return False
    rim = np.concatenate((part[0], part[-1], part[1:-1, 0], part[1:-1, -1]))
    near = np.abs(rim - np.median(rim, axis=0)).max(axis=1) < 28
    return bool(near.mean() >= (_PLAIN if box.h > _TINY else _PLAIN_TINY))


def _label(scene: Scene, box: Box) -> int | None:
    """The index of the line that begins right of the shape, or with the shape as a reader may have it."""
    best: tuple[int, int] | None = None
    for index in scene.near(box, up=0.5 * _LARGEST):
        text = scene.texts[index].box
        if abs(2 * text.y + text.h - 2 * box.y - box.h) > 0.9 * max(box.h, text.h):
            continue
        if not _SMALL_FOR_LABEL * text.h <= box.h <= _LARGE_FOR_LABEL * scene.em(index):
            continue
        if abs(text.x - box.x) <= 6 and text.right > box.right + 4:
            return index if _stands_apart(scene, box, text) else None
        gap = text.x - box.right
        if -4 <= gap <= _LABEL_GAP * box.h + 4 and (best is None or gap < best[0]):
            best = (gap, index)
    return best[1] if best else None


def _stands_apart(scene: Scene, box: Box, line: Box) -> bool:
    """False for the first letter of a word."""
    return box.h >= 0.6 * line.h and not scene.drawn(Box(box.right, line.y, max(2, int(_CLEAR * box.h)), line.h), gap=1)


def _is_digits(scene: Scene, box: Box) -> bool:
    """True for two round digits at the beginning of a line: a switch is higher than they are."""
    lines = [i for i in scene.near(box, up=_LARGEST) if scene.texts[i].box.contains(box.center)]
    return any(box.h < _HIGHER * scene.em(i) for i in lines)


def _free(scene: Scene, frame: BorderedBox) -> bool:
    """A shape without a label counts if nothing is near and no text in it, as in the first column of a table."""
    box = frame.box
    if box.h > 34 or frame.fullness < _DISC or not (frame.bordered or frame.filled):
        return False
    if any(t.box.intersection(box).area > 0.3 * min(t.box.area, box.area) for t in _beside(scene, box)):
        return False
    clear = max(4, box.h // 3)
    around = scene.drawn(Box(box.right + 2, box.y, clear, box.h), gap=1)
    before = scene.drawn(Box(box.x - 1 - clear, box.y, clear - 1, box.h), gap=1)
    return not around and not before


def _choice(scene: Scene, frame: BorderedBox, role: str, label: int | None) -> Element:
    states = set()
    if _knob_right(scene, frame) if role == "switch" else is_marked(scene, frame):
        states.add(ElementState.CHECKED)
    text = _label_text(scene.texts[label].text) if label is not None else ""
    kind = ElementRole.RADIO if role == "radio" else ElementRole.CHECKBOX
    confidence = _NAMED if label is not None else 0.5
    return Element(box=frame.box, role=kind, text=text, confidence=confidence, states=frozenset(states))


def _label_text(text: str) -> str:
    """The label without the sign that a reader saw in the shape before it."""
    return text[1:].lstrip() if text[:1] in set("□☐☑☒✓✔●○◉•©®") else text


def is_marked(scene: Scene, frame: BorderedBox) -> bool:
    """True where the middle is not one colour, or not that of the rim within the border: a tick, a dash, a dot."""
    box = frame.box
    margin, inset = max(2, round(0.24 * box.h)), max(2, round(0.17 * box.h))
    part = scene.pixels[box.y + margin : box.bottom - margin, box.x + margin : box.right - margin].astype(np.int16)
    if not part.size:
        return False
    x, y, near = box.center.x, box.center.y, (inset, -1 - inset)
    sides = [scene.pixels[y, box.x + near[0]], scene.pixels[y, box.right + near[1]]]
    sides += [scene.pixels[box.y + near[0], x], scene.pixels[box.bottom + near[1], x]]
    rim = np.median(np.array(sides), axis=0)
    middle = np.median(scene.pixels[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3), axis=0)
    contrast = float(np.abs(frame.border - frame.outside).max())
    least = min(_MARK, max(14.0, 0.35 * contrast))
    apart = np.abs(part - np.median(part.reshape(-1, 3), axis=0)).max(axis=2)
    return bool((apart > least).mean() > 0.05 or np.abs(middle - rim).max() > least)


def _has_knob(scene: Scene, frame: BorderedBox) -> bool:
    """True for a disc at one end of a bar and nothing else."""
    box = frame.box
    row = scene.pixels[box.y + box.h // 2, box.x : box.right].astype(np.int16)
    left, right = row[box.h // 2], row[box.w - box.h // 2 - 1]
    if np.abs(left - right).max() <= 12:
        return False
    spans = scene.drawn(Box(box.x + 3, box.y + box.h // 2 - 1, box.w - 6, 3), gap=1)
    return 1 <= len(spans) <= 4


def _knob_right(scene: Scene, frame: BorderedBox) -> bool:
    """The end whose middle is not of the bar's colour has the knob."""
    box = frame.box
    row = scene.pixels[box.y + box.h // 2].astype(np.int16)
    left, right = row[box.x + box.h // 2], row[box.right - box.h // 2 - 1]
    top = scene.pixels[box.y + 2 : box.y + 4, box.center.x - 2 : box.center.x + 3].reshape(-1, 3)
    bar = np.median(top, axis=0)
    return bool(np.abs(right - bar).max() > np.abs(left - bar).max())
