"""A lesson on a scripted desktop, from the line of a browser to the rows of the draft (S6.1, S6.10, S6.11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from execution.actions.teach import close_lesson, come_back
from execution.choices import ExecutionState, LessonState, LessonStepState
from execution.lesson import editing, here, recorder
from execution.lesson.concealing import conceal
from execution.lesson.sight import Sight
from execution.models import Execution, Lesson
from execution.running.lesson_session import LessonSession
from execution.turn.workflow_stages import WorkflowStages
from execution.types import Box, Point, ScreenState
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Field, TextLabel
from tests.execution.lesson.scripted_lesson import (
    FIRST,
    PEOPLE,
    SECOND,
    answers,
    goes_on,
    question_of,
    queue_of,
    record,
)
from tests.factories import make_user
from tests.support.display import wait_until
from tests.support.scripted import BUTTON, publish_line, queue, screens
from tests.support.teaching import Teacher, taught_on, teacher_of
from workflows.models import Variable, Workflow

OPENS = {f"open{number}": f"record{number}" for number in range(3)}
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


def test_a_click_is_done_and_kept_with_the_screens_it_leads_from_and_to(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    """S6.1, S6.10: pages are a line of nodes, and no screen is made twice."""
    goes_on(teacher)
    assert desktop.screen == "two"
    edge = lesson.workflow.edges.get()
    assert (edge.source.name, edge.destination.name) == ("One - Forms", "Two - Forms")
    assert edge.action_type == "click"
    assert edge.target is not None
    assert edge.target.text == "Go on"
    first = lesson.workflow.nodes.get(is_entry=True)
    assert (first.texts, first.window_box) == (["Page one", "Go on"], [0.0, 0.0, 1.0, 1.0])
    goes_on(teacher, 3)
    assert [(e.source.name, e.destination.name) for e in lesson.workflow.edges.all()] == [
        ("One - Forms", "Two - Forms"),
        ("Two - Forms", "Three - Forms"),
    ]
    assert [(n.is_entry, n.is_end) for n in lesson.workflow.nodes.all()] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    assert [step["detail"] for step in teacher.steps()] == ["", ""]  # what was no end before needs no word


def test_going_back_to_a_known_screen_is_another_way_to_the_same_node(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    """S6.10, S6.13"""
    goes_on(teacher)
    desktop._screens["two"].on["key:alt+left"] = "one"
    assert teacher.do(type="keys", keys="alt+left")["state"] == "done"
    teacher.until(lambda: teacher.screen.get("name") == "One - Forms", what="the first screen again")
    assert lesson.workflow.nodes.count() == 2
    back = lesson.workflow.edges.get(action_type="press_keys")
    assert (back.source.name, back.destination.name) == ("Two - Forms", "One - Forms")
    assert back.params == {"keys": "alt+left"}


# --- typing ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def form() -> ScriptedDesktop:
    page, *others = screens("form", "end")
    note = Field(name="note", label="Note", box=Box(300, 200, 400, 120), lines=4)
    page = replace(page, widgets=[*page.widgets, note])
    return ScriptedDesktop([page, *others])


@pytest.fixture
def form_lesson(form: ScriptedDesktop) -> Iterator[Lesson]:
    workflow = Workflow.objects.create(workflow_id="wf_form", name="Form")
    with taught_on(form, user=make_user("designer"), workflow=workflow) as lesson:
        yield lesson


@pytest.fixture
def writer(form_lesson: Lesson) -> Iterator[Teacher]:
    with teacher_of(form_lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        teacher.click(Box(300, 200, 400, 120))
        yield teacher


def typed(lesson: Lesson) -> list[tuple[str, Any]]:
    return [(edge.action_type, edge.params) for edge in lesson.workflow.edges.exclude(action_type="click")]


@pytest.mark.slow
def test_pieces_of_text_with_backspaces_and_line_breaks_are_one_step(
    writer: Teacher, form_lesson: Lesson, form: ScriptedDesktop
) -> None:
    """S6.1: dead keys and pastes arrive as whole characters; typing is one step however it came."""
    for piece in ("É", "lis", "x"):
        assert writer.do(type="type", text=piece)["state"] == "done"
    writer.do(type="keys", keys="backspace")
    writer.do(type="type", text="e\n漢字 🙂")
    writer.do(type="keys", keys="enter")
    writer.do(type="type", text="Ende")
    assert form.memory["note"] == "Élise\n漢字 🙂\nEnde"
    goes_on(writer)
    assert typed(form_lesson) == [("type_text", {"text": "Élise\n漢字 🙂\nEnde"})]


def test_a_line_that_is_a_variables_value_is_that_variable_in_a_longer_text(form: ScriptedDesktop) -> None:
    """A cell by its name, Enter, then what is put there: a run with another value must not put this one."""
    workflow = Workflow.objects.create(workflow_id="wf_form", name="Form")
    for name in ("amount", "bed"):  # of the same value here: the first that was made
        Variable.objects.create(workflow=workflow, name=name, example="71")
    with taught_on(form, user=make_user("designer"), workflow=workflow) as lesson, teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        teacher.click(Box(300, 200, 400, 120))
        teacher.do(type="type", text="C5")
        teacher.do(type="keys", keys="enter")
        teacher.do(type="type", text="71")
        goes_on(teacher)
        assert typed(lesson) == [("type_text", {"text": "C5\n{{amount}}"})]


def test_a_field_that_was_clicked_and_typed_in_is_one_step_and_the_same_screen_still(
    writer: Teacher, form_lesson: Lesson
) -> None:
    """S6.10, S6.12: a form is one node with a step for each of its fields."""
    writer.do(type="type", text="Marie")
    goes_on(writer)
    edges = [(e.action_type, e.source.name, e.destination.name) for e in form_lesson.workflow.edges.all()]
    assert edges == [
        ("type_text", "Form - Forms", "Form - Forms"),
        ("click", "Form - Forms", "End - Forms"),
    ]
    entered = form_lesson.workflow.edges.get(action_type="type_text")
    assert entered.target is not None
    assert [step["act"] for step in writer.steps()] == ["type_text", "click"]


def test_a_screen_on_which_the_last_step_stays_is_where_a_run_ends(writer: Teacher, form_lesson: Lesson) -> None:
    """S6.12: what is typed, read or seen last has no screen after it."""

    def ends() -> list[bool]:
        return [node.is_end for node in form_lesson.workflow.nodes.order_by("pk")]

    writer.do(type="type", text="Marie")
    writer.until(lambda: ends() == [True], what="one screen, the last")
    writer.click(BUTTON)
    writer.until(lambda: ends() == [False, True], what="another last screen")
    assert writer.do(type="keys", keys="end")["state"] == "done"
    writer.until(lambda: form_lesson.workflow.edges.count() == 3, what="the last step")
    assert ends() == [False, True]


@pytest.mark.slow
def test_what_was_chosen_before_it_was_typed_over_is_cleared(writer: Teacher, form_lesson: Lesson) -> None:
    """S6.12"""
    writer.do(type="keys", keys="ctrl+a")
    writer.do(type="type", text="Anna")
    goes_on(writer)
    assert typed(form_lesson) == [("type_text", {"text": "Anna", "clear": True})]


# --- what could be several -------------------------------------------------------------------------------------------
@pytest.fixture
def queue_() -> ScriptedDesktop:
    records = [f"record{number}" for number in range(3)]
    return ScriptedDesktop([queue_of(*PEOPLE, to=OPENS), *map(record, records)])


@pytest.fixture
def queue_lesson(queue_: ScriptedDesktop) -> Iterator[Lesson]:
    workflow = Workflow.objects.create(workflow_id="wf_queue", name="Queue")
    with taught_on(queue_, user=make_user("designer"), workflow=workflow) as lesson:
        Variable.objects.create(workflow=workflow, name="patient", example="LEFEBVRE Marie")
        yield lesson


@pytest.fixture
def caller(queue_lesson: Lesson) -> Iterator[Teacher]:
    with teacher_of(queue_lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        teacher.send(type="draft_changed")
        yield teacher


def test_a_click_that_could_mean_several_is_held_and_the_line_of_a_value_is_offered_first(
    caller: Teacher, queue_lesson: Lesson, queue_: ScriptedDesktop
) -> None:
    """S6.11"""
    assert caller.click(SECOND)["state"] == "held"
    question = question_of(caller)
    assert queue_.screen == "queue"
    assert question["text"] == "There are 3 Open. What says that it is this one?"
    assert [a["code"] for a in question["answers"]] == ["row:patient", "nth", "this_place", "something_else"]
    assert question["answers"][0]["text"] == "The line of “patient”"
    assert question["answers"][0]["likely"]
    answers(caller, "row:patient")
    caller.until(lambda: len(caller.lesson["screens"]) == 2, what="the record")
    assert queue_.screen == "record1"
    target = queue_lesson.workflow.targets.get()
    assert target.evidence["row"] == ["{{patient}}"]


def test_what_tells_it_is_said_text_by_text_and_becomes_a_variable(
    caller: Teacher, queue_lesson: Lesson, queue_: ScriptedDesktop
) -> None:
    """S6.11: what does not tell it is refused with why, and is asked further; nothing is done."""
    assert caller.click(SECOND)["state"] == "held"
    question = question_of(caller)
    [own] = question["answers"][-1]["line"]
    assert (own["text"], own["variable"], own["known"]) == ("LEFEBVRE Marie", "patient", True)

    told = len(caller.told)
    answers(caller, "something_else", line=[{"text": "ROSSI Anna", "variable": ""}])
    caller.until(lambda: [m for m in caller.told[told:] if m["type"] == "trouble"], what="why not")
    assert caller.told[-1]["text"] == "Choose at least one text of its line."
    assert queue_.screen == "queue"
    answers(caller, "something_else", line=[{"text": "LEFEBVRE Marie", "variable": "Who is it"}])
    caller.until(lambda: len(caller.lesson["screens"]) == 2, what="the record")
    assert queue_.screen == "record1"
    assert queue_lesson.workflow.targets.get().evidence["row"] == ["{{who_is_it}}"]
    queue_lesson.refresh_from_db()
    assert queue_lesson.values["who_is_it"] == "LEFEBVRE Marie"


def test_a_value_that_is_said_while_the_pointer_rests_on_the_place_is_offered_at_once(
    caller: Teacher, queue_lesson: Lesson
) -> None:
    """What the place would be kept as is worked out anew once more is known."""
    at = {"x": SECOND.center.x, "y": SECOND.center.y}
    queue_lesson.workflow.variables.all().delete()
    caller.send(type="draft_changed")
    caller.send(type="pointer", **at)
    caller.until(lambda: [m for m in caller.told if m["type"] == "hover" and m.get("box")], what="what is there")
    Variable.objects.create(workflow=queue_lesson.workflow, name="whom", example="LEFEBVRE Marie")
    caller.send(type="draft_changed")
    assert caller.click(SECOND)["state"] == "held"
    question = question_of(caller)
    assert question["answers"][0]["code"] == "row:whom"


def test_whose_record_it_is_is_proposed_where_the_value_of_the_line_stands_on_the_screen_it_led_to(
    caller: Teacher, queue_lesson: Lesson, queue_: ScriptedDesktop
) -> None:
    """S9.6: agreed to once, it is asked of each step that follows there; and not of another screen's."""
    opened = queue_._screens["record1"]
    label = TextLabel(text="Name:", at=Point(60, 160), name="label")
    name = TextLabel(text="LEFEBVRE Marie", at=Point(160, 160), name="who")
    queue_._screens["record1"] = replace(opened, widgets=[*opened.widgets, label, name])
    caller.click(SECOND)
    answers(caller, "row:patient")
    told = caller.until(lambda: next((s["record"] for s in caller.steps() if s.get("record")), None), what="a proposal")
    wanted = [{"value": "{{patient}}", "label": "Name:"}]
    assert told == {"identity": wanted}
    caller.do(type="keys", keys="f9")
    caller.until(lambda: len(caller.steps()) == 2, what="a step on the record")
    assert [edge.identity for edge in queue_lesson.workflow.edges.filter(action_type="press_keys")] == [[]]
    index = next(s["index"] for s in caller.steps() if s.get("record"))
    editing.change_step(queue_lesson, index, record="accept")
    caller.send(type="draft_changed")
    caller.do(type="keys", keys="f8")
    caller.until(lambda: len(caller.steps()) == 3, what="another step on the record")
    edges = {e.action_type: e.identity for e in queue_lesson.workflow.edges.order_by("pk")}
    assert edges == {"click": [], "press_keys": wanted}
    assert [e.identity for e in queue_lesson.workflow.edges.filter(action_type="press_keys")] == [wanted, wanted]


