"""What a teacher changes of the draft on the page is changed in its rows, whole or not at all (S6.10, S6.11)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core import serializers

from execution.lesson import editing, ways
from execution.lesson.editing import BadEdit
from execution.lesson.signs import Level
from execution.lesson.telling import draft_told
from execution.models import Lesson, LessonStep
from tests.factories import make_picture
from tests.support.taught import make_lesson
from workflows.models import Edge, Node, Picture, Target, Variable
from workflows.pictures import PictureStore
from workflows.specs import graph_of, target_spec

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def lesson(designer: Any) -> Lesson:
    return make_lesson(designer)


def signs(lesson: Lesson, index: int = 1) -> dict[str, dict[str, Any]]:
    step = next(step for step in draft_told(lesson)["steps"] if step["index"] == index)
    return {sign["sign"]: sign for sign in step["target"]["signs"]}


# --- screens ---------------------------------------------------------------------------------------------------------
def test_a_text_tells_a_screen_or_is_data_or_left_out(lesson: Lesson) -> None:
    texts = [{"text": "BERNARD Chloé", "kind": "tells"}, {"text": "Rechercher", "kind": "left_out"}]
    editing.change_screen(lesson, "queue", texts=texts, name="List", is_end=True)
    node = Node.objects.get(node_id="queue")
    assert node.texts == ["File active", "BERNARD Chloé"]
    assert node.aside == [{"text": "Rechercher", "kind": "left_out"}]
    assert (node.name, node.is_end) == ("List", True)
    told = draft_told(lesson)["screens"][0]["texts"]
    assert told == [{"text": t, "kind": "tells"} for t in node.texts] + node.aside


@pytest.mark.parametrize("region", [{"box": [0.1, 0.1, 2, 0.1], "kind": "must"}, {"box": [0, 0, 1, 1], "kind": "so"}])
def test_an_area_that_is_none_is_refused_and_nothing_is_changed(lesson: Lesson, region: dict[str, Any]) -> None:
    with pytest.raises(BadEdit):
        editing.change_screen(lesson, "queue", name="List", regions=[region])
    assert Node.objects.get(node_id="queue").name == "Queue"


def two_ways(lesson: Lesson) -> None:
    """Two steps that lead on from the first screen, and one between them that does not; after what was taught."""
    queue = Node.objects.get(node_id="queue")
    for order, name in enumerate(("one", "refresh", "elsewhere"), start=10):
        to = queue
        if name != "refresh":
            to = Node.objects.create(workflow=lesson.workflow, node_id=name, name=name.title(), texts=[name])
        Edge.objects.create(
            workflow=lesson.workflow, edge_id=name, source=queue, destination=to, action_type="press_keys",
            params={"keys": "f5"}, order=order,
        )  # fmt: skip


def ways_told(lesson: Lesson) -> list[str]:
    return [one["edge_id"] for one in draft_told(lesson)["screens"][0]["ways"]]


def test_several_ways_are_tried_in_the_order_that_the_teacher_gives_them(lesson: Lesson) -> None:
    """S6.13: also in the draft's own graph, which is what a run goes by."""
    assert ways_told(lesson) == []  # one way on is in no order
    two_ways(lesson)
    *taught, one, refresh, elsewhere = ways_told(lesson)
    assert [one, refresh, elsewhere] == ["one", "refresh", "elsewhere"]
    wanted = ["elsewhere", *taught, "refresh", "one"]
    editing.change_screen(lesson, "queue", order=wanted)
    assert ways_told(lesson) == wanted
    assert [e.edge_id for e in graph_of(lesson.workflow).outgoing("queue")] == wanted
    told = {one["edge_id"]: one["leads_to"] for one in draft_told(lesson)["screens"][0]["ways"]}
    assert (told["elsewhere"], told["one"], told["refresh"]) == ("Elsewhere", "One", "")


WRONG_ORDERS = [[], ["elsewhere"], ["elsewhere", "refresh", "refresh"], ["one", "elsewhere", "refresh", "x"]]


