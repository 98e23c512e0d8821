"""An open question looks at the screen too: what it asks about may be gone before anyone has answered (S1.5)."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connections

from execution.actions import control
from execution.actions.decide import decide
from execution.choices import EventKind, PromptKind
from execution.models import Prompt
from execution.turn.watching import watch
from execution.types import (
    Answer,
    Box,
    DecisionSource,
    Match,
    Point,
    Recognition,
    Resolution,
    ResolveStatus,
    Suggestion,
    Verification,
)
from tests.execution.screens import frame, line, screen
from tests.support.display import wait_until
from workflows.graph import EdgeSpec, GraphSpec, IdentitySpec, NodeSpec

pytestmark = pytest.mark.django_db(transaction=True)


def answer(prompt: Prompt, choice: str) -> None:
    decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)


def asked(s: Any, choice: str, then: Any) -> Prompt:
    """Run until it asks, do `then` while it waits, and answer; gives the prompt as it was before the answer."""
    seen: list[Prompt] = []

    def person(prompt: Prompt) -> None:
        def later() -> None:
            then(prompt)
            seen.append(Prompt.objects.select_related("step").get(pk=prompt.pk))
            answer(prompt, choice)
            connections.close_all()

        threading.Thread(target=later).start()

    def end(prompt: Prompt) -> None:
        control.stop(execution_id=s.execution.execution_id)

    s.run(person, end)
    return seen[0]


def changed(prompt: Prompt) -> str:
    return Prompt.objects.get(pk=prompt.pk).changed


@pytest.mark.parametrize("mode", ["coaching", "supervised"])
def test_what_is_gone_is_said_and_i_did_it_comes_first(stage: Any, mode: str) -> None:
    s = stage(mode)

    def by_hand(prompt: Prompt) -> None:
        s.world.node = "b"
        wait_until(lambda: changed(prompt), what="the word that it has changed")

    prompt = asked(s, "manual" if mode == "coaching" else "reject", by_hand)
    assert prompt.changed == "Something else is there."
    if mode == "coaching":
        assert prompt.choices == ("manual", "accept", "correct", "skip", "reject")
    told = s.execution.events.filter(kind=EventKind.PROMPT, payload__prompt_id=prompt.pk).order_by("seq")
    assert [event.payload["changed"] for event in told] == ["", "Something else is there."]
    assert told.last().payload["choices"][0] == prompt.choices[0]


def test_what_is_there_again_is_asked_about_as_before(stage: Any) -> None:
    s = stage("coaching")

    def away_and_back(prompt: Prompt) -> None:
        s.world.node = "b"
        wait_until(lambda: changed(prompt), what="the word that it has changed")
        s.world.node = "a"
        wait_until(lambda: not changed(prompt), what="the word that it is there again")

    prompt = asked(s, "accept", away_and_back)
    assert (prompt.changed, prompt.choices[0]) == ("", "accept")


def test_a_step_in_doubt_tells_that_something_came_after_all(stage: Any) -> None:
    s = stage()
    s.world.effects["ab"] = ["nothing"]

    def comes(prompt: Prompt) -> None:
        s.world.node = "b"
        wait_until(lambda: changed(prompt), what="the word that it has changed")

    prompt = asked(s, "done", comes)
    assert (prompt.kind, bool(prompt.changed)) == (PromptKind.IN_DOUBT, True)
    assert s.world.acts[0] == "ab"


class Eyes:
    """What is looked at, one look after the other, and what is said of it when it is read."""

    graph = GraphSpec(workflow_id="w", name="w", learning_state="", nodes=(NodeSpec(node_id="b", name="Saved"),))

    def __init__(self, *states: Any) -> None:
        self.states, self.compared, self.reads = list(states), 0, 0
        self.node, self.whose = "a", Answer.YES

    def glance(self) -> Any:
        return self.states[0] if len(self.states) == 1 else self.states.pop(0)

    def what_changed(self, *args: Any, **more: Any) -> str:
        self.compared += 1
        return ""

    def observe(self) -> Any:
        self.reads += 1
        return self.states[0]

    def recognise(self, state: Any, **known: Any) -> Recognition:
        return Recognition(match=Match(node_id="a" if state is THEN else self.node, confidence=1.0))

    def check_before(self, edge: EdgeSpec, state: Any) -> Verification:
        return Verification(answer=Answer.YES if state is THEN else self.whose)


THEN = screen(line("Notes", 10, 10))


def suggested(**fields: Any) -> Suggestion:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", **fields)
    place = Resolution(status=ResolveStatus.FOUND, box=Box(500, 350, 40, 20), point=Point(520, 360))
    return Suggestion(edge=edge, node_id="a", sentence="Click", params={}, resolution=place)


@pytest.mark.parametrize(
    ("node", "whose", "says"),
    [
        ("a", Answer.YES, ""),
        ("b", Answer.YES, "The screen is “Saved”."),
        ("a", Answer.NO, "The record shown is not the right one any more."),
        ("a", Answer.CANNOT_TELL, ""),
    ],
)
def test_the_same_button_below_another_record_is_not_what_was_asked_about(node: str, whose: Answer, says: str) -> None:
    """The place of the target looks as it did; what else has changed is read."""
    whose_record = (IdentitySpec(label="Patient", value="{{patient}}"),)
    eyes = Eyes(screen(patches=[(Box(10, 10, 90, 14), 30)]))
    eyes.node, eyes.whose = node, whose
    look = watch(eyes, suggested(identity=whose_record), THEN)  # type: ignore[arg-type]
    assert [look(), look()] == [says, says]
    assert eyes.reads == 1


def test_a_blinking_caret_is_not_read_anew() -> None:
    eyes = Eyes(screen(patches=[(Box(10, 10, 1, 14), 30)]))
    eyes.node = "b"
    assert watch(eyes, suggested(), THEN)() == ""  # type: ignore[arg-type]
    assert eyes.reads == 0


def test_a_frame_that_is_the_same_is_not_looked_into_and_a_clock_is_no_change() -> None:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="press_keys")
    nowhere = Resolution(status=ResolveStatus.NOT_NEEDED)
    meant = Suggestion(edge=edge, node_id="a", sentence="Press", params={}, resolution=nowhere)
    then = screen(line("Notes", 10, 10))
    clock, page = screen(patches=[(Box(10, 10, 40, 14), 30)]), screen(patches=[(Box(0, 0, 600, 300), 30)])
    assert clock.frame.digest != frame().digest
    eyes = Eyes(then, then, clock, clock, page)
    look = watch(eyes, meant, then)  # type: ignore[arg-type]
    assert [look() for _ in range(2)] == ["", ""]
    assert eyes.compared == 0
    assert [look() for _ in range(2)] == ["", ""]
    assert eyes.compared == 1
    assert look() == "The screen does not show what it did."
