"""Stored steps looked at again, as pages: asked for, followed, stopped, and read with both answers (S6.17)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from audit.models import Entry
from execution.models import Replay, ReplayDifference, ReplayState
from tests.execution.actions.test_corrections_decided import HERE, THERE
from tests.factories import make_picture, make_published
from tests.support.learned import run_of

pytestmark = pytest.mark.django_db

URL = "/learning/replays"


@pytest.fixture
def asked(own_folder: Any) -> Replay:
    """Half done: a place that is another, a screen that is not known any more, and one that is known now."""
    version = make_published()
    run = run_of(version)
    run.steps.update(picture_before=make_picture(seed=6).digest)
    steps = list(run.steps.order_by("index"))
    counts = {"place": {"wrong": 1}, "screen": {"worse": 1, "better": 1}}
    row = Replay.objects.create(workflow=version.workflow, steps=6, looked_at=3, state="running", counts=counts)
    node = version.spec().nodes[0].node_id
    for step, about, verdict, was, now in (
        (steps[0], "screen", "better", "", node),
        (steps[1], "screen", "worse", node, ""),
        (steps[2], "place", "wrong", HERE, THERE),
    ):
        ReplayDifference.objects.create(replay=row, step=step, about=about, verdict=verdict, was=was, now=now)
    return row


def waiting(**fields: Any) -> Replay:
    return Replay.objects.create(workflow=make_published().workflow, steps=4, **fields)


def test_one_is_asked_for_and_left_to_a_worker(client, operator, django_capture_on_commit_callbacks) -> None:
    client.force_login(operator)
    run = run_of(make_published())
    run_of(run.version)
    said = {"workflow": run.workflow_id, "version": "1", "runs": "1"}
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(URL, said)
    row = Replay.objects.get()
    assert answer.headers["Location"] == f"{URL}/{row.replay_id}"
    assert (row.version, row.from_run != run.pk, row.asked_by) == (run.version, True, operator)
    assert [task.args_kwargs["args"] for task in DBTaskResult.objects.all()] == [[row.replay_id]]
    assert Entry.objects.get(kind="replay").about == row.replay_id


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"version": "7"}, "has no version 7"),
        ({"runs": "0"}, "whole number"),
        ({"runs": "-3"}, "whole number"),
        ({"runs": "9" * 40}, "whole number"),
        ({"workflow": "nowhere"}, "nowhere"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_in_words(client, operator, said, why) -> None:
    client.force_login(operator)
    run = run_of(make_published())
    page = client.post(URL, {"workflow": run.workflow_id, **said}, follow=True).content.decode()
    assert why in page
    assert not Replay.objects.exists()


def test_a_workflow_that_never_ran_leaves_nothing_behind(client: Client, operator: Any) -> None:
    client.force_login(operator)
    page = client.post(URL, {"workflow": make_published().workflow.workflow_id}, follow=True).content.decode()
    assert "nothing to look at" in page
    assert not Replay.objects.exists()
    assert not Entry.objects.filter(kind="replay").exists()


def test_the_list_follows_what_goes_on_and_only_that(client: Client, viewer: Any, asked: Replay) -> None:
    client.force_login(viewer)
    page = client.get(URL).content.decode()
    assert 'hx-trigger="every 3s"' in page
    assert "2 right answers lost" in page
    assert "3 of 6" in page
    assert "Look again</button>" not in page
    part = client.get(URL, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="replays-list"')
    Replay.objects.update(state=ReplayState.DONE)
    assert "hx-trigger" not in client.get(URL).content.decode()


def test_where_nobody_is_at_it_that_is_said_with_what_to_do(client: Client, viewer: Any) -> None:
    client.force_login(viewer)
    row = waiting()
    assert "manage.py work" not in client.get(URL).content.decode()
    now = timezone.now()
    Replay.objects.update(created_at=now - timedelta(seconds=31))
    assert "manage.py work" in client.get(URL).content.decode()
    assert "manage.py work" in client.get(f"{URL}/{row.replay_id}").content.decode()
    Replay.objects.update(state=ReplayState.RUNNING, lease_until=now + timedelta(minutes=1))
    assert "manage.py work" not in client.get(URL).content.decode()
    Replay.objects.update(lease_until=now - timedelta(minutes=1))
    assert "manage.py work" in client.get(URL).content.decode()


def test_what_was_right_and_is_lost_comes_first_with_both_answers(client: Client, viewer: Any, asked: Replay) -> None:
    client.force_login(viewer)
    page = client.get(f"{URL}/{asked.replay_id}")
    assert [line.row.verdict for line in page.context["lines"]] == ["wrong", "worse", "better"]
    told = page.content.decode()
    assert told.count("<rect ") == 2
    name = asked.workflow.versions.get().spec().nodes[0].name
    assert f"Then: {name}. Today: none that is known." in told
    for line in page.context["lines"]:
        assert f"/runs/{line.row.step.execution.execution_id}/steps/{line.row.step.index}" in told
    only = client.get(f"{URL}/{asked.replay_id}?verdict=worse")
    assert [line.row.verdict for line in only.context["lines"]] == ["worse"]
    assert len(client.get(f"{URL}/{asked.replay_id}?about=place").context["lines"]) == 1


def test_it_is_stopped_once_and_by_whoever_may(client: Client, viewer: Any, operator: Any, asked: Replay) -> None:
    client.force_login(viewer)
    assert client.post(f"{URL}/{asked.replay_id}/stop").status_code == 403
    client.force_login(operator)
    client.post(f"{URL}/{asked.replay_id}/stop")
    asked.refresh_from_db()
    assert asked.state == ReplayState.STOPPED
    assert Entry.objects.filter(kind="replay", who="operator").count() == 1
    again = client.post(f"{URL}/{asked.replay_id}/stop", follow=True).content.decode()
    assert "at its end already" in again
    assert Entry.objects.filter(kind="replay").count() == 1


def test_many_cost_no_more_queries(client, viewer, asked, django_assert_max_num_queries) -> None:
    for _n in range(12):
        for step in run_of(asked.workflow.versions.get()).steps.all():
            ReplayDifference.objects.create(replay=asked, step=step, about="place", verdict="other", was=HERE)
    for _n in range(30):
        Replay.objects.create(workflow=asked.workflow, steps=4)
    assert asked.differences.count() > 25
    client.force_login(viewer)
    with django_assert_max_num_queries(15):
        client.get(URL)
    with django_assert_max_num_queries(15):
        client.get(f"{URL}/{asked.replay_id}")
