"""What teaching declares by itself: what must be seen before an action and after it, from what changed in it.

Only what tells: no content of a field, nothing that changes by itself (a count, a date), no rows of a list, nobody's
name, no error, no "please wait", and nothing that another text of the same screen denies. A message that something is
done is declared without its number and whose it is. Where a variable's value stands the variable is put back. Nothing
is better than something that the next run will not show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from execution.language.denials import complaint_word, error_word, is_waiting
from execution.language.doubts import doubt_word
from execution.language.fuzzy import folded, words
from execution.language.promises import says_done
from execution.language.shortcuts import is_shortcut
from execution.language.volatile import volatile_parts
from execution.targeting.records import may_name_somebody, names_record, people_in
from execution.teaching.values import put_back, tells_by_itself
from execution.types import Answer, Box, Element, ElementRole, ScreenState, TextLine
from execution.verification.change import Change
from execution.verification.declared import came_about, denies
from workflows.graph import ExpectSpec
from workflows.text import VARIABLE

_MOST_TEXTS, _MOST_GONE = 3, 2
_LONGEST_WORDS, _LEAST_LETTERS = 8, 3
_SURE = 0.75  # what the reader was less sure of is not declared
_COLUMN = 0.4  # of a line's height, by which cells of one column may begin left or right of each other
_ROWS = 2  # other rows with cells in the same columns: it is a table
_LIST = 3  # lines so many, alike and at like distances, are the rows of a list
_MOVING = frozenset({"scroll", "wait", "wait_text", "wait_text_gone", "wait_node", "wait_stable", "move"})
_ROLES = {
    ElementRole.TAB: 1.0, ElementRole.BUTTON: 1.0, ElementRole.MENU_ITEM: 1.0, ElementRole.LINK: 0.0,
    ElementRole.CHECKBOX: 0.5, ElementRole.RADIO: 0.5,
}  # fmt: skip
_PARTS = re.compile(r"(\s+[-–—|·]\s+|:\s+)")
_WITH_DIGIT = re.compile(r"(?<!\{)\S*\d\S*")
_AROUND = " \u00a0\u202f\t-–—:;,.·•|/()[]"
_DIRTY = "*•● "
_NAMED_VALUE = re.compile(rf"(?:[^\d:：]*[:：])?\s*{VARIABLE.pattern}(?:[\s,;]*{VARIABLE.pattern})*")  # with its label
_EDGE = 0.3  # of a line's height: a caption that is whole has more room to the edge of its window


def expectation_of(
    before: ScreenState, after: ScreenState, *, action_type: str, typed: str = "", variables: Mapping[str, str]
) -> tuple[ExpectSpec, ExpectSpec]:
    """What to declare of the screen before the action and after it, from one time that it was shown.

    `typed` is what was typed in it; `variables` are the values known when it was taught, put back as {{name}}. What
    was typed and is no variable is not declared: verification looks for it anyway, and it may be a secret.
    """
    nothing = ExpectSpec()
    change = Change(before, after)
    if action_type in _MOVING or not (change.now.was_read and change.then.was_read) or not change.happened:
        return nothing, nothing
    names = {name: value for name, value in variables.items() if tells_by_itself(value)}
    came = tuple(text for text in _telling(change, names, typed, then=False) if _is_true(text, change, names))
    if action_type == "type_text":
        return nothing, ExpectSpec(texts=tuple(text for text in came if VARIABLE.fullmatch(text))[:1])
    went = _telling(change, names, typed, then=True)
    old, new = _title(before), _title(after)
    moved = bool(new) and old != new
    # a text may be gone because something lies over it: it is declared only where nothing came and a dialog went
    closed = any(_pressable(line, before) for line in change.lost_lines)
    # or the title, which tells as well: a word of what went may stand in another sentence there another day
    gone = went[:_MOST_GONE] if change.stands and closed and not (came or moved) else ()
    about = _about(change, names, came) if moved or not change.stands else ()
    return (
        ExpectSpec(texts=gone),  # the screen as a whole is known by its node; this is the dialog over it
        ExpectSpec(
            texts=(*about, *came)[:_MOST_TEXTS], gone=gone, window_title=title_pattern(new, names) if moved else ""
        ),
    )


def _about(change: Change, names: Mapping[str, str], came: Sequence[str]) -> tuple[str, ...]:
    """The variables whose values stand on a new screen where they did not before: the wrong record is not it."""
    told = {name for text in came for name in VARIABLE.findall(text)}
    lines = told_lines(change.after.texts, change.after, names, is_entry=lambda box: change.is_entry(box, then=False))
    data = [one.line.box for one in lines if one.kind is Told.DATA]
    left = {name: value for name, value in names.items() if name not in told}
    return tuple("{{" + name + "}}" for name, value in left.items() if _elsewhere(value, change, data))


def _elsewhere(value: str, change: Change, data: Sequence[Box]) -> bool:
    """Whether it stands where it did not before; among other words of a row it is another thing's."""
    old = change.then.sightings(value)
    here = (one for one in change.now.seen(value, strict=True) if not any(d.contains(one.box.center) for d in data))
    return any(not any(seen.box.intersection(o.box).area for o in old) for seen in here)


