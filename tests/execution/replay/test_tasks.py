"""Behind the scenes: a while at a time, again after a death, and by itself once the eyes have changed (S6.17)."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import timedelta
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from execution.choices import CorrectionKind, CorrectionState, Outcome, StepPhase, UseOutcome
from execution.models import (
    CorrectionPack,
    CorrectionUse,
    Execution,
    ExecutionEvent,
    EyesPrint,
    LearnedCorrection,
    Replay,
    ReplayReason,
    ReplayState,
    Step,
)
from execution.record.corrections import close_uses, settle
from execution.replay import replaying, tasks
from execution.replay.replaying import ask
from execution.replay.tasks import check
from sentences.said import worded
from tests.execution.replay.test_replaying import done, same_eyes
from tests.support.learned import run_of, taught_in
from workflows.actions.publish import publish
from workflows.graph import TargetSpec
from workflows.models import Correction, Target, Workflow, WorkflowVersion
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


@pytest.fixture(autouse=True)
def known_eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = same_eyes()
    monkeypatch.setattr(tasks, "eyes", lambda: eyes)


def work() -> str:
    out = StringIO()
    call_command("work", once=True, stdout=out)
    return out.getvalue()


def ready() -> int:
    return DBTaskResult.objects.ready().count()


def test_the_worker_does_what_was_asked_for() -> None:
    replay = ask(done())
    tasks.replay_on.enqueue(replay.replay_id)
    work()
    replay.refresh_from_db()
    assert (replay.state, replay.looked_at) == (ReplayState.DONE, 3)
    assert ready() == 0


def test_a_long_one_is_done_in_several_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "PIECE", 2)
    monkeypatch.setattr(tasks, "SLICE_S", 0.0)
    replay = ask(done(runs=2))
    assert tasks.replay_on.call(replay.replay_id) == ReplayState.RUNNING
    assert ready() == 1
    work()
    replay.refresh_from_db()
    assert (replay.state, replay.looked_at) == (ReplayState.DONE, 6)
    assert DBTaskResult.objects.count() >= 3


def test_what_died_with_its_worker_is_taken_up_once_nobody_can_be_at_it() -> None:
    replay = ask(done())
    Replay.objects.update(state=ReplayState.RUNNING, lease_until=timezone.now() + timedelta(minutes=3))
    assert tasks.take_up() == 0
    assert tasks.replay_on.call(replay.replay_id) == ReplayState.RUNNING  # another one is at it: nothing is done twice
    Replay.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert tasks.take_up() == 1
    assert tasks.take_up() == 0  # the queue has it
    work()
    replay.refresh_from_db()
    assert (replay.state, replay.looked_at) == (ReplayState.DONE, 3)


def test_other_eyes_look_at_what_ran_by_themselves(settings: Any) -> None:
    workflow = done()
    assert tasks.see_what_changed() == []  # the first time there is nothing to compare with
    assert tasks.see_what_changed() == []
    settings.RPA_MATCH_THRESHOLD = 0.7
    assert "1 workflow" in work()
    replay = Replay.objects.get()
    assert (replay.workflow, replay.reason, replay.state) == (workflow, ReplayReason.EYES, ReplayState.DONE)
    assert EyesPrint.objects.count() == 2
    assert replay.eyes["match_threshold"] == "0.7"


def test_a_queue_of_its_own_does_it_where_there_is_one(settings: Any) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}
    assert "queue of their own" in work()


def test_a_task_for_what_is_at_its_end_does_nothing() -> None:
    replay = ask(done())
    tasks.replay_on.call(replay.replay_id)
    assert tasks.replay_on.call(replay.replay_id) == ReplayState.DONE
    assert ready() == 0


EDGE, TWO = "one_two", ("one", "two")


def learned(workflow: Workflow, target: TargetSpec, **more: Any) -> LearnedCorrection:
    """A place of the first button, as a coach showed it."""
    pack, _ = CorrectionPack.objects.get_or_create(workflow=workflow)
    kept: dict[str, Any] = {"kind": CorrectionKind.TARGET, "edge_id": EDGE, "node_id": "one", "of": "go_one"}
    kept["payload"] = {"target": asdict(target)}
    kept |= more
    newest = workflow.versions.latest("number")
    kept.setdefault("taught_as", taught_in(newest, kept["kind"], kept["edge_id"], kept["node_id"]))
    return LearnedCorrection.objects.create(pack=pack, **kept)


@pytest.fixture
def workflow() -> Workflow:
    """One that ran once, over two pages."""
    return done(*TWO)


def as_taught(workflow: Workflow) -> TargetSpec:
    edge = workflow.versions.get().spec().edge(EDGE)
    assert edge is not None
    assert edge.target is not None
    return edge.target


def proved(row: LearnedCorrection, runs: int = 2, **more: Any) -> LearnedCorrection:
    """Right in some runs more, of which nothing is stored."""
    for _n in range(runs):
        step = run_of(row.pack.workflow.versions.latest("number")).steps.get(edge_id=EDGE)
        right = {"acted": True, "outcome": UseOutcome.RIGHT, **more}
        CorrectionUse.objects.create(correction=row, step=step, part="place", **right)
    settle(row)
    row.refresh_from_db()
    return row


def test_what_finds_everything_where_it_was_may_be_trusted(workflow: Workflow) -> None:
    row = proved(learned(workflow, as_taught(workflow)))
    assert (row.state, row.streak) == (CorrectionState.ON_TRIAL, 2), "not before it was tried on what was right"
    assert check(row, same_eyes()) == 0
    row.refresh_from_db()
    assert (row.state, row.checked_on, row.breaks) == (CorrectionState.TRUSTED, 1, [])


def test_a_run_that_is_under_way_is_not_waited_for(workflow: Workflow) -> None:
    """Where one run follows another at once there is always one."""
    row = proved(learned(workflow, as_taught(workflow)))
    step = run_of(workflow.versions.get()).steps.get(edge_id=EDGE)
    later = timezone.now() + timedelta(minutes=1)
    CorrectionUse.objects.create(correction=row, step=step, part="place", acted=True, used_at=later)
    assert check(row, same_eyes()) == 0
    row.refresh_from_db()
    assert row.state == CorrectionState.TRUSTED


def test_what_finds_another_place_than_the_one_that_was_right_needs_a_person(workflow: Workflow) -> None:
    """The heading of the page instead of its button."""
    row = proved(learned(workflow, replace(as_taught(workflow), text="Page one", label="Page one")))
    assert check(row, same_eyes()) == 1
    row.refresh_from_db()
    assert row.state == CorrectionState.NEEDS_PERSON
    assert worded(row.why) == "It would change 1 answer that was right, of 1 stored steps."
    (told,) = row.breaks
    assert (told["step"], told["about"], told["verdict"]) == (1, "place", "wrong")
    settle(row)
    row.refresh_from_db()
    assert row.state == CorrectionState.NEEDS_PERSON, "no use of it changes that"


@pytest.mark.parametrize(
    ("outcome", "verified", "breaks"), [("succeeded", "yes", 1), ("failed", "no", 0), ("failed", "cannot_tell", 0)]
)
def test_a_place_that_a_coach_showed_is_right_unless_it_proved_wrong(
    workflow: Workflow, outcome: str, verified: str, breaks: int
) -> None:
    """A coach who was wrong before is in nobody's way who is right."""
    step = Execution.objects.get().steps.get(edge_id=EDGE)
    step.outcome, step.verified = outcome, verified
    step.save()
    Correction.objects.create(
        workflow=workflow, version_number=1, execution_id=step.execution.execution_id, step=step.index, node_id="one",
        edge_id=EDGE, corrected_target={"box": step.suggestion["box"]},
    )  # fmt: skip
    says_otherwise = learned(workflow, replace(as_taught(workflow), text="Page one", label="Page one"))
    assert check(says_otherwise, same_eyes()) == breaks


