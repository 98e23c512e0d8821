"""A list whose lines are done one after the other, taught by clicking its first line (S6.13).

The page tells its server of what is done, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from execution.exceptions import BadEdit
from execution.lesson import editing
from execution.lesson.lines import repeat_for_each_line
from execution.lesson.telling import draft_told
from tests.e2e.letters_page import NAMES, page, shown_as
from tests.execution.lesson.real_lesson import Given, given_on
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import Site, site
from workflows.models import Workflow

pytestmark = ON_A_PAGE


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


def test_the_first_line_of_a_list_is_said_to_be_done_for_each_and_that_can_be_ended(
    screen: VirtualDesktop, analyzer: Any, workflow: Workflow, web: Site
) -> None:
    with shown_as(screen, web, page()), given_on(screen, analyzer, workflow) as given:
        teach_one(given)
        assert web.done == [f"opened {NAMES[0]}", f"signed {NAMES[0]}", "closed"]
        here, steps = given.recorder.here, list(given.lesson.steps.kept())
        first = workflow.edges.get(pk=steps[0].edge_id)
        assert first.target is not None
        was = first.target.label, first.target.evidence
        for no_line, most in ((1, 20), (0, 0)):
            with pytest.raises(BadEdit):
                repeat_for_each_line(here, steps[no_line], {"counter": "n", "most": most})
        repeat_for_each_line(here, steps[0], {"counter": "n", "most": 5})
        told = draft_told(given.lesson)
        assert told["steps"][0]["sentence"] == "Click “line {{n}}”"
        assert told["steps"][0]["when"] == ["for each line “n” of the list, at most 5"]
        assert [one for one in told["problems"] if one["severity"] != "warning"] == []
        editing.change_step(given.lesson, steps[0].index, repeat={"most": 9, "until": ["Nothing left"]})
        first.refresh_from_db()
        assert first.repeat == {"counter": "n", "most": 9, "until": ["Nothing left"], "steps": []}
        editing.change_step(given.lesson, steps[0].index, repeat=None)
    first.refresh_from_db()
    first.target.refresh_from_db()
    assert first.repeat == {}
    assert (first.target.label, first.target.evidence) == was
