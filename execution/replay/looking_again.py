"""One stored step, looked at as a run would look at that screen today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from execution.choices import Outcome, Verified
from execution.desktop.acts import Act, NotingHands
from execution.desktop.base import DesktopIdentity
from execution.matching import Reference, ScopedMatcher
from execution.matching.references import prepare
from execution.models import Step
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.masking import masks_from
from execution.record.kept_screens import frame_of, state_of, window_of
from execution.record.reference_store import DatabaseReferences
from execution.replay.answers import About, Passed, Truth, Verdict, of_places, of_screens
from execution.replay.runs import StoredRun
from execution.replay.stood import Stood, state_at
from execution.targeting.resolver import TargetResolver
from execution.turn.eyes import Eyes, Flags
from execution.turn.workflow_stages import PERSON, WorkflowStages
from execution.types import Frame, Resolution, ScreenState, Size, Window
from workflows.calling import with_given
from workflows.graph import GraphSpec, NormBox
from workflows.pictures import PictureStore
from workflows.secret_names import holds_secret

_KNOWN = frozenset({Outcome.SUCCEEDED, Outcome.MANUAL, Outcome.TERMINAL})  # of these the run was where its step says


class PassedOver(Exception):
    """It cannot be looked at again, and why."""

    def __init__(self, why: Passed) -> None:
        super().__init__(why.value)
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`was`, `now`: a node's id, a place as fractions of the screen, or nothing."""

    about: About
    verdict: Verdict
    was: Any
    now: Any
    why: str = ""  # of today's answer, in a sentence


