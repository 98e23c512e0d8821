"""How soon drift is told, and how often wrongly (S6.7): `python -m benchmarks.sequential`.

Simulated series: none, or one change after so many looks. What is stated is RATE in LOOKS looks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from execution.learning.drift import ALARM, LOOKS, RATE, WATCHED, Outcomes, Surety

SERIES = 1000
Draw = Callable[[np.random.Generator, int], np.ndarray]
KINDS: dict[str, Draw] = {
    "sure, with a tail": lambda rng, n: rng.beta(60, 3, n),
    "mostly the same": lambda rng, n: np.where(rng.random(n) < 0.9, 0.97, rng.uniform(0.8, 0.97, n)),
    "anywhere": lambda rng, n: rng.uniform(0.75, 1, n),
    "now this, now that": lambda rng, n: np.where(rng.random(n) < 0.5, 0.9, 0.99),
}


def null(kind: Draw, rng: np.random.Generator) -> tuple[int, int, int]:
    """Of SERIES series: told to have changed, reached the alarm at all, shown as to be watched."""
    told = alarms = watched = 0
    for _ in range(SERIES):
        surety, highest = Surety(), 0.0
        for value, draw in zip(kind(rng, LOOKS), rng.random(LOOKS), strict=True):
            surety = surety.saw(float(value), draw=float(draw))
            highest = max(highest, surety.strength)
        told, alarms, watched = told + surety.told, alarms + (highest >= ALARM), watched + (highest >= WATCHED)
    return told, alarms, watched


def delay(before: int, fall: float, rng: np.random.Generator, most: int = 300) -> int | None:
    surety = Surety()
    values = np.concatenate([rng.beta(60, 3, before), np.clip(rng.beta(60, 3, most) - fall, 0, 1)])
    for number, value in enumerate(values):
        surety = surety.saw(float(value), draw=float(rng.random()))
        if surety.told:
            return number - before + 1
    return None


def told_failing(share: float, before: int, rng: np.random.Generator, most: int) -> int | None:
    outcomes = Outcomes()
    for number in range(before + most):
        outcomes = outcomes.saw(bool(rng.random() >= (0.01 if number < before else share)))
        if outcomes.told:
            return number - before + 1
    return None


def main() -> None:
    rng = np.random.default_rng(67)
    print(f"Wrongly, of {SERIES} series of {LOOKS} looks; stated: at most {RATE:.0%} told")
    for name, kind in KINDS.items():
        told, alarms, watched = null(kind, rng)
        print(f"  {name:22} told {told:3}  alarm reached {alarms:3}  watched {watched:3}")
    false = sum(_failing_at_what_is_put_up_with(rng) for _ in range(SERIES))
    print(f"  {'a step failing at 5%':22} told {false:3}")
    print("Looks until a fall of the confidence is told: median, nine in ten, never (of 200)")
    for before in (20, 50, 100, 300):
        for fall in (0.05, 0.1, 0.2):
            print(
                f"  after {before:3} looks, by {fall:.2f}: {_summary([delay(before, fall, rng) for _ in range(200)])}"
            )
    print("Tries until failures are told, 1% failing before")
    for share in (0.2, 0.5, 1.0):
        print(f"  {share:.0%} failing: {_summary([told_failing(share, 100, rng, 500) for _ in range(200)])}")


def _failing_at_what_is_put_up_with(rng: np.random.Generator) -> bool:
    outcomes = Outcomes()
    for good in rng.random(LOOKS) >= 0.05:
        outcomes = outcomes.saw(bool(good))
    return outcomes.told


def _summary(delays: list[int | None]) -> str:
    told = [one for one in delays if one is not None and one > 0]
    never = sum(one is None for one in delays)
    if not told:
        return f"never told, of {len(delays)}"
    return f"{np.median(told):5.0f} {np.quantile(told, 0.9):5.0f} {never:4}"


if __name__ == "__main__":
    main()
