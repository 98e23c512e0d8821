"""S6.12: another workflow is taught as a step. What the teacher does in its place by hand is not kept."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from execution.choices import LessonStepState
from execution.lesson import here
from execution.lesson.by_robot import ByRobot
from execution.lesson.calling import callable_from
from execution.models import Lesson
from sentences.said import worded
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.lesson.scripted_lesson import goes_on
from tests.support.display import wait_until
from tests.support.scripted import BUTTON, publish_line, screens
from tests.support.teaching import Teacher
from workflows.actions.publish import publish
from workflows.graph import EdgeSpec
from workflows.models import WorkflowVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder", "other")]
NAMES = ("one", "two", "three", "four", "five")


@pytest.fixture
def other() -> WorkflowVersion:
    """From page two over three to four."""
    return publish_line("two", "three", "four")


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ScriptedDesktop(screens(*NAMES))


@pytest.mark.slow
def test_it_leads_to_the_screen_that_shows_when_the_teacher_says_that_it_is_done(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, other: WorkflowVersion
) -> None:
    assert [one["id"] for one in callable_from(lesson)] == [other.workflow.workflow_id]
    goes_on(teacher)
    noted(teacher, other)
    assert teacher.do(type="look", act="must_see", x=70, y=95)["state"] == "refused"
    for page in ("three", "four"):
        assert teacher.click(BUTTON)["state"] == "done"
        assert desktop.screen == page
    assert teacher.do(type="call_done")["state"] == "done"
    teacher.until(lambda: not teacher.lesson.get("call"), what="its end")
    goes_on(teacher, 4)
    edges = [(e.action_type, e.source.name, e.destination.name) for e in lesson.workflow.edges.order_by("id")]
    assert edges == [
        ("click", "One - Forms", "Two - Forms"),
        ("call_workflow", "Two - Forms", "Four - Forms"),
        ("click", "Four - Forms", "Five - Forms"),
    ]
    assert lesson.steps.filter(state=LessonStepState.UNKEPT).count() == 2
    spec = publish(workflow=lesson.workflow, user=None).spec()
    assert len(spec.calls[0].enters) == 1


def test_a_call_of_nothing_is_refused_and_its_end_without_a_beginning(teacher: Teacher, lesson: Lesson) -> None:
    assert teacher.do(type="call", workflow="nobody", version=1)["state"] == "refused"
    assert teacher.do(type="call_done")["state"] == "refused"
    assert not lesson.workflow.edges.exists()


# --- done by the robot ------------------------------------------------------------------------------------------------
def noted(teacher: Teacher, other: WorkflowVersion) -> None:
    assert teacher.do(type="call", workflow=other.workflow.workflow_id, version=other.number)["state"] == "done"
    teacher.until(lambda: teacher.lesson.get("call"), what="the call")


def robot_does_it(teacher: Teacher) -> None:
    teacher.send(type="call_robot")
    teacher.until(lambda: not teacher.lesson.get("call"), what="its end")


def trouble(teacher: Teacher) -> str:
    told = teacher.until(lambda: next((m for m in teacher.told if m["type"] == "trouble"), None), what="what is wrong")
    return str(told["text"])


def clicks(desktop: ScriptedDesktop) -> int:
    return sum(act.kind == "click" for act in desktop.log)


def test_the_robot_does_it_and_it_is_noted_where_that_led(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, other: WorkflowVersion
) -> None:
    goes_on(teacher)
    noted(teacher, other)
    robot_does_it(teacher)
    assert desktop.screen == "four"
    edges = [(e.action_type, e.source.name, e.destination.name) for e in lesson.workflow.edges.order_by("id")]
    assert edges[1] == ("call_workflow", "Two - Forms", "Four - Forms")
    assert [s.params for s in lesson.steps.filter(state=LessonStepState.UNKEPT)] == 2 * [
        {"inside": other.workflow.workflow_id}
    ]


@pytest.mark.slow
def test_a_trial_does_the_call_in_its_middle(
    teacher: Teacher,
    lesson: Lesson,
    desktop: ScriptedDesktop,
    other: WorkflowVersion,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goes_on(teacher)
    noted(teacher, other)
    robot_does_it(teacher)
    assert teacher.click(BUTTON)["state"] == "done"
    teacher.until(lambda: teacher.screen.get("name") == "Five - Forms", what="page five")
    monkeypatch.setattr(here, "LATE_S", 0.0)  # page one comes by itself, and is nowhere that the last click leads
    desktop.show("one")
    teacher.until(lambda: teacher.screen.get("name") == "One - Forms", what="page one again")
    before = clicks(desktop)
    teacher.send(type="try", **{"from": 1})
    teacher.until(lambda: [m for m in teacher.told if m["type"] == "tried" and m["index"] != 2][1:], what="its end")
    tried = [(m["index"], m["state"], m["why"]) for m in teacher.told if m["type"] == "tried"]
    assert [(state, why) for _index, state, why in tried[-3:]] == 3 * [("done", "")]
    assert (desktop.screen, clicks(desktop) - before) == ("five", 4)


@pytest.mark.usefixtures("proofs")
def test_it_is_not_begun_elsewhere_than_where_it_begins(
    teacher: Teacher, desktop: ScriptedDesktop, other: WorkflowVersion
) -> None:
    """And before publishing that is a warning, by the pictures of the screen, which goes to the step."""
    noted(teacher, other)
    teacher.send(type="call_robot")
    assert "does not begin here" in trouble(teacher) or "not begin" in trouble(teacher)
    assert clicks(desktop) == 0
    assert teacher.lesson["call"]
    assert teacher.click(BUTTON)["state"] == "done"
    assert teacher.do(type="call_done")["state"] == "done"
    warned = teacher.until(
        lambda: [p for p in teacher.lesson["problems"] if p["code"] == "call_elsewhere"], what="the warning"
    )
    assert (warned[0]["severity"], warned[0]["goto"]) == ("warning", "step:1")
    assert "by 1 of its 1 pictures" in warned[0]["text"]


@pytest.mark.usefixtures("proofs")
def test_where_it_begins_there_is_no_warning(teacher: Teacher, lesson: Lesson, other: WorkflowVersion) -> None:
    goes_on(teacher)
    noted(teacher, other)
    found = wait_until(lambda: lesson.steps.get(act="call_workflow").screen.get("begins"), what="that it was tried")
    assert found == {"of": 1, "failed": 0}
    assert not [p for p in teacher.lesson["problems"] if p["code"] == "call_elsewhere"]


SECRET = {"name": "pin", "label": "Pin", "kind": "secret"}


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("optional", "hangs on what is seen or read then"),
        ("ways", "Several ways lead on from “Three”"),
        ("secret", "“Pin” is secret and kept nowhere"),
        ("value", "“Bed” has no value here"),
        ("", ""),
    ],
)
def test_why_only_a_run_can_do_it(other: WorkflowVersion, what: str, said: str) -> None:
    draft = other.workflow
    if what == "optional":
        draft.edges.filter(edge_id="three_four").update(optional=True)
    elif what == "ways":
        draft.nodes.filter(node_id="three").update(is_end=True)
    elif what:
        variable = draft.variables.create(**(SECRET if what == "secret" else {"name": "bed", "label": "Bed"}))
        draft.nodes.filter(node_id="four").update(absent=["{{" + variable.name + "}}"])
    version = publish(workflow=draft, user=None)
    call = EdgeSpec(
        edge_id="call", source="one", destination="two", action_type="call_workflow",
        params={"workflow": draft.workflow_id, "version": version.number},
    )  # fmt: skip
    teaches = SimpleNamespace(here=SimpleNamespace(known=SimpleNamespace(values={})))
    why = worded(ByRobot(teaches, call).why_not())  # type: ignore[arg-type]
    assert said in why
    assert bool(why) == bool(what)


def test_what_only_a_run_can_do_is_said_before_anything_is_done(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, other: WorkflowVersion
) -> None:
    """Also where a trial comes to it later only."""
    other.workflow.nodes.filter(node_id="three").update(is_end=True)
    version = publish(workflow=other.workflow, user=None)
    goes_on(teacher)
    noted(teacher, version)
    before = clicks(desktop)
    teacher.send(type="call_robot")
    assert "Several ways lead on from “Three”" in trouble(teacher)
    assert clicks(desktop) == before
    for _page in ("three", "four"):
        assert teacher.click(BUTTON)["state"] == "done"
    assert teacher.do(type="call_done")["state"] == "done"
    desktop.show("one")
    teacher.until(lambda: teacher.screen.get("name") == "One - Forms", what="page one again")
    before, told = clicks(desktop), len(teacher.told)
    teacher.send(type="try", **{"from": 1})
    failed = teacher.until(lambda: [m for m in teacher.told[told:] if m["type"] == "tried"], what="what became of it")
    assert (failed[0]["index"], failed[0]["state"]) == (2, "failed")
    assert clicks(desktop) == before
