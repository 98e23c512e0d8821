"""What of a screen's texts is a run's data: values of its variables, and what may be another one next time (S6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from execution.language.fuzzy import folded, words
from execution.language.lexicon import is_known, known_words
from execution.language.volatile import Kind, volatile_parts
from execution.perception.scene.cells import in_cells
from execution.targeting.records import PERSON, may_name_somebody, names_record
from execution.types import ElementRole, Point, ScreenState, TextLine
from workflows.text import VARIABLE

_LEAST_VALUE = 3  # letters or digits of a variable's value: shorter ones stand anywhere by chance
_LEAST_NUMBER = 5  # digits of one, in texts of people: "Year 2026"
_COLUMN, _ROW = 12, 30  # heights of a line, up and down, and to either side
_DATA = frozenset({Kind.DATE, Kind.TIME, Kind.AMOUNT, Kind.RECORD})
_ADDRESS = re.compile(r"\S*(://|\w@\w)\S*")
_CUT_OFF = re.compile(r"(?<=\S)(\s+\S*)?(\.{2,}|…)$")  # what does not fit into a cell, with the word that it cuts
# What is drawn as one of these is a program's own, whatever it is called: a key of a calculator, a page of a list.
_DRAWN = frozenset({ElementRole.BUTTON, ElementRole.TAB, ElementRole.CHECKBOX, ElementRole.RADIO})


def put_back(text: str, values: Mapping[str, str]) -> str:
    """`text` with {{name}} wherever a variable's value stands in it as whole words, accents and case aside.

    In no other form, as `learning.putting_back` has it: a run looks for the value as it is written.
    """
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        pattern = r"\s+".join(re.escape(part) for part in folded(value).split())
        plain = _same_length(text)
        hits = list(re.finditer(rf"(?<!\w){pattern}(?!\w)", plain)) if pattern else []
        for hit in reversed(hits):
            if not any(v.start() < hit.end() and hit.start() < v.end() for v in VARIABLE.finditer(text)):
                text = text[: hit.start()] + "{{" + name + "}}" + text[hit.end() :]
    return text


def by_variable(text: str, values: Mapping[str, str]) -> str:
    """A target's text as a run says it; "" where no variable's value stands in it.

    Data beside a value is of the same record, and tells no other one: then the value alone is what is said.
    """
    for name, value in values.items():
        if _is_digits_read_with_a_letter(text, value):
            return "{{" + name + "}}"
    said = put_back(text, values)
    found = [match.group() for match in VARIABLE.finditer(said)]
    longest = max(found, key=lambda one: len(values[one.strip("{}")]), default="")
    if not longest or not tells_by_itself(values[longest.strip("{}")]):
        return said if found else ""
    beside = VARIABLE.sub(" ", said)
    return longest if looks_like_data(beside, "") or any(c.isdigit() for c in beside) else said


def _is_digits_read_with_a_letter(text: str, value: str) -> bool:
    """True for a number beside whose digits a frame or a picture was read as one letter ("19b")."""
    digits, rest = "".join(filter(str.isdigit, text)), [c for c in text if not c.isdigit() and not c.isspace()]
    return value.isdecimal() and digits == value and len(rest) == 1 and rest[0].isalpha()


def tells_anywhere(value: str) -> bool:
    """Whether a value is data in any text of a person, and stands there by no chance: no word that programs have."""
    if value.strip().isdigit():
        return len(value.strip()) >= _LEAST_NUMBER
    return tells_by_itself(value) and not any(words(word).key in known_words() for word in value.split())


def tells_by_itself(value: str) -> bool:
    """Whether a value is long enough to stand nowhere by chance."""
    return len(words(value).key) >= _LEAST_VALUE


def looks_like_data(text: str, role: str) -> bool:
    """Whether it may be another one in the next run: a name, a date, the number of a record; no control's caption."""
    if role in _DRAWN:
        return False
    if role == ElementRole.MENU_ITEM:  # which a row of a list is taken for
        return PERSON.search(text) is not None
    return names_record(text) or any(part.kind in _DATA for part in volatile_parts(text))


