"""The rows of the benchmark's night, and what the morning says of them."""

from __future__ import annotations

import pytest

from benchmarks.night.judging import Morning, Told, judge
from benchmarks.night.rows import drawn


@pytest.mark.parametrize(
    ("row", "kept", "found"),
    [
        ({}, [("R-1", "right")], ""),
        ({}, [("R-1", "other")], "wrong"),
        ({}, [], "lost"),
        ({"receipt": "R-9"}, [("R-1", "right")], "untrue"),
        ({"state": "new"}, [], "lost"),
        ({"state": "exception"}, [], "untrue"),
        ({"state": "set_aside"}, [], "people"),
        ({"state": "set_aside", "saved": True}, [("R-1", "right")], "people"),
        ({"state": "set_aside"}, [("R-1", "right")], "untrue"),
    ],
)
def test_the_program_judges_what_is_told_of_a_row(row: dict[str, str], kept: list[tuple[str, str]], found: str) -> None:
    night = drawn(40, seed=1)
    line = next(line for line in night.good.values() if line.stay not in night.unknown)
    told = {"stay": line.stay, "state": "done", "reason": "", "attempts": 1, "saved": False, "receipt": "R-1"}
    morning = Morning(lines=40, refused=0, states={})
    orders = [(receipt, line.diet if diet == "right" else "Whatever") for receipt, diet in kept]
    judge(Told(**{"seconds": None, **told, **row}), line, orders, night, morning)
    named = {name for name in ("wrong", "twice", "lost", "untrue") if getattr(morning, name)}
    assert named == ({found} - {"people", ""})
    assert bool(morning.people) == (row.get("state") == "set_aside" or row.get("state") == "new")
