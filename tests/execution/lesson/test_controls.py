"""Controls taught on a real page by pointing at them: done at once, kept, and run with other values (S6.12)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.apps import apps

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import LessonStepState, PromptKind
from execution.desktop.x11 import X11Desktop
from execution.exceptions import BadEdit
from execution.language.fuzzy import folded
from execution.lesson.acts import Act, Acted
from execution.lesson.drafting import Draft
from execution.lesson.editing import change_step
from execution.lesson.hearing import Unheard, heard_setting
from execution.lesson.here import Here
from execution.lesson.recorder import Recorder
from execution.lesson.sight import Sight
from execution.models import Execution, Lesson, LessonStep, Prompt
from execution.navigation import visual_login
from execution.record.hidden import Hidden
from execution.record.redaction import redaction_of
from execution.running.runner import Hooks, Runner
from execution.types import Box, DecisionSource, Point, ScreenState, Size
from sentences.said import worded
from tests.execution.turn.test_controls_on_a_page import PAGE, TESTS, page
from tests.execution.turn.test_forms_on_a_page import Held, stop_when_paused
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import serving, shown
from workflows import vault
from workflows.actions.publish import publish
from workflows.models import Edge, Node, Variable, Workflow
from workflows.pictures import PictureStore
from workflows.secret import Secret
from workflows.specs import graph_of

pytestmark = ON_A_PAGE


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 860) as one:
        yield one


@pytest.fixture
def workflow() -> Workflow:
    return Workflow.objects.create(workflow_id="wf_order", name="Order", learning_state="AUTO_CONFIRMED")


class Given:
    """What a teacher does, and what became of it."""

    def __init__(self, lesson: Lesson, recorder: Recorder, sight: Sight) -> None:
        self.lesson, self.recorder, self.sight = lesson, recorder, sight

    def screen(self) -> ScreenState:
        """What shows, read, with its node known."""

        def read() -> ScreenState | None:
            state = self.sight.wait(5.0)
            if state is not None and not self.recorder.here.has_seen(state):
                self.recorder.seen(state)
            return state

        return wait_until(read, timeout=60, what="a screen that was read")

    def box_of(self, text: str) -> Box:
        """Where it stands, once it does: a page may come later than its window."""

        def found() -> Box | None:
            return next((line.box for line in self.screen().texts if folded(text) == folded(line.text)), None)

        return wait_until(found, what=f"“{text}” on the screen")

    def sets(self, kind: str, at: Point, **given: str) -> Acted:
        acted = self.recorder.act(Act(id="1", kind=kind, point=at, given=given))
        self.screen()
        return acted

    def click(self, at: Point) -> Acted:
        acted = self.recorder.act(Act(id="1", kind="click", point=at))
        self.screen()
        return acted


@contextmanager
def given_on(screen: VirtualDesktop, analyzer: Any, workflow: Workflow) -> Iterator[Given]:
    """A lesson of that workflow on what shows on a desktop."""
    analyzer.warm_up()  # as the run loop does: a first look that is too slow would be no reading of the screen
    lesson = Lesson.objects.create(workflow=workflow, state="live")
    with closing(X11Desktop(screen.display)) as desktop:
        sight = Sight(desktop, analyzer)
        redaction = redaction_of(graph_of(workflow), Hidden(()))
        here = Here(lesson, Draft(workflow, PictureStore()), analyzer, redaction)
        recorder = Recorder(lesson, desktop=desktop, sight=sight, here=here)
        recorder.begin()
        sight.start()
        try:
            given = Given(lesson, recorder, sight)
            given.screen()
            yield given
            recorder.typing.close()
        finally:
            sight.stop()
            desktop.release_all()


def right_of(given: Given, label: str, dx: int = 200) -> Point:
    box = given.box_of(label)
    return Point(box.x + dx, box.center.y)


BAD = {
    "an option that is not there": ("choose", "Ward:", 200, {"option": "Ward 31"}, "no option"),
    "an option that is there twice": ("choose", "Tests:", 240, {"option": "Iron"}, "2 times"),
    "a box that is neither on nor off": ("set_state", "Consent", 20, {"state": "on"}, "on or off"),
    "a heading": ("choose", "Order form", 20, {"option": "Ward 2"}, "could be set"),
    "a variable without a value": ("choose", "Ward:", 200, {"option": "{{ward}}"}, "no value"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_told_is_refused_in_words_and_nothing_is_kept(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow, case: str
) -> None:
    kind, label, dx, params, why = BAD[case]
    with page(screen, tests=[*TESTS, "Iron"]) as held, given_on(screen, analyzer, workflow) as given:
        acted = given.sets(kind, right_of(given, label, dx), **params)
        assert acted.state == "refused"
        assert why in str(acted.why), str(acted.why)
        assert held.told == {}
    assert not workflow.edges.exists()
    assert not workflow.targets.exists()
    assert given.lesson.steps.filter(state__in=[LessonStepState.DONE, LessonStepState.DOING]).count() == 0


def test_a_control_that_goes_back_to_what_it_was_is_no_step(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow
) -> None:
    """S6.12: it was chosen, and does not stand there."""
    stubborn = 'ward.addEventListener("change", () => setTimeout(() => (ward.value = "Ward 1"), 60));</script>'
    html = (PAGE % {"tests": TESTS}).replace("</script>", stubborn)
    with (
        serving(lambda path: html, Held().hear) as port,
        shown(screen, port, "Order", size=(920, 800), at=(30, 20)),
        given_on(screen, analyzer, workflow) as given,
    ):
        acted = given.sets("choose", right_of(given, "Ward:"), option="Ward 4")
    assert acted.state == "refused"
    assert "Nothing is kept of it" in worded(acted.why)
    assert not workflow.edges.exists()
    assert [step.state for step in given.lesson.steps.all()] == [LessonStepState.UNKEPT]


LOGIN = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Ward</title>
<style>body { font: 18px/1.5 "DejaVu Sans", sans-serif; margin: 40px } p { margin: 14px 0 }
  label { display: block } input, button { font: inherit; padding: 6px 10px; width: 280px }</style>
<h1>Ward record</h1><form id="form" autocomplete="off">
<p><label for="user">User name</label><input id="user"></p>
<p><label for="secret">Password</label><input id="secret" type="password"></p>
<p><button>Log in</button></p></form>
<script>form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await fetch("/held", { method: "POST", body: JSON.stringify([0, { user: user.value, secret: secret.value }]) });
  document.body.innerHTML = "<h1>Welcome to the ward</h1><p>Patients of today</p><p><button>Log out</button></p>";
});</script></html>"""


