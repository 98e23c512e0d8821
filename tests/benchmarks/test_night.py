"""The rows of the benchmark's night, and what the morning says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import load_workbook

from benchmarks.night.judging import Morning, Told, judge
from benchmarks.night.records import AFTER, BEFORE, CRASH, made
from benchmarks.night.rows import drawn, put_into, write_file


def test_two_hundred_rows_hold_what_a_night_is_tried_with() -> None:
    night = drawn(200, seed=36)
    assert len(night.lines) == 200
    assert [len(night.unknown), len(night.twice), len(night.bad)] == [20, 10, 5]
    kinds = [kind for kind, _said in night.troubles.values()]
    assert [kinds.count(kind) for kind in (BEFORE, AFTER, CRASH)] == [6, 2, 1]
    spoilt = night.unknown | night.bad | night.twice
    assert not spoilt & night.troubles.keys()
    stays = [line.stay for line in night.lines]
    assert {stay for stay in stays if stays.count(stay) > 1} == night.twice


def test_the_workbook_shows_numbers_with_their_zeros_and_the_program_knows_them(tmp_path: Path) -> None:
    night, store = drawn(40, seed=1), made(str(tmp_path / "ward.sqlite3"))
    put_into(night, store)
    write_file(night, tmp_path / "meals.xlsx")
    sheet = load_workbook(tmp_path / "meals.xlsx").active
    assert sheet is not None
    cell = sheet.cell(2, 1)
    assert f"{cell.value:0{len(cell.number_format)}}" == night.lines[0].stay
    known = {line.stay for line in night.good.values() if store.patient(line.stay) is not None}
    assert known == night.good.keys() - night.unknown


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