@pytest.mark.parametrize("order", WRONG_ORDERS)
def test_an_order_of_other_steps_is_refused_and_nothing_is_changed(lesson: Lesson, order: list[str]) -> None:
    two_ways(lesson)
    before = ways_told(lesson)
    with pytest.raises(BadEdit, match="have changed meanwhile"):
        editing.change_screen(lesson, "queue", order=order, name="List")
    assert ways_told(lesson) == before
    assert Node.objects.get(node_id="queue").name == "Queue"


# --- signs -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sign", ["named_by", "neighbours", "picture"])
def test_a_sign_that_is_left_out_is_no_evidence_any_more_and_can_be_taken_back(lesson: Lesson, sign: str) -> None:
    before = target_spec(Target.objects.get())
    editing.change_step(lesson, 1, signs={sign: "left_out"})
    without = target_spec(Target.objects.get())
    assert not getattr(without, sign)
    assert signs(lesson)[sign]["used"] is False
    editing.change_step(lesson, 1, signs={sign: "helps"})
    assert target_spec(Target.objects.get()) == before


def test_a_sign_that_must_be_there_is_said_to_the_resolver(lesson: Lesson) -> None:
    editing.change_step(lesson, 1, signs={"named_by": "needed"})
    assert target_spec(Target.objects.get()).needed == ("named_by",)
    assert signs(lesson)["named_by"]["needed"] is True
    editing.change_step(lesson, 1, signs={"named_by": "left_out"})
    assert target_spec(Target.objects.get()).needed == ()


def test_what_stands_in_its_row_cannot_merely_help(lesson: Lesson) -> None:
    """S9.6: another row is another record."""
    target = Target.objects.get()
    target.evidence = {**target.evidence, "row": ["{{patient}}"]}
    target.save()
    assert signs(lesson)["row"]["needed"] is True
    assert signs(lesson)["row"]["levels"] == ["needed", "left_out"]
    with pytest.raises(BadEdit):
        editing.change_step(lesson, 1, signs={"row": Level.HELPS})


# --- steps -----------------------------------------------------------------------------------------------------------
def test_a_text_that_need_not_be_seen_any_more_stays_known(lesson: Lesson) -> None:
    editing.change_step(lesson, 2, expect=["Note médicale"])
    assert Edge.objects.get(edge_id="type_patient").expect == {"texts": ["Note médicale"]}
    told = draft_told(lesson)["steps"][1]["after"]
    assert told == [{"text": "Note médicale", "used": True}, {"text": "{{patient}}", "used": False}]


def test_whose_name_must_be_seen_is_the_run_s(lesson: Lesson) -> None:
    """S6.1: "Discharged: LEFÈVRE Anne" of the lesson is seen for nobody else."""
    shown = Variable.objects.get(name="patient").example
    editing.change_step(lesson, 2, expect=[f"Discharged: {shown}"], gone=[f"Waiting: {shown}"])
    edge = Edge.objects.get(edge_id="type_patient")
    assert edge.expect == {"texts": ["Discharged: {{patient}}"], "gone": ["Waiting: {{patient}}"]}
    Edge.objects.filter(pk=edge.pk).update(action_type="wait_text", params={"text": "?"})
    editing.change_step(lesson, 2, params={"text": f"Done for {shown.title()}"})
    assert Edge.objects.get(pk=edge.pk).params == {"text": "Done for {{patient}}"}


def test_whose_record_and_optional_are_kept_on_the_edge(lesson: Lesson) -> None:
    editing.change_step(lesson, 3, identity=[{"value": "{{patient}}", "label": "Name"}, {"value": " "}], optional=True)
    edge = Edge.objects.get(edge_id="press_return")
    assert (edge.identity, edge.optional) == ([{"value": "{{patient}}", "label": "Name"}], True)


