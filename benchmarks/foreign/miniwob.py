"""Pages of MiniWoB++ in a browser: each step of a task shown three times, then looked for with other data."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.foreign.finding import Question, find
from benchmarks.foreign.lesson import Demonstration, Hints, Told, target_of
from benchmarks.foreign.scoring import Area, Outcome
from benchmarks.foreign.seen import Seen, sampled
from execution.targeting.resolver import TargetResolver
from execution.types import Point
from tests.execution.perception.drawing import Pictures
from workflows.graph import TargetSpec

Row = Mapping[str, Any]
Step = tuple[str, str]  # of which task


def answers(folder: Path, seen: Seen, sample: int | None) -> Mapping[str, Iterator[Outcome]]:
    shown: dict[Step, list[Row]] = defaultdict(list)
    for row in _rows(folder / "miniwob" / "shown.jsonl"):
        shown[_step(row)].append(row)
    return {"by demonstrations": _all(sampled(_rows(folder / "miniwob" / "cases.jsonl"), sample), shown, seen)}


def _rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _step(row: Row) -> Step:
    return row["task"], row["step"]


def _all(cases: Sequence[Row], shown: Mapping[Step, Sequence[Row]], seen: Seen) -> Iterator[Outcome]:
    store, targets = Pictures(), dict[Step, TargetSpec | ValueError]()
    resolver = TargetResolver(pictures=store)
    for case in cases:
        step = _step(case)
        if step not in targets:
            targets[step] = target_of([demonstration(row, seen) for row in shown[step]], store)
        question = _question(case, hints(shown[step][-1]).told)
        yield find(question, targets[step], seen.state(_picture(case)), resolver, variables=_values(case))


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


def _question(case: Row, told: Told) -> Question:
    group = f"absent: {case['absent']}" if case["absent"] else "present"
    groups = (group, f"{group}, {told}", f"{group}, {case['task']}")
    return Question(case["id"], groups, tuple(Area(*box) for box in case["right"]))


def _picture(row: Row) -> str:
    return f"miniwob/pictures/{row['picture']}"


def _values(row: Row) -> dict[str, str]:
    return {name: str(value) for name, value in row["variables"].items()}
