"""A screen, or a text on one, is taught to say that the work is not possible; rows end there as exceptions (S12.2)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from execution.actions.teach import close_lesson, open_picture_lesson
from execution.choices import ExecutionState, LessonKind
from execution.models import Execution, Lesson, Prompt, Worklist
from execution.models.worklist import OPEN_ITEMS
from execution.types import Box, Point
from execution.worklists.actions.lists import append, create_list, start_list
from execution.worklists.adding import NewRow
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import ScriptedScreen, TextLabel
from tests.execution.lesson.scripted_lesson import goes_on
from tests.factories import make_user
from tests.support.display import wait_until
from tests.support.scripted import analyzer, publish_line, screens
from tests.support.teaching import Teacher, run_loop, taught_on, teacher_of
from workflows.actions.publish import publish
from workflows.models import Node, Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

ONE, TWO, THREE = screens("one", "two", "three")
NOTICE = TextLabel(text="This stay is closed", at=Point(60, 300))
REFUSED = ScriptedScreen(
    name="refused", title="Refused - Forms", widgets=[TextLabel(text="No patient of that number", at=Point(60, 90))]
)
WITH_NOTICE = replace(TWO, widgets=[*TWO.widgets, NOTICE])


def pages(second: ScriptedScreen) -> list[ScriptedScreen]:
    """Page one leads to `second`, under whatever name it has."""
    return [replace(ONE, on={"go": second.name}), second, THREE]


@contextmanager
def lesson_on(second: ScriptedScreen) -> Iterator[tuple[Lesson, Teacher]]:
    """A second lesson on a published workflow from page one over two to three; this time page one leads elsewhere."""
    workflow = publish_line("one", "two", "three").workflow
    desktop = ScriptedDesktop(pages(second))
    with taught_on(desktop, user=make_user("designer", "dora"), workflow=workflow) as lesson, teacher_of(lesson) as one:
        at_one(one)
        yield lesson, one
        close_lesson(lesson)  # its desktop is free for runs


def at_one(teacher: Teacher) -> None:
    teacher.until(lambda: teacher.screen.get("state") == "new", what="that it was read")
    teacher.send(type="same_screen", node_id="one")  # it was published without a picture
    teacher.until(lambda: teacher.screen.get("node_id") == "one", what="page one")


def said(teacher: Teacher, **message: Any) -> dict[str, Any]:
    """What became of it: kept, or refused with a sentence."""
    before = len(teacher.told)
    teacher.send(type="mend", what="not_possible", keep=True, **message)
    return teacher.until(
        lambda: next((m for m in teacher.told[before:] if m["type"] in ("mended", "trouble")), None),
        what=f"an answer to {message}",
    )


def worked_off(workflow: Workflow, *shown: ScriptedScreen) -> Worklist:
    """A list of one row, once a robot has worked it off on these screens."""
    publish(workflow=workflow, user=None, note="")
    worklist = create_list(
        name="Pages", workflow_id=workflow.workflow_id, columns=["Name"], keys=["Name"], mode="automatic"
    )
    append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Name": "Ada"})])
    worklist = start_list(worklist_id=worklist.worklist_id)
    desktop = ScriptedDesktop(list(shown))
    with run_loop(desktop, analyzer(desktop)):
        wait_until(lambda: worklist.items.get().state not in OPEN_ITEMS or stands(), what="the end of the row")
    return worklist


def stands() -> bool:
    return Execution.objects.filter(state=ExecutionState.PAUSED).exists() or Prompt.objects.exists()


def outcome(worklist: Worklist) -> tuple[str, str]:
    item = worklist.items.get()
    assert not stands(), [str(run.pause_detail) for run in Execution.objects.all()]
    return item.state, str(item.reason)


def test_a_screen_that_was_met_in_the_lesson_ends_rows_with_the_reason_and_the_text_read() -> None:
    """S12.2: the step that led there leads there in no run, as the screen may come after any."""
    with lesson_on(REFUSED) as (taught, teacher):
        goes_on(teacher, 4)
        answer = said(teacher, reason=" Patient not found ")
        assert answer["type"] == "mended", answer
        last = teacher.until(lambda: teacher.steps()[-1] if teacher.steps()[-1]["act"] == "mend" else None, what="it")
    assert last["sentence"] == "When “Refused - Forms” comes, the work is not possible: Patient not found."
    node = taught.workflow.nodes.get(exception="Patient not found")
    assert (node.is_end, node.is_common, node.incoming.count()) == (True, True, 0)
    assert taught.workflow.edges.count() == 2  # as it was published
    state, reason = outcome(worked_off(taught.workflow, *pages(REFUSED)))
    assert (state, reason) == ("exception", "Patient not found: “No patient of that number”")
    assert not Prompt.objects.exists()


def test_taken_back_it_is_a_screen_like_any() -> None:
    with lesson_on(REFUSED) as (_taught, teacher):
        goes_on(teacher, 4)
        said(teacher, reason="Patient not found")
        teacher.send(type="undo", n=1)
        teacher.until(lambda: len(teacher.lesson["screens"]) == 3, what="that it is taken back")
    assert not Node.objects.exclude(exception="").exists()


def test_a_text_on_a_screen_of_the_work_ends_the_row_wherever_it_stands() -> None:
    """The screen is else as it was taught, and is still known without the text."""
    with lesson_on(WITH_NOTICE) as (taught, teacher):
        workflow = taught.workflow
        assert teacher.click(Box(400, 400, 160, 48))["state"] == "done"
        teacher.until(lambda: teacher.screen.get("name", "").startswith("Two"), what="page two")
        x, y = NOTICE.at
        answer = said(teacher, reason="Stay closed", x=x + 20, y=y + 5)
        assert answer["type"] == "mended", answer
    node = workflow.nodes.get(exception="Stay closed")
    assert (node.texts, node.reference, node.is_common) == (["This stay is closed"], None, True)
    assert outcome(worked_off(workflow, ONE, WITH_NOTICE, THREE)) == ("exception", "Stay closed: “This stay is closed”")
    Worklist.objects.all().delete()
    assert outcome(worked_off(workflow, ONE, TWO, THREE)) == ("done", "")


def test_what_would_end_the_work_itself_is_refused() -> None:
    """A screen that the work goes on from, a text on one of its pictures, too short a text, no reason."""
    with lesson_on(TWO) as (_taught, teacher):
        assert "The work goes on from “One”" in said(teacher, reason="Closed")["text"]
        assert "“Page one” also stands on “One”" in said(teacher, reason="Closed", x=70, y=95)["text"]
        assert "Write in a few words why" in said(teacher, reason="  ")["text"]
    assert not Node.objects.exclude(exception="").exists()


def test_on_the_page_of_the_lesson_a_screen_gets_its_reason_and_loses_it(client_of: Any) -> None:
    """S6.11: a published workflow, with a desktop and without."""
    workflow = publish_line("one", "two", "three").workflow
    loose = workflow.nodes.create(node_id="loose", name="Loose", texts=["No patient"])
    dora = make_user("designer", "dora")
    taught = open_picture_lesson(workflow=workflow, user=dora, pictures=[], kind=LessonKind.PICTURES)

    def says(node_id: str, exception: str) -> Any:
        path = f"/api/lessons/{taught.lesson_id}/screens/{node_id}/"
        return client_of(dora).post(path, {"exception": exception}, content_type="application/json")

    told = says("loose", "Patient not found").json()["lesson"]
    assert next(one for one in told["screens"] if one["node_id"] == "loose")["exception"] == "Patient not found"
    loose.refresh_from_db()
    assert (loose.is_end, loose.ends_too, loose.is_common) == (True, True, True)
    for node_id, why in (("one", "The work goes on from “One”"), ("three", "“Three” is the only end")):
        refused = says(node_id, "Closed")
        assert (refused.status_code, why in str(refused.json())) == (422, True)
    assert says("loose", "").status_code == 200
    assert workflow.nodes.get(node_id="loose").exception == ""
