"""Promotion and demotion (S6.8): what the last runs prove, and what may be concluded from it.

A share of verified acts says little without how many there were: what counts is the bound that the true share is above,
or below, at 95 %, by Clopper and Pearson (Biometrika 26, 1934), which is never too narrow, however few there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sentences.said import say
from workflows.choices import LearningState

SURE = 0.95
WINDOW = 50  # runs: what was before says little of today
LATEST = 10  # runs: what fell lately must not be hidden by what was good for long


def least(good: int, of: int, *, sure: float = SURE) -> float:
    """The share of good ones is at least this; 0 where there is none."""
    if good <= 0 or of <= 0:
        return 0.0
    return _root(lambda share: _at_least(good, of, share), 1 - sure)


def most(good: int, of: int, *, sure: float = SURE) -> float:
    """The share of good ones is at most this; 1 where none failed."""
    return 1.0 - least(of - good, of, sure=sure)


def _at_least(good: int, of: int, share: float) -> float:
    """The chance of so many good ones or more."""
    if share in (0.0, 1.0):
        return share
    one, other = math.log(share), math.log1p(-share)
    every = math.lgamma(of + 1)
    logs = (
        every - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * one + (of - k) * other for k in range(good, of + 1)
    )
    return min(1.0, math.fsum(math.exp(value) for value in logs))


def _root(chance: Callable[[float], float], wanted: float) -> float:
    """Where the chance, which grows with the share, is the wanted one."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < wanted else (low, middle)
    return low


@dataclass(frozen=True, slots=True)
class Trial:
    """One act that was tried: in which of the last runs, by which step of the workflow, and whether it was right."""

    run: int
    edge_id: str
    good: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often something was right."""

    good: int = 0
    of: int = 0

    @property
    def least(self) -> float:
        return least(self.good, self.of)

    @property
    def most(self) -> float:
        return most(self.good, self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the last runs of a workflow say, all together, lately, and of each of its steps.

    `names` are the workflow's steps as it is now, in words; of these `steps` has a tally each, also one of nothing.
    """

    whole: Tally = Tally()
    latest: Tally = Tally()
    runs: int = 0
    steps: Mapping[str, Tally] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, trials: Iterable[Trial], names: Mapping[str, str]) -> Evidence:
        """The newest run is the one of the highest number; steps that are no more do not count."""
        all_of = [trial for trial in trials if trial.edge_id in names]
        runs = sorted({trial.run for trial in all_of}, reverse=True)[:WINDOW]
        counted = [trial for trial in all_of if trial.run in set(runs)]
        lately = set(runs[:LATEST])
        return cls(
            whole=tally(counted),
            latest=tally([trial for trial in counted if trial.run in lately]),
            runs=len(runs),
            steps={edge: tally([t for t in counted if t.edge_id == edge]) for edge in names},
            names=dict(names),
        )

    @property
    def untried(self) -> tuple[str, ...]:
        return tuple(edge for edge, one in self.steps.items() if not one.of)

    def sentence(self) -> str:
        """“38 of 38 acts verified over the last 10 runs: at least 92 % succeed (95 % confidence).”"""
        if not self.whole.of:
            return say("standing.nothing")
        whole = self.whole
        told = {"good": whole.good, "of": whole.of, "least": promised(whole.least), "sure": SURE}
        if self.runs == 1:
            return say("standing.evidence_of_one", **told)
        return say("standing.evidence", runs=self.runs, **told)


def tally(trials: Collection[Trial]) -> Tally:
    return Tally(good=sum(trial.good for trial in trials), of=len(trials))


def promised(share: float) -> float:
    """In whole per cents, rounded down: a bound is not told higher than it is."""
    return math.floor(share * 100 + 1e-9) / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """What must be proved to go up to a state, and below what it cannot stay: shares, of the whole and of each step."""

    runs: int
    whole: float
    step: float
    stays: float


