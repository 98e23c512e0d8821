"""Mending from a run's step: what is said of its picture, what that changes, and the run that goes on (S6.14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from execution.actions import control
from execution.choices import ExecutionState, LessonKind
from execution.exceptions import LessonTaken
from execution.lesson.as_it_was import without_pictures
from execution.lesson.begin_mending import begin_mending
from execution.models import Execution, Lesson
from execution.record.pauses import pauses
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import TextLabel
from tests.factories import make_user
from tests.support.display import wait_until
from tests.support.pictured import analyzer_of
from tests.support.scripted import BUTTON, publish_line, queue, screens
from tests.support.teaching import Teacher, run_loop, teacher_of
from workflows.models import Edge, Node, Target, Variable

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

AS_TAUGHT = screens("one", "two", "three")


def renamed() -> list[Any]:
    """On page two the button is called otherwise."""
    one, two, three = screens("one", "two", "three")
    widgets = [replace(w, text="Proceed") if getattr(w, "name", "") == "go" else w for w in two.widgets]
    return [one, replace(two, widgets=widgets), three]


def changed() -> list[Any]:
    """Page two has another heading, so that nothing of what it is known by is there."""
    one, two, three = screens("one", "two", "three")
    widgets = [replace(w, text="Second sheet") if isinstance(w, TextLabel) else w for w in two.widgets]
    return [one, replace(two, widgets=widgets), three]


def state(run: Execution) -> str:
    return Execution.objects.get(pk=run.pk).state


def stands(run: Execution) -> bool:
    run.refresh_from_db()
    return run.state in (ExecutionState.PAUSED, ExecutionState.WAITING_COACHING, ExecutionState.WAITING_CONFIRMATION)


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[tuple[Execution, ScriptedDesktop]]:
    """A run that stands still before what is not any more as it was taught."""
    pages = request.param()
    desktop = ScriptedDesktop(pages)
    run = queue(publish_line("one", "two", "three"))
    with run_loop(desktop, analyzer_of([*AS_TAUGHT, *pages])):
        wait_until(lambda: stands(run), what="that it stands")
        yield run, desktop


def opened(run: Execution, user: Any) -> Lesson:
    last = run.steps.order_by("index").last()
    return begin_mending(run, last.index if last else 0, user=user)


def asked(teacher: Teacher, **message: Any) -> dict[str, Any]:
    """What a change would do."""
    before = len(teacher.told)
    teacher.send(type="mend", **message)
    kinds = ("mending", "trouble")
    return teacher.until(
        lambda: next((m for m in teacher.told[before:] if m["type"] in kinds), None), what=f"an answer to {message}"
    )


def kept(teacher: Teacher, **message: Any) -> None:
    before = len(teacher.told)
    teacher.send(type="mend", keep=True, **message)
    teacher.until(lambda: any(m["type"] == "mended" for m in teacher.told[before:]), what="that it is kept")


@pytest.mark.parametrize("world", [renamed], indirect=True)
def test_a_button_of_another_name_is_shown_and_the_run_goes_on(world, client_of) -> None:
    """S6.14: the run asks, it is mended on its picture, saved and resumed; what was done is not done again."""
    run, desktop = world
    assert desktop.screen == "two"
    designer = make_user("designer", "dora")
    lesson = opened(run, designer)
    assert lesson.kind == LessonKind.RUN
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        told = teacher.lesson["mend"]
        assert (told["target"], told["differs"], told["can_resume"]) == ("Go on", "", True)
        middle = BUTTON.center
        answer = asked(teacher, what="target", how="only", x=middle.x, y=middle.y)
        assert answer["said"] == "“Go on” looks like this from now on: Proceed."
        assert answer["target"]["here"] is True
        assert (answer["target"]["before"]["found"], answer["target"]["after"]["found"]) == (0, 1)
        assert not publish_pending(run)
        kept(teacher, what="target", how="only", x=middle.x, y=middle.y)
    target = run.version.workflow.edges.get(edge_id="two_three").target
    assert target is not None
    assert (target.target_id, target.label, target.text) == ("go_two", "Go on", "Proceed")
    answer = client_of(designer).post(
        f"/api/lessons/{lesson.lesson_id}/resume/", {"note": "renamed"}, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["run"]) == (200, {"resumed": True, "why": ""})
    wait_until(lambda: Execution.objects.get(pk=run.pk).is_final, what="its end")
    assert state(run) == ExecutionState.COMPLETED
    assert sum(act.kind == "click" for act in desktop.log) == 2


def publish_pending(run: Execution) -> bool:
    """Whether showing what it would change has written anything."""
    target = run.version.workflow.edges.get(edge_id="two_three").target
    return target is None or target.text != "Go on"


@pytest.mark.parametrize("world", [changed], indirect=True)
def test_a_screen_that_looks_otherwise_is_said_to_be_it_and_known_from_then_on(world, client_of) -> None:
    """S6.14: one look more; texts that it does not say any more are not asked for; nothing is written before."""
    run, desktop = world
    assert run.state == ExecutionState.PAUSED
    designer = make_user("designer", "dora")
    lesson = opened(run, designer)
    workflow = run.version.workflow
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        shown = teacher.lesson["pictures"]
        assert lesson.pictures[shown["at"]]["picture"] == run.pause_detail["picture"]
        answer = asked(teacher, what="look", node_id="two")
        assert "“Two”" in answer["said"]
        assert "Page two" in answer["said"]
        assert answer["said"].endswith("no more by Page two but by Second sheet.")
        [change] = [one for one in answer["changes"] if one["where"] in ("this picture", "taught: “Two”")]
        assert (change["was"], change["now"], change["verdict"]) == ("", "Two", "better")
        assert workflow.nodes.get(node_id="two").texts == ["Page two"]
        assert workflow.nodes.get(node_id="two").looks.count() == 0
        kept(teacher, what="look", node_id="two")
        teacher.until(lambda: teacher.screen.get("name") == "Two", what="that it is known")
    assert workflow.nodes.get(node_id="two").texts == ["Second sheet"]
    answer = client_of(designer).post(f"/api/lessons/{lesson.lesson_id}/resume/", {}, content_type="application/json")
    assert answer.json()["run"]["resumed"] is True, answer.json()
    wait_until(lambda: Execution.objects.get(pk=run.pk).is_final, what="its end")
    assert state(run) == ExecutionState.COMPLETED
    assert sum(act.kind == "click" for act in desktop.log) == 2


def bare() -> list[Any]:
    """Page two says nothing any more but what its button says."""
    one, two, three = screens("one", "two", "three")
    return [one, replace(two, widgets=[w for w in two.widgets if not isinstance(w, TextLabel)]), three]


@pytest.mark.parametrize("world", [changed], indirect=True)
def test_a_run_that_ended_where_it_stood_is_mended_from_there(world, client_of) -> None:
    """The next morning: nobody was there while it stood still."""
    run, _desktop = world
    picture = run.pause_detail["picture"]
    control.stop(execution_id=run.execution_id)
    wait_until(lambda: state(run) == ExecutionState.STOPPED, what="its end")
    run.refresh_from_db()
    designer = make_user("designer", "dora")
    (pause,) = pauses(run)
    told = client_of(designer).get(f"/runs/{run.execution_id}/pauses/{pause.seq}/told").json()
    assert told["mend"] == run.steps.order_by("index").last().index
    assert told["step"]["candidates"][0]["name"]
    lesson = begin_mending(run, told["mend"], user=designer)
    assert lesson.pictures[lesson.showing]["picture"] == picture


@pytest.mark.parametrize("world", [bare], indirect=True)
def test_a_screen_that_says_nothing_of_its_own_is_not_said_to_be_it(world) -> None:
    """S6.14: any page of that window with that button would be it from then on."""
    run, _desktop = world
    lesson = opened(run, make_user("designer", "dora"))
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        answer = asked(teacher, what="look", node_id="two", keep=True)
        assert answer.get("text") == "Nothing is written here that would tell it from others."
    assert run.version.workflow.nodes.get(node_id="two").texts == ["Page two"]


@pytest.mark.parametrize("world", [changed], indirect=True)
def test_what_stands_in_the_way_is_told_and_the_version_is_there(world, client_of) -> None:
    """S6.14: the screen that it stands on is another one in the draft: published, and the run stays as it is."""
    run, _desktop = world
    designer = make_user("designer", "dora")
    run.version.workflow.edges.filter(edge_id="one_two").update(action_type="double_click")
    lesson = opened(run, designer)
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.lesson, what="the lesson")
        assert "The draft is not version 1" in teacher.lesson["mend"]["differs"]
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        kept(teacher, what="look", node_id="two")
    answer = client_of(designer).post(f"/api/lessons/{lesson.lesson_id}/resume/", {}, content_type="application/json")
    told = answer.json()
    assert told["version"]["number"] == 2
    assert told["run"]["resumed"] is False
    assert "is another one, or gone, in the new version" in told["run"]["why"]
    assert (state(run), Execution.objects.get(pk=run.pk).version.number) == (ExecutionState.PAUSED, 1)


@pytest.mark.parametrize("world", [renamed], indirect=True)
def test_what_cannot_be_done_is_said_and_changes_nothing(world) -> None:
    run, _desktop = world
    lesson = opened(run, make_user("designer", "dora"))
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        assert asked(teacher, what="look", node_id="nowhere")["text"] == "There is no such screen in the draft."
        assert asked(teacher, what="dialog", press="OK")["text"] == "No dialog lies over a known screen here."
        assert asked(teacher, what="target", how="also")["type"] == "trouble"
        assert asked(teacher, what="all")["type"] == "trouble"
    assert run.version.workflow.latest_version().number == 1


@pytest.mark.parametrize("world", [renamed], indirect=True)
def test_designers_mend_and_whoever_resumes_may_operate_and_publish(world, client_of, make_user) -> None:
    run, _desktop = world
    dora, dan = make_user("dora", "designer"), make_user("dan", "designer")
    page = client_of(dora).get(f"/teach/mend/{run.execution_id}/2")
    assert (page.status_code, Lesson.objects.count()) == (200, 0)
    began = client_of(dora).post(f"/teach/mend/{run.execution_id}/2")
    lesson = Lesson.objects.get()
    assert began.headers["Location"] == f"/teach/{lesson.lesson_id}"
    assert client_of(dan).post(f"/teach/mend/{run.execution_id}/2").status_code == 409
    path = f"/api/lessons/{lesson.lesson_id}/resume/"
    assert client_of(dan).post(path, {}, content_type="application/json").status_code == 409
    assert client_of(make_user("oe", "operator")).post(path, {}, content_type="application/json").status_code == 403
    with pytest.raises(LessonTaken):
        opened(run, dan)
    assert client_of(dora).post(f"/teach/mend/{run.execution_id}/99").status_code == 422


DIALOG = {
    "title": "Note",
    "window": "Note",
    "texts": ["Second sheet", "Go on"],
    "box": [0.1, 0.1, 0.5, 0.5],
    "buttons": [{"text": "Go on", "box": [0.3, 0.5, 0.1, 0.1]}],
}


@pytest.mark.parametrize("world", [changed], indirect=True)
def test_a_dialog_that_may_come_is_pressed_each_time_or_asked_about(world) -> None:
    """S6.14: as the run was paused for it; a button that it has not is refused."""
    run, _desktop = world
    Execution.objects.filter(pk=run.pk).update(pause_detail={**run.pause_detail, "dialog": DIALOG})
    run.refresh_from_db()
    lesson = opened(run, make_user("designer", "dora"))
    workflow = run.version.workflow
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("dialog"), what="the dialog")
        assert (
            asked(teacher, what="dialog", press="Cancel")["text"] == "The dialog has not exactly one button “Cancel”."
        )
        assert asked(teacher, what="dialog", press="")["text"].startswith("It is not taught")
        assert (
            asked(teacher, what="dialog", press="Go on")["said"] == "When “Note” comes, “Go on” is pressed each time."
        )
        workflow.refresh_from_db()
        assert workflow.popups == []
        kept(teacher, what="dialog", press="Go on")
        workflow.refresh_from_db()
        popup = {"name": "Note", "texts": ["Second sheet"], "window_title": "Note", "click": "Go on"}
        assert workflow.popups == [popup]
        kept(teacher, what="dialog", press="")
        workflow.refresh_from_db()
        assert workflow.popups == []


def draft(workflow: Any) -> dict[str, Any]:
    """Every row of the draft with every column of it, but when it was changed last."""
    models = (type(workflow), Node, Target, Edge, Variable)
    rows = {m.__name__: [r for r in m.objects.order_by("pk").values() if r.pop("updated_at", True)] for m in models}
    looks = {node.pk: sorted(node.looks.values_list("digest", flat=True)) for node in workflow.nodes.all()}
    return {**rows, "looks": looks}


@pytest.mark.parametrize("world", [changed], indirect=True)
@pytest.mark.parametrize("whats", [("look", "dialog", "target"), ("new_screen",)])
@pytest.mark.slow
def test_undo_takes_each_mend_back_and_the_draft_is_as_it_was(world, whats) -> None:
    """S6.9, S6.14: the last one first, like any other step; what is shown is looked up anew."""
    run, _desktop = world
    Execution.objects.filter(pk=run.pk).update(pause_detail={**run.pause_detail, "dialog": DIALOG})
    run.refresh_from_db()
    lesson = opened(run, make_user("designer", "dora"))
    workflow = run.version.workflow
    middle = BUTTON.center
    mends: dict[str, dict[str, Any]] = {
        "new_screen": {"common": True},
        "dialog": {"press": "Go on"},
        "look": {"node_id": "two"},
        "target": {"how": "also", "x": middle.x, "y": middle.y},
    }
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("dialog"), what="the dialog")
        before = []
        for what in whats:
            before.append(draft(workflow))
            said = asked(teacher, what=what, **mends[what])["said"]
            assert draft(workflow) == before[-1], "nothing is written before"
            kept(teacher, what=what, **mends[what])
            assert draft(workflow) != before[-1], what
            n = len(before)
            teacher.until(lambda n=n: len(teacher.steps()) == n, what=f"a step for {what}")
            assert teacher.steps()[-1]["sentence"] == said
        if whats == ("new_screen",):
            assert "may come at any time" in said
            assert "Second sheet" in workflow.nodes.get(is_common=True).texts
        for was in reversed(before):
            taken = len(teacher.told)
            left = len(teacher.steps()) - 1
            last = teacher.steps()[-1]["sentence"]
            teacher.send(type="undo", n=1)
            teacher.until(lambda n=left: len(teacher.steps()) == n, what="that it is taken back")
            [told] = [m["text"] for m in teacher.told[taken:] if m["type"] == "told"]
            assert told == f"Taken back from the draft: {last}."
            assert draft(workflow) == was
        teacher.until(lambda: teacher.screen.get("state") == "new", what="that it is unknown again")
        kept(teacher, what="look", node_id="two")
        teacher.until(lambda: teacher.screen.get("name") == "Two", what="that it can be said again")


@pytest.mark.parametrize("world", [changed], indirect=True)
def test_a_mend_is_taken_back_by_undo_alone_and_brings_no_picture_back_that_was_given_up(world, client_of) -> None:
    """S6.9, S10.4: out of its order it would put back what was changed since."""
    run, _desktop = world
    designer = make_user("designer", "dora")
    lesson = opened(run, designer)
    workflow = run.version.workflow
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("state") in ("new", "known"), what="that it was read")
        kept(teacher, what="look", node_id="two")
        teacher.until(lambda: teacher.steps(), what="its step")
        [step] = teacher.steps()
        answer = client_of(designer).post(
            f"/api/lessons/{lesson.lesson_id}/steps/{step['index']}/remove/", {}, content_type="application/json"
        )
        assert answer.status_code == 422
        assert workflow.nodes.get(node_id="two").texts == ["Second sheet"]
    mended = lesson.steps.get(act="mend")
    [was] = [value for value in mended.was.values() if value]
    was["looks"] = ["a" * 64]
    was["reference"] = "b" * 64
    gone = without_pictures(mended.was, {"a" * 64, "b" * 64})
    [was] = gone.values()
    assert (was["looks"], was["reference"], was["texts"]) == ([], None, ["Page two"])
