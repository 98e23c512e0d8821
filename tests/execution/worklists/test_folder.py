"""A watched folder: nothing half written is taken, nothing is lost (S12.3, S12.14)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.utils import translation

from execution.worklists.folder import DONE, REFUSED, Look, StillWritten, look, put_away, report_of, report_on, take
from execution.worklists.intake.cells import Unreadable
from execution.worklists.intake.checking import BadCell, Checked, GoodRow
from sentences.said import say
from tests.execution.worklists.intake.given import workbook


def twice(folder: Path) -> Look:
    return look(folder, look(folder, {}).standing)


def names(found: Look) -> list[str]:
    return [path.name for path in found.ready]


def test_a_file_is_ready_once_it_stands_still(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("Number\n1\n")

    first = look(tmp_path, {})
    assert (names(first), list(first.waiting)) == ([], ["list.csv"])
    with file.open("a") as more:
        more.write("2\n")
    second = look(tmp_path, first.standing)
    assert "still being written" in second.waiting["list.csv"]
    assert names(look(tmp_path, second.standing)) == ["list.csv"]


def test_a_file_that_was_written_over_with_one_as_long_is_another(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("Number\n1\n")
    first = look(tmp_path, {})
    file.write_text("Number\n2\n")
    os.utime(file, ns=(0, 1))

    assert names(look(tmp_path, first.standing)) == []


def test_a_workbook_is_ready_once_it_is_whole(tmp_path: Path) -> None:
    data = workbook([["Number"], [1]])
    (tmp_path / "half.xlsx").write_bytes(data[: len(data) // 2])
    (tmp_path / "whole.xlsx").write_bytes(data)
    (tmp_path / "old.xlsx").write_bytes(b"\xd0\xcf\x11\xe0")  # no zip at all: taken, so that its report says why

    found = twice(tmp_path)
    assert sorted(names(found)) == ["old.xlsx", "whole.xlsx"]
    assert "cannot be opened" in found.waiting["half.xlsx"]


def test_an_empty_file_waits_for_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "list.csv").touch()

    assert "empty" in twice(tmp_path).waiting["list.csv"]


@pytest.mark.security
def test_only_files_that_people_put_there_are_seen(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("secret")
    folder = tmp_path / "in"
    folder.mkdir()
    for name in (".hidden.csv", "~$list.xlsx", "list.csv.part", "LIST.TMP", "Thumbs.db", "x.csv.report.txt"):
        (folder / name).write_text("x")
    (folder / "done").mkdir()
    (folder / "link.csv").symlink_to(elsewhere)

    found = twice(folder)
    assert (found.ready, dict(found.waiting)) == ((), {})
    assert look(tmp_path / "gone", {}) == Look()


def test_the_oldest_file_is_first(tmp_path: Path) -> None:
    for age, name in ((3, "a.csv"), (1, "b.csv"), (2, "c.csv")):
        (tmp_path / name).write_text("Number\n1\n")
        os.utime(tmp_path / name, ns=(age, age))

    assert names(twice(tmp_path)) == ["b.csv", "c.csv", "a.csv"]


def test_a_file_is_taken_as_it_stood(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("Number\n1\n")
    standing = look(tmp_path, {}).standing["list.csv"]

    taken = take(file, standing)
    assert taken.data == b"Number\n1\n"
    assert taken.digest == take(file, standing).digest
    with file.open("a") as more:
        more.write("2\n")
    with pytest.raises(StillWritten):
        take(file, standing)
    file.unlink()
    with pytest.raises(StillWritten):
        take(file, standing)


@pytest.mark.security
def test_a_link_put_in_a_files_place_is_not_followed(tmp_path: Path) -> None:
    file, other = tmp_path / "list.csv", tmp_path / "other"
    for one in (file, other):
        one.write_text("Number\n1\n")
    standing = look(tmp_path, {}).standing["other"]
    file.unlink()
    file.symlink_to(other)

    with pytest.raises(StillWritten):
        take(file, standing)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execution.worklists.folder.MOST_BYTES", 3)
    (tmp_path / "list.csv").write_text("Number\n")

    with pytest.raises(Unreadable, match="larger than"):
        take(tmp_path / "list.csv", look(tmp_path, {}).standing["list.csv"])


def test_a_file_is_put_away_with_its_report_and_over_no_other(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        file = tmp_path / "list.csv"
        file.write_text(str(number))
        put_away(file, DONE if number < 3 else REFUSED, "2 of 2 rows are good.\n")

    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")) == [
        "done/list 2.csv",
        "done/list 2.csv.report.txt",
        "done/list.csv",
        "done/list.csv.report.txt",
        "refused/list.csv",
        "refused/list.csv.report.txt",
    ]
    assert (tmp_path / "done/list.csv").read_text() == "1"
    assert (tmp_path / "done/list.csv.report.txt").read_bytes() == b"\xef\xbb\xbf2 of 2 rows are good.\r\n"


def test_the_report_names_every_bad_cell() -> None:
    bad = BadCell(row=3, column="B", head="Born", value="31/02\n1998", reason=say("intake.missing"))
    good = GoodRow(number=2, reference="1", values={})

    assert report_of(Checked(rows=[good], bad=[bad], count=2), open_questions=["Which?"]) == (
        "1 of 2 rows are good.\nWhich?\n"
        "Row 3, column B (Born), “31/02 1998”: The cell is empty, and every row needs this value.\n"
    )
    with translation.override("fr"):
        assert report_of(Checked(bad=[bad], count=2)).startswith(
            "0 lignes sur 2 sont bonnes.\nLigne 3, colonne B (Born)"
        )
        assert report_on(Unreadable(say("intake.empty"))) == "Le fichier est vide.\n"
