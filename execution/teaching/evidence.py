"""What is kept of a target when it is taught, so that it can be found again and told from its twins (S6.1)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from execution.language.fuzzy import words
from execution.language.joining import part_of
from execution.language.lexicon import is_known
from execution.language.volatile import Kind, lasting, lasting_span, own_text, record_span
from execution.perception.elements.layout import union
from execution.perception.pictures import PictureSink
from execution.perception.scene import scene_of
from execution.targeting.boxes import holds_several, target_box
from execution.targeting.correction import resolve_correction
from execution.targeting.records import card_of, names_record
from execution.teaching.counting import counted
from execution.teaching.labels import CHOICES, NAMED, naming_label
from execution.teaching.panes import scrolling_part
from execution.teaching.parts import text_beside, text_in
from execution.teaching.structure import alike, in_its_window, number_of, role_of, shapes_around
from execution.teaching.values import by_variable, tells_by_itself
from execution.types import Box, ElementRole, Frame, Point, ScreenState, Size, TextLine
from workflows.graph import NeighbourSpec, NormBox, TargetSpec
from workflows.text import names

__all__ = ["resolve_correction", "target_box", "teach_target"]

_CONTEXT_MARGIN = 48
_MOST_NEIGHBOURS = 6
_MOST_AROUND = 40
_MOST_IN_ROW, _MOST_OF_TWINS = 3, 6
_FARTHEST = 400  # pixels, outside its own row
_DRAWN = 2  # characters, at most, that pictures are read as
_NUMBERED = re.compile("[1-9]")  # a day of a calendar, a page; an empty box is read as "0"
_FAR_NARROWER = 0.6  # of the box
_REPEATED = 3  # times on one screen


def teach_target(
    frame: Frame,
    box: Box,
    *,
    label: str,
    state: ScreenState,
    click: Point | None,
    store: PictureSink,
    row: Sequence[str] = (),
    number: str = "",
    values: Mapping[str, str] | None = None,
    structure: bool = True,
) -> TargetSpec:
    """The evidence for what is inside `box`; `click` is where it was clicked, its middle if that is not known.

    A field has no text: what it holds is its content. `row` are texts, with {{variables}}, that must stand in its row.
    `number`, such as "{{n}}", is how a run says which one of its list it wants, `values` say which it is here.
    `structure` False leaves out what is around it but for texts. A box that holds several things that could be meant
    (a table, a panel) is no target: the smallest thing at the click is. Raises ValueError for such a box without a
    click in it, for one that is not on the frame, and where its list cannot be counted.
    """
    box = box.intersection(Box(0, 0, *frame.size))
    if not box.area:
        raise ValueError(_("The target “%(label)s” has a box that is not on the screen.") % {"label": label})
    if holds_several(box, state):
        if click is None or not box.contains(click):
            said = _("The target “%(label)s” holds several things that could be meant. Show which one of them it is.")
            raise ValueError(said % {"label": label})
        box = target_box(state, click)
    window, around = state.window, box.grown(_CONTEXT_MARGIN, frame.size)
    in_window = window.box if window and window.box and window.box.area else None
    picture, role = store.put(frame.crop(box).copy()), role_of(box, state)
    own = {name: value for name, value in (values or {}).items() if name not in names(number)}
    text = text_of(box, role, state, own)
    named_by = naming_label(box, role, state) if role in NAMED or not (role or text) else None
    read = text_of(box, role, state)
    twins = alike(
        box, text=read, role=role, state=state, named_by=named_by.text if named_by else "", exact=read != text
    )
    scrolls = scrolling_part(box, state) if structure else None
    target = TargetSpec(
        target_id="t_" + hashlib.blake2b(f"{label}|{tuple(box)}|{picture}".encode(), digest_size=6).hexdigest(),
        label=lasting(label, but=(Kind.RECORD, Kind.NUMBER)) or label,
        text=text,
        role=role,
        picture=picture,
        context=store.put(frame.crop(around).copy()),
        context_box=around.normalised(frame.size),
        box=box.normalised(frame.size),
        window_box=_in_window(box, in_window) if in_window else None,
        window_title=window.title if window else "",
        app_name=window.app_name if window else "",
        window_size=(in_window.w, in_window.h) if in_window else (0, 0),
        screen_size=(frame.size.width, frame.size.height),
        click=_fraction(click, box),
        neighbours=_neighbours(box, state, own, has_twins=len(twins) > 1),
        named_by=named_by,
        row=tuple(row),
        shapes=shapes_around(box, state) if structure else (),
        number=number_of(box, twins),
        alike=len(twins),
        scroll_box=scrolls.normalised(frame.size) if scrolls else None,
        around=_around(box, state, own),
        caption=_caption(box, state),
        rank=_rank(box, role, state),
    )
    return counted(target, box, state, number=number, values=values or {})[0] if number else target


def text_of(box: Box, role: str, state: ScreenState, values: Mapping[str, str] | None = None) -> str:
    """The text that tells a target: what stands in it, without what changes by itself; "" for a field.

    A check box or radio button has no text of its own, unless its label was taken with it. Where the value of a
    variable stands in it, it is that variable.
    """
    if role == ElementRole.FIELD:
        return ""
    lines = text_in(box, state)
    whole = " ".join(line.text for line in lines)
    if values and (said := by_variable(whole, values)):
        return said
    text = own_text(whole)
    if any(lasting(t.text) == lasting(whole) and t.text != whole and t not in lines for t in state.texts):
        text = whole.strip()  # what changes by itself is here what tells it from the next line
    return "" if _is_drawn(text, box, role, lines) else text


def _is_drawn(text: str, box: Box, role: str, lines: Sequence[TextLine]) -> bool:
    """True for a small picture or an empty check box that was read as "Q", "0" or "+"; a button's "7" or "OK" stays."""
    if not text or len(text.replace(" ", "")) > _DRAWN or is_known(text):
        return False
    if role in CHOICES or role == ElementRole.ICON:
        return True
    wide = max(line.box.right for line in lines) - min(line.box.x for line in lines)
    return not role and (wide < _FAR_NARROWER * box.w or not _NUMBERED.search(text))


