"""What models were asked and what it took (S4.4, S7)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from analytics.model_use import Scope, cost_of, model_use
from gpu.choices import UseOutcome
from gpu.models import ModelUse

pytestmark = pytest.mark.django_db

DAY = datetime(2026, 11, 20, 12, tzinfo=UTC)
SINCE = Scope(since=date(2026, 11, 1), until=date(2026, 11, 30))


def use(model: str = "a", outcome: UseOutcome = UseOutcome.ANSWERED, **fields: Any) -> ModelUse:
    given = {"at": DAY, "purpose": "assistant", "provider": "ollama", "seconds": 1.0, **fields}
    return ModelUse(model=model, outcome=outcome, **given)


def kept(*uses: ModelUse) -> None:
    ModelUse.objects.bulk_create(uses)


def test_uses_are_told_by_day_model_and_purpose() -> None:
    kept(
        use(tokens_in=100, tokens_out=20, load_seconds=4.0),
        use(tokens_in=50, tokens_out=10, seconds=3.0),
        use("b"),
        use(purpose="target"),
        use(at=DAY - timedelta(days=1)),
    )
    rows = model_use(SINCE).rows
    assert [(row["day"], row["model"], row["purpose"], row["calls"]) for row in rows] == [
        ("2026-11-20", "a", "assistant", 2),
        ("2026-11-20", "a", "target", 1),
        ("2026-11-20", "b", "assistant", 1),
        ("2026-11-19", "a", "assistant", 1),
    ]
    first = rows[0]
    assert (first["tokens_in"], first["tokens_out"], first["load_seconds"]) == (150, 30, 4.0)
    assert (first["seconds_p50"], first["seconds_p95"]) == (1.0, 3.0)
    assert first["cost"] == {"amount": "0.00", "reason": "local"}


def test_failures_are_told_by_their_error() -> None:
    kept(
        use(),
        use(outcome=UseOutcome.FAILED, error="AnswerTimeout"),
        use(outcome=UseOutcome.FAILED, error="AnswerTimeout"),
        use(outcome=UseOutcome.FAILED, error="OutOfMemory"),
        use(outcome=UseOutcome.FAILED, error=""),
        use(outcome=UseOutcome.CANCELLED, error="CancelledError"),
    )
    report = model_use(SINCE)
    (row,) = report.rows
    assert (row["calls"], row["answered"], row["failed"], row["cancelled"]) == (6, 1, 4, 1)
    assert row["failed_by"] == {"AnswerTimeout": 2, "OutOfMemory": 1, "unknown": 1}
    assert report.totals["failed_by"] == row["failed_by"]


def test_fallbacks_are_told_from_model_to_model() -> None:
    kept(
        use(outcome=UseOutcome.FAILED, error="OutOfMemory"),
        use("b", instead_of="a"),
        use("b", instead_of="a", outcome=UseOutcome.FAILED, error="OutOfMemory"),
        use("c", instead_of="b"),
    )
    report = model_use(SINCE)
    assert report.fallbacks == [
        {"from": "a", "to": "b", "times": 2, "answered": 1},
        {"from": "b", "to": "c", "times": 1, "answered": 1},
    ]
    assert {row["model"]: row["fallbacks"] for row in report.rows} == {"a": 0, "b": 2, "c": 1}
    assert report.totals["fallbacks"] == 3


@pytest.mark.parametrize("count", [1, 2, 3, 19, 20, 21, 100])
def test_the_seconds_are_those_that_so_many_answers_did_not_exceed(count: int) -> None:
    """Nearest rank, each group by itself; failures take no part."""
    seconds = [float(n) for n in range(1, count + 1)]
    random.Random(count).shuffle(seconds)
    kept(*(use(seconds=n) for n in seconds), use("b", seconds=1000.0))
    kept(use(outcome=UseOutcome.FAILED, seconds=5000.0))
    row = model_use(SINCE).rows[0]
    assert row["model"] == "a"
    assert (row["seconds_p50"], row["seconds_p95"]) == (math.ceil(count * 0.5), math.ceil(count * 0.95))


def test_without_an_answer_there_are_no_seconds() -> None:
    kept(use(outcome=UseOutcome.FAILED, seconds=9.0))
    report = model_use(SINCE)
    assert (report.rows[0]["seconds_p50"], report.totals["seconds_p95"]) == (None, None)


def test_the_totals_are_of_all_rows_and_their_seconds_of_all_answers() -> None:
    kept(*(use("a", seconds=float(n), tokens_in=10) for n in range(1, 11)))
    kept(*(use("b", seconds=100.0 * n, tokens_in=1) for n in range(1, 11)))
    totals = model_use(SINCE).totals
    assert (totals["calls"], totals["tokens_in"]) == (20, 110)
    assert (totals["seconds_p50"], totals["seconds_p95"]) == (10.0, 900.0)
    assert totals["cost"] == {"amount": "0.00", "reason": "local"}


def test_the_scope_is_days_a_model_a_purpose_or_a_run() -> None:
    kept(
        use(at=DAY.replace(hour=0, minute=0)),
        use(at=DAY.replace(hour=23, minute=59)),
        use("b", at=DAY + timedelta(days=1)),
        use(purpose="target", execution_id="exec_1", at=DAY - timedelta(days=300)),
    )
    day = {"since": date(2026, 11, 20), "until": date(2026, 11, 20)}

    def calls(scope: Scope) -> int:
        return int(model_use(scope).totals["calls"])

    assert calls(Scope(**day)) == 2
    assert calls(SINCE) == 3
    assert calls(Scope(since=SINCE.since, until=SINCE.until, model="b")) == 1
    assert calls(Scope(since=SINCE.since, until=SINCE.until, purpose="target")) == 0
    assert calls(Scope(execution_id="exec_1")) == 1, "of a run all of it, whenever it was"


def test_days_are_those_of_the_time_zone(settings: Any) -> None:
    settings.TIME_ZONE = "Europe/Paris"
    kept(use(at=datetime(2026, 11, 20, 23, 30, tzinfo=UTC)))
    day = date(2026, 11, 21)
    assert [row["day"] for row in model_use(Scope(since=day, until=day)).rows] == ["2026-11-21"]


def test_what_a_cloud_asks_for_its_own_is_not_known_here() -> None:
    assert cost_of("qwen2.5:7b") == {"amount": "0.00", "reason": "local"}
    assert cost_of("big:480b-cloud") == {"amount": None, "reason": "remote"}
    kept(use(), use("big:480b-cloud"))
    assert model_use(SINCE).totals["cost"] == {"amount": None, "reason": "remote"}


def test_a_server_on_another_machine_may_ask_for_money(settings: Any) -> None:
    kept(use("gpt", provider="openai"))
    for url, reason in (("http://127.0.0.1:1234", "local"), ("", "local"), ("https://models.example/v1", "remote")):
        settings.RPA_OPENAI_URL = url
        told = model_use(SINCE)
        assert told.totals["cost"]["reason"] == told.rows[0]["cost"]["reason"] == reason


def test_many_uses_are_told_with_one_query(django_assert_num_queries: Any) -> None:
    """S7.6"""
    kept(
        *(
            use(
                f"m{n % 5}",
                purpose=("assistant", "target")[n % 2],
                seconds=float(n % 97),
                at=DAY - timedelta(hours=n % 400),
            )
            for n in range(3000)
        )
    )
    with django_assert_num_queries(1):
        report = model_use(SINCE)
    assert report.totals["calls"] == 3000


# --- through the API ------------------------------------------------------------------------------------------------
URL = "/api/analytics/model-use"


def test_the_api_tells_the_same(client_of: Callable[..., Any], viewer: Any) -> None:
    assert reverse("api_model_use") == URL
    kept(use(outcome=UseOutcome.FAILED, error="OutOfMemory"), use("b", instead_of="a"))
    answer = client_of(viewer).get(URL, {"since": "2026-11-01", "until": "2026-11-30"})
    told = answer.json()
    assert (answer.status_code, told["since"], told["until"]) == (200, "2026-11-01", "2026-11-30")
    assert told["rows"][0]["failed_by"] == {"OutOfMemory": 1}
    assert told["fallbacks"] == [{"from": "a", "to": "b", "times": 1, "answered": 1}]
    assert told["totals"]["cost"] == {"amount": "0.00", "reason": "local"}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"since": "yesterday"}, "since"),
        ({"until": "2026-13-01"}, "until"),
        ({"since": "2026-11-02", "until": "2026-11-01"}, "It is after the last day"),
        ({"since": "2020-01-01", "until": "2026-01-01"}, "Ask for at most 400 days."),
        ({"purpose": "fun"}, "purpose"),
        ({"model": "x" * 201}, "model"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_with_the_reason(
    client_of: Callable[..., Any], viewer: Any, query: dict[str, str], words: str
) -> None:
    answer = client_of(viewer).get(URL, query)
    assert answer.status_code == 400
    assert words in answer.json()["detail"]


def test_the_page_tells_it_by_model_and_purpose_over_the_days_that_are_asked_for(
    client_of: Callable[..., Any], viewer: Any
) -> None:
    now = datetime.now(UTC)
    kept(
        use("qwen2.5vl:7b", at=now, purpose="target", seconds=2.0),
        use("qwen2.5vl:7b", at=now - timedelta(days=20), purpose="target", seconds=4.0),
        use("<b>llama3</b>", UseOutcome.FAILED, at=now, error="AnswerTimeout"),
        use("gemma3:4b", at=now, instead_of="<b>llama3</b>", tokens_in=12, tokens_out=3),
    )
    page = client_of(viewer).get(reverse("model_use")).content.decode()
    assert "<strong>4</strong> questions" in page and "75 % answered" in page and "cost nothing" in page
    assert "to find a target" in page and "1 × AnswerTimeout" in page and "12 / 3" in page
    assert "gemma3:4b instead of &lt;b&gt;llama3&lt;/b&gt;: once, 1 with an answer" in page
    assert "<b>llama3" not in page
    today = client_of(viewer).get(reverse("model_use"), {"days": "1"}).content.decode()
    assert "<strong>3</strong> questions" in today
