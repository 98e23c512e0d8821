"""The detector that needs no weights: frames, small pictures and the colours of text, on flat surfaces.

What an element is taken for depends on its row, its column and on others of its kind: a picture is searched as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from execution.perception.elements.base import in_order
from execution.perception.elements.cells import cells_among, days_of, without_cells
from execution.perception.elements.choices import captioned, choices_of
from execution.perception.elements.controls import Content, contents_of, control_of
from execution.perception.elements.found import Found, lines_in
from execution.perception.elements.frames import BorderedBox, continued
from execution.perception.elements.icons import icons_of
from execution.perception.elements.links import links_of
from execution.perception.elements.markers import beside_each_other, cut_at
from execution.perception.elements.menus import bar_items, column_items
from execution.perception.elements.patches import is_patch, tags_among, with_low_buttons
from execution.perception.elements.scene import Scene, frames_on
from execution.perception.elements.scroll_bars import without_scroll_bars
from execution.perception.elements.sliders import sliders_of
from execution.perception.elements.states import with_states
from execution.perception.elements.tabs import tabs_of
from execution.perception.pixels import check_bgr
from execution.types import Box, Element, ElementRole, TextLine

_GROUPED = 2  # texts or frames that a group has at least
_RING, _RING_OF_CAPTION = 2.0, 1.6  # of the size of the font: what is higher is a button
_MOST = 2000  # elements of one picture; noise has tens of thousands


class FrameDetector:
    """Finds controls by what is drawn around them and takes what is read inside for their text."""

    name = "builtin"
    reach: int | None = None  # pixels around a change that it must see again: all, which takes it 20 to 60 ms

    def detect(self, pixels: np.ndarray, texts: Sequence[TextLine]) -> tuple[Element, ...]:
        """The elements of a BGR picture whose lines of text are `texts`, from top to bottom, then from left to right.

        Every line that is in no element comes as `text`. ValueError for what is no BGR picture.
        """
        check_bgr(pixels)
        scene = Scene(pixels, texts)
        frames_on(pixels, tuple(texts), scene)
        choices = choices_of(scene)
        if markers := beside_each_other(scene, choices, texts):
            cut = cut_at(texts, [*choices, *markers])
            scene = Scene(pixels, cut, captions=set(cut) - set(texts))
            choices = _with_markers(scene, choices_of(scene), markers)
        found = with_states(scene, _found(scene, choices))
        elements = [f.element for f in found]
        elements += _texts(scene, found)
        return in_order(elements)[:_MOST]


def _with_markers(scene: Scene, choices: list[Found], markers: Sequence[Found]) -> list[Found]:
    """The choices, and of the markers those that are none of them."""
    more = [m for m in markers if not any(c.element.box.contains(m.element.box.center) for c in choices)]
    # of a line whose words have no places nobody knows which are whose
    return choices + [one for m in more if (one := captioned(scene, m)).lines or not scene.tells_words(m.element.box)]


def _found(scene: Scene, choices: list[Found]) -> list[Found]:
    """All elements but the texts; `choices` are known."""
    every = range(len(scene.texts))
    frames = _plain(scene, choices)
    contents = contents_of(scene, frames, continued(scene.edges, frames))
    days = days_of(scene, contents)
    dated = lines_in(days)
    controls = _controls(scene, contents, dated)

    inside = lines_in(f for f, _ in controls if f.solid) | dated
    tabs = tabs_of(scene, contents, [i for i in every if i not in inside])
    inside |= lines_in(tabs)
    patches = {i for f, c in controls if c.frame.filled and not c.frame.bordered for i in f.lines} - lines_in(tabs)
    patches -= dated
    labels = lines_in(choices)
    items = column_items(scene, [i for i in every if i not in labels and (i not in inside or i in patches)])
    inside |= lines_in(items)
    items += bar_items(scene, [i for i in every if i not in labels and i not in inside])

    kept = [*_kept_controls(controls, tabs, items), *days]
    covered = [f.element.box for f in (*kept, *items) if f.role != ElementRole.GROUP]
    buttons = lines_in(f for f in kept if f.solid)  # what seemed a choice's label is in one: it is a button beside it
    choices = [c for c in _uncovered(choices, covered) if not buttons.intersection(c.lines)]
    inside = buttons | lines_in([*tabs, *items])
    inside |= {i for c in contents if is_patch(c) for i in c.lines}
    links = links_of(scene, [i for i in every if i not in inside])
    found = [*choices, *kept, *tabs, *items, *links]
    found += sliders_of(scene, [f.element.box for f in found if f.role in (ElementRole.BUTTON, ElementRole.FIELD)])
    taken = [f.element.box for f in found if f.role != ElementRole.GROUP]
    return without_scroll_bars(scene, found + icons_of(scene, taken))


def _controls(scene: Scene, contents: Sequence[Content], dated: set[int]) -> list[tuple[Found, Content]]:
    """What each frame is taken for, but for those around the lines that are dated: these are told already."""
    tags, cells = tags_among(scene, contents), cells_among(contents)
    places = [i for i, c in enumerate(contents) if i not in tags and not (len(c.lines) == 1 and c.lines[0] in dated)]
    controls = [(control_of(scene, contents[i]), contents[i]) for i in places]
    controls = without_cells(controls, {n for n, i in enumerate(places) if i in cells})
    return with_low_buttons(controls)


def _plain(scene: Scene, choices: Sequence[Found]) -> list[BorderedBox]:
    """The frames that are no choice, nothing within one, no ring around one, and no letter."""
    boxes = [c.element.box for c in choices]
    return [
        f
        for f in scene.frames
        if not any(b.contains(f.box.center) and f.box.area <= b.area for b in boxes)
        and not any(_is_ring(scene, f, choice) for choice in choices)
        and not scene.is_letter(f)
    ]


def _is_ring(scene: Scene, frame: BorderedBox, choice: Found) -> bool:
    """Whether it is drawn around a choice with its caption, or around that alone, as what has the focus is."""
    if frame.filled or not choice.lines:
        return False
    mark, ring = choice.element.box, frame.box
    caption = max(mark.right, scene.texts[choice.lines[0]].box.x) + mark.w // 2
    high = _RING if ring.contains(mark.center) else _RING_OF_CAPTION
    is_level = abs(ring.center.y - mark.center.y) <= mark.h / 4
    return is_level and mark.x - mark.w <= ring.x <= caption < ring.right and ring.h <= high * scene.em(choice.lines[0])


def _kept_controls(
    controls: Sequence[tuple[Found, Content]], tabs: Iterable[Found], items: Iterable[Found]
) -> list[Found]:
    """Buttons, fields and groups that are not tabs or menu items, nor parts of other buttons and fields."""
    tabbed, listed = [t.element.box for t in tabs], [i.element.box for i in items]
    kept = []
    for found, content in controls:
        box = found.element.box
        if not found.solid and not (found.role == ElementRole.GROUP and content.holds >= _GROUPED):
            continue
        if any(box.iou(b) > 0.6 for b in tabbed):
            continue
        if not any(b.contains(box.center) and box.h < 1.3 * b.h for b in listed):
            kept.append(found)
    solid = [f.element.box for f in kept if f.solid]
    return _uncovered(kept, solid, share=1.01)


def _uncovered(found: Sequence[Found], others: Sequence[Box], *, share: float = 1.5) -> list[Found]:
    """Those whose middle is in none of the other boxes that are larger."""
    if not found or not others:
        return list(found)
    x, y, w, h = np.array([f.element.box for f in found]).T[:, :, None]
    left, top, width, height = np.array(others).T[:, None, :]
    inside = (x + w // 2 >= left) & (x + w // 2 < left + width) & (y + h // 2 >= top) & (y + h // 2 < top + height)
    covered = (inside & (width * height > share * w * h)).any(axis=1)
    return [f for f, hidden in zip(found, covered.tolist(), strict=True) if not hidden]


def _texts(scene: Scene, found: Sequence[Found]) -> list[Element]:
    """The lines that are in no element; one that holds a link, or is the label of a choice, is a text besides."""
    beside = {ElementRole.CHECKBOX, ElementRole.RADIO, ElementRole.GROUP}
    taken = lines_in(f for f in found if f.role not in beside and f.whole)
    return [
        Element(box=line.box, role=ElementRole.TEXT, text=line.text, confidence=line.confidence)
        for index, line in enumerate(scene.texts)
        if index not in taken
    ]
