"""What is chosen in a combo box, a list or a group of radio buttons, and whether a control stands as an act wants it.

An option is told by its text, to the letter: “Ward 1” is not “Ward 10”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from execution.language.fuzzy import words
from execution.language.read_values import FRENCH, US, parsed_date
from execution.language.screen_texts import LINE, PART, ScreenWords
from execution.targeting.boxes import text_lines_in
from execution.types import Answer, Box, ElementRole, ScreenState, TextLine, Verification
from execution.verification.cut import ARROW_END, arrow_of, is_cut, is_value_cut
from execution.verification.marks import is_on, mark_at
from sentences.said import say

_CONTROLS = frozenset({ElementRole.FIELD, ElementRole.BUTTON})
_RADIOS = frozenset({ElementRole.RADIO})
_HIGHEST, _HIGHEST_CENTRED = 2.6, 4.5  # heights of a line: a control of one line is no higher
_CENTRED = 0.4  # heights of a line from the middle of its control
_ARROWS = frozenset("vVyY∨⌄˅ˇ▼▾▿▽∇~^*+›>»|")  # as which readers take the arrow at the end of a combo box
_OTHER_GROUND = 24  # levels: a chosen row has another ground than its list
_LEVEL = 0.7  # heights of a label from its middle to that of a radio button in its row
_BESIDE, _APART = 2.4, 2.0  # heights of a caption: how far left of it its mark begins; from there to another label
_PITCH, _ALIGNED = 1.8, 6  # heights of a label from one radio button to the next; pixels
_SIGNS = re.compile(r"[<>≤≥+=±]|\.{2,}|…|(?<=\w)[-−–](?=\s|$)|[-−–]\s*$")  # which tell one option from another
_SAME_SIGN = {".": "…", "−": "-", "–": "-", "-": "-"}
_AFTER_DATE = re.compile(r"\s+[^\d\s]$")  # the caret, or the sign that opens a calendar, read as a letter
_ORDER = re.compile(r"\b(?:(mm?)[/. -]+(?:dd?|jj?)|(?:dd?|jj?)[/. -]+mm?)[/. -]+(?:yy|aa){1,2}\b", re.IGNORECASE)
_HINT = 5  # heights of a field: so near beside it is written what is asked for
_OTHER = {FRENCH: US, US: FRENCH}
_PATTERNS = {FRENCH: "%d/%m/%Y", US: "%m/%d/%Y", "": "%Y-%m-%d"}


def control_box(place: Box, state: ScreenState) -> Box:
    """The frame around a place: its field or button; the place itself where none is seen."""
    around = [e.box for e in state.elements if e.role in _CONTROLS and e.box.contains(place.center)]
    return min(around, key=lambda box: box.area, default=place)


def is_one_line(box: Box, state: ScreenState) -> bool:
    lines = value_lines(box, state)
    if len(lines) != 1:
        return not lines
    text = lines[0].box
    centred = abs(text.center.y - box.center.y) <= _CENTRED * text.h  # a row of a list stands at its top
    return box.h <= _HIGHEST * text.h or (centred and box.h <= _HIGHEST_CENTRED * text.h)


def value_lines(box: Box, state: ScreenState) -> list[TextLine]:
    """The lines in a control, without the arrow at its end where the reader took that for a letter."""
    lines = text_lines_in(box, state)
    return [line for line in lines if not _is_arrow(line, box, lines, state)]


def _is_arrow(line: TextLine, box: Box, lines: Sequence[TextLine], state: ScreenState) -> bool:
    """Whether a line is what a reader makes of the arrow of a combo box: one sign at its right end, after its value or
    drawn as an arrow."""
    if not _reads_as_arrow(line.text) or not _at_end(line.box, box):
        return False
    if all(other is line or other.box.right + other.box.h < line.box.x for other in lines):
        return True
    arrow = arrow_of(box, state)
    return arrow is not None and line.box.contains(arrow.center)


def _ends_in_arrow(line: TextLine, box: Box) -> bool:
    """Whether the last sign of a value may be the arrow beside it: “Ward V” is “Ward” with its arrow, or ward V."""
    *before, last = line.text.split() or [""]
    return bool(before) and _reads_as_arrow(last) and line.box.right > box.right - ARROW_END * box.h


def _reads_as_arrow(text: str) -> bool:
    return len(text.strip()) == 1 and text.strip() in _ARROWS


def _at_end(sign: Box, box: Box) -> bool:
    return sign.center.x > box.right - ARROW_END * box.h and sign.w <= box.h


def shows_its_value(box: Box, caption: str, state: ScreenState) -> bool:
    """Whether it is a control of one line that shows what is chosen in it: no plain text, no button of that name."""
    framed = any(e.role in _CONTROLS and e.box == box for e in state.elements)
    return framed and is_one_line(box, state) and not (caption and reads(shown(box, state), caption))


def reads(text: str, option: str) -> bool:
    """Whether a text that was read is that option, and nothing more or less: neither the “+” of a blood group, nor the
    dots of one that goes on."""
    return option_key(text) == option_key(option) != ""


def option_key(text: str) -> str:
    """What tells an option from others: its letters, and its signs; "" of a text without letters."""
    key = words(text).key
    return " ".join([key, *(_SAME_SIGN.get(sign[:1], sign) for sign in _SIGNS.findall(text))]) if key else ""


def shown(box: Box, state: ScreenState) -> str:
    """What stands in a control of one line; "" where nobody can say what of it is the arrow at its end."""
    lines = value_lines(box, state)
    return "" if any(_ends_in_arrow(line, box) for line in lines) else " ".join(line.text for line in lines)


def options_named(option: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that are the option."""
    return [line for line in lines if reads(line.text, option)]


