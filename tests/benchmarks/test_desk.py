"""The desk on which tests of many robots count what was done twice (S9): it counts every such act."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.crowd.desk import ENTRY, NEW, SAVE, Desk, done_at


def fill_in(desk: Desk, run: str, number: str) -> None:
    desk.begin(run)
    desk.click(NEW.center)
    desk.type_text(number)
    desk.click(SAVE.center)


def test_what_was_done_twice_is_counted_and_what_missed_is_not(tmp_path: Path) -> None:
    one, other = Desk(1, tmp_path, hand_ms=0), Desk(2, tmp_path, hand_ms=0)
    fill_in(one, "a", "12")
    one.click(ENTRY.center)
    one.click(NEW.center)
    fill_in(other, "b", "13")
    assert done_at(tmp_path).twice == []
    assert done_at(tmp_path).saved == {"12": 1, "13": 1}
    fill_in(one, "c", "13")
    assert done_at(tmp_path).twice == ["13"], "one number by two runs"
    one.click(SAVE.center)
    assert done_at(tmp_path).twice == ["13", "c"], "saved again at the same place"
    other.begin("d")
    other.click(NEW.center)
    other.click(NEW.center)
    assert done_at(tmp_path).twice == ["13", "c", "d"]


@pytest.mark.parametrize("text", ["1", "12"])
def test_typing_twice_is_counted(tmp_path: Path, text: str) -> None:
    desk = Desk(1, tmp_path, hand_ms=0)
    desk.begin("a")
    desk.click(NEW.center)
    desk.type_text(text)
    desk.type_text(text)
    assert done_at(tmp_path).twice == ["a"]
    assert desk.memory == {"number": text * 2}
