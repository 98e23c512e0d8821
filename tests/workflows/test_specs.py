"""Rows become the frozen graph that is checked, published and run."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from tests.factories import EDGES, NODES, make_picture, make_workflow
from workflows.graph import GraphSpec, IdentitySpec, NeighbourSpec, TargetSpec
from workflows.models import Workflow
from workflows.specs import graph_of, target_columns, texts_in

pytestmark = pytest.mark.django_db

EVIDENCE = {
    "box": [0.1, 0.2, 0.05, 0.03],
    "window_box": [0, 0, 1, 1],
    "context_box": [0.05, 0.1, 0.2, 0.2],
    "window_title": "Save As",
    "screen_size": [1280, 800],
    "click": [0.25, 0.5],
    "neighbours": [{"text": "Cancel", "dx": -90, "dy": 2}],
}


def with_target(**target) -> TargetSpec:
    edge = {**EDGES[2], "target": {**EDGES[2]["target"], **target}}
    workflow = make_workflow(edges=(*EDGES[:2], edge))
    return graph_of(workflow).edge("click_save").target


def test_the_graph_holds_what_the_rows_hold() -> None:
    picture = make_picture()
    workflow = make_workflow(nodes=({**NODES[0], "picture": picture.digest}, *NODES[1:]), enable_ocr=False)

    graph = graph_of(workflow)

    assert graph.entry_nodes == ("empty_note",)
    assert graph.end_nodes == ("saved",)
    assert graph.node("empty_note").picture == picture.digest
    assert graph.edge("type_patient").params == {"text": "{{patient}}"}
    assert graph.edge("open_save").expect.window_title == "Save As"
    assert [v.name for v in graph.variables] == ["patient"]
    assert graph.flags == {"enable_ocr": False}


def test_what_a_label_is_called_as_well_is_kept() -> None:
    target = with_target(evidence={**EVIDENCE, "named_by": {"text": "Nom", "dx": -90, "dy": 2, "others": ["Name"]}})
    assert target.named_by == NeighbourSpec(text="Nom", dx=-90, dy=2, others=("Name",))
    assert target_columns(target)["evidence"]["named_by"]["others"] == ["Name"]
    assert GraphSpec.from_json(graph_of(Workflow.objects.get()).to_json()).edge("click_save").target == target


@pytest.mark.parametrize(
    ("kept", "number"),
    [(2, 2), (2.0, 2), ("3", 3), ("{{n}}", "{{n}}"), (" {{ n }} ", "{{ n }}"), ("third", "third"), (None, 0), (-1, 0)],
)
def test_which_of_its_like_is_a_count_or_what_a_run_says(kept, number) -> None:
    """S6.11: a fault stays as it is, for validation to name; what old versions hold is a count."""
    target = with_target(evidence={**EVIDENCE, "number": kept, "alike": 3})
    assert target.number == number
    assert (target.number_taught, target.number_wanted) == ((0, number) if isinstance(number, str) else (number, ""))
    assert GraphSpec.from_json(graph_of(Workflow.objects.get()).to_json()).edge("click_save").target == target
    assert target_columns(target)["evidence"].get("number", 0) == number


def test_evidence_becomes_the_fields_of_the_target() -> None:
    target = with_target(evidence=EVIDENCE)

    assert target.box == (0.1, 0.2, 0.05, 0.03)
    assert target.click == (0.25, 0.5)
    assert target.screen_size == (1280, 800)
    assert target.neighbours == (NeighbourSpec(text="Cancel", dx=-90, dy=2),)
    assert target.window_title == "Save As"
    assert (target.picture, target.context) == ("", "")


def test_columns_and_spec_of_a_target_are_two_ways_to_say_the_same() -> None:
    target = with_target(evidence=EVIDENCE)
    other = with_target(**{k: v for k, v in target_columns(target).items() if k != "target_id"})

    assert other == target


@pytest.mark.parametrize(
    "evidence",
    [
        {"box": "left"},
        {"box": [1, 2, 3]},
        {"box": [1, 2, 3, None]},
        {"neighbours": "Cancel"},
        {"neighbours": [None, {"text": "x"}, {"dx": 1, "dy": 2}]},
        {"screen_size": [True, False]},
        {"click": {}},
        [],
        None,
        "box",
    ],
)
def test_evidence_that_is_not_of_its_form_is_left_out(evidence) -> None:
    assert with_target(evidence=evidence or {}) == with_target(evidence={})


def test_whose_record_it_must_be_is_told_by_what_has_a_value() -> None:
    kept = [{"label": "Patient", "value": "{{patient}}"}, {"value": "3"}, {"label": "Born"}, None]
    edge = {**EDGES[2], "identity": kept}
    identity = graph_of(make_workflow(edges=(*EDGES[:2], edge))).edge("click_save").identity
    assert identity == (IdentitySpec(label="Patient", value="{{patient}}"), IdentitySpec(value="3"))


@pytest.mark.parametrize(
    ("stored", "texts"),
    [
        (["Save", " ", "Cancel "], ("Save", "Cancel")),
        ("Save", ("Save",)),
        ([12], ("12",)),
        (None, ()),
        ({"a": 1}, ()),
    ],
)
def test_texts_are_a_list_of_texts_whatever_was_stored(stored, texts) -> None:
    assert texts_in(stored) == texts


def test_a_whole_graph_takes_four_queries(django_assert_num_queries) -> None:
    workflow = make_workflow()

    with django_assert_num_queries(4):
        graph_of(workflow)


def test_masked_regions_go_with_the_workflow_and_what_is_no_box_is_refused():
    """S2.6: places whose changes do not matter, as fractions of the screen."""
    workflow = make_workflow()
    workflow.masks = [[0.9, 0, 0.1, 0.05]]
    workflow.full_clean()
    workflow.save()
    assert graph_of(workflow).flags["masks"] == [[0.9, 0, 0.1, 0.05]]
    for wrong in ([[0, 0, 1]], [[0, 0, 2, 1]], {"x": 1}, [["a", 0, 1, 1]]):
        workflow.masks = wrong
        with pytest.raises(ValidationError, match="between 0 and 1"):
            workflow.full_clean()
