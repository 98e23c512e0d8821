"""Pages of MiniWoB++ in a browser: each step of a task shown three times, then looked for with other data."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.foreign.finding import Question
from benchmarks.foreign.finding import answers as answered
from benchmarks.foreign.lesson import Demonstration, Hints, Told, target_of
from benchmarks.foreign.scoring import Area, Outcome
from benchmarks.foreign.seen import Seen, sampled
from execution.types import Point
from tests.execution.perception.drawing import Pictures
from workflows.graph import TargetSpec

Row = Mapping[str, Any]
Step = tuple[str, str]  # of which task


def answers(folder: Path, seen: Seen, sample: int | None) -> Mapping[str, Iterator[Outcome]]:
    return {"by demonstrations": answered("miniwob", questions(folder, seen, sample))}


def _rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _step(row: Row) -> Step:
    return row["task"], row["step"]


def questions(folder: Path, seen: Seen, sample: int | None = None) -> Iterator[Question]:
    """Every case, as it is asked after its step was shown three times."""
    shown: dict[Step, list[Row]] = defaultdict(list)
    for row in _rows(folder / "miniwob" / "shown.jsonl"):
        shown[_step(row)].append(row)
    store, targets = Pictures(), dict[Step, TargetSpec | ValueError]()
    for case in sampled(_rows(folder / "miniwob" / "cases.jsonl"), sample):
        step = _step(case)
        if step not in targets:
            targets[step] = target_of([demonstration(row, seen) for row in shown[step]], store)
        yield Question(
            name=case["id"],
            groups=_groups(case, hints(shown[step][-1]).told),
            right=tuple(Area(*box) for box in case["right"]),
            family=case["task"],
            target=targets[step],
            state=seen.state(_picture(case)),
            pictures=store,
            variables=_values(case),
        )


def demonstration(row: Row, seen: Seen) -> Demonstration:
    x, y = row["click"]
    return Demonstration(
        state=seen.state(_picture(row)), click=Point(int(x), int(y)), hints=hints(row), values=_values(row)
    )


def hints(row: Row) -> Hints:
    beside = row["beside"] or {"text": "", "template": ""}
    return Hints(
        reads=row["template"] or "", beside=beside["text"], beside_reads=beside["template"], number=row["nth"] or ""
    )


def _groups(case: Row, told: Told) -> tuple[str, ...]:
    group = f"absent: {case['absent']}" if case["absent"] else "present"
    return (group, f"{group}, {told}", f"{group}, {case['task']}")


def _picture(row: Row) -> str:
    return f"miniwob/pictures/{row['picture']}"


def _values(row: Row) -> dict[str, str]:
    return {name: str(value) for name, value in row["variables"].items()}
