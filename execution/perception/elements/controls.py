"""Buttons and fields: what a frame is, by how its content lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from execution.perception.elements.arrows import arrow_at_end
from execution.perception.elements.cursor import has_cursor
from execution.perception.elements.found import Found
from execution.perception.elements.frames import BorderedBox, Continued
from execution.perception.elements.inks import Ink, chroma, em_of, ink_of
from execution.perception.elements.layout import rows_of
from execution.perception.elements.scene import Scene
from execution.types import Box, Element, ElementRole, TextLine

_LOWEST = 15  # pixels: buttons of dense themes have 18
_LONG = 1.8  # times as wide as high: a field with nothing in it
_MUCH_SMALLER = 0.8  # of the area; what is hardly smaller is the same control drawn with two borders
_WORDED, _PADDED = 2, 3  # letters, and pixels beside them, of a control within another
_APART = 3.0  # heights of a line between two texts that are no one value
_CELLS = 2  # texts in a field: its value and its unit; a row of a table has more
_UNIT = 3  # letters, at most, of what stands at the end of a field: its unit, a sign
TALLEST_ROW = 110  # pixels: one line of text and its padding at 200 %
_RIM = 3  # pixels of a border that do not belong to what lies in it
_GRIP, _LEAST_GRIP = 1.1, 8  # of its corner's side, from which on it is cut; pixels
_TINT = 5  # chroma of the ground of a message
_HIGHEST_FIELD, _HIGHEST_ALONE = 3.9, 4.7  # of the font's size; where the text stands just in the middle
_MIDDLE = 0.1  # of a frame's height
_AS_HIGH = 0.85  # of a frame
_SIDES = 4  # beyond each of which there is another colour
_LINES_OF_AREA = 8  # that a field of several rows holds where it is still told from a text in a frame
_LONGEST_LABEL = 44  # letters on a button
_ARROWS = frozenset("vV▾▼▿⌄∨˅√<>^")
_SURE_LETTER = 0.9  # a reader's confidence in one letter: "B" and "I" on buttons of an editor have more
_ROUND = 0.97  # fullness of a bar whose ends are round
_BADGE = 1.75  # of the font's size: buttons are higher
_LOWEST_TROUGH, _HIGHEST_TROUGH = 10, 40  # pixels
_BROKEN, _BROKEN_WIDTH = 3.2, 5.0  # of the distance between two lines of a label; width by height
COLOURED_FILL = 40  # chroma above which a fill is an accent and not a shade of the ground


@dataclass(slots=True)
class Content:
    """A frame with what lies in it: indices of its lines, and the stretches of x in which anything is drawn.

    `parts` counts the frames in it that are no mere detail, `pieces` all but the smallest, and `worded` those that have
    a text of their own with room around it, as a button in a panel has.
    """

    frame: BorderedBox
    lines: list[int]
    spans: list[tuple[int, int]]
    parts: int
    continued: Continued
    pieces: int = 0
    worded: int = 0
    cells: tuple[Box, ...] = ()  # the parts that are as high as itself, from left to right

    @property
    def holds(self) -> int:
        """How many texts and frames lie in it."""
        return len(self.lines) + self.parts

    @property
    def left(self) -> int:
        return self.spans[0][0] - self.frame.inner.x

    @property
    def right(self) -> int:
        return self.frame.inner.right - self.spans[-1][1]


def contents_of(scene: Scene, frames: Sequence[BorderedBox], runs_on: Sequence[Continued]) -> list[Content]:
    """Each frame (from small to large) with the lines and the frames that lie in it."""
    boxes = np.array([f.box for f in frames], np.int32).reshape(-1, 4)
    contents: list[Content] = []
    for i, frame in enumerate(frames):
        within = _within(boxes, i)
        parts = within[boxes[within, 3] >= 0.4 * frame.box.h]
        contents.append(
            Content(
                frame,
                _held(scene, frame.box),
                _spans(scene, frame),
                len(parts),
                runs_on[i],
                pieces=int((boxes[within, 3] >= _LOWEST).sum()),
                worded=sum(_is_worded(scene, contents[j]) for j in parts if _is_much_smaller(boxes[j], boxes[i]))
                if len(parts) == 1
                else 0,
                cells=tuple(sorted(frames[j].box for j in parts if boxes[j, 3] >= _AS_HIGH * frame.box.h)),
            )
        )
    return contents


def _held(scene: Scene, box: Box) -> list[int]:
    """Indices of the lines whose middle is in the box, except those much higher than it."""
    lines = scene.boxes
    x, y = lines[:, 0] + lines[:, 2] // 2, lines[:, 1] + lines[:, 3] // 2
    inside = (x >= box.x) & (x < box.right) & (y >= box.y) & (y < box.bottom) & (lines[:, 3] <= 2 * box.h)
    return [int(i) for i in np.flatnonzero(inside)]


def _within(boxes: np.ndarray, index: int) -> np.ndarray:
    """The places of the frames (from small to large) that lie in this one, but for the narrowest."""
    x, y, w, h = boxes[index].tolist()
    others = boxes[:index]
    inside = (others[:, 0] >= x - 1) & (others[:, 1] >= y - 1)
    inside &= (others[:, 0] + others[:, 2] <= x + w + 1) & (others[:, 1] + others[:, 3] <= y + h + 1)
    return np.flatnonzero(inside & (others[:, 2] > 12))


def _is_much_smaller(box: np.ndarray, around: np.ndarray) -> bool:
    return bool(box[2] * box[3] < _MUCH_SMALLER * around[2] * around[3])


def _is_worded(scene: Scene, content: Content) -> bool:
    """True for what has a text with room left and right of it: marked letters have none, and a badge is a detail."""
    if not content.lines or not content.spans or _is_badge(scene, content):
        return False
    letters = sum(c.isalpha() for i in content.lines for c in scene.texts[i].text)
    return letters >= _WORDED and min(content.left, content.right) >= _PADDED


def _spans(scene: Scene, frame: BorderedBox) -> list[tuple[int, int]]:
    box = frame.inner
    round_end = 0.2 if frame.fullness < _ROUND else 0.1
    across, down = max(2, round(round_end * box.h)), max(2, round(0.2 * box.h))  # clear of round corners
    middle = Box(box.x + across, box.y + down, box.w - 2 * across, box.h - 2 * down)
    return scene.drawn(middle, gap=max(5, round(0.45 * box.h)))


def control_of(scene: Scene, content: Content) -> Found:
    """What the frame is taken for: a button, a field, a group around other things, or (icon) a part of a picture."""
    frame = content.frame
    role, confidence = _role(scene, content)
    if role is ElementRole.GROUP and _is_being_filled(scene, content):
        role, confidence = ElementRole.FIELD, 0.7
    text = _without_arrow(content, " ".join(scene.texts[i].text for i in content.lines))
    if len(content.lines) == 1 and frame.box.w < 1.7 * frame.box.h and _is_doubtful(scene.texts[content.lines[0]]):
        text = ""
    if role is ElementRole.GROUP and frame.box.h > TALLEST_ROW:
        text = ""  # a pane has no words of its own
    element = Element(box=frame.box, role=role, text=text, confidence=confidence)
    drawn = None if _holds_knob(content) else frame  # a trough is grey, whether it can be moved or not
    return Found(element, drawn, tuple(content.lines))


def _is_lone_letter(line: TextLine) -> bool:
    return len(line.text.strip()) == 1 and line.text.strip().isalpha()


def _is_doubtful(line: TextLine) -> bool:
    """True for a letter that may well be a picture."""
    return _is_lone_letter(line) and line.confidence < _SURE_LETTER


def _is_being_filled(scene: Scene, content: Content) -> bool:
    """True for a frame with a text cursor in it, whatever the focus has made of its border and its ground."""
    frame = content.frame
    if not frame.bordered or frame.box.h < _LOWEST or content.parts or len(content.lines) > _LINES_OF_AREA:
        return False
    if _has_columns(scene, content):
        return False
    return has_cursor(scene.pixels, frame.inner, text=" ".join(scene.texts[i].text for i in content.lines))


def _without_arrow(content: Content, text: str) -> str:
    """The text without the arrow of a list, which readers take for a letter."""
    head, _, tail = text.rpartition(" ")
    return head if head and tail in _ARROWS and len(content.spans) >= 2 else text


def _role(scene: Scene, content: Content) -> tuple[ElementRole, float]:
    frame, box = content.frame, content.frame.box
    if _holds_knob(content):
        return ElementRole.FIELD, 0.5
    if box.h < _LOWEST or not (frame.bordered or frame.filled):
        return ElementRole.GROUP, 0.3
    if content.lines and _is_pulled(scene, content):
        return ElementRole.FIELD, 0.7
    if content.parts > 1 and _is_pictured(scene, content):
        return ElementRole.BUTTON, 0.6
    if content.cells and _has_steps(scene, content):
        return ElementRole.FIELD, 0.6
    rows = _rows([scene.texts[i].box for i in content.lines])
    if content.continued.upright or rows > 1 or box.h > TALLEST_ROW or content.parts > 1:
        if rows == 2 and _is_broken_label(scene, content):
            return ElementRole.BUTTON, 0.6
        return (ElementRole.FIELD, 0.6) if _is_area(content) else (ElementRole.GROUP, 0.4)
    if not content.spans:
        return _empty(content)
    return _with_content(scene, content)


def _holds_knob(content: Content) -> bool:
    """True for a slider as old tool kits draw it: a long trough with nothing in it but a knob as high as itself."""
    box = content.frame.box
    if content.lines or not content.spans or content.parts < 2 or not content.frame.bordered:
        return False
    knob = content.spans[-1][1] - content.spans[0][0]
    return _LOWEST_TROUGH <= box.h <= _HIGHEST_TROUGH and box.w >= 5 * box.h and 0.6 * box.h <= knob <= 2.8 * box.h


def _is_pictured(scene: Scene, content: Content) -> bool:
    """True for a button whose picture has frames in it, as a printer, a calendar, a box of files have."""
    box = content.frame.box
    if content.lines or content.continued.upright or box.h > TALLEST_ROW or box.w >= 1.7 * box.h:
        return False
    return len(content.spans) == 1 and _holds_sign(scene, content)


def _is_broken_label(scene: Scene, content: Content) -> bool:
    """True for a patch of colour just high enough for the two short lines in its middle, as of a narrow button."""
    frame, box = content.frame, content.frame.box
    if not frame.filled or chroma(frame.fill) <= COLOURED_FILL or content.parts or content.continued.upright:
        return False
    lines = [scene.texts[i] for i in content.lines]
    if len(lines) != 2 or sum(len(line.text) for line in lines) > _LONGEST_LABEL:
        return False
    apart = abs(lines[0].box.center.y - lines[1].box.center.y)
    middle = [abs(line.box.center.x - box.center.x) <= 1.5 * line.box.h for line in lines]
    return all(middle) and box.h <= _BROKEN * apart and box.w <= _BROKEN_WIDTH * box.h


def _rows(boxes: Sequence[Box]) -> int:
    """How many rows of text these are."""
    rows: list[Box] = []
    for box in sorted(boxes, key=lambda b: b.y):
        if not any(abs(box.center.y - row.center.y) < 0.6 * max(row.h, box.h) for row in rows):
            rows.append(box)
    return len(rows)


def _empty(content: Content) -> tuple[ElementRole, float]:
    box = content.frame.box
    if content.frame.bordered and box.w >= _LONG * box.h and box.h >= 17:
        return ElementRole.FIELD, 0.6
    if box.w >= 3 * box.h and box.h >= 22 and _is_sunken(content.frame):
        return ElementRole.FIELD, 0.4
    return ElementRole.GROUP, 0.3


def _with_content(scene: Scene, content: Content) -> tuple[ElementRole, float]:
    frame, box = content.frame, content.frame.box
    left, right = content.left, content.right
    if content.worded:
        return ElementRole.GROUP, 0.4  # a panel or a banner with a button in it
    text = " ".join(scene.texts[i].text for i in content.lines)
    coloured = frame.filled and chroma(frame.fill) > COLOURED_FILL
    if box.w < 1.7 * box.h and not content.lines:
        return (ElementRole.BUTTON, 0.6) if _holds_sign(scene, content) else (ElementRole.ICON, 0.4)
    if content.lines and _is_badge(scene, content):
        return ElementRole.TEXT, 0.5
    centred = _is_centred(left, right, box) and len(content.spans) <= 2
    if coloured:
        return (ElementRole.BUTTON, 0.8) if centred else (ElementRole.GROUP, 0.4)
    if len(content.lines) <= _CELLS and (_has_arrow(content) or _ends_in_arrow(scene, content)):
        return ElementRole.FIELD, 0.7
    if centred and left < 3 * box.h:
        return (ElementRole.BUTTON, 0.7) if len(text) <= _LONGEST_LABEL else (ElementRole.GROUP, 0.4)
    if left <= 1.2 * box.h and len(content.lines) <= _CELLS and len(content.spans) <= 3 and _is_open(scene, content):
        return ElementRole.FIELD, 0.6
    return ElementRole.GROUP, 0.3


def _is_centred(left: int, right: int, box: Box) -> bool:
    return abs(left - right) <= max(4, 0.12 * box.w, 0.25 * box.h)


def _is_badge(scene: Scene, content: Content) -> bool:
    """True for a word on a patch of colour: it is low, has no border, and does not begin with a capital."""
    frame, line = content.frame, scene.texts[content.lines[0]]
    if frame.bordered or not frame.filled or len(content.lines) > 1:
        return False
    if _is_lone_letter(line) and frame.box.w < 1.7 * frame.box.h:
        return False  # as a reader has the picture on a button
    ink = _ink(scene, content)
    first = next((c for c in line.text if c.isalpha()), "A")
    if first.islower():
        return frame.box.w < 14 * frame.box.h
    return ink is not None and frame.box.w < 6 * frame.box.h and frame.box.h < _BADGE * em_of(line.text, ink.box.h)


def _ink(scene: Scene, content: Content) -> Ink | None:
    """How the first line is written, without the border that a reader's box may reach over."""
    inner = content.frame.inner
    pad = max(2, round(0.08 * inner.h))
    within = Box(inner.x + pad, inner.y + pad, inner.w - 2 * pad, inner.h - 2 * pad)
    return ink_of(scene.pixels, scene.texts[content.lines[0]].box.intersection(within))


