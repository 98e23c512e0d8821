"""What once brought a lesson to where nothing goes on, each by itself (S6.1); any order: `test_any_lesson`."""

from __future__ import annotations

from typing import Any

import pytest

from execution.choices import LessonStepState
from execution.lesson import onlooking, typing
from execution.lesson.editing import change_screen, change_step, change_variable, remove_step
from execution.models import Lesson
from tests.doubles.scripted import ScriptedDesktop
from tests.support.played_lesson import PEOPLE, PlayedLesson, analyzer, ward
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ward()


@pytest.fixture
def played(desktop: ScriptedDesktop, monkeypatch: pytest.MonkeyPatch) -> PlayedLesson:
    monkeypatch.setattr(typing, "IDLE_S", 0.0)
    monkeypatch.setattr(onlooking, "IDLE_S", 0.0)
    workflow = Workflow.objects.create(workflow_id="wf_ward", name="Ward")
    return PlayedLesson(Lesson.objects.create(workflow=workflow), desktop, *analyzer())


def at(played: PlayedLesson, screen: str) -> PlayedLesson:
    """That screen shows, by itself."""
    played.comes(screen)
    return played


def states(played: PlayedLesson) -> list[str]:
    return list(played.lesson.steps.values_list("state", flat=True))


def test_a_field_that_was_asked_about_and_filled_in_is_not_asked_about_again(played: PlayedLesson) -> None:
    """Click and text are one step: it keeps the answer with the question."""
    at(played, "form").click("note")
    played.answer("nth")
    assert played.send(type="type", text="ward 7") == ""
    played.look()
    step = played.lesson.steps.kept().get()
    assert (step.act, bool(step.question), step.answered["code"]) == ("type_text", True, "nth")
    assert played.told()["question"] is None


def test_a_question_is_answered_after_the_screen_that_it_was_asked_on_was_another_for_a_moment(
    played: PlayedLesson,
) -> None:
    """The screen on the way was made by the step before, and went with it."""
    played.click("open1")
    played.answer("nth")
    at(played, "form").click("note")
    assert played.question()
    for screen in ("saved", "form"):
        at(played, screen)
    assert played.answer("nth") == ""
    assert played.told()["question"] is None


def test_what_is_typed_without_being_kept_ends_the_text_before(played: PlayedLesson) -> None:
    """Of two acts one is being done."""
    at(played, "form").click("note", keep=False)
    assert played.send(type="type", text="ward") == ""
    assert played.send(type="type", text="secret", keep=False) == ""
    assert states(played)[-2:] == [LessonStepState.DONE, LessonStepState.UNKEPT]


def test_a_step_taken_back_takes_the_variable_with_it_that_was_made_for_it(played: PlayedLesson) -> None:
    """Else a value is asked for that is used nowhere, and nothing can be published."""
    played.click("open1")
    played.answer(f"value:{PEOPLE[1]}", variable="patient")
    at(played, "form").hand_types("ward 7")
    played.look()
    variables = played.lesson.workflow.variables
    assert set(variables.values_list("name", flat=True)) == {"patient", "secret"}
    played.send(type="undo", n=2)
    assert not variables.exists()
    assert played.told()["values"] == []


def test_a_variable_that_another_step_uses_stays_when_its_first_step_is_taken_back(played: PlayedLesson) -> None:
    played.click("open1")
    played.answer(f"value:{PEOPLE[1]}", variable="patient")
    at(played, "form").click("note", keep=False)
    played.send(type="type", text=PEOPLE[1])
    played.look()
    first, second = played.lesson.steps.kept()
    assert second.params["text"] == "{{patient}}"
    played.send(type="undo", n=1)
    assert played.lesson.workflow.variables.get().name == "patient"
    assert first.pk == played.lesson.steps.kept().get().pk


def test_a_variable_made_of_what_a_step_types_goes_with_the_step(played: PlayedLesson) -> None:
    at(played, "form").click("note", keep=False)
    played.send(type="type", text="ward 7")
    played.look()
    step = played.lesson.steps.kept().get()
    change_step(played.lesson, step.index, value={"kind": "variable", "name": "ward"})
    played.send(type="draft_changed")
    assert played.lesson.workflow.variables.get().name == "ward"
    played.send(type="undo", n=1)
    assert not played.lesson.workflow.variables.exists()


