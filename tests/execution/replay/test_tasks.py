"""Behind the scenes: a while at a time, again after a death, and by itself once the eyes have changed (S6.17)."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from execution.models import EyesPrint, Replay, ReplayReason, ReplayState
from execution.replay import replaying, tasks
from execution.replay.replaying import ask
from tests.execution.replay.test_replaying import done, same_eyes

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
