from __future__ import annotations

import pytest
from django.utils import translation

from execution.choices import Outcome, Verified
from execution.record.summary import as_sentence, run_summary
from tests.analytics.steps import make_step
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


def test_a_run_of_nothing_is_summed_up_too() -> None:
    """S7.3"""
    summary = run_summary(make_execution())
    assert (summary["actions"], summary["done"], summary["rungs"], summary["mean_score"]) == (0, 0, {}, 0)
    assert as_sentence(summary).startswith("0 of 0 actions done in 0.0 s")


def test_the_summary_counts_what_the_steps_say() -> None:
    """S7.3: actions done of all, retries, rungs, means, not verified, degraded."""
    run = make_execution(corrected=1)
    make_step(run, rung="anchor_template", score=1.0, resolve_ms=30.0, retries=2)
    make_step(run, rung="ocr_text", score=0.5, resolve_ms=10.0, verified=Verified.CANNOT_TELL)
    make_step(run, rung="", score=0, resolve_ms=0, outcome=Outcome.MANUAL, verified="", degraded=True)
    make_step(run, rung="ocr_text", score=0.6, resolve_ms=20.0, outcome=Outcome.FAILED, verified=Verified.NO)
    make_step(run, rung="", outcome=Outcome.REJECTED, success=False, verified="")
    make_step(run, rung="", outcome=Outcome.INTERRUPTED, success=False, verified="")
    make_step(run, edge_id="", rung="", outcome=Outcome.TERMINAL, verified="")
    summary = run_summary(run)
    del summary["duration_seconds"]
    assert summary == {
        "actions": 5,
        "done": 3,
        "corrected": 1,
        "retries": 2,
        "rungs": {"anchor_template": 1, "ocr_text": 2},
        "mean_score": 0.7,
        "mean_resolve_ms": 20.0,
        "not_verified": 2,
        "degraded": 1,
        "values": [],
    }


def test_the_sentence_says_it_in_one_line() -> None:
    """S1.17: the last line of `runloop`."""
    run = make_execution()
    make_step(run, rung="ocr_text", score=0.5, resolve_ms=12.4)
    assert as_sentence(run_summary(run)) == (
        "1 of 1 action done in 0.0 s, 0 retries, found by Text 1 (mean score 0.50, 12 ms), 0 not verified, 0 degraded."
    )


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", ("1 of 1 action done", "1 retry,"), ("2 of 2 actions done", "2 retries,")),
        ("fr", ("1 action sur 1 faite", "1 nouvel essai,"), ("2 actions sur 2 faites", "2 nouveaux essais,")),
    ],
)
def test_one_is_told_as_one(language: str, one: tuple[str, ...], two: tuple[str, ...]) -> None:
    """U2: numbers before people have their singular and their plural."""
    summary = run_summary(make_execution())
    with translation.override(language):
        for n, said in ((1, one), (2, two)):
            words = as_sentence({**summary, "actions": n, "done": n, "retries": n})
            assert [part for part in said if part not in words] == []
