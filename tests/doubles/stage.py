"""One claimed run on a world that is one node at a time, and a person who answers as told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from django.utils import timezone

from execution.actions import control
from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import ExecutionState
from execution.desktop.base import DesktopIdentity
from execution.models import Execution, Prompt, Robot
from execution.record.claims import claim
from execution.record.journal import Journal
from execution.turn.coach import Coach
from execution.turn.limits import LoopLimits
from execution.turn.loop import Loop
from execution.types import DecisionSource, Size
from tests.doubles.world import World
from tests.factories import make_published

IDENTITY = DesktopIdentity(name=":7", host="here", boot_id="b", session="s", user="u", size=Size(60, 40))
LINE = [
    {"node_id": n, "name": n.title(), "texts": [n], "is_entry": n == "a", "is_end": n == "d"}
    for n in ("a", "b", "c", "d")
]


def edge(edge_id: str, source: str, destination: str, **fields: Any) -> dict[str, Any]:
    target = {"target_id": f"t_{edge_id}", "label": edge_id, "text": edge_id}
    return {
        "edge_id": edge_id,
        "source": source,
        "destination": destination,
        "action_type": "click",
        "target": target,
        "retry_backoff_ms": 0,
        **fields,
    }


EDGES = [edge("ab", "a", "b"), edge("bc", "b", "c"), edge("cd", "c", "d")]


class Killed(BaseException):
    """As kill -9 is: nothing is caught, nothing is written any more."""


def kill(*args: Any, **more: Any) -> None:
    raise Killed


class Stage:
    """One claimed run with its loop, and a person who answers each prompt as told."""

    def __init__(
        self,
        edges: list[dict[str, Any]],
        mode: str,
        *,
        popups: Sequence[Mapping[str, Any]] = (),
        common: Sequence[str] = (),
        nodes: Sequence[Mapping[str, Any]] = LINE,
        variables: Sequence[Mapping[str, Any]] = (),
        values: Mapping[str, str] | None = None,
        world: type[World] = World,
        fields: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> None:
        taught = [{**node, "is_common": node["node_id"] in common} for node in nodes]
        version = make_published(
            nodes=taught, edges=edges, variables=list(variables), popups=list(popups), **(fields or {})
        )
        self._run(version, mode, values=values, world=world, **limits)

    @classmethod
    def of(
        cls, version: Any, mode: str, *, values: Mapping[str, str] | None = None, world: type[World] = World,
        **limits: Any,
    ) -> Stage:  # fmt: skip
        """A run of a workflow that is published already."""
        one = cls.__new__(cls)
        one._run(version, mode, values=values, world=world, **limits)
        return one

    @classmethod
    def again(
        cls, before: Stage, mode: str, *, values: Mapping[str, str] | None = None, world: type[World] = World,
        **limits: Any,
    ) -> Stage:  # fmt: skip
        """Another run of the workflow of `before`, which has ended or is ended now, on a world of its own."""
        if not before.row().is_final:
            control.stop(execution_id=before.execution.execution_id)
            Execution.objects.filter(pk=before.execution.pk).update(
                state=ExecutionState.STOPPED, ended_at=timezone.now()
            )
        return cls.of(before.execution.version, mode, values=values, world=world, **limits)

    def _run(
        self, version: Any, mode: str, *, values: Mapping[str, str] | None, world: type[World], **limits: Any
    ) -> None:
        self.execution = start(workflow_id=version.workflow.workflow_id, mode=mode, variables=values)
        self.robot, _ = Robot.objects.get_or_create(
            name="here:7", defaults={"desktop": "here:7", "host": "here", "pid": 1}
        )
        graph = self.execution.version.spec()  # of the newest version by now
        self.world = world(graph, self.execution.variables, node=graph.entry_nodes[0])
        self.leave = threading.Event()
        self.asked: list[Prompt] = []
        self.answers: list[Callable[[Prompt], None]] = []
        self.limits = LoopLimits(capture_interval_ms=1, **limits)
        self.begin()

    def begin(self) -> None:
        """Claim the run, as a run loop that has just started does."""
        claimed = claim(self.robot, IDENTITY)
        assert claimed is not None
        self.taken_over = claimed.taken_over
        self.journal = Journal(claimed.execution, claimed.execution.version.spec())
        if claimed.taken_over:
            self.journal.tidy()
        self.loop = Loop(
            self.journal,
            self.world,  # type: ignore[arg-type]
            Coach(self.journal, leave=self.leave, listener=self._asked),
            leave=self.leave,
            limits=self.limits,
        )

    def _asked(self, prompt: Prompt) -> None:
        self.asked.append(prompt)
        if self.answers:
            self.answers.pop(0)(prompt)

    def run(self, *answers: str | Callable[[Prompt], None] | dict[str, Any]) -> Execution:
        """Run to the end, or to the first pause; each answer is a choice, or what to do when asked."""
        self.answers = [a if callable(a) else say_so(a) for a in answers]
        self.journal.on_state.append(self._leave_when_paused)
        self.loop.run()
        return self.row()

    def _leave_when_paused(self, execution: Execution) -> None:
        if execution.state == ExecutionState.PAUSED:
            self.leave.set()

    def resume(self, *answers: str, **how: Any) -> Execution:
        control.resume(execution_id=self.execution.execution_id, **how)
        self.leave.clear()
        return self.run(*answers)

    def killed_after(self, acts: int) -> None:
        """Run until so many acts are done, and die right after the last one, before its result is kept; begin again."""
        settle = self.world.settle
        self.world.settle = lambda edge, **more: kill() if len(self.world.acts) == acts else settle(edge, **more)  # type: ignore[method-assign]
        with pytest.raises(Killed):
            self.loop.run()
        self.world.settle = settle  # type: ignore[method-assign]
        self.begin()
        assert self.taken_over

    def left_after(self, index: int) -> None:
        """Run until that step is kept, where the loop is told to leave; begin again."""
        self.journal.on_step.append(lambda step: self.leave.set() if step.index == index else None)
        self.loop.run()
        self.leave.clear()
        self.begin()

    def row(self) -> Execution:
        return Execution.objects.get(pk=self.execution.pk)

    def outcomes(self) -> list[str]:
        return list(self.row().steps.values_list("outcome", flat=True))


def say_so(answer: str | dict[str, Any]) -> Callable[[Prompt], None]:
    words = {"choice": answer} if isinstance(answer, str) else answer
    return lambda prompt: decide(prompt_id=prompt.pk, source=DecisionSource.PROGRAM, **words) and None
