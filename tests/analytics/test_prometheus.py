"""What a Prometheus server is told, read with the parsers of its own library (S7.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain

from analytics import prometheus
from analytics.models import RunDay, StepDay
from analytics.projection import project, project_run
from execution.actions.mark import mark
from execution.choices import ExecutionState, Feedback, PromptKind
from execution.models import Execution, Prompt, Robot, Step
from execution.stream import hub
from gpu.machine.ownership import machine_name
from gpu.models import GPUState
from rpa_site.models import TokenScope
from rpa_site.tokens import make_token
from tests.analytics.steps import make_step
from tests.factories import make_execution, make_published

pytestmark = pytest.mark.django_db
SECRET = "Léa Martin 1987"


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    prometheus._past.forget()
    yield
    prometheus._past.forget()


@pytest.fixture
def token(make_user: Any) -> str:
    return make_token(make_user("prometheus", "viewer"), name="scrape", scope=TokenScope.READ, days=1)[1]


def scraped(token: str, **headers: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = Client().get("/metrics", headers={"authorization": f"Bearer {token}", **headers})
    assert answer.status_code == 200
    parse = open_metrics if "openmetrics" in answer["Content-Type"] else plain
    samples = [sample for family in parse(answer.content.decode()) for sample in family.samples]
    found = {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples}
    assert len(found) == len(samples), "a sample twice"
    return found


def value(found: Any, name: str, **labels: str) -> float:
    return found[f"surehand_{name}", tuple(sorted(labels.items()))]


def ended(version: Any, state: ExecutionState, *, took: float = 20.0, **fields: Any) -> Execution:
    at = timezone.now() - timedelta(days=1)
    run = make_execution(version=version, started_at=at, created_at=at)
    for n in range(2):
        step = make_step(run, started_at=at, total_ms=1500.0, waited_ms=500.0, success=not n, retries=n, **fields)
        project(step.pk)
    Execution.objects.filter(pk=run.pk).update(state=state, ended_at=at, lasted_s=took, measured_at=at)
    project_run(run.execution_id)
    return run


@pytest.mark.parametrize("accept", ["", "application/openmetrics-text;version=1.0.0", "text/html"])
def test_runs_and_steps_are_those_of_the_sums(accept: str, token: str) -> None:
    version = make_published(workflow_id="wf_lab")
    for took in (5.0, 20.0, 9000.0):
        ended(version, ExecutionState.COMPLETED, took=took)
    failed = ended(version, ExecutionState.FAILED, rung="invented")
    mark(step=failed.steps.first(), feedback=Feedback.INCORRECT)
    project(failed.steps.first().pk)
    found = scraped(token, **({"accept": accept} if accept else {}))
    for outcome, n in (("alone", 3), ("failed", 1), ("helped", 0), ("stopped", 0)):
        assert value(found, "runs_total", workflow="wf_lab", outcome=outcome) == n
    for most, n in (("10.0", 1), ("30.0", 3), ("7200.0", 3), ("+Inf", 4)):
        assert value(found, "run_duration_seconds_bucket", workflow="wf_lab", le=most) == n
    assert value(found, "run_duration_seconds_count", workflow="wf_lab") == 4
    assert value(found, "run_duration_seconds_sum", workflow="wf_lab") == 9045
    assert value(found, "steps_total", workflow="wf_lab", outcome="succeeded") == 4
    assert value(found, "steps_total", workflow="wf_lab", outcome="failed") == 4
    assert value(found, "retries_total", workflow="wf_lab") == 4
    assert value(found, "robot_seconds_total", workflow="wf_lab") == 8.0
    assert value(found, "person_seconds_total", workflow="wf_lab") == 4.0
    assert value(found, "targets_total", workflow="wf_lab", way="ocr_text") == 6
    assert value(found, "targets_total", workflow="wf_lab", way="other") == 2  # no word of the product
    assert value(found, "steps_said_wrong", workflow="wf_lab") == 1
    assert value(found, "disk_bytes") > value(found, "disk_free_bytes") > 0


def test_what_is_new_is_told_at_once_though_the_past_is_kept(token: str) -> None:
    version = make_published(workflow_id="wf_lab")
    ended(version, ExecutionState.COMPLETED)
    before = value(scraped(token), "steps_total", workflow="wf_lab", outcome="succeeded")
    run = make_execution(version=version)
    project(make_step(run, started_at=timezone.now()).pk)
    assert value(scraped(token), "steps_total", workflow="wf_lab", outcome="succeeded") == before + 1
    project(make_step(run, started_at=timezone.now() - timedelta(days=3)).pk)  # late: told in some minutes
    assert value(scraped(token), "steps_total", workflow="wf_lab", outcome="succeeded") == before + 1
    prometheus._past._until = 0.0
    assert value(scraped(token), "steps_total", workflow="wf_lab", outcome="succeeded") == before + 2


def test_what_waits_and_who_works_is_told(token: str) -> None:
    version, now = make_published(workflow_id="wf_lab"), timezone.now()
    robots = {}
    for name, beat in (("ward:1", now), ("ward:2", now), ("ward:3", now - timedelta(hours=1))):
        robots[name] = Robot.objects.create(name=name, desktop=":1", host="h", pid=1, heartbeat_at=beat)
    asking = make_execution(version=version, state=ExecutionState.WAITING_COACHING, robot=robots["ward:2"])
    step = Step.objects.create(execution=asking, index=1, epoch=0, mode=asking.mode)
    asked = now - timedelta(minutes=2)
    Prompt.objects.create(execution=asking, step=step, kind=PromptKind.COACHING, message=SECRET, created_at=asked)
    make_execution(version=version, state=ExecutionState.QUEUED, created_at=now - timedelta(minutes=5))
    GPUState.objects.create(
        machine=machine_name(), owner="ward:2", heartbeat_at=now, mode="idle", vlm_state="unloaded",
        clip_device="cpu", degraded=True, queue_length=3, vram=[{"used_mb": 512, "total_mb": 2048}],
    )  # fmt: skip
    found = scraped(token)
    assert value(found, "live_runs", workflow="wf_lab", state="coaching") == 1
    assert value(found, "queue_runs") == 1
    assert 300 <= value(found, "queue_oldest_seconds") < 330
    assert value(found, "questions", kind="coaching") == 1
    assert value(found, "questions", kind="target") == 0
    assert 120 <= value(found, "question_oldest_seconds", kind="coaching") < 150
    told = {name: (value(found, "robot_up", robot=name), value(found, "robot_busy", robot=name)) for name in robots}
    assert told == {"ward:1": (1, 0), "ward:2": (1, 1), "ward:3": (0, 0)}
    assert value(found, "gpu_degraded") == 1 and value(found, "gpu_queue_requests") == 3
    assert value(found, "gpu_memory_used_bytes") == 512 * 2**20


@pytest.mark.security
def test_nothing_of_screens_values_and_people_is_in_it(token: str, make_user: Any) -> None:
    version = make_published(workflow_id="wf_lab", name=SECRET)
    user = make_user("nurse-joy", "operator")
    run = make_execution(version=version, variables={"patient": SECRET}, started_by=user, state=ExecutionState.RUNNING)
    project(make_step(run, node_id=f"record_{SECRET}", sentence=SECRET, message=SECRET, started_at=timezone.now()).pk)
    text = Client().get("/metrics", headers={"authorization": f"Bearer {token}"}).content.decode()
    assert "wf_lab" in text
    for word in (SECRET, "Martin", "nurse-joy", "record_", "prometheus"):
        assert word not in text


@pytest.mark.security
def test_it_takes_a_token_or_a_login() -> None:
    """S10.1"""
    assert Client().get("/metrics").status_code in (401, 403)
    assert Client().get("/metrics", headers={"authorization": "Bearer shd_guessed"}).status_code in (401, 403)


def test_it_takes_at_most_eight_queries_and_so_many_rows(
    token: str, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus, "MOST_WORKFLOWS", 3)
    at = prometheus.day_of(timezone.now())
    for n in range(6):
        RunDay.objects.create(workflow_id=f"wf_{n}", version=1, day=at, runs=1, alone=1)
        StepDay.objects.create(workflow_id=f"wf_{n}", day=at, steps=1, succeeded=1)
    with django_assert_max_num_queries(8):
        prometheus.exposition("")
    found = scraped(token)
    names = {dict(labels)["workflow"] for name, labels in found if name == "surehand_runs_total"}
    assert names == {"wf_0", "wf_1", "wf_2", "(others)"}
    assert value(found, "runs_total", workflow="(others)", outcome="alone") == 3
    assert value(found, "steps_total", workflow="(others)", outcome="succeeded") == 3


def test_the_streams_lag_is_the_age_of_what_was_handed_on(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def handed() -> hub.StreamHealth:
        here = hub.Hub()
        monkeypatch.setattr(hub, "_hub", here)
        client = hub.RunClient(pk=1, cursor=0, language="en", session_key="", wake=lambda: None)
        here._clients.add(client)
        before = client.since - timedelta(days=1)  # history is no news
        events = [hub.queries.WordedEvent(1, {"en": "{}"}, False, before)]
        here._hand(client, hub.queries.RunReading(head=1, pieces=[events]))
        assert here.health() == hub.StreamHealth(1, 0.0)
        client.since = datetime.now(UTC) - timedelta(hours=1)
        late = [hub.queries.WordedEvent(2, {"en": "{}"}, False, datetime.now(UTC) - timedelta(seconds=7))]
        here._hand(client, hub.queries.RunReading(head=2, pieces=[late]))
        return hub.stream_health()

    health = asyncio.run(handed())
    assert health.sockets == 1 and 7 <= health.lag_s < 20
    assert hub.stream_health().sockets == 1
