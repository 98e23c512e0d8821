"""When each stage of a turn began and ended, for whoever wants to hear of it; where nobody does, nothing is measured.

The loop knows nothing of this: its stages and its coach are handed to it with a clock around them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, cast

from execution.models import Step
from execution.record.journal import Journal
from execution.turn.coach import Coach, CoachAnswer
from execution.turn.stages import Stages

STAGES = {  # what of the stages is timed, and what it is called
    "observe": "look",
    "settle": "look",
    "recognise": "recognise",
    "suggest": "suggest",
    "act": "act",
    "verify": "verify",
}


class Listener(Protocol):
    """Times are nanoseconds since 1970. Whatever a listener raises costs its run one warning, and it hears no more."""

    def turn(self, execution_id: str, began: int) -> None: ...

    def stage(self, execution_id: str, name: str, began: int, ended: int, error: str) -> None:
        """`error` is the class of what it raised, empty where it raised nothing."""

    def step(self, execution_id: str, step: Step) -> None:
        """The step of the turn was closed."""


listeners: list[Listener] = []


def with_clocks(journal: Journal, stages: Stages, coach: Coach) -> tuple[Stages, Coach]:
    """The same, timed for the listeners; just the same where there are none."""
    if not listeners:
        return stages, coach
    clock = _Clock(journal)
    journal.on_turn.append(lambda: clock.tell(lambda one, run: one.turn(run, time.time_ns())))
    journal.on_step.append(lambda step: clock.tell(lambda one, run: one.step(run, step)))
    return cast(Stages, _Timed(stages, clock)), _asked_by(coach, clock)


class _Clock:
    def __init__(self, journal: Journal) -> None:
        self._journal, self._run = journal, journal.execution.execution_id
        self._hearing = list(listeners)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        began, mark, error = time.time_ns(), time.perf_counter_ns(), ""
        try:
            yield
        except Exception as raised:  # whoever called hears of it: it goes on its way
            error = type(raised).__name__
            raise
        finally:
            ended = began + time.perf_counter_ns() - mark  # people set clocks, also backwards
            self.tell(lambda one, run: one.stage(run, name, began, ended, error))

    def tell(self, say: Callable[[Listener, str], None]) -> None:
        for one in list(self._hearing):
            try:
                say(one, self._run)
            except Exception as error:  # noqa: BLE001  a helper (S1.21): the run goes on without it
                self._hearing.remove(one)
                self._journal.warn("traces", f"{type(error).__name__}: {error}")


class _Timed:
    """Stages with a clock around those of a turn; all else of them as it is."""

    def __init__(self, stages: Stages, clock: _Clock) -> None:
        self._stages, self._clock = stages, clock

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._stages, name)
        if name not in STAGES:
            return found

        def timed(*args: Any, **kwargs: Any) -> Any:
            with self._clock.of(STAGES[name]):
                return found(*args, **kwargs)

        return timed


def _asked_by(coach: Coach, clock: _Clock) -> Coach:
    asks = coach.ask

    def ask(*args: Any, **kwargs: Any) -> CoachAnswer:
        with clock.of("decide"):
            return asks(*args, **kwargs)

    coach.ask = ask  # type: ignore[method-assign]
    return coach
