"""S6.12 on a scripted desktop: which of two equal screens a run is on, when a workflow is done inside another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from execution.actions.start import start
from execution.choices import ExecutionState, PauseReason
from execution.models import Execution
from execution.record.payloads import step_payload
from execution.types import Box, Point
from sentences.said import from_json, in_words
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, Field, ScriptedScreen, TextLabel
from tests.execution.running.test_runner import Talk, row
from tests.factories import make_published
from tests.support.scripted import queue
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

GO, NAME = Box(400, 400, 160, 48), Box(400, 200, 300, 36)
QUICK = {"settle_ms": 20, "settle_timeout_ms": 500, "retry_backoff_ms": 0}


def page(name: str, *texts: str, then: str, field: str = "") -> ScriptedScreen:
    labels = [TextLabel(text=text, at=Point(60, 90 + 40 * n)) for n, text in enumerate(texts)]
    fields = [Field(name=field, box=NAME)] if field else []
    return ScriptedScreen(
        name=name,
        title="Records",
        widgets=[*labels, *fields, Button(name="go", text="Go on", box=GO)],
        on={"go": then},
    )


def world(**more: Any) -> ScriptedDesktop:
    """A list and a record that look the same the second time, but for what the list says of it."""
    return ScriptedDesktop(
        [
            page("list", "Page list", then="record"),
            page("record", "Page record", then="kept"),
            page("kept", "Page record", "Kept", then="seen"),
            page("seen", "Page list", "Seen once", then="record2"),
            page("record2", "Page record", then="kept2"),
            page("kept2", "Page record", "Kept", then="twice"),
            page("twice", "Page list", "Seen twice", then=""),
        ],
        **more,
    )


def node(node_id: str, *texts: str, **fields: Any) -> dict[str, Any]:
    return {"node_id": node_id, "name": node_id.title(), "texts": list(texts), "window_title": "Records", **fields}


def click(edge_id: str, source: str, destination: str, **fields: Any) -> dict[str, Any]:
    target = {"target_id": f"go_{source}", "label": "Go on", "text": "Go on", "role": "button"}
    return {"edge_id": edge_id, "source": source, "destination": destination, "action_type": "click",
            "target": target, "effect_class": "observable", **QUICK, **fields}  # fmt: skip


def call(edge_id: str, source: str, destination: str, **values: str) -> dict[str, Any]:
    params = {"workflow": "visit", "version": 1, "values": values}
    return {"edge_id": edge_id, "source": source, "destination": destination, "action_type": "call_workflow",
            "params": params, **QUICK}  # fmt: skip


@pytest.fixture(autouse=True)
def visit() -> Any:
    return make_published(
        workflow_id="visit",
        name="Visit",
        nodes=[
            node("list", "Page list", is_entry=True),
            node("record", "Page record", absent=["Kept"]),
            node("kept", "Page record", "Kept", is_end=True),
        ],
        edges=[click("open", "list", "record"), click("keep", "record", "kept")],
        variables=[{"name": "ward", "choices": ["A", "B"], "default": "A"}],
        popups=[{"name": "Tip", "texts": ["Tip of the day"], "click": "Close"}],
    )


CALLER = {
    "nodes": [
        node("list", "Page list", absent=["Seen once", "Seen twice"], is_entry=True),
        node("record", "Page record", "Kept"),
        node("seen", "Page list", "Seen once"),
        node("twice", "Page list", "Seen twice", is_end=True),
    ],
    "edges": [
        call("first", "list", "record"),
        click("back", "record", "seen"),
        click("out", "record", "twice", order=2),
        call("second", "seen", "record", ward="B"),
    ],
    "variables": [],
}


def run(desktop: ScriptedDesktop, **fields: Any) -> tuple[Execution, Talk]:
    execution = queue(make_published(**{**CALLER, **fields}))
    talk = Talk(desktop, once=True)
    talk.run()
    return row(execution), talk


def steps(execution: Execution) -> list[tuple[str, str]]:
    return list(execution.steps.exclude(edge_id="").values_list("node_id", "edge_id"))


INSIDE = [("list", "open"), ("record", "keep"), ("kept", "end/1")]


def test_equal_screens_are_the_one_of_the_workflow_that_the_run_is_in() -> None:
    done, talk = run(world())
    assert done.state == ExecutionState.COMPLETED, in_words(from_json((done.pause_detail or {}).get("message")))
    assert steps(done) == [
        ("list", "first"),
        *((f"first/{at}", f"first/{edge}") for at, edge in INSIDE),
        ("record", "back"),
        ("seen", "second"),
        *((f"second/{at}", f"second/{edge}") for at, edge in INSIDE),
        ("record", "back"),
    ]
    assert len([act for act in talk.desktop.log if act.kind == "click"]) == 6
    assert any("Do “Visit”, version 1" in line for line in talk.lines)
    assert any("Visit: Click “Go on” →" in line for line in talk.lines)
    told = [in_words(step_payload(step)["sentence"]) for step in done.steps.exclude(edge_id="")]
    assert told[:5] == [
        "Do “Visit”, version 1", "Visit: Click “Go on”", "Visit: Click “Go on”", "“Visit” is done", "Click “Go on”",
    ]  # fmt: skip


def test_it_does_not_begin_on_another_screen_than_its_own() -> None:
    """The list asks for a name first: nothing of the other workflow is done."""
    strange = page("list", "Page index", then="record")
    desktop = ScriptedDesktop([strange, *list(world()._screens.values())[1:]])
    nodes = [{**CALLER["nodes"][0], "texts": ["Page index"]}, *CALLER["nodes"][1:]]
    paused, talk = _paused(desktop, nodes=nodes)
    assert paused.pause_reason == PauseReason.FAILED_ACTION
    assert "“Visit” does not begin on this screen." in in_words(from_json(paused.pause_detail["message"]))
    assert [act for act in talk.desktop.log if act.kind == "click"] == []


def test_a_value_that_it_does_not_take_is_told_before_it_begins() -> None:
    edges = [call("first", "list", "record", ward="{{where}}"), *CALLER["edges"][1:]]
    paused, talk = _paused(world(), edges=edges, variables=[{"name": "where", "default": "C"}])
    assert "“Visit: ward” cannot be “C”." in in_words(from_json(paused.pause_detail["message"]))
    assert [act for act in talk.desktop.log if act.kind == "click"] == []


def test_what_follows_it_must_be_where_it_leads_to() -> None:
    """It is done, and the list shows, where the record should: it is not done again."""
    screens = {**world()._screens}
    screens["kept"] = replace(screens["kept"], widgets=[TextLabel(text="Kept", at=Point(60, 90))])
    nodes = [node("kept", "Kept", is_end=True) if n["node_id"] == "kept" else n for n in VISIT_NODES]
    make_published(workflow_id="visit2", name="Visit two", nodes=nodes, variables=[],
                   edges=[click("open", "list", "record"), click("keep", "record", "kept")])  # fmt: skip
    first = {**call("first", "list", "record"), "params": {"workflow": "visit2", "version": 1}}
    paused, talk = _paused(ScriptedDesktop(list(screens.values())), edges=[first, *CALLER["edges"][1:]])
    assert paused.pause_reason == PauseReason.NO_MATCH
    assert len([act for act in talk.desktop.log if act.kind == "click"]) == 2


VISIT_NODES = [
    node("list", "Page list", is_entry=True),
    node("record", "Page record", absent=["Kept"]),
    node("kept", "Page record", "Kept", is_end=True),
]


def tip(then: str, *texts: str) -> ScriptedScreen:
    labels = [TextLabel(text=text, at=Point(60, 90 + 40 * n)) for n, text in enumerate(("Tip of the day", *texts))]
    return ScriptedScreen(name="tip", title="Records", widgets=[*labels, Button(name="close", text="Close", box=GO)],
                          on={"close": then})  # fmt: skip


def test_its_dialogs_are_closed_while_it_is_done() -> None:
    screens = {**world()._screens}
    screens["list"] = replace(screens["list"], on={"go": "tip"})
    done, talk = run(ScriptedDesktop([*screens.values(), tip("record")]))
    assert done.state == ExecutionState.COMPLETED
    assert len([act for act in talk.desktop.log if act.kind == "click"]) == 7


def test_its_dialogs_are_none_of_the_workflow_that_does_it() -> None:
    screens = {**world()._screens}
    screens["kept"] = replace(screens["kept"], on={"go": "tip"})
    paused, talk = _paused(ScriptedDesktop([*screens.values(), tip("seen")]))
    assert len([act for act in talk.desktop.log if act.kind == "click"]) == 3
    assert paused.state == ExecutionState.PAUSED


def _paused(desktop: ScriptedDesktop, **fields: Any) -> tuple[Execution, Talk]:
    execution = queue(make_published(**{**CALLER, **fields}))
    talk = Talk(desktop, once=True)
    heed = talk.runner.hooks

    def leave(execution: Execution) -> None:
        if execution.state == ExecutionState.PAUSED:
            talk.leave.set()

    talk.runner.hooks = replace(heed, on_begin=lambda journal: journal.on_state.append(leave))
    talk.run()
    return row(execution), talk


@pytest.mark.parametrize(
    ("theirs", "mode"), [("OBSERVATION", "observation"), ("COACHING", "coaching"), ("AUTO_CONFIRMED", "automatic")]
)
def test_a_run_is_offered_no_more_trust_than_what_it_does_inside_has_earned(theirs: str, mode: str) -> None:
    version = make_published(**CALLER, learning_state="AUTO_CONFIRMED")
    Workflow.objects.filter(workflow_id="visit").update(learning_state=theirs)
    assert start(workflow_id=version.workflow.workflow_id).mode == mode