def test_what_a_person_trusted_in_spite_of_it_stays_trusted(workflow: Workflow) -> None:
    wrong = replace(as_taught(workflow), text="Page one", label="Page one")
    row = learned(workflow, wrong, state=CorrectionState.TRUSTED, began_as=CorrectionState.TRUSTED)
    assert check(row, same_eyes()) == 1
    row.refresh_from_db()
    assert row.state == CorrectionState.TRUSTED
    assert len(row.breaks) == 1


def test_what_was_refused_and_would_be_answered_now_is_a_break(workflow: Workflow) -> None:
    step = Execution.objects.get().steps.get(edge_id=EDGE)
    step.suggestion = {**step.suggestion, "box": None, "status": "not_found"}
    step.outcome = "skipped"
    step.save()
    target = as_taught(workflow)
    version = workflow.versions.get()
    version.graph["edges"][0]["target"]["text"] = "Not there"
    version.graph["edges"][0]["target"]["label"] = "Not there"
    type(version).objects.filter(pk=version.pk).update(graph=version.graph)
    assert check(learned(workflow, target), same_eyes()) == 1


def stood(workflow: Workflow, said: str, *, by: str = "resume") -> str:
    """A run that stood still on a page of another program, and what a person said that it is; gives its picture."""
    pixels = np.full((600, 800, 3), 240, np.uint8)
    for n in range(12):
        pixels[40 + 40 * n : 60 + 40 * n, 50 : 200 + 40 * n] = (20 * n, 90, 200 - 15 * n)
    digest = PictureStore().put(pixels)
    run = run_of(workflow.versions.get())
    read = {"detected_text": ["Ward list"], "text_boxes": [[0.1, 0.1, 0.2, 0.05]]}
    detail = {"picture": digest, "perception": read, "window": "Two - Forms"}
    told: list[tuple[str, dict[str, Any]]] = [("state", {"status": "paused", "pause_detail": detail})]
    told.append(("wish", {"verb": by, "detail": {"node_id": said} if said else {}}))
    told.append(("state", {"status": "running", "pause_detail": {}}))
    for seq, (kind, payload) in enumerate(told, 1):
        ExecutionEvent.objects.create(execution=run, seq=seq, kind=kind, payload=payload)
    return digest