def _around(box: Box, state: ScreenState, values: Mapping[str, str]) -> tuple[NeighbourSpec, ...]:
    """The texts of the screen that point at it, whatever they tell it from: where they stand now is where it is now."""
    telling = {name: value for name, value in values.items() if tells_by_itself(value)}
    found = []
    for line, _rare in _told_by(box, state, None, has_twins=False):
        if names_record(line.text):  # of another day, and nobody's business
            continue
        dx, dy = line.box.center.x - box.center.x, line.box.center.y - box.center.y
        said = by_variable(line.text, telling)
        spec = NeighbourSpec(text=said or line.text, dx=dx, dy=dy, w=line.box.w, h=line.box.h)
        found.append((abs(dx) + 2 * abs(dy), spec))
    return tuple(n for _, n in sorted(found, key=_distance)[:_MOST_AROUND])


def _caption(box: Box, state: ScreenState) -> NormBox | None:
    """Where its words lie in it."""
    scene = scene_of(state)
    words = [scene.words[i].box for i in scene.words_in(box)]
    if not words:
        return None
    whole = union(words)
    return ((whole.x - box.x) / box.w, (whole.y - box.y) / box.h, whole.w / box.w, whole.h / box.h)


def _rank(box: Box, role: str, state: ScreenState) -> tuple[int, int]:
    """Which it is of how many things of its shape, from 0; (0, 0) where it is none of them."""
    group = scene_of(state).shaped(box.w, box.h, role)
    at = max(range(len(group)), key=lambda i: group[i].box.iou(box), default=-1)
    return (at, len(group)) if at >= 0 and group[at].box.iou(box) > 0.3 else (0, 0)


