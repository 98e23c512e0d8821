"""What the shown line of a list says is another line's with the next one (S6.13)."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from execution.lesson.as_it_was import dropped, give_back, said_by
from execution.lesson.drafting import Draft
from execution.lesson.lines import _differs_with_the_line, _is_known_without, _said_by_the_line, _Shown
from execution.lesson.screens import Look
from execution.types import Box, ScreenState
from tests.doubles.stage import LINE, edge
from tests.execution.perception.drawing import Canvas
from tests.factories import make_workflow
from workflows.graph import TargetSpec
from workflows.pictures import PictureStore
from workflows.specs import target_spec

pytestmark = [pytest.mark.django_db]

TITLE = "/home/Letters/Adams.txt - Mousepad"


def near(text: str) -> dict[str, Any]:
    return {"text": text, "dx": 0, "dy": 30}


def told(*said: str) -> Any:
    """A draft once that was the text of the line."""
    return repeated(*said)[0]


def drafted() -> Any:
    nodes = [{**LINE[0], "texts": ["Letters"]}, {**LINE[1], "texts": ["Search", "adams.TXT"], "window_title": TITLE}]
    note = edge("note", "b", "b")
    note["target"]["evidence"] = {"neighbours": [near("Adams.txt"), near("Note")], "around": [near("adams.txt  1 KB")]}
    note["target"]["evidence"]["row"] = ["Adams.txt", "Reviewed"]
    acts = [
        note,
        {**edge("ab", "a", "b"), "expect": {"texts": ["Search", "Adams.txt is open"], "window_title": TITLE}},
        edge("ba", "b", "a", order=1),
    ]
    return make_workflow(nodes=nodes, edges=acts)


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


def test_a_screen_whose_title_alone_says_it_is_told_without_it_and_nothing_is_written_twice() -> None:
    workflow = told("Adams.txt")
    workflow.nodes.filter(node_id="a").update(window_title="Adams.txt - Reader")
    here: Any = SimpleNamespace(draft=Draft(workflow, PictureStore()))
    _differs_with_the_line(here, ["Adams.txt"])
    assert workflow.nodes.get(node_id="a").window_title == "* - Reader"
    with CaptureQueriesContext(connection) as again:
        _differs_with_the_line(here, ["Adams.txt"])
    assert not [query for query in again if not query["sql"].startswith("SELECT")]


def test_no_target_of_the_repetition_is_known_by_what_stood_in_the_line() -> None:
    workflow = told("Letter 12", "Adams.txt")
    spec = target_spec(workflow.targets.get(target_id="t_note"))
    assert [n.text for n in spec.neighbours] == ["Note"]
    assert spec.around == ()
    assert spec.row == ("Reviewed",)


def repeated(*said: str) -> tuple[Any, dict[str, Any]]:
    """The same, with what was told by it before, and what was dropped."""
    workflow = drafted()
    before = said_by(workflow)
    _differs_with_the_line(SimpleNamespace(draft=Draft(workflow, PictureStore())), said)  # type: ignore[arg-type]
    return workflow, {"before": before, "dropped": dropped(before, said_by(workflow))}


def test_what_a_repetition_dropped_is_given_back_when_it_ends() -> None:
    workflow, kept = repeated("Adams.txt")
    assert said_by(workflow) != kept["before"]
    give_back(workflow, json.loads(json.dumps(kept["dropped"])))
    assert said_by(workflow) == kept["before"]


def test_what_somebody_changed_since_the_repetition_began_stays_as_they_said() -> None:
    workflow, kept = repeated("Adams.txt")
    workflow.nodes.filter(node_id="b").update(texts=["Find"])
    workflow.edges.get(edge_id="ba").delete()
    give_back(workflow, kept["dropped"])
    node = workflow.nodes.get(node_id="b")
    assert (node.texts, node.window_title) == (["Find"], TITLE)


def test_a_line_says_what_no_other_line_does_and_no_program_says() -> None:
    canvas = Canvas(900, 300)
    for row, texts in enumerate((("A-1001", "Miller", "New", "Open"), ("A-1002", "Costa", "Closed", "Open"))):
        for column, text in enumerate(texts):
            canvas.text(text, 40 + 200 * column, 40 + 40 * row)
    state = canvas.state()
    box = next(line.box for line in state.texts if line.text == "Open")
    assert _said_by_the_line(box, state) == {"A-1001", "Miller"}


@pytest.mark.parametrize(
    ("names", "is_on"),
    [
        (("Miller", "Costa", "Dubois"), True),
        (("Miller", "Costa", "Winter"), True),
        (("Miller", "Winter", "Ferri"), False),
        (("Dubois", "Miller", "Costa"), False),
    ],
    ids=["the same", "another last one", "others", "each in the place of another"],
)
def test_a_picture_shows_the_same_list_where_its_lines_stand_at_their_places(
    names: tuple[str, ...], is_on: bool
) -> None:
    def drawn(*names: str) -> ScreenState:
        canvas = Canvas(900, 300)
        for row, name in enumerate(names):
            canvas.text(name, 40, 100 + 40 * row)
        return canvas.state()

    listed = drawn("Miller", "Costa", "Dubois")
    shown = _Shown(TargetSpec(target_id="t", label=""), frozenset(), Box(40, 90, 500, 130), listed)
    assert shown.is_on(Look.of_state(drawn(*names), "p")) is is_on


def test_every_screen_with_the_list_is_known_by_what_stands_around_it_until_the_repetition_ends() -> None:
    """Another day its lines are others, or fewer; a screen that does not show it stays as it was."""
    workflow = drafted()
    workflow.nodes.filter(node_id="a").update(texts=["Letters", "Costa"])
    workflow.nodes.filter(node_id="b").update(absent=["Costa", "Letters"])
    canvas = Canvas(900, 300)
    canvas.text("Letters", 40, 20)
    rows = [canvas.text(name, 40, 100 + 40 * row) for row, name in enumerate(("Miller", "Costa", "Dubois"))]
    listed, other = canvas.state(), Canvas(900, 300)
    other.text("Search", 40, 20)
    area = Box(40, rows[0].y, 500, rows[-1].bottom - rows[0].y)
    shown = _Shown(target_spec(workflow.targets.get(target_id="t_note")), frozenset(), area, listed)
    looks = {"a": [Look.of_state(listed, "p")], "b": [Look.of_state(other.state(), "q")]}
    before = said_by(workflow)
    here = SimpleNamespace(draft=Draft(workflow, PictureStore()), looks=lambda: looks)
    _is_known_without(shown, here)  # type: ignore[arg-type]
    node = workflow.nodes.get(node_id="a")
    assert node.regions == [{"box": list(area.normalised(listed.frame.size)), "kind": "list"}]
    assert (node.texts, node.aside) == (["Letters"], [{"text": "Costa", "kind": "data"}])
    other_one = workflow.nodes.get(node_id="b")
    assert (other_one.regions, other_one.absent) == ([], ["Letters"])
    _is_known_without(shown, here)  # type: ignore[arg-type]
    assert len(workflow.nodes.get(node_id="a").regions) == 1, "said again, it is the same list"
    give_back(workflow, dropped(before, said_by(workflow)))
    assert said_by(workflow) == before
