"""A last look before every action (S5.2, S9.6): values in, an answer out, on screens that are told here."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from execution.matching.dialogs import Dialog
from execution.turn import readiness, unchanged
from execution.turn.readiness import CHANCES, CHANCES_OF_IDENTITY, NotReady, Readiness, Ready
from execution.types import (
    Answer,
    Box,
    Frame,
    Match,
    Point,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Size,
    Suggestion,
    Verification,
    Window,
    pixels_digest,
)
from workflows.graph import EdgeSpec, ExpectSpec, IdentitySpec

PLACE, SCREEN = Box(20, 20, 30, 20), Size(200, 150)
WHOSE = (IdentitySpec(label="Patient", value="Ada"),)
BEFORE = ExpectSpec(texts=("Save As",))


@dataclass(frozen=True)
class Look:
    """One look at the screen. `at_target`, `beside`: what is drawn there; `blink`: one spot of the target's place."""

    at_target: int = 0
    beside: int = 0
    blink: bool = False
    title: str = "Form"
    node: str | None = "form"
    whose: bool = True
    as_before: bool = True
    finds: ResolveStatus = ResolveStatus.FOUND
    dialog: bool = False

    def frame(self) -> Frame:
        pixels = np.full((SCREEN.height, SCREEN.width, 3), 200, np.uint8)
        pixels[PLACE.y : PLACE.bottom, PLACE.x : PLACE.right] = self.at_target
        pixels[120:140, 150:190] = self.beside
        if self.blink:
            pixels[25:31, 25:31] = 255
        return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))

    def read(self) -> ScreenState:
        return ScreenState(frame=self.frame(), window=Window(title=self.title))


STILL = Look()


@dataclass
class Screen:
    """Stages that see the `looks` one after the other, each for as long as it is not read again.

    `glimpsed` is what is seen without reading, look by look; where nothing is told, it is what was read last.
    """

    looks: list[Look]
    glimpsed: list[Look] = field(default_factory=list)
    later: list[Look] = field(default_factory=list)  # what comes while it is waited for
    then: Look = STILL
    reads: int = 0
    until: list[float] = field(default_factory=list)
    sees_less: bool = False  # its look was slow
    wholes: list[bool] = field(default_factory=list)
    emptied: str = ""  # why what was put there is not saved

    def put_problem(self, edge: EdgeSpec, state: ScreenState) -> str:
        return self.emptied

    @property
    def eyes(self) -> Any:
        return SimpleNamespace(is_to_be_whole=lambda state: self.sees_less and not self.wholes[-1])

    def observe(self, *, whole: bool = False) -> ScreenState:
        self.reads += 1
        self.wholes.append(whole)
        return self._seen(self.looks.pop(0) if self.looks else self._now)

    def _seen(self, look: Look) -> ScreenState:
        self._now = look
        return look.read()

    def __post_init__(self) -> None:
        self._now = self.then

    def glance(self) -> unchanged.Glance:
        look = self.glimpsed.pop(0) if self.glimpsed else self._now
        return unchanged.Glance(frame=look.frame(), window=Window(title=look.title))

    def look_again(self, state: ScreenState, *, until: float, hold: Any) -> ScreenState | None:
        self.until.append(until)
        return self._seen(self.later.pop(0)) if self.later else None

    def check_before(self, edge: EdgeSpec, state: ScreenState) -> Verification:
        if edge.identity and not self._now.whose:
            return Verification(answer=Answer.NO, message="It is Zoe's.")
        if edge.before and not self._now.as_before:
            return Verification(answer=Answer.CANNOT_TELL, message="“Save As” is not seen.")
        return Verification(answer=Answer.YES)

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        node = self._now.node
        return Recognition(match=Match(node_id=node, confidence=0.9) if node else None)

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        return suggestion(edge, self._now.finds, moved=True)

    def dialog_over(self, state: ScreenState, known: ScreenState | None) -> Dialog | None:
        assert known is not None
        assert known.frame.digest == self.then.frame().digest, "the screen that the action was chosen on"
        return Dialog(title="", texts=("Still there?",), box=PLACE) if self._now.dialog else None

    def dialog_over_recognised(self, state: ScreenState, match: Match, known: ScreenState | None) -> Dialog | None:
        return self.dialog_over(state, known)

    what_changed = staticmethod(unchanged.what_changed)


def suggestion(edge: EdgeSpec, status: ResolveStatus = ResolveStatus.FOUND, *, moved: bool = False) -> Suggestion:
    found = status is ResolveStatus.FOUND
    resolution = Resolution(status=status, box=PLACE if found else None, point=Point(30 + moved, 30) if found else None)
    return Suggestion(edge=edge, node_id="form", sentence="Click “Save”", params={}, resolution=resolution)