@pytest.mark.parametrize(
    ("said", "by", "breaks", "looked_at"),
    [("three", "resume", 1, 1), ("two", "resume", 0, 1), ("", "resume", 0, 0), ("three", "stop", 0, 0)],
)
@pytest.mark.slow
def test_a_look_of_a_screen_is_tried_where_runs_stood_still_as_well(said, by, breaks, looked_at) -> None:
    """Where a person picked another screen than it would say; what nobody picked proves nothing either way."""
    workflow = done()
    steps = Step.objects.exclude(picture_before="").count()
    digest = stood(workflow, said, by=by)
    version = workflow.versions.get()
    page = next(node for node in version.graph["nodes"] if node["node_id"] == "two")
    page["texts"] = ["Page two", "Ward list"]
    WorkflowVersion.objects.filter(pk=version.pk).update(graph=version.graph)
    look = {"picture": digest, "gone": ["Page two"]}
    row = learned(workflow, as_taught(workflow), kind=CorrectionKind.NODE, edge_id="", node_id="two", of="two",
                  payload=look, picture=digest)  # fmt: skip
    assert check(row, same_eyes()) == breaks
    row.refresh_from_db()
    assert row.checked_on == steps + looked_at
    if breaks:
        assert row.state == CorrectionState.NEEDS_PERSON
        (told,) = row.breaks
        assert (told["was"], told["now"], told["picture"], told["verdict"]) == ("three", "two", digest, "wrong")


