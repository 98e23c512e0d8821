"""S6.12: a click on a control is offered as what it is meant for; one tap takes it, one keeps the click."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import PromptKind
from execution.desktop.x11 import X11Desktop
from execution.exceptions import BadEdit
from execution.lesson.editing import change_step
from execution.models import Execution, LessonStep, Prompt
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource, Point
from tests.execution.lesson.real_lesson import Given, given_on
from tests.execution.lesson.test_controls import right_of
from tests.execution.turn.test_controls_on_a_page import page
from tests.execution.turn.test_forms_on_a_page import stop_when_paused
from tests.support.display import VirtualDesktop, virtual_desktop
from tests.support.on_a_page import ON_A_PAGE
from workflows.actions.publish import publish
from workflows.models import Edge, Node, Variable, Workflow

pytestmark = ON_A_PAGE


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 860) as one:
        yield one


@pytest.fixture
def workflow() -> Workflow:
    return Workflow.objects.create(workflow_id="wf_order", name="Order", learning_state="AUTO_CONFIRMED")


def run(screen: VirtualDesktop, analyzer: Any, workflow: Workflow, values: dict[str, str]) -> Execution:
    """A run of the draft, to its end or its first question; the last screen waits for what never comes."""
    last = Node.objects.create(workflow=workflow, node_id="end", name="End", texts=["All is sent"], is_end=True)
    order = workflow.nodes.get(is_entry=True)
    Edge.objects.create(
        workflow=workflow, edge_id="on", source=order, destination=last, action_type="wait_text",
        params={"text": "All is sent", "timeout_s": 1}, order=99,
    )  # fmt: skip
    workflow.nodes.filter(pk=order.pk).update(is_end=False)
    publish(workflow=workflow, user=None, note="")
    execution = start(workflow_id=workflow.workflow_id, mode="automatic", variables=values)

    def person(prompt: Prompt) -> None:
        choice = "stop" if prompt.kind == PromptKind.IN_DOUBT else "reject"
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)
        Execution.objects.filter(pk=prompt.execution_id).update(wish="stop")

    hooks = Hooks(on_prompt=person, on_begin=stop_when_paused)
    Runner(desktop=X11Desktop(screen.display), analyzer=analyzer, once=True, hooks=hooks).run()
    return Execution.objects.by_id(execution.execution_id)


def last(given: Given) -> LessonStep:
    step = given.lesson.steps.kept().order_by("-index").first()
    assert step is not None
    return step


def take(given: Given, answer: str = "accept") -> Edge:
    step = last(given)
    change_step(given.lesson, step.index, offer=answer)
    given.recorder.here.begin()
    step.refresh_from_db()
    assert step.edge is not None
    return step.edge


def clicked(given: Given, at: Point) -> dict[str, Any]:
    assert given.click(at).state == "done"
    offer = last(given).screen.get("offer") or {}
    return {key: offer[key] for key in ("act", "params", "label")} if offer else {}


def test_clicks_on_controls_are_offered_and_run_as_what_they_are_meant_for(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow
) -> None:
    for name, value in {"ward": "Ward 7", "urgency": "High"}.items():
        Variable.objects.create(workflow=workflow, name=name, example=value)
    with page(screen) as held, given_on(screen, analyzer, workflow) as given:
        box = clicked(given, given.box_of("Fasting").center)
        assert box == {"act": "set_state", "params": {"state": "on"}, "label": "Fasting"}
        assert take(given).action_type == "set_state"
        radio = clicked(given, given.box_of("High").center)
        assert radio == {"act": "choose", "params": {"option": "{{urgency}}"}, "label": "Urgency:"}
        assert take(given).target.text == "Urgency:"
        assert clicked(given, right_of(given, "Ward:")) == {}, "what it opens is not chosen from yet"
        opened = last(given).index
        row = clicked(given, given.box_of("Ward 7").center)
        assert row == {"act": "choose", "params": {"option": "{{ward}}"}, "label": "Ward"}
        choice = take(given)
        assert choice.source == choice.destination == workflow.nodes.get(), "the open list is no screen of its own"
        assert not given.lesson.steps.kept().filter(index=opened).exists()
        isolation = clicked(given, given.box_of("Isolation").center)
        assert isolation["params"] == {"state": "off"}
        assert take(given, "decline").action_type == "click"
        assert held.last["ward"] == "Ward 7"
    kinds = list(workflow.edges.order_by("order").values_list("action_type", flat=True))
    assert kinds == ["set_state", "choose", "choose", "click"]
    assert workflow.targets.count() == 4, "of what was declined, or taken the place of, nothing stays"
    with page(screen) as held:
        execution = run(screen, analyzer, workflow, {"ward": "Ward 4", "urgency": "Low"})
    steps = list(execution.steps.order_by("index"))
    assert [step.verified for step in steps[:3]] == ["yes"] * 3, [(s.edge_id, str(s.message)) for s in steps]
    assert (held.last["ward"], held.last["urgency"], held.last["fasting"]) == ("Ward 4", "low", True)
    assert held.last["isolation"] is False


def test_of_what_nobody_can_say_whether_it_is_on_nothing_is_offered(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow
) -> None:
    with page(screen), given_on(screen, analyzer, workflow) as given:
        assert clicked(given, given.box_of("Consent").center) == {}
        assert clicked(given, given.box_of("Order form").center) == {}
        with pytest.raises(BadEdit):
            change_step(given.lesson, last(given).index, offer="accept")


def test_what_was_offered_goes_with_its_step(screen: VirtualDesktop, analyzer: Any, workflow: Workflow) -> None:
    with page(screen), given_on(screen, analyzer, workflow) as given:
        assert clicked(given, given.box_of("Fasting").center)
        given.recorder.undo(1)
    assert not workflow.targets.exists()