def test_logging_in_with_saved_credentials_is_one_step_and_the_password_is_kept_nowhere(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow, settings: Any
) -> None:
    """S10.3"""
    password = "Canary-77xyz"
    vault.store("ward-clerk", username="ada.martin", password=Secret(password))
    held = Held()
    with (
        serving(lambda path: LOGIN, held.hear) as port,
        shown(screen, port, "Ward", size=(700, 560), at=(30, 20)),
        given_on(screen, analyzer, workflow) as given,
    ):
        acted = given.sets("visual_login", Point(0, 0), credential="ward-clerk")
        assert acted.state == "done", acted
        assert held.last == {"user": "ada.martin", "secret": password}
        wait_until(lambda: given.screen() and workflow.nodes.count() == 2, what="the screen that it leads to")
    edge = workflow.edges.get()
    assert (edge.action_type, edge.params, edge.target) == ("visual_login", {"credential": "ward-clerk"}, None)
    assert edge.source != edge.destination
    for model in apps.get_models():
        for row in model._default_manager.values():
            assert password not in repr(row), (model, row)


def test_logging_in_where_nothing_asks_for_it_is_refused(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visual_login, "APPEARS_S", 1.0)
    with page(screen) as held, given_on(screen, analyzer, workflow) as given:
        acted = given.sets("visual_login", Point(0, 0), credential="ward-clerk")
    assert (acted.state, held.told) == ("refused", {})
    assert not workflow.edges.exists()