def test_a_value_that_is_read_no_more_is_put_into_no_other_step(played: PlayedLesson) -> None:
    """Else a step names a value that no run has."""
    at(played, "record0")
    played.send(type="look", act="read_value", x=170, y=186)
    played.look()
    read = played.lesson.steps.kept().get()
    assert read.params.get("name"), states(played)
    assert played.lesson.workflow.edges.exists()
    played.send(type="undo", n=1)
    at(played, "form").click("note", keep=False)
    played.send(type="type", text="A-1000")
    played.look()
    assert [edge.params["text"] for edge in played.lesson.workflow.edges.filter(action_type="type_text")] == ["A-1000"]


def test_a_step_deleted_that_led_on_can_be_followed_by_undoing_all_after_it(played: PlayedLesson) -> None:
    """No screen is left to which no way leads, and which nobody can remove."""
    played.click("open1")
    played.answer("nth")
    played.look()
    played.click("form")
    played.look()
    first, _second = played.lesson.steps.kept()
    remove_step(played.lesson, first.index)
    played.send(type="draft_changed")
    assert played.why_not_published()
    played.send(type="undo", n=1)
    assert [node.is_entry for node in played.lesson.workflow.nodes.all()] == [True]


def test_a_screen_that_came_by_itself_goes_with_the_step_done_on_it(played: PlayedLesson) -> None:
    at(played, "record0").click("form")
    played.look()
    assert [edge.action_type for edge in played.lesson.workflow.edges.order_by("pk")] == ["wait", "click"]
    played.send(type="undo", n=1)
    assert not played.lesson.workflow.edges.exists()
    assert played.lesson.workflow.nodes.get().is_entry


def test_a_screen_that_somebody_says_is_a_new_one_can_be_taken_back(played: PlayedLesson) -> None:
    """Nothing leads there, so that it could not be published with it."""
    assert played.send(type="new_screen") == ""
    assert played.lesson.workflow.nodes.count() == 2
    assert played.told()["steps"][0]["sentence"].startswith("It is a screen of its own")
    assert [node.is_end for node in played.lesson.workflow.nodes.order_by("pk")] == [False, True]
    played.send(type="undo", n=1)
    assert played.lesson.workflow.nodes.count() == 1


def test_a_text_by_hand_is_ended_before_a_held_click_is_done(played: PlayedLesson) -> None:
    played.click("open1")
    played.hand_types("x")
    assert played.answer("nth") == ""
    assert LessonStepState.DOING not in states(played)


def test_a_held_click_that_is_deleted_is_waited_for_no_more(played: PlayedLesson) -> None:
    played.click("open1")
    remove_step(played.lesson, int(played.question()["id"]))
    played.send(type="draft_changed")
    assert played.click("open1") == ""
    assert played.question()


def test_a_text_that_is_deleted_while_it_is_typed_stays_deleted(played: PlayedLesson) -> None:
    at(played, "form").click("note", keep=False)
    played.send(type="type", text="ward 7")
    (step,) = played.told()["steps"]
    remove_step(played.lesson, step["index"])
    played.send(type="draft_changed")
    played.look()
    assert played.told()["steps"] == []
    assert not played.lesson.workflow.edges.exists()
    played.send(type="type", text="ward")
    played.look()
    assert [one["value"]["text"] for one in played.told()["steps"]] == ["ward"]


def test_a_screen_taken_back_is_told_from_no_other_any_more(played: PlayedLesson) -> None:
    """Else what it says must be on no other screen, and one that comes to say it is known no more."""
    at(played, "record0").click("form")
    played.look()
    form = played.lesson.workflow.nodes.get(incoming__action_type="click")
    assert form.absent == []
    played.click("leave")
    played.look()
    form.refresh_from_db()
    assert form.absent == ["Discard what you wrote?"]
    played.send(type="undo", n=1)
    form.refresh_from_db()
    assert form.absent == []


def test_the_first_screen_stays_an_end_where_somebody_said_so(played: PlayedLesson) -> None:
    first = played.lesson.workflow.nodes.get()
    change_screen(played.lesson, first.node_id, is_end=True)
    played.send(type="draft_changed")
    played.click("open1")
    played.answer("nth")
    played.send(type="undo", n=1)
    first.refresh_from_db()
    assert first.is_end


