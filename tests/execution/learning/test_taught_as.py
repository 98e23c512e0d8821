"""S6.4: what was taught anew since is not corrected by what was said of the old, whatever its id."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from execution.choices import CorrectionKind
from execution.learning.overlay import Taught, fits, overlaid
from execution.learning.taught_as import of_act, of_screen, of_target, taught_as
from workflows.graph import EdgeSpec, GraphSpec, NeighbourSpec, NodeSpec, RegionSpec, ShapeSpec, TargetSpec

TARGET = TargetSpec(
    target_id="open", label="Open", text="Open", picture="p1", context="c1", box=(0.1, 0.1, 0.2, 0.1),
    neighbours=(NeighbourSpec(text="Bob", dx=3, dy=4),),
)  # fmt: skip
NODE = NodeSpec(node_id="a", name="A", texts=("Patients",), picture="n1")
EDGE = EdgeSpec(
    edge_id="ab", source="a", destination="b", action_type="type_text", params={"text": "fast"}, target=TARGET
)
GRAPH = GraphSpec(
    workflow_id="w", name="W", learning_state="COACHING", nodes=(NODE, NodeSpec(node_id="b", name="B")), edges=(EDGE,)
)
ANOTHER_TARGET: list[dict[str, Any]] = [
    {"picture": "p2"}, {"context": "c2"}, {"text": "Delete"}, {"text": "{{patient}}"}, {"row": ("{{patient}}",)},
    {"neighbours": (NeighbourSpec(text="Zoe", dx=3, dy=4),)}, {"neighbours": ()}, {"role": "field"},
    {"named_by": NeighbourSpec(text="Name", dx=1, dy=0)}, {"shapes": (ShapeSpec(role="icon", dx=1, dy=1, w=2, h=2),)},
    {"number": "{{n}}"}, {"box": (0.5, 0.5, 0.2, 0.1)}, {"needed": ("text",)}, {"window_title": "Records"},
    {"click": (0.1, 0.5)},
]  # fmt: skip


@pytest.mark.parametrize("change", ANOTHER_TARGET, ids=lambda change: "-".join(change))
def test_another_sign_is_another_target(change: dict[str, Any]) -> None:
    assert of_target(replace(TARGET, **change)) != of_target(TARGET)
    assert of_act(replace(EDGE, target=replace(TARGET, **change))) != of_act(EDGE)


def test_what_people_call_it_and_what_corrections_add_is_no_sign() -> None:
    look = TargetSpec(target_id="learned-1", label="Open", text="Show")
    same = replace(TARGET, target_id="t7", label="Open the record", also=(look,))
    assert of_target(same) == of_target(TARGET)
    assert of_target(GraphSpec.from_json(GRAPH.to_json()).edges[0].target) == of_target(TARGET)  # type: ignore[arg-type]
    bare = TargetSpec(target_id="t", label="Open")
    assert of_target(bare) != of_target(replace(bare, label="Delete")), "it is looked for by its name"


@pytest.mark.parametrize(
    "change",
    [
        {"picture": "n2"}, {"texts": ("Letters",)}, {"absent": ("Error",)}, {"window_title": "Letters"},
        {"regions": (RegionSpec(box=(0, 0, 1, 1), kind="must"),)},
    ],
)  # fmt: skip
def test_a_screen_is_what_it_is_known_by(change: dict[str, Any]) -> None:
    assert of_screen(replace(NODE, **change)) != of_screen(NODE)
    assert of_screen(replace(NODE, name="Other", looks=("n3",), is_end=True)) == of_screen(NODE)


def learned(kind: CorrectionKind, **fields: Any) -> Taught:
    own: dict[str, Any] = {"key": "learned-1", "kind": kind, "edge_id": "ab", "node_id": "a"}
    own["taught_as"] = taught_as(kind, GRAPH, edge_id="ab", node_id="a")
    return Taught(**{**own, **fields})


LOOK = learned(CorrectionKind.TARGET, of="open", target=replace(TARGET, text="Show", picture="p9"))
RULE = learned(CorrectionKind.PARAMS, of={"text": "fast"}, params={"text": "slow"})
SCREEN = learned(CorrectionKind.NODE, of="a", picture="n9")


@pytest.mark.parametrize("one", [LOOK, RULE, SCREEN], ids=["place", "parameter", "screen"])
def test_it_is_laid_over_what_it_was_learned_of_and_nothing_else(one: Taught) -> None:
    assert set(overlaid(GRAPH, [one]).taught) == {"learned-1"}
    assert overlaid(GRAPH, [replace(one, taught_as="")]).graph == GRAPH, "nobody knows of what it was learned"
    anew = replace(TARGET, picture="p2", text="Archive")
    later = replace(GRAPH, nodes=(replace(NODE, picture="n2"), *GRAPH.nodes[1:]), edges=(replace(EDGE, target=anew),))
    assert overlaid(later, [one]).graph == later
    assert not fits(later, one)
    gone = replace(GRAPH, nodes=GRAPH.nodes[1:], edges=())
    assert not fits(gone, one)
    assert not fits(gone, replace(one, taught_as=""))


def test_another_act_at_the_same_place_is_another_rule() -> None:
    chosen = replace(GRAPH, edges=(replace(EDGE, action_type="choose"),))
    assert overlaid(chosen, [RULE]).graph == chosen
    assert set(overlaid(chosen, [LOOK]).taught) == {"learned-1"}, "its place is where it was"


def test_several_are_laid_over_the_same_thing() -> None:
    """What one of them changes is not what the others were learned of."""
    some = (LOOK, LOOK, RULE, SCREEN, replace(SCREEN, gone=("Patients",)), replace(SCREEN, picture="n7"))
    rows = [replace(one, key=f"learned-{n}", picture=one.picture and f"m{n}") for n, one in enumerate(some)]
    graph = replace(GRAPH, nodes=(replace(NODE, texts=("Patients", "Ward")), *GRAPH.nodes[1:]))
    rows = [replace(one, taught_as=taught_as(one.kind, graph, edge_id="ab", node_id="a")) for one in rows]
    assert len(overlaid(graph, rows).taught) == len(rows)
