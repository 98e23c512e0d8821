"""What is older than it is kept goes, and nothing that is taught, shown elsewhere, held or at work (S10.4)."""

from __future__ import annotations

import os
import time
from datetime import date, timedelta
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from analytics import retention, storage_pages
from analytics.models import PrunedPicture, Retention, RunHold, Sealed, StepDay, StepMetric, StorageDay
from analytics.projection import project, rebuild
from analytics.retention import hold, let_go, prune
from analytics.storage import Forecast, forecast, measure, slope
from execution.actions.corrections import put_correction
from execution.choices import EventKind, ExecutionState, PromptState
from execution.exceptions import BadDecision
from execution.models import (
    CorrectionPack,
    Execution,
    ExecutionEvent,
    LearnedCorrection,
    Lesson,
    LessonStep,
    Prompt,
    Step,
)  # fmt: skip
from execution.record.corrections import settle
from execution.record.events import emit
from execution.record.pruning import drop_texts
from execution.signals import texts_pruned
from sentences.said import worded
from tests.analytics.steps import make_step, undone
from tests.factories import make_execution, make_picture, make_published
from workflows.models import Correction, Picture
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db, pytest.mark.security]

SECRET = "Ada Martin 1843"


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def version() -> Any:
    return make_published(workflow_id="wf_lab", name="Order lab")


def run_picture(seed: int) -> str:
    """A picture of a run: its file alone, put long ago."""
    digest = make_picture(seed=seed).digest
    Picture.objects.filter(digest=digest).delete()
    aged(digest)
    return digest


def aged(digest: str) -> None:
    long_ago = time.time() - 90_000
    os.utime(PictureStore().path(digest), (long_ago, long_ago))


def is_there(digest: str) -> bool:
    return PictureStore().path(digest).exists()


def ended(version: Any, *, ago: float, picture: str = "", state: str = ExecutionState.COMPLETED) -> Execution:
    at = timezone.now() - timedelta(days=ago)
    run = make_execution(
        version=version, state=state, started_at=at, ended_at=at, variables={"patient": SECRET},
        error=SECRET if state == ExecutionState.FAILED else "",
    )  # fmt: skip
    step = make_step(
        run, started_at=at, picture_before=picture, screen={"raw": SECRET}, suggestion={"params": {"text": SECRET}},
        recognition={"why": SECRET}, verification={"seen": SECRET}, message=SECRET, sentence=f"Type {SECRET}",
    )  # fmt: skip
    Prompt.objects.create(
        execution=run, step=step, kind="coaching", message=SECRET, picture=picture, state=PromptState.ANSWERED
    )
    with transaction.atomic():
        emit(run, EventKind.STATE, {"about": SECRET})
    project(step.pk)
    return run


def keep(**days: int) -> None:
    Retention.objects.update_or_create(workflow_id="", defaults={f"{kind}_days": n for kind, n in days.items()})


def everything_of(run: Execution) -> str:
    run.refresh_from_db()
    rows: list[Any] = [run, *run.steps.all(), *run.prompts.all(), *run.events.all()]
    return " ".join(str(vars(row)) for row in rows)


def test_nothing_goes_that_nobody_said_the_days_of(version: Any) -> None:
    run = ended(version, ago=4000, picture=run_picture(1))
    assert not prune().anything
    assert SECRET in everything_of(run) and run.events.exists() and is_there(run.steps.get().picture_before)


def test_texts_go_and_how_it_ended_stays(version: Any) -> None:
    old, failed, young = ended(version, ago=31), ended(version, ago=40, state="failed"), ended(version, ago=29)
    heard: list[int] = []
    texts_pruned.connect(listen := lambda executions, **told: heard.extend(executions), weak=False)
    try:
        keep(texts=30)
        done = prune()
    finally:
        texts_pruned.disconnect(listen)
    assert (done.runs["texts"], done.events) == (2, 2)  # events say again what was read
    assert SECRET not in everything_of(old) and SECRET not in everything_of(failed)
    assert SECRET in everything_of(young) and young.events.exists()
    assert sorted(heard) == sorted([old.pk, failed.pk])
    step = old.steps.get()
    assert (step.outcome, step.edge_id, step.success, old.state) == ("succeeded", "click_save", True, "completed")
    assert failed.error.endswith("failed")
    assert not prune().anything  # a second night has nothing left to do


