"""The stream over sockets (S8.2, S9.5): what a browser is told, in which order, and when it is shut out (S10.2)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session
from django.db import OperationalError, transaction

from execution.choices import EventKind, ExecutionState, PauseReason, PromptKind
from execution.models import Execution, Prompt, Robot, Step
from execution.record import snapshot
from execution.record.events import emit, emit_state
from execution.running.live_picture import path_of
from execution.stream import clients, hub, queries
from tests.factories import make_execution
from tests.support.sockets import PATIENCE_S, Socket, in_thread, session_of

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True)]


def tell(execution: Execution, count: int = 1, **payload: Any) -> int:
    """Write that many events, each in a transaction of its own; the number of the last."""
    for number in range(count):
        with transaction.atomic():
            event = emit(execution, EventKind.ERROR, {"kind": "test", "message": str(number), **payload})
    return event.seq


def move(execution: Execution, to: ExecutionState, **changes: Any) -> None:
    with transaction.atomic():
        execution.move(to, **changes)
        emit_state(execution)


def ask(execution: Execution) -> Prompt:
    """A step with an open question."""
    step = Step.objects.create(execution=execution, index=1, epoch=0, mode=execution.mode, sentence="Click Save")
    return Prompt.objects.create(execution=execution, step=step, kind=PromptKind.COACHING, message="Click Save?")


async def until(condition: Callable[[], Any]) -> None:
    """Wait for something that no message tells of."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.fixture
def run() -> Execution:
    execution = make_execution(state=ExecutionState.RUNNING, desktop="host:1")
    tell(execution, 3)
    return execution


@pytest.fixture
def session_key(viewer: Any) -> str:
    return session_of(viewer)


def run_path(execution: Execution, after: int | str | None = None) -> str:
    query = "" if after is None else f"?after={after}"
    return f"/ws/executions/{execution.execution_id}/{query}"


# --- snapshot, replay, live ---------------------------------------------------------------------------------------
async def test_a_new_browser_gets_a_snapshot_and_then_what_follows_it(run, session_key):
    """S8.2"""
    async with Socket(run_path(run), session_key=session_key) as socket:
        first = await socket.hear()
        assert (first["type"], first["seq"]) == ("snapshot", 3)
        await in_thread(tell, run)
        second = await socket.hear()
    assert (second["type"], second["batch"]) == ("events", 1)
    [event] = second["events"]
    assert (event["seq"], event["kind"], event["payload"]) == (4, "error", {"kind": "test", "message": "0"})


async def test_a_snapshot_holds_the_state_the_open_question_and_the_steps(run, session_key):
    """S1.12, S1.13, S8.2"""
    prompt = await in_thread(ask, run)
    await in_thread(Execution.objects.filter(pk=run.pk).update, degraded=True, suggestions_made=4, accepted=3)
    async with Socket(run_path(run), session_key=session_key) as socket:
        snapshot = await socket.hear()
    told = snapshot["execution"]
    assert (told["status"], told["execution_id"], told["degraded"]) == ("running", run.execution_id, True)
    assert (told["acceptance_rate"], told["pause_reason"], told["error"]) == (0.75, "", "")
    assert (snapshot["prompt"]["prompt_id"], snapshot["prompt"]["step"]["index"]) == (prompt.pk, 1)
    assert [(step["index"], step["sentence"]) for step in snapshot["steps"]] == [(1, "Click Save")]


async def test_a_snapshot_tells_the_last_steps_in_order(run, session_key, monkeypatch):
    monkeypatch.setattr(snapshot, "STEPS", 3)
    steps = [Step(execution=run, index=i, epoch=0, mode=run.mode) for i in range(1, 6)]
    await in_thread(Step.objects.bulk_create, steps)
    async with Socket(run_path(run), session_key=session_key) as socket:
        assert [step["index"] for step in (await socket.hear())["steps"]] == [3, 4, 5]