def test_a_held_click_that_is_let_go_does_nothing(
    caller: Teacher, queue_lesson: Lesson, queue_: ScriptedDesktop
) -> None:
    caller.click(SECOND)
    question = question_of(caller)
    caller.send(type="cancel", question=question["id"])
    caller.until(lambda: not caller.lesson["question"], what="the end of the question")
    assert queue_.screen == "queue"
    assert not queue_lesson.workflow.edges.exists()
    assert queue_lesson.steps.get().state == LessonStepState.UNDONE
    assert caller.click(SECOND)["state"] == "held"


@pytest.mark.parametrize("at_once", [False, True], ids=["seen anew", "not seen yet"])
@pytest.mark.parametrize(
    ("people", "heading"),
    [
        (("MOREAU Zoe", "LEFEVRE Marie", "LEFEBVRE Marie"), "Waiting queue"),
        (PEOPLE, "Queue of Dr Roux"),
    ],
    ids=["a line on top", "another list of the same lines"],
)
def test_a_held_click_is_not_done_once_the_screen_has_changed(
    caller: Teacher,
    queue_lesson: Lesson,
    queue_: ScriptedDesktop,
    people: tuple[str, ...],
    heading: str,
    at_once: bool,
) -> None:
    """S6.11: while a person thinks, another record may come to the place that was clicked."""
    queue_._screens["queue2"] = queue_of(*people, to=OPENS, head=heading, name="queue2")
    assert caller.click(SECOND)["state"] == "held"
    question = question_of(caller)["id"]
    held, told = next(iter(caller.acted)), len(caller.told)
    queue_.show("queue2")
    if not at_once:
        caller.until(lambda: any(m["type"] == "screen" for m in caller.told[told:]), what="the screen, seen anew")
    caller.send(type="answer", question=question, choice="row:patient", values={})
    caller.until(lambda: caller.acted[held]["state"] != "held", what="what became of it")
    assert caller.acted[held]["state"] == "refused"
    assert caller.acted[held]["why"] == (
        "The screen has changed since you were asked, so nothing was done. Click again."
    )
    assert queue_.screen == "queue2"
    assert queue_lesson.steps.get(index=1).state == LessonStepState.UNDONE
    assert not queue_lesson.workflow.edges.exists()
    assert caller.click(SECOND)["state"] == "held"


