"""What a target is told by, in sentences (U2)."""

from __future__ import annotations

from execution.teaching.telling import ways_to_tell
from workflows.graph import NeighbourSpec, ShapeSpec, TargetSpec


def test_a_twin_is_told_by_its_number_its_row_and_its_surroundings():
    target = TargetSpec(
        target_id="t", label="Open", text="Open", role="button", picture="p", number=3, alike=5, window_title="Records",
        box=(0.5, 0.5, 0.1, 0.04), screen_size=(1000, 700), row=("{{record}}",), demonstrations=2,
        neighbours=(NeighbourSpec(text="Patient 4711", dx=-300, dy=2), NeighbourSpec(text="Records", dx=0, dy=-200)),
        shapes=(ShapeSpec(role="button", dx=0, dy=40, w=100, h=28),), scroll_box=(0, 0, 1, 1),
    )  # fmt: skip
    assert ways_to_tell(target) == (
        "the third of 5 “Open”",
        "in the row of “{{record}}”",
        "beside “Patient 4711”",
        "2 texts around it, 1 control around it",
        "its picture",
        "in the window “Records”",
        "inside something that scrolls",
        "what 2 demonstrations had in common",
    )


def test_a_field_is_told_by_its_label_and_what_it_holds_is_no_sign():
    target = TargetSpec(
        target_id="t", label="x", role="field", picture="p", number=4, alike=4,
        named_by=NeighbourSpec(text="Name:", dx=-90, dy=0),
    )  # fmt: skip
    assert ways_to_tell(target) == (
        "number 4 of 4 fields",
        "named by “Name:”",
        "its picture, empty or not: what it holds is no sign",
    )


def test_a_target_without_twins_is_told_by_its_text_and_one_without_anything_by_nothing():
    assert ways_to_tell(TargetSpec(target_id="t", label="x", text="Save", number=1, alike=1)) == ("the text “Save”",)
    assert ways_to_tell(TargetSpec(target_id="t", label="x", role="icon", number=2, alike=3)) == (
        "the second of 3 small pictures",
    )
    assert ways_to_tell(TargetSpec(target_id="t", label="x")) == ()


def test_a_number_that_a_run_says_and_every_name_of_a_label_are_told():
    label = NeighbourSpec(text="Nom", dx=-90, dy=0, others=("Name",))
    assert ways_to_tell(TargetSpec(target_id="t", label="x", number="{{n}}", alike=3, named_by=label)) == (
        "number {{n}} of its list, as the run says",
        "named by “Nom / Name”",
    )