AGE = st.integers(0, 9)
RUN = st.tuples(AGE, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans())
DAYS = st.one_of(st.none(), st.integers(1, 9))


@examples(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs=st.lists(RUN, max_size=4), days=st.fixed_dictionaries(dict.fromkeys(retention.KINDS, DAYS)))
@pytest.mark.slow
def test_a_dry_run_says_exactly_what_the_real_one_then_deletes(
    version: Any, runs: list[tuple[Any, ...]], days: dict[str, int | None]
) -> None:
    """S10.4: by kind how many runs, and how much of them; of files at most so many, for some are shown elsewhere."""
    with undone():
        for n, (age, texts, pictures, stood, held, at_work) in enumerate(runs):
            run = ended(version, ago=age + 0.5, picture=f"{n:064x}" if pictures else "")
            if not texts:
                drop_texts([run.pk])
            if stood:
                detail = {"pause_detail": {"picture": f"{n + 100:064x}"}}
                ExecutionEvent.objects.create(execution=run, seq=900, kind=EventKind.STATE, payload=detail)
                Execution.objects.filter(pk=run.pk).update(**detail)
            if held:
                hold(run.execution_id, reason="x", by="ada")
            if at_work:
                Execution.objects.filter(pk=run.pk).update(
                    state=ExecutionState.RUNNING, ended_at=None, desktop=f"here:{n}"
                )
        Retention.objects.create(workflow_id="", **{f"{kind}_days": n for kind, n in days.items()})
        said, done = prune(dry=True), prune()
        files = (said.pictures, done.pictures)
        for one in (said, done):
            one.pictures = one.freed_bytes = 0
        assert said == done
        assert files[0] >= files[1]
        assert not prune(dry=True).anything


def test_pictures_go_with_their_files(version: Any) -> None:
    digest, young = run_picture(1), run_picture(2)
    old = ended(version, ago=10, picture=digest)
    ended(version, ago=1, picture=young)
    keep(pictures=7)
    done = prune()
    assert (done.pictures, done.runs["pictures"]) == (1, 1) and done.freed_bytes > 0
    assert not is_there(digest) and is_there(young)
    assert old.steps.get().picture_before == "" and old.prompts.get().picture == ""
    assert not PrunedPicture.objects.exists()
    assert SECRET in everything_of(old)  # its texts have days of their own


@pytest.mark.parametrize("kind", ["pictures", "texts", "events"])
def test_what_a_person_acted_on_goes_with_its_file(version: Any, kind: str) -> None:
    """S6.15: of an act under control the event has the picture; it goes with the pictures, or with its event."""
    digest, other = run_picture(1), run_picture(2)
    for ago, picture in ((10, digest), (1, other)):
        with transaction.atomic():
            emit(ended(version, ago=ago), EventKind.CONTROL, {"act": "click", "picture": picture})
    keep(**{kind: 7})
    prune()
    assert not is_there(digest) and is_there(other)
    assert [
        e.payload.get("picture") for e in ExecutionEvent.objects.filter(kind="control", payload__has_key="picture")
    ] == [other]


@pytest.mark.parametrize(
    "where", ["taught", "version", "correction", "another run", "another prompt", "a pause", "by hand"]
)
def test_what_is_shown_elsewhere_stays(where: str, version: Any) -> None:
    digest = run_picture(1)
    ended(version, ago=10, picture=digest)
    if where == "taught":
        Picture.objects.create(digest=digest, width=64, height=48)
    elif where == "version":
        graph = {**version.graph, "nodes": [{**version.graph["nodes"][0], "reference": digest}]}
        version.workflow.versions.model.objects.filter(pk=version.pk).update(graph=graph)
    elif where == "correction":
        Correction.objects.create(
            workflow=version.workflow, version_number=1, execution_id="ex", step=1, node_id="n", edge_id="e",
            correction_type="target", corrected_target={"picture": digest},
        )  # fmt: skip
    elif where == "another run":
        make_step(make_execution(version=version), picture_after=digest)
    elif where == "another prompt":
        run = make_execution(version=version)
        Prompt.objects.create(execution=run, step=make_step(run), kind="coaching", message="?", picture=digest)
    elif where == "by hand":
        with transaction.atomic():
            emit(make_execution(version=version), EventKind.CONTROL, {"act": "click", "picture": digest})
    else:
        make_execution(version=version, pause_detail={"picture": digest})
    keep(pictures=7)
    assert prune().pictures == 0
    assert is_there(digest)