async def test_replay_from_a_cursor_is_gapless_and_in_order(run, session_key):
    """S8.2, S9.5"""
    last = await in_thread(tell, run, 200)
    async with Socket(run_path(run, after=1), session_key=session_key) as socket:
        assert await socket.seqs_until(last) == list(range(2, last + 1))
        assert max(len(message["events"]) for message in socket.seen) <= 50
        assert [message["batch"] for message in socket.seen] == list(range(1, len(socket.seen) + 1))


async def test_a_browser_that_is_up_to_date_hears_nothing_until_something_happens(run, session_key):
    async with Socket(run_path(run, after=3), session_key=session_key) as socket:
        assert await socket.receive_nothing(timeout=0.3)
        await in_thread(tell, run)
        assert await socket.seqs_until(4) == [4]


@pytest.mark.parametrize("after", [4, 999_999_999])
async def test_a_cursor_from_the_future_gets_a_snapshot(run, session_key, after):
    """A restored backup: the browser knows events that never were."""
    async with Socket(run_path(run, after=after), session_key=session_key) as socket:
        assert (await socket.hear())["seq"] == 3


async def test_browsers_at_different_places_of_different_runs_each_get_theirs(run, session_key):
    """S9.5: one reading serves them all."""
    other = await in_thread(make_execution)
    last = await in_thread(tell, run, 100)
    await in_thread(tell, other, 90)
    sockets = [Socket(run_path(run, after=after), session_key=session_key) for after in (0, 17, 60, last)]
    sockets += [Socket(run_path(other, after=after), session_key=session_key) for after in (0, 89)]
    for socket in sockets:
        await socket.__aenter__()
    await in_thread(tell, run, 5)
    await in_thread(tell, other, 1)
    heard = await asyncio.gather(*(s.seqs_until(last + 5 if i < 4 else 91) for i, s in enumerate(sockets)))
    for socket in sockets:
        await socket.__aexit__()
    starts = (0, 17, 60, last, 0, 89)
    ends = (last + 5,) * 4 + (91, 91)
    assert heard == [list(range(a + 1, b + 1)) for a, b in zip(starts, ends, strict=True)]


async def test_a_socket_needs_no_trip_to_the_shared_database_thread(run, session_key):
    """All `database_sync_to_async` calls of a process share one thread: 20 slow ones must not hold up the stream."""
    free = threading.Event()
    held = asyncio.ensure_future(sync_to_async(free.wait)(PATIENCE_S))
    try:
        async with Socket(run_path(run), session_key=session_key) as socket:
            await socket.hear()
            await in_thread(tell, run)
            assert await socket.seqs_until(4) == [4]
    finally:
        free.set()
        assert await held


async def test_the_stream_survives_a_database_that_fails_for_a_while(run, session_key, monkeypatch, caplog):
    """S8.2"""
    monkeypatch.setattr(hub, "RETRY_S", 0.05)
    real, failures = queries.read, iter([OperationalError("gone"), OperationalError("gone")])

    def failing(wanted: Any, languages: Any) -> Any:
        if error := next(failures, None):
            raise error
        return real(wanted, languages)

    async with Socket(run_path(run, after=3), session_key=session_key) as socket:
        monkeypatch.setattr(queries, "read", failing)
        await in_thread(tell, run, 5)
        assert await socket.seqs_until(8) == [4, 5, 6, 7, 8]
    assert [r.levelname for r in caplog.records if r.name == "execution.stream.hub"] == ["ERROR", "WARNING"]


async def test_the_hub_ends_with_its_last_socket_and_begins_anew(run, session_key):
    def threads() -> set[str]:
        return {t.name.split("_")[0] for t in threading.enumerate() if t.name.startswith("stream-")}

    await until(lambda: not threads())
    for _ in range(2):
        async with (
            Socket(run_path(run), session_key=session_key) as one,
            Socket("/ws/runs/", session_key=session_key) as two,
        ):
            await one.hear()
            await two.hear()
            assert threads() == {"stream-tail", "stream-reader", "stream-desk"}
        await until(lambda: not threads())


async def test_a_refused_socket_leaves_nothing_running(run):
    async with Socket(run_path(run), session_key="nonsense") as socket:
        assert await socket.close_code() == 4401
    await until(lambda: not [t for t in threading.enumerate() if t.name.startswith("stream-")])


