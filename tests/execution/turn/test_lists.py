"""S6.13: which line of a list follows the one that was done, on the list as it is seen now."""

from __future__ import annotations

import pytest

from execution.turn.lists import Compared, Listed, Row, compared_lists, place_of_next, rows_of
from tests.execution.perception.drawing import Canvas

ADAMS, BROWN, CARTER = (
    ("Adams, Grace", "Discharge", "Ward 3"),
    ("Brown, Miriam", "Discharge", "Ward 3"),
    ("Carter, Helen", "Referral", "Ward 4"),
)
NEW, CLOSE = ("Winter, Zoe", "Discharge", "Ward 3"), ("Close the day",)
SIGNED = ("Adams, Grace", "Discharge", "Ward 3", "signed")


@pytest.mark.parametrize(
    ("done", "then", "now", "place"),
    [
        (1, [ADAMS, BROWN, CARTER], [ADAMS, BROWN, CARTER], 2),
        (1, [ADAMS, BROWN, CARTER], [SIGNED, BROWN, CARTER], 2),
        (1, [ADAMS, BROWN, CARTER], [BROWN, CARTER], 1),
        (1, [ADAMS, (*BROWN, "X"), CARTER], [BROWN, (*CARTER, "X")], 1),  # a picture, read as a letter at times
        (1, [ADAMS, (*BROWN, "X"), CARTER], [(*BROWN, "V"), CARTER], None),  # another picture, or another bed
        (1, [ADAMS, BROWN, CARTER], [(*BROWN, "✓"), CARTER], None),  # somebody else has done it
        (1, [ADAMS, (*BROWN, "1"), CARTER], [BROWN, CARTER], None),
        (1, [ADAMS, BROWN, CARTER], [BROWN, CARTER, NEW], 1),  # another came, alike but for its name
        (2, [ADAMS, BROWN, CARTER], [ADAMS, CARTER], 2),
        (2, [ADAMS, BROWN, CARTER], [BROWN, CARTER, NEW], 2),  # scrolled by one
        (3, [ADAMS, BROWN, CARTER], [CARTER, NEW], 2),  # scrolled, and there was more
        (3, [ADAMS, BROWN, CARTER], [ADAMS, BROWN, CARTER], 4),
        (3, [ADAMS, BROWN, CARTER], [ADAMS, BROWN], 3),  # the last one has left
        (3, [ADAMS, BROWN, CARTER], [ADAMS, BROWN, NEW], 3),  # and another came
        (1, [ADAMS], [], 1),
        (1, [ADAMS], [NEW], 1),
        (1, [ADAMS], [SIGNED], 2),
        (1, [ADAMS], [CLOSE], 2),  # what stands there now is no line
        (1, [ADAMS, BROWN, CARTER], [BROWN, CARTER, SIGNED], None),  # put to the end
        (1, [ADAMS, BROWN, CARTER], [ADAMS, CARTER], None),  # another one went
        (1, [ADAMS, BROWN, CARTER], [NEW, ADAMS, BROWN, CARTER], None),
        (2, [ADAMS, BROWN, CARTER], [ADAMS, ADAMS, CARTER, CARTER], None),
        (3, [ADAMS, BROWN, CARTER], [NEW, CLOSE], None),
    ],
)
def test_the_next_line_is_known_by_what_it_says(done: int, then: list[Row], now: list[Row], place: int | None) -> None:
    assert place_of_next(done, then, now, said={"discharge", "ward"}) == place


def numbered(*rows: Row, joined: bool = False) -> list[Row]:
    """As a table numbers its lines, with a column of its own or read together with the next one."""
    return [(f"{n} {r[0]}", *r[1:]) if joined else (str(n), *r) for n, r in enumerate(rows, 1)]


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize(
    ("done", "then", "now", "place"),
    [
        (1, [ADAMS, BROWN, CARTER], [BROWN, CARTER], 1),  # each has another number since the first one left
        (2, [ADAMS, BROWN, CARTER], [ADAMS, CARTER], 2),
        (1, [ADAMS, BROWN, CARTER], [ADAMS, BROWN, CARTER], 2),
        (1, [ADAMS, BROWN, CARTER], [ADAMS, CARTER], None),
        (1, [ADAMS, BROWN, CARTER], [CARTER, BROWN], None),
    ],
)
def test_the_number_that_a_table_counts_a_line_by_is_no_part_of_it(
    done: int, then: list[Row], now: list[Row], place: int | None, joined: bool
) -> None:
    compared = Compared(done, numbered(*then, joined=joined), numbered(*now, joined=joined), frozenset({"ward"}))
    assert compared.as_counted.next_line == place
    if place is not None:
        assert compared.as_counted.changed(place) == ""


def test_what_is_no_number_of_the_line_is_a_part_of_it() -> None:
    """A number of its own stays with its record when another one leaves."""
    own = [("7", *ADAMS), ("8", *BROWN), ("9", *CARTER)]
    assert Compared(1, own, own[1:]).as_counted.next_line == 1
    moved = [("8", *CARTER), ("9", *BROWN)]
    assert Compared(1, own, moved).as_counted.next_line is None