def test_a_deleted_step_leaves_the_way_on_to_the_one_before(lesson: Lesson) -> None:
    record = Node.objects.create(workflow=lesson.workflow, node_id="record", name="Record")
    Edge.objects.filter(edge_id="press_return").update(destination=record)
    editing.remove_step(lesson, 3)
    assert not Edge.objects.filter(edge_id="press_return").exists()
    assert Edge.objects.get(edge_id="type_patient").destination == record
    assert [step["index"] for step in draft_told(lesson)["steps"]] == [1, 2]
    editing.remove_step(lesson, 1)
    assert not Target.objects.exists()


# --- values ----------------------------------------------------------------------------------------------------------
def fixed(lesson: Lesson, text: str = "hunter2-Azerty") -> None:
    Edge.objects.filter(edge_id="type_patient").update(params={"text": text}, expect={"texts": [text]})
    LessonStep.objects.filter(index=2).update(params={"text": text}, picture_after=make_picture().digest)


def test_a_typed_text_becomes_a_variable_with_its_example(lesson: Lesson) -> None:
    fixed(lesson, "14/07/1962")
    editing.change_step(lesson, 2, value={"kind": "variable", "name": "born"})
    made = Variable.objects.get(name="born")
    assert (made.kind, made.example, made.label) == ("text", "14/07/1962", "Born")
    assert Edge.objects.get(edge_id="type_patient").params["text"] == "{{born}}"
    lesson.refresh_from_db()
    assert lesson.values == {"born": "14/07/1962"}
    editing.change_step(lesson, 2, value={"kind": "fixed"})
    assert Edge.objects.get(edge_id="type_patient").params["text"] == "14/07/1962"


@pytest.mark.security
def test_what_must_be_seen_says_the_variable_that_a_typed_text_becomes(lesson: Lesson) -> None:
    fixed(lesson, "Blood bank orders")
    other = lesson.steps.get(index=1).edge
    other.expect = {"texts": ["Accounts / Blood bank orders", "Saved"], "window_title": "Blood bank orders - Vault"}
    other.save(update_fields=["expect"])
    editing.change_step(lesson, 2, value={"kind": "variable", "name": "title"})
    other.refresh_from_db()
    assert other.expect == {"texts": ["Accounts / {{title}}", "Saved"], "window_title": "{{title}} - Vault"}


def test_what_must_be_seen_keeps_a_word_that_programs_have(lesson: Lesson) -> None:
    fixed(lesson, "Emergency")
    other = lesson.steps.get(index=1).edge
    other.expect = {"texts": ["Emergency department"]}
    other.save(update_fields=["expect"])
    editing.change_step(lesson, 2, value={"kind": "variable", "name": "ward"})
    other.refresh_from_db()
    assert other.expect == {"texts": ["Emergency department"]}


def test_of_a_text_that_becomes_a_secret_nothing_stays(lesson: Lesson, django_capture_on_commit_callbacks: Any) -> None:
    """S6.1, S10.4: no row of the database holds it any more, and the pictures after it are gone."""
    fixed(lesson)
    node = Node.objects.get(node_id="queue")
    after = LessonStep.objects.get(index=2).picture_after
    node.looks.add(Picture.objects.get(digest=after))
    lesson.values = {"pass": "hunter2-Azerty"}
    lesson.save()
    with django_capture_on_commit_callbacks(execute=True):
        editing.change_step(lesson, 2, value={"kind": "secret", "name": "password"})
    models = (Lesson, LessonStep, Node, Edge, Target, Variable)
    rows = "".join(serializers.serialize("json", model.objects.all()) for model in models)
    assert "hunter2" not in rows
    assert "hunter2" not in json.dumps(draft_told(lesson))
    assert not PictureStore().path(after).exists()
    assert not Picture.objects.filter(digest=after).exists()
    assert Variable.objects.get(name="password").kind == "secret"
    with pytest.raises(BadEdit, match="kept nowhere"):
        editing.change_step(lesson, 2, value={"kind": "fixed"})