def asked(screen: Screen, *, anew: bool = False, by_hand: bool = False, **declares: Any) -> Ready | NotReady:
    edge = EdgeSpec(edge_id="e", source="form", destination="saved", action_type="click", **declares)
    status = ResolveStatus.NOT_NEEDED if screen.then.finds is ResolveStatus.NOT_NEEDED else ResolveStatus.FOUND
    hold: Any = None
    stages: Any = screen
    return Readiness(stages, hold).ready(screen.then.read(), suggestion(edge, status), anew=anew, by_hand=by_hand)


def test_what_stands_as_it_was_seen_is_acted_on_without_reading_it_again() -> None:
    """S5.2"""
    screen = Screen([])
    answer = asked(screen)
    assert isinstance(answer, Ready)
    assert (answer.suggestion.resolution.point, screen.reads) == (Point(30, 30), 0)


@pytest.mark.parametrize("why", [{"anew": True}, {"before": BEFORE}, {"identity": WHOSE}])
def test_what_is_asked_anew_or_declared_is_read_from_the_screen_as_it_is_now(why: dict[str, Any]) -> None:
    """S9.6"""
    screen = Screen([STILL])
    answer = asked(screen, **why)
    assert isinstance(answer, Ready)
    assert screen.reads == 1
    assert answer.suggestion.resolution.point == Point(30, 30), "nothing moved: the place stays what was decided"


def test_where_a_look_was_slow_the_whole_screen_is_read_before_it_is_acted_on() -> None:
    """S2.13: of a screen that was not read nothing is right, and nothing is wrong."""
    screen = Screen(looks=[STILL, STILL], sees_less=True)
    assert isinstance(asked(screen, anew=True), Ready)
    assert screen.wholes == [False, True]


def test_a_target_that_changed_is_looked_for_anew_and_acted_on_where_it_is_now() -> None:
    """S5.2: seen at the glance, or when the screen was read."""
    changed = Look(at_target=90)
    for screen, more in [(Screen([changed], glimpsed=[changed]), {}), (Screen([changed]), {"anew": True})]:
        answer = asked(screen, **more)
        assert isinstance(answer, Ready)
        assert answer.suggestion.resolution.point == Point(31, 30)
        assert answer.state.frame.digest == changed.frame().digest
        assert screen.reads == 1


@pytest.mark.parametrize(("declares", "looks"), [({}, CHANCES), ({"identity": WHOSE}, CHANCES_OF_IDENTITY)])
def test_what_never_stands_still_is_left_alone_and_nobody_is_asked(declares: dict[str, Any], looks: int) -> None:
    """S5.2: each glance differs from what was read before it."""
    screen = Screen([Look(at_target=n) for n in range(60, 160, 10)], [Look(at_target=n) for n in range(160, 250, 10)])
    shown = len(screen.glimpsed)
    answer = asked(screen, **declares)
    assert isinstance(answer, NotReady)
    assert "nothing was done" in answer.message
    assert not answer.asks
    assert shown - len(screen.glimpsed) == looks
    assert looks > 1, "what changed once is looked at once more"


def test_a_target_that_is_a_little_unsteady_may_be_acted_on_once_it_was_looked_at_again() -> None:
    """S5.2: not at once, but a spinner beside a button does not keep it from being clicked for ever."""
    blinking = Look(blink=True)
    screen = Screen([STILL], [blinking] * 9)
    assert isinstance(asked(screen), Ready)
    assert screen.reads == 1


@pytest.mark.parametrize(("declares", "ready"), [({}, True), ({"before": BEFORE}, True), ({"identity": WHOSE}, False)])
def test_whose_record_it_is_may_stand_anywhere_so_that_nothing_in_the_window_may_change(
    declares: dict[str, Any], ready: bool
) -> None:
    """S9.6: another line of the window has changed since it was read; for other actions it does not matter."""
    screen = Screen([], [Look(beside=n) for n in range(60, 160, 10)])
    assert isinstance(asked(screen, **declares), Ready) is ready


def test_a_clock_in_the_window_may_take_another_look_or_three_and_is_no_end_of_it() -> None:
    """S9.6"""
    ticks = [Look(beside=n) for n in (60, 90, 120)]
    screen = Screen([STILL, *ticks], [*ticks])
    assert isinstance(asked(screen, identity=WHOSE), Ready)
    assert screen.reads == CHANCES_OF_IDENTITY == 4


CHANGED = Look(at_target=90)


