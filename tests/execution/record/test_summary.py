from __future__ import annotations

import pytest

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
