"""A list whose lines are done one after the other: where it ends, and whether it still is the list that it was (S6.13).

A line is known by its number alone, so the list is held against what it read when the line before was done: what comes
next must stand where it stood then, or one line higher, where the line that was done left the list. Where another line
went away or came in between, a person is asked, for the next number would leave a record out, or do one twice. Of lines
that are done nothing else is asked: doing them may well change them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from execution.language.fuzzy import folded
from execution.record.hidden import HIDDEN
from execution.record.journal import Journal
from execution.turn.holding import Hold
from execution.turn.rounds import Round
from execution.turn.stages import Stages
from execution.turn.wheel import once_moved
from execution.types import Answer, Box, Element, ElementRole, ResolveStatus, ScreenState, Suggestion
from sentences.said import by_sentence, say
from workflows.graph import EdgeSpec, ExpectSpec, NormBox

_CONTROLS = frozenset({ElementRole.BUTTON, ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})
_FRAMES = _CONTROLS | {ElementRole.GROUP}
_SAME_SIDE = 4  # pixels
_LOOKED_BACK = 9  # lines that were done: what several of them say is no line's own
_WHEEL = 1, 2  # turns: a short list leaps with more than one, and some do not move by one
_LEAST_WORD = 3  # letters or digits: what is shorter stands anywhere by chance
_LEVEL = 0.5  # of a line's height: what has its middle so near to the line's stands in it


Row = tuple[str, ...]  # the texts of a line, from left to right
View = tuple[float, float]  # its left and right edges


class Rest(Enum):
    """What is left of a list of which no other line is seen."""

    NONE = auto()
    BELOW = auto()  # it was scrolled on, and is to be looked at anew


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

    def compared(self, suggestion: Suggestion, behind: Round | None, state: ScreenState) -> Compared | None:
        """The list beside what it was when the line of the round `behind` was done; None where that does not tell."""
        if behind is None or not (suggestion.edge.target and suggestion.edge.target.number_wanted):
            return None
        latest = self.journal.latest_done(suggestion.edge.edge_id, _LOOKED_BACK)
        kept = [list_kept(step.screen, step.suggestion.get("lines") or ()) for step in latest]
        said = _words(
            *(
                row
                for step, listed in list(zip(latest, kept, strict=True))[1:]
                for row in rows_of(listed)[: step.suggestion["line"]]
            )
        )
        then = kept[0] if kept else Listed(lines=(), texts=())
        return compared_lists(behind.line, then, self._listed(suggestion, state), frozenset(said))

    def judged(
        self, suggestion: Suggestion, behind: Round | None, state: ScreenState, *, may_scroll: bool
    ) -> Suggestion | Rest:
        """The suggestion for a line, with what a person has to know before; or what is left of the list.

        `behind` is the round before it. Raises Stopped, LeaseLost, DesktopLost.
        """
        repeat, resolution = suggestion.edge.repeat, suggestion.resolution
        assert repeat is not None
        doubts = [suggestion.doubt]
        found = resolution.status in (ResolveStatus.FOUND, ResolveStatus.NOT_NEEDED)
        if behind is None and not found and self.stages.shows_no_line(suggestion.node_id, state):
            if not repeat.until and self.journal.was_said_empty(suggestion.edge.edge_id):
                return Rest.NONE
            told = replace(resolution, message=say("turn.list_empty"))
            return replace(suggestion, resolution=told, no_line=True)
        is_over = resolution.at_end
        if (compared := self.compared(suggestion, behind, state)) is not None:
            changed = compared.changed(suggestion.line)
            if changed and may_scroll and compared.is_out_of_sight and self._scrolled_on(suggestion, state):
                return Rest.BELOW
            doubts += [changed, self._unlike(suggestion, state) if found else ""]
            is_over |= not found and compared.last_has_left(state)
        if is_over and not any(doubts):
            if may_scroll and self._scrolled_on(suggestion, state):
                return Rest.BELOW
            if not repeat.until:
                return Rest.NONE
            doubts.append(say("turn.end_not_seen", texts=list(repeat.until)))
        if found and behind and behind.number >= repeat.most:
            doubts.append(say("turn.more_lines", most=repeat.most))
        return replace(suggestion, doubt=by_sentence(doubts))

    def _unlike(self, suggestion: Suggestion, state: ScreenState) -> str:
        """That a line is made otherwise than the one before it, in a sentence: below a list stands something else."""
        line, lines = suggestion.line, suggestion.resolution.lines
        if line < 2 or line > len(lines) or _make_of(line, lines, state) == _make_of(line - 1, lines, state):
            return ""
        return say("turn.line_unlike", line=line, text=" ".join(self._rows(suggestion, state)[line - 1]))

    def _rows(self, suggestion: Suggestion, state: ScreenState) -> list[Row]:
        return rows_of(self._listed(suggestion, state))

    def _listed(self, suggestion: Suggestion, state: ScreenState) -> Listed:
        """The lines as they would be kept: what is hidden is hidden then and now."""
        size, shown = state.frame.size, self.journal.hidden.shown(state).state
        return Listed(
            lines=[box.normalised(size) for box in suggestion.resolution.lines],
            texts=[(read.text, read.box.normalised(size)) for read in shown.texts],
            frames=[e.box.normalised(size) for e in state.elements if e.role is ElementRole.GROUP],
            window=state.window.box.normalised(size) if state.window and state.window.box else None,
        )

    def _scrolled_on(self, suggestion: Suggestion, state: ScreenState) -> bool:
        """Whether there was more of the list below what is seen: it moved when it was scrolled."""
        lines, before = suggestion.resolution.lines, self._rows(suggestion, state)

        def moved(state: ScreenState) -> bool:
            return self._rows(suggestion, state) != before

        for turns in _WHEEL if lines else ():
            self.hold.check()
            self.stages.scroll(lines[-1].center, turns)
            if moved(once_moved(lambda: self.stages.settle(suggestion.edge), moved)):
                return True
        return False


@dataclass(frozen=True, slots=True)
class Compared:
    """A list `then`, when its line number `done` was done, and `now`; `said` are words of lines done before that, `top`
    is where it began then, normalised."""

    done: int
    then: Sequence[Row]
    now: Sequence[Row]
    said: frozenset[str] = frozenset()
    top: float = 0.0

    @property
    def next_line(self) -> int | None:
        return place_of_next(self.done, self.then, self.now, said=self.said)

    @property
    def as_counted(self) -> Compared:
        """The same; where the lines are told apart only without the numbers that both count them by, without those."""
        bare = replace(self, then=_without_numbers(self.then), now=_without_numbers(self.now))
        is_told = bool(bare.then and bare.now) and self.next_line is None and bare.next_line is not None
        return bare if is_told else self

    def changed(self, line: int) -> str:
        """What is not as it was of the lines from this one on, in a sentence; "" if all of it is."""
        done, then, now = self.done, self.then, self.now
        if not then:
            return say("turn.list_unknown", then=done, line=line)
        is_next = self.next_line == line
        for number, was in enumerate(() if is_next else then[done:], line):
            if number > len(now):
                return say("turn.list_shorter", then=done, line=number, was=" ".join(was))
            if not _reads_as(was, now[number - 1]):
                told = {"was": " ".join(was), "now": " ".join(now[number - 1])}
                return say("turn.list_changed", then=done, line=number, **told)
        is_told = is_next and not _is_anybodys(done + 1, then) and not _is_anybodys(line, now)
        return "" if is_told else say("turn.list_unknown", then=done, line=line)

    @property
    def is_out_of_sight(self) -> bool:
        """Whether the next line, or behind the last one its end, may be below what is seen, as the list was drawn anew
        from its top."""
        now = {_plain(row) for row in self.now}
        if following := {_plain(row) for row in self.then[self.done :]}:
            return not following & now
        known = self.said | _words(*self.then)
        return _plain(self.then[-1]) not in now and all(_words(row) <= known for row in self.now)

    def last_has_left(self, state: ScreenState) -> bool:
        """Whether nothing followed the line that was done, and what it alone says stands nowhere but in a message
        above the list, which says little else of it."""
        if self.done != len(self.then) or any(_is_it(self.done, self.then, row, self.said) for row in self.now):
            return False
        if own := _own_words(self.done, self.then, self.said):
            whole, top = _words(self.then[-1]), self.top * state.frame.size.height
            seen = ((level, _words(texts)) for level, texts in _levels(state))
            return not any(own <= w and (level >= top or 2 * len(whole & w) > len(whole)) for level, w in seen)
        short = _tokens(self.then[-1]) - _tokens(*self.then[:-1]) - self.said  # as “T-4” is: it has no word
        return not short <= _tokens(tuple(read.text for read in state.texts))


def place_of_next(done: int, then: Sequence[Row], now: Sequence[Row], *, said: Collection[str] = ()) -> int | None:
    """Where the line that followed number `done` of a list stands `now`, from 1; None where that cannot be told.

    It is known by what it says, and by those behind it that follow it. Where none did, it comes behind the lines that
    still stand there, whatever the one that was done says by now. `said` are words of lines that were done before it.
    """
    rest, before = then[done:], then[:done]
    if len(before) < done:
        return None
    if rest:
        at = [number for number, row in enumerate(now) if _reads_as(row, rest[0])]
        if len(at) != 1 or at[0] > done:
            return None
        up = now[at[0] :]
        cut = at[0] < done and len(rest) > 1  # the last one in sight may have been seen in part
        follow = len(up) >= len(rest) and all(map(_reads_as, rest[: len(rest) - cut], up))
        # what came into sight below them is none of those that were done, and put to the end
        again = any(_is_it(number, then, row, said) for number in range(1, done + 1) for row in up[len(rest) :])
        return at[0] + 1 if follow and not again else None
    for shift in range(done if done > 1 else 0):
        stay = list(map(_reads_as, before[shift:-1], now))
        if len(now) >= done - shift and all(stay[1:]) and (any(stay) if stay else _reads_as(before[-1], now[0])):
            has_left = not shift and not _is_it(done, then, now[done - 1], said)
            return done if has_left and len(now[done - 1]) == len(before[-1]) > 1 else done + 1 - shift
    if len(now) == done - 1 and all(map(_reads_as, before, now)):
        return done
    if done == 1 and now:
        return 1 if not _is_it(1, then, now[0], said) and len(now[0]) == len(before[0]) > 1 else 2
    return None


def _is_it(number: int, then: Sequence[Row], row: Row, said: Collection[str]) -> bool:
    """Whether a row may be that line of the list, whatever it says besides by now: it says most of its own words."""
    own = _own_words(number, then, said)
    return 2 * len(own & _words(row)) >= len(own)


def _own_words(number: int, then: Sequence[Row], said: Collection[str]) -> set[str]:
    """What a line of the list says and no other one does."""
    return _words(then[number - 1]).difference(said, *(_words(r) for n, r in enumerate(then, 1) if n != number))


def _reads_as(one: Row, other: Row) -> bool:
    """Whether both say the same, but for pictures that were read as letters one time and not the other; one letter for
    another, a digit or a tick may be another record, or a line that somebody else has done."""
    if _plain(one) == _plain(other):
        return True
    (said, alone), (others, also) = _apart(one), _apart(other)
    return bool(said) and not (alone and also) and _plain(said) == _plain(others)


def _apart(row: Row) -> tuple[Row, Row]:
    """What a row says, and its lone letters."""
    lone = tuple(cell for cell in row if len(cell.strip()) == 1 and cell.strip().isalpha())
    return tuple(cell for cell in row if cell not in lone), lone


def _is_anybodys(line: int, rows: Sequence[Row]) -> bool:
    """Whether another record could read as that line does: it is empty, hidden in part, or there twice.

    Where the list is shorter there is nothing to be told apart.
    """
    if line > len(rows):
        return False
    read = [_plain(row) for row in rows]
    return not read[line - 1] or HIDDEN in " ".join(rows[line - 1]) or read.count(read[line - 1]) > 1


def _words(*rows: Row) -> set[str]:
    said = folded(" ".join(cell for row in rows for cell in row))
    return {word for word in re.findall(r"\w+", said) if len(word) >= _LEAST_WORD}


def _levels(state: ScreenState) -> Iterator[tuple[int, Row]]:
    """The middle of each text, and what stands level with it, itself among it."""
    for one in state.texts:
        level, reach = one.box.center.y, _LEVEL * one.box.h
        yield level, tuple(read.text for read in state.texts if abs(read.box.center.y - level) <= reach)


def _tokens(*rows: Row) -> set[str]:
    """What stands between spaces, as long as a word is."""
    said = folded(" ".join(cell for row in rows for cell in row)).split()
    return {token for token in said if len(token) >= _LEAST_WORD}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The lines of a list, and what stands on its screen; boxes are normalised."""

    lines: Sequence[NormBox]
    texts: Sequence[tuple[str, NormBox]]
    frames: Sequence[NormBox] = ()
    window: NormBox | None = None


