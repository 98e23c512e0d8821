"""S5.3, S6.11: the n-th of its list is what a run's variable says, counted in the target's own group or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from execution.language.screen_texts import ScreenWords
from execution.targeting.context import Context
from execution.targeting.judge import Judgement, fitted_judge
from execution.targeting.numbers import WantedNumber
from execution.targeting.resolver import TargetResolver
from execution.targeting.weighing import _proven, weigh
from execution.teaching import counting
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, ScreenState, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.graph import NeighbourSpec, TargetSpec

NAMES = ("Ana Costa", "Bernard Li", "Chiara Neri", "Dora Schulz", "Emil Novak", "Fatou Sy")
LEFT, TOP, PITCH = 60, 140, 34


def table(
    names: tuple[str, ...] = NAMES, *, x: int = LEFT, y: int = TOP, title: str = "", second: tuple[str, ...] = ()
) -> ScreenState:
    """A list of names with a button in each row, and another list below it where there is a `second`."""
    canvas = Canvas(1000, 800)
    elements: list[Element] = []
    canvas.text("Patients of the day", x, y - 70, size=18)
    if title:
        canvas.draw.rectangle((x - 8, y - 34, x + 500, y - 6), fill=(205, 212, 224))
        canvas.text(title, x, y - PITCH)
    for at, name in enumerate(names):
        draw_row(canvas, elements, name, x, y + PITCH * at)
    if second:
        canvas.text("Patients of tomorrow", x, y + PITCH * len(names) + 60, size=18)
        for at, name in enumerate(second):
            draw_row(canvas, elements, name, x, y + PITCH * (len(names) + 4 + at))
    return canvas.state(elements=elements, window=Window(title="Records", box=Box(0, 0, 1000, 800)))


def draw_row(canvas: Canvas, elements: list[Element], name: str, x: int, y: int) -> None:
    canvas.text(name, x, y)
    box = canvas.button("Open", Box(x + 380, y - 6, 90, 26))
    elements.append(Element(box=box, role=ElementRole.BUTTON, text="Open"))


def taught(state: ScreenState, box: Box, number: str = "{{n}}") -> TargetSpec:
    spec = teach_target(state.frame, box, label="Row", state=state, click=None, store=Pictures())
    return replace(spec, number=number)


def asked(target: TargetSpec, state: ScreenState, *, goes_on: bool = False, **variables: str) -> WantedNumber:
    return Context(
        target=target, state=state, variables=variables, pictures=Pictures(),
        words=ScreenWords(state.texts), goes_on=goes_on,
    ).wanted_number  # fmt: skip


def line(state: ScreenState, text: str) -> Box:
    return next(t.box for t in state.texts if t.text == text)


def button(state: ScreenState, at: int) -> Box:
    return state.elements[at].box


@pytest.mark.parametrize("number", [1, 6])
def test_the_nth_button_of_a_table_is_that_of_the_nth_row(number: int) -> None:
    state = table()
    found = asked(taught(state, button(state, 1)), state, n=str(number))
    assert found.number == number
    assert [found.holds(e.box) for e in state.elements] == [at == number - 1 for at in range(6)]


@pytest.mark.parametrize("number", [1, 6])
def test_the_nth_line_is_counted_whatever_it_says_now(number: int) -> None:
    """What the taught line said is the content of one row: another day other names stand there, and elsewhere."""
    first = table()
    now = table(("Zoe Quint", *NAMES[:5]), x=LEFT + 120, y=TOP + 60)
    found = asked(taught(first, line(first, "Bernard Li").grown(2, first.frame.size)), now, n=str(number))
    assert found.problem == ""
    assert found.holds(line(now, ("Zoe Quint", *NAMES)[number - 1]))


@pytest.mark.parametrize(("number", "place"), [("1", 0), ("3", 2)])
def test_it_is_counted_in_its_own_list_and_not_in_the_other(number: str, place: int) -> None:
    state = table(NAMES[:3], second=NAMES[3:])
    assert asked(taught(state, button(state, 0)), state, n=number).holds(button(state, place))
    assert asked(taught(state, button(state, 4)), state, n=number).holds(button(state, 3 + place))


def test_more_than_its_list_has_is_refused_though_another_list_has_as_many() -> None:
    state = table(NAMES[:3], second=NAMES)
    found = asked(taught(state, button(state, 0)), state, n="5")
    assert found.place is None
    assert found.problem.code == "targeting.too_few"
    assert found.problem == "number 5 of its list is wanted, and there are only 3"
    assert not any(found.holds(e.box) for e in state.elements)


def test_the_first_that_a_list_has_not_is_its_end_where_all_of_it_is_seen() -> None:
    """S6.13: a list that does not begin where it began, or has room for a row that was not read, has no end."""
    state = table(NAMES[:4])
    target = counted(state, line(state, NAMES[1]), n="2")
    assert [asked(target, state, n=str(n)).at_end for n in (4, 5, 6)] == [False, True, False]
    assert len(asked(target, state, n="5").lines) == 4
    assert not asked(target, without(state, NAMES[0]), n="4").at_end
    assert not asked(target, without(state, NAMES[2]), n="4").at_end


def test_what_stands_on_the_other_lines_is_no_neighbour_of_one_that_is_counted() -> None:
    """Other names stand there another day."""
    state = table(NAMES[:4])
    target = counted(state, line(state, NAMES[1]), n="2")
    beside = {neighbour.text for neighbour in target.neighbours}
    assert "Patients of the day" in beside
    assert beside.isdisjoint(NAMES)


def test_a_caption_that_was_read_with_the_border_of_its_button_leaves_no_hole_in_the_list() -> None:
    """Line 4 would be done as line 3, and a list that is read rightly later would seem to have changed."""
    state = table()
    target = taught(state, button(state, 0))
    rows = [at for at, read in enumerate(state.texts) if read.text == "Open"]
    texts = list(state.texts)
    texts[rows[2]] = replace(texts[rows[2]], box=button(state, 2).grown(2, state.frame.size))
    found = asked(target, replace(state, texts=tuple(texts)), n="3")
    assert found.problem == ""
    assert [found.holds(e.box) for e in state.elements] == [at == 2 for at in range(6)]
    assert len(found.lines) == 6


def column(*sizes: int) -> ScreenState:
    """The same word below itself, in letters of those sizes; no control is seen around it."""
    canvas = Canvas(1000, 800)
    for at, size in enumerate(sizes):
        canvas.text("Open", 440, TOP + PITCH * at, size=size)
    return canvas.state(window=Window(title="Records", box=Box(0, 0, 1000, 800)))


@pytest.mark.parametrize(("size", "lines"), [(13, 5), (24, 0)])
def test_a_caption_without_a_control_is_as_high_as_the_others_where_its_letters_are(size: int, lines: int) -> None:
    """What was read with the ground around it is a line; the same word in larger letters is none."""
    state = column(13, 13, size, 13, 13)
    target = taught(column(13, 13, 13, 13, 13), state.texts[0].box)
    texts = list(state.texts)
    texts[2] = replace(texts[2], box=texts[2].box.grown(8, state.frame.size))
    found = asked(target, replace(state, texts=tuple(texts)), n="4")
    assert (found.problem == "", len(found.lines) * (found.problem == "")) == (lines > 0, lines)
    assert found.holds(state.texts[3].box) == (lines > 0)


def test_behind_a_row_that_was_not_seen_no_number_is_told() -> None:
    state = table()
    seen = replace(state, elements=(*state.elements[:2], *state.elements[3:]), texts=tuple(
        t for t in state.texts if not (t.text == "Open" and button(state, 2).contains(t.box.center))
    ))  # fmt: skip
    target = taught(state, button(state, 1))
    assert asked(target, seen, n="2").holds(button(state, 1))
    assert asked(target, seen, n="4").problem.code == "targeting.not_counted"


def test_a_title_of_the_column_is_not_taken_for_its_first_row() -> None:
    state = table(title="Name of patient")
    target = taught(state, line(state, "Bernard Li").grown(2, state.frame.size))
    assert asked(target, state, n="2").problem.code == "targeting.first_is_other"
    told = asked(replace(target, before_first=1), state, n="2")
    assert told.holds(line(state, "Bernard Li")) and not told.holds(line(state, "Ana Costa"))


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "wording.no_value"), ({"n": ""}, "targeting.no_ordinal"), ({"n": "0"}, "targeting.no_ordinal"),
        ({"n": "-1"}, "targeting.no_ordinal"), ({"n": "two"}, "targeting.no_ordinal"),
        ({"n": "1.5"}, "targeting.no_ordinal"), ({"n": "²"}, "targeting.no_ordinal"),
    ],
)  # fmt: skip
def test_what_is_no_whole_number_from_one_is_refused_in_words(given: dict[str, str], code: str) -> None:
    state = table()
    found = asked(taught(state, button(state, 1)), state, **given)
    assert found.problem.code == code
    assert not any(found.holds(e.box) for e in state.elements)


def test_a_number_that_was_counted_when_it_was_taught_wants_none() -> None:
    state = table()
    target = teach_target(state.frame, button(state, 1), label="Row", state=state, click=None, store=Pictures())
    found = asked(target, state)
    assert (found.number, found.problem, target.number_taught, target.number_wanted) == (None, "", 2, "")
    assert all(found.holds(e.box) for e in state.elements)


def test_a_neighbour_is_found_by_whatever_it_is_called() -> None:
    """S6.1: “Nom” where the program speaks French, “Name” where it speaks English."""
    canvas = Canvas(600, 300)
    canvas.text("Name", 40, 60)
    state = canvas.state()
    target = TargetSpec(target_id="t", label="x")
    seen = Context(target=target, state=state, variables={}, pictures=Pictures(),
                   words=ScreenWords(state.texts))  # fmt: skip
    assert len(seen.neighbour_boxes(NeighbourSpec(text="Nom", dx=-90, dy=0, others=("Name",)))) == 1
    assert len(seen.neighbour_boxes(NeighbourSpec(text="Nom", dx=-90, dy=0))) == 0


# --- taught ----------------------------------------------------------------------------------------------------------
def counted(state: ScreenState, box: Box, **values: str) -> TargetSpec:
    return teach_target(
        state.frame, box, label="Row", state=state, click=None, store=Pictures(), number="{{n}}", values=values
    )


def test_where_it_is_taught_it_is_counted_and_a_title_is_told_from_a_row() -> None:
    """S6.11: whoever teaches says which it is here; what stands before the first does not count in any run."""
    state = table(title="Name of patient")
    bernard = line(state, "Bernard Li").grown(2, state.frame.size)
    target = counted(state, bernard, n="2")
    assert (target.number_wanted, target.before_first) == ("{{n}}", 1)
    now = table(("Zoe Quint", *NAMES), title="Name of patient", y=TOP + 20)
    assert [asked(target, now, n=n).holds(line(now, name)) for n, name in (("1", "Zoe Quint"), ("7", "Fatou Sy"))] == [
        True, True,
    ]  # fmt: skip
    plain = table()
    assert counted(plain, line(plain, "Bernard Li").grown(2, plain.frame.size), n="2").before_first == 0


@pytest.mark.parametrize(
    ("value", "said"),
    [("3", "is number 2 of its list as it is seen here, not number 3"), ("", "say which one"), ("x", "say which one")],
)
def test_who_counts_otherwise_than_is_seen_is_told(value: str, said: str) -> None:
    state = table()
    with pytest.raises(ValueError, match=said):
        counted(state, button(state, 1), n=value)


def test_what_is_in_no_list_that_can_be_counted_is_told() -> None:
    state = table()
    gap = replace(state, elements=(*state.elements[:2], *state.elements[3:]), texts=tuple(
        t for t in state.texts if not (t.text == "Open" and button(state, 2).contains(t.box.center))
    ))  # fmt: skip
    with pytest.raises(ValueError, match="cannot be counted as it is seen here"):
        counted(gap, button(state, 4), n="5")


# --- where the list begins -------------------------------------------------------------------------------------------
def without(state: ScreenState, *texts: str) -> ScreenState:
    """The same screen where some lines were not read."""
    return replace(state, texts=tuple(t for t in state.texts if t.text not in texts))


@pytest.mark.parametrize("number", ["1", "2"])
def test_a_first_line_that_was_not_read_is_not_left_out_of_the_count(number: str) -> None:
    state = table()
    target = counted(state, line(state, "Bernard Li").grown(2, state.frame.size), n="2")
    assert asked(target, state, n=number).holds(line(state, NAMES[int(number) - 1]))
    found = asked(target, without(state, "Ana Costa"), n=number)
    assert found.problem.code == "targeting.not_counted"


def test_a_title_that_was_not_read_is_not_taken_off_the_count() -> None:
    state = table(title="Name of patient")
    target = counted(state, line(state, "Bernard Li").grown(2, state.frame.size), n="2")
    assert target.before_first == 1
    assert asked(target, without(state, "Name of patient"), n="1").problem.code == "targeting.not_counted"


def test_a_list_around_which_nothing_is_as_it_was_is_not_counted() -> None:
    state = table()
    target = counted(state, button(state, 1), n="2")
    others = ("Gil Hart", "Hana Ito", "Ines Jara", "Jan Kral", "Kim Lee", "Lars Moe")
    now = without(table(others, y=TOP + 90), "Patients of the day")
    assert asked(target, now, n="1").problem.code == "targeting.not_counted"


@pytest.mark.parametrize(("shown", "count", "is_counted"), [(3, 6, True), (1, 6, False), (3, 5, False)])
def test_a_list_that_moves_is_counted_where_it_has_as_many_as_each_time_it_was_shown(
    shown: int, count: int, is_counted: bool
) -> None:
    state = table()
    target = replace(counted(state, button(state, 1), n="2"), demonstrations=shown, neighbours=())
    now = table(NAMES[:count], y=TOP + 90)
    assert asked(target, now, n="2").holds(button(now, 1)) is is_counted


@pytest.mark.parametrize("number", [1, 5])
def test_the_nth_entry_of_a_menu_is_found_whose_entries_are_wider_than_their_words(number: int) -> None:
    canvas, elements = Canvas(700, 500), list[Element]()
    canvas.text("Edit", 60, 66)
    for at, entry in enumerate(("Cut", "Copy", "Paste", "Delete", "Rename")):
        canvas.text(entry, 66, 105 + 26 * at, size=17)
        elements.append(Element(box=Box(50, 102 + 26 * at, 300, 24), role=ElementRole.MENU_ITEM, text=entry))
    state = canvas.state(elements=elements, window=Window(title="Editor", box=Box(0, 0, 700, 500)))
    store = Pictures()
    target = teach_target(
        state.frame, elements[0].box, label="Entry", state=state, click=None, store=store, number="{{n}}",
        values={"n": "1"},
    )  # fmt: skip
    found = TargetResolver(pictures=store).resolve(target, state, variables={"n": str(number)})
    assert found.point is not None
    assert elements[number - 1].box.contains(found.point)


def test_a_first_row_that_is_chosen_since_it_was_done_does_not_hide_the_next() -> None:
    """S6.13: whoever asks for the next line has held the list against what it was when the line before was done."""
    state = table(title="Ana Costa, chosen")
    target = taught(state, line(state, "Bernard Li").grown(2, state.frame.size))
    assert asked(target, state, n="2").problem.code == "targeting.first_is_other"
    assert not asked(target, state, n="8").at_end
    found = asked(target, state, goes_on=True, n="2")
    assert (found.problem, found.holds(line(state, NAMES[0]))) == ("", True)
    assert asked(target, state, goes_on=True, n="8").at_end


class Saying:
    """A judge to whom all places together have that chance."""

    def __init__(self, chance: float) -> None:
        self.chance = chance

    def judge(self, features: np.ndarray) -> Judgement:
        found = fitted_judge().judge(features)
        return replace(found, chances=self.chance * found.chances / found.chances.sum())


@pytest.mark.parametrize(
    ("chance", "goes_on", "is_whole", "sure"),
    [(0.7, False, False, 0.7), (0.7, True, False, 0.99), (0.7, False, True, 0.99), (0.4, True, True, 0.4)],
)
def test_of_a_list_that_was_begun_or_is_seen_whole_it_is_enough_that_it_is_likely_the_one(
    chance: float, goes_on: bool, is_whole: bool, sure: float
) -> None:
    """S6.13: the signs are those of the line that was shown; whether they follow is asked besides."""
    state = table()
    target = taught(state, line(state, "Bernard Li").grown(2, state.frame.size))
    seen = Context(
        target=target, state=state, variables={"n": "3"}, pictures=Pictures(),
        words=ScreenWords(state.texts), goes_on=goes_on,
    )  # fmt: skip
    vars(seen)["wanted_number"] = replace(seen.wanted_number, is_whole=is_whole)
    weighed = weigh(seen, judge=Saying(chance))  # type: ignore[arg-type]
    best = int(np.argmax(weighed.judgement.chances))
    assert seen.wanted_number.holds(weighed.signs[best].box)
    assert weighed.chance(best) <= sure + 1e-3
    assert (weighed.chance(best) == 0.99) is (sure == 0.99)
    assert weighed.judgement.chances.sum() <= 1.0


def test_of_two_places_that_are_known_neither_is() -> None:
    judged = Judgement(np.zeros(3), np.array([0.5, 0.3, 0.1]), np.zeros((3, 1)), ("text",))
    assert _proven(judged, np.array([True, True, False])) is judged
    alone = _proven(judged, np.array([False, True, False])).chances
    assert alone[1] == 0.99
    assert alone.sum() == pytest.approx(1.0)


def cells(*rows: tuple[str, str, str]) -> ScreenState:
    """A list of three columns under its title, each cell a text."""
    canvas = Canvas(1000, 800)
    canvas.text("Letters to sign", LEFT, TOP - 70, size=18)
    for at, row in enumerate(rows):
        for x, text in zip((LEFT, LEFT + 150, LEFT + 230), row, strict=True):
            canvas.text(text, x, TOP + PITCH * at)
    return canvas.state(window=Window(title="Records", box=Box(0, 0, 1000, 800)))


@pytest.mark.parametrize("name", ["Bernard Li", "Dr. A. B. Featherstone"])
def test_the_only_line_that_is_left_is_the_first_of_its_column(name: str) -> None:
    """Its cells stand beside each other and are no list."""
    shown = cells(("Ana Costa", "Ward 3", "open"), ("Bernard Li", "Ward 4", "open"), ("Chiara Neri", "Ward 5", "open"))
    target = counted(shown, line(shown, "Ana Costa"), n="1")
    alone = cells((name, "Ward 9", "open"))
    found = asked(target, alone, n="1")
    assert (found.place, found.lines) == (line(alone, name), (line(alone, name),))
    assert asked(target, alone, n="2").at_end


def deliveries(*wards: str, across: int, unread: bool = False) -> ScreenState:
    """A table whose columns are as wide as what they hold; the first button may not have been read."""
    canvas = Canvas(1000, 500)
    canvas.text("Deliveries", 60, 40, size=22)
    canvas.text("Reference", 60, 100)
    canvas.text("Ward", across, 100)
    for row, ward in enumerate(wards):
        canvas.text(f"D-{2201 + row}", 60, 134 + PITCH * row)
        canvas.text(ward, across, 134 + PITCH * row)
        if row or not unread:
            canvas.text("Open", 700, 134 + PITCH * row)
    return canvas.state(window=Window(title="Deliveries", box=Box(0, 0, 1000, 500)))


def as_line(state: ScreenState, box: Box | None = None, *, needed: tuple[str, ...] = ()) -> TargetSpec:
    box = box or line(state, "Open")
    spec = replace(teach_target(state.frame, box, label="Open", state=state, click=None, store=Pictures()), alike=3)
    found, _members = counting.counted(
        replace(spec, needed=needed), box, state, number="{{n}}", values={"n": "1"}, least=2
    )
    return found


@pytest.mark.parametrize("across", [300, 380, 480])
def test_the_columns_of_a_table_are_as_wide_as_what_they_hold_today(across: int) -> None:
    """Another day's references are longer: the head stands farther right, and as high above the first line."""
    shown = deliveries("Surgery", "Haematology", "Emergency", across=300)
    head, first = line(shown, "Ward").center, line(shown, "Open").center
    near = NeighbourSpec(text="Ward", dx=head.x - first.x, dy=head.y - first.y)
    target = replace(as_line(shown), neighbours=(near,))
    now = deliveries("Oncology", "Emergency", "Dialysis", across=across)
    assert asked(target, now, n="1").place == line(now, "Open")
    assert asked(target, deliveries("Oncology", "Dialysis", "Surgery", across=across, unread=True), n="1").place is None


