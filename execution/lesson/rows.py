"""What stands in the line of one of several things that are alike, and what of it is said to tell it (S6.11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from execution.language.fuzzy import folded
from execution.lesson.drafting import variable_name
from execution.targeting.records import card_of
from execution.teaching.parts import text_beside
from execution.types import Box, ScreenState, TextLine
from sentences.said import say

_LEVEL = 0.6  # of the height
_UNDER_HEADER = 1.5  # heights of a line: so far aside of its cells a header may begin


@dataclass(frozen=True, slots=True, kw_only=True)
class InLine:
    """A text of its line. `others` are those of its like, by number, whose line says it as well; `header` heads its
    column."""

    text: str
    box: Box
    others: frozenset[int] = frozenset()
    header: str = ""


def line_of(box: Box, alike: Sequence[Box], state: ScreenState) -> tuple[InLine, ...]:
    """What stands beside it, from the left."""
    lines = [_beside(one, state) for one in alike]
    own = next((line for line, one in zip(lines, alike, strict=True) if one == box), [])
    said = [{folded(line.text) for line in row} for row, one in zip(lines, alike, strict=True) if one != box]
    top = min(one.y for one in alike)
    return tuple(
        InLine(
            text=line.text.strip(), box=line.box, header=_header(line, top, state),
            others=frozenset(n for n, texts in enumerate(said) if folded(line.text) in texts),
        )
        for line in sorted(own, key=lambda line: line.box.x)
    )  # fmt: skip


def telling_together(texts: Sequence[InLine]) -> bool:
    """Whether no other line says all of these."""
    return bool(texts) and not frozenset.intersection(*(one.others for one in texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A text that a person chose; with `variable` it is another one in each run."""

    text: str
    variable: str = ""


def chosen_of(line: Sequence[InLine], values: Mapping[str, Any]) -> tuple[Chosen, ...]:
    """What a browser says was chosen of the line, as far as it stands there."""
    told = values.get("line")
    return tuple(_chosen(line, told if isinstance(told, list) else []))


def _chosen(line: Sequence[InLine], told: Sequence[Any]) -> Iterator[Chosen]:
    known = {one.text for one in line}
    for one in told:
        if isinstance(one, dict) and one.get("text") in known:
            name = str(one.get("variable") or "").strip()
            yield Chosen(text=one["text"], variable=variable_name(name) if name else "")


def against(line: Sequence[InLine], chosen: Sequence[Chosen], known: Mapping[str, str], taken: Sequence[str]) -> str:
    """Why that cannot be what tells it; "" where it can. `known` are the values of variables, `taken` their names."""
    if not chosen:
        return say("lesson.line_nothing_chosen")
    texts = {one.text for one in chosen}
    if not telling_together([one for one in line if one.text in texts]):
        return say("lesson.line_says_it_too")
    names = [one.variable for one in chosen if one.variable]
    for one in chosen:
        other = one.variable in taken and folded(known.get(one.variable, "")) != folded(one.text)
        if one.variable and (other or names.count(one.variable) > 1):
            return say("lesson.name_of_another_value", name=one.variable)
    return ""


def _beside(box: Box, state: ScreenState) -> list[TextLine]:
    """What stands beside it in its row, or in its card."""
    card = card_of(box, state)
    return [
        line
        for line in text_beside(box, state)
        if len(line.text.strip()) > 1
        and (
            abs(line.box.center.y - box.center.y) <= _LEVEL * max(box.h, line.box.h)
            or (card is not None and card.contains(line.box.center))
        )
    ]


def _header(cell: TextLine, top: int, state: ScreenState) -> str:
    """What stands above all the lines in the column of a cell."""
    above = [
        line
        for line in state.texts
        if line.box.bottom <= top and abs(line.box.x - cell.box.x) <= _UNDER_HEADER * cell.box.h
    ]
    return max(above, key=lambda line: line.box.y).text.strip() if above else ""
