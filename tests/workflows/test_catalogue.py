"""What an action cannot be done without, and what it does where nothing more is said (S9.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workflows.catalogue import ACTIONS, ALLOWED_ACTION_TYPES, effect_class_of, effect_of
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, TargetSpec, VariableSpec
from workflows.validation import errors
from workflows.validation.actions import wrong_parameter

GOOD = {
    "text": "Ada",
    "keys": "ctrl+s",
    "dx": 3,
    "dy": 4,
    "node": "b",
    "place": "File",
    "credential": "erp",
    "name": "total",
    "option": "Ward 7",
    "date": "2026-12-31",
    "workflow": "other",
    "version": 1,
}
# What a person must have said before an action can be run; the rest may be left to its default.
NEEDS = {
    "click": {"target"},
    "double_click": {"target"},
    "right_click": {"target"},
    "drag": {"target", "param_dx", "param_dy"},
    "scroll": set(),
    "type_text": {"param_text"},
    "press_keys": {"param_keys"},
    "wait": set(),
    "wait_text": {"param_text"},
    "wait_text_gone": {"param_text"},
    "wait_node": {"param_node"},
    "wait_stable": set(),
    "navigate": {"param_place"},
    "visual_login": {"param_credential"},
    "choose": {"target", "param_option"},
    "set_state": {"target"},
    "pick_date": {"target", "param_date"},
    "must_see": {"param_text"},
    "must_see_row": {"param_text"},
    "read_value": {"param_name", "target"},
    "call_workflow": {"param_workflow", "param_version"},
}


def missing(edge: EdgeSpec) -> set[str]:
    """The fields in which something keeps a graph with this action from being published."""
    nodes = (
        NodeSpec(node_id="a", name="A", texts=("Form",), is_entry=True),
        NodeSpec(node_id="b", name="B", texts=("Saved",), is_end=True),
    )
    graph = GraphSpec(workflow_id="w", name="W", learning_state="COACHING", nodes=nodes, edges=(edge,))
    other = replace(graph, workflow_id="other", edges=(replace(edge, action_type="wait", params={}, target=None),))
    return {problem.field for problem in errors(graph, versions=lambda workflow_id, number: other)}


def test_every_action_is_spoken_of() -> None:
    assert set(NEEDS) == ALLOWED_ACTION_TYPES


@pytest.mark.parametrize("action_type", sorted(ALLOWED_ACTION_TYPES))
def test_an_action_is_published_with_what_it_needs_and_not_without(action_type: str) -> None:
    bare = EdgeSpec(edge_id="e", source="a", destination="b", action_type=action_type)
    assert missing(bare) == NEEDS[action_type]
    said = {p.name: GOOD[p.name] for p in ACTIONS[action_type].params if f"param_{p.name}" in NEEDS[action_type]}
    target = TargetSpec(target_id="t", label="Save", text="Save") if "target" in NEEDS[action_type] else None
    whole = EdgeSpec(edge_id="e", source="a", destination="b", action_type=action_type, params=said, target=target)
    assert missing(whole) == set()


@pytest.mark.parametrize(
    ("params", "role", "effect"),
    [
        ({"clear": True}, None, EffectClass.IDEMPOTENT),
        ({"clear": True}, "field", EffectClass.IDEMPOTENT),
        ({"clear": True}, "button", EffectClass.OPAQUE),
        ({"clear": True}, "", EffectClass.OPAQUE),
        ({"clear": True, "enter": True}, "field", EffectClass.OPAQUE),
        ({}, "field", EffectClass.OPAQUE),
    ],
)
def test_typing_is_repeated_only_where_neither_click_nor_enter_may_do_more(
    params: dict[str, bool], role: str | None, effect: EffectClass
) -> None:
    """S9.3, S6.12: what is clicked before the text counts as well."""
    target = None if role is None else TargetSpec(target_id="t", label="Name", role=role)
    edge = EdgeSpec(edge_id="e", source="a", destination="a", action_type="type_text", params=params, target=target)
    assert effect_of(edge) is effect


@pytest.mark.parametrize("declared", ["", EffectClass.UNDECLARED])
def test_what_a_person_left_open_is_worked_out_and_what_must_be_seen_makes_it_observable(declared: str) -> None:
    """S9.3: only of what nothing is known of; reading stays reading and a log-in looks itself."""
    for action_type, spec in ACTIONS.items():
        unseen = effect_class_of(action_type, {}, declared, expects=False)
        seen = effect_class_of(action_type, {}, declared, expects=True)
        assert unseen is spec.effect_class
        assert seen is (EffectClass.OBSERVABLE if unseen is EffectClass.OPAQUE else unseen)
    assert effect_class_of("visual_login", {}, declared, expects=False) is EffectClass.OBSERVABLE


@pytest.mark.parametrize("expects", [False, True])
def test_only_typing_into_an_emptied_field_may_be_repeated(expects: bool) -> None:
    """S9.3: a click is not, whatever a program calls its parameters."""
    assert effect_class_of("type_text", {"clear": True}, "", expects=expects) is EffectClass.IDEMPOTENT
    for action_type, params in [("type_text", {"clear": False}), ("type_text", {}), ("click", {"clear": True})]:
        assert effect_class_of(action_type, params, "", expects=expects) is not EffectClass.IDEMPOTENT


@pytest.mark.parametrize("declared", [e for e in EffectClass if e is not EffectClass.UNDECLARED])
def test_what_a_person_chose_stands_for_every_action(declared: EffectClass) -> None:
    """S9.3"""
    for action_type in [*ACTIONS, "a program's own"]:
        for expects in (False, True):
            assert effect_class_of(action_type, {"clear": True}, declared, expects=expects) is declared


@pytest.mark.parametrize("name", ["total", "patient", "two words", ""])
def test_what_is_read_has_a_name_of_its_own_that_later_steps_may_use(name: str) -> None:
    """S6.12: no variable's, and one that can stand in {{braces}}."""
    read = EdgeSpec(
        edge_id="r", source="a", destination="a", action_type="read_value", params={"name": name, "label": "Total"}
    )
    typed = EdgeSpec(
        edge_id="t", source="a", destination="b", action_type="type_text", params={"text": "{{total}} {{patient}}"}
    )
    nodes = (
        NodeSpec(node_id="a", name="A", texts=("Form",), is_entry=True),
        NodeSpec(node_id="b", name="B", texts=("Saved",), is_end=True),
    )
    graph = GraphSpec(
        workflow_id="w",
        name="W",
        learning_state="COACHING",
        nodes=nodes,
        edges=(read, typed),
        variables=(VariableSpec(name="patient"),),
    )
    fields = {problem.field for problem in errors(graph)}
    assert fields == (set() if name == "total" else {"param_name", "params"})


@pytest.mark.parametrize(
    ("role", "expects", "effect"),
    [
        ("field", False, EffectClass.IDEMPOTENT),
        ("button", False, EffectClass.OPAQUE),
        ("button", True, EffectClass.OBSERVABLE),
        ("menu_item", False, EffectClass.OPAQUE),
    ],
)
def test_an_entry_chosen_in_a_menu_may_do_something_an_option_of_a_control_does_not(role, expects, effect) -> None:
    """S9.3: "Duplicate" in "Actions" is not chosen once more after a crash."""
    assert effect_class_of("choose", {"option": "Duplicate"}, "", expects=expects, role=role) is effect


def test_what_a_control_is_set_to_is_on_or_off_and_nothing_else() -> None:
    """S6.12: “yes” would be taken for “off”."""
    assert wrong_parameter("set_state", {"state": "yes"})
    assert not wrong_parameter("set_state", {"state": "off"})
    assert not wrong_parameter("pick_date", {"date": "2026-12-31", "format": ""})
