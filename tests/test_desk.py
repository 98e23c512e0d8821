"""The desk of the benchmark with many robots: what it puts down is what was done there, whoever dies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.desk import ENTRY, NEW, NUMBER, ORDER, SAVE, Desk, done_at, reader_of


def fill_in(desk: Desk, run: str, number: str) -> None:
    desk.begin(run)
    desk.click(NEW.center)
    desk.type_text(number)
    desk.click(SAVE.center)


def test_who_comes_after_a_death_finds_the_program_as_it_was_left(tmp_path: Path) -> None:
    desk = Desk(1, tmp_path, hand_ms=0)
    desk.begin("a")
    desk.click(NEW.center)
    desk.type_text("12")
    after = Desk(1, tmp_path, hand_ms=0)
    after.begin("a")
    assert (after.screen, after.memory) == ("written", {"number": "12"})
    after.click(SAVE.center)
    assert after.screen == "saved"
    assert done_at(tmp_path).acts == {"a": list(ORDER)}
    after.begin("b")
    assert after.screen == "menu"


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


def test_a_picture_is_read_as_what_it_shows_though_the_desk_went_on(tmp_path: Path) -> None:
    """Else the menu, once read as the record that came meanwhile, is taken for that ever after."""
    desk = Desk(1, tmp_path, hand_ms=0)
    desk.begin("a")
    menu = desk.grab()
    desk.click(NEW.center)
    desk.type_text("12")
    written, reader = desk.grab(), reader_of(desk)
    desk.type_text("3")
    assert "All records" in {line.text for line in reader.read(menu.pixels)}
    assert "12" in {line.text for line in reader.read(written.pixels)}
    assert desk.memory[NUMBER] == "123"


def test_a_picture_that_an_earlier_process_saw_is_read_as_what_it_shows(tmp_path: Path) -> None:
    """Whoever comes after a death reads the picture from before the act, at a desk that the act has changed."""
    desk = Desk(1, tmp_path, hand_ms=0)
    desk.begin("a")
    menu = desk.grab()
    desk.click(NEW.center)
    assert "All records" in {line.text for line in reader_of(Desk(1, tmp_path)).read(menu.pixels)}


def test_on_a_part_of_a_picture_nothing_is_read(tmp_path: Path) -> None:
    desk = Desk(1, tmp_path)
    assert reader_of(desk).read(desk.grab().crop(NEW)) == ()
