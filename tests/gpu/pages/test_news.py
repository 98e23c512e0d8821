"""News of the GPU over the stream: told once, soon, to all, and the banner of every page (S3.9, S3.10, S8.2)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from execution.models import Execution, Robot
from gpu.machine.ownership import Ownership
from gpu.machine.status import gpu_folder, write_events
from gpu.models import GPUState
from gpu.pages.board import banner_now, news_of_gpu
from gpu.types import as_json
from tests.factories import make_execution
from tests.gpu.rows import STATUS, VLM
from tests.support.gpu_rows import DEGRADED, make_event, make_state
from tests.support.sockets import Socket, in_thread, session_of

pytestmark = pytest.mark.django_db(transaction=True)

REASON = DEGRADED["degraded_reason"]
LATE_S = 0.3  # from the row to the socket


def change(**fields: Any) -> None:
    row = GPUState.objects.get()
    for name, value in {**fields, "revision": row.revision + 1, "heartbeat_at": timezone.now()}.items():
        setattr(row, name, value)
    row.save()


@pytest.fixture
def owner(tmp_path: Any, settings: Any) -> Iterator[Ownership]:
    """Somebody owns the GPU."""
    settings.DATA_DIR = tmp_path
    ownership = Ownership(gpu_folder())
    assert ownership.hold("run loop host:1")
    yield ownership
    ownership.release()


@pytest.fixture
def session_key(viewer: Any) -> str:
    return session_of(viewer)


async def gpu_of(socket: Socket) -> dict[str, Any]:
    return await socket.hear_until(lambda message: message["type"] == "gpu")


# --- over the socket ------------------------------------------------------------------------------------------------
@pytest.mark.asyncio
async def test_a_change_of_the_row_reaches_every_browser_within_a_third_of_a_second(owner, session_key):
    """S3.9: the page follows what the owner writes."""
    await in_thread(make_state)
    sockets = [Socket("/ws/runs/", session_key=session_key) for _ in range(2)]
    async with sockets[0] as one, sockets[1] as other:
        marks = {(await gpu_of(one))["mark"], (await gpu_of(other))["mark"]}
        assert len(marks) == 1
        delays = []
        for mode in ("autopilot", "idle", "recording", "autopilot"):
            await in_thread(change, mode=mode)
            began = time.monotonic()
            marks |= {(await gpu_of(one))["mark"], (await gpu_of(other))["mark"]}
            delays.append(time.monotonic() - began)
    assert len(marks) == 5
    assert sorted(delays)[1] < LATE_S  # one that the machine was busy with something else for does not count


@pytest.mark.asyncio
async def test_a_sign_of_life_alone_is_no_news(owner, session_key):
    await in_thread(make_state)
    async with Socket("/ws/runs/", session_key=session_key) as socket:
        await gpu_of(socket)
        await in_thread(GPUState.objects.update, heartbeat_at=timezone.now())
        await in_thread(make_event, "CLIP is on the GPU.")
        await gpu_of(socket)
    told = [message for message in socket.seen if message["type"] == "gpu"]
    assert len(told) == 2, "the event alone"


@pytest.mark.asyncio
async def test_an_outage_and_its_end_are_told_in_the_language_of_the_page(owner, session_key):
    """S3.10"""
    await in_thread(make_state)
    async with Socket("/ws/runs/", session_key=session_key, language="fr") as socket:
        assert (await gpu_of(socket))["banner"] is None
        await in_thread(change, **DEGRADED, degraded_since=timezone.now())
        banner = (await gpu_of(socket))["banner"]
        assert banner["text"] == REASON
        await in_thread(change, degraded=False, degraded_reason="", degraded_since=None)
        assert (await gpu_of(socket))["banner"] is None


@pytest.mark.asyncio
async def test_where_nothing_is_known_of_a_gpu_nothing_is_told_of_one(session_key):
    async with Socket("/ws/runs/", session_key=session_key) as socket:
        await socket.hear_until(lambda message: message["type"] == "attention")
        assert await socket.receive_nothing(timeout=0.3)


@pytest.mark.asyncio
async def test_an_owner_that_dies_is_told_without_any_row(owner, session_key):
    """A killed process writes nothing: its lock is free, and somebody looks once a second."""
    await in_thread(make_state, **DEGRADED)
    async with Socket("/ws/runs/", session_key=session_key) as socket:
        first = await gpu_of(socket)
        assert first["banner"] is not None
        owner.release()
        second = await gpu_of(socket)
    assert second["mark"] != first["mark"]
    assert second["banner"] is None, "what the dead said of the server is not known any more"


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["resource_changed", "idle_unload"])
async def test_what_happens_to_a_gpu_reaches_browsers_as_a_kind_of_its_own(owner, session_key, kind):
    """S3.9, S8.2: as the newest for whoever follows all runs, and among the events of the runs beside it."""
    await in_thread(make_state)
    runs = [await in_thread(run_on, host) for host in ("desk-7", "desk-8")]
    said = {"machine": "desk-7", "at": timezone.now(), "kind": kind, "text": "Idle.", "status": as_json(STATUS)}
    here, elsewhere = (f"/ws/executions/{run.execution_id}/?after={run.next_seq - 1}" for run in runs)
    async with Socket("/ws/runs/", session_key=session_key) as every, Socket(here, session_key=session_key) as one:
        await gpu_of(every)
        await in_thread(write_events, [said])
        told = await every.hear_until(lambda message: message["type"] == "gpu" and message["event"])
        (event,) = (await one.hear_until(lambda message: message["type"] == "events"))["events"]
    assert (told["event"]["kind"], told["event"]["message"], told["event"]["machine"]) == (kind, "Idle.", "desk-7")
    assert (event["kind"], event["payload"]) == (kind, {
        "machine": "desk-7", "message": "Idle.", "mode": "idle", "vlm_model": VLM, "vlm_state": "unloaded",
        "used_mb": 1000, "total_mb": 24_000,
    })  # fmt: skip
    async with Socket(elsewhere, session_key=session_key) as other:
        assert await other.receive_nothing(timeout=0.3)


def run_on(host: str) -> Execution:
    robot = Robot.objects.create(name=host, desktop=f"{host}:1", host=host, pid=1)
    return make_execution(state="running", desktop=robot.desktop, robot=robot)


# --- what is read ---------------------------------------------------------------------------------------------------
def test_news_take_two_queries_however_many_languages(owner):
    make_state()
    make_event("x")
    with CaptureQueriesContext(connection) as queries:
        news = news_of_gpu({"en", "fr"})
    assert len(queries) == 2
    assert set(news.banners) == {"en", "fr"}


def test_a_silent_owner_is_believed_for_ten_seconds(owner):
    make_state(**DEGRADED, heartbeat_at=timezone.now() - timedelta(seconds=8))
    assert banner_now() is not None
    GPUState.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=12))
    assert banner_now() is None


@pytest.mark.parametrize(
    "fields",
    [{}, {**DEGRADED, "owner": ""}],
    ids=["all is well", "nobody owns it"],
)
def test_no_banner_while_nobody_can_say_that_something_is_wrong(owner, fields):
    make_state(**fields)
    assert banner_now() is None