def test_a_run_that_is_held_or_at_work_loses_nothing(version: Any) -> None:
    held, at_work = ended(version, ago=50, picture=run_picture(1)), ended(version, ago=50, picture=run_picture(2))
    Execution.objects.filter(pk=at_work.pk).update(state=ExecutionState.PAUSED, ended_at=None, desktop="d")
    hold(held.execution_id, reason="asked for by the ward", by="ada")
    keep(pictures=7, texts=7, events=7, metrics=7)
    prune()
    for run in (held, at_work):
        assert SECRET in everything_of(run) and run.events.exists()
        assert is_there(run.steps.get().picture_before)
    assert StepMetric.objects.filter(execution_id=held.execution_id).exists()
    assert let_go(held.execution_id)
    prune()
    assert SECRET not in everything_of(held) and not StepMetric.objects.filter(execution_id=held.execution_id).exists()


def test_metrics_go_and_their_sums_stay(version: Any) -> None:
    old, young = ended(version, ago=100), ended(version, ago=5)
    sums = list(StepDay.objects.order_by("day").values_list("day", "steps"))
    keep(metrics=90)
    assert prune().metrics == 1
    assert list(StepMetric.objects.values_list("execution_id", flat=True)) == [young.execution_id]
    assert Sealed.objects.get().workflow_id == old.workflow_id
    rebuild()  # its steps are still there, and bring nothing back
    assert list(StepMetric.objects.values_list("execution_id", flat=True)) == [young.execution_id]
    assert list(StepDay.objects.order_by("day").values_list("day", "steps")) == sums


def test_each_workflow_has_its_own_days(version: Any) -> None:
    other = make_published(workflow_id="wf_other")
    kept, gone = ended(version, ago=20), ended(other, ago=20)
    keep(texts=10)
    Retention.objects.create(workflow_id="wf_lab", texts_days=None, pictures_days=1)
    prune()
    assert SECRET in everything_of(kept) and SECRET not in everything_of(gone)


def test_a_dry_run_says_what_would_go_and_touches_nothing(version: Any) -> None:
    digest = run_picture(1)
    run = ended(version, ago=10, picture=digest)
    keep(pictures=7, texts=7, events=7, metrics=7)
    out = StringIO()
    call_command("prune", "--dry-run", stdout=out)
    for words in (
        "the texts of 1 run (1 step)",
        "the pictures of 1 run (1 step)",
        "at most 1 file",
    ):  # with the texts their events go
        assert words in out.getvalue()
    assert SECRET in everything_of(run) and is_there(digest)
    assert StepMetric.objects.count() == 1
    assert not StorageDay.objects.exists()
    call_command("prune", stdout=out)
    assert "the texts of 1 run (1 step)" in out.getvalue().split("Deleted:")[1]
    assert "are free" in out.getvalue().split("Deleted:")[1]
    assert SECRET not in everything_of(run) and not is_there(digest)


