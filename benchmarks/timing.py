"""Timing calls, and the rows of figures that benches print and keep."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REPEATS = 30

Row = dict[str, Any]


def timed(work: Callable[[], Any], *, times: int = REPEATS) -> list[float]:
    """Milliseconds of each call."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def figures(name: str, values: Sequence[float], *, goal: float | None = None) -> list[Row]:
    """Median, with the goal, and 95th percentile of milliseconds."""
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return [row(f"{name}, median", statistics.median(ordered), goal=goal), row(f"{name}, p95", p95)]


def row(figure: str, value: float, *, unit: str = "ms", goal: float | None = None, peers: str = "") -> Row:
    met = None if goal is None else value <= goal
    return {"figure": figure, "value": round(value, 3), "unit": unit, "goal": goal, "met": met, "peers": peers}


def show(rows: Sequence[Row], kept: Path) -> None:
    """Print them with the machine they were measured on, and keep them as JSON."""
    print(f"{platform.node()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for one in rows:
        goal = "" if one["goal"] is None else f"goal {one['goal']:g}, {'met' if one['met'] else 'NOT met'}"
        print(f"{one['figure']:<62}{one['value']:>10} {one['unit']:<3} {goal:<22} {one['peers']}".rstrip())
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(list(rows), indent=1, ensure_ascii=False))
    print(f"written to {kept.relative_to(ROOT)}")
