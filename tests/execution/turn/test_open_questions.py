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
from execution.types import DecisionSource
from tests.execution.screens import frame, line, screen
from tests.support.display import wait_until
from workflows.graph import EdgeSpec

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
    def __init__(self, *states: Any) -> None:
        self.states, self.compared = list(states), 0

    def glance(self) -> Any:
        return self.states[0] if len(self.states) == 1 else self.states.pop(0)

    def what_changed(self, *args: Any, **more: Any) -> str:
        self.compared += 1
        return ""


def test_a_frame_that_is_the_same_is_not_looked_into_and_a_clock_is_no_change() -> None:
    from execution.types import Box, Resolution, ResolveStatus, Suggestion

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
