"""What the shown line of a list says is another line's with the next one (S6.13)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from execution.lesson.lines import _differs_with_the_line
from tests.doubles.stage import LINE, edge
from tests.factories import make_workflow

pytestmark = [pytest.mark.django_db]

TITLE = "/home/Letters/Adams.txt - Mousepad"


def told(said: str) -> Any:
    """A draft once that was the text of the line."""
    nodes = [{**LINE[0], "texts": ["Letters"]}, {**LINE[1], "texts": ["Search", "adams.TXT"], "window_title": TITLE}]
    acts = [
        {**edge("ab", "a", "b"), "expect": {"texts": ["Search", "Adams.txt is open"], "window_title": TITLE}},
        edge("ba", "b", "a", order=1),
    ]
    workflow = make_workflow(nodes=nodes, edges=acts)
    draft = SimpleNamespace(workflow=workflow, nodes=lambda: list(workflow.nodes.all()))
    _differs_with_the_line(SimpleNamespace(draft=draft), said)  # type: ignore[arg-type]
    return workflow


def test_no_screen_is_known_by_what_the_line_says_and_nothing_after_a_step_must_say_it() -> None:
    workflow = told("Adams.txt")
    node = workflow.nodes.get(node_id="b")
    assert (node.texts, node.window_title) == (["Search"], "/home/Letters/* - Mousepad")
    assert node.aside == [{"text": "adams.TXT", "kind": "data"}]
    assert workflow.edges.get(edge_id="ab").expect == {
        "texts": ["Search"],
        "window_title": "/home/Letters/* - Mousepad",
    }


@pytest.mark.parametrize("said", ["Letter", "Sear", "xt", "", "Brown.txt"])
def test_what_only_begins_so_or_is_too_short_to_tell_stays(said: str) -> None:
    workflow = told(said)
    node = workflow.nodes.get(node_id="b")
    assert (node.texts, node.window_title, node.aside) == (["Search", "adams.TXT"], TITLE, [])
    assert workflow.nodes.get(node_id="a").texts == ["Letters"]
