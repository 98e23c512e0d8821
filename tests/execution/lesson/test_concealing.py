"""A text that is said to be secret later goes out of every row, and takes nobody else's pictures along (S10.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest
from django.apps import apps
from django.db import models, transaction

from analytics import retention
from execution.actions.teach import open_picture_lesson
from execution.choices import LessonKind
from execution.lesson.concealing import CODES, FROZEN, conceal, draft_rows, words_of
from execution.lesson.of_runs import slides_of_run
from execution.models import Execution, Lesson, LessonStep
from sentences.said import say
from tests.doubles.stage import LINE, edge
from tests.execution.lesson.test_by_hand import rows
from tests.execution.lesson.test_pictures import robot  # noqa: F401
from tests.factories import make_user, make_workflow
from tests.support.display import wait_until
from tests.support.scripted import BUTTON, publish_line, queue
from tests.support.teaching import teacher_of
from workflows.exceptions import PictureAway
from workflows.models import Correction, Need, Node, Picture, Target, TrustChange, Workflow, WorkflowVersion
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder"), pytest.mark.security]
SECRET = "Tr0ub4dor&3"


def concealed(lesson: Lesson) -> None:
    with transaction.atomic():
        conceal(lesson, SECRET, "pw")


def lesson_on(**parts: Any) -> Lesson:
    return Lesson.objects.create(workflow=make_workflow(**parts), teacher=make_user("designer"))


# --- rows -------------------------------------------------------------------------------------------------------------
def every_row(lesson: Lesson) -> Iterator[models.Model]:
    """One at least of every table that a draft and its lessons are made of."""
    workflow = lesson.workflow
    Target.objects.create(workflow=workflow, target_id="t", label="x")
    Correction.objects.create(workflow=workflow, version_number=1, execution_id="e", step=1)
    LessonStep.objects.create(lesson=lesson, index=1, act="click", state="done")
    yield from draft_rows(workflow)
    yield from (lesson, *lesson.steps.all())


def test_no_column_that_holds_words_is_forgotten() -> None:
    """A new column is concealed unless it is named as a code: all are filled, whatever they are called."""
    lesson = lesson_on(nodes=LINE, edges=[edge("ab", "a", "b")], variables=[{"name": "code"}])
    filled = {
        f"{row._meta.model_name}.{name}"
        for row in every_row(lesson)
        for name in words_of(type(row))
        if _fill(row, name)
    }
    assert {"edge.condition", "edge.repeat", "workflow.popups", "variable.default", "lesson.pictures"} <= filled
    concealed(Lesson.objects.get())
    assert SECRET not in rows()


def _fill(row: models.Model, name: str) -> bool:
    is_json = isinstance(row._meta.get_field(name), models.JSONField)
    value = {"deep": [{"er": f"it is {SECRET}."}]} if is_json and name != "values" else SECRET
    type(row)._default_manager.filter(pk=row.pk).update(**{name: {"other": value} if name == "values" else value})
    return True


def test_every_table_of_a_draft_is_walked() -> None:
    """A new one that belongs to a workflow is walked by itself; one that belongs to a part of it would not be."""
    lesson = lesson_on(nodes=LINE, edges=[edge("ab", "a", "b")], variables=[{"name": "v"}])
    TrustChange.objects.create(workflow=lesson.workflow, was="OBSERVATION", state="COACHING")
    Need.objects.create(workflow=lesson.workflow, name="lab")
    walked = {type(row) for row in every_row(lesson)}
    beside = {"address", "credential", "credentialuse", "picture"}  # the vault's own, and pixels
    for model in apps.get_app_config("workflows").get_models():
        assert model in walked or model in FROZEN or model._meta.model_name in beside, model
    for model in (Lesson, LessonStep):
        pointing = {relation.related_model for relation in model._meta.related_objects}
        assert pointing <= {Lesson, LessonStep}, pointing
    columns = {f"{m._meta.model_name}.{f.name}" for m in walked for f in m._meta.concrete_fields}
    assert columns >= CODES  # none is excepted that is not there


def test_what_an_earlier_lesson_typed_goes_too() -> None:
    store, digest = PictureStore(), PictureStore().put(np.full((4, 4, 3), 7, np.uint8))
    lesson = lesson_on(nodes=LINE, edges=[edge("ab", "a", "b")])
    picture = Picture.objects.create(digest=digest, width=4, height=4)
    Node.objects.filter(node_id="b").update(reference=picture)
    earlier = Lesson.objects.create(workflow=lesson.workflow, state="done", values={"name": SECRET})
    LessonStep.objects.create(
        lesson=earlier, index=1, act="type_text", params={"text": SECRET}, state="done", picture_after=digest
    )
    was = {"node 1": {"reference": digest, "looks": [digest], "name": "x"}}
    LessonStep.objects.create(lesson=earlier, index=2, act="mend", state="done", made={"was": was})
    concealed(lesson)
    assert SECRET not in rows()
    assert earlier.steps.get(index=2).was == {"node 1": {"reference": None, "looks": [], "name": "x"}}
    assert not store.path(digest).exists()
    assert not Picture.objects.filter(digest=digest).exists()


def told_by_ids() -> set[str]:
    """Words of the secret as ids have them that stand in any row."""
    return {word for word in ("tr0ub4dor_3", "tr0ub4dor") if word in rows()}


def test_no_id_tells_of_it_and_whatever_names_one_names_the_new_one() -> None:
    """Screens, steps and targets: in the draft, in what was tried of it, in what Undo puts back."""
    nodes = [
        {**LINE[0], "node_id": "welcome_tr0ub4dor_3", "name": f"Welcome {SECRET}"},
        *LINE[1:],
    ]
    first, second = edge("click_tr0ub4dor_3", "welcome_tr0ub4dor_3", "b"), edge("bc", "b", "c")
    second["repeat"] = {"counter": "n", "most": 3, "until": [], "steps": ["click_tr0ub4dor_3"]}
    waits = edge("cd", "c", "d") | {"action_type": "wait_node", "params": {"node": "welcome_tr0ub4dor_3"}}
    lesson = lesson_on(nodes=nodes, edges=[first, second, waits], variables=[])
    workflow = lesson.workflow
    target = Target.objects.create(workflow=workflow, target_id="t_tr0ub4dor_3", label=f"The field {SECRET}")
    Correction.objects.create(
        workflow=workflow, version_number=1, execution_id="e", step=1, node_id="welcome_tr0ub4dor_3", edge_id="bc"
    )
    lesson.told_apart = {"welcome_tr0ub4dor_3": {"score": 1}, "b": {"nearest": {"node": "welcome_tr0ub4dor_3"}}}
    lesson.save()
    was = {f"target {target.pk}": {"target_id": "t_tr0ub4dor_3"}}
    LessonStep.objects.create(lesson=lesson, index=1, act="mend", state="done", made={"was": was, "nodes": []})
    assert told_by_ids()
    concealed(lesson)
    assert not told_by_ids()
    ids = [list(some.order_by("pk").values_list(field, flat=True)) for some, field in (
        (workflow.nodes, "node_id"), (workflow.edges, "edge_id"), (workflow.targets, "target_id"),
    )]  # fmt: skip
    assert ids == [["welcome_pw", "b", "c", "d"], ["click", "bc", "cd"], ["t_target", "t_bc", "t_cd", "t_the_field_pw"]]
    assert workflow.edges.get(edge_id="bc").repeat["steps"] == ["click"]
    assert workflow.edges.get(edge_id="cd").params == {"node": "welcome_pw"}
    assert Correction.objects.get().node_id == "welcome_pw"
    lesson.refresh_from_db()
    assert lesson.told_apart == {"welcome_pw": {"score": 1}, "b": {"nearest": {"node": "welcome_pw"}}}
    assert lesson.steps.get().was == {f"target {target.pk}": {"target_id": "t_the_field_pw"}}


@pytest.mark.parametrize(
    ("secret", "node_id", "stays"),
    [
        ("Tr0ub4dor&3 and so on", f"{'x' * 30}_tr0ub4dor", False),  # cut off in the middle of it
        ("7", "page_7", False),
        ("7", "page_17", True),
        ("&&&", "page", True),
        ("Tr0ub4dor&3", "page_two", True),
    ],
)
def test_an_id_that_says_a_part_of_it_goes_and_others_stay(secret: str, node_id: str, stays: bool) -> None:
    lesson = lesson_on(nodes=[{**LINE[0], "node_id": node_id, "name": "A page"}], edges=[], variables=[])
    with transaction.atomic():
        conceal(lesson, secret, "pw")
    assert lesson.workflow.nodes.get().node_id == (node_id if stays else "a_page")


# --- pictures ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shown_by", ["", "version", "node", "look", "target", "another lesson"])
def test_a_picture_that_something_else_shows_stays(shown_by: str) -> None:
    store, digest = PictureStore(), PictureStore().put(np.full((4, 4, 3), 9, np.uint8))
    lesson = lesson_on(nodes=LINE, edges=[edge("ab", "a", "b")])
    LessonStep.objects.create(
        lesson=lesson, index=1, act="type_text", params={"text": SECRET}, state="done", picture_after=digest
    )
    picture = Picture.objects.create(digest=digest, width=4, height=4)
    Node.objects.filter(node_id="b").update(reference=picture)
    other = make_workflow(workflow_id="wf_other", nodes=LINE, edges=[edge("ab", "a", "b")])
    node = other.nodes.get(node_id="a")
    if shown_by == "version":
        shows = {"node_id": "n", "name": "n", "picture": digest}
        graph = {"workflow_id": "wf_other", "name": "o", "learning_state": "", "nodes": [shows]}
        WorkflowVersion.objects.create(workflow=other, number=1, graph=graph, digest="x")
    elif shown_by == "node":
        other.nodes.filter(pk=node.pk).update(reference=picture)
    elif shown_by == "look":
        node.looks.add(picture)
    elif shown_by == "target":
        Target.objects.create(workflow=other, target_id="t", label="x", picture=picture)
    elif shown_by:
        slide = {"picture": digest, "size": [4, 4]}
        Lesson.objects.create(workflow=other, state="done", kind=LessonKind.PICTURES, pictures=[slide])
    concealed(lesson)
    assert lesson.workflow.nodes.get(node_id="b").reference is None
    assert store.path(digest).exists() == bool(shown_by)
    assert Picture.objects.filter(digest=digest).exists() == (shown_by in ("node", "look", "target"))


def test_a_change_that_is_rolled_back_takes_no_file() -> None:
    store, digest = PictureStore(), PictureStore().put(np.full((4, 4, 3), 9, np.uint8))
    lesson = lesson_on(nodes=LINE, edges=[edge("ab", "a", "b")])
    step = {"act": "type_text", "params": {"text": SECRET}, "state": "done", "picture_after": digest}
    LessonStep.objects.create(lesson=lesson, index=1, **step)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        conceal(lesson, SECRET, "pw")
        raise ZeroDivisionError
    assert store.path(digest).exists()


def test_what_could_not_be_deleted_at_once_goes_at_night(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that goes away behind the commit, or a process that dies there, keeps no picture of a secret for ever."""
    store, digest = PictureStore(), PictureStore().put(np.full((4, 4, 3), 9, np.uint8))
    lesson = lesson_on(nodes=LINE, edges=[edge("ab", "a", "b")])
    step = {"act": "type_text", "params": {"text": SECRET}, "state": "done", "picture_after": digest}
    LessonStep.objects.create(lesson=lesson, index=1, **step)
    with monkeypatch.context() as patch, pytest.raises(PictureAway):
        patch.setattr(PictureStore, "drop", mock.Mock(side_effect=PictureAway(say("pictures.store_silent"))))
        concealed(lesson)
    assert store.path(digest).exists()
    monkeypatch.setattr(retention, "FRESH_S", -60.0)
    retention.prune()
    assert not store.path(digest).exists()