class LookingAgain:
    """Today's eyes, matcher and resolver, for the steps of one graph.

    `reads` False takes each screen as it was read then, so that only recognising and finding are done again.
    """

    def __init__(
        self, graph: GraphSpec, analyzer: ScreenAnalyzer, *, pictures: PictureStore, reads: bool = True
    ) -> None:
        self.graph, self.reads = graph, reads
        self._analyzer, self._pictures = analyzer, pictures
        self._masks = masks_from(graph.flags.get("masks"))
        references: dict[str, Reference] = prepare(
            graph, analyzer=analyzer, pictures=pictures, store=DatabaseReferences()
        )
        self._matcher = ScopedMatcher(
            graph,
            pictures=pictures,
            embedder=analyzer.embedder,
            references=references,
            threshold=settings.RPA_MATCH_THRESHOLD,
        )
        self._resolver = TargetResolver(pictures=pictures, similarity_threshold=settings.RPA_SIMILARITY_THRESHOLD)

    def seen(self, step: Step) -> ScreenState:
        """The screen before the step. Raises PassedOver."""
        frame = frame_of(step, self._pictures)
        if frame is None:
            raise PassedOver(Passed.PICTURE_GONE)
        if not self.reads:
            state = state_of(step, frame)
            if state is None:
                raise PassedOver(Passed.NOT_READ)
            return state
        return self._analyzer.analyze(frame, window_of(step.screen, frame.size), masks=self._masks)

    def differences(self, step: Step, run: StoredRun) -> list[Difference]:
        """What of the step would be answered otherwise. Raises PassedOver."""
        if step.degraded:
            raise PassedOver(Passed.DEGRADED)
        if step.node_id and self.graph.node(step.node_id) is None:
            raise PassedOver(Passed.SCREEN_GONE)
        state = self.seen(step)
        return [found for found in (self._screen(step, run, state), self._place(step, run, state)) if found is not None]

    def at_pause(self, stood: Stood) -> Difference | None:
        """Whether a screen at which a run stood still would be known as another than a person said. Raises
        PassedOver."""
        if self.graph.node(stood.said) is None:
            raise PassedOver(Passed.SCREEN_GONE)
        state = state_at(stood.pause, self._pictures)
        if state is None:
            raise PassedOver(Passed.PICTURE_GONE)
        values = {name: str(value) for name, value in with_given(self.graph, stood.execution.variables).items()}
        recognition = self._matcher.recognise(
            state, variables=values, last_node=None, expected=stood.pause.expected or None
        )
        now = recognition.match.node_id if recognition.match else ""
        verdict = of_screens("", now, Truth(right=stood.said))
        if verdict is Verdict.SAME:
            return None
        return Difference(about=About.SCREEN, verdict=verdict, was="", now=now, why=recognition.why_not)

    def _screen(self, step: Step, run: StoredRun, state: ScreenState) -> Difference | None:
        if _was_picked(step):
            return None  # a person said which screen it is, and today nobody does
        last, expected = run.came_from(step)
        recognition = self._matcher.recognise(
            state, variables=self._values(step, run), last_node=last, expected=expected
        )
        now = recognition.match.node_id if recognition.match else ""
        known = step.outcome in _KNOWN and step.verified != Verified.NO and not run.was_wrong(step)
        verdict = of_screens(step.node_id, now, Truth(right=step.node_id if known and step.node_id else None))
        if verdict is Verdict.SAME:
            return None
        return Difference(about=About.SCREEN, verdict=verdict, was=step.node_id, now=now, why=recognition.why_not)

    def _place(self, step: Step, run: StoredRun, state: ScreenState) -> Difference | None:
        edge = self.graph.edge(step.edge_id) if step.edge_id else None
        if edge is None or edge.target is None or not step.suggestion:
            return None
        was = _box(step.suggestion.get("box"))
        resolution = self._resolved(step, run, state)
        now = resolution.box.normalised(state.frame.size) if resolution.box else None
        verdict = of_places(was, now, self._truth(step, run, was))
        if verdict is Verdict.SAME:
            return None
        return Difference(about=About.PLACE, verdict=verdict, was=was, now=now, why=resolution.message)

    def _resolved(self, step: Step, run: StoredRun, state: ScreenState) -> Resolution:
        edge = self.graph.edge(step.edge_id)
        assert edge is not None
        eyes = Eyes(KeptPicture(state.frame, state.window), self._analyzer, Flags())
        stages = WorkflowStages(self.graph, self._values(step, run), eyes, self._matcher, self._resolver)
        return stages.suggest(edge, step.node_id, state).resolution

    def _truth(self, step: Step, run: StoredRun, was: NormBox | None) -> Truth[NormBox]:
        """Where a person showed it, unless that proved wrong; else where it was clicked, and how that ended."""
        wrong, shown = run.was_wrong(step) or step.verified == Verified.NO, _box(run.shown_place(step))
        if shown is not None:
            return Truth(wrong=shown) if wrong or step.outcome == Outcome.FAILED else Truth(right=shown)
        if wrong:
            return Truth(wrong=was)
        return Truth(right=was if step.outcome == Outcome.SUCCEEDED else None)

    def _values(self, step: Step, run: StoredRun) -> dict[str, str]:
        """Of the variables as they were at that step. What is secret is nobody's here, and names no place."""
        values: dict[str, Any] = {v.name: "" for v in self.graph.variables if holds_secret(v)}
        values |= run.values_at(step) | self._counters(step, run)
        return {name: str(value) for name, value in with_given(self.graph, values).items()}

    def _counters(self, step: Step, run: StoredRun) -> dict[str, str]:
        """Which line of its list each round was at."""
        found = {}
        for edge in self.graph.edges:
            if edge.repeat and (line := run.line_at(step, edge.edge_id)):
                found[edge.repeat.counter] = str(line)
        return found


class KeptPicture(NotingHands):
    """A desktop that shows one picture and does nothing."""

    name = "kept picture"

    def __init__(self, frame: Frame, window: Window | None) -> None:
        self._frame, self._window = frame, window

    def grab(self) -> Frame:
        return self._frame

    def window(self) -> Window | None:
        return self._window

    def identity(self) -> DesktopIdentity:
        return DesktopIdentity(name=self.name, host="", boot_id="", session="", user="", size=self._frame.size)

    def _size(self) -> Size:
        return self._frame.size

    def _do(self, act: Act) -> None:
        raise AssertionError("nothing is done on a kept picture")

    def close(self) -> None:
        pass


def _was_picked(step: Step) -> bool:
    match = (step.recognition or {}).get("match") or {}
    return any(reason.get("sign") == PERSON for reason in match.get("reasons") or ())


def _box(sides: Any) -> NormBox | None:
    return (float(sides[0]), float(sides[1]), float(sides[2]), float(sides[3])) if sides else None
