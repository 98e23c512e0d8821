from __future__ import annotations

import threading
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from analytics import projection
from analytics.models import StepMetric
from analytics.projection import project
from execution.choices import Outcome, StepPhase
from execution.models import Execution, Step
from tests.analytics.steps import make_step
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


def rebuilt() -> str:
    out = StringIO()
    call_command("rebuildmetrics", stdout=out)
    return out.getvalue()


def contents() -> list[dict[str, object]]:
    return list(StepMetric.objects.order_by("execution_id", "step").values(*projection.OWN, "execution_id", "step"))


def test_a_metric_says_what_its_step_says() -> None:
    """S7.1"""
    step = make_step(degraded=True, retries=2, look_ms=210.5, verify_ms=7.5)
    metric = project(step.pk)
    run = step.execution
    assert (metric.workflow_id, metric.version) == (run.workflow_id, run.version.number)
    assert (metric.execution_id, metric.step) == (run.execution_id, 1)
    assert (metric.degraded, metric.cache_hit, metric.success) == (1, 0, 1)
    assert (metric.retries, metric.look_ms, metric.verify_ms, metric.rung, metric.verified) == (
        2,
        210.5,
        7.5,
        "ocr_text",
        "yes",
    )
    assert metric.started_at == step.started_at


def test_projecting_again_makes_the_same_row() -> None:
    """S7.5"""
    step = make_step()
    first = project(step.pk)
    step.ocr_ms = 250.0
    step.save()
    again = project(step.pk)
    assert (again.pk, again.ocr_ms) == (first.pk, 250.0)


def test_rebuilding_makes_the_table_again_from_nothing() -> None:
    """S7.5"""
    run = make_execution()
    for step in (make_step(run), make_step(run, degraded=True), make_step()):
        project(step.pk)
    before = contents()
    StepMetric.objects.all().delete()
    assert rebuilt() == "3 steps projected, 0 stale rows removed.\n"
    assert contents() == before
    assert rebuilt() == "3 steps projected, 0 stale rows removed.\n"
    assert contents() == before


def test_rebuilding_mends_wrong_rows_and_drops_those_without_a_step() -> None:
    """S7.5"""
    kept, gone = make_step(), make_step()
    for step in (kept, gone):
        project(step.pk)
    StepMetric.objects.update(ocr_ms=-1)
    gone.execution.delete()
    assert rebuilt() == "1 steps projected, 1 stale rows removed.\n"
    assert [(m.execution_id, m.ocr_ms) for m in StepMetric.objects.all()] == [(kept.execution.execution_id, 100.0)]


def test_a_step_that_is_not_closed_has_no_metric() -> None:
    make_step(phase=StepPhase.PLANNED, outcome=Outcome.NONE, ended_at=None)
    assert rebuilt().startswith("0 steps")


QUERIES = {"sqlite": 70, "postgresql": 73}


def test_rebuilding_costs_a_few_queries_a_batch(
    monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    run = make_execution()
    for _ in range(40):
        make_step(run)
    monkeypatch.setattr(projection, "BATCH", 20)
    with django_assert_max_num_queries(QUERIES[connection.vendor]):  # 20 a batch, and some once for all: nothing a step
        assert projection.rebuild() == (40, 0)


# It may not even have to wait.
UNWAITING = {"sqlite": "PRAGMA busy_timeout=0", "postgresql": "SET lock_timeout=1"}


@pytest.mark.django_db(transaction=True)
def test_others_can_write_while_metrics_are_rebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run loop that cannot write its heartbeat for seconds loses its run."""
    run = make_execution()
    for _ in range(4):
        make_step(run)
    monkeypatch.setattr(projection, "BATCH", 2)
    written: list[int] = []

    def write_from_elsewhere() -> None:
        try:
            connection.cursor().execute(UNWAITING[connection.vendor])
            written.append(Execution.objects.filter(pk=run.pk).update(steps_executed=1))
        finally:
            connection.close()

    real = projection.values_of

    def meanwhile(step: Step) -> dict[str, Any]:
        other = threading.Thread(target=write_from_elsewhere)
        other.start()
        other.join()
        return real(step)

    monkeypatch.setattr(projection, "values_of", meanwhile)
    assert projection.rebuild() == (4, 0)
    assert written == [1, 1, 1, 1]
