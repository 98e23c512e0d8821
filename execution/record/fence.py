"""A run at work as its owner writes it: every write checks the epoch, in one transaction (S9.1, S9.4).

Whoever has lost the run gets LeaseLost and has changed nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.db import DatabaseError, transaction
from django.utils import timezone

from execution.choices import EventKind
from execution.exceptions import LeaseLost
from execution.models import Execution, Robot
from execution.models.robot import lease_end
from execution.record.clocks import RunMeter
from execution.record.events import emit
from execution.record.patience import Patience
from execution.record.run_pictures import RunPictures
from execution.record.secret_values import redaction_for
from sentences.said import to_json
from workflows.graph import GraphSpec
from workflows.pictures import PictureStore

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")
Run = TypeVar("Run", bound="FencedRun")


def persistent(method: Callable[Concatenate[Run, P], R]) -> Callable[Concatenate[Run, P], R]:
    """One transaction, begun again while the database is away: only the record is repeated, never an act.

    Raises DatabaseAway where that takes too long or the loop is to leave; then nothing of it is recorded.
    """

    @wraps(method)
    def recorded(self: Run, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.patience.until_done(lambda: method(self, *args, **kwargs))

    return recorded


class FencedRun:
    """One claimed run. `execution` is the row as last read or written."""

    def __init__(
        self,
        execution: Execution,
        graph: GraphSpec,
        *,
        pictures: PictureStore | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.execution = execution
        self.graph = graph
        self.epoch = execution.epoch
        self._warned: set[str] = set()
        self._meter = RunMeter(execution.duration_seconds)
        self.patience = patience or Patience()
        self.hidden, problem = redaction_for(execution, graph)
        self.pictures = RunPictures(pictures or PictureStore(), self.hidden)
        self.on_mode: list[Callable[[Execution], Any]] = []
        self.on_state: list[Callable[[Execution], None]] = []
        if problem:
            self.warn("masks", problem)

    @contextmanager
    def _fenced(self) -> Iterator[Execution]:
        """A transaction that only the run's owner gets into; `execution` is read anew inside it."""
        with transaction.atomic():
            mine = Execution.objects.filter(pk=self.execution.pk, epoch=self.epoch)
            if not mine.update(lease_until=lease_end(), **self._measured()):
                raise LeaseLost(f"{self.execution.execution_id} belongs to another run loop")
            self.execution = self._read()
            yield self.execution

    def _read(self) -> Execution:
        return Execution.objects.by_id(self.execution.execution_id, version=self.execution.version)

    def _measured(self) -> dict[str, Any]:
        return {"lasted_s": self._meter.lasted_s(), "measured_at": timezone.now()}

    def measure(self) -> None:
        """Keep how long the run has lasted; from any thread, as the heartbeat does while a run stands still."""
        Execution.objects.live().filter(pk=self.execution.pk, epoch=self.epoch).update(**self._measured())

    @persistent
    def refresh(self) -> Execution:
        """The run as it is now, wishes included; LeaseLost when it is no longer ours."""
        execution = self._read()
        if execution.epoch != self.epoch:
            raise LeaseLost(f"{execution.execution_id} belongs to another run loop")
        self.execution = execution
        return execution

    def _update(self, **changes: Any) -> None:
        Execution.objects.filter(pk=self.execution.pk, epoch=self.epoch).update(**changes)

    @persistent
    def error(self, kind: str, message: str) -> None:
        """An `error` event: something went wrong and the person looking should know."""
        message = self.hidden.text(message)
        log.warning(message, extra={"execution": self.execution.execution_id, "kind": kind})
        with self._fenced() as execution:
            emit(execution, EventKind.ERROR, {"kind": kind, "message": to_json(message)})

    def warn(self, kind: str, message: str) -> None:
        """A helper failed: one line in the log and one on the status page, nothing else (S1.21)."""
        message = self.hidden.text(message)
        if kind not in self._warned:
            self._warned.add(kind)
            log.warning(message, extra={"execution": self.execution.execution_id, "kind": kind})
        if self.execution.robot_id is not None:
            with _without_waiting("warning"):
                Robot.objects.warn(self.execution.robot_id, kind, message)

    def capture_stats(self, stats: Mapping[str, Any]) -> None:
        with _without_waiting("capture_stats"):
            Execution.objects.filter(pk=self.execution.pk, epoch=self.epoch).update(capture_stats=dict(stats))


@contextmanager
def _without_waiting(kind: str) -> Iterator[None]:
    """For what is only told: no run waits for it."""
    try:
        yield
    except DatabaseError as error:
        log.warning("not kept: %s", error, extra={"kind": kind})