def radio_of(option: str, area: Box, state: ScreenState) -> tuple[Box | None, int]:
    """The mark of the radio button with that caption in the area, and how many captions read so."""
    inside = tuple(line for line in state.texts if area.contains(line.box.center) and not is_cut(line, state.front))
    joined = {line.box: captions for line in inside if (captions := captions_in(line, state))}
    alone = tuple(line for line in inside if line.box not in joined)
    seen = [s for s in ScreenWords(alone).sightings(option, strict=True) if s.how in (LINE, PART)]
    seen = [s for s in seen if s.how == PART or reads(s.line.text, option)]
    # where the reader joined captions to a line that cannot be divided, nobody knows where one of them begins
    marks = [_mark_of(s.box, state) for s in seen if s.how == LINE]
    found = [mark for mark in marks if mark is not None]
    divided = [mark for captions in joined.values() for mark, text in captions if reads(text, option)]
    every = [*found, *divided]
    return (every[0] if len(every) == len(seen) + len(divided) == 1 else None), len(every)


def _mark_of(line: Box, state: ScreenState) -> Box | None:
    """The mark of a caption; the reader may have taken it, and the ring of the focus, for a part of the line."""
    words = [e.box for e in state.elements if e.role is ElementRole.TEXT and line.contains(e.box.center)]
    return next((mark for box in (line, *words) if (mark := mark_at(box, state, _RADIOS)) is not None), None)


def radios_in(box: Box, state: ScreenState) -> list[tuple[Box, str]]:
    """The radio buttons of the group that a place means, with what was read beside them; none where it is a control."""
    if any(e.role in _CONTROLS and e.box == box for e in state.elements):
        return []
    area = group_area(box, state)
    return [(e.box, e.text) for e in state.elements if e.role in _RADIOS and area.contains(e.box.center)]


def is_chosen_row(row: Box, area: Box, state: ScreenState) -> bool:
    """Whether a row of a list is drawn as the chosen one: on another ground than the rest of its list."""
    ground = np.median(state.frame.crop(area).reshape(-1, 3), axis=0)
    strip = Box(max(row.x, area.x), row.y, max(1, min(row.right, area.right) - row.x), row.h)
    own = np.median(state.frame.crop(strip).reshape(-1, 3), axis=0)
    return bool(np.abs(own - ground).max() > _OTHER_GROUND)


def date_of(params: Mapping[str, Any]) -> date | None:
    """The day that is to be put; None where it is none, or may be two."""
    return parsed_date(str(params.get("date") or ""), str(params.get("format") or ""))


