from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from gpu.choices import RequestState
from gpu.machine.request_rows import as_request
from gpu.models import OwnerRequest
from gpu.types import ExecutionMode, Purpose, Request, RequestKind, as_json
from sentences.said import from_json
from tests.gpu.rows import COMMITTED, LOAD, MACHINE, USE, VLM, Office

pytestmark = COMMITTED


async def put(
    office: Office, request: Request = LOAD, *, state: RequestState = RequestState.WAITING, **fields: Any
) -> int:
    """A row as an asker leaves it, who may be anybody."""
    now = office.now()
    columns = {
        "machine": MACHINE,
        "state": state,
        "kind": request.kind.value,
        "request": as_json(request),
        "asked_at": now,
        "seen_at": now,
        "deadline_at": now + timedelta(seconds=60),
        **fields,
    }
    pk: int = await office.database.run(lambda: OwnerRequest.objects.create(**columns).pk)
    return pk


async def only(office: Office) -> OwnerRequest:
    (row,) = await office.rows()
    return row


def all_are(state: RequestState) -> Any:
    return lambda rows: {row.state for row in rows} == {state}


@pytest.mark.parametrize(
    "request_",
    [
        Request(kind=RequestKind.MODE, mode=ExecutionMode.AUTOPILOT, asked_by="run 12"),
        Request(kind=RequestKind.LOAD, model=VLM, purpose=Purpose.PRELOAD, extra={"why": "an étude"}),
        Request(kind=RequestKind.USE, model=VLM, purpose=Purpose.ASSISTANT),
        Request(kind=RequestKind.CLIP_TO_CPU),
    ],
    ids=lambda request: request.kind.value,
)
async def test_a_request_comes_out_of_a_row_as_it_went_in(office: Office, request_: Request) -> None:
    await put(office, request_)
    row = await only(office)
    asked = as_request(row, now=row.deadline_at - timedelta(seconds=request_.deadline_s))
    assert asked == request_


@pytest.mark.parametrize(
    ("said", "names"),
    [({}, "KeyError"), ({"kind": "dance"}, "dance"), ({"kind": "mode", "mode": "turbo"}, "turbo"), ([], "TypeError")],
)
async def test_a_row_that_makes_no_sense_is_answered_and_harms_nobody(office: Office, said: Any, names: str) -> None:
    await put(office, request=LOAD)
    await office.database.run(lambda: OwnerRequest.objects.update(request=said))
    await put(office, request=LOAD)
    async with office.open():
        await office.until(lambda rows: [row.state for row in rows] == [RequestState.FAILED, RequestState.DONE])
    first = (await office.rows())[0]
    assert first.error == "GPUError"
    assert names in from_json(first.answer["message"])


@pytest.mark.parametrize("state", [RequestState.WAITING, RequestState.DOING])
async def test_what_waits_or_was_left_half_done_is_done(office: Office, state: RequestState) -> None:
    await put(office, state=state)
    async with office.open():
        await office.until(all_are(RequestState.DONE))
    row = await only(office)
    assert [one.model for one in office.served] == [VLM]
    assert row.finished_at is not None


@pytest.mark.parametrize("state", [RequestState.WAITING, RequestState.DOING, RequestState.GRANTED])
async def test_what_is_too_late_is_not_done(office: Office, state: RequestState) -> None:
    await put(office, USE if state == RequestState.GRANTED else LOAD, state=state, deadline_at=office.now())
    async with office.open():
        await office.until(all_are(RequestState.FAILED))
    assert (await only(office)).error == "DeadlinePassed"
    assert (office.served, office.lent) == ([], [])


@pytest.mark.parametrize("state", [RequestState.WAITING, RequestState.DOING, RequestState.GRANTED])
async def test_the_row_of_an_asker_long_dead_is_closed(office: Office, state: RequestState) -> None:
    await put(office, USE if state == RequestState.GRANTED else LOAD, state=state)
    office.seconds = 10.0
    async with office.open():
        await office.until(all_are(RequestState.FAILED))
    assert "no sign of life" in from_json((await only(office)).answer["message"])
    assert (office.served, office.lent) == ([], [])


async def test_a_model_in_use_is_let_go_when_its_user_gives_no_sign_of_life(office: Office) -> None:
    await put(office, USE)
    async with office.open():
        await office.until(all_are(RequestState.GRANTED))
        office.seconds = 9.9
        await asyncio.sleep(0.02)
        assert office.given_back == 0
        office.seconds = 10.0
        await office.until(all_are(RequestState.FAILED))
        await office.until(lambda rows: office.given_back == 1)


@pytest.mark.parametrize("hours", [-5, 5])
async def test_a_wall_clock_that_is_set_ends_nothing(office: Office, hours: int) -> None:
    await put(office, USE)
    async with office.open() as box:
        await office.until(all_are(RequestState.GRANTED))
        office.clock_set_by_s = hours * 3600
        for _ in range(5):
            await box.turn()
        assert (await only(office)).state == RequestState.GRANTED
        office.seconds = 10.0
        await office.until(all_are(RequestState.FAILED))