@pytest.mark.security
def test_a_variable_that_becomes_secret_is_forgotten_and_stays_secret(lesson: Lesson) -> None:
    editing.change_variable(lesson, "patient", {"kind": "secret"})
    made = Variable.objects.get(name="patient")
    assert (made.example, made.default, made.choices) == ("", "", [])
    assert "LEFÈVRE" not in json.dumps(draft_told(lesson), ensure_ascii=False)
    with pytest.raises(BadEdit, match="stays secret"):
        editing.change_variable(lesson, "patient", {"kind": "text"})


def test_a_renamed_variable_is_renamed_wherever_it_stands(lesson: Lesson) -> None:
    editing.change_variable(lesson, "patient", {"name": "person", "choices": ["A", "B"]})
    edge = Edge.objects.get(edge_id="type_patient")
    assert (edge.params["text"], edge.expect, edge.identity) == (
        "{{person}}", {"texts": ["{{person}}"]}, [{"value": "{{person}}"}],
    )  # fmt: skip
    assert Variable.objects.get().choices == ["A", "B"]


def test_a_variable_that_is_used_is_not_deleted(lesson: Lesson) -> None:
    with pytest.raises(BadEdit, match="is used"):
        editing.remove_variable(lesson, "patient")
    Variable.objects.create(workflow=lesson.workflow, name="idle")
    editing.remove_variable(lesson, "idle")
    assert not Variable.objects.filter(name="idle").exists()


@pytest.mark.parametrize("name", ["", "9th", "a b", "é"])
def test_a_name_that_is_none_is_refused(lesson: Lesson, name: str) -> None:
    with pytest.raises(BadEdit):
        editing.change_variable(lesson, "patient", {"name": name} if name else {"kind": "nothing"})


# --- what is left to mend --------------------------------------------------------------------------------------------
def test_each_problem_says_where_the_page_goes_for_it(lesson: Lesson) -> None:
    found = {one["code"]: one for one in draft_told(lesson)["problems"]}
    assert found["no_end"]["goto"] == "screen:queue"
    assert found["nothing_expected"]["goto"] in ("step:1", "step:3")
    Variable.objects.create(workflow=lesson.workflow, name="idle")
    assert {one["code"]: one["goto"] for one in draft_told(lesson)["problems"]}["unused_variable"] == "variable:idle"


def test_a_new_workflow_gets_an_id_of_its_name() -> None:
    assert editing.new_workflow("Open a record").workflow_id == "wf_open_a_record"
    assert editing.new_workflow("Open a record").workflow_id == "wf_open_a_record_2"
    assert editing.new_workflow("診療").workflow_id == "wf_taught"


def test_what_may_be_taken_for_another_is_said_before_publishing(lesson: Lesson) -> None:
    """S6.10, S6.11: as a warning, with where the page goes for it."""
    step = lesson.steps.get(index=1)
    step.screen = {"proof": {"found": 2, "of": 3, "elsewhere": 1, "failed": ["a"]}}
    step.save()
    lesson.told_apart = {"queue": {"score": 0.02, "weak": True, "nearest": {"name": "Archive"}}}
    lesson.save()
    found = {one["code"]: one for one in draft_told(lesson)["problems"]}
    assert found["weak_screen"]["text"].startswith("“Queue” may be taken for “Archive”.")
    assert found["weak_screen"]["goto"] == "screen:queue"
    assert found["weak_target"]["text"].endswith(
        "checked on 3 screenshots, not found on 1. It is also found on 1 other screen, where it should not be."
    )
    assert (found["weak_target"]["goto"], found["weak_target"]["severity"]) == ("step:1", "warning")


# --- what a step sets ------------------------------------------------------------------------------------------------
def setting(lesson: Lesson, action_type: str, **params: str) -> Edge:
    """The second step is such an act."""
    edge = lesson.steps.get(index=2).edge
    assert edge is not None
    edge.action_type, edge.params, edge.expect = action_type, params, {}
    edge.target = Target.objects.get()
    edge.save()
    return edge