def date_as_typed(params: Mapping[str, Any]) -> str:
    """The date as it is typed, by the format; "" where it is none, or may be two."""
    day = date_of(params)
    return day.strftime(_PATTERNS[str(params.get("format") or "")]) if day else ""


def date_shown(text: str) -> str:
    """A date, as it is written in what a field shows; "" where that is none."""
    text = _AFTER_DATE.sub("", text)
    return text if any(parsed_date(text, form) for form in _PATTERNS) else ""


def held(box: Box, state: ScreenState) -> str | None:
    """All that a date's field shows, whatever it is; None where not all of it is seen; "" where that is nothing, an
    empty form ("__/__/____") or a hint of how a date is written."""
    lines = value_lines(box, state)
    rows = {line.box.y <= lines[0].box.center.y <= line.box.bottom for line in lines}
    text = " ".join(line.text for line in lines)
    is_cut_off = not date_shown(text) and any(is_value_cut(line, box, state) for line in lines)
    if False in rows or is_cut_off:
        return None
    has_digits = any(sign.isdigit() for sign in text)
    is_hint = not has_digits and (_ORDER.search(text) or not any(sign.isalpha() for sign in text))
    return "" if is_hint else text


def held_again(text: str, box: Box, state: ScreenState) -> bool:
    """Whether a field holds what it held before; behind it may stand the caret, read as a letter."""
    now = held(box, state)
    return now is not None and text in (now, _AFTER_DATE.sub("", now))


def another_order(params: Mapping[str, Any], box: Box, state: ScreenState) -> str:
    """What a date's field, or what is written beside it, says of day and month ("mm/dd/yyyy"), where the date would be
    typed in the other order; else "". A date that stands there already and is one in the other order alone says it
    too."""
    form = str(params.get("format") or "")
    row = Box(box.x - _HINT * box.h, box.y, box.w + 2 * _HINT * box.h, box.h)  # what stands above or below is of others
    others = [e.box for e in state.elements if e.role is ElementRole.FIELD and e.box != box]
    beside = [t for t in text_lines_in(row, state) if not any(other.contains(t.box.center) for other in others)]
    for lines in (value_lines(box, state), beside):
        told = {hit[0]: US if hit[1] else FRENCH for line in lines for hit in _ORDER.finditer(line.text)}
        if told and form:
            return next((text for text, order in told.items() if order != form), "")
    there, other = _AFTER_DATE.sub("", shown(box, state)), _OTHER.get(form, "")
    return there if other and parsed_date(there, form) is None and parsed_date(there, other) is not None else ""


def stands_as_wanted(
    action_type: str,
    params: Mapping[str, Any],
    place: Box | None,
    before: ScreenState,
    now: ScreenState,
    *,
    caption: str = "",
) -> Verification:
    """Whether the control at a place of the screen before is now what the act wants it to be.

    `caption` is the text by which the control was taught: what reads so is its name, and not what is chosen in it.
    """
    if place is None or not now.text_method:
        return Verification(answer=Answer.CANNOT_TELL, message=say("turn.not_read"))
    if action_type == "set_state":
        return _set(str(params.get("state") or "on"), place, before, now)
    if action_type == "pick_date":
        return _dated(params, control_box(place, before), now)
    return _chosen(str(params.get("option") or ""), control_box(place, before), caption, before, now)


def _answer(good: bool | None, code: str, **words: Any) -> Verification:
    answer = Answer.CANNOT_TELL if good is None else Answer.YES if good else Answer.NO
    return Verification(answer=answer, message=say(code, **words))


def _set(wanted: str, place: Box, before: ScreenState, now: ScreenState) -> Verification:
    mark = mark_at(place, before) or mark_at(place, now)
    on = is_on(mark, now) if mark else None
    if on is None:
        return _answer(None, "turn.state_unknown")
    return _answer(on == (wanted == "on"), "turn.state_is_on" if on else "turn.state_is_off")