def _holds_sign(scene: Scene, content: Content) -> bool:
    """True for a picture in a frame with room around it: a button; else the frame is a part of the picture."""
    frame, box = content.frame, content.frame.inner
    if frame.fullness < 0.93 or min(box.w, box.h) < 15:
        return False
    pad = max(2, round(0.12 * box.w))
    part = scene.edges[box.y + box.h // 4 : box.bottom - box.h // 4, box.x : box.right] > 0
    return not part[:, 1:pad].any() and not part[:, -pad:-1].any()


def _is_open(scene: Scene, content: Content) -> bool:
    """True for a frame of its own, as a field has; a stripe of a table goes on to one side, a message is tinted."""
    frame = content.frame
    if not frame.bordered and frame.differing < 4:
        return False
    if not content.lines:
        return True
    if _is_row_of_texts([scene.texts[i] for i in content.lines]):
        return False
    line = scene.texts[content.lines[0]]
    ink = _ink(scene, content)
    if ink is None:
        return True
    tinted = chroma(frame.fill) >= _TINT and frame.filled
    if tinted and ink.coloured > 0.5:
        return False
    middle = frame.bordered and abs(2 * (line.box.center.y - frame.box.center.y)) <= _MIDDLE * frame.box.h
    return frame.box.h <= (_HIGHEST_ALONE if middle else _HIGHEST_FIELD) * em_of(line.text, ink.box.h)


def _has_arrow(content: Content) -> bool:
    """True where something small stands at the right end, away from the rest, or alone where nothing is chosen yet."""
    (start, end), height = content.spans[-1], content.frame.box.h
    if len(content.spans) >= 2:
        before = content.spans[-2][1]
    elif not content.lines and content.frame.box.w >= _LONG * height:
        before = content.frame.inner.x
    else:
        return False
    return end - start <= 0.7 * height and start - before >= 0.5 * height and content.right <= height


def _ends_in_arrow(scene: Scene, content: Content) -> bool:
    """True where it comes so close to the rest that its shape alone tells it."""
    frame, held = content.frame, [scene.texts[i].box for i in content.lines]
    return bool(held) and arrow_at_end(scene.pixels, frame.inner, frame.fill, held) is not None


def _has_steps(scene: Scene, content: Content) -> bool:
    """True for a field with buttons at its end, as those are that count up and down or open a list: each shows a sign
    alone. What is written in the middle of its part is a button with another one beside it."""
    box = content.frame.box
    buttons = [cell for cell in content.cells if cell.x > box.x + _RIM]
    if (
        not buttons
        or box.h > TALLEST_ROW
        or buttons[-1].right < box.right - _RIM
        or any(c.w > c.h * 1.7 for c in buttons)
    ):
        return False
    held = [scene.texts[i].box for i in content.lines]
    end = buttons[0].x
    if end - box.x < _LONG / 2 * box.h or any(text.center.x >= end for text in held) or len(held) != 1:
        return False
    left, right = held[0].x - box.x, end - held[0].right
    return left <= box.h and not _is_centred(left, right, box._replace(w=end - box.x))


def _is_row_of_texts(lines: Sequence[TextLine]) -> bool:
    """True for texts far from each other, as the cells of a row are; a field has one, and its unit."""
    ordered = sorted(lines, key=lambda line: line.box.x)
    return any(
        after.box.x - before.box.right > _APART * before.box.h and len(after.text.strip()) > _UNIT
        for before, after in pairwise(ordered)
    )


def _is_area(content: Content) -> bool:
    """True for an empty field of several rows.

    Tables, lists and panels have borders too; what lies in them are targets, and they are none.
    """
    return not content.lines and _is_roomy(content) and (content.frame.bordered or _is_sunken(content.frame))


def _is_sunken(frame: BorderedBox) -> bool:
    """True where a shade of the ground is all that a field shows of itself."""
    return frame.differing == _SIDES and chroma(frame.fill) < COLOURED_FILL


def _is_pulled(scene: Scene, content: Content) -> bool:
    """True for a field with the corner by which it is pulled larger, however many lines are in it."""
    frame = content.frame
    if not _is_roomy(content) or not (frame.bordered or frame.differing == _SIDES):
        return False
    return _has_grip(scene, frame.inner) and not _has_columns(scene, content)


def _is_roomy(content: Content) -> bool:
    box = content.frame.inner
    return box.h >= 30 and box.w >= 60 and not content.continued.upright and not content.pieces


def _has_columns(scene: Scene, content: Content) -> bool:
    rows = rows_of(scene.texts, content.lines)
    return any(_is_row_of_texts([scene.texts[i] for i in row]) for row in rows)


def _has_grip(scene: Scene, box: Box) -> bool:
    """True where the lower right corner is cut by slanting lines, and nothing else is near it."""
    reach = min(28, box.h // 2)
    near = scene.edges[box.bottom - reach : box.bottom - _RIM, box.right - 2 * reach : box.right - _RIM] > 0
    down, across = np.nonzero(near)
    if not len(down):
        return False
    slanting = (across - reach) + down >= _GRIP * reach
    level = near.mean(axis=1).max() > 0.5 or near[:, reach:].mean(axis=0).max() > 0.5
    return bool(slanting.all() and not level and len(down) >= _LEAST_GRIP)
