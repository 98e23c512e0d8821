"""Candidates first: of thousands of nodes only a few are compared, and the right one is among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from execution.matching import Matcher, gallery
from execution.matching.index import LookIndex, TextIndex, found_by
from execution.types import Embedding
from tests.execution.matching.screens import LABELS, graph, line, misread, record, references, ward
from workflows.graph import GraphSpec, NodeSpec


def test_a_screen_is_found_by_its_rare_texts():
    common = [f"menu {i}" for i in range(20)]
    index = TextIndex({f"n{i}": [*common, f"heading {i}"] for i in range(500)})
    assert index.best([*common, "heading 333"])[0] == "n333"
    assert index.best(["nothing of it"]) == []
    assert TextIndex({}).best(["a"]) == []


def test_a_small_screen_all_of_whose_texts_are_seen_is_found_beside_large_ones():
    large = {f"large{i}": [f"t{j}" for j in range(60)] for i in range(100)}
    index = TextIndex({**large, "small": ["t1", "login"]})
    assert "small" in index.best([*(f"t{j}" for j in range(60)), "login"])


def test_a_line_that_was_misread_is_found_by_its_other_words():
    keys = found_by(["Register of deliveries"])
    assert set(keys) & set(found_by(["Register of de1iverees"]))


@pytest.mark.parametrize("count", [64, 3000])
def test_the_screens_that_look_most_alike_are_found(count):
    """Of few all are compared, of very many those that are near in a few random directions."""
    rows = np.random.default_rng(4).normal(0, 1, (count, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = LookIndex({f"n{i}": row for i, row in enumerate(rows)})
    for asked in (7, 33, 60):
        seen = rows[asked] + 0.3 * rows[asked - 1]
        looks = index.looks(seen / np.linalg.norm(seen))
        assert looks.best[0] == f"n{asked}"
        assert f"n{asked - 1}" in looks.best
        assert looks.cosine(f"n{asked}") > 0.9
        assert looks.cosine("unheard of") is None


def test_vectors_of_another_size_compare_with_nothing():
    assert LookIndex({"a": np.ones(4, np.float32)}).looks(np.ones(3, np.float32)) is None
    assert LookIndex({}).looks(np.ones(3, np.float32)) is None


def many(count: int = 900) -> dict:
    """The ward's screens among very many others, which share its navigation."""
    base = references()["patients"]
    vector = base.embedding.vector
    noise = np.random.default_rng(3).normal(0, 1 / len(vector) ** 0.5, (count, len(vector))).astype(np.float32)
    made = {}
    for number in range(count):
        others = tuple(line(f"Column {number} {letter}", 40 + 200 * i, 150) for i, letter in enumerate("abcd"))
        kept = tuple(t for t in base.reading.texts if t.box.y < 80)
        moved = vector + noise[number]
        made[f"made{number}"] = replace(
            base,
            reading=replace(base.reading, texts=(*kept, *others), elements=()),
            embedding=Embedding(model=base.embedding.model, vector=moved / np.linalg.norm(moved)),
        )
    return references() | made


MANY = many()


def test_among_thousands_few_are_compared_and_the_right_one_is_found(monkeypatch):
    """S2.10; the issue: candidates first, then the full comparison."""
    matcher, compared = Matcher(graph(list(MANY)), pictures=None, embedder=None, references=MANY), []
    compare = gallery.compare
    monkeypatch.setattr(gallery, "compare", lambda *sheets: compared.append(1) or compare(*sheets))
    found = matcher.recognise(record("Prescriptions", person="ROUX Claire", number=9, at=(90, 60)).seen, variables={})
    assert found.match.node_id == "prescriptions"
    assert len(compared) <= 40


def test_successors_and_the_expected_node_are_always_compared():
    """S1.5: successors of the last node first."""
    names = list(MANY)
    spec = graph(names, edges=(("made5", "made170"), ("made5", "made180")))
    matcher = Matcher(spec, pictures=None, embedder=None, references=MANY)
    asked = []
    compared = matcher.gallery.compared
    matcher.gallery.compared = lambda state, among, declared: asked.extend(among) or compared(state, among=among)
    found = matcher.recognise(record("Summary").seen, variables={}, last_node="made5", expected="made222")
    assert {"made170", "made180", "made222", "made5"} <= set(asked)
    assert found.match.node_id == "summary"


def test_nodes_with_declared_texts_alone_are_found_among_thousands():
    nodes = [NodeSpec(node_id=f"n{i}", name=f"n{i}", texts=(f"Label {i}", "Save", "Cancel")) for i in range(2000)]
    nodes.append(NodeSpec(node_id="summary", name="summary", texts=(*LABELS["Summary"][:3], "Save")))
    nodes.append(NodeSpec(node_id="person", name="person", texts=("{{who}}",)))
    spec = GraphSpec(workflow_id="w", name="w", learning_state="COACHING", nodes=tuple(nodes))
    matcher = Matcher(spec, pictures=None, embedder=None)
    state = misread(ward()["summary"].seen, {"Insurance": "1nsurance"})
    assert matcher.recognise(state, variables={"who": "Nobody"}).match.node_id == "summary"
    without_summary = replace(spec, nodes=tuple(n for n in nodes if n.node_id != "summary"))
    matcher = Matcher(without_summary, pictures=None, embedder=None)
    assert matcher.recognise(state, variables={"who": "DUPONT Marie"}).match.node_id == "person"
