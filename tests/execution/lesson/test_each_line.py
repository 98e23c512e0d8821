"""A list whose lines are done one after the other, taught by clicking its first line (S6.13).

The page tells its server of what is done, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import ExecutionState, PromptKind
from execution.desktop.x11 import X11Desktop
from execution.exceptions import BadEdit
from execution.lesson import editing
from execution.lesson.lines import repeat_for_each_line
from execution.lesson.telling import draft_told
from execution.models import Execution, Prompt
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource
from tests.e2e.letters_page import NAMES, page, shown_as
from tests.execution.lesson.real_lesson import Given, given_on
from tests.execution.turn.test_forms_on_a_page import stop_when_paused
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import Site, site
from workflows.actions.publish import publish
from workflows.models import Workflow

pytestmark = ON_A_PAGE
OTHERS = ("Dupont, Léa", "Dupond, Léa", "Durand, Noé", "Evans, Rose")


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1200, 800) as one:
        yield one


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with site() as one:
        yield one


@pytest.fixture
def workflow() -> Workflow:
    return Workflow.objects.create(workflow_id="wf_letters", name="Letters", learning_state="AUTO_CONFIRMED")


def teach_one(given: Given) -> None:
    """The first letter is opened, signed and closed; then the day is."""
    for text, then in (
        (NAMES[0], "Sign this letter"),
        ("Sign this letter", "This letter is signed"),
        ("Back to the list", "Close the day"),
        ("Close the day", "The day is over"),
    ):
        acted = given.click(given.box_of(text).center)
        assert acted.state == "done", (text, acted)
        wait_until(lambda then=then: any(then in line.text for line in given.screen().texts), what=then)
        given.screen()


def run(screen: VirtualDesktop, analyzer: Any) -> tuple[Execution, list[str]]:
    execution, asked = start(workflow_id="wf_letters", mode="automatic"), list[str]()

    def person(prompt: Prompt) -> None:
        asked.append(str(prompt.message))
        choice = "stop" if prompt.kind == PromptKind.IN_DOUBT else "reject"
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)
        Execution.objects.filter(pk=prompt.execution_id).update(wish="stop")

    hooks = Hooks(on_prompt=person, on_begin=stop_when_paused)
    Runner(desktop=X11Desktop(screen.display), analyzer=analyzer, once=True, hooks=hooks).run()
    return Execution.objects.by_id(execution.execution_id), asked


def test_the_first_line_is_shown_and_each_line_is_done(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow, web: Site
) -> None:
    with shown_as(screen, web, page()), given_on(screen, analyzer, workflow) as given:
        teach_one(given)
        assert web.done == [f"opened {NAMES[0]}", f"signed {NAMES[0]}", "closed"]
        first = given.lesson.steps.kept()[0]
        repeat_for_each_line(given.recorder.here, first, {"counter": "n", "most": 20})
        told = draft_told(given.lesson)
    step = told["steps"][0]
    assert step["sentence"] == "Click “line {{n}}”"
    assert step["when"] == ["for each line “n” of the list, at most 20"]
    assert [one for one in told["problems"] if one["severity"] != "warning"] == []
    publish(workflow=workflow, user=None, note="")
    for names in (NAMES, OTHERS):
        with shown_as(screen, web, page(names)):
            execution, asked = run(screen, analyzer)
        done = [f"{what} {name}" for name in names for what in ("opened", "signed")]
        assert web.done == [*done, "closed"], asked
        assert execution.state == ExecutionState.COMPLETED, asked


def test_what_is_no_line_of_a_list_is_not_repeated_and_a_repetition_can_be_ended(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow, web: Site
) -> None:
    with shown_as(screen, web, page()), given_on(screen, analyzer, workflow) as given:
        teach_one(given)
        here, steps = given.recorder.here, list(given.lesson.steps.kept())
        with pytest.raises(BadEdit):
            repeat_for_each_line(here, steps[1], {"counter": "n", "most": 20})
        first = workflow.edges.get(pk=steps[0].edge_id)
        assert first.target is not None
        was = first.target.label, first.target.evidence
        with pytest.raises(BadEdit):
            repeat_for_each_line(here, steps[0], {"counter": "n", "most": 0})
        repeat_for_each_line(here, steps[0], {"counter": "n", "most": 5})
        editing.change_step(given.lesson, steps[0].index, repeat={"most": 9, "until": ["Nothing left"]})
        first.refresh_from_db()
        assert first.repeat == {"counter": "n", "most": 9, "until": ["Nothing left"], "steps": []}
        editing.change_step(given.lesson, steps[0].index, repeat=None)
    first.refresh_from_db()
    first.target.refresh_from_db()
    assert first.repeat == {}
    assert (first.target.label, first.target.evidence) == was
