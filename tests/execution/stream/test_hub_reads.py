"""What the hub reads (S9.5): for every cursor what follows it, whole or not at all, in few queries for all sockets."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from execution.choices import EventKind, ExecutionState
from execution.models import Execution, ExecutionEvent
from execution.record.events import as_message, emit
from execution.stream import queries
from execution.stream.sessions import refusals
from tests.factories import make_execution, make_published
from tests.support.sockets import session_of

pytestmark = pytest.mark.django_db


def make_run(version: Any, events: int, kept_after: int = 0) -> Execution:
    """A run with that many events, of which the first ones are no longer kept."""
    run = make_execution(version=version, next_seq=events + 1)
    rows = [
        ExecutionEvent(execution=run, seq=seq, kind=EventKind.ERROR, payload={"n": seq})
        for seq in range(kept_after + 1, events + 1)
    ]
    ExecutionEvent.objects.bulk_create(rows)
    return run


@dataclass
class Reader:
    """A client with room for all that it is given."""

    cursor: int | None
    heard: list[int] = field(default_factory=list)
    jumped_to: int | None = None

    def take(self, reading: queries.RunReading) -> bool:
        """Whether it is behind still."""
        if self.cursor in reading.stale:
            assert reading.snapshot is not None
            self.jumped_to = self.cursor = reading.snapshot.seq
        else:
            self.heard += [event.seq for event in reading.after(self.cursor)]
            self.cursor = self.heard[-1] if self.heard else self.cursor
        return self.cursor != reading.head


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_for_every_cursor_replay_is_the_whole_rest_or_a_snapshot(monkeypatch, data):
    """S9.5: whatever was pruned, whoever else reads, however little is read at a time."""
    monkeypatch.setattr(queries, "READ_LIMIT", data.draw(st.integers(1, 8), "events a read"))
    monkeypatch.setattr(queries, "REPLAY_LIMIT", data.draw(st.integers(1, 30), "replay limit"))
    total = data.draw(st.integers(0, 25), "events")
    kept_after = data.draw(st.integers(0, total), "pruned")
    cursors = st.none() | st.integers(0, 30)
    began = data.draw(st.lists(cursors, min_size=1, max_size=5), "cursors")
    readers = [Reader(cursor) for cursor in began]
    with transaction.atomic():
        run = make_run(make_published(), total, kept_after)
        behind, turns = readers, 0
        while behind:
            reading = queries.read({run.pk: {reader.cursor for reader in behind}}, ["en"])[run.pk]
            behind, turns = [reader for reader in behind if reader.take(reading)], turns + 1
            assert turns <= 5 * (total + 1), "each turn brings the one that lags most on by one event at least"
        transaction.set_rollback(True)
    for cursor, reader in zip(began, readers, strict=True):
        can_replay = cursor is not None and kept_after <= cursor <= total and total - cursor <= queries.REPLAY_LIMIT
        expected = (list(range(cursor + 1, total + 1)), None) if can_replay else ([], total)
        assert (reader.heard, reader.jumped_to) == expected


def test_events_read_raw_are_what_the_orm_would_say():
    run = make_execution()
    payloads = [
        {},
        {"text": "é “quoted” \\ \n </script> \u2028 😀", "n": 1.5, "deep": [{"a": None}]},
        {"x": "y" * 70_000},
    ]
    for payload in payloads:
        with transaction.atomic():
            emit(run, EventKind.STATE, payload)
    told = [json.loads(event.texts["en"]) for event in queries.events({run.pk: 0}, ["en"])[run.pk]]
    assert told == [as_message(event) for event in ExecutionEvent.objects.filter(execution=run)]
    assert [event["payload"] for event in told] == payloads


def test_one_reading_serves_any_number_of_runs_in_two_queries():
    """D1: never a query a socket."""
    version = make_published()
    runs = [make_run(version, 3) for _ in range(20)]
    with CaptureQueriesContext(connection) as asked:
        readings = queries.read({run.pk: {1} for run in runs}, ["en"])
    assert len(asked) == 2
    assert all([event.seq for event in readings[run.pk].after(1)] == [2, 3] for run in runs)
    with CaptureQueriesContext(connection) as asked:
        queries.read({run.pk: {3} for run in runs}, ["en"])
    assert len(asked) == 1, "nobody has news: the numbers tell"


def test_a_run_with_a_laggard_gives_news_to_those_who_are_up_to_date_first(monkeypatch):
    run = make_run(make_published(), 300)
    reading = queries.read({run.pk: {0, 299}}, ["en"])[run.pk]
    assert [event.seq for event in reading.after(299)] == [300]
    assert [event.seq for event in reading.after(0)] == list(range(1, queries.READ_LIMIT + 1))


def test_a_run_that_is_gone_is_not_in_the_reading():
    run = make_run(make_published(), 2)
    assert set(queries.read({run.pk: {0}, run.pk + 1000: {0, None}}, ["en"])) == {run.pk}


def test_a_snapshot_of_very_large_steps_holds_the_latest_of_them(monkeypatch):
    from execution.models import Step

    run = make_execution()
    for index in range(1, 41):
        Step.objects.create(execution=run, index=index, epoch=0, mode=run.mode, message="x" * 64_000)
    snapshot = queries.snapshot(run.pk, ["en"])
    assert snapshot is not None
    assert len(snapshot.texts["en"]) < queries.SNAPSHOT_STEP_BYTES * 1.2
    indexes = [step["index"] for step in json.loads(snapshot.texts["en"])["steps"]]
    assert indexes == list(range(indexes[0], 41))
    assert len(indexes) >= 15


def test_all_open_sockets_are_checked_in_three_queries(make_user):
    """S10.2"""
    people = [make_user(f"person{number}", "viewer" if number % 2 else "") for number in range(6)]
    keys = [session_of(person) for person in people]
    with CaptureQueriesContext(connection) as asked:
        refused = refusals([*keys, "forged"])
    assert len(asked) == 3
    assert refused == {"forged": 4401, **{key: 4403 for number, key in enumerate(keys) if number % 2 == 0}}


def test_a_superuser_may_watch_without_a_role(make_user):
    person = make_user("root")
    type(person).objects.filter(pk=person.pk).update(is_superuser=True)
    assert refusals([session_of(person)]) == {}


def test_rows_of_many_runs_take_as_many_queries_as_of_one():
    version = make_published()
    counts = []
    for _ in range(2):
        for _ in range(4):
            make_execution(version=version, state=ExecutionState.QUEUED)
        with CaptureQueriesContext(connection) as asked:
            queries.news_of_runs(queries.KnownRuns(), ["en", "fr"], True)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 6


def test_news_of_runs_are_told_once(monkeypatch):
    """Each change once; one that ended is told and then forgotten."""
    version = make_published()
    old = make_execution(version=version, state=ExecutionState.QUEUED)
    old.move(ExecutionState.STOPPED)
    run = make_execution(version=version, state=ExecutionState.RUNNING, desktop="host:1")
    news = queries.news_of_runs(queries.KnownRuns(), ["en"], False)
    assert news.changed == {run.pk}
    assert queries.news_of_runs(news.known, ["en"], False).changed == set()
    with transaction.atomic():
        run.move(ExecutionState.COMPLETED)
        emit(run, EventKind.STATE, {})
    news = queries.news_of_runs(news.known, ["en"], False)
    assert news.changed == {run.pk}
    assert json.loads(news.rows("en", everything=False)[run.pk])["state"] == "completed"
    again = queries.news_of_runs(news.known, ["en"], False)
    assert again.changed == set()
    assert run.pk not in again.known.seqs