def unread_click(played: PlayedLesson, widget: str) -> None:
    """Done at once, as reading takes too long; asked about when it is read."""
    played.sight.can_read = False
    played.click(widget)
    played.sight.can_read = True


def ways(played: PlayedLesson) -> list[tuple[str, str, str]]:
    edges = played.lesson.workflow.edges.order_by("pk")
    return [(edge.action_type, edge.source.name, edge.destination.name) for edge in edges]


def test_a_click_asked_about_after_it_was_done_is_kept_where_it_was_done(played: PlayedLesson) -> None:
    """By the time it is answered what it led to shows, and was read."""
    at(played, "record0")
    at(played, "list")
    played.send(type="same_screen", node_id=played.lesson.workflow.nodes.get().node_id)
    unread_click(played, "open1")
    played.look()
    played.answer("nth")
    assert ways(played) == [("click", "Waiting list - Ward", "Record - Ward")]
    played.click("form")
    played.look()
    assert ways(played)[1:] == [("click", "Record - Ward", "New note - Ward")]


def test_what_shows_while_a_click_is_asked_about_is_no_effect_of_the_step_before(played: PlayedLesson) -> None:
    at(played, "saved").click("back")
    played.look()
    before = ways(played)
    unread_click(played, "open1")
    played.look()
    played.send(type="cancel", question=played.question()["id"])
    assert ways(played) == before


def test_a_screen_asked_about_late_goes_with_all_that_was_waited_for(played: PlayedLesson) -> None:
    unread_click(played, "open0")
    played.send(type="new_screen")
    played.answer("nth")
    played.send(type="undo", n=5)
    assert played.lesson.workflow.nodes.get().is_entry


def test_a_variable_goes_with_the_text_into_which_the_click_became(played: PlayedLesson) -> None:
    """Click and text are one step, which has what was made for the click."""
    played.desktop.memory["room"] = PEOPLE[0]
    at(played, "form").click("room")
    played.answer("runs_value", variable="whose")
    played.send(type="type", text="ward 7")
    played.look()
    assert played.lesson.workflow.variables.get().name == "whose"
    played.send(type="undo", n=1)
    assert not played.lesson.steps.kept().exists()
    assert not played.lesson.workflow.variables.exists()


def test_a_variable_for_a_target_that_is_none_is_not_asked_for(played: PlayedLesson) -> None:
    """It would be asked for and used nowhere."""
    at(played, "form").click("note")
    played.answer("nth", variable="which")
    assert played.told()["steps"][0]["detail"].startswith("This step was kept without what it acts on")
    assert not played.lesson.workflow.variables.exists()


def test_a_text_is_typed_on_while_the_screen_of_the_step_before_is_deleted(played: PlayedLesson) -> None:
    at(played, "record0")
    played.send(type="act", act="scroll", x=90, y=417, dy=2)
    played.send(type="type", text="b")
    remove_step(played.lesson, played.lesson.steps.kept().get().index)
    played.send(type="draft_changed")
    played.look()
    assert [step["state"] for step in played.told()["steps"]] == ["done"]


def test_a_typed_text_is_itself_again_when_the_click_is_taken_back_that_made_it_a_variable(
    played: PlayedLesson,
) -> None:
    at(played, "form").click("room", keep=False)
    played.send(type="type", text=PEOPLE[1])
    at(played, "list").click("open1")
    played.answer(f"typed:{PEOPLE[1]}")
    typed = played.lesson.workflow.edges.get(action_type="type_text")
    assert typed.params["text"] == "{{value}}"
    played.send(type="undo", n=1)
    typed.refresh_from_db()
    assert typed.params["text"] == PEOPLE[1]
    assert not played.lesson.workflow.variables.exists()


def test_where_a_run_ends_is_said_anew_when_a_step_is_deleted(played: PlayedLesson) -> None:
    played.click("open1")
    played.answer("nth")
    played.look()
    played.click("form")
    played.look()
    remove_step(played.lesson, played.lesson.steps.kept().last().index)
    played.send(type="draft_changed")
    assert [(node.name, node.is_end) for node in played.lesson.workflow.nodes.order_by("pk")] == [
        ("Waiting list - Ward", False),
        ("Record - Ward", True),
    ]
    assert played.why_not_published() == []