def test_a_parameter_is_no_question_of_seeing(workflow: Workflow) -> None:
    row = learned(workflow, as_taught(workflow), kind=CorrectionKind.PARAMS, of={}, payload={"params": {"count": 2}})
    assert check(row, same_eyes()) == 0
    row.refresh_from_db()
    assert (row.checked_on, row.checked_at is not None) == (0, True)


def test_it_is_tried_as_soon_as_it_was_learned(workflow: Workflow) -> None:
    row = learned(workflow, as_taught(workflow))
    assert DBTaskResult.objects.get().task_path.endswith("check_correction")
    assert tasks.check_correction.call(row.pk) == 0
    row.refresh_from_db()
    assert row.checked_at is not None
    assert tasks.check_correction.call(0) == 0  # it is gone meanwhile


def test_other_eyes_have_it_tried_again(workflow: Workflow, settings: Any) -> None:
    row = learned(workflow, as_taught(workflow))
    check(row, same_eyes())
    tasks.see_what_changed()
    settings.RPA_MATCH_THRESHOLD = 0.7
    tasks.see_what_changed()
    row.refresh_from_db()
    assert row.checked_at is None
    DBTaskResult.objects.all().delete()
    tasks.take_up()
    assert "execution.replay.tasks.check_correction" in DBTaskResult.objects.values_list("task_path", flat=True)


def test_what_could_be_tried_on_nothing_is_not_trusted(workflow: Workflow) -> None:
    row = proved(learned(workflow, as_taught(workflow)))
    for step in Step.objects.exclude(picture_before=""):
        PictureStore().path(step.picture_before).unlink(missing_ok=True)
    assert check(row, same_eyes()) == 0
    row.refresh_from_db()
    assert (row.checked_on, row.state, row.streak) == (0, CorrectionState.ON_TRIAL, 2)


def test_it_is_tried_again_on_what_it_did_before_it_is_trusted(workflow: Workflow) -> None:
    """The run that it was learned in was still going when it was tried first: nothing stood against it yet."""
    row = learned(workflow, replace(as_taught(workflow), text="Page one", label="Page one"))
    LearnedCorrection.objects.update(checked_at=row.learned_at, checked_on=1)  # as if nothing had stood there then
    row.refresh_from_db()
    DBTaskResult.objects.all().delete()
    row = proved(row)
    assert row.state == CorrectionState.ON_TRIAL
    (again,) = DBTaskResult.objects.all()
    assert again.args_kwargs["args"] == [row.pk]
    tasks.check_correction.call(row.pk)
    row.refresh_from_db()
    assert row.state == CorrectionState.NEEDS_PERSON


@pytest.mark.parametrize("ahead", [timedelta(hours=-1), timedelta(hours=1)])
def test_whether_it_was_tried_on_what_it_did_is_no_question_of_clocks(workflow: Workflow, ahead) -> None:
    """The clock of a robot that is ahead or behind by an hour: nothing untried is trusted, nothing tried is doubted."""
    row = learned(workflow, as_taught(workflow), since=timezone.now() - timedelta(days=1))
    check(row, same_eyes())
    DBTaskResult.objects.all().delete()
    row = proved(row, used_at=timezone.now() + ahead)
    assert row.state == CorrectionState.ON_TRIAL, "its own steps were looked at by nobody"
    assert tasks.check_correction.call(DBTaskResult.objects.get().args_kwargs["args"][0]) == 0
    row.refresh_from_db()
    assert row.state == CorrectionState.TRUSTED