def compared_lists(done: int, then: Listed, now: Listed, said: frozenset[str]) -> Compared:
    """A list beside what it was; where what stands beside it, such as a menu, hides which line is which, without."""
    top = min((line[1] for line in then.lines), default=0.0)
    found = Compared(done, rows_of(then), rows_of(now), said, top).as_counted
    view = _view(then) or _view(now)
    if view is None or found.next_line is not None:
        return found
    own = Compared(done, rows_of(then, view), rows_of(now, view), said, top).as_counted
    return found if own.next_line is None else own


def list_kept(screen: dict[str, Any], lines: Iterable[Sequence[float]]) -> Listed:
    """The lines of a list as a step kept its screen."""
    read, window = screen.get("perception") or {}, (screen.get("window") or {}).get("box")
    texts = zip(read.get("detected_text", ()), read.get("text_boxes", ()), strict=False)
    return Listed(
        lines=[_box(line) for line in lines],
        texts=[(text, _box(box)) for text, box in texts],
        frames=[_box(e["box"]) for e in screen.get("ui_elements", ()) if e["role"] == ElementRole.GROUP],
        window=_box(window) if window else None,
    )


def rows_of(listed: Listed, view: View | None = None) -> list[Row]:
    """What stands in each line, from left to right; of a line in the window, nothing that stands beside that, nor
    beside the `view` of its list."""
    rows, window = [], listed.window
    for line in listed.lines:
        level = [
            (text, box) for text, box in listed.texts if abs(_middle(box)[1] - _middle(line)[1]) <= _LEVEL * line[3]
        ]
        if window is not None and _holds(window, line):
            level = [(text, box) for text, box in level if _holds(window, box)]
        if view is not None:
            level = [(text, box) for text, box in level if view[0] <= _middle(box)[0] <= view[1]]
        rows.append(tuple(text for text, _at in sorted(level, key=lambda one: (one[1][0], one[0]))))
    return rows


