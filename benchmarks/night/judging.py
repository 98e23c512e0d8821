"""The morning: what the product says of each row, beside what the record program itself has kept."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from openpyxl import load_workbook

from benchmarks.night.house import House
from benchmarks.night.rows import Line, Night

BY_THEMSELVES = ("done", "exception")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A row as the product tells of it."""

    stay: str
    state: str
    reason: str
    attempts: int
    saved: bool
    receipt: str
    seconds: float | None


@dataclass(slots=True, kw_only=True)
class Morning:
    """`wrong`, `twice`, `lost` and `untrue` must be empty: `untrue` is what was told of a row, or of a message, that is
    not so. `people` are rows that a person was needed for, with why."""

    lines: int
    refused: int
    states: Mapping[str, int]
    wrong: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    again: int = 0  # rows that were tried more than once
    by_themselves: int = 0
    messages: Mapping[str, int] = field(default_factory=dict)
    seconds_a_row: float = 0.0

    @property
    def is_good(self) -> bool:
        return not (self.wrong or self.twice or self.lost or self.untrue)

    def told(self) -> str:
        rows = {name: getattr(self, name) for name in self.__slots__}
        return "\n".join(f"{name:<16}{value}" for name, value in rows.items())


def judged(house: House, night: Night) -> Morning:
    rows = _rows(house)
    orders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for receipt, stay, diet in house.store.ask("SELECT receipt, stay, diet FROM orders ORDER BY receipt"):
        orders[stay].append((f"R-{receipt}", diet))
    (bad,) = house.one.rows("SELECT COALESCE(SUM(bad), 0) FROM execution_broughtfile")[0]
    found = Morning(lines=len(night.lines), refused=bad, states=Counter(row.state for row in rows))
    good = night.good
    found.lost += [f"{stay} never came in" for stay in good.keys() - {row.stay for row in rows} - night.twice]
    found.twice += [f"{stay}: {kept}" for stay, kept in orders.items() if len(kept) > 1]
    found.wrong += [f"{stay}: {kept}, which was never asked" for stay, kept in orders.items() if stay not in good]
    for row in rows:
        judge(row, good[row.stay], orders.get(row.stay, []), night, found)
    found.again = sum(row.attempts > 1 for row in rows)
    found.by_themselves = sum(row.state in BY_THEMSELVES for row in rows)
    found.seconds_a_row = round(median([row.seconds for row in rows if row.seconds and row.state == "done"] or [0]), 1)
    found.untrue += _file(house, rows)
    found.messages = Counter(kind for kind, _key in _messages(house))
    found.untrue += [f"told {n} times: {key}" for (kind, key), n in Counter(_messages(house)).items() if n > 1]
    return found


def judge(row: Told, line: Line, kept: Sequence[tuple[str, str]], night: Night, found: Morning) -> None:
    said = f"{row.stay} {row.state}: {row.reason}"
    if any(diet != line.diet for _receipt, diet in kept):
        found.wrong.append(f"{said}; asked {line.diet}, kept {kept}")
    if row.state in ("new", "running"):
        found.lost.append(said)
    if row.state == "done" and not kept:
        found.lost.append(f"{said}, and nothing was kept")
    if row.state == "done" and kept and row.receipt != kept[-1][0]:
        found.untrue.append(f"{said}; read {row.receipt!r}, kept {kept}")
    if row.state == "exception" and (row.stay not in night.unknown or kept):
        found.untrue.append(f"{said}; kept {kept}")
    if row.state not in BY_THEMSELVES:
        found.people.append(f"{said} ({night.troubles.get(row.stay, ('no trouble of its own',))[0]})")
        if kept and not row.saved:
            found.untrue.append(f"{said}; told that nothing was saved, kept {kept}")


def _rows(house: House) -> list[Told]:
    lines = house.one.manage("worklist", "export", house.list_id).stdout.splitlines()
    sql = "SELECT reference, saved FROM execution_workitem"
    saved = dict(house.one.rows(sql))
    return [_told(json.loads(line), saved) for line in lines]


def _told(row: Mapping[str, Any], saved: Mapping[str, Any]) -> Told:
    began, ended = row.get("started_at"), row.get("ended_at")
    took = (_moment(ended) - _moment(began)).total_seconds() if began and ended else None
    return Told(
        stay=row["reference"],
        state=row["state"],
        reason=str(row.get("reason") or ""),
        attempts=row["attempts"],
        saved=bool(saved[row["reference"]]),
        receipt=str((row.get("values") or {}).get("receipt", "")),
        seconds=took,
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _file(house: House, rows: Sequence[Told]) -> Iterator[str]:
    """What the file of results tells otherwise than the rows themselves."""
    files = sorted((house.one.data / "out").rglob("*.xlsx"))
    if not files:
        yield "no file of results was written"
        return
    sheet = load_workbook(files[-1], read_only=True).active
    assert sheet is not None
    heads, *lines = sheet.iter_rows(values_only=True)
    written = {str(line[heads.index("Reference")]): dict(zip(heads, line, strict=True)) for line in lines}
    if len(lines) != len(rows) or written.keys() != {row.stay for row in rows}:
        yield f"the file has {len(lines)} lines for {len(rows)} rows"
    for row in rows:
        line = written.get(row.stay, {})
        if str(line.get("receipt") or "") != row.receipt or str(line.get("State")).lower() != row.state.replace(
            "_", " "
        ):
            yield f"the file tells {line} of {row}"


def _messages(house: House) -> list[tuple[str, str]]:
    """What was told of which thing, by all messages that arrived; a message that came twice has one id."""
    bodies = {headers["webhook-id"]: json.loads(body) for headers, body in house.caught.requests}
    return [(event["about"], json.dumps(event, sort_keys=True)) for one in bodies.values() for event in one["events"]]