@pytest.mark.parametrize(
    ("action_type", "params", "kind", "choices"),
    [
        ("choose", {"option": "Ward 4"}, "text", []),
        ("set_state", {"state": "off"}, "text", ["on", "off"]),
        ("pick_date", {"date": "2026-12-31", "format": "fr"}, "date", []),
    ],
)
def test_what_a_control_is_brought_to_is_made_a_variable_in_place(
    lesson: Lesson, action_type: str, params: dict[str, str], kind: str, choices: list[str]
) -> None:
    """S6.12"""
    edge = setting(lesson, action_type, **params)
    param = next(iter(params))
    editing.change_step(lesson, 2, value={"kind": "variable", "name": "wanted"})
    edge.refresh_from_db()
    variable = Variable.objects.get(name="wanted")
    assert edge.params == {**params, param: "{{wanted}}"}
    assert (variable.kind, variable.example, variable.choices) == (kind, params[param], choices)
    told = draft_told(lesson)
    assert told["steps"][1]["value"]["text"] == "{{wanted}}"
    assert [one["code"] for one in told["problems"] if one["code"] == "bad_parameter"] == []
    editing.change_step(lesson, 2, value={"kind": "fixed"})
    edge.refresh_from_db()
    assert edge.params == params


@pytest.mark.parametrize(
    ("action_type", "params", "text"),
    [
        ("set_state", {"state": "off"}, "maybe"),
        ("choose", {"option": "Ward 4"}, " "),
        ("pick_date", {"date": "2026-12-31", "format": "fr"}, "31/31/2026"),
    ],
)
def test_what_a_control_cannot_be_brought_to_is_refused(
    lesson: Lesson, action_type: str, params: dict[str, str], text: str
) -> None:
    edge = setting(lesson, action_type, **params)
    for value in ({"kind": "fixed", "text": text}, {"kind": "secret", "name": "code"}):
        with pytest.raises(BadEdit):
            editing.change_step(lesson, 2, value=value)
    edge.refresh_from_db()
    assert edge.params == params


def test_a_box_that_a_variable_says_takes_on_and_off_alone(lesson: Lesson) -> None:
    """S6.12: anything else that a run could give would be taken for “off”."""
    setting(lesson, "set_state", state="{{patient}}")
    assert "bad_parameter" in [one["code"] for one in draft_told(lesson)["problems"]]
    Variable.objects.filter(name="patient").update(choices=["on", "yes"])
    assert "bad_parameter" in [one["code"] for one in draft_told(lesson)["problems"]]
    Variable.objects.filter(name="patient").update(choices=["on", "off"])
    assert "bad_parameter" not in [one["code"] for one in draft_told(lesson)["problems"]]


def test_the_values_that_a_run_has_are_told_with_what_they_are_here_and_no_secret_is(lesson: Lesson) -> None:
    """S6.1: a value that was typed, given or read is offered where one is asked for."""
    setting(lesson, "read_value", name="amount", kind="number", label="Amount")
    Variable.objects.create(workflow=lesson.workflow, name="code", kind="secret", example="hunter-4711")
    lesson.values = {"amount": "12"}
    lesson.save()
    told = draft_told(lesson)
    assert [(one["name"], one["kind"], one["value"], one["source"]) for one in told["values"]] == [
        ("amount", "number", "12", "read"),
        ("patient", "text", "LEFÈVRE Marie", "given"),
    ]
    assert "hunter-4711" not in json.dumps(told)


# --- when a step is done ---------------------------------------------------------------------------------------------
def test_a_condition_is_kept_and_told_as_a_sentence_and_taken_away(lesson: Lesson) -> None:
    """S6.13"""
    wanted = [{"value": "patient", "test": "one_of", "to": ["A", " B "]}, {"value": "patient", "test": "not_empty"}]
    editing.change_step(lesson, 2, condition=wanted)
    edge = lesson.steps.get(index=2).edge
    assert edge is not None
    assert edge.condition == [
        {"value": "patient", "test": "one_of", "to": ["A", "B"]},
        {"value": "patient", "test": "not_empty", "to": []},
    ]
    step = draft_told(lesson)["steps"][1]
    assert step["when"] == ["only if “Patient” is one of “A”, “B” and “Patient” is not empty"]
    assert step["condition"] == edge.condition
    editing.change_step(lesson, 2, condition=[])
    assert draft_told(lesson)["steps"][1]["when"] == []