def _dated(params: Mapping[str, Any], box: Box, now: ScreenState) -> Verification:
    form, text = str(params.get("format") or ""), shown(box, now)
    there, wanted = parsed_date(_AFTER_DATE.sub("", text), form), parsed_date(str(params.get("date") or ""), form)
    if there is not None and there == wanted:
        return _answer(True, "turn.date_stands")
    return _answer(None, "turn.date_does_not_stand", text=text)


def _chosen(option: str, box: Box, caption: str, before: ScreenState, now: ScreenState) -> Verification:
    mark, count = radio_of(option, group_area(box, before), now)
    if mark is not None or count:
        on = is_on(mark, now) if mark is not None else None
        return _answer(on, "turn.option_chosen" if on else "turn.option_not_chosen", option=option)
    cut = any(is_value_cut(line, box, now) for line in value_lines(box, now))
    if shows_its_value(box, caption, before) and reads(shown(box, now), option) and not cut:
        return _answer(True, "turn.option_chosen", option=option)
    rows = options_named(option, text_lines_in(box, now))
    row = rows[0] if len(rows) == 1 and not is_one_line(box, before) else None
    if row and is_chosen_row(row.box, box, now) and not is_cut(row, box):
        return _answer(True, "turn.option_chosen", option=option)
    return _answer(None, "turn.option_not_chosen", option=option)