def _telling(change: Change, names: Mapping[str, str], typed: str, *, then: bool) -> tuple[str, ...]:
    """The texts worth declaring, the most telling first: of those that came, or `then` of those that went."""
    lines, state = (change.lost_lines, change.before) if then else (change.new_lines, change.after)
    own = [line for line in lines if not is_in_frame(line, state)]
    told = told_lines(own, state, names, typed=typed, is_entry=lambda box: change.is_entry(box, then=then))
    ranked = [one for one in sorted(told, key=ToldLine.rank) if one.kind is Told.TELLS]
    telling = (one.text for one in _in_sight_first(ranked, state))
    return tuple(dict.fromkeys(text for text in telling if not may_name_somebody(text)))


def _in_sight_first(ranked: Sequence[ToldLine], state: ScreenState) -> Sequence[ToldLine]:
    """Those that a smaller window shows as well: what says that something is done, and of all else what stands in the
    upper half; all of them where nothing tells there."""
    middle = state.front.center.y
    upper = [o for o in ranked if o.line.box.center.y <= middle or says_done(o.text) or VARIABLE.search(o.text)]
    return upper or ranked


class Told(StrEnum):
    """What a line of a screen is: it tells the screen, it is data, or it is left out as too uncertain or too long."""

    TELLS = "tells"
    DATA = "data"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class ToldLine:
    """A line with what of it may be declared, its variables put back; the higher `score` is, the more it tells."""

    line: TextLine
    text: str
    kind: Told
    score: float

    def rank(self) -> tuple[float, int, int, str]:
        """The most telling first, then as they stand."""
        return (-self.score, self.line.box.y, self.line.box.x, self.text)


def told_lines(
    lines: Sequence[TextLine],
    state: ScreenState,
    names: Mapping[str, str],
    *,
    typed: str = "",
    is_entry: Callable[[Box], bool],
    labels: Collection[TextLine] = (),
) -> list[ToldLine]:
    """Each of the lines of `state` as what it is, in their order. `is_entry` says where something was filled in,
    `labels` are no rows of a list though they stand like them."""
    listed = _listed(lines, state).difference(labels)
    told = []
    for line in lines:
        text = _message(put_back(line.text.strip(), names))
        own = bool(VARIABLE.search(text)) and _NAMED_VALUE.fullmatch(text) is not None
        data = line in listed or _is_value(line, state) or _is_cell(line, state) or is_entry(line.box)
        if data and not own:
            kind = Told.DATA
        else:
            tells = line.confidence >= _SURE and _worth(text, typed) and not _is_cut(line, state)
            kind = Told.TELLS if tells else Told.LEFT_OUT
        told.append(ToldLine(line, _cleaned(text), kind, _telling_score(text, line, state)))
    return told


def _is_cut(line: TextLine, state: ScreenState) -> bool:
    """Whether it stands at the very edge of its window, as what goes on behind it does ("Modifie" of "Modified")."""
    box, room = state.front, _EDGE * line.box.h
    return not (box.x + room <= line.box.x and line.box.right <= box.right - room)


def is_in_frame(line: TextLine, state: ScreenState) -> bool:
    """Whether it is the window's title, read from its bar or its tab: that is small, and the title is asked for
    itself."""
    if state.window is None or folded(line.text).strip() not in folded(state.window.title):
        return False
    return not any(state.front.contains(o.box.center) and o.box.bottom <= line.box.y for o in state.texts)


def _is_true(text: str, change: Change, names: Mapping[str, str]) -> bool:
    """Whether it would be seen on the very screen that it was learnt from: no other text there denies it."""
    spec = ExpectSpec(texts=(text,))
    return not denies(spec, change, names) and all(f.answer is Answer.YES for f in came_about(spec, change, names))


def _message(text: str) -> str:
    """A message that something is done, without its number, its time and whose it is; any other text as it is."""
    if not says_done(text):
        return text
    edges = [0, *(edge for span in _data_spans(text) for edge in span), len(text)]
    runs = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    done = [run.strip(_AROUND) for run in runs if says_done(run)]
    return _shortened(max(done, key=len)) if done and not error_word(text) and not is_waiting(text) else text


def _data_spans(text: str) -> list[tuple[int, int]]:
    """Where a text says what the next run will not: what changes by itself, and names; from left to right."""
    spans: list[tuple[int, int]] = []
    found = [(part.start, part.end) for part in volatile_parts(text)]
    found += [*people_in(text), *(hit.span() for hit in _WITH_DIGIT.finditer(text))]
    for start, end in sorted(found):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        elif not any(v.start() < end and start < v.end() for v in VARIABLE.finditer(text)):
            spans.append((start, end))
    return spans


def _shortened(message: str) -> str:
    """The words up to the one that says that it is done, where it is a long sentence."""
    said = message.split()
    if len(said) <= _LONGEST_WORDS or words(message).negated:
        return message
    last = next((i for i, word in enumerate(said) if says_done(word)), len(said) - 1)
    return " ".join(said[max(0, last + 1 - _LONGEST_WORDS) : last + 1])


