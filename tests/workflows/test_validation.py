"""What is wrong with a graph is found, and said in words: what, where, what to do."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.factories import EDGES, NODES, VARIABLES
from workflows.graph import (
    ExpectSpec,
    GraphSpec,
    IdentitySpec,
    NeighbourSpec,
    NodeSpec,
    PopupSpec,
    TargetSpec,
    VariableSpec,
)
from workflows.pictures import PictureStore
from workflows.validation import errors, problems

SAVE = TargetSpec(target_id="save_button", label="Save", text="Save")


def graph(**changes: Any) -> GraphSpec:
    """The valid graph of the factories, as values."""
    data = {"workflow_id": "wf", "name": "Patient note", "learning_state": "COACHING"}
    whole = GraphSpec.from_json({**data, "nodes": NODES, "edges": EDGES, "variables": VARIABLES})
    return replace(whole, **changes)


def with_node(node_id: str, **changes: Any) -> GraphSpec:
    whole = graph()
    return replace(whole, nodes=tuple(replace(n, **changes) if n.node_id == node_id else n for n in whole.nodes))


def with_edge(edge_id: str, **changes: Any) -> GraphSpec:
    whole = graph()
    return replace(whole, edges=tuple(replace(e, **changes) if e.edge_id == edge_id else e for e in whole.edges))


def found(whole: GraphSpec) -> set[tuple[str, str, str]]:
    return {(p.severity, p.code, p.where) for p in problems(whole)}


def test_a_good_graph_has_no_problem() -> None:
    assert problems(graph()) == ()


FAULTS: list[tuple[GraphSpec, tuple[str, str, str]]] = [
    (graph(nodes=(), edges=(), variables=()), ("error", "no_node", "")),
    (with_node("empty_note", is_entry=False), ("error", "no_entry", "")),
    (with_node("saved", is_end=False), ("error", "no_end", "")),
    (graph(edges=graph().edges[:2]), ("error", "end_not_reachable", "empty_note")),
    (graph(edges=graph().edges[:2]), ("error", "unreachable", "saved")),
    (with_edge("click_save", source="nowhere"), ("error", "unknown_node", "click_save")),
    (with_edge("click_save", destination="x"), ("error", "unknown_node", "click_save")),
    (with_edge("click_save", action_type="smash"), ("error", "unknown_action", "click_save")),
    (with_edge("type_patient", params={}), ("error", "missing_parameter", "type_patient")),
    (with_edge("open_save", params={"keys": ""}), ("error", "missing_parameter", "open_save")),
    (with_edge("type_patient", params={"text": "a", "speed": 3}), ("error", "unknown_parameter", "type_patient")),
    (with_edge("type_patient", params={"text": 3}), ("error", "bad_parameter", "type_patient")),
    (with_edge("type_patient", params={"text": "a", "clear": "yes"}), ("error", "bad_parameter", "type_patient")),
    (with_edge("open_save", params={"keys": "ctrl+"}), ("error", "bad_parameter", "open_save")),
    (
        with_edge("click_save", action_type="drag", params={"dx": "12", "dy": 3}),
        ("error", "bad_parameter", "click_save"),
    ),
    (
        with_edge("click_save", action_type="drag", params={"dx": True, "dy": 3}),
        ("error", "bad_parameter", "click_save"),
    ),
    (with_edge("click_save", target=None), ("error", "no_target", "click_save")),
    (
        with_edge("click_save", target=replace(SAVE, text=" ", box=(0.1, 0.1, 0.1, 0.1))),
        ("error", "no_evidence", "save_button"),
    ),
    (with_node("saved", texts=("{{dose}}",)), ("error", "undeclared_variable", "saved")),
    (with_node("saved", window_title="{{ dose }} - Notes"), ("error", "undeclared_variable", "saved")),
    (with_edge("type_patient", params={"text": "{{dose}}"}), ("error", "undeclared_variable", "type_patient")),
    (with_edge("open_save", expect=ExpectSpec(gone=("{{dose}}",))), ("error", "undeclared_variable", "open_save")),
    (with_edge("open_save", before=ExpectSpec(texts=("{{dose}}",))), ("error", "undeclared_variable", "open_save")),
    (with_edge("click_save", target=replace(SAVE, text="{{dose}}")), ("error", "undeclared_variable", "save_button")),
    (with_edge("click_save", target=replace(SAVE, number="{{dose}}")), ("error", "undeclared_variable", "save_button")),
    (
        with_edge("click_save", target=replace(SAVE, neighbours=(NeighbourSpec(text="{{dose}}", dx=-90, dy=0),))),
        ("error", "undeclared_variable", "save_button"),
    ),
    (with_edge("click_save", target=replace(SAVE, number="third")), ("error", "bad_number", "save_button")),
    (with_edge("click_save", target=replace(SAVE, number="row {{patient}}")), ("error", "bad_number", "save_button")),
    (with_node("saved", texts=(), window_title="  ", absent=("Error",)), ("error", "nothing_to_recognise", "saved")),
    (with_node("saved", texts=("cancel", "Save  as"), window_title="Save As"), ("error", "same_evidence", "saved")),
    (
        graph(nodes=(*graph().nodes, replace(graph().nodes[0], name="Copy", texts=("other",)))),
        ("error", "duplicate_id", "empty_note"),
    ),
    (with_node("saved", picture="ab" * 32), ("error", "picture_missing", "saved")),
    (with_node("saved", picture="../../etc"), ("error", "picture_missing", "saved")),
    (with_edge("click_save", target=replace(SAVE, context="cd" * 32)), ("error", "picture_missing", "save_button")),
    (
        graph(
            nodes=(*graph().nodes, NodeSpec(node_id="refused", name="Refused", texts=("denied",))),
            edges=(*graph().edges, replace(graph().edges[2], edge_id="other", destination="refused")),
        ),
        ("warning", "terminal_not_end", "refused"),
    ),
    (
        graph(variables=(*graph().variables, VariableSpec(name="dose", required=False))),
        ("warning", "unused_variable", "dose"),
    ),
    (graph(variables=(*graph().variables, VariableSpec(name="dose"))), ("error", "unused_variable", "dose")),
    (
        graph(variables=(*graph().variables, VariableSpec(name="code", kind="secret", default="Zx81-Quokka"))),
        ("error", "secret_default", "code"),
    ),
    (
        graph(variables=(*graph().variables, VariableSpec(name="mot_de_passe", default="Zx81-Quokka"))),
        ("error", "secret_default", "mot_de_passe"),
    ),
    (with_edge("open_save", params={"keys": "Ctrl+V"}), ("warning", "pastes_unknown", "open_save")),
    (with_edge("click_save", expect=ExpectSpec()), ("warning", "nothing_expected", "click_save")),
    (with_node("saved", texts=("–",), window_title="*", is_end=True), ("warning", "matches_anything", "saved")),
]


def test_of_typing_nothing_need_be_declared_for_what_is_typed_is_looked_for() -> None:
    typing = with_edge("click_save", action_type="type_text", params={"text": "a note"}, expect=ExpectSpec())
    assert "nothing_expected" not in {problem.code for problem in problems(typing)}


@pytest.mark.parametrize(("whole", "problem"), FAULTS, ids=[problem[1] for _whole, problem in FAULTS])
def test_a_planted_fault_is_found_where_it_is_and_said_in_a_sentence(
    whole: GraphSpec, problem: tuple[str, str, str]
) -> None:
    assert problem in found(whole)
    for told in problems(whole):
        assert told.message[0] in "“{" or told.message[0].isupper()
        assert told.message.endswith(".")
        assert "%(" not in told.message


def test_a_picture_that_is_cut_off_anywhere_is_told_and_raises_nothing(tmp_path) -> None:
    whole = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 4, 4) + b"\x08\x02"
    store = PictureStore(tmp_path)
    path = store.path("ab" * 32)
    path.parent.mkdir(parents=True)
    for length in range(26):
        path.write_bytes(whole[:length])
        told = [p.code for p in problems(with_node("saved", picture="ab" * 32), store=store)]
        assert told == (["picture_missing"] if length < 24 else []), "24 bytes hold its size"


@pytest.mark.parametrize("flags", [{"masks": [[0, 0, 0.5, 0.1]]}, {"mask_patterns": ["email"]}])
def test_that_taught_pictures_are_not_masked_is_said(flags: dict[str, Any], tmp_path: Any) -> None:
    """S10.4: whoever publishes can take them on a record that was made up."""
    store = PictureStore(tmp_path)
    digest = store.put(np.full((60, 80, 3), 200, np.uint8))
    nodes = (replace(graph().nodes[0], picture=digest), *graph().nodes[1:])
    codes = {p.code: p.severity for p in problems(graph(nodes=nodes, flags=flags), store=store)}
    assert codes["taught_pictures_are_whole"] == "warning"
    assert not problems(graph(nodes=nodes), store=store)
    assert not problems(graph(flags=flags), store=store)


def test_errors_come_before_warnings_and_alone_keep_from_publishing() -> None:
    whole = replace(
        with_edge("click_save", expect=ExpectSpec(), target=None),
        variables=(*graph().variables, VariableSpec(name="x", required=False)),
    )

    assert [p.severity for p in problems(whole)] == ["error", "warning", "warning"]
    assert [p.code for p in errors(whole)] == ["no_target"]


@pytest.mark.parametrize(
    ("edge_id", "changes"),
    [
        ("click_save", {"effect_class": "read", "expect": ExpectSpec()}),
        ("type_patient", {"params": {"text": "{{patient}}", "clear": True}, "expect": ExpectSpec()}),
        ("open_save", {"action_type": "wait", "params": {}, "expect": ExpectSpec()}),
        ("open_save", {"params": {"keys": ["ctrl", "+"]}}),
        ("open_save", {"action_type": "scroll", "params": {"dy": 5}}),
    ],
)
def test_what_is_safe_to_repeat_needs_no_expectation(edge_id: str, changes: dict[str, Any]) -> None:
    """S9.3: the default of a click that declares nothing is opaque; of these it is not."""
    assert problems(with_edge(edge_id, **changes)) == ()


def test_two_screens_told_apart_by_what_must_be_absent_are_two() -> None:
    node = graph().node("save_dialog")

    assert problems(with_node("saved", texts=node.texts, window_title=node.window_title, absent=("Error",))) == ()


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 10_000, 10_000), "picture_too_large"),
        (b"GIF89a" + bytes(30), "picture_missing"),
    ],
    ids=["10 000 x 10 000", "no PNG"],
)
def test_a_picture_too_large_or_damaged_is_named(tmp_path, head: bytes, code: str) -> None:
    store = PictureStore(tmp_path)
    path = store.path("ab" * 32)
    path.parent.mkdir(parents=True)
    path.write_bytes(head)

    (problem,) = problems(with_node("saved", picture="ab" * 32), store=store)

    assert (problem.code, problem.where, problem.field) == (code, "saved", "picture")
    assert "Note saved" in problem.message


def test_what_waits_says_for_what_and_how_long() -> None:
    """A screen that is not there and a time that makes no sense are told with what there is."""
    params = {"node": "nowhere", "timeout_s": 0}
    whole = with_edge("click_save", action_type="wait_node", params=params, target=None)
    assert {
        ("error", "unknown_wait_node", "click_save"),
        ("error", "bad_timeout", "click_save"),
    } <= found(whole)
    told = next(p for p in problems(whole) if p.code == "unknown_wait_node")
    assert "empty_note" in told.message
    good = with_edge("click_save", action_type="wait_node", params={"node": "saved", "timeout_s": 3600}, target=None)
    assert not {code for _severity, code, _where in found(good)} & {"unknown_wait_node", "bad_timeout"}


@pytest.mark.parametrize(
    "evidence",
    [{"texts": ("OK",)}, {"window_title": "note.txt - Notes"}, {"picture": "kept"}],
    ids=lambda e: next(iter(e)),
)
def test_one_good_sign_of_a_screen_is_enough(tmp_path, evidence: dict[str, Any]) -> None:
    """S2.6: a text of two letters, a window title, or a picture."""
    digest = PictureStore(tmp_path).put(np.zeros((4, 4, 3), np.uint8))
    signs = {"texts": (), "window_title": "", **{k: digest if k == "picture" else v for k, v in evidence.items()}}
    assert problems(with_node("saved", **signs), store=PictureStore(tmp_path)) == ()


@pytest.mark.parametrize(
    ("texts", "title", "warned"), [(("A",), "*", True), (("OK",), "*", False), (("–",), "x", False)]
)
def test_a_letter_and_any_title_would_be_nearly_any_screen(texts: tuple[str, ...], title: str, warned: bool) -> None:
    whole = with_node("saved", texts=texts, window_title=title)
    assert [p.code for p in problems(whole)] == (["matches_anything"] if warned else [])


def test_a_screen_without_any_sign_hides_no_fault_of_those_after_it() -> None:
    first = with_node("empty_note", texts=(), window_title="")
    nodes = tuple(replace(n, texts=(), window_title="") if n.node_id == "saved" else n for n in first.nodes)
    told = [p.where for p in problems(replace(first, nodes=nodes)) if p.code == "nothing_to_recognise"]
    assert told == ["empty_note", "saved"]


def test_a_target_that_its_label_alone_tells_can_be_published() -> None:
    """S6.1: what is left of several demonstrations may be the label."""
    named = replace(SAVE, text="", named_by=NeighbourSpec(text="Nom", dx=-90, dy=0, others=("Name",)))
    assert found(with_edge("click_save", target=named)) == set()


@pytest.mark.parametrize(("default", "good"), [("", True), ("3", True), (" 12 ", True), ("0", False), ("two", False)])
def test_the_default_of_a_variable_that_counts_is_a_whole_number_from_one(default: str, good: bool) -> None:
    """S6.11"""
    whole = with_edge("click_save", target=replace(SAVE, number="{{ which }}"))
    whole = replace(whole, variables=(*whole.variables, VariableSpec(name="which", default=default)))
    assert found(whole) == (set() if good else {("error", "bad_number_default", "which")})


@pytest.mark.parametrize(("seconds", "good"), [(0, False), (1, True), (3600, True), (3601, False)])
def test_a_wait_takes_a_second_to_an_hour(seconds: int, good: bool) -> None:
    """S1.20"""
    whole = with_edge("click_save", action_type="wait", params={"timeout_s": seconds}, target=None)
    assert ("bad_timeout" in {p.code for p in problems(whole)}) is not good


@pytest.mark.parametrize(
    ("identity", "problem"),
    [
        (IdentitySpec(label="Patient", value="{{patient}}"), None),
        (IdentitySpec(label="Patient", value="Marie"), ("warning", "identity_without_variable", "click_save")),
        (IdentitySpec(label="Patient", value=" "), ("error", "empty_identity", "click_save")),
        (IdentitySpec(label="Patient", value="{{who}}"), ("error", "undeclared_variable", "click_save")),
    ],
)
def test_whose_record_it_must_be_is_a_variable_of_the_run(identity: IdentitySpec, problem: Any) -> None:
    """S9.6"""
    assert found(with_edge("click_save", identity=(identity,))) == ({problem} if problem else set())


UPDATE = PopupSpec(name="Update", texts=("Restart",), keys="escape")


@pytest.mark.parametrize(
    ("popups", "code"),
    [
        ((UPDATE,), None),
        ((replace(UPDATE, texts=()),), "popup_unknown"),
        ((replace(UPDATE, texts=(), window_title="*"),), "popup_matches_anything"),
        ((replace(UPDATE, texts=("Yes", "&No"), keys="", click="Yes"),), "popup_like_any"),
        ((replace(UPDATE, texts=("Prolonger",), keys="", click="Prolonger"),), "popup_like_any"),
        ((replace(UPDATE, texts=("Êtes-vous sûr ?", "Annuler"), window_title="*"),), "popup_like_any"),
        ((replace(UPDATE, texts=("Yes",), window_title="Update*", keys="", click="Yes"),), None),
        ((replace(UPDATE, keys=""),), "popup_not_closed"),
        ((replace(UPDATE, click="Later"),), "popup_not_closed"),
        ((replace(UPDATE, keys="alt+"),), "popup_bad_keys"),
        ((replace(UPDATE, name=" "),), "popup_without_name"),
        ((UPDATE, UPDATE), "popup_twice"),
        ((replace(UPDATE, texts=("{{who}}",)),), "undeclared_variable"),
    ],
)
def test_a_dialog_is_known_by_something_and_closed_in_one_way(popups: tuple[PopupSpec, ...], code: str | None) -> None:
    told = problems(graph(popups=popups))
    assert [p.code for p in told] == ([code] if code else [])
    assert all(p.kind == "workflow" for p in told)


def test_what_is_copied_in_the_workflow_may_be_pasted_there() -> None:
    copies = replace(graph().edges[0], edge_id="copy", action_type="press_keys", target=None, params={"keys": "ctrl+c"})
    whole = with_edge("open_save", params={"keys": "ctrl+v"})
    assert "pastes_unknown" in [p.code for p in problems(whole)]
    assert "pastes_unknown" not in [p.code for p in problems(replace(whole, edges=(*whole.edges, copies)))]
