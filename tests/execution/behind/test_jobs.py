"""Jobs: one is wanted at a time, each piece is kept with how far it is, what fails or dies is found again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone, translation
from django_tasks_db.models import DBTaskResult

from analytics.models import StorageDay
from audit.models import Entry
from execution.behind import tasks
from execution.behind.asking import ask
from execution.behind.jobs import KINDS, Kind, go_on
from execution.behind.leases import Piece, Taken, stop
from execution.models import Job, Replay
from execution.models.work import WorkState
from execution.perception.ocr.base import ReaderUnavailable
from execution.replay.asking import ask_for
from sentences.said import say, worded
from tests.execution.replay.test_replaying import done as ran
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

PIECES = 5
STORAGE = "/analytics/storage"


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """A kind of work that writes a row a piece; `at(n, what)` happens before the n-th."""
    written: list[int] = []

    def make(at: int = -1, what: Callable[[], object] = lambda: None, whole: bool = False) -> list[int]:
        def pieces(job: Job) -> Iterator[Piece]:
            for n in range(0 if whole else job.place.get("next", 0), PIECES):
                if n == at:
                    what()
                yield Piece(done=n + 1, write=lambda n=n: written.append(n) or {"next": n + 1})

        monkeypatch.setitem(
            KINDS, "count", Kind(name="count", label="count", count=lambda job: PIECES, pieces=pieces, whole=whole)
        )
        return written

    return make


def wanted() -> Job:
    return ask("count")


def tasks_left() -> int:
    return DBTaskResult.objects.ready().count()


def test_however_often_it_is_asked_for_one_is_wanted_and_told_of(counting: Any) -> None:
    counting()
    assert {wanted().pk for _click in range(3)} == {Job.objects.get().pk}
    assert (tasks_left(), Entry.objects.filter(kind="job").count()) == (1, 1)
    go_on(Job.objects.get())
    assert wanted().state == WorkState.WAITING, "the next one is another"
    assert Job.objects.count() == 2


def test_of_a_replay_as_well() -> None:
    workflow: Workflow = ran()
    first, second = (ask_for(workflow_id=workflow.workflow_id) for _click in range(2))
    assert first.pk == second.pk == Replay.objects.get().pk
    assert ask_for(workflow_id=workflow.workflow_id, version=1).pk != first.pk


def test_a_long_one_is_done_in_several_tasks_and_nothing_twice(counting: Any, monkeypatch: Any) -> None:
    written = counting()
    monkeypatch.setattr(tasks, "SLICE_S", 0.0)
    job = wanted()
    call_command("work", once=True, stdout=StringIO())
    job.refresh_from_db()
    assert (job.state, job.done, job.of, written) == ("done", PIECES, PIECES, list(range(PIECES)))
    assert DBTaskResult.objects.count() == PIECES + 1, "each piece a task, and one that finds the end"


def test_a_file_is_never_left_in_the_middle(counting: Any, monkeypatch: Any) -> None:
    counting(whole=True)
    monkeypatch.setattr(tasks, "SLICE_S", 0.0)
    assert tasks.do_job.call(wanted().job_id) == WorkState.DONE


def test_what_fails_says_why_and_keeps_what_was_done(counting: Any) -> None:
    def fails() -> None:
        raise OSError("no room")

    written = counting(at=3, what=fails)
    job = wanted()
    with pytest.raises(OSError, match="no room"):
        tasks.do_job.call(job.job_id)
    job.refresh_from_db()
    assert (job.state, job.done, job.problem, written) == ("failed", 3, "OSError: no room", [0, 1, 2])
    assert tasks.take_up() == 0
    assert wanted().pk != job.pk


def test_why_it_failed_is_kept_as_a_sentence_for_every_reader(counting: Any) -> None:
    def fails() -> None:
        raise ReaderUnavailable(say("perception.no_reader"))

    counting(at=0, what=fails)
    with pytest.raises(ReaderUnavailable):
        tasks.do_job.call(wanted().job_id)
    problem = Job.objects.get().problem
    with translation.override("fr"):
        assert worded(problem).startswith("Aucun lecteur de texte")


def test_whoever_was_overtaken_keeps_nothing_more(counting: Any) -> None:
    """Its lease is over, another one is at it: what it would write is not written."""

    def overtaken() -> None:
        Job.objects.update(lease_until=timezone.now() + timedelta(minutes=2))

    written = counting(at=2, what=overtaken)
    job = wanted()
    go_on(job)
    assert (job.state, job.done, written) == ("running", 2, [0, 1])
    with pytest.raises(Taken):
        go_on(Job.objects.get())


def test_what_was_stopped_stays_stopped(counting: Any) -> None:
    counting(at=2, what=lambda: stop(Job.objects.get()))
    job = go_on(wanted())
    assert (job.state, job.done) == ("stopped", 2)


def test_what_no_queue_holds_has_a_task_again_and_what_one_holds_has_not(counting: Any) -> None:
    counting()
    job = wanted()
    assert tasks.take_up() == 0, "its task waits"
    DBTaskResult.objects.all().delete()  # as when a queue forgets all it had
    assert (tasks.take_up(), tasks.take_up(), tasks_left()) == (1, 0, 1)
    now = timezone.now()
    DBTaskResult.objects.update(status="RUNNING", started_at=now)
    Job.objects.update(state="running", lease_until=now + timedelta(minutes=1))
    assert tasks.take_up() == 0, "somebody is at it"
    Job.objects.update(lease_until=now - timedelta(seconds=1))
    assert tasks.take_up() == 1, "who was at it is dead"
    call_command("work", once=True, stdout=StringIO())
    job.refresh_from_db()
    assert job.state == WorkState.DONE


def test_a_queue_that_is_away_keeps_nobody_from_asking(counting: Any, monkeypatch: Any) -> None:
    counting()

    def away(*args: Any, **options: Any) -> None:
        raise ConnectionError("secret")

    with monkeypatch.context() as broken:
        broken.setattr("django_tasks_db.backend.DatabaseBackend.enqueue", away)
        assert wanted().state == WorkState.WAITING
    assert Job.objects.get().task_id == "wanted"
    assert tasks.take_up() == 1


@pytest.mark.parametrize(("who", "sees"), [("viewer", False), ("admin", True)])
def test_why_it_failed_is_told_to_whoever_may_have_it_done(make_user: Any, who: str, sees: bool) -> None:
    Job.objects.create(kind="prune", state="failed", problem="OSError: no room")
    client = Client()
    client.force_login(make_user("somebody", who))
    page = client.get(STORAGE).content.decode()
    assert ("no room" in page, "Why is told to an admin" in page) == (sees, not sees)


def test_the_page_follows_what_goes_on_and_only_that(make_user: Any) -> None:
    client = Client()
    client.force_login(make_user("somebody", "admin"))
    assert client.post(f"{STORAGE}/prune").status_code == 302
    assert 'hx-trigger="every 2s"' in client.get(STORAGE).content.decode()
    call_command("work", once=True, stdout=StringIO())
    part = client.get(STORAGE, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="jobs"')
    assert "hx-trigger" not in part
    assert "Nothing was old enough" in part
    assert StorageDay.objects.exists()


def test_the_command_says_that_a_worker_is_at_it() -> None:
    job = ask("prune")
    Job.objects.update(state="running", lease_until=timezone.now() + timedelta(minutes=1))
    out = StringIO()
    call_command("prune", stdout=out)
    assert "A worker is at it already" in out.getvalue()
    job.refresh_from_db()
    assert job.state == "running"