def _worth(text: str, typed: str) -> bool:
    bare = VARIABLE.sub("", text)
    if typed.strip() and folded(text) in folded(typed):
        return False  # what was typed, or a line of it
    if any(c.isdigit() for c in bare) or volatile_parts(bare) or names_record(bare):
        return False
    if words(bare).negated:
        return False  # "No results": what there is, not what was done
    if error_word(bare) or complaint_word(bare) or doubt_word(bare) or is_waiting(bare):
        return False
    letters = sum(c.isalpha() for c in bare)
    return len(text.split()) <= _LONGEST_WORDS and (letters >= _LEAST_LETTERS or bare != text)


def _is_value(line: TextLine, state: ScreenState) -> bool:
    """Whether another text stands left of it on its row: the name of what it is, or the row's first cell."""
    if _pressable(line, state) or says_done(line.text):
        return False
    height = line.box.h
    return any(
        _level(other.box, line.box) and other.box.right + height <= line.box.x and other.box.h < 1.3 * height
        for other in state.texts
    )


def _is_cell(line: TextLine, state: ScreenState) -> bool:
    """Whether it is the first cell of a row of a table: rows above and below have cells in the same columns. Where
    theirs begin says little: a picture before the words may be read as a part of them."""
    beside = [o for o in state.texts if _level(o.box, line.box) and o.box.x > line.box.right + line.box.h]
    right = [other.box.x for other in beside if not is_shortcut(other.text)]
    slack = _COLUMN * line.box.h
    rows = 0
    for first in state.texts if right else ():
        if first is line or _level(first.box, line.box) or not _above_each_other(first.box, line.box):
            continue
        cells = (o.box.x for o in state.texts if _level(o.box, first.box) and o.box.x > first.box.right)
        rows += any(abs(x - other) <= slack for x in cells for other in right)
    return rows >= _ROWS


def _above_each_other(one: Box, other: Box) -> bool:
    return min(one.right, other.right) - max(one.x, other.x) > 0.5 * min(one.w, other.w)


def _level(one: Box, other: Box) -> bool:
    return abs(one.center.y - other.center.y) < 0.5 * max(one.h, other.h)


def _telling_score(text: str, line: TextLine, state: ScreenState) -> float:
    """How telling: a message that something is done, a heading, a thing to press, then the rest."""
    heights = sorted(other.box.h for other in state.texts)
    usual = heights[len(heights) // 2] if heights else line.box.h
    score = 3.0 * says_done(text) + 2.0 * bool(VARIABLE.search(text))
    score += min(2.0, max(0.0, 2.0 * (line.box.h / usual - 1.0)))
    element = _element(line.box, state)
    return score + (_ROLES.get(element.role, 0.3) if element else 0.3) + min(0.3, len(text) / 100)


def _listed(lines: Sequence[TextLine], state: ScreenState) -> set[TextLine]:
    """The lines that are rows of a list, data by the look of it: left-aligned, and no things to press."""
    found: set[TextLine] = set()
    loose = [line for line in lines if not _pressable(line, state)]
    for line in loose:
        column = sorted(
            (o for o in state.texts if abs(o.box.x - line.box.x) <= 0.4 * line.box.h and not _pressable(o, state)),
            key=lambda o: o.box.y,
        )
        if any(line in run for run in _evenly(column)):
            found.add(line)
    return found


def _evenly(column: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """The runs of at least three lines of a column that follow each other at the same distance."""
    run: list[TextLine] = []
    for line in column:
        step = line.box.center.y - run[-1].box.center.y if run else 0
        last = run[-1].box.center.y - run[-2].box.center.y if len(run) > 1 else step
        if run and (abs(step - last) > max(3, 0.35 * line.box.h) or step > 4 * line.box.h):
            if len(run) >= _LIST:
                yield run
            run = run[-1:] if step <= 4 * line.box.h else []
        run.append(line)
    if len(run) >= _LIST:
        yield run


def _pressable(line: TextLine, state: ScreenState) -> bool:
    element = _element(line.box, state)
    return element is not None and element.role in _ROLES and element.role is not ElementRole.LINK


def _element(box: Box, state: ScreenState) -> Element | None:
    holding = [e for e in state.elements if e.role is not ElementRole.GROUP and e.box.contains(box.center)]
    return min(holding, key=lambda e: e.box.area, default=None)


def title_pattern(title: str, names: Mapping[str, str]) -> str:
    """The title with its variables put back and * for the parts that change by themselves; "" where nothing is left."""
    parts = _PARTS.split(put_back(title.strip(_DIRTY), names))
    kept = [part if index % 2 else _lasting(part) for index, part in enumerate(parts)]
    text = re.sub(r"\*(?:\W*\*)+", "*", "".join(kept))
    return text if any(c.isalpha() for c in VARIABLE.sub("", text)) else ""


def _lasting(part: str) -> str:
    bare = VARIABLE.sub("", part)
    return "*" if any(c.isdigit() for c in bare) or volatile_parts(bare) else part


def _cleaned(text: str) -> str:
    return text.strip(" .,:;•*")


def _title(state: ScreenState) -> str:
    return state.window.title if state.window else ""