@pytest.mark.parametrize(("off", "is_first"), [(0, True), (10, True), (-10, True), (20, False), (PITCH, False)])
def test_the_head_of_the_one_line_that_is_left_is_as_high_as_a_line_allows(off: int, is_first: bool) -> None:
    """Another look has other heights; where another line would have room between them, one may not have been read."""
    shown = deliveries("Surgery", "Haematology", "Emergency", across=300)
    head, first = line(shown, "Ward").center, line(shown, "Open").center
    target = replace(as_line(shown), neighbours=(NeighbourSpec(text="Ward", dx=head.x - first.x, dy=head.y - first.y),))
    now = deliveries("Dialysis", across=300)
    moved = (replace(t, box=t.box._replace(y=t.box.y - off)) if t.text == "Ward" else t for t in now.texts)
    found = asked(target, replace(now, texts=tuple(moved)), n="1")
    assert (found.place == line(now, "Open")) is is_first


def test_what_stands_in_the_rows_of_other_lines_is_no_neighbour_and_its_place_no_sign() -> None:
    """The run counts: which of them it was when it was taught nobody asks for any more."""
    target = as_line(deliveries("Surgery", "Haematology", "Emergency", across=300), needed=("number", "text"))
    assert not {"Haematology", "Emergency"} & {n.text for n in target.neighbours}
    assert target.needed == ("text",)


