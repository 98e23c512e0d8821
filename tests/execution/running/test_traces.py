"""Traces of real runs on a scripted desktop: a trace a run, spans of turns and stages, codes and never texts (S7)."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from analytics.traces import Traces, made_provider, provider_of
from execution.actions.decide import decide
from execution.choices import ExecutionState
from execution.models import Robot, Step
from execution.running import timing
from execution.types import DecisionSource
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.running.test_runner import NAMES, Talk, hooks, row
from tests.support.scripted import publish_line, queue, screens

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def memory() -> Iterator[InMemorySpanExporter]:
    kept, provider = InMemorySpanExporter(), made_provider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    traces = Traces(provider)
    traces.listen()
    yield kept
    traces.stop()
    provider.shutdown()


def named(spans: Any, name: str) -> list[Any]:
    return [span for span in spans if span.name == name]


def test_a_run_is_a_trace_of_turns_and_their_stages(memory: InMemorySpanExporter) -> None:
    """S7.2, S2.5"""
    execution = queue(publish_line(*NAMES))
    Talk().run()
    spans = memory.get_finished_spans()
    (root,) = named(spans, "run")
    assert root.parent is None
    assert len({span.context.trace_id for span in spans}) == 1
    assert dict(root.attributes) == {
        "surehand.run": execution.execution_id,
        "surehand.workflow": execution.workflow_id,
        "surehand.version": 1,
        "surehand.mode": "automatic",
        "surehand.state": "completed",
        "surehand.steps": 3,
    }
    turns = [turn for turn in named(spans, "turn") if "surehand.step" in turn.attributes]
    assert {turn.parent.span_id for turn in named(spans, "turn")} == {root.context.span_id}
    assert [turn.attributes["surehand.step"] for turn in turns] == [1, 2, 3]
    for turn, step in zip(turns, Step.objects.order_by("index"), strict=True):
        inside = [span for span in spans if span.parent and span.parent.span_id == turn.context.span_id]
        told = [span.name for span in inside]
        assert told[:2] == ["look", "recognise"]
        if step.edge_id:
            assert [name for name in told if name != "look"] == ["recognise", "suggest", "act", "verify"]
            assert turn.attributes["surehand.outcome"] == step.outcome
            assert turn.attributes["surehand.verified"] == "yes"
        assert all(turn.start_time <= span.start_time <= span.end_time <= turn.end_time for span in inside)
        assert all(a.start_time <= b.start_time for a, b in pairwise(inside))
        look = (inside[0].end_time - inside[0].start_time) / 1e6
        assert look >= step.capture_ms * 0.9  # real times, not made of rows


@pytest.mark.security
def test_no_text_of_a_screen_leaves_with_a_trace(memory: InMemorySpanExporter) -> None:
    """Neither ids of screens and actions: they are made of words."""
    queue(publish_line("martin", "dupont", "lea"), mode="coaching")
    talk = Talk(ScriptedDesktop(screens("martin", "dupont", "lea")))
    talk.runner.hooks = hooks(
        on_prompt=lambda prompt: decide(
            prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM, feedback="nurse-joy"
        )
    )
    talk.run()
    spans = memory.get_finished_spans()
    assert len(named(spans, "decide")) == 2
    whole = "".join(span.to_json() for span in spans).lower()
    for word in ("martin", "dupont", 'lea"', "go on", "page", "forms", "nurse-joy", "program"):
        assert word not in whole, word


def test_a_run_that_is_gone_on_with_is_the_same_trace(memory: InMemorySpanExporter) -> None:
    execution = queue(publish_line(*NAMES), mode="coaching")
    talk = Talk()
    talk.runner.hooks = hooks(on_prompt=lambda prompt: talk.leave.set())
    talk.run()
    again = Talk(talk.desktop)
    again.runner.hooks = hooks(
        on_prompt=lambda prompt: decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM)
    )
    again.run()
    assert row(execution).state == ExecutionState.COMPLETED
    spans = memory.get_finished_spans()
    assert [span.attributes["surehand.state"] for span in named(spans, "run")][-1] == "completed"
    assert len(named(spans, "run")) == 2
    assert len({span.context.trace_id for span in spans}) == 1


def test_a_listener_that_raises_costs_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.21"""

    class Broken:
        heard = 0

        def __getattr__(self, name: str) -> Any:
            self.heard += 1
            raise RuntimeError("the collector’s library is broken")

    broken: Any = Broken()
    monkeypatch.setattr(timing, "listeners", [broken])
    execution = queue(publish_line(*NAMES))
    Talk().run()
    assert row(execution).state == ExecutionState.COMPLETED
    assert broken.heard == 1
    assert "library is broken" in Robot.objects.get().warnings["traces"]["message"]


class Collector:
    """A receiver of traces on the loopback."""

    def __init__(self, status: int = 200) -> None:
        self.got: list[Any] = []
        self.knocks = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
                outer.knocks += 1
                outer.got.append((self.path, ExportTraceServiceRequest.FromString(body)))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/traces"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Collector:
        self._thread.start()
        return self

    def __exit__(self, *args: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def traced_to(url: str, times: int = 1) -> None:
    provider = provider_of(url)
    traces = Traces(provider)
    traces.listen()
    try:
        for _n in range(times):
            Talk().run()
            provider.force_flush()
    finally:
        traces.stop()
        provider.shutdown()


def test_spans_come_to_a_collector_over_http() -> None:
    execution = queue(publish_line(*NAMES))
    with Collector() as collector:
        traced_to(collector.url)
    assert {path for path, _request in collector.got} == {"/v1/traces"}
    spans = [
        span
        for _path, request in collector.got
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert len({span.trace_id for span in spans}) == 1
    assert {"run", "turn", "look", "recognise", "suggest", "act", "verify"} == {span.name for span in spans}
    (root,) = named(spans, "run")
    told = {one.key: one.value.string_value for one in root.attributes}
    assert told["surehand.run"] == execution.execution_id


def test_a_collector_that_takes_nothing_costs_a_line_and_no_run(caplog: pytest.LogCaptureFixture) -> None:
    """S1.21"""
    version = publish_line(*NAMES)
    execution, _other = queue(version), queue(version)
    with Collector(status=400) as collector:
        traced_to(collector.url, times=2)
    assert collector.knocks >= 2
    assert row(execution).state == ExecutionState.COMPLETED
    assert [r.message for r in caplog.records if "traces" in r.message].count(
        "the traces of runs are not taken where RPA_TRACES_URL says"
    ) == 1