# --- credits --------------------------------------------------------------------------------------------------------
async def test_a_client_that_acknowledges_nothing_is_sent_at_most_32_batches(run, session_key):
    """S8.2: a slow client costs the server nothing."""
    async with Socket(run_path(run, after=3), session_key=session_key) as socket:
        for _ in range(40):
            await in_thread(tell, run)
            if len(socket.seen) < clients.MAX_BATCHES:
                await socket.hear()
        assert len(socket.seen) == clients.MAX_BATCHES
        assert await socket.receive_nothing(timeout=0.3)
        last = socket.seen[-1]["events"][-1]["seq"]
        await socket.acknowledge(socket.seen[-1])
        assert await socket.seqs_until(43) == list(range(last + 1, 44))


async def test_credits_that_come_back_too_late_bring_a_snapshot(run, session_key, monkeypatch):
    """S8.2: over budget nothing is sent; whoever is far behind then jumps to the present."""
    monkeypatch.setattr(queries, "REPLAY_LIMIT", 20)
    monkeypatch.setattr(clients, "MAX_BATCHES", 2)
    async with Socket(run_path(run, after=3), session_key=session_key) as socket:
        for _ in range(2):
            await in_thread(tell, run)
            await socket.hear()
        last = await in_thread(tell, run, 30)
        assert await socket.receive_nothing(timeout=0.3)
        await socket.acknowledge(socket.seen[-1])
        assert (await socket.hear())["seq"] == last
        await in_thread(tell, run)
        assert await socket.seqs_until(last + 1) == [last + 1]


async def test_a_client_that_acknowledges_nothing_for_too_long_is_closed(run, session_key, monkeypatch):
    """S8.2"""
    monkeypatch.setattr(clients, "ACK_TIMEOUT_S", 0.2)
    async with (
        Socket(run_path(run, after=3), session_key=session_key) as silent,
        Socket(run_path(run, after=3), session_key=session_key) as quiet,
    ):
        await in_thread(tell, run)
        await silent.hear()
        await quiet.acknowledge(await quiet.hear())
        with pytest.raises(AssertionError, match="closed with 4408"):
            await silent.hear()
        await in_thread(tell, run)
        assert (await quiet.hear())["events"][0]["seq"] == 5


# --- pictures -------------------------------------------------------------------------------------------------------
def show(robot_name: str, taken_ns: int) -> None:
    path = path_of(robot_name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"picture")
    os.utime(path, ns=(taken_ns, taken_ns))


async def test_the_live_picture_is_told_one_at_a_time_and_the_latest_wins(run, session_key):
    """S8.2: pictures are no events."""
    robot = await in_thread(Robot.objects.create, name="host:1", desktop="host:1", host="host", pid=1)
    await in_thread(Execution.objects.filter(pk=run.pk).update, robot=robot)
    second = 1_000_000_000
    show("host:1", 1_800_000_000 * second)
    async with Socket(run_path(run, after=3), session_key=session_key) as socket:
        frame = await socket.hear()
        assert frame == {
            "type": "frame",
            "url": f"/runs/{run.execution_id}/frame?v={1_800_000_000 * second}",
            "taken_at": "2027-01-15T08:00:00+00:00",
        }
        show("host:1", 1_800_000_001 * second)
        assert await socket.receive_nothing(timeout=0.6)
        show("host:1", 1_800_000_002 * second)
        await socket.acknowledge(frame)
        await socket.hear_until(lambda m: m["url"].endswith(f"?v={1_800_000_002 * second}"))
        assert len(socket.seen) <= 3, "at most one look at the disk was under way"


async def test_no_picture_is_told_of_a_run_that_has_left_its_desktop(run, session_key):
    """What the robot shows then is somebody else's run."""
    robot = await in_thread(Robot.objects.create, name="host:2", desktop="host:1", host="host", pid=1)
    await in_thread(Execution.objects.filter(pk=run.pk).update, robot=robot)
    await in_thread(move, run, ExecutionState.COMPLETED)
    show("host:2", 1_800_000_000_000_000_000)
    async with Socket(run_path(run, after=4), session_key=session_key) as socket:
        assert await socket.receive_nothing(timeout=0.6)