@pytest.mark.parametrize(
    ("then", "now", "shown", "has_left"),
    [
        ([ADAMS], [], ("Letters to sign", "Nothing to sign"), True),
        ([ADAMS], [], ("Letter of Adams, Grace signed",), True),  # a message is no line
        ([ADAMS], [], ADAMS, False),  # it still stands there: its list was not made out
        ([ADAMS], [CLOSE], CLOSE, True),
        ([ADAMS], [SIGNED], SIGNED, False),
        ([ADAMS, BROWN], [], CLOSE, False),  # another one followed, and is not there either
        ([("T-4", "4B")], [], ("Tray", "Bed", "Diet"), True),  # it has no word of its own
        ([("T-4", "4B")], [], ("T-4", "4B", "Normal"), False),
        ([("4B",)], [], ("Tray", "Bed"), False),  # so short a text is nobody's
    ],
)
def test_a_list_is_over_only_where_its_last_line_stands_nowhere(
    then: list[Row], now: list[Row], shown: Row, has_left: bool
) -> None:
    canvas = Canvas(800, 400)
    for at, text in enumerate(shown):
        canvas.text(text, 40 + 200 * at, 40)
    assert Compared(1, then, now).last_has_left(canvas.state()) is has_left


@pytest.mark.parametrize(("top", "has_left"), [(0.2, True), (0.05, False)], ids=["above the list", "in it"])
def test_a_message_above_a_list_is_no_line_though_other_words_of_it_stand_elsewhere(top: float, has_left: bool) -> None:
    """What stands where the list was may be the line itself, with other cells by now."""
    canvas = Canvas(800, 400)
    for at, text in enumerate(("Grace Adams is signed.", "Discharge", "Ward 3")):
        canvas.text(text, 40, 40 + 60 * at)
    said = frozenset({"discharge", "ward"})
    assert Compared(1, [ADAMS], [], said, top).last_has_left(canvas.state()) is has_left


@pytest.mark.parametrize(
    ("done", "now", "is_out_of_sight"),
    [
        (3, [ADAMS, BROWN], True),  # the last one may be below
        (3, [ADAMS, BROWN, CARTER], False),  # it is seen
        (3, [ADAMS, NEW], False),  # another one came, so the list was not drawn anew from its top
        (2, [ADAMS, BROWN], True),
        (2, [ADAMS, CARTER], False),
    ],
)
def test_a_list_goes_on_below_only_where_what_comes_next_is_not_seen(
    done: int, now: list[Row], is_out_of_sight: bool
) -> None:
    assert Compared(done, [ADAMS, BROWN, CARTER], now).is_out_of_sight is is_out_of_sight


def test_what_the_window_behind_says_is_in_no_line() -> None:
    """The list moves up as its lines are done; what stands beside its window stays."""
    lines = [(0.3, 0.2, 0.2, 0.03), (0.3, 0.25, 0.2, 0.03)]
    texts = [("Pump", (0.3, 0.2, 0.1, 0.03)), ("Scale", (0.3, 0.25, 0.1, 0.03)), ("Defib", (0.1, 0.2, 0.05, 0.03))]
    assert rows_of(Listed(lines=lines, texts=texts, window=(0.2, 0.1, 0.5, 0.5))) == [("Pump",), ("Scale",)]
    assert rows_of(Listed(lines=lines, texts=texts)) == [("Defib", "Pump"), ("Scale",)]
    in_none = Listed(lines=lines, texts=texts, window=(0.5, 0.1, 0.5, 0.5))
    assert rows_of(in_none) == [("Defib", "Pump"), ("Scale",)]


MENU = ("Groups", "Users", "Referrals", "Wards", "Rooms", "Help")
PATIENTS = ("Astrid Weber", "Samir Haddad", "Lucas Petit", "Odile Marchand")


def page(*names: str, down: int = 0, framed: int | None = 1) -> Listed:
    """A table beside a menu of the same pitch; every second row has a ground of its own."""
    texts = [(text, (0.05, 0.2 + 0.04 * row, 0.1, 0.02)) for row, text in enumerate(MENU)]
    rows = [0.2 + 0.04 * (row + down) for row in range(len(names))]
    texts += [(name, (0.3, y, 0.12, 0.02)) for name, y in zip(names, rows, strict=True)]
    texts += [(f"Ward {len(name)}", (0.6, y, 0.08, 0.02)) for name, y in zip(names, rows, strict=True)]
    frames = [(0.28, y - 0.01, 0.5, 0.04) for y in rows[framed::2]] if framed is not None else []
    return Listed(lines=[(0.3, y, 0.12, 0.02) for y in rows], texts=texts, frames=frames)


@pytest.mark.parametrize(
    ("now", "next_line"),
    [
        (page(*PATIENTS[1:], down=2), 1),  # a message came above it, and the line that was done has left
        (page(*PATIENTS[1:2], down=2, framed=None), None),  # the others, too
        (page(*PATIENTS), 2),
        (page(PATIENTS[0], PATIENTS[2], PATIENTS[3], down=2), None),  # another one has left
    ],
    ids=["moved", "shorter by more", "as it was", "another one"],
)
def test_what_a_menu_beside_a_list_says_is_in_no_line_where_the_list_has_moved(now: Listed, next_line: int) -> None:
    assert compared_lists(1, page(*PATIENTS), now, frozenset()).next_line == next_line


def test_without_a_frame_nobody_knows_how_far_a_line_goes() -> None:
    then, now = page(*PATIENTS, framed=None), page(*PATIENTS[1:], down=2, framed=None)
    assert compared_lists(1, then, now, frozenset()).next_line is None