def _neighbours(
    box: Box, state: ScreenState, values: Mapping[str, str], *, has_twins: bool
) -> tuple[NeighbourSpec, ...]:
    """The texts around the box that tell it from others of its kind, and are likely to stand there next time too.

    Those of its own row or card first, however far, and of them those that name a record: a list is told apart by them.
    Texts that stand on the screen again and again, the target's own among them, tell nothing. What stands in a field is
    its content. Other records of a list are no evidence: they go, and stand in another order. A value of a variable is
    that variable in its own row or card, and no evidence elsewhere.
    """
    card = card_of(box, state) if has_twins else None
    telling = {name: value for name, value in values.items() if tells_by_itself(value)}
    own, others = [], []
    for line, rare in _told_by(box, state, card, has_twins=has_twins):
        dx, dy = line.box.center.x - box.center.x, line.box.center.y - box.center.y
        said = by_variable(line.text, telling)
        neighbour = (abs(dx) + 2 * abs(dy), NeighbourSpec(text=said or line.text, dx=dx, dy=dy))
        if _is_own(line.box, box, card):
            own.append((has_twins and not rare, has_twins and not names_record(line.text), *neighbour))
        elif not said and max(abs(dx), abs(dy)) <= _FARTHEST and not (has_twins and names_record(line.text)):
            others.append(neighbour)
    nearest = [(far, n) for _, _, far, n in sorted(own, key=_urgency)[: _MOST_OF_TWINS if has_twins else _MOST_IN_ROW]]
    nearest += sorted(others, key=_distance)[: max(0, _MOST_NEIGHBOURS - len(nearest))]
    return tuple(neighbour for _far, neighbour in sorted(nearest, key=_distance))


def _is_own(line: Box, box: Box, card: Box | None) -> bool:
    """True for what stands in the row of the target, or in the card that it is in."""
    return abs(line.center.y - box.center.y) <= box.h // 2 or (card is not None and card.contains(line.center))


def _told_by(box: Box, state: ScreenState, card: Box | None, *, has_twins: bool) -> list[tuple[TextLine, bool]]:
    """The lines that may be neighbours, each cut to what lasts, in the row of a twin to what names the record; and
    whether it is the only one that says so."""
    fields = [e.box for e in state.elements if e.role == ElementRole.FIELD and not e.box.contains(box.center)]
    near = [
        line
        for line in text_beside(box, state)
        if not box.contains(line.box.center)
        and in_its_window(box, line.box, state)
        and not any(f.contains(line.box.center) for f in fields)
    ]
    parts = []
    for line in near:
        names = has_twins and _is_own(line.box, box, card)
        start, end = record_span(line.text) if names else lasting_span(line.text)
        if start < end:
            parts.append(TextLine(text=line.text[start:end], box=part_of(line.box, (start, end), line.text)))
    counts = Counter(words(part.text).key for part in parts)
    counts.update(words(line.text).key for line in text_in(box, state))
    told = [(part, words(part.text).key) for part in parts]
    return [(part, counts[key] == 1) for part, key in told if key and len(part.text) > 1 and counts[key] < _REPEATED]


def _urgency(rated: tuple[bool, bool, int, NeighbourSpec]) -> tuple[bool, bool, int]:
    return rated[:3]


def _distance(pair: tuple[int, NeighbourSpec]) -> int:
    return pair[0]


def _in_window(box: Box, window: Box) -> tuple[float, float, float, float]:
    return Box(box.x - window.x, box.y - window.y, box.w, box.h).normalised(Size(window.w, window.h))


def _fraction(click: Point | None, box: Box) -> tuple[float, float]:
    if click is None or not box.contains(click):
        return (0.5, 0.5)
    return ((click.x - box.x + 0.5) / box.w, (click.y - box.y + 0.5) / box.h)
