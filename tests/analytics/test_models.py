from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection

from analytics.models import StepMetric
from analytics.projection import project
from tests.analytics.steps import make_step
from tests.factories import make_execution

pytestmark = pytest.mark.django_db

COLUMNS = {
    "workflow_id", "version", "execution_id", "node_id", "edge_id", "action_type", "mode", "success", "confidence",
    "rung", "score", "verified", "retries", "ocr_ms", "ui_ms", "analyze_ms", "resolve_ms", "act_ms", "look_ms",
    "verify_ms", "total_ms", "cache_hit", "degraded", "started_at",
}  # fmt: skip

# Word for word what people run on their databases (S7.1).
SLOW = "SELECT node_id, action_type, ocr_ms, analyze_ms FROM step_metrics WHERE ocr_ms > 300 ORDER BY ocr_ms DESC;"
RATIO = "SELECT workflow_id, SUM(cache_hit) * 1.0 / COUNT(*) AS cache_hit_ratio FROM step_metrics GROUP BY workflow_id;"
DEGRADED = "SELECT execution_id, node_id, analyze_ms FROM step_metrics WHERE degraded = 1 ORDER BY started_at DESC;"


def rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def test_the_table_has_the_columns_that_people_ask_for() -> None:
    """S7.1"""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM step_metrics")
        assert {column[0] for column in cursor.description} >= COLUMNS


def test_the_query_for_slow_readings_runs_as_it_is() -> None:
    """S7.1"""
    run = make_execution()
    for ocr_ms in (300.0, 301.0, 900.0):
        project(make_step(run, ocr_ms=ocr_ms, analyze_ms=ocr_ms + 1).pk)
    assert rows(SLOW) == [("save_dialog", "click", 900.0, 901.0), ("save_dialog", "click", 301.0, 302.0)]


def test_the_query_for_the_cache_hit_ratio_runs_as_it_is() -> None:
    """S7.1: a ratio, not an integer division."""
    first, second = make_execution(), make_execution()
    for run, hit in ((first, True), (first, False), (first, False), (first, False), (second, True)):
        project(make_step(run, cache_hit=hit).pk)
    assert dict(rows(RATIO)) == {first.workflow_id: 0.25, second.workflow_id: 1.0}


def test_the_query_for_degraded_steps_runs_as_it_is() -> None:
    """S7.1: ids are the texts that people read, not row numbers (S1.4)."""
    run = make_execution()
    for degraded, analyze_ms in ((True, 9000.0), (False, 1.0), (True, 0.5)):
        project(make_step(run, degraded=degraded, analyze_ms=analyze_ms).pk)
    assert rows(DEGRADED) == [(run.execution_id, "save_dialog", 0.5), (run.execution_id, "save_dialog", 9000.0)]


@pytest.mark.parametrize("flag", ["cache_hit", "degraded"])
def test_the_flags_are_0_or_1_and_nothing_else(flag: str) -> None:
    """S7.1"""
    project(make_step().pk)
    with pytest.raises(IntegrityError):
        StepMetric.objects.update(**{flag: 2})


def test_a_step_has_one_metric() -> None:
    metric = project(make_step().pk)
    metric.pk = None
    with pytest.raises(IntegrityError):
        metric.save(force_insert=True)
