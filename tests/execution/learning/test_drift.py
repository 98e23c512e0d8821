"""Drift (S6.7): a real change is told soon, and none is told wrongly more often than stated."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.learning.drift import ALARM, LOOKS, RATE, Advice, DriftStatus, Outcomes, Surety, after, draw_of

THRESHOLD = 0.75
confidences = st.lists(st.floats(0, 1), max_size=60)

Series = Callable[[np.random.Generator, int], np.ndarray]
NULL: dict[str, Series] = {
    "sure, with a tail": lambda rng, n: rng.beta(60, 3, n),
    "always the same but for one in ten": lambda rng, n: np.where(rng.random(n) < 0.9, 0.97, rng.uniform(0.8, 0.97, n)),
    "now this, now that": lambda rng, n: np.where(rng.random(n) < 0.5, 0.9, 0.99),
}


def told_after(surety: Surety, values: np.ndarray, rng: np.random.Generator) -> int | None:
    for count, value in enumerate(values, 1):
        surety = surety.saw(float(value), draw=float(rng.random()))
        if surety.told:
            return count
    return None


@pytest.mark.slow
@pytest.mark.parametrize("kind", NULL)
def test_where_nothing_changes_at_most_one_series_in_a_hundred_is_told(kind: str) -> None:
    rng = np.random.default_rng(67)
    told = sum(told_after(Surety(), NULL[kind](rng, LOOKS), rng) is not None for _ in range(400))
    assert told <= 400 * RATE + 2 * (400 * RATE * (1 - RATE)) ** 0.5


@pytest.mark.parametrize(("fell", "within"), [(0.1, 12), (0.2, 10)])
def test_a_fall_after_a_hundred_looks_is_told_within_a_dozen(fell: float, within: int) -> None:
    rng = np.random.default_rng(68)
    delays = []
    for _ in range(20):
        surety = after(Surety(), rng.beta(60, 3, 100).tolist(), of=("screen",))
        delays.append(told_after(surety, np.clip(rng.beta(60, 3, 60) - fell, 0, 1), rng) or 999)
    assert np.quantile(delays, 0.9) <= within


def test_a_change_of_rank_that_nobody_would_mend_is_not_told() -> None:
    rng = np.random.default_rng(69)
    surety = after(Surety(), (0.98 + 0.01 * rng.random(200)).tolist())
    surety = after(surety, (0.97 + 0.005 * rng.random(200)).tolist())
    assert surety.strength > ALARM
    assert not surety.told
    assert surety.status(THRESHOLD).recommended_action == Advice.WATCH


def test_severity_is_the_share_of_the_way_to_where_nothing_is_recognised() -> None:
    surety = after(Surety(), [0.95] * 100 + [0.85] * 10)
    assert surety.status(THRESHOLD) == DriftStatus(True, 0.5, "re-teach")
    assert after(Surety(), [0.95] * 100 + [0.5] * 10).status(THRESHOLD).drift_severity == 1.0
    assert after(Surety(), [0.95] * 110).status(THRESHOLD) == DriftStatus(False, 0.0, "none")


def test_what_was_told_stays_told_until_it_begins_anew() -> None:
    surety = after(Surety(), [0.95] * 100 + [0.6] * 12 + [0.95] * 300)
    assert surety.told
    assert surety.status(THRESHOLD).recommended_action == "re-teach"


@given(confidences)
def test_it_is_the_same_after_a_restart(values: list[float]) -> None:
    half = len(values) // 2
    whole = after(Surety(), values, of=("n",))
    kept = Surety.from_json(json.loads(json.dumps(after(Surety(), values[:half], of=("n",)).to_json())))
    assert after(kept, values[half:], of=("n",)) == whole
    assert whole.looks == len(values)
    assert whole.recent == tuple(round(v, 4) for v in values[-10:])


@given(confidences)
def test_severity_is_a_share_and_nothing_is_told_of_few_looks(values: list[float]) -> None:
    status = after(Surety(), values).status(THRESHOLD)
    assert 0 <= status.drift_severity <= 1
    assert not (len(values) < 5 and status.is_drifting)
    assert status.is_drifting == (status.recommended_action == Advice.RE_TEACH)


@pytest.mark.parametrize("seen", [[0.9] * 12, [0.1, 0.5, 0.5, 0.9], [0.3, 0.6, 0.8]])
def test_the_bets_are_fair(seen: list[float]) -> None:
    """While nothing changes the newest value is as likely any of all: on average its factor is 1, so R grows by 1."""
    means, even = [], (np.arange(1000) + 0.5) / 1000
    for place, newest in enumerate(seen):
        others = Surety(seen=after(Surety(), seen[:place] + seen[place + 1 :]).seen)
        # most is won by the smallest draws: these are looked at more closely, and weigh less
        strengths = [others.saw(newest, draw=float(one**12)).strength for one in even]
        means.append(np.mean(12 * even**11 * np.array(strengths)))
    assert np.mean(means) == pytest.approx(1.0, abs=0.01)


def test_six_failures_of_a_step_are_told_and_one_in_twenty_is_put_up_with() -> None:
    outcomes, failures = Outcomes(), 0
    while not outcomes.told and failures < 20:
        outcomes, failures = outcomes.saw(False), failures + 1
    assert failures == 6
    steady = Outcomes()
    for number in range(2000):
        steady = steady.saw(number % 20 != 0)
    assert not steady.told
    assert Outcomes.from_json(json.loads(json.dumps(outcomes.to_json()))) == outcomes
    assert outcomes.status() == DriftStatus(True, 1.0, "re-teach")


@pytest.mark.slow
def test_failures_that_are_put_up_with_are_told_in_at_most_one_series_of_a_hundred() -> None:
    rng = np.random.default_rng(70)
    told = 0
    for _ in range(400):
        outcomes = Outcomes()
        for good in rng.random(LOOKS) >= 0.05:
            outcomes = outcomes.saw(bool(good))
        told += outcomes.told
    assert told <= 400 * RATE + 2 * (400 * RATE * (1 - RATE)) ** 0.5


def test_draws_are_even_and_the_same_every_time() -> None:
    draws = np.array([draw_of("workflow", "node", number) for number in range(4000)])
    assert draw_of("a", "b", 1) == draw_of("a", "b", 1) != draw_of("a", "b", 2)
    assert np.abs(np.histogram(draws, 10, (0, 1))[0] - 400).max() < 80
