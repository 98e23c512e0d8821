"""Traces of runs for an OpenTelemetry collector, where RPA_TRACES_URL names one: spans of runs, turns and stages.

What leaves the machine: when things began and ended, ids of run and workflow, numbers and codes. Never what a screen
says, a value, a person, or the id of a screen or an action: those are made of words that people typed.
The library comes with requirements-traces.txt and is imported with the first run that is traced.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from execution.choices import Outcome
from execution.models import Execution, Step
from execution.running import timing
from execution.signals import run_begun, run_ended
from workflows.catalogue import ACTIONS

log = logging.getLogger(__name__)

EXPORT_TIMEOUT_S = 5
NUMBERS = (
    "confidence",
    "score",
    "retries",
    "ocr_ms",
    "ui_ms",
    "analyze_ms",
    "match_ms",
    "resolve_ms",
    "look_ms",
    "waited_ms",
)
CODES = ("action_type", "outcome", "rung", "verified", "mode")


def connect() -> None:
    """Trace the runs of this process; called where an address is set."""
    run_begun.connect(_first_run, dispatch_uid="analytics.traces.first", weak=False)


def _first_run(sender: Any, execution_id: str, **kwargs: Any) -> None:
    """With the first run everything is made; from then on the traces hear of runs themselves."""
    run_begun.disconnect(dispatch_uid="analytics.traces.first")
    try:
        traces = Traces(provider_of(settings.RPA_TRACES_URL))
    except ImportError as error:
        log.warning("runs are not traced: %s; install requirements-traces.txt", error)
        return
    traces.listen()
    traces.begin(execution_id)


def provider_of(url: str) -> Any:
    """The library's own, which hands spans over in a thread of its own and drops what nobody takes."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # a line a batch, while a collector is away
    provider = made_provider()
    provider.add_span_processor(BatchSpanProcessor(_told_once(OTLPSpanExporter(url, timeout=EXPORT_TIMEOUT_S))))
    return provider


def made_provider() -> Any:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class OfRuns(RandomIdGenerator):
        """The trace of a run is known by the run: whoever takes it over goes on with the same one."""

        def __init__(self) -> None:
            self.here = threading.local()

        def generate_trace_id(self) -> int:
            return int.from_bytes(hashlib.sha256(self.here.run.encode()).digest()[:16], "big")

        def is_trace_id_random(self) -> bool:
            return False

    return TracerProvider(resource=Resource.create({"service.name": "surehand"}), id_generator=OfRuns())


def _told_once(exporter: Any) -> Any:
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class ToldOnce(SpanExporter):
        is_away = False

        def export(self, spans: Any) -> SpanExportResult:
            result: SpanExportResult = exporter.export(spans)
            if result is not SpanExportResult.SUCCESS and not self.is_away:
                log.warning("the traces of runs are not taken where RPA_TRACES_URL says")
            self.is_away = result is not SpanExportResult.SUCCESS
            return result

        def shutdown(self) -> None:
            exporter.shutdown()

        def force_flush(self, timeout_millis: int = 30_000) -> bool:
            return bool(exporter.force_flush(timeout_millis))

    return ToldOnce()


@dataclass(slots=True)
class _Run:
    root: Any
    turn: Any = None
    turn_began: int = 0
    last: int = 0  # when the last stage of the turn ended
    codes: dict[str, Any] = field(default_factory=dict)


class Traces:
    """Hears of runs and makes spans of what it hears."""

    def __init__(self, provider: Any) -> None:
        self._tracer, self._ids = provider.get_tracer("surehand"), provider.id_generator
        self._runs: dict[str, _Run] = {}

    def listen(self) -> None:
        run_begun.connect(self._heard_begin, dispatch_uid=f"traces.begin.{id(self)}", weak=False)
        run_ended.connect(self._heard_end, dispatch_uid=f"traces.end.{id(self)}", weak=False)
        timing.listeners.append(self)

    def stop(self) -> None:
        run_begun.disconnect(dispatch_uid=f"traces.begin.{id(self)}")
        run_ended.disconnect(dispatch_uid=f"traces.end.{id(self)}")
        timing.listeners.remove(self)

    def _heard_begin(self, sender: Any, execution_id: str, **kwargs: Any) -> None:
        self.begin(execution_id)

    def _heard_end(self, sender: Any, execution_id: str, **kwargs: Any) -> None:
        self.end(execution_id)

    def begin(self, execution_id: str) -> None:
        from opentelemetry.context import Context

        execution = Execution.objects.select_related("version__workflow").get(execution_id=execution_id)
        known = {
            "run": execution_id,
            "workflow": execution.workflow_id,
            "version": execution.version.number,
            "mode": execution.mode,
        }
        self._ids.here.run = execution_id
        root = self._tracer.start_span("run", context=Context(), attributes=_named(known))
        self._runs[execution_id] = _Run(root=root)

    def end(self, execution_id: str) -> None:
        run = self._runs.pop(execution_id, None)
        if run is None:
            return
        self._end_turn(run)
        execution = Execution.objects.get(execution_id=execution_id)
        told = {"state": execution.state, "pause_reason": execution.pause_reason, "steps": execution.steps_executed}
        run.root.set_attributes(_named(told))
        run.root.end()

    # --- what the clocks tell -----------------------------------------------------------------------------------------
    def turn(self, execution_id: str, began: int) -> None:
        if run := self._runs.get(execution_id):
            self._end_turn(run)
            run.turn_began = began

    def stage(self, execution_id: str, name: str, began: int, ended: int, error: str) -> None:
        run = self._runs.get(execution_id)
        if run is None:
            return
        if run.turn is None:  # a turn in which nothing was looked at is none
            run.turn = self._under(run.root, "turn", run.turn_began or began)
        span = self._under(run.turn, name, began)
        if error:
            span.set_attributes(_named({"error": error}))
        span.end(ended)
        run.last = max(run.last, ended)

    def step(self, execution_id: str, step: Step) -> None:
        run = self._runs.get(execution_id)
        if run is None or run.turn is None:
            return
        told: dict[str, Any] = {name: getattr(step, name) for name in (*NUMBERS, *CODES)}
        told |= {"step": step.index, "success": step.success, "cache_hit": step.cache_hit, "degraded": step.degraded}
        run.turn.set_attributes(_named(told))
        if step.outcome == Outcome.FAILED:
            from opentelemetry.trace import StatusCode

            run.turn.set_status(StatusCode.ERROR)
        run.last = time.time_ns()

    def _end_turn(self, run: _Run) -> None:
        if run.turn is not None:
            run.turn.end(run.last)
        run.turn, run.turn_began, run.last = None, 0, 0

    def _under(self, parent: Any, name: str, began: int) -> Any:
        from opentelemetry.trace import set_span_in_context

        return self._tracer.start_span(name, context=set_span_in_context(parent), start_time=began)


def _named(told: Mapping[str, Any]) -> dict[str, Any]:
    """As attributes; what is empty says nothing. An opaque act's type is its program's own word: it is left out."""
    found = {f"surehand.{name}": value for name, value in told.items() if value not in ("", None)}
    if found.get("surehand.action_type") not in ACTIONS:
        found.pop("surehand.action_type", None)
    return found