def test_the_pointer_is_told_what_would_be_kept_and_what_is_like_it(caller: Teacher) -> None:
    caller.send(type="pointer", x=SECOND.center.x, y=SECOND.center.y)
    hover = caller.until(lambda: next((m for m in caller.told if m["type"] == "hover"), None), what="an answer")
    assert hover["sentence"] == "place on the screen “Open”, number 2 of 3"
    assert hover["ambiguous"]
    assert len(hover["alike"]) == 3


# --- taking back ---------------------------------------------------------------------------------------------------
def test_steps_that_are_taken_back_leave_the_draft_and_stay_done_on_the_desktop(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    """S6.1: what stays done is said."""
    goes_on(teacher, 2, 3)
    teacher.send(type="undo", n=2)
    told = teacher.until(lambda: next((m for m in teacher.told if m["type"] == "told"), None), what="what stays")
    assert told["text"] == "Taken back from the draft. On the desktop it stays done: Click “Go on”, Click “Go on”."
    assert desktop.screen == "three"
    assert not lesson.workflow.edges.exists()
    assert not lesson.workflow.targets.exists()
    assert [n.name for n in lesson.workflow.nodes.all()] == ["One - Forms"]
    assert {step.state for step in lesson.steps.all()} == {LessonStepState.UNDONE}


def test_after_taking_back_it_goes_on_from_what_shows(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    goes_on(teacher)
    teacher.send(type="undo", n=1)
    teacher.until(lambda: not teacher.steps(), what="no step")
    back_on_page_one(teacher, desktop)
    goes_on(teacher)
    assert lesson.workflow.edges.count() == 1


# --- each line -----------------------------------------------------------------------------------------------------
def test_what_is_no_line_of_a_list_is_not_repeated(teacher: Teacher, lesson: Lesson) -> None:
    """S6.13: one button alone, or keys."""
    goes_on(teacher)
    assert teacher.do(type="keys", keys="f9")["state"] == "done"
    teacher.until(lambda: len(teacher.steps()) == 2, what="both steps")
    for step in teacher.steps():
        assert teacher.do(type="repeat", step=step["index"], counter="n", most=20)["state"] == "refused"
    assert not lesson.workflow.edges.exclude(repeat={}).exists()


def test_the_first_line_may_be_meant_for_each_and_what_follows_is_not_known_by_it() -> None:
    """S6.13: said with the click, before what the line leads to was seen."""
    goods = ("Red cells", "Platelets", "Plasma")
    heads = (("Delivery", 60),)
    sheets = [
        replace(record(f"record{n}"), widgets=[TextLabel(text=t, at=Point(60, y)) for t, y in (*heads, (good, 120))])
        for n, good in enumerate(goods)
    ]
    desktop = ScriptedDesktop([queue_of(*goods, to=OPENS), *sheets])
    workflow = Workflow.objects.create(workflow_id="wf_goods", name="Goods")
    with taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson, teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        assert teacher.click(FIRST)["state"] == "held"
        [each] = [a for a in question_of(teacher)["answers"] if a["code"] == "each_line"]
        assert (each["text"], each["repeats"], len(each["boxes"])) == ("For each line of this list", True, 3)
        answers(teacher, "each_line", most=9)
        teacher.until(lambda: len(teacher.lesson["screens"]) == 2, what="the delivery")
        sheet = lesson.workflow.nodes.get(is_entry=False)
        teacher.until(lambda: sheet.refresh_from_db() or sheet.texts == ["Delivery"], what="no line in it")
        edge = lesson.workflow.edges.get()
        assert edge.repeat == {"counter": "n", "most": 9, "until": [], "steps": []}
        assert edge.expect["texts"] == ["Delivery"]
        assert edge.target is not None
        assert edge.target.evidence["number"] == "{{n}}"


def test_a_step_is_repeated_for_each_line_by_the_line_of_the_browser_until_that_is_ended(
    caller: Teacher, queue_lesson: Lesson, queue_: ScriptedDesktop
) -> None:
    """S6.13: what cannot be is refused in words, and nothing is changed; its target is as it was afterwards. Meanwhile
    the screen with the list is known without its lines."""
    assert caller.click(FIRST)["state"] == "held"
    answers(caller, "nth")
    caller.until(lambda: len(caller.lesson["screens"]) == 2, what="the record")
    [step] = caller.steps()
    assert caller.do(type="repeat", step=step["index"], counter="n", most=0)["state"] == "refused"
    edge = queue_lesson.workflow.edges.get()
    assert edge.target is not None
    was = edge.target.label, edge.target.evidence
    assert not edge.repeat
    caller.send(type="repeat", id="b", step=step["index"], counter="n", most=9, until=["No patient waits"], steps=[])
    caller.until(lambda: caller.steps()[0]["repeat"], what="a repetition")
    assert caller.steps()[0]["when"] == ["for each line “n” of the list, at most 9", "until “No patient waits” is seen"]
    target = queue_lesson.workflow.targets.get()
    assert (target.label, target.evidence["number"]) == ("line {{n}}", "{{n}}")
    listing = queue_lesson.workflow.nodes.get(is_entry=True)
    assert [region["kind"] for region in listing.regions] == ["list"]
    editing.change_step(queue_lesson, step["index"], repeat={"most": 5, "until": ["Nothing left"]})
    edge.refresh_from_db()
    assert edge.repeat == {"counter": "n", "most": 5, "until": ["Nothing left"], "steps": []}
    editing.change_step(queue_lesson, step["index"], repeat=None)
    edge.refresh_from_db()
    target.refresh_from_db()
    assert (edge.repeat, (target.label, target.evidence)) == ({}, was)
    listing.refresh_from_db()
    assert listing.regions == []


# --- looking -------------------------------------------------------------------------------------------------------
def test_a_text_that_must_be_seen_and_one_that_is_waited_for_do_nothing(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    """S6.12"""
    for kind in ("must_see", "wait_text"):
        assert teacher.do(type="look", act=kind, box=[50, 80, 300, 40])["state"] == "done"
    assert [(e.action_type, e.params) for e in lesson.workflow.edges.all()] == [
        ("must_see", {"text": "Page one"}),
        ("wait_text", {"text": "Page one"}),
    ]
    assert [act.kind for act in desktop.log if act.kind != "release_all"] == []
    refused = teacher.do(type="look", act="must_see", box=[900, 700, 50, 20])
    assert (refused["state"], refused["why"]) == (
        "refused",
        "Nothing was done. Nothing is written there that could be read.",
    )


def test_a_person_says_that_it_is_another_screen_or_the_same(teacher: Teacher, lesson: Lesson) -> None:
    """S6.10"""
    goes_on(teacher)
    first = lesson.workflow.nodes.get(is_entry=True)
    teacher.send(type="same_screen", node_id=first.node_id)
    teacher.until(lambda: teacher.screen.get("node_id") == first.node_id, what="the same screen")
    edge = lesson.workflow.edges.get()
    assert edge.source == edge.destination == first
    assert lesson.workflow.nodes.count() == 1


def test_what_was_done_on_a_screen_goes_with_it_to_the_one_that_it_is(teacher: Teacher, lesson: Lesson) -> None:
    """S6.20: said after something was done there, it moves the step that led there, too."""
    goes_on(teacher)
    first = lesson.workflow.nodes.get(is_entry=True)
    assert teacher.do(type="look", act="must_see", box=[50, 80, 300, 40])["state"] == "done"
    stray = lesson.workflow.nodes.exclude(pk=first.pk).get()
    assert {(e.source, e.destination) for e in lesson.workflow.edges.all()} == {(first, stray), (stray, stray)}
    teacher.send(type="same_screen", node_id=first.node_id)
    teacher.until(lambda: teacher.screen.get("node_id") == first.node_id, what="the same screen")
    assert {(e.source, e.destination) for e in lesson.workflow.edges.all()} == {(first, first)}
    assert lesson.workflow.nodes.get() == first
    teacher.send(type="undo", n=2)
    teacher.until(lambda: not lesson.workflow.edges.exists(), what="that both steps are taken back")
    assert lesson.workflow.nodes.get() == first


def test_what_was_edited_of_a_step_while_its_screen_was_looked_at_stays_so(
    teacher: Teacher, lesson: Lesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An offer that was taken is not offered again: the step is not written as it was remembered."""
    looked_up = here.place

    def edited_meanwhile(*args: Any, **more: Any) -> Any:
        for step in lesson.steps.kept():
            step.screen = {key: value for key, value in step.screen.items() if key != "offer"} | {"edited": True}
            step.save(update_fields=["screen"])
            lesson.workflow.edges.update(optional=True)
        return looked_up(*args, **more)

    monkeypatch.setattr(here, "place", edited_meanwhile)
    goes_on(teacher)
    assert lesson.steps.kept().get().screen["edited"]
    assert lesson.workflow.edges.get().optional


def test_which_screen_it_is_is_told_anew_once_the_draft_was_edited(teacher: Teacher, lesson: Lesson) -> None:
    """It may be another one by now: what a control was brought to is no screen of its own once that is said."""
    lesson.workflow.nodes.update(name="Begin here")
    teacher.send(type="draft_changed")
    teacher.until(lambda: teacher.screen.get("name") == "Begin here", what="the screen as it is called now")


# --- when it is left -----------------------------------------------------------------------------------------------
def test_a_desktop_whose_teacher_has_gone_is_given_back_and_the_draft_is_kept(
    lesson: Lesson, desktop: ScriptedDesktop, settings: Any
) -> None:
    """S9.4: whoever comes back goes on where it was left."""
    settings.RPA_TEACH_AWAY_S = 0.3
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        goes_on(teacher)
    wait_until(lambda: Lesson.objects.get().state == LessonState.AWAY, what="the desktop given back")
    assert lesson.workflow.edges.count() == 1
    version = publish_line("two", "three")
    execution = queue(version)
    wait_until(lambda: Execution.objects.get(pk=execution.pk).is_final, what="a run on the desktop that is free")
    desktop.show("two")
    lesson.refresh_from_db()
    settings.RPA_TEACH_AWAY_S = 60
    come_back(lesson)
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("name") == "Two - Forms", what="the second screen again")
        goes_on(teacher, 3)
    assert [(e.source.name, e.destination.name) for e in lesson.workflow.edges.all()] == [
        ("One - Forms", "Two - Forms"),
        ("Two - Forms", "Three - Forms"),
    ]


def test_no_run_acts_on_a_desktop_that_is_taught_on(teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop) -> None:
    """S9.4"""
    execution = queue(publish_line("one", "two"))
    goes_on(teacher)
    assert Execution.objects.get(pk=execution.pk).state == ExecutionState.QUEUED
    close_lesson(lesson)
    wait_until(lambda: Execution.objects.get(pk=execution.pk).state != ExecutionState.QUEUED, what="the run")


def test_a_lesson_whose_desktop_is_lost_says_so_and_waits(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    desktop.lose()
    wait_until(lambda: Lesson.objects.get().state == LessonState.AWAY, what="the end of the lesson")
    assert "The draft is kept" in str(Lesson.objects.get().problem)


# --- proof ---------------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("proofs")
def test_a_target_is_tried_on_every_picture_and_a_screen_beside_the_others(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    """S6.10, S6.11"""
    teacher.click(BUTTON)
    proof = teacher.until(
        lambda: next((p for s in teacher.steps() if s["target"] and (p := s["target"]["proof"])), None), what="a proof"
    )
    assert (proof["found"], proof["of"], proof["elsewhere"], proof["failed"]) == (1, 1, 0, [])
    screens_ = teacher.until(
        lambda: (told := teacher.lesson["screens"]) and len(told) == 2 and all(s["told_apart"] for s in told) and told,
        what="how well they are told apart",
    )
    first = screens_[0]["told_apart"]
    assert 0 < first["score"] <= 1
    assert not first["weak"]


# --- secrets -------------------------------------------------------------------------------------------------------
def test_a_text_that_is_said_to_be_secret_is_in_no_row_afterwards(
    writer: Teacher, form_lesson: Lesson, form: ScriptedDesktop, settings: Any
) -> None:
    """S10.4: neither then nor when the lesson goes on."""
    secret = "hunter-4711-x"
    writer.do(type="type", text=secret)
    writer.until(lambda: any(s["act"] == "type_text" and s["state"] == "done" for s in writer.steps()), what="a step")
    step = form_lesson.steps.get(act="type_text")
    Variable.objects.create(workflow=form_lesson.workflow, name="code", kind="secret")
    with transaction.atomic():
        conceal(form_lesson, secret, "code")
    writer.send(type="draft_changed")
    goes_on(writer)
    step.refresh_from_db()
    assert step.params == {"text": "{{code}}"}
    for model in apps.get_models():
        for row in model._default_manager.values():
            assert secret not in repr(row), (model, row)
    files = [path for path in settings.DATA_DIR.rglob("*") if path.suffix in (".log", ".json", ".txt")]
    assert not any(secret.encode() in path.read_bytes() for path in files)


# --- trying --------------------------------------------------------------------------------------------------------
def tries(teacher: Teacher) -> dict[str, Any]:
    """What became of the first step, done again."""
    teacher.send(type="try", **{"from": 1})
    return teacher.until(lambda: next((m for m in teacher.told if m["type"] == "tried"), None), what="an end")


def back_on_page_one(teacher: Teacher, desktop: ScriptedDesktop) -> None:
    desktop.show("one")
    teacher.until(lambda: teacher.screen.get("name") == "One - Forms", what="the first screen")


def test_taught_steps_are_done_again_from_where_a_person_says(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    """S6.1: the draft stays what it is."""
    goes_on(teacher, 2, 3)
    teacher.do(type="keys", keys="f9", keep=False)
    back_on_page_one(teacher, desktop)
    teacher.send(type="try", **{"from": 1})
    teacher.until(lambda: len([m for m in teacher.told if m["type"] == "tried"]) == 2, what="both steps")
    assert [(m["index"], m["state"]) for m in teacher.told if m["type"] == "tried"] == [(1, "done"), (2, "done")]
    assert desktop.screen == "three"
    assert (lesson.workflow.edges.count(), lesson.workflow.nodes.count()) == (2, 3)


def test_a_step_whose_screen_does_not_show_is_not_done_again(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop
) -> None:
    goes_on(teacher)
    done = len(desktop.log)
    tried = tries(teacher)
    assert (tried["state"], tried["why"]) == ("failed", "It begins on “One - Forms”, and that screen does not show.")
    assert len(desktop.log) == done


@pytest.mark.parametrize(
    "declared",
    [
        {"identity": [{"label": "", "value": "DURAND Marie"}]},
        {"before": {"texts": ["DURAND Marie"]}},
        {"condition": [{"value": "ward", "test": "equals", "to": ["A"]}]},
    ],
    ids=["whose record", "what must be there", "a condition"],
)
def test_a_step_that_may_not_be_done_here_is_not_done_again(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, declared: dict[str, Any]
) -> None:
    """S9.6, S6.13: what an edge declares is asked of a trial as of a run."""
    goes_on(teacher)
    teacher.do(type="keys", keys="f9", keep=False)  # where the step leads is not learnt any more
    lesson.workflow.edges.update(**declared)
    teacher.send(type="draft_changed")
    back_on_page_one(teacher, desktop)
    done = len(desktop.log)
    tried = tries(teacher)
    assert tried["state"] == "failed"
    assert (len(desktop.log), desktop.screen) == (done, "one")


def test_a_trial_clicks_nothing_that_has_changed_since_it_was_read(
    teacher: Teacher, lesson: Lesson, desktop: ScriptedDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S5.2"""
    goes_on(teacher)
    back_on_page_one(teacher, desktop)
    suggest, done = WorkflowStages.suggest, len(desktop.log)

    def and_then_it_changes(*given: Any) -> Any:
        found = suggest(*given)
        desktop.show("three")
        return found

    monkeypatch.setattr(WorkflowStages, "suggest", and_then_it_changes)
    tried = tries(teacher)
    assert tried["state"] == "failed"
    assert tried["why"].startswith("The screen changed before the action, so nothing was done.")
    assert len(desktop.log) == done


def test_a_trial_ends_with_whoever_began_it(lesson: Lesson, desktop: ScriptedDesktop) -> None:
    """S6.1: nothing is done on a desktop while nobody sees it, also nothing that was sent before."""
    with teacher_of(lesson) as other:
        with teacher_of(lesson) as teacher:
            teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
            goes_on(teacher, 2, 3)
            teacher.do(type="keys", keys="f9", keep=False)
            back_on_page_one(teacher, desktop)
            other.until(lambda: other.screen.get("name") == "One - Forms", what="the first screen")
            teacher.send(type="try", **{"from": 1})
        told = len(other.told)
        other.send(type="act", id="mine", act="scroll", x=5, y=5, dy=1, dx=0, keep=False)
        other.until(lambda: other.acted.get("mine"), what="an answer to the other")
        other.until(lambda: other.screen.get("state") and len(other.told) > told, what="a screen")
        assert desktop.screen != "three"


def test_a_key_is_not_pressed_before_it_is_known_on_which_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """S6.1: a desktop that never stands still was not read yet: nothing is done on it, and the robot goes on."""
    monkeypatch.setattr(recorder, "KEYS_WAIT_S", 0.3)
    monkeypatch.setattr(Sight, "wait", lambda self, timeout: None)
    monkeypatch.setattr(Sight, "current", lambda self: None)
    monkeypatch.setattr(LessonSession, "_seen", lambda self, state: None)
    desktop = ScriptedDesktop(screens("one", "two", "three"))
    workflow = Workflow.objects.create(workflow_id="wf_pages", name="Pages")
    with taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson, teacher_of(lesson) as teacher:
        for _time in (1, 2):
            acted = teacher.do(type="keys", keys="f9")
            assert (acted["state"], acted["why"]) == ("refused", "The screen is being read.")
        assert not [event for event in desktop.log if event.kind == "press"]
        assert not lesson.steps.exists()


def test_what_goes_wrong_in_a_lesson_ends_that_lesson_alone(
    teacher: Teacher, lesson: Lesson, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """S9.2: its open step is in doubt, the page says why, and the next lesson is taken."""
    teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")

    def broken(*_given: Any) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(recorder.Recorder, "_keep", broken)
    teacher.send(type="act", id="a", act="click", x=BUTTON.x, y=BUTTON.y, dx=0, dy=0, keep=True)
    wait_until(lambda: Lesson.objects.filter(pk=lesson.pk, state="away").exists(), what="the end of the lesson")
    assert [step.state for step in lesson.steps.all()] == ["doubt"]
    assert "no such thing" in Lesson.objects.get(pk=lesson.pk).problem
    assert "the lesson failed" in caplog.text


def test_a_step_is_told_however_much_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """S6.20: a caret that blinks is read again and again, on a busy machine without a pause: no step stays undrawn."""
    seen = LessonSession._seen

    def busy(self: LessonSession, state: ScreenState) -> None:
        seen(self, state)
        if not self.leave.is_set():
            self._inbox.put(lambda: busy(self, state))

    monkeypatch.setattr(LessonSession, "_seen", busy)
    desktop = ScriptedDesktop(screens("one", "two", "three"))
    workflow = Workflow.objects.create(workflow_id="wf_pages", name="Pages")
    with taught_on(desktop, user=make_user("designer"), workflow=workflow) as lesson, teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="a screen")
        assert teacher.click(BUTTON)["state"] == "done"
        teacher.until(lambda: len(teacher.steps()) == 1, what="the step")


# --- what a click on a text means in the next run --------------------------------------------------------------------
def test_a_text_that_is_a_variables_value_is_that_variable(
    caller: Teacher, queue_lesson: Lesson, queue_: ScriptedDesktop
) -> None:
    """S6.1: kept as it was shown, another run would act for the one who was shown."""
    place = Point(100, 268)
    caller.send(type="pointer", x=place.x, y=place.y)
    hovered = caller.until(lambda: [m for m in caller.told if m["type"] == "hover" and m["box"]], what="what it is")
    assert hovered[-1]["sentence"].startswith("the text of “patient”")
    assert caller.click(Box(place.x - 2, place.y - 2, 4, 4))["state"] == "done"
    target = caller.until(queue_lesson.workflow.targets.first, what="the target")
    assert (target.text, target.label) == ("{{patient}}", "{{patient}}")
    assert queue_lesson.workflow.edges.get().edge_id == "click_patient"
    step = queue_lesson.steps.kept().get()
    editing.change_step(queue_lesson, step.index, always=True)
    target.refresh_from_db()
    assert target.text == "LEFEBVRE Marie"


@pytest.mark.parametrize(
    ("choice", "values", "text"), [("always", {}, "ROSSI Anna"), ("runs_value", {"variable": "doctor"}, "{{doctor}}")]
)
def test_a_text_that_looks_like_data_is_asked_about(
    caller: Teacher, queue_lesson: Lesson, choice: str, values: dict[str, str], text: str
) -> None:
    assert caller.click(Box(98, 326, 4, 4))["state"] == "held"
    question = question_of(caller)
    assert question["text"] == "“ROSSI Anna” looks like data. What is it in the next run?"
    assert [a["code"] for a in question["answers"]] == ["runs_value", "always"]
    answers(caller, choice, **values)
    target = caller.until(queue_lesson.workflow.targets.first, what="the target")
    assert target.text == text
    if values:
        assert queue_lesson.workflow.variables.get(name="doctor").example == "ROSSI Anna"


def test_a_name_that_another_value_has_is_refused_and_asked_further(caller: Teacher, queue_lesson: Lesson) -> None:
    """Else the run's patient would become whoever was clicked."""
    assert caller.click(Box(98, 326, 4, 4))["state"] == "held"
    told = len(caller.told)
    answers(caller, "runs_value", variable="patient")
    caller.until(lambda: any(m["type"] == "trouble" for m in caller.told[told:]), what="why not")
    assert question_of(caller)
    assert queue_lesson.workflow.variables.get(name="patient").example == "LEFEBVRE Marie"
    assert not queue_lesson.workflow.targets.exists()
