"""S6.1: what differs between demonstrations is data: a variable where its value is one, else not told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.teaching.demonstrations import combined
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.graph import NeighbourSpec, ShapeSpec, TargetSpec

ANA, BOB, CY = (
    {"patient": "Ana Costa", "day": "3"},
    {"patient": "Bob Li", "day": "17"},
    {"patient": "Cy Wu", "day": "8"},
)


def near(text: str, dx: int, dy: int, *others: str) -> NeighbourSpec:
    return NeighbourSpec(text=text, dx=dx, dy=dy, others=others)


def option(text: str = "", **changes) -> TargetSpec:
    base = TargetSpec(
        target_id="t_1", label="Option", text=text, role="menu_item", picture=f"of {text}", window_title="Records",
        box=(0.1, 0.3, 0.1, 0.04), screen_size=(1000, 700), number=1, alike=1,
        neighbours=(near("Choose a patient", 20, -60), near("Close", 200, 300)),
        shapes=tuple(ShapeSpec(role="button", dx=200 + 90 * i, dy=300, w=80, h=28) for i in range(4)),
    )  # fmt: skip
    return replace(base, **changes)


# --- texts -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("Ana Costa", "Bob Li", "{{patient}}"),
        ("ana costa", "BOB LI", "{{patient}}"),
        ("Patient: Ana Costa", "Patient: Bob Li", "Patient: {{patient}}"),
        ("Ana Costa, day 3", "Bob Li, day 17", "{{patient}}, day {{day}}"),
        ("{{patient}}", "Bob Li", "{{patient}}"),
        ("Ana Costa", "{{patient}}", "{{patient}}"),
        ("Choose", "Choose", "Choose"),
        ("Preferences", "Preferances", "Preferances"),
        ("Save", "Enregistrer", "Enregistrer"),
        ("Ana Costa", "Dora", ""),
        ("Costa", "Li", ""),
        ("Mana Costa", "Mbob Li", ""),
    ],
)
def test_a_text_that_differs_as_a_variable_does_is_that_variable(one: str, other: str, told: str) -> None:
    both = combined([option(one, named_by=near("Patient", -90, 0)), option(other, named_by=near("Patient", -90, 0))],
                    values=[ANA, BOB])  # fmt: skip
    assert both.text == told


def test_a_text_that_differs_without_a_variable_is_not_told_nor_is_its_picture() -> None:
    both = combined([option("Ana Costa", row=("{{day}}",)), option("Bob Li")])
    assert (both.text, both.picture, both.row) == ("", "", ("{{day}}",))


def test_what_has_nothing_left_to_know_it_by_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="Nothing that “Option” is known by was the same each time"):
        combined([option("Ana Costa"), option("Bob Li")])


def test_two_variables_of_one_value_are_told_apart_by_another_run() -> None:
    values = [{"guest": "Ana Costa", "payer": "Ana Costa"}, {"guest": "Bob Li", "payer": "Cy Wu"}]
    assert combined([option("Ana Costa"), option("Cy Wu")], values=values).text == "{{payer}}"


def test_what_a_variable_says_must_be_what_was_shown() -> None:
    """A place that a coach showed by mistake is not learned as another value."""
    with pytest.raises(ValueError, match="must read “{{patient}}”, the other reads “Dora”"):
        combined([option("{{patient}}"), option("Dora")], values=[ANA, BOB])


def test_a_neighbour_that_differs_as_a_variable_does_is_that_variable() -> None:
    both = combined(
        [option("Open", neighbours=(near(v["patient"], -90, 0), near("Close", 200, 300))) for v in (ANA, BOB)],
        values=[ANA, BOB],
    )
    assert [n.text for n in both.neighbours] == ["{{patient}}", "Close"]


def test_each_demonstration_has_its_values() -> None:
    with pytest.raises(ValueError, match="each demonstration has its values"):
        combined([option("Open"), option("Open")], values=[ANA])


# --- labels ----------------------------------------------------------------------------------------------------------
def field(label: str, *others: str, neighbours: tuple[NeighbourSpec, ...] = (), dx: int = -120) -> TargetSpec:
    return option(role="field", picture="f", named_by=near(label, dx, 0, *others), neighbours=neighbours)


def test_a_label_in_other_words_is_an_alternative() -> None:
    both = combined([field("Nom"), field("Name")])
    assert (both.named_by.text, both.named_by.others) == ("Name", ("Nom",))
    third = combined([both, field("Nombre"), field("Name:")])
    assert third.named_by.texts == ("Name:", "Nom", "Nombre")


def test_a_label_that_nobody_knows_is_an_alternative_where_the_screen_speaks_another_language() -> None:
    english = (near("Save", 0, 200), near("Cancel", 90, 200))
    german = (near("Speichern", 3, 200), near("Abbrechen", 96, 200))
    both = combined([field("Ward", neighbours=english), field("Station", neighbours=german)])
    assert both.named_by.texts == ("Station", "Ward")
    assert [n.texts for n in both.neighbours] == [("Speichern", "Save"), ("Abbrechen", "Cancel")]


@pytest.mark.parametrize("neighbours", [(), (near("Save", 0, 200), near("Cancel", 90, 200))])
def test_another_label_on_the_same_screen_is_another_field(neighbours: tuple[NeighbourSpec, ...]) -> None:
    with pytest.raises(ValueError, match="One stands at “Street”, the other at “Ward”"):
        combined([field("Street", neighbours=neighbours), field("Ward", neighbours=neighbours)])


# --- rows ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "other", "kept"),
    [
        (("Ana Costa",), ("Bob Li",), ("{{patient}}",)),
        (("{{patient}}",), ("Bob Li",), ("{{patient}}",)),
        (("{{patient}}",), (), ("{{patient}}",)),
        ((), ("{{patient}}",), ("{{patient}}",)),
        (("{{patient}}", "open"), ("{{patient}}",), ("{{patient}}",)),
        (("open",), ("Open",), ("Open",)),
        (("Ana Costa", "Dr. Who"), ("Bob Li", "Dr. No"), ("{{patient}}",)),
    ],
)
def test_the_row_is_that_of_a_variable_and_who_says_none_takes_none_away(
    one: tuple[str, ...], other: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert combined([option("Open", row=one), option("Open", row=other)], values=[ANA, BOB]).row == kept


def test_rows_of_two_records_are_no_row_without_a_variable() -> None:
    with pytest.raises(ValueError, match="in the row of “Ana Costa”, the other in that of “Bob Li”"):
        combined([option("Open", row=("Ana Costa",)), option("Open", row=("Bob Li",))])


# --- numbers ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("counts", "kept"),
    [
        ([(2, 3), (2, 3)], (2, 3)), ([(1, 2), (2, 2)], (0, 2)), ([(1, 1), (1, 3)], (0, 3)), ([(0, 0), (2, 3)], (0, 3)),
        ([("{{n}}", 1), (3, 5)], ("{{n}}", 5)), ([(3, 5), ("{{n}}", 5)], ("{{n}}", 5)),
    ],
)  # fmt: skip
def test_twins_are_remembered_where_numbers_differ(counts: list[tuple], kept: tuple) -> None:
    both = combined([option("Open", number=number, alike=alike) for number, alike in counts])
    assert (both.number, both.alike) == kept


def test_two_numbers_that_runs_say_are_two_targets() -> None:
    with pytest.raises(ValueError, match="number “{{n}}” of its list, the other number “{{m}}”"):
        combined([option("Open", number="{{n}}"), option("Open", number="{{m}}")])


def test_what_was_the_first_and_then_the_second_of_two_has_a_twin_and_nothing_that_tells_which_it_is() -> None:
    """Where the twins had been forgotten, the first of them that was seen was clicked."""
    canvas = Canvas(900, 500)
    boxes = [canvas.button("Open", Box(300, 200 + 60 * at, 100, 30)) for at in range(2)]
    elements = [Element(box=b, role=ElementRole.BUTTON, text="Open") for b in boxes]
    state, store = canvas.state(elements=elements, window=Window(title="x", box=Box(0, 0, 900, 500))), Pictures()
    shown = [teach_target(state.frame, b, label="Open", state=state, click=None, store=store) for b in boxes]
    both = combined(shown, pictures=store)
    assert [(t.number, t.alike) for t in shown] == [(1, 2), (2, 2)]
    assert (both.text, both.number, both.alike) == ("Open", 0, 2)
    assert (both.context, both.context_box, both.shapes) == ("", None, ()), "these show where the other one is"


# --- pictures --------------------------------------------------------------------------------------------------------
def icons(*drawn: np.ndarray) -> tuple[list[TargetSpec], Pictures]:
    store = Pictures()
    bare = {"role": "icon", "neighbours": (), "shapes": ()}
    apart = [{"box": (0.1 + 0.2 * at, 0.1, 0.03, 0.03)} for at in range(len(drawn))]
    return [
        option(picture=store.put(pixels), **bare, **place) for pixels, place in zip(drawn, apart, strict=True)
    ], store


def drawing(seed: int) -> np.ndarray:
    canvas = Canvas(80, 80)
    canvas.icon(20, 20, seed=seed)
    return np.ascontiguousarray(canvas.pixels[16:50, 16:50])


def test_pictures_that_look_alike_are_of_one_target() -> None:
    first = drawing(3)
    noisy = np.clip(first.astype(int) + np.random.default_rng(1).integers(-6, 7, first.shape), 0, 255).astype(np.uint8)
    shifted = np.roll(first, (1, 2), axis=(0, 1))
    targets, store = icons(first, noisy, shifted)
    assert combined(targets, pictures=store).picture == targets[-1].picture
    with pytest.raises(ValueError, match="no text, no label, no picture"):
        combined(targets)  # nobody can say how alike they are


@pytest.mark.parametrize("other", [drawing(4), drawing(9), np.full((34, 34, 3), 245, np.uint8), drawing(3)[:9, :9]])
def test_pictures_of_two_things_are_two_targets(other: np.ndarray) -> None:
    targets, store = icons(drawing(3), other)
    with pytest.raises(ValueError, match="no text, no label, no picture"):
        combined(targets, pictures=store)


def test_a_fainter_picture_is_of_what_was_greyed_out() -> None:
    first = drawing(3)
    faint = (245 + (first.astype(int) - 245) * 0.5).astype(np.uint8)
    targets, store = icons(first, faint)
    with pytest.raises(ValueError, match="no text, no label, no picture"):
        combined(targets, pictures=store)


def test_of_a_picture_that_shows_another_thing_each_time_none_is_kept() -> None:
    store = Pictures()
    one, other = (
        option(role="icon", picture=store.put(drawing(seed)), named_by=near("Photo of the patient", 0, 40))
        for seed in (3, 4)
    )
    both = combined([one, other], pictures=store)
    assert (both.picture, both.named_by.text) == ("", "Photo of the patient")


# --- together --------------------------------------------------------------------------------------------------------
demonstrations = st.builds(
    option,
    text=st.sampled_from(["Ana Costa", "Bob Li", "Open", "Ouvrir", ""]),
    number=st.sampled_from([1, 2, "{{n}}"]),
    alike=st.integers(1, 3),
    row=st.sampled_from([(), ("{{patient}}",)]),
    named_by=st.sampled_from([near("Name", -90, 0), near("Nom", -92, 1)]),
    window_title=st.sampled_from(["Ana - Records", "Bob - Records"]),
)


@given(st.lists(demonstrations, min_size=2, max_size=5), st.data())
def test_demonstrations_come_to_the_same_however_they_are_taken_together(
    taught: list[TargetSpec], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(taught) - 1))
    at_once = combined(taught)
    assert combined([combined(taught[:cut]), *taught[cut:]]) == at_once
    assert at_once.alike == max(t.alike for t in taught)
    assert at_once.demonstrations == len(taught)