def test_a_secret_in_a_lesson_on_a_run_leaves_the_run_its_pictures(robot, desktop, client_of) -> None:  # noqa: F811
    """A finished run is a record; and the lesson goes on, on the same pictures."""
    run = queue(publish_line("one", "two", "three"))
    wait_until(lambda: Execution.objects.get(pk=run.pk).is_final, timeout=40, what="its end")
    store = PictureStore()
    kept = {digest for step in run.steps.all() for digest in (step.picture_before, step.picture_after) if digest}
    assert kept
    user = make_user("designer")
    lesson = open_picture_lesson(
        workflow=Workflow.objects.create(workflow_id="wf_of_run", name="From a run"),
        user=user,
        kind=LessonKind.RUN,
        execution=run,
        pictures=[one.to_json() for one in slides_of_run(run, store)],
    )
    with teacher_of(lesson) as teacher:
        teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
        teacher.do(type="type", text=SECRET)
        teacher.until(lambda: teacher.steps(), what="typed")
        assert teacher.click(BUTTON)["state"] == "done"
        teacher.until(lambda: len(teacher.lesson["screens"]) >= 2, what="the second")
        value = {"value": {"kind": "secret", "name": "pw"}}
        address = f"/api/lessons/{lesson.lesson_id}/steps/1/"
        assert client_of(user).post(address, value, content_type="application/json").status_code == 200
        assert teacher.do(type="keys", keys="f5")["state"] == "done"
    assert all(store.path(digest).exists() for digest in kept)
    assert Lesson.objects.get(pk=lesson.pk).problem == ""
    assert SECRET not in rows()