@pytest.mark.parametrize(
    "condition",
    [
        {"value": "nobody", "test": "equals", "to": ["A"]},
        {"value": "patient", "test": "equals", "to": [" "]},
        {"value": "patient", "test": "equals", "to": ["A", "B"]},
        {"value": "patient", "test": "empty", "to": ["A"]},
    ],
)
def test_a_condition_that_asks_nothing_is_refused(lesson: Lesson, condition: dict[str, Any]) -> None:
    with pytest.raises(BadEdit):
        editing.change_step(lesson, 2, condition=[condition])
    assert lesson.workflow.edges.exclude(condition=[]).count() == 0


def test_a_condition_follows_its_variable_to_another_name_and_keeps_it_from_being_deleted(lesson: Lesson) -> None:
    editing.change_step(lesson, 3, condition=[{"value": "patient", "test": "equals", "to": ["{{patient}}"]}])
    editing.change_variable(lesson, "patient", {"name": "person"})
    edge = lesson.steps.get(index=3).edge
    assert edge is not None
    assert edge.condition == [{"value": "person", "test": "equals", "to": ["{{person}}"]}]
    lesson.workflow.edges.exclude(pk=edge.pk).delete()
    edge.condition = [{"value": "person", "test": "not_empty", "to": []}]
    edge.save()
    with pytest.raises(BadEdit):
        editing.remove_variable(lesson, "person")


def test_what_leads_on_from_a_screen_that_something_led_on_from_is_another_way(lesson: Lesson) -> None:
    """S6.10, S6.13"""
    record, other = (Node.objects.create(workflow=lesson.workflow, node_id=n, name=n.title()) for n in ("a", "b"))
    first, second = lesson.workflow.edges.filter(order__in=[1, 2])
    for edge, node in ((first, record), (second, other)):
        edge.destination = node
        edge.save()
    told = [step["when"] for step in draft_told(lesson)["steps"]]
    assert told == [[], [], ["another way from “Queue”"]]
    Edge.objects.filter(pk=first.pk).update(optional=True)
    assert [step["when"] for step in draft_told(lesson)["steps"]] == [[], [], []]


def test_whose_record_was_proposed_is_asked_of_what_is_done_there_once_somebody_agrees(lesson: Lesson) -> None:
    """S9.6: never silently."""
    record = Node.objects.create(workflow=lesson.workflow, node_id="record", name="Record")
    step = lesson.steps.get(index=3)
    assert step.edge is not None
    step.edge.destination = record
    step.edge.save()
    there = Edge.objects.create(
        workflow=lesson.workflow,
        edge_id="x",
        source=record,
        destination=record,
        action_type="press_keys",
        params={"keys": "f5"},
        identity=[{"value": "{{born}}"}],
    )
    with pytest.raises(BadEdit):
        editing.change_step(lesson, 3, record="accept")
    step.screen = {"record": {"identity": [{"value": "{{patient}}", "label": "Patient:"}]}}
    step.save()
    assert draft_told(lesson)["steps"][2]["record"] == {"identity": step.screen["record"]["identity"]}
    assert ways.records_of(lesson, record) == []
    editing.change_step(lesson, 3, record="accept")
    there.refresh_from_db()
    assert there.identity == [{"value": "{{born}}"}, {"value": "{{patient}}", "label": "Patient:"}]
    assert ways.records_of(lesson, record) == [{"value": "{{patient}}", "label": "Patient:"}]
    assert draft_told(lesson)["steps"][2]["record"] is None
    editing.change_step(lesson, 3, record="decline")
    assert ways.records_of(lesson, record) == []
