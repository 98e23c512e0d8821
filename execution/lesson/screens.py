"""Which node of the draft a screen is, or what a new one would be called and known by (S6.10).

The same screen is the one that still says what it said: what is typed, what changes by itself and what is data aside.
What lies over it (a menu, a dialog) is a screen of its own, as other things can be done there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from execution.language.fuzzy import SEEN, folded, words
from execution.language.screen_texts import ScreenWords
from execution.language.volatile import lasting
from execution.matching.dialogs import Dialog, over_known
from execution.matching.reasons import FEW_TEXTS
from execution.matching.references import Reading
from execution.matching.windows import app_speaks, title_matches
from execution.perception.changes import find_changes
from execution.targeting.records import may_name_somebody
from execution.teaching.expectations import Told, ToldLine, is_in_frame, title_pattern, told_lines
from execution.teaching.labels import labels_of_fields
from execution.teaching.titles import shared_title
from execution.teaching.values import put_back
from execution.types import Box, ElementRole, Frame, ScreenState, TextLine, Window
from execution.verification.change import in_field
from sentences.said import say
from workflows.graph import NormBox
from workflows.models import Node
from workflows.text import names as names_in

MOST_LOOKS = 4
_NEVER = datetime.fromtimestamp(0, UTC)
_MOST_TEXTS = 4
_MOST_ASIDE = 60
_FREE, _OF_FEW = (
    2,
    0.2,
)  # lines that may have come, and gone, on a screen that is still the same; of few so large a share
_SHARE = 0.06  # of its lines, on one that says much
_COLUMN = 0.4  # of a line's height, by which lines of one column may begin left or right of each other
_COLUMN_LINES, _ROWS = 3, 2  # lines of a column that came; and that make a column of a list that was there
_LOW = 0.9  # of the worth of a heading: what stands at the bottom of its window tells so much less
_HEADING = 1.3  # of the usual height of a line
_FOLDERS = re.compile(r"(?<!\S)(?:[A-Za-z]:|~)?(?:[/\\][^/\\]+)*[/\\](?=[^/\\\s])")  # where the document of a title is
_RING = 10  # pixels around a control in which its focus is drawn
_TITLE_SHARED = 0.5  # of the letters of a title


@dataclass(frozen=True, slots=True)
class Look:
    """A screen as one picture of it showed it: what it says, and the title of its window."""

    picture: str
    texts: tuple[TextLine, ...]
    state: ScreenState
    title: str = ""

    @classmethod
    def of_state(cls, state: ScreenState, picture: str) -> Look:
        return cls(picture, state.texts, state, state.window.title if state.window else "")

    @property
    def window_box(self) -> NormBox | None:
        """Where its window lay on the picture; None where nobody knows."""
        window = self.state.window.box if self.state.window else None
        return window.normalised(self.state.frame.size) if window is not None else None

    @classmethod
    def of_reading(cls, reading: Reading, title: str) -> Look:
        """What was read of a picture in an earlier lesson or run; its pixels are not needed."""
        width, height = reading.size
        blank = np.broadcast_to(np.zeros(3, np.uint8), (height, width, 3))
        frame = Frame(pixels=blank, taken_at=_NEVER)
        window = Window(title=title) if title else None
        state = ScreenState(
            frame=frame, window=window, texts=reading.texts, elements=reading.elements, text_method=reading.maker
        )
        return cls(reading.picture, reading.texts, state, title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Which node a screen is; None for a new one. `why` says so, `came` are the texts that were not there."""

    node: Node | None
    why: str
    came: tuple[str, ...] = ()
    is_changed: bool = False  # it is that node, and looks otherwise than every picture of it
    dialog: Dialog | None = None  # what lies over the screen before it


@dataclass(slots=True)
class Known:
    """What is data on this lesson's screens: the values of the variables, and what was typed as it stands."""

    values: Mapping[str, str] = field(default_factory=dict)
    typed: Sequence[str] = ()

    def but(self, said: object) -> Known:
        """The same without the variables that `said` holds: what a control is brought to tells no place on it."""
        left = {name: value for name, value in self.values.items() if name not in names_in(said)}
        return Known(values=left, typed=self.typed)

    def is_typed(self, text: str) -> bool:
        plain = folded(text).strip()
        return any(
            plain and (plain in folded(typed) or folded(typed).strip() in plain) for typed in self.typed if typed
        )


