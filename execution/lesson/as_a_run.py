"""The stages of a run's turn on a lesson's desktop: what is tried, set or chosen there is done as a run does it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from django.conf import settings

from execution.desktop.base import Desktop
from execution.lesson.here import Here
from execution.matching import ScopedMatcher, dialogs
from execution.models import Lesson
from execution.targeting.resolver import TargetResolver
from execution.turn.eyes import Eyes, Flags
from execution.turn.holding import Hold
from execution.turn.rounds import counted
from execution.turn.workflow_stages import WorkflowStages
from execution.types import Match, Recognition, ScreenState
from workflows.graph import GraphSpec, NodeSpec
from workflows.specs import graph_of


class LessonHold(Hold):
    """An act of several movements may go on while the lesson is open and whoever asked for it still sees it."""

    def __init__(
        self,
        lesson: Lesson,
        *,
        leave: threading.Event | None = None,
        may_act: Callable[[], None] = lambda: None,
        is_seen: Callable[[], bool] = lambda: True,
    ) -> None:
        self.lesson, self.leave, self.may_act, self.is_seen = lesson, leave or threading.Event(), may_act, is_seen

    @property
    def about(self) -> str:
        return self.lesson.lesson_id

    def stopped(self) -> bool:
        """Raises LeaseLost."""
        self.may_act()
        return self.leave.is_set() or not self.is_seen()


class StagesHere(WorkflowStages):
    """On the screen that a person shows: it is the same for as long as its page stands and nothing came over it.

    What the draft knows a screen by may be one time that it was seen, and is no measure of that.
    """

    then: ScreenState  # what showed when the place was shown

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        nameless = NodeSpec(node_id="", name="")
        over = dialogs.over_recognised(state, self.then, nameless, taught=None, variables=self.variables)
        if over is not None or not dialogs.is_same_page(state, self.then):
            return Recognition(match=None, why_not=over.told if over else "")
        return Recognition(match=Match(node_id=last_node or "", confidence=1.0))


def stages_of(
    here: Here,
    desktop: Desktop,
    state: ScreenState,
    *,
    graph: GraphSpec | None = None,
    values: Mapping[str, str] | None = None,
) -> WorkflowStages:
    """What a run would ask of its eyes and hands, with what was read here last; `graph` for another than the draft's,
    with `values` of its own."""
    return WorkflowStages(*_bound(here, desktop, state, graph, values))


def stages_here(here: Here, desktop: Desktop, state: ScreenState) -> StagesHere:
    """The same for an act at a place that a person shows on the screen as it was read."""
    stages = StagesHere(*_bound(here, desktop, state))
    stages.then = state
    return stages


def _bound(
    here: Here,
    desktop: Desktop,
    state: ScreenState,
    of: GraphSpec | None = None,
    given: Mapping[str, str] | None = None,
) -> tuple[GraphSpec, dict[str, str], Eyes, ScopedMatcher, TargetResolver]:
    store, graph = here.draft.store, of or graph_of(here.draft.workflow)
    eyes = Eyes(desktop, here.analyzer, Flags())
    eyes.last_read = eyes.last_look = state
    matcher = ScopedMatcher(
        graph, pictures=store, embedder=here.analyzer.embedder, threshold=settings.RPA_MATCH_THRESHOLD
    )
    own = here.known.values if given is None else given
    values = {**counted(graph, ()), **own}  # of a list the first line is shown
    return graph, values, eyes, matcher, TargetResolver(pictures=store)
