"""S6.1: of several demonstrations of one step, what they share stays and what differs is no evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.teaching.demonstrations import combined
from execution.teaching.evidence import teach_target
from execution.teaching.titles import shared_title
from execution.types import Box, Element, ElementRole, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.graph import NeighbourSpec, ShapeSpec, TargetSpec


def neighbour(text: str, dx: int, dy: int) -> NeighbourSpec:
    return NeighbourSpec(text=text, dx=dx, dy=dy)


def shape(role: str, dx: int, dy: int, w: int) -> ShapeSpec:
    return ShapeSpec(role=role, dx=dx, dy=dy, w=w, h=28)


def save(**changes) -> TargetSpec:
    base = TargetSpec(
        target_id="t_1", label="Save", text="Save", role="button", picture="p1", window_title="Ana - Records",
        box=(0.5, 0.5, 0.1, 0.04), screen_size=(1000, 700), click=(0.5, 0.5), number=1, alike=2,
        neighbours=(neighbour("Cancel", -120, 0), neighbour("Ana Costa", -200, -300)),
        shapes=(shape("button", -120, 0, 100), shape("field", 0, -80, 300)),
    )  # fmt: skip
    return replace(base, **changes)


def test_what_they_share_stays_and_what_differs_goes():
    later = save(
        picture="p2", window_title="Bob - Records", number=2, click=(0.4, 0.5),
        neighbours=(neighbour("Cancel", -124, 1), neighbour("Bob Li", -200, -300)),
        shapes=(shape("button", -120, 2, 104), shape("field", 0, -160, 300)),
    )  # fmt: skip
    both = combined([save(), later])
    assert (both.text, both.role, both.picture) == ("Save", "button", "p2")
    assert both.window_title == "* - Records"
    assert [n.text for n in both.neighbours] == ["Cancel"]
    assert [s.role for s in both.shapes] == ["button"]
    assert (both.number, both.alike) == (0, 2), "it has a twin, and which of the two it is differs"
    assert both.demonstrations == 2


def test_one_demonstration_is_itself():
    assert combined([save()]) == save()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (save(role="field", text=""), "field"),
        (save(text="Delete", picture="p9", neighbours=(), shapes=()), "“Delete”"),
        (save(named_by=neighbour("Name:", -90, 0), text=""), ""),
    ],
)
def test_demonstrations_of_two_targets_are_refused_with_a_sentence(other, said):
    one = save(named_by=neighbour("Street:", -90, 0), text="") if not said else save()
    with pytest.raises(ValueError, match="not of one target") as refusal:
        combined([one, other])
    assert said in str(refusal.value)


def test_none_at_all_is_refused():
    with pytest.raises(ValueError, match="no demonstration"):
        combined([])


@pytest.mark.parametrize(
    ("titles", "shared"),
    [
        (["a.txt - Mousepad", "b.txt - Mousepad"], "*.txt - Mousepad"),
        (["Invoice 118", "Invoice 119", "Invoice 7"], "Invoice *"),
        (["Records", "Records"], "Records"),
        (["Save", "Open"], ""),
        (["", "Open"], ""),
        (["", ""], ""),
    ],
)
def test_titles_have_a_star_where_they_differ(titles, shared):
    assert shared_title(titles) == shared


name = st.text("abcdefghij ", min_size=1, max_size=12)


@given(st.lists(name, min_size=2, max_size=4))
def test_a_shared_title_matches_every_title(starts):
    from fnmatch import fnmatchcase

    titles = [f"{start} - Mousepad" for start in starts]
    shared = shared_title(titles)
    assert shared.endswith("Mousepad")
    assert all(fnmatchcase(title, shared) for title in titles)


def test_two_demonstrations_on_drawn_screens():
    def shown(name: str) -> TargetSpec:
        canvas = Canvas(900, 500)
        canvas.text(name, 60, 100)
        canvas.text("Cancel", 300, 306)
        box = canvas.button("Save", Box(400, 300, 100, 30))
        state = canvas.state(
            elements=[Element(box=box, role=ElementRole.BUTTON, text="Save")],
            window=Window(title=f"{name} - Records", box=Box(0, 0, 900, 500)),
        )
        return teach_target(state.frame, box, label="Save", state=state, click=None, store=Pictures())

    both = combined([shown("Ana Costa"), shown("Bernard Li")])
    assert (both.text, both.window_title) == ("Save", "* - Records")
    assert [n.text for n in both.neighbours] == ["Cancel"]


@pytest.mark.parametrize(
    ("names", "kept"), [(("Clinic", "clinic"), "clinic"), (("Clinic", "Ledger"), ""), (("Clinic", ""), "")]
)
def test_the_program_stays_where_all_demonstrations_were_of_it(names, kept):
    assert combined([save(app_name=name) for name in names]).app_name == kept


@pytest.mark.parametrize(("numbers", "needed"), [((2, 2), ("number",)), ((2, 3), ())])
def test_a_sign_that_a_person_needs_stays_needed_where_it_is_left(numbers, needed):
    """Shown once more without being said again it was forgotten; of two numbers none is left that could hold."""
    first, second = (TargetSpec(target_id="t", label="Open", text="Open", number=number, alike=6) for number in numbers)
    assert combined([replace(first, needed=("number",)), second]).needed == needed