def two_tables(left: Sequence[str], right: Sequence[str]) -> ScreenState:
    """Two lists side by side, each with the same buttons under heads of its own."""
    canvas = Canvas(1200, 500)
    for x, head, names in ((60, "Arrivals", left), (640, "Departures", right)):
        canvas.text(head, x, 100)
        for row, name in enumerate(names):
            canvas.text(name, x, 134 + PITCH * row)
            canvas.text("Open", x + 300, 134 + PITCH * row)
    return canvas.state(window=Window(title="Ward", box=Box(0, 0, 1200, 500)))


@pytest.mark.parametrize(("head", "gone"), [("Arrivals", 0), ("Departures", 1)])
def test_the_first_of_an_empty_list_is_not_the_first_of_the_list_beside_it(head: str, gone: int) -> None:
    lists = [("Durand", "Petit", "Morel"), ("Lefevre", "Garnier", "Roux")]
    shown = two_tables(*lists)
    first = [text.box for text in shown.texts if text.text == "Open"][3 * gone]
    near = NeighbourSpec(
        text=head,
        dx=line(shown, head).center.x - first.center.x,
        dy=line(shown, head).center.y - first.center.y,
    )
    target = replace(as_line(shown, first), neighbours=(near,))
    assert asked(target, shown, n="1").place == first
    lists[gone] = ()
    assert asked(target, two_tables(*lists), n="1").place is None


def devices(names: Sequence[str], *, head: bool = True) -> ScreenState:
    """Names and dates of one width below their heads."""
    canvas = Canvas(900, 500)
    if head:
        canvas.text("Device", 320, 100)
        canvas.text("Due", 460, 100)
    for at, name in enumerate(names):
        canvas.text(name, 300, 130 + 22 * at)
        canvas.text(f"(June, 20{11 + at})", 440, 130 + 22 * at)
    return canvas.state(window=Window(title="Inspections", box=Box(250, 60, 500, 400)))


@pytest.mark.parametrize(
    ("today", "is_counted"),
    [
        (devices(("Spring Seca", "Laser (Ring)", "Pump Agilia")), True),
        (devices(("Spring Seca", "Laser (Ring)", "Pump Agilia"), head=False), False),  # they may be tiles
    ],
    ids=["below heads", "without heads"],
)
def test_columns_of_one_width_are_a_table_below_their_heads(today: ScreenState, *, is_counted: bool) -> None:
    first = devices(("Syringe pump Alaris", "Ventilator Oxylog", "Bed (George)"))
    found = asked(counted(first, line(first, "Ventilator Oxylog"), n="2"), today, n="3")
    assert (found.place == line(today, "Pump Agilia")) is is_counted