def test_a_variable_that_was_given_another_name_goes_with_its_step(played: PlayedLesson) -> None:
    played.click("open1")
    played.answer(f"value:{PEOPLE[1]}", variable="patient")
    change_variable(played.lesson, "patient", {"name": "whose"})
    played.send(type="draft_changed")
    played.send(type="undo", n=1)
    assert not played.lesson.workflow.variables.exists()


@pytest.mark.security
def test_a_text_that_a_variable_replaced_is_kept_nowhere_once_it_is_secret(played: PlayedLesson) -> None:
    """S10.4: neither to be put back by Undo."""
    at(played, "form").click("room", keep=False)
    played.send(type="type", text=PEOPLE[1])
    at(played, "list").click("open1")
    played.answer(f"typed:{PEOPLE[1]}")
    change_variable(played.lesson, "value", {"kind": "secret"})
    played.send(type="draft_changed")
    assert not [step.made for step in played.lesson.steps.all() if PEOPLE[1] in str(step.made)]


def repeated(played: PlayedLesson) -> tuple[int, dict[str, Any]]:
    """Done for each line of its list; the index of that step, and the draft before."""
    played.click("open0")
    played.answer("nth")
    played.look()
    played.click("form")
    played.look()
    played.send(type="undo", n=1)
    step, nodes = played.lesson.steps.kept().get(), played.lesson.workflow.nodes
    for node in nodes.all():
        change_screen(played.lesson, node.node_id, texts=[{"text": PEOPLE[0], "kind": "tells"}])
    before = played.draft()
    assert played.send(type="repeat", step=step.index, counter="n", most=3) == ""
    assert not [node for node in nodes.all() if PEOPLE[0] in node.texts]
    return step.index, before


def test_a_repetition_that_is_ended_gives_back_what_it_dropped(played: PlayedLesson) -> None:
    index, before = repeated(played)
    change_step(played.lesson, index, repeat=None)
    played.send(type="draft_changed")
    now = played.draft()
    assert [now[name] for name in ("nodes", "edges")] == [before[name] for name in ("nodes", "edges")]


def test_a_repetition_with_another_counter_ends_as_one_that_was_never_begun(played: PlayedLesson) -> None:
    index, before = repeated(played)
    assert played.send(type="repeat", step=index, counter="line", most=2) == ""
    change_step(played.lesson, index, repeat=None)
    played.send(type="draft_changed")
    assert played.draft()["edges"] == before["edges"]


def test_a_step_that_is_taken_back_gives_back_what_its_repetition_dropped(played: PlayedLesson) -> None:
    repeated(played)
    played.send(type="undo", n=1)
    assert PEOPLE[0] in played.lesson.workflow.nodes.get().texts
    assert not played.lesson.workflow.edges.exists()


def test_a_variable_and_a_value_that_is_read_have_names_of_their_own(played: PlayedLesson) -> None:
    """One would stand in the place of the other in a run."""
    at(played, "form").click("room", keep=False)
    played.send(type="type", text=PEOPLE[1])
    at(played, "record0")
    assert played.send(type="look", act="read_value", x=170, y=186, name="value") == ""
    at(played, "list").click("open1")
    played.answer(f"typed:{PEOPLE[1]}")
    assert played.lesson.workflow.variables.get().name == "value_2"
    at(played, "record0")
    assert played.send(type="look", act="read_value", x=170, y=186, name="value_2") != ""


def test_no_answer_gives_a_variable_another_value(played: PlayedLesson) -> None:
    """What was taught with it would be of somebody else."""
    played.click("open0")
    played.answer(f"value:{PEOPLE[0]}", variable="patient")
    at(played, "list").click("open1")
    assert played.answer(f"value:{PEOPLE[1]}", variable="patient") != ""
    assert played.question()
    assert played.answer(f"value:{PEOPLE[1]}", variable="the other") == ""
    assert Lesson.objects.get().values == {"patient": PEOPLE[0], "the_other": PEOPLE[1]}


def test_what_is_chosen_beside_a_control_is_refused_and_said_why(played: PlayedLesson) -> None:
    """The picture had moved under the pointer: of five places that look alike none was the combo box."""
    at(played, "form")
    params = {"option": "Vegetarian"}
    why = played.send(id="1", type="set", act="choose", x=600, y=440, params=params)
    assert why.startswith("Nothing is there that could be set")
    assert played.asked() is None
    assert not played.lesson.steps.kept().exists()
