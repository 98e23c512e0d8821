"""The stages of a turn of one run: values in, values out. The loop calls them in order and knows no more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from execution.learning.overlay import Taught
from execution.matching.dialogs import Dialog
from execution.targeting.pressing import Chosen
from execution.turn.eyes import Eyes
from execution.turn.holding import Hold
from execution.turn.popups import Closable
from execution.turn.unchanged import Glance, Pictured
from execution.types import (
    ActionResult,
    Box,
    Element,
    Match,
    Point,
    Recognition,
    ScreenState,
    Size,
    Suggestion,
    Verification,
)
from workflows.graph import EdgeSpec, GraphSpec, PopupSpec, TargetSpec


class Turn(Protocol):
    """One turn of the wheel: where, and how many clicks (down is positive)."""

    @property
    def point(self) -> Point: ...

    @property
    def dy(self) -> int: ...


class ScrollSearch(Protocol):
    """Where to scroll next; None once everything was seen or nothing moves any more."""

    @property
    def places(self) -> tuple[int, ...]:
        """Where candidates were seen."""

    def next_scroll(self) -> Turn | None: ...

    def moved(self, state: ScreenState) -> bool:
        """Whether what is scrolled shows another view than before the last turn."""

    def saw(self, state: ScreenState) -> None: ...

    def found(self, box: Box) -> bool:
        """Whether the candidate can be taken, or a twin of it may yet come."""

    def back_to(self, place: int) -> Turn | None: ...


class Stages(Protocol):
    """What the loop asks of a run's eyes, hands and knowledge, in the order of a turn."""

    graph: GraphSpec
    eyes: Eyes
    missing: str  # what the run cannot go on without, in a sentence

    @property
    def variables(self) -> Mapping[str, str]: ...

    def count(self, values: Mapping[str, str]) -> None:
        """Values that the run has come to: the lines of lists that it is at."""

    def forget(self, names: Collection[str]) -> None:
        """What was read of another line than the present one is no value of the run any more."""

    def learn(self, corrections: Sequence[Taught]) -> None:
        """What coaches have shown up to now: from this turn on it is gone by."""

    def observe(self, *, whole: bool = False) -> ScreenState:
        """The screen as it is now; `whole`: read though the run is degraded."""

    def glance(self) -> Glance: ...

    def look_again(self, state: ScreenState, *, until: float, hold: Hold) -> ScreenState | None:
        """The screen once it has changed; None if it has not until `until` (monotonic). Raises Stopped."""

    def settle(self, edge: EdgeSpec, *, enough: Callable[[ScreenState], bool] | None = None) -> ScreenState:
        """The screen once it stands still, or earlier where `enough` says so of what was seen."""

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition: ...

    def screen_doubt(self, node_id: str, state: ScreenState) -> str:
        """Why a screen that was recognised as that node may be another one; "" if nobody need be asked."""

    def shows_no_line(self, node_id: str, state: ScreenState) -> bool:
        """Whether nothing is where the list of that screen stands; False where nobody said where that is."""

    def is_end(self, node_id: str) -> bool: ...

    def is_terminal(self, node_id: str) -> bool: ...

    @property
    def knows_ways(self) -> bool:
        """Whether the graph says all that may follow a screen."""

    def may_stay(self, edge: EdgeSpec) -> bool:
        """Whether the screen may look the same once the edge was done."""

    def next_edge(self, node_id: str, tried: Collection[str]) -> EdgeSpec | None:
        """The node's first edge that was neither rejected nor skipped."""

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion: ...

    def sentence(self, edge: EdgeSpec, params: Mapping[str, Any]) -> str:
        """What the edge does, in words: “Click Save As…”."""

    def correct(self, suggestion: Suggestion, correction: Mapping[str, Any], state: ScreenState) -> Suggestion:
        """The suggestion as a coach wants it (S1.10).

        ValueError when the corrected target is not on the screen, or not in the row that the target must be in.
        """

    def what_changed(
        self, suggestion: Suggestion, then: Pictured, now: Pictured, *, strict: bool = True, whole: bool = False
    ) -> str:
        """What is not as it was when the action was chosen, in words; empty if it may be done."""

    def check_before(self, edge: EdgeSpec, state: ScreenState) -> Verification:
        """Whether the screen holds what the edge declares before it is done, and is whose it must be (S9.6)."""

    def put_problem(self, edge: EdgeSpec, state: ScreenState) -> str:
        """Why what the run has put on this screen is gone or another, before what saves it; "" if it stands."""

    def declared_popup(self, state: ScreenState, match: Match | None, known: ScreenState | None) -> Closable | None:
        """The workflow's dialog that is over the screen, `known` being the last one that was recognised. Over a screen
        that is recognised itself it must be seen to have come; what a known screen's own window could be is none."""

    def popup_gone(self, popup: PopupSpec, state: ScreenState) -> bool: ...

    def dialog_over(self, state: ScreenState, known: ScreenState | None) -> Dialog | None:
        """What lies over the screen that was known last, where it is not simply another screen."""

    def dialog_over_recognised(self, state: ScreenState, match: Match, known: ScreenState | None) -> Dialog | None:
        """What lies over a screen that can be recognised nevertheless; None for what its node shows itself.

        Where no screen is known yet, or another page, the node's taught picture says how it should look.
        """

    def chosen_button(self, chosen: Chosen, state: ScreenState, known: ScreenState | None) -> Element | None:
        """The button that a person chose, if the dialog is the one that they saw."""

    def chosen_dialog_stays(self, chosen: Chosen, state: ScreenState) -> bool: ...

    def scroll_search(self, target: TargetSpec, state: ScreenState) -> ScrollSearch: ...

    def scroll(self, point: Point, dy: int) -> None: ...

    def take_pointer_off(self, point: Point, state: ScreenState) -> bool:
        """Move the pointer from there to where nothing is; False where no such place is known."""

    def act(self, suggestion: Suggestion, hold: Hold) -> ActionResult:
        """Do it; `hold` ends what takes long. Raises Stopped, LeaseLost."""

    def verify(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        """Look whether it happened, again and again until it did or the edge's time is over: effects may be late."""

    def judge(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState, *, between: Sequence[ScreenState] = ()
    ) -> Verification:
        """One look; `between` are those since the act: what went away and came back is new (S5.2)."""

    def still_the_same(self, before: ScreenState, after: ScreenState) -> bool:
        """Whether the whole screen is what it was, up to noise such as a caret."""

    def remember(self, pixels: np.ndarray, screen: Mapping[str, Any]) -> ScreenState:
        """A screen of an earlier loop, read anew from its picture; lines hidden there, as they were kept."""

    def recall(self, edge: EdgeSpec, kept: Mapping[str, Any], size: Size) -> Suggestion:
        """A suggestion of an earlier loop on a screen of that size, as far as looking whether it was done needs it."""

    def recall_put(self, done: Iterable[Suggestion]) -> None:
        """What an earlier loop was seen to have put on the screens, in its order: looked at before it is saved."""

    def picked(self, node_id: str) -> Recognition:
        """A node that a person picked."""