@pytest.mark.parametrize(
    ("now", "by_hand"),
    [
        (CHANGED, True),  # a person pointed at it: it cannot be looked for
        (Look(at_target=90, node="other"), False),
        (Look(at_target=90, finds=ResolveStatus.AMBIGUOUS), False),
        (Look(at_target=90, finds=ResolveStatus.NOT_FOUND), False),
        (Look(blink=True, finds=ResolveStatus.NOT_FOUND), False),  # a little is enough to look for it anew
        (Look(title="Other", node=None, finds=ResolveStatus.NOT_NEEDED), False),
    ],
)
def test_what_changed_and_is_not_surely_found_again_is_not_touched(now: Look, by_hand: bool) -> None:
    """S5.2"""
    screen = Screen([now])
    answer = asked(screen, anew=True, by_hand=by_hand)
    assert isinstance(answer, NotReady)
    assert "nothing was done" in answer.message
    assert not answer.asks
    assert answer.state.frame.digest == now.frame().digest
    assert screen.reads == 1


@pytest.mark.parametrize("node", ["form", None])
@pytest.mark.parametrize("anew", [True, False])
def test_a_target_that_is_found_behind_a_dialog_that_came_is_not_touched(node: str | None, anew: bool) -> None:
    """S5.2, S1.6: it can be read behind it; what is clicked is what lies over it."""
    now = Look(at_target=90, node=node, dialog=True)
    answer = asked(Screen([now], glimpsed=[] if anew else [now]), anew=anew)
    assert isinstance(answer, NotReady)
    assert not answer.asks, "the next turn sees the dialog and says what it is"


def test_a_target_that_is_found_behind_a_dialog_that_came_is_not_touched_where_it_was_looked_at_twice() -> None:
    declared = Look(at_target=90, dialog=True)
    assert isinstance(asked(Screen([declared]), identity=WHOSE), NotReady)


def test_what_a_person_pointed_at_is_acted_on_where_nothing_changed() -> None:
    assert isinstance(asked(Screen([STILL]), anew=True, by_hand=True), Ready)


@pytest.mark.parametrize(("node", "ready"), [("form", True), (None, False), ("other", False)])
def test_keys_go_to_a_window_of_another_title_only_where_it_is_still_the_screen_to_type_in(
    node: str | None, ready: bool
) -> None:
    """S5.2: `*Untitled` is `Untitled` with a letter in it; what nobody knows is not typed into."""
    then = Look(finds=ResolveStatus.NOT_NEEDED)
    now = Look(title="*Form", node=node, finds=ResolveStatus.NOT_NEEDED)
    assert isinstance(asked(Screen([now], then=then), anew=True), Ready) is ready


def test_a_target_that_is_found_again_needs_no_name_for_its_screen() -> None:
    now = Look(at_target=90, node=None)
    assert isinstance(asked(Screen([now]), anew=True), Ready)


@pytest.mark.parametrize(
    ("declares", "missing"), [({"before": BEFORE}, Look(as_before=False)), ({"identity": WHOSE}, Look(whose=False))]
)
def test_what_is_declared_may_come_late_but_must_come(declares: dict[str, Any], missing: Look) -> None:
    """S9.6: a screen that is still being drawn is looked at for a while; then a person is asked."""
    assert isinstance(asked(Screen([missing], later=[missing, STILL]), **declares), Ready)
    answer = asked(Screen([missing], later=[missing]), **declares)
    assert isinstance(answer, NotReady)
    assert answer.asks


@pytest.mark.parametrize("anew", [False, True])
def test_what_was_filled_in_and_is_gone_is_asked_about_before_it_is_saved(*, anew: bool) -> None:
    """S9.8"""
    answer = asked(Screen([STILL], emptied="“Anna” is gone."), anew=anew)
    assert isinstance(answer, NotReady)
    assert (answer.asks, answer.message) == (True, "“Anna” is gone.")


def test_it_is_waited_for_as_long_as_the_action_may_take_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """S9.6"""
    monkeypatch.setattr(readiness.time, "monotonic", lambda: 100.0)
    screen = Screen([Look(whose=False)], later=[Look(whose=False)])
    asked(screen, identity=WHOSE, settle_timeout_ms=7000)
    assert screen.until == [107.0, 107.0]


@pytest.mark.parametrize(
    ("now", "declares", "words"),
    [
        (Look(whose=False), {"identity": WHOSE}, ["the record shown is not surely the right one", "It is Zoe's."]),
        (Look(as_before=False), {"before": BEFORE}, ["the screen does not show what it must before", "“Save As”"]),
        (
            Look(whose=False, as_before=False),
            {"identity": WHOSE, "before": BEFORE},
            ["the record shown is not surely the right one", "It is Zoe's."],
        ),
        (
            Look(as_before=False),
            {"identity": WHOSE, "before": BEFORE},
            ["the screen does not show what it must before", "“Save As”"],
        ),
    ],
)
def test_the_question_says_what_is_missing_whose_record_it_is_first(
    now: Look, declares: dict[str, Any], words: list[str]
) -> None:
    """S9.6"""
    answer = asked(Screen([now]), **declares)
    assert isinstance(answer, NotReady)
    assert answer.message.startswith("“Click “Save”” was not done")
    assert all(word in answer.message for word in words)
