"""What people read of a run: no ids, no unfilled variables, no words that are kept for programs (S1.24, U2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.utils import translation

from execution.actions import control
from execution.choices import ExecutionState, PauseReason, PromptKind
from execution.models import Execution, Prompt
from execution.pages import listing
from execution.pages.snapshot import graph_json
from execution.running.runner import Runner
from execution.turn.workflow_stages import WorkflowStages
from execution.types import ResolveStatus, ScreenState, Suggestion
from tests.doubles.stage import Stage, edge
from tests.doubles.world import World
from workflows.graph import EdgeSpec

pytestmark = pytest.mark.django_db

NAMES = {"zz_node_17": "Notes", "zz_node_3": "Form", "zz_node_8": "Summary", "zz_node_5": "Archive"}
NODES = [
    {"node_id": n, "name": name, "texts": [name], "is_entry": name == "Notes", "is_end": name == "Archive"}
    for n, name in NAMES.items()
]
VARIABLES = [{"name": "date", "label": "Date"}, {"name": "note", "label": "Note"}]
TOLD = {"message", "sentence", "said", "why_not", "name", "destination_name", "label", "reason", "note", "between"}
AWAITED = {"node": "zz_node_5"}
KEPT = ("ended in state", "terminal node", "rejected by user")  # words for programs
SCRIPT = re.compile(r"<script.*?</script>|<[^>]*>", re.DOTALL)


def act(edge_id: str, source: str, destination: str, label: str, **fields: Any) -> dict[str, Any]:
    made = edge(edge_id, source, destination, **fields)
    return {**made, "target": {"target_id": f"zz_target_{edge_id}", "label": label, "text": label}}


def line(**more: Any) -> list[dict[str, Any]]:
    """From Notes to Archive, the second action told by `more`."""
    return [
        act("zz_edge_9", "zz_node_17", "zz_node_3", "Open {{date}}"),
        act("zz_edge_2", "zz_node_3", "zz_node_8", "Save {{note}}", **more),
        {**edge("zz_edge_4", "zz_node_8", "zz_node_5", action_type="wait_node", params=AWAITED), "target": None},
    ]


class Told(World):
    """Its suggestions are told as those of a real run."""

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        suggestion = super().suggest(edge, node_id, state)
        real = WorkflowStages(self.graph, self.variables, None, None, None)  # type: ignore[arg-type]
        told = real._named(edge)
        return replace(suggestion, edge=told, sentence=real.sentence(edge, suggestion.params))


def texts(value: Any, key: str = "") -> Iterator[str]:
    """Every text in a payload that people are shown: what stands under the keys of sentences and names."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner, key)
    elif isinstance(value, str) and key in TOLD:
        yield value


def stored(run: Execution) -> list[str]:
    steps, prompts = run.steps.all(), run.prompts.all()
    return [
        *(text for s in steps for text in (s.message, s.sentence, *texts(s.verification), *texts(s.suggestion))),
        *(text for p in prompts for text in (p.message, p.changed)),
        *texts(run.pause_detail),
        *(text for event in run.events.all() for text in texts(event.payload)),
        run.error,
        listing.problem(run),
    ]


def assert_for_people(run: Execution, *shown: str) -> None:
    said = [*stored(run), *texts(graph_json(run.version.spec(), run.variables)), *shown]
    assert [text for text in said if "zz_" in text or "{{" in text] == []
    assert [text for text in shown for words in KEPT if words in text] == []


def pages(client: Any, run: Execution) -> list[str]:
    addresses = ["/", f"/runs/{run.execution_id}"]
    return [SCRIPT.sub(" ", client.get(address).content.decode()) for address in addresses]


@pytest.fixture
def scene(stage: Callable[..., Stage]) -> Iterator[Callable[..., Stage]]:
    """Makes runs with odd ids; what their run loops say on the terminal is kept as `said`."""

    def make(mode: str = "automatic", edges: list[dict[str, Any]] | None = None, **fields: Any) -> Stage:
        fields = {"nodes": NODES, "variables": VARIABLES, "values": {"date": "3 May", "note": "Milk"}, **fields}
        made = stage(mode, edges or line(), world=Told, **fields)
        made.said = []  # type: ignore[attr-defined]
        Runner(out=made.said.append, shows_values=True).listen_to(made.journal)  # type: ignore[attr-defined]
        return made

    with translation.override("en"):
        yield make


def at_the_end(s: Stage) -> None:
    s.world.node, s.loop.at.place = "zz_node_5", s.loop.at.place.anew("zz_node_5")