# --- who may watch --------------------------------------------------------------------------------------------------
async def test_an_unknown_run_is_told_so(session_key):
    async with Socket("/ws/executions/exec_nowhere/", session_key=session_key) as socket:
        assert await socket.close_code() == 4404


async def test_a_run_that_is_deleted_closes_its_sockets(run, session_key):
    async with Socket(run_path(run), session_key=session_key) as socket:
        await socket.hear()
        await in_thread(Execution.objects.filter(pk=run.pk).delete)
        assert await socket.close_code() == 4404


def log_out(user: Any) -> None:
    Session.objects.all().delete()


def deactivate(user: Any) -> None:
    type(user).objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: Any) -> None:
    user.set_password("another battery")
    user.save()


@pytest.mark.parametrize(
    ("revoke", "code"),
    [(log_out, 4401), (deactivate, 4401), (change_password, 4401), (lambda user: user.groups.clear(), 4403)],
    ids=["logout", "deactivation", "new password", "lost role"],
)
@pytest.mark.parametrize("path", ["/ws/runs/", "/ws/executions/{id}/"])
async def test_an_open_socket_is_closed_when_its_person_may_no_longer_watch(
    run, viewer, session_key, monkeypatch, revoke, code, path
):
    """S10.2: within five seconds."""
    assert hub.SESSIONS_EVERY_S + hub.TICK_S < 5
    monkeypatch.setattr(hub, "SESSIONS_EVERY_S", 0.1)
    async with Socket(path.format(id=run.execution_id), session_key=session_key) as socket:
        await socket.hear()
        await in_thread(revoke, viewer)
        assert await socket.close_code() == code
        heard = len(socket.seen)
        await in_thread(tell, run)
        assert await socket.receive_nothing(timeout=0.2)
        assert len(socket.seen) == heard


async def test_nobody_watches_for_long_while_sessions_cannot_be_checked(run, session_key, monkeypatch):
    """S10.2"""
    assert hub.UNCHECKED_S <= 30
    for name, value in {"UNCHECKED_S": 0.2, "RETRY_S": 0.05, "SESSIONS_EVERY_S": 0.1}.items():
        monkeypatch.setattr(hub, name, value)

    def broken(keys: Any) -> Any:
        raise OperationalError("gone")

    async with Socket(run_path(run), session_key=session_key) as socket:
        await socket.hear()
        monkeypatch.setattr(hub.sessions, "refusals", broken)
        assert await socket.close_code() == 4500


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"decide","choice":"accept"}',
        "no json",
        '{"type":"ack"}',
        '{"type":"ack","seq":true}',
        '{"a":' * 200,
        "[" * 100_000,
        '{"type":"ack","seq":1' + " " * 2000 + "}",
    ],
)
@pytest.mark.parametrize("path", ["/ws/runs/", "/ws/executions/{id}/"])
async def test_whoever_says_anything_but_an_acknowledgement_is_shut_out(run, session_key, path, text):
    """S10.2: decisions come by HTTP."""
    async with Socket(path.format(id=run.execution_id), session_key=session_key) as socket:
        await socket.send_to(text_data=text)
        assert await socket.close_code() == 4400


async def test_bytes_are_no_acknowledgement(run, session_key):
    async with Socket(run_path(run), session_key=session_key) as socket:
        await socket.send_to(bytes_data=b'{"type":"ack","seq":1}')
        assert await socket.close_code() == 4400


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 30, "%D9%A1"])
async def test_a_cursor_that_is_no_number_is_refused(run, session_key, after):
    async with Socket(run_path(run, after=after), session_key=session_key) as socket:
        assert await socket.close_code() == 4400


