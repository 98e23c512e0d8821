"""A list whose lines are done one after the other: where it ends, and whether it still is the list that it was (S6.13).

A line is known by its number alone, so the list is held against what it read when the line before was done: what comes
next must stand where it stood then, or one line higher, where the line that was done left the list. Where another line
went away or came in between, a person is asked, for the next number would leave a record out, or do one twice. Of lines
that are done nothing else is asked: doing them may well change them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from execution.language.fuzzy import folded
from execution.record.hidden import HIDDEN
from execution.record.journal import Journal
from execution.turn.holding import Hold
from execution.turn.rounds import Round
from execution.turn.stages import Stages
from execution.turn.wheel import once_moved
from execution.types import Answer, Box, Element, ElementRole, Point, ResolveStatus, ScreenState, Suggestion
from sentences.said import by_sentence, say
from workflows.graph import EdgeSpec, ExpectSpec, NormBox

_CONTROLS = frozenset({ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})
_FRAMES = _CONTROLS | {ElementRole.GROUP}
_SAME_SIDE = 4  # pixels
_WHEEL = 3  # turns: enough to move any list that moves
_LEAST_WORD = 3  # letters or digits: what is shorter stands anywhere by chance
_LEVEL = 0.5  # of a line's height: what has its middle so near to the line's stands in it


class Lists:
    """What the loop asks before it begins the next line."""

    def __init__(self, journal: Journal, stages: Stages, hold: Hold) -> None:
        self.journal, self.stages, self.hold = journal, stages, hold

    def says_over(self, edge: EdgeSpec, state: ScreenState) -> bool:
        """Whether a text is seen that says that there is no other line."""
        until = edge.repeat.until if edge.repeat else ()
        return any(self._is_seen(text, edge, state) for text in until)

    def _is_seen(self, text: str, edge: EdgeSpec, state: ScreenState) -> bool:
        asked = replace(edge, before=ExpectSpec(texts=(text,)), identity=())
        return self.stages.check_before(asked, state).answer is Answer.YES

    def moved_up(self, suggestion: Suggestion, behind: Round | None, state: ScreenState) -> bool:
        """Whether the line of the round that is `behind` left the list, so that the next stands where it stood.

        Those behind it must all have come up by one, and where another one came into sight below them it must be none
        of whom the line was: it may have been done and put to the end.
        """
        before = self.journal.last_done(suggestion.edge.edge_id) if behind and not behind.skipped else None
        if behind is None or before is None or not (suggestion.edge.target and suggestion.edge.target.number_wanted):
            return False
        then, now = rows_kept(before.screen, before.suggestion.get("lines") or ()), self._rows(suggestion, state)
        if len(then) < behind.line:
            return False
        left, rest, up = then[behind.line - 1], then[behind.line :], now[behind.line - 1 :]
        own = _own_words(behind.line, then)
        if not rest:  # it was the last of the list
            return not up and not own <= _words(" ".join(read.text for read in state.texts))
        came_up = len(rest) <= len(up) and all(_plain(a) == _plain(b) for a, b in zip(rest, up, strict=False))
        new = up[len(rest) :]
        none_of_it = not new or (len(new) == 1 and bool(own) and not own & _words(new[0]))
        return came_up and none_of_it and _plain(left) != _plain(up[0])

    def judged(
        self, suggestion: Suggestion, behind: Round | None, state: ScreenState, *, moved_up: bool, may_scroll: bool
    ) -> Suggestion | None:
        """The suggestion for a line, with what a person has to know before; None where the list is over.

        `behind` is the round before it. Raises Stopped, LeaseLost, DesktopLost.
        """
        repeat, resolution = suggestion.edge.repeat, suggestion.resolution
        assert repeat is not None
        if moved_up and not resolution.lines:
            return None
        doubts = [suggestion.doubt]
        if behind and suggestion.edge.target and suggestion.edge.target.number_wanted:
            doubts += [self._changed(suggestion, state, moved_up=moved_up), self._unlike(suggestion, state)]
        if resolution.at_end:
            if not any(doubts) and not (may_scroll and self._goes_on(suggestion, state)):
                return None
            if not any(doubts):
                doubts.append(say("turn.list_goes_on", line=suggestion.line))
        elif (
            behind
            and behind.number >= repeat.most
            and resolution.status in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED)
        ):
            doubts.append(say("turn.more_lines", most=repeat.most))
        return replace(suggestion, doubt=by_sentence(doubts))

    def _changed(self, suggestion: Suggestion, state: ScreenState, *, moved_up: bool) -> str:
        """What is not as it was of the lines from this one on, in a sentence; "" if all of it is."""
        line, stood = suggestion.line, suggestion.line + moved_up
        before = self.journal.last_done(suggestion.edge.edge_id)
        kept = (before.suggestion.get("lines") or ()) if before else ()
        if before is None or not kept:
            return say("turn.list_unknown", then=stood - 1, line=line)
        then, now = rows_kept(before.screen, kept), self._rows(suggestion, state)
        for number, was in enumerate(then[stood - 1 :], line):
            if number > len(now):
                return say("turn.list_shorter", then=stood - 1, line=number, was=was)
            if _plain(was) != _plain(now[number - 1]):
                return say("turn.list_changed", then=stood - 1, line=number, was=was, now=now[number - 1])
        if _is_anybodys(stood, then) or _is_anybodys(line, now):
            return say("turn.list_unknown", then=stood - 1, line=line)
        return ""

    def _unlike(self, suggestion: Suggestion, state: ScreenState) -> str:
        """That a line is made otherwise than the one before it, in a sentence: below a list stands something else."""
        line, lines = suggestion.line, suggestion.resolution.lines
        if line < 2 or line > len(lines) or _make_of(line, lines, state) == _make_of(line - 1, lines, state):
            return ""
        return say("turn.line_unlike", line=line, text=self._rows(suggestion, state)[line - 1])

    def _rows(self, suggestion: Suggestion, state: ScreenState) -> list[str]:
        """The lines as they would be kept: what is hidden is hidden then and now."""
        size, shown = state.frame.size, self.journal.hidden.shown(state).state
        texts = [(read.text, read.box.normalised(size)) for read in shown.texts]
        return rows_of([box.normalised(size) for box in suggestion.resolution.lines], texts)

    def _goes_on(self, suggestion: Suggestion, state: ScreenState) -> bool:
        """Whether there is more of the list below what is seen: it moves when it is scrolled. It is scrolled back."""
        lines = suggestion.resolution.lines
        if not lines:
            return False
        self.hold.check()
        at, before = lines[-1].center, self._rows(suggestion, state)
        self.stages.scroll(Point(at.x, at.y), _WHEEL)

        def moved(state: ScreenState) -> bool:
            return self._rows(suggestion, state) != before

        if goes_on := moved(once_moved(lambda: self.stages.settle(suggestion.edge), moved)):
            self.stages.scroll(Point(at.x, at.y), -_WHEEL)
            self.stages.settle(suggestion.edge)
        return goes_on


def _is_anybodys(line: int, rows: Sequence[str]) -> bool:
    """Whether another record could read as that line does: it is empty, hidden in part, or there twice.

    Where the list is shorter there is nothing to be told apart.
    """
    if line > len(rows):
        return False
    read = [_plain(row) for row in rows]
    return not read[line - 1] or HIDDEN in rows[line - 1] or read.count(read[line - 1]) > 1


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", folded(text)) if len(word) >= _LEAST_WORD}


def _own_words(line: int, rows: Sequence[str]) -> set[str]:
    """What a line says and no other of its list."""
    others = (_words(row) for number, row in enumerate(rows, 1) if number != line)
    return _words(rows[line - 1]).difference(*others)


def _make_of(number: int, lines: Sequence[Box], state: ScreenState) -> tuple[bool, ElementRole | None]:
    """Whether other texts stand in a line beside its own, and on which control it is written.

    A cell between two others of another ground, as a chosen row is, looks like a field: where another line has one as
    high that begins there, it is a cell.
    """
    line, others = lines[number - 1], [*lines[: number - 1], *lines[number:]]
    middle, reach = line.y + line.h / 2, _LEVEL * line.h
    beside = [
        t for t in state.texts if abs(t.box.y + t.box.h / 2 - middle) <= reach and not line.contains(t.box.center)
    ]
    control = _around(line, state, _CONTROLS)
    if control and control.role is ElementRole.FIELD:
        cells = (_around(other, state, _FRAMES) for other in others)
        if any(cell and _begins_there(cell.box, control.box) for cell in cells):
            control = None
    return bool(beside), control.role if control else None


def _around(line: Box, state: ScreenState, roles: Collection[ElementRole]) -> Element | None:
    """The smallest of such elements that a line is written on."""
    around = (e for e in state.elements if e.role in roles and e.box.contains(line.center))
    return min(around, key=lambda e: e.box.area, default=None)


def _begins_there(one: Box, other: Box) -> bool:
    return abs(one.x - other.x) <= _SAME_SIDE and abs(one.h - other.h) <= _SAME_SIDE


def rows_kept(screen: dict[str, object], lines: Iterable[Sequence[float]]) -> list[str]:
    """The lines of a list as a step kept its screen."""
    perception = screen.get("perception")
    read = perception if isinstance(perception, dict) else {}
    texts = [
        (text, _box(box)) for text, box in zip(read.get("detected_text", ()), read.get("text_boxes", ()), strict=False)
    ]
    return rows_of([_box(line) for line in lines], texts)


def rows_of(lines: Iterable[NormBox], texts: Sequence[tuple[str, NormBox]]) -> list[str]:
    """What stands in each line, from left to right. Boxes are normalised."""
    rows = []
    for _left, top, _width, height in lines:
        middle = top + height / 2
        inside = [(box[0], text) for text, box in texts if abs(box[1] + box[3] / 2 - middle) <= _LEVEL * height]
        rows.append(" ".join(text for _at, text in sorted(inside)))
    return rows


def _box(sides: Sequence[float]) -> NormBox:
    left, top, width, height = sides
    return left, top, width, height


def _plain(row: str) -> str:
    return "".join(folded(row).split())
