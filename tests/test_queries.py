"""No page and no answer of the API fails or makes more than 15 queries, however much there is to show."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from execution.choices import EventKind, ExecutionState, PromptKind
from execution.models import (
    ClockLook,
    Execution,
    ExecutionEvent,
    LearnedCorrection,
    Prompt,
    Robot,
    Step,
    WorkItem,
    Worklist,
)
from execution.models.worklist import WorklistState
from tests.factories import make_execution, make_picture, make_published
from tests.support.sockets import session_of
from tests.test_routes import Route, answer, routes, world  # noqa: F401  `world` is a fixture

MOST = 15
# Files are written in parts, each asked for anew; the admin's forms ask once for each kind of row bound to theirs.
FILES = {"run_export", "step_export"}
MOST_OF_FILES = 30
MORE = 4  # of everything: what is asked for each of many shows
OF_TRANSACTIONS = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN")


def queries_of(route: Route, session_key: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert answer(route, "get", session_key)[0] < 500, route
    return sum(not one["sql"].startswith(OF_TRANSACTIONS) for one in asked.captured_queries)


@pytest.fixture
def many(world: dict[str, Any]) -> dict[str, Any]:  # noqa: F811
    """The world of the routes, with more of what is listed."""
    run = Execution.objects.get()
    for number in range(MORE):
        version = make_published()
        name = f"host:{number + 2}"
        robot = Robot.objects.create(name=name, desktop=name, host="host", pid=1)
        other = make_execution(version=version, state=ExecutionState.WAITING_COACHING, desktop=name, robot=robot)
        ended = make_execution(version=run.version, state=ExecutionState.COMPLETED, ended_at=timezone.now())
        for one, index in ((other, 1), (ended, 1), (run, number + 2)):
            picture = make_picture()
            step = Step.objects.create(
                execution=one,
                index=index,
                epoch=0,
                mode=one.mode,
                node_id="empty_note",
                edge_id="open_save",
                picture_before=picture.digest,
            )
            Prompt.objects.create(
                execution=one, step=step, kind=PromptKind.COACHING, message="?", picture=picture.digest, state="closed"
            )
        ExecutionEvent.objects.create(
            execution=run, seq=901 + number, kind=EventKind.STATE, payload={"status": "paused"}
        )
        taught = LearnedCorrection.objects.first()
        taught.pk, taught.payload = None, {"params": {"keys": f"f{number + 3}"}}
        taught.save()
        worklist = Worklist.objects.create(name=name, workflow=version.workflow, state=WorklistState.RUNNING)
        WorkItem.objects.create(worklist=worklist, number=1, reference="Ada")
    ClockLook.keep(timezone.now() - timedelta(days=1))
    return world


@pytest.mark.django_db
def test_no_page_makes_more_than_15_queries(many: dict[str, Any], make_user: Any) -> None:
    person = make_user("ada", "admin")
    type(person).objects.filter(pk=person.pk).update(is_superuser=True)
    key = session_of(person)
    told = {}
    for route in routes(many):
        most = MOST_OF_FILES if route.is_admin or route.name in FILES else MOST
        if (
            queries_of(route, key) > most and (number := queries_of(route, key)) > most
        ):  # what is asked once is no matter
            told[route.path] = number
    assert told == {}