def _view(listed: Listed) -> View | None:
    """From where to where the rows of a list go, by the frames around one of them each; None where there is none.

    What a menu beside it says stands level with another row as soon as the list moves.
    """
    rows = [
        frame
        for frame in listed.frames
        if sum(_holds(frame, line) for line in listed.lines) == 1
        and sum(_holds(frame, box) for _text, box in listed.texts) > 1
    ]
    return (min(x for x, *_ in rows), max(x + w for x, _y, w, _h in rows)) if rows else None


def _middle(box: NormBox) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def _holds(window: NormBox, box: NormBox) -> bool:
    """Whether the middle of a box lies in the window."""
    x, y = _middle(box)
    return window[0] <= x <= window[0] + window[2] and window[1] <= y <= window[1] + window[3]


def _without_numbers(rows: Sequence[Row]) -> list[Row]:
    """The lines without the number that a list counts them by, which is another line's once one has left; nothing where
    they are not counted so."""
    bare: list[Row] = []
    for number, (first, *others) in enumerate((row or ("",) for row in rows), 1):
        counted, _space, own = first.partition(" ")
        if counted.rstrip(".") != str(number) or not (own or others):
            return []
        bare.append((own, *others) if own else tuple(others))
    return bare


def _box(sides: Sequence[float]) -> NormBox:
    left, top, width, height = sides
    return left, top, width, height


def _plain(row: Row) -> str:
    return "".join(folded(" ".join(row)).split())