async def test_what_nobody_wants_any_more_is_not_gone_on_with(office: Office) -> None:
    ended = asyncio.Event()

    async def long(request: Request) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    office.serve = long
    await put(office)
    async with office.open():
        await office.until(all_are(RequestState.DOING))
        await office.database.run(lambda: OwnerRequest.objects.update(state=RequestState.FAILED, error="Withdrawn"))
        async with asyncio.timeout(60):
            await ended.wait()
    assert (await only(office)).error == "Withdrawn"


async def test_a_slow_request_does_not_keep_another_one_waiting(office: Office) -> None:
    """The manager has its own order; a model in use for minutes holds up nobody's change of mode."""
    await put(office, USE)
    async with office.open():
        await office.until(all_are(RequestState.GRANTED))
        await put(office, Request(kind=RequestKind.MODE, mode=ExecutionMode.AUTOPILOT))
        await office.until(lambda rows: [row.state for row in rows] == [RequestState.GRANTED, RequestState.DONE])


async def test_nothing_is_done_twice(office: Office) -> None:
    """A row is looked at many times while it is being done."""
    done = asyncio.Event()

    async def slow(request: Request) -> dict[str, Any]:
        office.served.append(request)
        await done.wait()
        return {}

    office.serve = slow
    await put(office)
    async with office.open() as box:
        await office.until(all_are(RequestState.DOING))
        for _ in range(10):
            await box.turn()
        done.set()
        await office.until(all_are(RequestState.DONE))
        await box.turn()
    assert len(office.served) == 1


async def test_an_answer_is_written_although_the_gpu_is_given_back_at_that_moment(office: Office) -> None:
    """A process that borrowed the GPU for this very request gives it back as soon as it is done."""
    running: list[asyncio.Task[None]] = []

    async def and_leave(request: Request) -> dict[str, Any]:
        office.served.append(request)
        running[0].cancel()
        return {"done": True}

    office.serve = and_leave
    await put(office)
    running.append(asyncio.create_task(office.box().run()))
    await asyncio.wait(running)
    assert running[0].cancelled()
    await office.until(all_are(RequestState.DONE))
    assert len(office.served) == 1


async def test_a_fault_in_a_turn_is_no_end_of_serving(
    office: Office, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await put(office)
    with monkeypatch.context() as trouble:
        trouble.setattr("gpu.machine.request_server._Caller", lambda *args, **kwargs: 1 / 0)
        async with office.open():
            while "division by zero" not in caplog.text:
                await asyncio.sleep(0.001)
            for _ in range(5):
                await office.rows()
            trouble.undo()
            await office.until(all_are(RequestState.DONE))
    assert caplog.text.count("cannot be read") == 1


async def test_requests_of_another_machine_are_left_alone(office: Office) -> None:
    await put(office, machine="desk-8")
    await put(office)
    async with office.open():
        await office.until(lambda rows: [row.state for row in rows] == [RequestState.WAITING, RequestState.DONE])


async def test_a_fault_of_ours_is_logged_told_to_who_asked_and_ends_nothing(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(request: Request) -> None:
        raise RuntimeError("a fault")

    office.serve = broken
    await put(office)
    async with office.open():
        await office.until(all_are(RequestState.FAILED))
        office.serve = office._serve
        await put(office)
        await office.until(lambda rows: rows[-1].state == RequestState.DONE)
    first = (await office.rows())[0]
    assert (first.error, from_json(first.answer["message"])) == (
        "GPUError",
        "The owner of the GPU failed: RuntimeError: a fault",
    )
    assert "ended in a fault" in caplog.text


async def test_a_database_that_refuses_for_a_while_costs_one_line_and_no_request(
    office: Office, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await put(office)
    refusals = iter(range(20))
    plain = office.database.run

    async def locked(work: Any) -> Any:
        if next(refusals, None) is not None:
            raise OperationalError("database is locked")
        return await plain(work)

    monkeypatch.setattr(office.database, "run", locked)
    async with office.open():
        while next(refusals, None) is not None:
            await asyncio.sleep(0)
        await office.until(all_are(RequestState.DONE))
    assert caplog.text.count("database is locked") == 1


async def test_an_answer_waits_for_a_database_that_refuses(
    office: Office, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refused = []
    plain = office.database.run

    async def once(work: Any) -> Any:
        if office.served and len(refused) < 3:
            refused.append(work)
            raise OperationalError("database is locked")
        return await plain(work)

    await put(office)
    monkeypatch.setattr(office.database, "run", once)
    async with office.open():
        while len(refused) < 3:
            await asyncio.sleep(0.001)
        await office.until(all_are(RequestState.DONE))
    assert len(office.served) == 1


async def test_answered_requests_are_kept_for_a_day(office: Office) -> None:
    old = office.now() - timedelta(days=1, seconds=1)
    await put(office, state=RequestState.DONE, asked_at=old)
    await put(office, state=RequestState.FAILED, asked_at=old)
    young = await put(office, state=RequestState.DONE, asked_at=old + timedelta(seconds=60))
    elsewhere = await put(office, state=RequestState.DONE, asked_at=old, machine="desk-8")
    async with office.open() as box:
        await box.turn()
        assert [row.pk for row in await office.rows()] == [young, elsewhere]
        office.seconds = 120
        await box.turn()
        assert len(await office.rows()) == 2  # it is not looked for at every turn
        office.seconds = 3600
        await office.until(lambda rows: [row.pk for row in rows] == [elsewhere])