def test_what_a_crash_left_is_done_the_next_night(version: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = run_picture(1)
    ended(version, ago=10, picture=digest)
    keep(pictures=7)
    with monkeypatch.context() as broken:
        broken.setattr(retention, "_drop_files", lambda *args: (_ for _ in ()).throw(RuntimeError("power cut")))
        with pytest.raises(RuntimeError):
            prune()
    assert is_there(digest) and not Step.objects.exclude(picture_before="").exists()
    prune()
    assert not is_there(digest)


def test_a_picture_that_was_just_put_again_stays(version: Any) -> None:
    """A run that shows the same screen now puts the same picture, and names it in its row a moment later."""
    digest = run_picture(1)
    ended(version, ago=10, picture=digest)
    keep(pictures=7)
    PictureStore().put(PictureStore().get(digest))
    prune()
    assert is_there(digest)
    aged(digest)
    prune()
    assert not is_there(digest)


def test_seq_is_never_given_again(version: Any) -> None:
    run = ended(version, ago=10)
    keep(events=7)
    prune()
    assert not ExecutionEvent.objects.exists()
    with transaction.atomic():
        assert emit(run, EventKind.STATE, {}).seq == 2


# --- the disk ---------------------------------------------------------------------------------------------------------
def test_the_disk_is_measured_by_what_is_on_it(version: Any) -> None:
    digest, taught = run_picture(1), make_picture(seed=2).digest
    today = measure()
    size = {name: PictureStore().path(one).stat().st_size for name, one in (("run", digest), ("taught", taught))}
    assert (today.parts["pictures"], today.parts["taught"]) == (size["run"], size["taught"])
    assert today.parts["database"] > 0 and 0 < today.free_bytes <= today.total_bytes
    measure()
    assert StorageDay.objects.count() == 1


def test_a_day_of_the_disk_is_the_machines_own() -> None:
    """Whoever has it measured, and from where."""
    with (
        time_machine.travel("2026-11-21T22:30:00+00:00", tick=False),
        timezone.override(ZoneInfo("Pacific/Auckland")),  # there it is the next day
    ):
        assert measure().day == date(2026, 11, 21)


def day(n: int, size: int, free: int = 10**9) -> StorageDay:
    return StorageDay(day=date(2026, 11, 1) + timedelta(days=n), parts={"a": size}, free_bytes=free, total_bytes=10**10)


@pytest.mark.parametrize("reader", ["Pacific/Auckland", "America/Los_Angeles", "UTC"])
def test_how_many_days_are_left_is_told_by_the_machines_day(reader: str, settings: Any) -> None:
    """As the day on which it is full is: whoever reads it elsewhere is told the same number."""
    settings.TIME_ZONE = "UTC"
    full = Forecast(a_day=1e9, full_on=date(2026, 11, 24))
    with time_machine.travel("2026-11-21T04:30:00+00:00", tick=False), timezone.override(ZoneInfo(reader)):
        assert " in 3 days, on 2026-11-24." in storage_pages._said(full, StorageDay(day=date(2026, 11, 21)))
    with time_machine.travel("2026-11-21T22:30:00+00:00", tick=False), timezone.override(ZoneInfo(reader)):
        assert " in 3 days, on 2026-11-24." in storage_pages._said(full, StorageDay(day=date(2026, 11, 21)))


def test_when_the_disk_is_full_is_told_from_how_it_grew() -> None:
    grows = [day(n, n * 10**7, free=10**9 - n * 10**7) for n in range(11)]
    told = forecast(grows)
    assert told.a_day == pytest.approx(10**7)
    assert told.full_on == date(2026, 11, 11) + timedelta(days=90)
    assert forecast([day(n, 10**8) for n in range(5)]).full_on is None
    assert forecast(grows[:2]).a_day is None and forecast([]).a_day is None
    assert slope([(0, 1), (0, 2), (1, 3)]) is None


# --- the page ---------------------------------------------------------------------------------------------------------
def come(make_user: Any, role: str) -> Client:
    client = Client()
    client.force_login(make_user(f"{role}-person", role))
    return client


def test_days_are_kept_once_what_would_go_was_told(version: Any, make_user: Any) -> None:
    run = ended(version, ago=50)
    admin, address = come(make_user, "admin"), reverse("analytics_retention")
    asked = admin.post(address, {"workflow": "wf_lab", "texts": "30"}).content.decode()
    assert "What would go tonight: Order lab" in asked and "the texts of 1 run (1 step)" in asked
    assert not Retention.objects.exists()
    admin.post(address, {"workflow": "wf_lab", "texts": "30", "sure": "yes"})
    row = Retention.objects.get()
    assert (row.workflow_id, row.texts_days, row.pictures_days, row.changed_by) == ("wf_lab", 30, None, "admin-person")
    assert SECRET in everything_of(run)  # that is done at night
    for wrong in ("0", "-1", "x", "99999999"):
        assert admin.post(address, {"workflow": "", "texts": wrong, "sure": "yes"}).status_code == 422
    assert Retention.objects.count() == 1
    keep(texts=10)
    asked = admin.post(address, {"workflow": "wf_lab", "as_others": "1"}).content.decode()
    assert "the texts of 1 run" in asked and Retention.objects.count() == 2
    admin.post(address, {"workflow": "wf_lab", "as_others": "1", "sure": "yes"})
    assert list(Retention.objects.values_list("workflow_id", flat=True)) == [""]


def test_whoever_operates_holds_a_run_and_says_why(version: Any, make_user: Any) -> None:
    run = ended(version, ago=1)
    operator, address = come(make_user, "operator"), reverse("analytics_hold")
    assert operator.post(address, {"run": str(run.pk), "reason": ""}).status_code == 422
    assert operator.post(address, {"run": "nowhere", "reason": "x"}).status_code == 422
    assert operator.post(address, {"run": str(run.pk), "reason": "a complaint"}).status_code == 302
    assert (RunHold.objects.get().execution_id, RunHold.objects.get().held_by) == (run.execution_id, "operator-person")
    page = operator.get(reverse("analytics_storage")).content.decode()
    assert "a complaint" in page and run.name_for_people in page.replace("&quot;", '"')
    operator.post(address, {"run": run.execution_id, "verb": "let_go"})
    assert not RunHold.objects.exists()


def test_the_page_takes_at_most_fifteen_queries(
    version: Any, make_user: Any, django_assert_max_num_queries: Any
) -> None:
    for n in range(5):
        hold(ended(version, ago=n).execution_id, reason="x", by="ada")
        make_published()
    run_picture(1)
    measure()
    client = come(make_user, "admin")
    with django_assert_max_num_queries(15):
        assert "Pictures of runs" in client.get(reverse("analytics_storage")).content.decode()


# --- what was learned ------------------------------------------------------------------------------------------
def shown_to(version: Any, *, ago: float, seed: int, **fields: Any) -> LearnedCorrection:
    pack, _made = CorrectionPack.objects.get_or_create(workflow=version.workflow)
    look = {"picture": run_picture(seed), "context": run_picture(seed + 1), "text": "", "named_by": None}
    given = {"kind": "target", "payload": {"target": look}, "picture": run_picture(seed + 2), **fields}
    return LearnedCorrection.objects.create(pack=pack, learned_at=timezone.now() - timedelta(days=ago), **given)


def digests_of(row: LearnedCorrection) -> list[str]:
    target = row.payload.get("target") or {}
    return [
        one for one in (row.picture, row.payload.get("picture"), target.get("picture"), target.get("context")) if one
    ]


def test_pictures_of_what_was_learned_have_the_days_of_pictures(version: Any) -> None:
    """S10.4: unless somebody has put it into a version."""
    old, known = shown_to(version, ago=10, seed=1), shown_to(version, ago=10, seed=11)
    known.payload["target"]["text"] = "Open"
    known.save()
    young, merged = shown_to(version, ago=1, seed=21), shown_to(version, ago=10, seed=31, state="merged")
    screen = shown_to(version, ago=10, seed=41, kind="node", payload={"picture": run_picture(44)})
    there = {row.pk: digests_of(row) for row in (old, known, young, merged, screen)}
    keep(texts=7)
    assert not prune().learned
    keep(pictures=7)
    said, done = prune(dry=True), prune()
    assert (said.learned, done.learned, done.pictures) == (3, 3, 8) and said.pictures >= 8
    for row in (old, known, screen):
        assert not any(is_there(one) for one in there[row.pk])
        row.refresh_from_db()
        assert digests_of(row) == []
    for row in (young, merged):
        assert all(is_there(one) for one in there[row.pk])
    states = [(row.state, worded(row.why)) for row in (old, known, screen)]
    gone = ("off", "The pictures that it was known by are no longer kept: show it once more.")
    assert states == [gone, ("on_trial", ""), gone]
    assert not prune().anything


def test_what_a_coach_wrote_in_a_run_that_was_emptied_before_goes_too(version: Any) -> None:
    old, young = ended(version, ago=10), ended(version, ago=1)
    drop_texts([old.pk])
    for run in (old, young):
        Correction.objects.create(
            workflow=version.workflow, version_number=1, execution_id=run.execution_id, step=1, node_id="n",
            edge_id="e", correction_type="params", corrected_params={"text": SECRET}, feedback=SECRET,
        )  # fmt: skip
    keep(texts=7)
    prune()
    left = Correction.objects.exclude(feedback="", corrected_params={})
    assert list(left.values_list("execution_id", flat=True)) == [young.execution_id]


def test_what_nothing_is_known_by_is_not_trusted_again(version: Any) -> None:
    row = shown_to(version, ago=10, seed=1)
    keep(pictures=7)
    prune()
    with pytest.raises(BadDecision, match="no longer kept"):
        put_correction(correction_id=row.pk, state="trusted", reason="I know it")
    row.refresh_from_db()
    settle(row)
    assert row.state == "off"


def test_what_was_learned_in_a_run_on_hold_stays(version: Any) -> None:
    run = ended(version, ago=10)
    row = shown_to(version, ago=10, seed=1, execution_id=run.execution_id)
    hold(run.execution_id, reason="x", by="ada")
    keep(pictures=7)
    assert not prune().learned and len(digests_of(LearnedCorrection.objects.get(pk=row.pk))) == 3


def lesson_on(run: Execution, picture: str, **more: Any) -> Lesson:
    """One that was given on that picture of the run: its box is of another one, which the lesson kept itself."""
    slide = {"picture": picture, "size": [64, 48], "title": SECRET, "did": {"on": SECRET}}
    said: dict[str, Any] = {"kind": "run", "state": "done", "ended_at": timezone.now(), **more}
    lesson = Lesson.objects.create(workflow=run.version.workflow, execution=run, pictures=[slide], **said)
    proof = {"box": [1, 2, 3, 4], "proof": [{"picture": picture, "found": True}]}
    LessonStep.objects.create(
        lesson=lesson, index=1, act="click", state="done", picture_before=picture, picture_after=picture, screen=proof
    )
    return lesson


def test_lessons_on_a_run_show_it_no_longer_than_it_is_kept(version: Any) -> None:
    """S10.4, S6.16: one that is being given until it is over, one whose teacher went away no longer."""
    shown, young, kept = run_picture(1), run_picture(2), run_picture(3)
    old = ended(version, ago=10, picture=shown)
    given, away = lesson_on(old, shown), lesson_on(old, run_picture(4), state="away", ended_at=None)
    lesson_on(ended(version, ago=1, picture=young), young)
    being_given = lesson_on(old, kept, state="live", ended_at=None)
    Lesson.objects.filter(pk=being_given.pk).update(robot=None)
    keep(pictures=7)
    said, done = prune(dry=True), prune()
    assert said.pictures == done.pictures == 2
    assert not is_there(shown) and is_there(young) and is_there(kept)
    for lesson in (given, away):
        lesson.refresh_from_db()
        step = lesson.steps.get()
        assert (lesson.pictures, lesson.state, step.picture_before, step.picture_after) == ([], "done", "", "")
        assert step.screen == {"box": [1, 2, 3, 4], "proof": [{"picture": "", "found": True}]}
    assert not prune().anything
    Lesson.objects.filter(pk=being_given.pk).update(state="done")
    assert prune().pictures == 1 and not is_there(kept)


@pytest.mark.parametrize("state", ["done", "live"])
def test_what_lessons_say_of_a_run_goes_with_its_texts(version: Any, state: str) -> None:
    lesson = lesson_on(ended(version, ago=10, picture=run_picture(1)), run_picture(1), state=state)
    lesson_on(ended(version, ago=1, picture=run_picture(2)), run_picture(2))
    keep(texts=7)
    for _night in range(2):
        prune()
        Lesson.objects.update(state="done")  # it was over after the run's texts had gone
    assert [SECRET in str(one.pictures) for one in Lesson.objects.order_by("pk")] == [False, True]
    lesson.refresh_from_db()
    assert is_there(lesson.pictures[0]["picture"])


def test_what_a_correction_would_break_shows_no_run_that_is_forgotten(version: Any) -> None:
    digest, young = run_picture(1), run_picture(2)
    old, new = ended(version, ago=10, picture=digest), ended(version, ago=1, picture=young)
    breaks = [{"run": run.execution_id, "step": 1, "picture": one} for run, one in ((old, digest), (new, young))]
    row = shown_to(version, ago=1, seed=11, breaks=breaks)
    keep(pictures=7)
    prune()
    assert not is_there(digest) and is_there(young)
    row.refresh_from_db()
    assert [one["picture"] for one in row.breaks] == ["", young]
