"""S5.9: exactly one row with all of these texts, in a list that is in sight as a whole."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from execution.turn.rows import columns_of, rows_in, the_one_row
from execution.types import Box, Element, ElementRole, Frame, ScreenState, TextLine, Window, pixels_digest
from execution.verification.reading import ScreenReading
from sentences.said import worded

VALUES = {"patient": "Marie Dupont", "day": "21/11/2026"}
ASKED = ["{{patient}}", "{{day}}"]
ROWS = [
    ("Patient", "Day", "Ward"),
    ("Marie Dupont", "20/11/2026", "Ward 1"),
    ("Marie Dupont", "21/11/2026", "Ward 1"),
    ("Jean Dupont", "21/11/2026", "Ward 3"),
]


def screen(
    rows: list[tuple[str, ...]],
    *,
    top: int = 60,
    high: int = 400,
    read: bool = True,
    framed: int = 0,
    more: tuple[TextLine, ...] = (),
    elements: tuple[Element, ...] = (),
    window: Window | None = None,
) -> ScreenState:
    pixels = np.full((high, 600, 3), 255, np.uint8)
    lines = [
        TextLine(text=text, box=Box(20 + 180 * column, top + 30 * number, 9 * len(text), 16), confidence=1.0)
        for number, row in enumerate(rows)
        for column, text in enumerate(row)
    ]
    frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
    group = [Element(box=Box(5, 5, 560, framed), role=ElementRole.GROUP, text="")] if framed else []
    return ScreenState(
        frame=frame,
        texts=(*lines, *more),
        elements=(*group, *elements),
        text_method="test" if read else "",
        window=window,
    )


def line(text: str, x: int, y: int, *, high: int = 16) -> TextLine:
    return TextLine(text=text, box=Box(x, y, 9 * len(text), high), confidence=1.0)


def said(rows: list[tuple[str, ...]], asked: list[str] = ASKED, **how: Any) -> str:
    return worded(the_one_row(asked, screen(rows, **how), VALUES).problem)


def test_the_row_that_has_all_of_them_is_found() -> None:
    found = the_one_row(ASKED, screen(ROWS), VALUES)
    assert (found.problem, found.box.y if found.box else 0) == ("", 120)


@pytest.mark.parametrize("top", [0, 5, 20])
def test_a_list_whose_first_row_in_sight_is_at_the_top_may_go_on_above(top: int) -> None:
    """Scrolled, with a bar that hides itself: another such row may stand there, as it does here further down."""
    assert said([*OTHERS, FOUND], top=29) == "", "its heading stands clear of the top"
    assert said([*OTHERS, FOUND], more=(line("All letters", 20, 2),)) == "", "what stands above it is no row of it"
    assert "out of sight" in said([*OTHERS[1:], FOUND], top=top)
    assert "out of sight" in said([("Ann Martin", "", ""), *OTHERS[1:], FOUND], top=top), "a row with empty cells"
    assert "out of sight" in said([FOUND, *OTHERS[1:]], top=top), "it is the first itself"


def test_the_top_is_that_of_the_window() -> None:
    window = Window(title="Letters of the day", box=Box(0, 120, 600, 280))
    assert "out of sight" in said([*OTHERS, FOUND], top=132, window=window)
    assert said([*OTHERS, FOUND], top=152, window=window) == ""


@pytest.mark.parametrize("read", ["Letters of the day", "Letters of the dav"])
def test_the_title_bar_is_no_row_and_ends_the_list(read: str) -> None:
    """As far above the heading as rows are from each other."""
    window = Window(title="Letters of the day", box=Box(0, 0, 600, 400))
    assert "out of sight" in said([(read,), *OTHERS, FOUND], top=6)
    assert said([(read,), *OTHERS, FOUND], top=6, window=window) == ""
    assert "out of sight" in said([(read, "20/11/2026"), *OTHERS, FOUND], top=6, window=window)


FOUND, OTHERS = ROWS[2], [ROWS[0], ("Jean Martin", "20/11/2026", "Ward 1"), ("Ann Abel", "21/11/2026", "Ward 3")]
FRAMED = [*ROWS, *((f"Ann {name}", "01/11/2026", "Ward 1") for name in ("Abel", "Blum", "Cohn"))]
# Typed to look for it: a list that is filtered by the very texts.
TYPED = (line("Marie Dupont", 20, 200), line("21/11/2026", 200, 200))
FIELDS = tuple(Element(box=Box(one.box.x - 6, 194, 170, 28), role=ElementRole.FIELD) for one in TYPED)
LEVEL = [("Marie Dupont", "20/11/2026"), ("Ann Abel", "21/11/2026"), ("Jean Martin", "19/11/2026")]
PANES = tuple(Element(box=Box(x, 5, 280, 300), role=ElementRole.GROUP) for x in (5, 300))

# Of which rows, on what screen, what is said: nothing, where it is surely one.
CASES: dict[str, tuple[list[tuple[str, ...]], dict[str, Any], str]] = {
    "texts in two rows": ([ROWS[0], ROWS[1], ROWS[3]], {}, "No row has “Marie Dupont”, “21/11/2026”."),
    "twice": ([*ROWS, ROWS[2]], {}, "2 rows have"),
    "a longer name": ([*ROWS[:2], ("Marie Dupont-Leroy", "21/11/2026", "Ward 1")], {}, "No row has"),
    "a name before it": ([*ROWS[:2], ("Anne Marie Dupont", "21/11/2026", "Ward 1")], {}, "No row has"),
    "a name like it": ([*ROWS[:2], ("Marie Dupond", "21/11/2026", "Ward 1")], {}, "No row has"),
    "another that may be it as well": ([*ROWS, ("Marie Dup…", "21/11/2026", "Ward 1")], {}, "nobody can say"),
    "a list that fills its window": (ROWS, {"high": 180}, "and the list may go on out of sight."),
    "a list that fills its frame": (FRAMED, {"high": 600, "framed": 265}, "out of sight"),
    "a list that ends in its frame": (FRAMED, {"high": 600, "framed": 440}, ""),
    "no value": (ROWS, {"asked": ["{{absent}}"]}, "absent"),
    "nothing told": (ROWS, {"asked": []}, "Nothing is told that a row could have."),
    "not read": (ROWS, {"read": False}, "The screen was not read."),
    "typed, and no such row": (OTHERS, {"more": TYPED, "elements": FIELDS}, "No row has"),
    "typed, and the row": ([*OTHERS, FOUND], {"more": (line("Marie Dupont", 20, 240),), "elements": FIELDS}, ""),
    "a heading of a list": (OTHERS, {"more": (line("Results for Marie Dupont, 21/11/2026", 20, 260),)}, "in no list"),
    "a message": (OTHERS, {"more": (line("Marie Dupont", 60, 260), line("21/11/2026", 310, 260))}, "in no list"),
    "lines of one text": ([("Results: Marie Dupont, 21/11/2026",), ("Patient Day Ward",), ("No letters.",)], {},
                          "in no list"),
    "above the names of the columns": ([], {"more": (
        line("Marie Dupont", 20, 20), line("F", 150, 20), line("21/11/2026", 201, 20),
        *(line(text, 20 + 180 * n, 50) for n, text in enumerate(ROWS[0])),
    )}, "in no list"),
    "an empty cell above": ([ROWS[0], ("Jean Martin", "", "Ward 1"), FOUND, ("Ann Abel", "21/11/2026", "")], {}, ""),
    "a large text beside two rows": ([], {"more": (
        line("27", 520, 20, high=70),
        *(line(text, 20 + 180 * x, 52 + 24 * y) for y, row in enumerate(LEVEL) for x, text in enumerate(row)),
    )}, "No row has"),
    "level in two panes": ([("Patient", ""), ("Jean Martin", ""), ("Marie Dupont", "")], {
        "more": tuple(line(text, 320, 20 + 30 * n) for n, text in enumerate(("Day", "20/11/2026", "21/11/2026"))),
        "elements": PANES,
    }, "No row has"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "how", "told"), CASES.values(), ids=CASES)
def test_whether_one_row_has_all_of_them(rows: list[tuple[str, ...]], how: dict[str, Any], told: str) -> None:
    problem = said(rows, **how)
    assert told in problem if told else problem == ""


def test_a_value_that_is_empty_makes_no_row_of_what_stands_around_it() -> None:
    rows = [("Letter", "Day"), ("Letter of Ann Abel", "21/11/2026")]
    found = the_one_row(["Letter of {{nobody}}", "{{day}}"], screen(rows), {**VALUES, "nobody": " "})
    assert worded(found.problem) == "Nothing is told that a row could have."


# --- columns ------------------------------------------------------------------------------------------------------
SEEN_BY = [
    ("Patient", "Day", "Seen by"),
    ("Jean Martin", "21/11/2026", "Marie Dupont"),
    ("Ann Abel", "20/11/2026", "Paul Blum"),
]
AT = ["Patient", "Day"]


def in_columns(rows: list[tuple[str, ...]], columns: list[str] = AT, **how: Any) -> str:
    return worded(the_one_row(ASKED, screen(rows, **how), VALUES, columns).problem)


def test_a_name_in_another_column_is_another_person() -> None:
    """The doctor of that day is called as the patient is."""
    assert said(SEEN_BY) == "", "where no column is told"
    assert in_columns(SEEN_BY).startswith("No row has")
    hers = ("Marie Dupont", "21/11/2026", "Paul Blum")
    assert "2 rows" in said([*SEEN_BY, hers])
    found = the_one_row(ASKED, screen([*SEEN_BY, hers]), VALUES, AT)
    assert (found.problem, found.box.y if found.box else 0) == ("", 150)


COLUMNS: dict[str, tuple[list[tuple[str, ...]], dict[str, Any], str]] = {
    "in both columns": ([SEEN_BY[0], SEEN_BY[2], ("Marie Dupont", "21/11/2026", "Marie Dupont")], {}, ""),
    "another name of it": (ROWS, {"columns": ["Name"]}, "There is no column “Name” above it."),
    "out of sight": (ROWS[1:], {}, "There is no column “Patient” above it."),
    "two of one name": ([("Patient", "Day", "Patient"), *SEEN_BY[1:]], {},
                        "At “Patient” 2 things stand, where one was meant."),
    "more than texts": (ROWS, {"columns": [*AT, "Ward"]}, "More columns are named than texts of the row."),
    "under two heads": (SEEN_BY, {"more": (line("Marie Dupont", 60, 150), line("21/11/2026", 200, 150))},
                        "Of a row nobody can say"),
    "joined": (SEEN_BY, {"more": (line("Marie Dupont 21/11/2026", 20, 150),)}, "Of a row nobody can say"),
    "above the head": ([SEEN_BY[0], SEEN_BY[2]],
                       {"more": (line("Marie Dupont", 20, 20), line("21/11/2026", 200, 20))}, "No row has"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "how", "told"), COLUMNS.values(), ids=COLUMNS)
def test_whether_it_stands_in_its_columns(rows: list[tuple[str, ...]], how: dict[str, Any], told: str) -> None:
    problem = in_columns(rows, **how)
    assert problem.startswith(told) if told else problem == ""


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (ROWS, ["Patient", "Day"]),
        ([("Letters of the ward",), *ROWS], ["Patient", "Day"]),
        (ROWS[1:], []),
        ([("Patient", "Colour"), ("Marie Dupont", "red"), ("Ann Abel", "blue"), ("Jean Martin", "red")], []),
    ],
    ids=["heads", "under a heading", "no heads", "no numbers"],
)
def test_what_heads_its_columns_is_told_where_the_list_shows_it(rows: list[tuple[str, ...]], told: list[str]) -> None:
    state = screen(rows)
    last = rows_in(ScreenReading(state))[-1]
    assert columns_of(last, last[:2], state) == told


def test_a_column_never_makes_a_yes_of_what_nobody_can_say() -> None:
    """The number that the reader split is 12/34, and the name goes on."""
    head = ("Patient", "Doctor", "Day")
    for asked, pieces in (("12/3", ("12/3", "4")), ("Marie Dupont", ("Marie Dupont", "m"))):
        first, second = (line(text, x, 60) for text, x in zip(pieces, (20, 20 + 9 * len(pieces[0])), strict=True))
        rows = [line(text, 20 + 180 * n, 30) for n, text in enumerate(head)]
        below = [line("Jean Martin", 20, 90), line("Paul Blum", 200, 90), line("20/11/2026", 380, 90)]
        shown = screen([], more=(*rows, first, second, line("21/11/2026", 380, 60), *below))
        for columns in ([], ["Patient", "Day"]):
            assert "nobody can say" in worded(the_one_row([asked, "21/11/2026"], shown, {}, columns).problem)


@pytest.mark.parametrize("joined", ["Jean Martin Dr. Marie Dupont", "Jean Martin, Marie Dupont"])
def test_two_cells_that_were_read_as_one_line_are_in_no_column(joined: str) -> None:
    row = (line(joined, 20, 150), line("21/11/2026", 380, 150))
    rows = [
        ("Patient", "Doctor", "Day"),
        ("Ann Abel", "Paul Blum", "20/11/2026"),
        ("Lea Cohn", "Paul Blum", "19/11/2026"),
    ]
    assert in_columns(rows, more=row).startswith("Of a row nobody can say")


def test_a_row_whose_name_is_set_in_is_not_passed_over() -> None:
    """An icon before it; its right end stands straight under that of another head."""
    rows = [("Patient", "Doctor", "Day"), ("Marie Dupont", "Paul Blum", "21/11/2026")]
    name = TextLine(text="Marie Dupont", box=Box(44, 120, 210, 16), confidence=1.0)
    assert "nobody can say" in in_columns(rows, more=(name, line("21/11/2026", 380, 120)))