def place(
    state: ScreenState, nodes: Iterable[tuple[Node, Sequence[Look]]], *, before: ScreenState | None, known: Known
) -> Placed:
    """The node that the screen is; the likeliest first. `before` is what showed before the last act."""
    over = over_known(state, before)
    if over is not None and before is not None and (_is_renamed(over, before, state) or _other_program(before, state)):
        over = None
    best: tuple[float, Node, Look] | None = None
    for node, looks in nodes:
        for look in looks if over is None else (look for look in looks if _says(look, over, state, known)):
            apart = _apart(look, state, known)
            if apart is not None and (best is None or apart < best[0]):
                best = (apart, node, look)
    if best is None and over is not None:
        return Placed(node=None, why=say("lesson.over", dialog=over.told), came=over.texts, dialog=over)
    if best is None:
        return Placed(node=None, why=say("lesson.new_screen"))
    apart, node, look = best
    changed = apart > 0 or folded(look.title) != folded(_title(state))
    return Placed(node=node, why=say("lesson.same_screen", node=node.name), is_changed=changed)


def _is_renamed(over: Dialog, before: ScreenState, state: ScreenState) -> bool:
    return bool(over.title) and _titles_agree(_title(before), _title(state))


def _other_program(before: ScreenState, state: ScreenState) -> bool:
    """Whether the window in front is another program's: that is worked in, and is no dialog of this one."""
    then, now = before.window, state.window
    return then is not None and now is not None and app_speaks(then.app_name, now.app_name) < 0


def _says(look: Look, over: Dialog, state: ScreenState, known: Known) -> bool:
    """Whether a picture shows what came over the screen: that was taught before, as the form that a program goes back
    to, the page that a list was closed on, or a question that comes again."""
    there = ScreenWords.of(look.texts)
    came = (one for one in telling(state, known) if over.box.contains(one.line.box.center))
    said = [one.line.text for one in came if one.kind is Told.TELLS and not names_in(one.text)]
    return bool(said) and all(there.seen(text) >= SEEN for text in said)


def differs_in_fields_alone(then: ScreenState, now: ScreenState, within: Box) -> bool:
    """Whether nothing has changed but what stands in fields and in one part of the screen, with the rings around."""
    changes = find_changes(then.frame.pixels, now.frame.pixels)
    size = now.frame.size
    fields = [e.box for state in (then, now) for e in state.elements if e.role is ElementRole.FIELD]
    return changes is not None and not changes.outside([box.grown(_RING, size) for box in (within, *fields)]).regions


def telling(state: ScreenState, known: Known) -> list[ToldLine]:
    """What the screen says, line by line: what tells it, what is data, what is left out; in their order."""
    labels = labels_of_fields(state)
    told = told_lines(state.texts, state, known.values, is_entry=lambda box: in_field(box, state), labels=labels)
    return [
        ToldLine(one.line, one.text, Told.DATA, one.score)
        if one.kind is Told.TELLS and known.is_typed(one.line.text) and not names_in(one.text)
        else one
        for one in told
    ]


def proposed_texts(state: ScreenState, known: Known, others: Sequence[Look]) -> tuple[str, ...]:
    """Few texts that tell the screen, those first that no other known screen shows.

    What stands high is in sight in a smaller window as well; what stands above or below its window is of another one,
    which lies elsewhere another day.
    """
    window = state.window.box if state.window else None

    def rank(one: ToldLine) -> tuple[float, int, int, str]:
        return replace(one, score=one.score - _LOW * _depth(one.line.box, state)).rank()

    ranked = sorted((one for one in telling(state, known) if one.kind is Told.TELLS), key=rank)
    ranked = [one for one in ranked if not names_in(one.text) and not is_in_frame(one.line, state)]
    ranked = [one for one in ranked if window is None or window.contains(one.line.box.center)] or ranked
    texts = [one.text for one in ranked if _is_once(one, state)]
    elsewhere = [ScreenWords.of(look.texts) for look in others]
    counts = {text: sum(w.seen(text) >= SEEN for w in elsewhere) for text in texts}
    own = [text for text in texts if not counts[text]]
    shared = sorted((text for text in texts if counts[text]), key=lambda text: counts[text])
    chosen = own[:FEW_TEXTS]
    return tuple((chosen + shared[: max(0, min(FEW_TEXTS, _MOST_TEXTS - len(chosen)) - len(chosen))])[:_MOST_TEXTS])


def set_aside(state: ScreenState, known: Known) -> list[dict[str, str]]:
    """What the screen says that it is not known by, as it is kept: data, and what is left out."""
    told = [one for one in telling(state, known) if one.text][:_MOST_ASIDE]
    kinds = {one.text: Told.LEFT_OUT if one.kind is Told.TELLS else one.kind for one in told}
    return [{"text": text, "kind": kind.value} for text, kind in kinds.items()]