# --- all runs -------------------------------------------------------------------------------------------------------
async def test_followers_of_all_runs_get_rows_that_change_and_how_many_need_a_person(run, operator):
    """S8.1"""
    async with Socket("/ws/runs/", session_key=await in_thread(session_of, operator)) as socket:
        first = await socket.hear_until(lambda m: m["type"] == "runs")
        assert [row["execution_id"] for row in first["runs"]] == [run.execution_id]
        assert (await socket.hear_until(lambda m: m["type"] == "attention"))["count"] == 0
        other = await in_thread(make_execution, state=ExecutionState.RUNNING, desktop="host:2")
        await in_thread(move, other, ExecutionState.PAUSED, pause_reason=PauseReason.NO_MATCH)
        # the row and the number are read one after the other: a move in between is told by either first
        news: dict[str, Any] = {}
        while not (news.get("attention") and news.get("row", {}).get("state") == "paused"):
            message = await socket.hear_until(lambda m: m["type"] in ("runs", "attention"))
            news |= {"row": message["runs"][-1]} if message["type"] == "runs" else {"attention": message["count"]}
    row = news["row"]
    assert (row["number"], row["state"], row["state_label"]) == (other.pk, "paused", "paused")
    assert (row["pause_reason"], row["pause_reason_label"]) == ("no_match", "screen not known")
    assert (row["workflow_id"], row["version"], row["steps_executed"]) == (other.workflow_id, 1, 0)
    assert news["attention"] == 1


async def test_a_viewer_is_not_told_that_a_run_needs_somebody_else(run, session_key):
    """U1: the number counts what this person may answer; the row tells the rest."""
    await in_thread(move, run, ExecutionState.PAUSED, pause_reason=PauseReason.NO_MATCH)
    async with Socket("/ws/runs/", session_key=session_key) as socket:
        assert (await socket.hear_until(lambda m: m["type"] == "attention"))["count"] == 0


async def test_a_run_that_ends_is_told_and_so_is_one_that_ended_before_anyone_looked(run, session_key):
    await in_thread(move, run, ExecutionState.FAILED, error="No disk")
    async with Socket("/ws/runs/", session_key=session_key) as socket:
        [row] = (await socket.hear_until(lambda m: m["type"] == "runs"))["runs"]
        assert (row["state"], row["error"]) == ("failed", "No disk")
        other = await in_thread(make_execution, state=ExecutionState.QUEUED)
        await in_thread(move, other, ExecutionState.STOPPED)
        last = await socket.hear_until(lambda m: m["type"] == "runs" and m["runs"][0]["state"] == "stopped")
        assert [row["number"] for row in last["runs"]] == [other.pk]


async def test_a_row_carries_the_open_question(run, session_key):
    prompt = await in_thread(ask, run)
    async with Socket("/ws/runs/", session_key=session_key) as socket:
        [row] = (await socket.hear_until(lambda m: m["type"] == "runs"))["runs"]
    assert (row["prompt"]["prompt_id"], row["prompt"]["step"]["sentence"]) == (prompt.pk, "Click Save")


async def test_rows_are_latest_wins_for_whoever_is_slow(run, session_key, monkeypatch):
    monkeypatch.setattr(clients, "MAX_BATCHES", 2)
    async with Socket("/ws/runs/", session_key=session_key) as socket:
        await socket.hear()
        last = await socket.hear()
        for count in range(1, 6):
            await in_thread(Execution.objects.filter(pk=run.pk).update, steps_executed=count)
            await in_thread(tell, run)
        assert await socket.receive_nothing(timeout=0.4)
        await socket.acknowledge(last)
        await socket.hear_until(lambda m: m["runs"][0]["steps_executed"] == 5)
        assert len(socket.seen) <= 4, "not each of the five"


async def test_rows_come_in_the_language_of_the_browser(run, session_key):
    """S8.5"""
    async with (
        Socket("/ws/runs/", session_key=session_key, language="fr-FR,fr;q=0.9") as french,
        Socket("/ws/runs/", session_key=session_key, language="de") as german,
    ):
        labels = [(await socket.hear())["runs"][0]["state_label"] for socket in (french, german)]
    assert labels[1] == "running"
    assert labels[0] == await in_thread(french_label)


def french_label() -> str:
    from django.utils import translation

    with translation.override("fr"):
        return str(ExecutionState.RUNNING.label)
