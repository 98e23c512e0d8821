"""Controls taught on a real page by pointing at them: done at once, kept, and run with other values (S6.12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps

from execution.choices import LessonStepState
from execution.lesson.hearing import Unheard, heard_setting
from execution.navigation import visual_login
from execution.types import Point, Size
from sentences.said import worded
from tests.execution.lesson.real_lesson import Given, given_on
from tests.execution.turn.test_controls_on_a_page import PAGE, TESTS, page
from tests.execution.turn.test_forms_on_a_page import Held
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import serving, shown
from workflows import vault
from workflows.models import Workflow
from workflows.secret import Secret

pytestmark = ON_A_PAGE


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 860) as one:
        yield one


@pytest.fixture
def workflow() -> Workflow:
    return Workflow.objects.create(workflow_id="wf_order", name="Order", learning_state="AUTO_CONFIRMED")


def right_of(given: Given, label: str, dx: int = 200) -> Point:
    box = given.box_of(label)
    return Point(box.x + dx, box.center.y)


BAD = {
    "an option that is not there": ("choose", "Ward:", 200, {"option": "Ward 31"}, "no option"),
    "an option that is there twice": ("choose", "Tests:", 240, {"option": "Iron"}, "2 times"),
    "a box that is neither on nor off": ("set_state", "Consent", 20, {"state": "on"}, "on or off"),
    "a text that opens nothing": ("choose", "Order form", 20, {"option": "Ward 2"}, "no list opened"),
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