def proposed_name(state: ScreenState, placed: Placed, known: Known, taken: Sequence[str]) -> str:
    """What people may call the screen: what came over another one, its heading, or the title of its window."""
    headings = sorted(_headings(state, known), key=lambda one: -one.line.box.h)
    called = (one.text for one in headings if not may_name_somebody(one.text) and one.text not in taken)
    if not placed.came and (name := next(called, "")):
        return name
    title = _FOLDERS.sub("", title_pattern(_title(state), known.values).replace("*", " "))
    title = lasting(title.strip(" -–—·|"))
    heading = min((one for one in telling(state, known) if one.kind is Told.TELLS), key=ToldLine.rank, default=None)
    said = heading.text if heading else ""
    if placed.came:
        came = next((text for text in placed.came if len(words(text).key) > 2), "")
        said = came or said
    if title and title not in taken:
        return title
    if title and said and folded(said) not in folded(title):
        return f"{title}: {said}" if said in taken or may_name_somebody(said) else said
    return title or said or say("lesson.a_screen")


def shared_pattern(pattern: str, state: ScreenState, known: Known) -> str:
    """The title that a node is known by, so that it is this window's as well."""
    now = title_pattern(_title(state), known.values)
    return now if not pattern else pattern if not now or now == pattern else shared_title([pattern, now])


def forbidden(look: Look, texts: Sequence[str], other: Look, other_texts: Sequence[str]) -> str:
    """A text of the other screen that must not be on this one, where all its own texts are on the other; else ""."""
    there = ScreenWords.of(other.texts)
    if not texts or not all(there.seen(text) >= SEEN for text in texts):
        return ""
    here = ScreenWords.of(look.texts)
    return next((text for text in other_texts if here.seen(text) < SEEN and not names_in(text)), "")


def _apart(look: Look, state: ScreenState, known: Known) -> float | None:
    """How many lines came and went since that picture; None where it is another screen."""
    if not _titles_agree(look.title, _title(state)):
        return None
    then, now = _fixed(look.state, known), _fixed(state, known)
    if not then or not now:
        return None if then or now else 0.0
    here, there = ScreenWords.of(state.texts), ScreenWords.of(look.texts)
    gone = sum(here.seen(text) < SEEN for text in then)
    came = sum(there.seen(text) < SEEN for text in now)
    lines = max(len(then), len(now))
    if max(came, gone) > max(min(_FREE, _OF_FEW * lines), _SHARE * lines):
        return None
    if any(here.seen(one.text) < SEEN for one in _headings(look.state, known)):
        return None
    if _columns_more(state, look.state, known) or _columns_more(look.state, state, known):
        return None
    return float(came + gone)


def _fixed(state: ScreenState, known: Known) -> list[str]:
    return [one.text for one in telling(state, known) if one.kind is Told.TELLS and not names_in(one.text)]


def _headings(state: ScreenState, known: Known) -> list[ToldLine]:
    """What is written larger than the rest: another heading is another screen, however like the rest is."""
    told = telling(state, known)
    heights = sorted(one.line.box.h for one in told)
    usual = heights[len(heights) // 2] if heights else 0
    large = (one for one in told if one.kind is Told.TELLS and one.line.box.h > _HEADING * usual)
    return [one for one in large if not names_in(one.text)]


def _columns_more(state: ScreenState, other: ScreenState, known: Known) -> bool:
    """Whether it has a column of lines that the other has not: a menu, a list that came. More rows of one are no more.

    What is filled in or was typed is none of it.
    """
    there = ScreenWords.of(other.texts)
    lefts = [line.box.x for line in other.texts]
    fresh = [
        line
        for line in state.texts
        if there.seen(line.text) < SEEN
        and len(words(line.text).key) > 1  # else a picture that is read as a letter on one of the two
        and not in_field(line.box, state)
        and not known.is_typed(line.text)
        and not names_in(put_back(line.text, known.values))
        and sum(abs(line.box.x - left) <= _COLUMN * line.box.h for left in lefts) < _ROWS
    ]
    return any(
        sum(abs(line.box.x - one.box.x) <= _COLUMN * line.box.h for one in fresh) >= _COLUMN_LINES for line in fresh
    )


def _depth(box: Box, state: ScreenState) -> float:
    """How far down in its window something stands: 0 at its top, 1 at its bottom."""
    return min(1.0, max(0.0, (box.center.y - state.front.y) / max(1, state.front.h)))


def _is_once(one: ToldLine, state: ScreenState) -> bool:
    """Whether no other line says the same; a heading may stand in the bar of its window as well."""
    key, title = words(one.text).key, words(_title(state)).key
    same = [line.box for line in state.texts if words(line.text).key == key]
    in_bar = key == title and min(same, key=lambda box: box.y, default=one.line.box) != one.line.box
    return len(same) <= 1 + in_bar


def _titles_agree(one: str, other: str) -> bool:
    if not one or not other or title_matches(one, other) or title_matches(other, one):
        return True
    shared = shared_title([one, other])
    letters = sum(c.isalnum() for c in shared)
    return letters >= _TITLE_SHARED * max(sum(c.isalnum() for c in one), sum(c.isalnum() for c in other))


def _title(state: ScreenState) -> str:
    return state.window.title if state.window else ""