MESSAGES: dict[str, dict[str, Any]] = {
    "no control": {"act": "click", "params": {}},
    "nothing to choose": {"act": "choose", "params": {"option": " "}},
    "neither on nor off": {"act": "set_state", "params": {"state": "maybe"}},
    "no day": {"act": "pick_date", "params": {"date": "12/03/54", "format": "fr"}},
    "beside the desktop": {"act": "choose", "params": {"option": "Ward"}, "x": 5000},
    "no text": {"act": "choose", "params": {"option": ["Ward"]}},
}


@pytest.mark.parametrize("case", MESSAGES)
def test_what_is_no_act_on_a_control_is_not_heard(case: str) -> None:
    with pytest.raises(Unheard):
        heard_setting({"id": "1", "x": 5, "y": 5, **MESSAGES[case]}, 0.0, size=Size(100, 100))


# --- offered: one tap takes what a click is meant for, one keeps the click ------------------------------------------
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
        assert clicked(given, given.box_of("High").center) == {}, "as the one before was taken, it is not asked again"
        radio = last(given).edge
        assert (radio.action_type, radio.params, radio.target.text) == ("choose", {"option": "{{urgency}}"}, "Urgency:")
        assert clicked(given, right_of(given, "Ward:")) == {}, "what it opens is not chosen from yet"
        opened = last(given).index
        assert clicked(given, given.box_of("Ward 7").center) == {}, "nor is it asked about a list that was opened"
        choice = last(given).edge
        assert (choice.action_type, choice.params) == ("choose", {"option": "{{ward}}"})
        assert choice.source == choice.destination == workflow.nodes.get(), "the open list is no screen of its own"
        assert not given.lesson.steps.kept().filter(index=opened).exists()
        assert clicked(given, given.box_of("Isolation").center) == {}
        assert last(given).edge.params == {"state": "off"}
        assert held.last["ward"] == "Ward 7"
    kinds = list(workflow.edges.order_by("order").values_list("action_type", flat=True))
    assert kinds == ["set_state", "choose", "choose", "set_state"]
    assert workflow.targets.count() == 4, "of what was taken the place of nothing stays"
    with page(screen) as held:
        execution = run(screen, analyzer, workflow, {"ward": "Ward 4", "urgency": "Low"})
    steps = list(execution.steps.order_by("index"))
    assert [step.verified for step in steps[:3]] == ["yes"] * 3, [(s.edge_id, str(s.message)) for s in steps]
    assert (held.last["ward"], held.last["urgency"], held.last["fasting"]) == ("Ward 4", "low", True)
    assert held.last["isolation"] is False


def test_an_option_of_a_list_that_was_opened_is_offered_as_what_it_chooses(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow
) -> None:
    with page(screen), given_on(screen, analyzer, workflow) as given:
        assert clicked(given, right_of(given, "Ward:")) == {}
        opened = last(given).index
        row = clicked(given, given.box_of("Ward 7").center)
        assert row == {"act": "choose", "params": {"option": "Ward 7"}, "label": "Ward"}
        choice = take(given)
        assert choice.source == choice.destination == workflow.nodes.get(), "the open list is no screen of its own"
        assert not given.lesson.steps.kept().filter(index=opened).exists()


def test_a_click_that_was_kept_is_asked_about_again(screen: VirtualDesktop, analyzer: Any, workflow: Workflow) -> None:
    with page(screen), given_on(screen, analyzer, workflow) as given:
        assert clicked(given, given.box_of("Isolation").center)["params"] == {"state": "off"}
        assert take(given, "decline").action_type == "click"
        assert clicked(given, given.box_of("Fasting").center)["params"] == {"state": "on"}
    assert workflow.targets.count() == 3, "of what was declined nothing stays"


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
