"""A month is believed only where title, days, columns and weekdays agree (S6.12)."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import replace

import pytest

from execution.types import Box, ScreenState, TextLine
from execution.verification.calendars import Month, month_in
from tests.execution.perception.drawing import Canvas

AREA = Box(100, 60, 300, 260)
LEFT, TOP, WIDE, HIGH = 120, 130, 38, 30
AROUND, BEHIND, OUTSIDE = "around", "behind", "outside"


def place(year: int, month: int, day: int, *, sunday: bool = False) -> tuple[int, int]:
    """The middle of a day's cell."""
    at = (monthrange(year, month)[0] + sunday) % 7 + day - 1
    return LEFT + WIDE * (at % 7) + 8, TOP + HIGH * (at // 7) + 7


def calendar(
    year: int, month: int, title: str, *, sunday: bool = False, marks: str = AROUND, weeks: bool = False,
    others: bool = False, shift: int = 0,
) -> ScreenState:  # fmt: skip
    """A month as programs draw it; `others` are the days around it, `shift` stands for a title of another month."""
    canvas = Canvas(700, 420)
    canvas.draw.rectangle((AREA.x, AREA.y, AREA.right, AREA.bottom), fill=(255, 255, 255), outline=(120, 120, 120))
    canvas.text(title, 200, 76)
    where = {AROUND: (112, 380), BEHIND: (340, 375), OUTSIDE: ()}[marks]
    for x, glyph in zip(where, "<>", strict=False):
        canvas.draw.text((x, 74), glyph, fill=(30, 30, 30), font_size=16)
    for column, name in enumerate(("Su Mo Tu We Th Fr Sa" if sunday else "lu ma me je ve sa di").split()):
        canvas.text(name, LEFT + WIDE * column, 104)
    first, count = monthrange(year, month)
    begins = (first + sunday + shift) % 7
    shown = list(range(1, count + 1))
    if others:
        before = monthrange(year - (month == 1), (month - 2) % 12 + 1)[1]
        shown = [*range(before - begins + 1, before + 1), *shown, *range(1, 1 + (-begins - count) % 7)]
        begins = 0
    for number, day in enumerate(shown, start=begins):
        canvas.text(str(day), LEFT + WIDE * (number % 7), TOP + HIGH * (number // 7))
    if weeks:
        for row in range(5):
            canvas.text(str(45 + row), LEFT - WIDE + 20, TOP + HIGH * row)
    return canvas.state()


GOOD = {
    "French, marks around": (2026, 11, "novembre 2026", {}),
    "English, Sunday first": (2026, 12, "December 2026", {"sunday": True}),
    "both marks behind": (2027, 2, "Feb 2027", {"marks": BEHIND}),
    "numbers of the weeks": (2026, 11, "NOV. 2026", {"weeks": True}),
    "days of the months around": (2026, 7, "juillet 2026", {"others": True}),
    "a year before its month": (2026, 8, "2026 août", {"others": True, "sunday": True}),
}


@pytest.mark.parametrize("case", GOOD)
def test_a_month_is_read_with_the_place_of_each_day(case: str) -> None:
    year, month, title, how = GOOD[case]
    found = month_in(AREA, calendar(year, month, title, **how))
    assert found is not None
    assert (found.year, found.month, list(found.days)) == (year, month, list(range(1, monthrange(year, month)[1] + 1)))
    for day, box in found.days.items():
        x, y = place(year, month, day, sunday=how.get("sunday", False))
        assert abs(box.center.x - x) < WIDE / 3, day
        assert abs(box.center.y - y) < HIGH / 3, day
    marks = (340, 375) if how.get("marks") == BEHIND else (112, 380)
    assert found.earlier is not None
    assert found.later is not None
    assert [abs(one.center.x - x - 5) < 8 for one, x in zip((found.earlier, found.later), marks, strict=True)] == [
        True
    ] * 2


def test_a_day_that_the_reader_lost_has_no_place_and_one_that_it_joined_has() -> None:
    shown = calendar(2026, 11, "novembre 2026")
    days = [line for line in shown.texts if line.text.isdigit()]
    lost = {"1", "11", "24", "30"}  # of the first and the last row all of it
    rows: dict[int, list[TextLine]] = {}
    for line in days:
        if line.text not in lost:
            rows.setdefault(line.box.center.y // HIGH, []).append(line)
    joined = []
    for row in rows.values():
        first, second, *rest = sorted(row, key=lambda line: line.box.x)
        box = Box(first.box.x, first.box.y, second.box.right - first.box.x, first.box.h)
        joined += [TextLine(text=f"{first.text} {second.text}", box=box), *rest]
    others = [line for line in shown.texts if not line.text.isdigit()]
    found = month_in(AREA, ScreenState(frame=shown.frame, texts=(*others, *joined), text_method="t"))
    assert found is not None
    assert sorted(found.days) == [day for day in range(1, 31) if str(day) not in lost]
    for day in found.days:
        x, y = place(2026, 11, day)
        assert abs(found.days[day].center.x - x) < WIDE / 3
        assert abs(found.days[day].center.y - y) < HIGH / 3


@pytest.mark.parametrize(
    "shown",
    [
        calendar(2026, 11, "décembre 2026"),  # its days stand under other weekdays
        calendar(2026, 11, "novembre 2026", shift=2),
        calendar(2026, 11, "novembre"),
        calendar(2026, 11, "novembre – décembre 2026"),
        calendar(2026, 11, "Results 2026"),
    ],
    ids=["another month", "columns moved", "no year", "two months", "no month"],
)
def test_what_does_not_agree_is_no_month(shown: ScreenState) -> None:
    assert month_in(AREA, shown) is None


def test_a_table_of_numbers_under_a_month_is_no_calendar() -> None:
    canvas = Canvas(700, 420)
    canvas.text("novembre 2026", 200, 76)
    for row in range(5):
        for column in range(7):
            canvas.text(str((row * 11 + column * 5) % 31 + 1), LEFT + WIDE * column, TOP + HIGH * row)
    assert month_in(AREA, canvas.state()) is None


def test_without_marks_nobody_knows_how_it_is_turned() -> None:
    found = month_in(AREA, calendar(2026, 11, "novembre 2026", marks=OUTSIDE))
    assert isinstance(found, Month)
    assert (found.earlier, found.later) == (None, None)


def without(shown: ScreenState, days: set[int]) -> ScreenState:
    texts = tuple(line for line in shown.texts if not (line.text.isdigit() and int(line.text) in days))
    return ScreenState(frame=shown.frame, texts=texts, text_method="t")


@pytest.mark.parametrize("lost", [range(2, 9), range(9, 16), range(23, 30)])
def test_a_row_that_was_not_read_puts_no_day_on_another(lost: range) -> None:
    assert month_in(AREA, without(calendar(2026, 11, "novembre 2026"), set(lost))) is None


def test_rows_that_are_unevenly_apart_are_no_month() -> None:
    shown = calendar(2026, 11, "novembre 2026")
    texts = tuple(
        TextLine(text=line.text, box=Box(line.box.x, line.box.y + 14, line.box.w, line.box.h))
        if line.box.y > TOP + 3.5 * HIGH
        else line
        for line in shown.texts
    )
    assert month_in(AREA, ScreenState(frame=shown.frame, texts=texts, text_method="t")) is None


@pytest.mark.parametrize(("year", "month"), [(2026, 11), (2023, 1)])
def test_the_numbers_of_the_weeks_are_no_days(year: int, month: int) -> None:
    """The Sundays were not read; the first week of 2023 stands where its first Sunday would."""
    sundays = {day for day in range(1, 31) if (monthrange(year, month)[0] + day) % 7 == 0}
    canvas = Canvas(700, 420)
    canvas.text(f"{'janvier' if month == 1 else 'novembre'} {year}", 200, 76)
    for day in set(range(1, monthrange(year, month)[1] + 1)) - sundays:
        x, y = place(year, month, day)
        canvas.text(str(day), x - 8, y - 7)
    for row in range(5):
        canvas.text(str((45, 52, 1, 2, 3, 4)[row + (month == 1)]), LEFT - WIDE + 8, TOP + HIGH * row)
    found = month_in(Box(60, 60, 340, 260), canvas.state())
    assert found is None or not sundays & set(found.days)


@pytest.mark.parametrize(
    ("second", "rows", "read"),
    [("mars 2027", 6, 28), ("", 6, 28), ("", 4, 28), ("", 4, 16)],
    ids=["its title read", "its title lost", "its rows right below", "and half of the first one lost"],
)
def test_of_two_months_one_below_the_other_the_days_are_those_under_their_title(
    second: str, rows: int, read: int
) -> None:
    canvas = Canvas(700, 700)
    canvas.text("février 2027", 200, 76)
    canvas.text(second, 200, TOP + 4 * HIGH + 2)
    for day in range(1, 32):
        for top, count in ((TOP, read), (TOP + rows * HIGH, 31)):
            if day <= count:
                canvas.text(str(day), LEFT + WIDE * ((day - 1) % 7), top + HIGH * ((day - 1) // 7))
    found = month_in(Box(100, 60, 300, 500), canvas.state())
    if not second:
        assert found is None
        return
    assert found is not None
    assert (found.month, len(found.days)) == (2, 28)
    assert max(box.bottom for box in found.days.values()) < TOP + 4 * HIGH


def test_two_marks_of_other_sizes_behind_a_month_do_not_turn_it() -> None:
    shown = calendar(2027, 2, "Feb 2027", marks=OUTSIDE)
    pixels = shown.frame.pixels.copy()
    pixels[78:84, 340:346] = 30
    pixels[76:90, 375:389] = 30
    found = month_in(AREA, ScreenState(frame=replace(shown.frame, pixels=pixels), texts=shown.texts, text_method="t"))
    assert found is not None
    assert (found.earlier, found.later) == (None, None)