def test_a_step_that_was_not_closed_when_it_was_looked_at_is_looked_at_once_more(workflow: Workflow) -> None:
    """S6.17: a coach has shown the very place that it said, and the step goes on; nothing asks for it without end."""
    row = learned(workflow, as_taught(workflow))
    execution = run_of(workflow.versions.get())
    step = execution.steps.get(edge_id=EDGE)
    ended, step.phase, step.outcome = step.ended_at, StepPhase.PLANNED, Outcome.NONE
    step.save()
    CorrectionUse.objects.create(
        correction=row, step=step, part="place", outcome=UseOutcome.RIGHT, known_at=timezone.now()
    )
    row = proved(row, runs=1)
    check(row, same_eyes())
    row.refresh_from_db()
    assert row.state == CorrectionState.ON_TRIAL
    DBTaskResult.objects.all().delete()
    settle(row)
    assert not DBTaskResult.objects.exists(), "it could not be looked at yet"
    step.phase, step.outcome, step.ended_at = StepPhase.CLOSED, Outcome.SUCCEEDED, ended
    step.save()
    close_uses(step, None, None)
    (again,) = DBTaskResult.objects.all()
    tasks.check_correction.call(again.args_kwargs["args"][0])
    row.refresh_from_db()
    assert row.state == CorrectionState.TRUSTED


def test_what_it_did_is_looked_at_first_and_a_step_that_nobody_came_to_is_not_tried(monkeypatch) -> None:
    """One whose picture is gone is passed over for good, and asked for no more."""
    workflow, eyes = done(*TWO, runs=4), same_eyes()
    monkeypatch.setattr(tasks, "eyes", lambda: eyes)
    monkeypatch.setattr("execution.replay.tasks.MOST_STEPS", 2)
    row = learned(workflow, as_taught(workflow))
    steps = list(Step.objects.filter(edge_id=EDGE).order_by("pk"))[:3]  # the newest is another's
    for step in steps:
        CorrectionUse.objects.create(correction=row, step=step, part="place", acted=True, outcome=UseOutcome.RIGHT)
    Step.objects.filter(pk=steps[1].pk).update(picture_before="0" * 64)
    DBTaskResult.objects.all().delete()
    check(row, eyes)
    row.refresh_from_db()
    assert (row.state, row.streak, row.checked_on) == (CorrectionState.ON_TRIAL, 3, 1)
    assert list(row.uses.order_by("step_id").values_list("tried", flat=True)) == [False, True, True]
    (again,) = DBTaskResult.objects.all()
    DBTaskResult.objects.all().delete()
    tasks.check_correction.call(again.args_kwargs["args"][0])
    row.refresh_from_db()
    assert (row.state, row.uses.filter(tried=False).exists()) == (CorrectionState.TRUSTED, False)
    assert not DBTaskResult.objects.exists()


def test_a_new_version_has_what_is_in_force_tried_again(workflow: Workflow) -> None:
    row = learned(workflow, as_taught(workflow))
    learned(workflow, as_taught(workflow), state=CorrectionState.OFF)
    DBTaskResult.objects.all().delete()
    first = workflow.versions.get()
    WorkflowVersion.objects.create(workflow=workflow, number=2, graph=first.graph, digest="0" * 64)
    assert [result.args_kwargs["args"] for result in DBTaskResult.objects.all()] == [[row.pk]]


def test_it_is_tried_where_what_it_was_learned_of_is_taught_as_it_was_then(workflow: Workflow) -> None:
    """What was right of another target says nothing of it, and what no run goes by is never tried."""
    wrong = replace(as_taught(workflow), text="Page one", label="Page one")
    old = learned(workflow, wrong)
    assert check(old, same_eyes()) == 1
    Target.objects.filter(workflow=workflow, target_id="go_one").update(label="Page one", text="Page one")
    publish(workflow=workflow, user=None)
    assert check(old, same_eyes()) == 1, "runs of the first version still go by it"
    anew = learned(workflow, wrong)
    assert check(anew, same_eyes()) == 0
    anew.refresh_from_db()
    assert anew.checked_on == 0, "the step was right of what is not taught any more"
    nobody_s = learned(workflow, wrong, taught_as="")
    assert check(nobody_s, same_eyes()) == 0
    nobody_s.refresh_from_db()
    assert (nobody_s.checked_on, nobody_s.state) == (0, CorrectionState.ON_TRIAL)