def group_area(box: Box, state: ScreenState) -> Box:
    """Where the radio buttons of a group stand: in its frame, right of its label, or one below the other under it."""
    marks = sorted((e.box for e in state.elements if e.role is ElementRole.RADIO), key=lambda mark: mark.y)
    if any(box.contains(mark.center) for mark in marks):
        return box
    row = Box(box.x, box.y - box.h // 2, max(box.w, state.front.right - box.x), 2 * box.h)
    if any(row.contains(mark.center) and abs(mark.center.y - box.center.y) <= _LEVEL * box.h for mark in marks):
        return _wrapped(Box(row.x, row.y, _next_label(row, box, marks, state) - row.x, row.h), box, marks, state)
    bottom, column = box.bottom, None
    for mark in marks:
        near = 0 <= mark.center.y - bottom <= _PITCH * box.h and mark.x >= box.x - 3 * box.h
        if near and (column is None or abs(mark.x - column) <= _ALIGNED):
            if column is not None and any(_heads(line.box, column, bottom, mark) for line in state.texts):
                break  # the label of the next group
            bottom, column = mark.bottom, mark.x
    if column is None:
        return row
    left = min(box.x, column)
    area = Box(left, box.y, max(1, state.front.right - left), bottom + box.h // 4 - box.y)
    return Box(left, area.y, max(1, _next_label(area, box, marks, state) - left), area.h)


def _wrapped(row: Box, label: Box, marks: Sequence[Box], state: ScreenState) -> Box:
    """A row of a group with those that go on below its first mark, as in a narrow window, without a label before or
    above them."""
    inside = [mark for mark in marks if row.contains(mark.center)]
    first, bottom = min(inside), max(mark.bottom for mark in inside)
    for mark in marks:
        if not (0 < mark.center.y - bottom <= _PITCH * label.h and abs(mark.x - first.x) <= _ALIGNED):
            continue
        level = (line.box for line in state.texts if abs(line.box.center.y - mark.center.y) <= _LEVEL * label.h)
        labelled = any(label.x - _ALIGNED <= box.x and box.right <= mark.x for box in level)
        if labelled or any(_heads(line.box, first.x, bottom, mark) for line in state.texts):
            break
        bottom = mark.bottom
    return row._replace(h=max(row.h, bottom + label.h // 4 - row.y))


def _heads(line: Box, column: int, above: int, mark: Box) -> bool:
    """Whether a line stands between two marks of a column, and begins no farther right than they do."""
    return above <= line.center.y < mark.y and line.x <= column + _ALIGNED < line.right


def _next_label(area: Box, label: Box, marks: Sequence[Box], state: ScreenState) -> int:
    """Where another group begins in the row of a label, or the area ends: at a text behind a mark that is no caption,
    and stands apart or before another mark, whose label it may be."""
    level = sorted(
        (
            line.box
            for line in state.texts
            if line.box.x >= label.right and abs(line.box.center.y - label.center.y) <= _LEVEL * label.h
        ),
    )
    inside = [mark for mark in marks if area.contains(mark.center)]
    until = label.right  # of the label and what goes on it, or the caption before
    for line in level:
        captioned = any(
            line.x - _BESIDE * line.h <= mark.center.x <= line.right
            and abs(mark.center.y - line.center.y) <= _LEVEL * line.h
            for mark in inside
        )
        own = any(mark.center.x < line.x for mark in inside)
        before_another = any(mark.center.x > line.right for mark in inside)
        if not captioned and own and (before_another or line.x > until + _APART * line.h):
            return line.x - _ALIGNED
        until = line.right
    return area.right


# The captions of radio buttons that the reader joined to one line, each with its mark.
# Where a caption begins is told by the marks, which are drawn alike and level, and by how wide it is written: words
# go with the mark before them only where no other division of the line comes near to what is drawn.

_READ_AS_MARKS = frozenset("Oo0○◯●◉©®@Q")  # as which readers take a mark
_MOST_WORDS, _MOST_MARKS = 16, 6
_FITS, _BETTER = 0.25, 2.0  # of the width of a caption; by how much the next best division must be worse
_REACH = 2.4  # heights of a line: how far left of it its first mark begins
_INK = 40  # levels


def captions_in(line: TextLine, state: ScreenState) -> list[tuple[Box, str]]:
    """Mark and caption of each radio button of the line, from left to right; nothing where that cannot be told."""
    marks = _marks_of(line, state)
    if not 2 <= len(marks) <= _MOST_MARKS:
        return []
    read = line.text.split()
    signs = sum(word in _READ_AS_MARKS for word in read)
    words = [word for word in read if word not in _READ_AS_MARKS] if signs in (len(marks) - 1, len(marks)) else read
    widths = [_inked(line, left, right, state) for left, right in _between(marks, line)]
    if not len(marks) <= len(words) <= _MOST_WORDS or not all(widths):
        return []
    ranked = sorted((_misfit(groups, widths), groups) for groups in _divisions(words, len(marks)))
    best, groups = ranked[0]
    if best > _FITS or (len(ranked) > 1 and ranked[1][0] < _BETTER * best + _FITS / 2):
        return []
    return [(mark, " ".join(group)) for mark, group in zip(marks, groups, strict=True)]


def _marks_of(line: TextLine, state: ScreenState) -> list[Box]:
    """The radio buttons in the row of a line, from left to right."""
    row = Box(line.box.x - round(_REACH * line.box.h), line.box.y - 2, 0, line.box.h + 4)
    row = Box(row.x, row.y, line.box.right - row.x, row.h)
    return sorted(e.box for e in state.elements if e.role is ElementRole.RADIO and row.contains(e.box.center))


def _between(marks: Sequence[Box], line: TextLine) -> Iterator[tuple[int, int]]:
    for mark, following in zip(marks, [*(m.x for m in marks[1:]), line.box.right], strict=True):
        yield mark.right, following


def _inked(line: TextLine, left: int, right: int, state: ScreenState) -> int:
    """How wide the letters between two marks are written."""
    if right - left < 2:
        return 0
    part = state.frame.crop(Box(left + 1, line.box.y, right - left - 2, line.box.h)).astype(np.int16)
    ground = np.median(part.reshape(-1, 3), axis=0)
    inked = np.flatnonzero((np.abs(part - ground).max(axis=2) > _INK).any(axis=0))
    return int(inked[-1] - inked[0] + 1) if inked.size else 0


def _divisions(words: Sequence[str], count: int) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Every way to divide the words into so many captions that follow one another."""
    for cuts in combinations(range(1, len(words)), count - 1):
        edges = (0, *cuts, len(words))
        yield tuple(tuple(words[a:b]) for a, b in pairwise(edges))


def _misfit(groups: Sequence[Sequence[str]], widths: Sequence[int]) -> float:
    """How far the widest mistake is off, as a share of its caption, where all letters are about as wide."""
    letters = [len(" ".join(group)) for group in groups]
    each = sum(widths) / sum(letters)
    return max(
        abs(width - each * count) / max(width, each * count) for width, count in zip(widths, letters, strict=True)
    )
