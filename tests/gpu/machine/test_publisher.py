from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError

from gpu.exceptions import NotEnoughVRAM
from gpu.kernel_lock import Holder
from gpu.machine import status as published
from gpu.machine.status import Publisher, _picture
from gpu.models import GPUEvent, GPUSample, GPUState, ModelUse
from gpu.runtime import DatabaseThread
from gpu.types import ExecutionMode, ManagerDetails, ModelState
from tests.gpu.rows import CARD, COMMITTED, LOAD, LOOK_EVERY_S, MACHINE, STATUS, USE, VLM

pytestmark = COMMITTED

ME = Holder(pid=4711, name="run loop", since=datetime(2026, 11, 21, 8, 0, tzinfo=UTC))


class Manager:
    """What the publisher sees of one; its clock stands until it is moved."""

    def __init__(self) -> None:
        self.status = STATUS
        self.residents: tuple[Any, ...] = ()
        self.degraded_since: datetime | None = None
        self.seconds = 0.0
        self.looks = 0

    def details(self) -> ManagerDetails:
        self.looks += 1
        return ManagerDetails(
            status=self.status,
            vram=(self.status.vram,) if self.status.vram else (),
            residents=self.residents,
            queue=(),
            degraded_since=self.degraded_since,
        )

    def now(self) -> datetime:
        return datetime(2026, 11, 21, 8, 0, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def use(self, used_mb: int) -> None:
        self.status = replace(self.status, vram=replace(CARD, used_mb=used_mb, free_mb=24_000 - used_mb))


@pytest.fixture
def manager() -> Manager:
    return Manager()


@pytest.fixture
def publisher(database: DatabaseThread, manager: Manager) -> Publisher:
    return Publisher(MACHINE, database, manager.details, heartbeat_s=0.005, now=manager.now)


@asynccontextmanager
async def opened(publisher: Publisher, owner: Holder = ME) -> AsyncIterator[None]:
    """As the wiring does it when the GPU was taken, until it is given back."""
    publisher.open(owner)
    running = asyncio.create_task(publisher.run())
    try:
        yield
    finally:
        publisher.shut()
        async with asyncio.timeout(60):
            await running


async def state(database: DatabaseThread) -> GPUState | None:
    return await database.run(lambda: GPUState.objects.filter(machine=MACHINE).first())


async def texts(database: DatabaseThread) -> list[str]:
    return await database.run(lambda: list(GPUEvent.objects.values_list("text", flat=True)))


async def used(database: DatabaseThread) -> list[int]:
    return await database.run(lambda: list(GPUSample.objects.values_list("used_mb", flat=True)))


async def until(database: DatabaseThread, condition: Callable[[GPUState], Any]) -> GPUState:
    """Wait until the row is so."""
    async with asyncio.timeout(60):
        while (row := await state(database)) is None or not condition(row):
            await asyncio.sleep(LOOK_EVERY_S)
    return row


async def turns(manager: Manager, number: int = 3) -> None:
    """Wait until so many more pictures of the manager were taken; all but the last one are written by then."""
    wanted = manager.looks + number
    async with asyncio.timeout(60):
        while manager.looks < wanted:
            await asyncio.sleep(LOOK_EVERY_S)


# --- the state ------------------------------------------------------------------------------------------------------
async def test_everybody_can_read_who_owns_the_gpu_and_what_it_is_like(
    database: DatabaseThread, manager: Manager, publisher: Publisher
) -> None:
    """S3.8"""
    manager.status = replace(STATUS, vlm_state=ModelState.LOADED, execution_mode=ExecutionMode.RECORDING)
    manager.residents = ({"name": VLM, "state": ModelState.LOADED, "expires_at": ME.since},)
    async with opened(publisher):
        row = await until(database, lambda row: True)
        assert (row.owner, row.owner_pid, row.owner_since) == ("run loop", 4711, ME.since)
        assert (row.vlm_state, row.vlm_model, row.mode, row.clip_device) == ("loaded", VLM, "recording", "cpu")
        assert row.vram == [asdict(CARD)]
        assert row.residents == [{"name": VLM, "state": "loaded", "expires_at": "2026-11-21T08:00:00+00:00"}]


async def test_the_heartbeat_goes_on_and_the_revision_counts_changes_alone(
    database: DatabaseThread, manager: Manager, publisher: Publisher
) -> None:
    async with opened(publisher):
        first = await until(database, lambda row: True)
        manager.seconds = 9
        beaten = await until(database, lambda row: row.heartbeat_at == manager.now())
        assert beaten.revision == first.revision
        manager.use(1001)
        changed = await until(database, lambda row: row.vram[0]["used_mb"] == 1001)
        assert changed.revision == first.revision + 1


async def test_a_change_is_told_at_once_and_not_at_the_next_heartbeat(
    database: DatabaseThread, manager: Manager
) -> None:
    """S3.9: an outage is on the pages within two seconds."""
    slow = Publisher(MACHINE, database, manager.details, heartbeat_s=600, now=manager.now)
    async with opened(slow):
        await until(database, lambda row: not row.degraded)
        since = manager.now()
        manager.status = replace(STATUS, degraded=True, degraded_reason="Ollama cannot be reached.")
        manager.degraded_since = since
        threading.Thread(  # whoever changes something may be in any thread
            target=slow.hear, args=("resource_changed", "Ollama cannot be reached.", manager.status)
        ).start()
        row = await until(database, lambda row: row.degraded)
        assert (row.degraded_reason, row.degraded_since) == ("Ollama cannot be reached.", since)
        assert (await texts(database))[-1] == "Ollama cannot be reached."


async def test_a_slow_database_is_told_the_newest_state_and_every_event(
    database: DatabaseThread, manager: Manager
) -> None:
    slow = Publisher(MACHINE, database, manager.details, heartbeat_s=600, now=manager.now)
    async with opened(slow):
        await until(database, lambda row: True)
        looks, go_on = manager.looks, threading.Event()
        database.submit(lambda: go_on.wait(60))
        for number in range(50):
            manager.status = replace(STATUS, queue_length=number)
            slow.hear("resource_changed", f"change {number}", manager.status)
            await asyncio.sleep(0)
        go_on.set()
        await until(database, lambda row: row.queue_length == 49)
        assert manager.looks - looks <= 3
    assert [text for text in await texts(database) if "change" in text] == [f"change {n}" for n in range(50)]


# --- owners come and go ---------------------------------------------------------------------------------------------
async def test_whoever_gives_the_gpu_back_says_so_and_tells_the_rest(
    database: DatabaseThread, manager: Manager, publisher: Publisher
) -> None:
    async with opened(publisher):
        await until(database, lambda row: True)
        manager.status = replace(STATUS, vlm_state=ModelState.LOADED)
        publisher.hear("resource_changed", "loaded", manager.status)
    row = await state(database)
    assert row is not None
    assert (row.owner, row.owner_pid, row.owner_since, row.vlm_state) == ("", None, None, "loaded")
    assert await texts(database) == [
        "run loop (pid 4711) owns the GPU.",
        "loaded",
        "run loop (pid 4711) no longer owns the GPU.",
    ]


async def test_what_is_heard_while_another_process_owns_the_gpu_is_not_told(
    database: DatabaseThread, publisher: Publisher
) -> None:
    publisher.hear("resource_changed", "before", STATUS)
    async with opened(publisher):
        await until(database, lambda row: True)
    publisher.hear("resource_changed", "after", STATUS)
    publisher.shut()  # harmless
    async with opened(publisher):
        await until(database, lambda row: row.owner)
    assert {"before", "after"}.isdisjoint(await texts(database))


async def test_a_late_goodbye_does_not_hide_the_next_owner(
    database: DatabaseThread, manager: Manager, publisher: Publisher
) -> None:
    """A slow database: the next owner was quicker."""
    async with opened(publisher):
        await until(database, lambda row: True)
        nextone = Holder(pid=4712, name="the next one", since=ME.since + timedelta(hours=1))
        picture = _picture(manager.details())
        publisher._owner = None
        await database.run(lambda: published.write_state(MACHINE, nextone, picture, manager.now()))
        await database.run(lambda: published.write_goodbye(MACHINE, ME, picture, manager.now()))
        row = await state(database)
        assert row is not None
        assert (row.owner, row.owner_pid) == ("the next one", 4712)


async def test_what_waits_for_the_database_when_the_gpu_is_given_back_is_not_told_late(
    database: DatabaseThread, manager: Manager, publisher: Publisher
) -> None:
    publisher.open(ME)
    work = publisher._work(ME)
    publisher.shut()
    await database.run(lambda: None)
    await database.run(work)
    row = await state(database)
    assert row is not None
    assert row.owner == ""


# --- the memory over time -------------------------------------------------------------------------------------------
async def test_the_memory_is_sampled_every_ten_seconds_and_when_it_jumps(
    database: DatabaseThread, manager: Manager, publisher: Publisher
) -> None:
    async with opened(publisher):
        await turns(manager)
        assert await used(database) == [1000]
        manager.use(1100)
        manager.seconds = 9.9
        await turns(manager)
        assert await used(database) == [1000]
        manager.use(1101)  # more than 100 MB
        await turns(manager)
        assert await used(database) == [1000, 1101]
        manager.seconds = 19.8
        await turns(manager)
        assert await used(database) == [1000, 1101]
        manager.seconds = 19.9
        await turns(manager)
        assert await used(database) == [1000, 1101, 1101]


async def test_old_events_and_samples_go(database: DatabaseThread, manager: Manager, publisher: Publisher) -> None:
    def leave(machine: str, *, days: float) -> None:
        at = manager.now() - timedelta(days=days)
        GPUEvent.objects.create(machine=machine, at=at, kind="mode_changed", text=f"{machine} {days}", status={})
        GPUSample.objects.create(machine=machine, gpu="GPU-1", at=at, used_mb=int(days * 100), total_mb=1)

    for days in (7.1, 6.9, 1.1, 0.9):
        await database.run(lambda days=days: leave(MACHINE, days=days))  # type: ignore[misc]
    await database.run(lambda: leave("desk-8", days=30))
    async with opened(publisher):
        await turns(manager)
        kept = [text for text in await texts(database) if "owns" not in text]
        assert kept == [f"{MACHINE} 6.9", f"{MACHINE} 1.1", f"{MACHINE} 0.9", "desk-8 30"]
        assert sorted(await used(database)) == [90, 1000, 3000]


async def test_uses_of_models_that_no_report_covers_go(database: DatabaseThread, manager: Manager) -> None:
    def left() -> list[str]:
        for days in (401, 399):
            at = manager.now() - timedelta(days=days)
            ModelUse.objects.create(at=at, purpose="target", model=f"{days}", outcome="answered", seconds=1)
        published.delete_old(MACHINE, manager.now())
        kept = list(ModelUse.objects.values_list("model", flat=True))
        ModelUse.objects.all().delete()
        return kept

    assert await database.run(left) == ["399"]


async def test_of_too_many_events_the_newest_are_kept(
    database: DatabaseThread, manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "MOST_EVENTS", 20)
    said = {"machine": MACHINE, "at": manager.now(), "kind": "mode_changed", "status": {}}
    many = [{**said, "text": str(number)} for number in range(27)]
    await database.run(lambda: published.write_events(many[:20]))
    await database.run(lambda: published.delete_old(MACHINE, manager.now()))
    assert len(await texts(database)) == 20
    await database.run(lambda: published.write_events(many[20:]))
    await database.run(lambda: published.delete_old(MACHINE, manager.now()))
    assert await texts(database) == [str(number) for number in range(7, 27)]


# --- a database that refuses ----------------------------------------------------------------------------------------
async def test_a_database_that_refuses_costs_one_line_and_no_event(
    database: DatabaseThread,
    manager: Manager,
    publisher: Publisher,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def locked(*args: Any) -> None:
        raise OperationalError("database is locked")

    async with opened(publisher):
        await until(database, lambda row: True)
        with monkeypatch.context() as trouble:
            trouble.setattr(published, "write_state", locked)
            publisher.hear("mode_changed", "in the dark", STATUS)
            await turns(manager, 10)
            assert "in the dark" not in await texts(database)  # the event and the state are written together
        manager.status = replace(STATUS, queue_length=3)
        await until(database, lambda row: row.queue_length == 3)
        assert (await texts(database)).count("in the dark") == 1
    assert caplog.text.count("database is locked") == 1


async def test_a_fault_in_what_is_told_is_no_end_of_telling(
    database: DatabaseThread,
    manager: Manager,
    publisher: Publisher,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with opened(publisher):
        await until(database, lambda row: True)
        with monkeypatch.context() as trouble:
            trouble.setattr("gpu.machine.status.as_json", lambda value: 1 / 0)
            async with asyncio.timeout(60):
                while "is not told" not in caplog.text:
                    await asyncio.sleep(LOOK_EVERY_S)
        manager.status = replace(STATUS, queue_length=3)
        await until(database, lambda row: row.queue_length == 3)


# --- values ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("passes", range(6))
async def test_it_ends_though_something_changes_in_the_very_moment_it_is_cancelled(
    database: DatabaseThread, manager: Manager, passes: int
) -> None:
    """The owner gives the GPU back when this has ended: a cancellation that is lost would keep it for ever."""
    publisher = Publisher(MACHINE, database, manager.details, heartbeat_s=600, now=manager.now)
    publisher.open(ME)
    running = asyncio.create_task(publisher.run())
    await until(database, lambda row: row.owner_pid == ME.pid)
    publisher.stir()
    for _ in range(passes):
        await asyncio.sleep(0)
    running.cancel()
    done, _left = await asyncio.wait({running}, timeout=60)
    assert done
    publisher.shut()


async def test_what_a_person_asked_in_vain_is_told_and_a_use_is_told_with_its_run(publisher: Publisher) -> None:
    """S3.9: kept so that whoever reads it has the request, and the error with its numbers."""
    error = NotEnoughVRAM(VLM, needed_mb=6512, free_mb=4000)
    publisher.refused(LOAD, error)  # nobody owns the GPU yet
    publisher.open(ME)
    publisher.refused(USE, error)
    publisher.refused(LOAD, error)
    publisher.shut()
    await publisher._database.run(lambda: None)
    (event,) = await publisher._database.run(lambda: list(GPUEvent.objects.filter(kind="request_failed")))
    assert event.text == str(error)
    assert (event.status["request"]["model"], event.status["request"]["asked_by"]) == (VLM, "zoe")
    assert (event.status["error"], event.status["fields"]) == ("NotEnoughVRAM", {"needed_mb": 6512, "free_mb": 4000})