# How a run comes to a pause: the mode, more of its second action, what happens to the world, and the answers.
PAUSES: dict[PauseReason, tuple[str, dict[str, Any], Callable[[Stage], Any], tuple[str, ...]]] = {
    PauseReason.NO_MATCH: ("automatic", {}, lambda s: setattr(s.world, "node", None), ()),
    PauseReason.LEAP: ("automatic", {}, lambda s: setattr(s.world, "node", "zz_node_8"), ()),
    PauseReason.ALREADY_AT_END: ("automatic", {}, at_the_end, ()),
    PauseReason.DIALOG: ("automatic", {}, lambda s: setattr(s.world, "on_act", lambda name: appear(s)), ()),
    PauseReason.REJECTED: ("coaching", {}, lambda s: None, ("accept", "reject")),
    PauseReason.SKIPPED: ("coaching", {}, lambda s: None, ("skip",)),
    PauseReason.FAILED_ACTION: (
        "automatic", {"retries": 0}, lambda s: setattr(s.world, "effects", {"zz_edge_2": ["refused"]}), (),
    ),
}  # fmt: skip


def appear(s: Stage) -> None:
    s.world.dialog = "Disk full"


@pytest.mark.parametrize("reason", PAUSES)
def test_a_pause_is_told_without_ids(scene: Any, viewer: Any, client_of: Any, reason: PauseReason) -> None:
    """S1.6, S1.22: what was expected, what came, and what would be passed over, by the names of the screens."""
    mode, more, happens, answers = PAUSES[reason]
    s = scene(mode, line(**more))
    happens(s)
    run = s.run(*answers)
    assert (run.state, run.pause_reason) == (ExecutionState.PAUSED, reason)
    assert_for_people(run, *s.said, *pages(client_of(viewer), run))


def test_a_variable_without_a_value_is_left_out(scene: Any) -> None:
    sentences = [edge["sentence"] for edge in graph_json(scene().world.graph, {})["edges"]]
    assert len([said for said in sentences if "…" in said]) == 2 and "{{" not in str(sentences)


def test_a_step_in_doubt_is_asked_about_without_ids(scene: Any, viewer: Any, client_of: Any) -> None:
    """S1.5, S9.2"""
    s = scene(edges=line(effect_class="opaque", retries=0))
    s.world.effects, s.world.said = {"zz_edge_2": ["unclear", "done"]}, "Saved?"
    run = s.run("retry")
    assert [p.kind for p in s.asked] == [PromptKind.IN_DOUBT]
    assert_for_people(run, *s.said, *pages(client_of(viewer), run))


def test_a_target_that_is_not_found_and_the_wrong_record_are_asked_about_without_ids(scene: Any) -> None:
    """S1.5, S9.6"""
    s = scene(edges=line(identity=[{"value": "Ada", "label": ""}], settle_timeout_ms=1))
    s.world.unresolved = {"zz_edge_9": ResolveStatus.NOT_FOUND}
    assert_for_people(s.run("reject"), *s.said)
    s.world.unresolved = {}
    run = s.resume("reject")
    assert {p.kind for p in s.asked} == {PromptKind.TARGET, PromptKind.IDENTITY}
    assert_for_people(run, *s.said)


@pytest.mark.parametrize("mode", ["automatic", "supervised", "observation"])
def test_a_whole_run_is_told_without_ids(scene: Any, viewer: Any, client_of: Any, mode: str) -> None:
    s = scene(mode)
    if mode == "observation":
        s.world.on_observe = lambda world: setattr(world, "node", "zz_node_5") if world._looks > 3 else None
    run = s.run("accept", "accept", "accept")
    assert run.state == ExecutionState.COMPLETED
    assert_for_people(run, *s.said, *pages(client_of(viewer), run))
    assert any("Archive" in told for told in s.said)


def test_a_run_that_was_stopped_is_told_without_the_words_for_programs(scene: Any, viewer: Any, client_of: Any) -> None:
    """S1.7, S1.24: what S7.2 keeps is kept."""
    s = scene("coaching")

    def stop(prompt: Prompt) -> None:
        control.stop(execution_id=s.execution.execution_id)

    run = s.run(stop)
    assert (run.state, run.error) == (ExecutionState.STOPPED, "Execution ended in state: stopped")
    said = [text for text in stored(run) if text != run.error]
    assert [text for text in said if "zz_" in text] == []
    assert [text for text in pages(client_of(viewer), run) for words in KEPT if words in text] == []
