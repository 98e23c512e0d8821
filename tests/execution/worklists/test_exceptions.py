"""A screen that was taught for it says that the work is not possible: the row is an exception (S12.2)."""

from __future__ import annotations

import pytest

from execution.choices import Outcome
from execution.models import Prompt, Step, Worklist
from execution.running.runner import Runner
from execution.types import Point
from execution.worklists.actions.lists import append, create_list, start_list
from execution.worklists.adding import NewRow
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import ScriptedScreen, TextLabel
from tests.support.lists import states
from tests.support.scripted import analyzer, publish_line, screens
from workflows.actions.publish import publish
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


def refused_list() -> Worklist:
    """Of the workflow from page one to page two, with a screen that may come instead."""
    workflow = Workflow.objects.get(pk=publish_line("one", "two").workflow.pk)
    known = {"texts": ["Page refused"], "window_title": "Refused - Forms"}
    workflow.nodes.create(
        node_id="refused", name="Refused", is_end=True, is_common=True, exception="Patient not found", **known
    )
    publish(workflow=workflow, user=None, note="")
    worklist = create_list(
        name="Pages", workflow_id=workflow.workflow_id, columns=["Name"], keys=["Name"], mode="automatic"
    )
    append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Name": "Ada"})])
    return start_list(worklist_id=worklist.worklist_id)


def test_a_click_that_the_program_answers_with_a_taught_refusal_asks_nobody() -> None:
    """The act declares what must be seen after it, and that is not seen."""
    first, _second = screens("one", "refused")
    refusal = ScriptedScreen(
        name="refused", title="Refused - Forms", widgets=[TextLabel(text="Page refused", at=Point(60, 90))]
    )
    desktop, worklist = ScriptedDesktop([first, refusal]), refused_list()
    Runner(desktop=desktop, analyzer=analyzer(desktop), max_executions=1).run()
    item = worklist.items.get()
    assert states(worklist) == {"Ada": "exception"}
    assert (item.reason, item.saved) == ("Patient not found: “Page refused”", False)
    assert not Prompt.objects.exists()
    click = Step.objects.get(edge_id="one_two")
    assert (click.outcome, click.message.code) == (Outcome.SUCCEEDED, "turn.not_possible")