def may_be_opened(text: str, role: str) -> bool:
    """Whether it is what a double click opens: an entry of a list, of which another run may want another one."""
    return bool(text) and role not in _DRAWN


def is_data(text: str, role: str, lines: Iterable[TextLine], state: ScreenState) -> bool:
    """Whether a target's text may be another one in the next run; `lines` are those that it stands in."""
    if looks_like_data(text, role):
        return True
    if role in _DRAWN:
        return False
    lines = list(lines)
    if may_name_somebody(text) and any(stands_among_names(one, state) for one in lines):
        return True
    return bool(lines) and _tells_a_record(lines[0], in_cells(state).texts)


def _tells_a_record(line: TextLine, cells: Sequence[TextLine]) -> bool:
    """Whether it stands in a row of a table of records: a date, an address or such beside it, and in that column beside
    the next row's."""
    height = line.box.h

    def level(one: TextLine) -> list[TextLine]:
        return [cell for cell in cells if _apart(cell, one).y <= height / 2]

    above_or_below = (
        one
        for one in cells
        if abs(one.box.x - line.box.x) <= height and height / 2 < _apart(one, line).y <= _COLUMN * height
    )
    data = [cell for cell in level(line) if not cell.box.intersection(line.box).area and kinds_of_data(cell.text)]
    return any(
        abs(cell.box.x - other.box.x) <= height and kinds_of_data(cell.text) & kinds_of_data(other.text)
        for one in (above_or_below if data else ())
        for other in level(one)
        for cell in data
    )


def kinds_of_data(text: str) -> set[str]:
    """The kinds of data that a cell holds, and nothing else with them, as far as it shows what it holds."""
    if _ADDRESS.fullmatch(text.strip()):
        return {"address"}
    text = _CUT_OFF.sub("", text)
    parts = [part for part in volatile_parts(text) if part.kind in _DATA]
    rest = list(text)
    for part in reversed(parts):
        rest[part.start : part.end] = ""
    return {part.kind for part in parts} if not any(c.isalnum() for c in rest) else set()


def stands_among_names(line: TextLine, state: ScreenState) -> bool:
    """Whether it is one of a list of people, or of their folders: another name in its column or its row of captions,
    and nothing that stands in menus."""
    height = line.box.h
    others = [one for one in state.texts if one.box != line.box]
    column = [o for o in others if abs(o.box.x - line.box.x) <= height and _apart(o, line).y <= _COLUMN * height]
    row = [o for o in others if abs(o.box.y - line.box.y) <= height / 2 and _apart(o, line).x <= _ROW * height]
    head = min(column, key=lambda one: one.box.y, default=line)
    if head.box.y < line.box.y and _heads_a_column(head, others):
        column.remove(head)
    return any(_are_names(run, others) for run in (column, row))


def _heads_a_column(line: TextLine, others: Sequence[TextLine]) -> bool:
    """Whether it is the head of a column, as “Name” is: another one's head stands beside it, as none does in a menu."""
    level = (o for o in others if o is not line and _apart(o, line).y <= line.box.h / 2)
    return is_known(line.text) and any(is_known(one.text) for one in level)


def _are_names(run: Sequence[TextLine], others: Sequence[TextLine]) -> bool:
    texts = [_as_wrapped(line, others) for line in run]
    is_menu = any(is_known(text) or text.rstrip().endswith(("...", "…")) for text in texts)
    return not is_menu and any(map(may_name_somebody, texts))


def _as_wrapped(line: TextLine, others: Sequence[TextLine]) -> str:
    """A line with the one below it that is centred under it, as captions of pictures are wrapped."""
    below = (o for o in others if 0 < o.box.y - line.box.y <= 1.6 * line.box.h and _apart(o, line).x <= line.box.h)
    return " ".join([line.text, *(o.text for o in list(below)[:1])])


def _apart(one: TextLine, other: TextLine) -> Point:
    return Point(abs(one.box.center.x - other.box.center.x), abs(one.box.center.y - other.box.center.y))


def _same_length(text: str) -> str:
    """Case and accents taken away, each character in its place."""
    return "".join((folded(c) or c)[:1] for c in text)