# A step's bound after n good ones and no bad one is 0.05 ** (1 / n): 0.54 after 5, 0.71 after 9; of all 0.92 after 38.
RUNGS: Mapping[LearningState, Rung] = {
    LearningState.COACHING: Rung(runs=2, whole=0.5, step=0.0, stays=0.0),
    LearningState.AUTO_CANDIDATE: Rung(runs=5, whole=0.8, step=0.5, stays=0.7),
    LearningState.AUTO_CONFIRMED: Rung(runs=10, whole=0.9, step=0.7, stays=0.9),
}
ORDER: Sequence[LearningState] = tuple(LearningState)


def above(state: LearningState) -> LearningState | None:
    return ORDER[ORDER.index(state) + 1] if state != ORDER[-1] else None


def below(state: LearningState) -> LearningState | None:
    """The state that asks more; a workflow is never put back to watching alone, where nothing is suggested at all."""
    return ORDER[ORDER.index(state) - 1] if ORDER.index(state) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The next state up; `lacks` says in sentences what is not proved yet, and is empty where it may be."""

    to: LearningState
    lacks: tuple[str, ...] = ()

    @property
    def is_due(self) -> bool:
        return not self.lacks


def proposed(
    state: LearningState, evidence: Evidence, *, corrections: int, drifting: Sequence[str], ask_below: float = 0.0
) -> Proposal | None:
    """What the evidence says of the next state; None at the highest. `drifting` are names of screens and steps.

    Steps that were never done, or too seldom, keep it from running by itself unless the workflow asks at steps that are
    not proved (`ask_below`): then it is people who do those with it.
    """
    to = above(state)
    if to is None:
        return None
    rung, lacks = RUNGS[to], []
    if evidence.runs < rung.runs:
        lacks.append(say("standing.few_runs", n=evidence.runs, needed=rung.runs))
    if evidence.whole.least < rung.whole:
        lacks.append(say("standing.low", least=promised(evidence.whole.least), needed=rung.whole))
    asks_there = to is LearningState.AUTO_CONFIRMED and ask_below >= rung.step
    tried = {edge: one for edge, one in evidence.steps.items() if one.of}
    low = [edge for edge, one in tried.items() if one.least < rung.step]
    if to is LearningState.AUTO_CONFIRMED:
        low = [*low, *evidence.untried]
    if low and not asks_there:
        lacks.append(_lacking(evidence, low, rung.step))
    if corrections:
        lacks.append(say("standing.corrections", n=corrections))
    if drifting:
        lacks.append(say("standing.drifting", what=list(drifting)))
    return Proposal(to=to, lacks=tuple(lacks))


_SHOWN = 3


def _lacking(evidence: Evidence, edges: Sequence[str], needed: float) -> str:
    said = [_one_step(evidence.names[edge], evidence.steps[edge]) for edge in edges[:_SHOWN]]
    return say("standing.steps_low", needed=needed, steps=said, n=len(edges))


def _one_step(name: str, one: Tally) -> str:
    return say("standing.step", name=name, good=one.good, of=one.of)


def fallen(state: LearningState, evidence: Evidence) -> str:
    """Why the workflow cannot stay where it is, in a sentence; empty where it can.

    It cannot where the share is surely below what was asked for, over all runs that count or over the latest. Looking
    again and again is wrong more often than once in twenty: then a person is asked more, and may take it back.
    """
    rung = RUNGS.get(state)
    if rung is None or not rung.stays:
        return ""
    for one, runs in ((evidence.latest, min(LATEST, evidence.runs)), (evidence.whole, evidence.runs)):
        if one.of and one.most < rung.stays:
            told = {"bad": one.of - one.good, "of": one.of, "most": 1 - promised(1 - one.most), "sure": SURE}
            if runs == 1:
                return say("standing.fell_in_one", needed=rung.stays, **told)
            return say("standing.fell", runs=runs, needed=rung.stays, **told)
    return ""


def asks_at(one: Tally, ask_below: float) -> str:
    """Why a run that works by itself asks at this step, in a sentence; empty where it is proved well enough."""
    if not ask_below or one.least >= ask_below:
        return ""
    if not one.of:
        return say("standing.ask_untried")
    return say("standing.ask", good=one.good, of=one.of, least=promised(one.least), needed=ask_below)
