from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import OperationalError

from gpu.choices import RequestState
from gpu.exceptions import (
    AnswerBroken,
    DeadlinePassed,
    GpuBusy,
    GPUError,
    NoModelFits,
    NotEnoughVRAM,
    OwnedElsewhere,
    OwnerGone,
    VLMUnavailable,
)
from gpu.kernel_lock import Holder
from gpu.machine.request_rows import as_error, error_fields
from gpu.models import OwnerRequest
from gpu.types import Request
from tests.gpu.rows import COMMITTED, LOAD, MACHINE, USE, VLM, Office

pytestmark = COMMITTED


def in_state(state: RequestState) -> Any:
    return lambda rows: [row.state for row in rows] == [state]


# --- asking ---------------------------------------------------------------------------------------------------------
async def test_the_owner_does_what_was_asked(office: Office) -> None:
    """S3.1"""
    async with office.open():
        await office.remote().ask(LOAD)
    (served,) = office.served
    assert (served.kind, served.model, served.asked_by) == (LOAD.kind, LOAD.model, "zoe")
    assert 0 < served.deadline_s <= 60  # what is left of it
    (row,) = await office.rows()
    assert (row.state, row.asked_by, row.machine) == (RequestState.DONE, "zoe", MACHINE)


@pytest.mark.parametrize(
    "error",
    [
        NotEnoughVRAM("qwen2.5vl:7b", needed_mb=6512, free_mb=4000),
        GpuBusy("A run needs the GPU.", retry_after_s=2.5),
        NoModelFits("No model fits.", reasons=["a: too large", "b: no pictures"]),
        VLMUnavailable("Not now.", passing=False),
        GPUError("Something else."),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_what_the_owner_met_is_raised_here_with_its_class_message_and_numbers(
    office: Office, error: GPUError
) -> None:
    async def fail(request: Request) -> None:
        raise error

    office.serve = fail
    async with office.open():
        with pytest.raises(type(error)) as caught:
            await office.remote().ask(LOAD)
    assert type(caught.value) is type(error)
    assert str(caught.value) == str(error)
    assert vars(caught.value) == vars(error)
    assert getattr(caught.value, "passing", None) == getattr(error, "passing", None)


def test_an_error_of_a_newer_version_is_an_error_all_the_same() -> None:
    error = as_error("NotInventedYet", {"message": "From the future.", "fields": {"number": 3}})
    assert (type(error), str(error)) == (GPUError, "From the future.")
    assert type(as_error("Sequence", {})) is GPUError  # a name of that module, and no error


def test_what_json_does_not_know_is_left_out_of_an_error() -> None:
    error = GpuBusy("busy", retry_after_s=1)
    error.attempts = (object(),)  # type: ignore[attr-defined]
    assert error_fields(error)["answer"] == {"message": "busy", "fields": {"retry_after_s": 1}}


async def test_requests_of_many_processes_are_served_in_their_order(office: Office) -> None:
    remotes = [office.remote() for _ in range(5)]
    asked = []
    for number, remote in enumerate(remotes):
        asked.append(asyncio.create_task(remote.ask(Request(kind=LOAD.kind, model=f"m{number}"))))
        await office.until(lambda rows, number=number: len(rows) == number + 1)
    async with office.open():
        await asyncio.gather(*asked)
    assert [request.model for request in office.served] == ["m0", "m1", "m2", "m3", "m4"]


async def test_the_asker_keeps_its_deadline_also_when_nobody_answers(office: Office) -> None:
    """S3.11: every request ends before its deadline with a result or a typed error."""
    asked = asyncio.create_task(office.remote(lease_s=1000).ask(LOAD))
    await office.until(in_state(RequestState.WAITING))
    office.seconds = 59.9
    await asyncio.sleep(0.02)
    assert not asked.done()
    office.seconds = 60
    with pytest.raises(DeadlinePassed, match=rf"“load {VLM}” was asked of run loop \(pid 4711.* in 60 s"):
        await asked
    (row,) = await office.rows()
    assert row.state == RequestState.FAILED  # nobody does it any more


async def test_an_owner_that_lives_and_does_not_answer_is_named(office: Office) -> None:
    """As a process that was stopped by its debugger."""
    asked = asyncio.create_task(office.remote().ask(LOAD))
    await office.until(in_state(RequestState.WAITING))
    office.seconds = 10
    with pytest.raises(OwnedElsewhere, match=rf"run loop \(pid 4711.* does not answer to “load {VLM}”") as caught:
        await asked
    assert not isinstance(caught.value, OwnerGone)


async def test_a_load_of_minutes_is_an_answer_being_made(office: Office) -> None:
    """Who is at it is not one who does not answer."""
    done = asyncio.Event()

    async def slow(request: Request) -> dict[str, Any]:
        await done.wait()

    office.serve = slow
    async with office.open():
        asked = asyncio.create_task(office.remote().ask(LOAD))
        await office.until(in_state(RequestState.DOING))
        for seconds in range(3, 58, 3):
            before, office.seconds = (await office.rows())[0].seen_at, float(seconds)
            await office.until(lambda rows, before=before: rows[0].seen_at > before)
        assert not asked.done()
        done.set()
        await asked


async def test_without_any_owner_the_asker_is_told_to_take_it_itself(office: Office) -> None:
    asked = asyncio.create_task(office.remote().ask(LOAD))
    await office.until(in_state(RequestState.WAITING))
    office.owner, office.seconds = None, 5.0
    await asyncio.sleep(0.02)
    assert not asked.done()  # another process may be about to take it
    office.seconds = 6.0
    with pytest.raises(OwnerGone, match="has ended"):
        await asked
    (row,) = await office.rows()
    assert row.state == RequestState.FAILED


async def test_a_request_survives_the_change_of_owner(office: Office) -> None:
    """What a dead owner left half done is taken up again."""
    reached = asyncio.Event()

    async def die(request: Request) -> None:
        reached.set()
        await asyncio.get_running_loop().create_future()

    office.serve = die
    asked = asyncio.create_task(office.remote().ask(LOAD))
    async with office.open():
        await reached.wait()
    office.owner = None
    await office.until(in_state(RequestState.DOING))
    office.owner = Holder(pid=4712, name="the next one", since=datetime.now(UTC))
    office.serve = office._serve
    async with office.open():
        await asked
    assert [one.model for one in office.served] == [VLM]


async def test_who_gives_up_withdraws_the_request(office: Office) -> None:
    asked = asyncio.create_task(office.remote().ask(LOAD))
    await office.until(in_state(RequestState.WAITING))
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await office.until(in_state(RequestState.FAILED))
    async with office.open():
        await office.remote().ask(LOAD)
    assert len(office.served) == 1


async def test_who_gives_up_while_asking_leaves_nothing_to_be_done(office: Office) -> None:
    asked = asyncio.create_task(office.remote().ask(LOAD))
    await asyncio.sleep(0)  # the row is being written
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await office.until(lambda rows: all(row.state == RequestState.FAILED for row in rows))


async def test_a_request_that_was_deleted_ends(office: Office) -> None:
    asked = asyncio.create_task(office.remote().ask(LOAD))
    await office.until(in_state(RequestState.WAITING))
    await office.database.run(lambda: OwnerRequest.objects.all().delete())
    with pytest.raises(OwnedElsewhere, match="deleted"):
        await asked


async def test_a_database_that_refuses_while_asking_is_a_typed_error(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def locked(work: Any) -> Any:
        raise OperationalError("database is locked")

    monkeypatch.setattr(office.database, "run", locked)
    with pytest.raises(OwnedElsewhere, match="could not be asked: database is locked"):
        await office.remote().ask(LOAD)


async def test_a_database_that_refuses_for_a_while_delays_the_answer(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.create_task(office.remote().ask(LOAD))
    await office.until(in_state(RequestState.WAITING))
    refusals = iter(range(5))
    plain = office.database.run

    async def locked(work: Any) -> Any:
        if next(refusals, None) is not None:
            raise OperationalError("database is locked")
        return await plain(work)

    monkeypatch.setattr(office.database, "run", locked)
    async with office.open():
        await asked
    assert [one.model for one in office.served] == [VLM]


# --- using ----------------------------------------------------------------------------------------------------------
async def test_inside_the_block_the_model_is_held_and_after_it_it_is_not(office: Office) -> None:
    async with office.open():
        async with office.remote().use(USE):
            assert len(office.lent) == 1
            assert office.given_back == 0
            (row,) = await office.rows()
            assert row.state == RequestState.GRANTED
        await office.until(in_state(RequestState.DONE))
        await office.until(lambda rows: office.given_back == 1)


async def test_a_use_that_is_refused_never_begins(office: Office) -> None:
    async def busy(request: Request) -> None:
        raise GpuBusy("The queue is full.", retry_after_s=3)

    office.before_lending = busy
    async with office.open():
        with pytest.raises(GpuBusy, match="queue is full") as caught:
            async with office.remote().use(USE):
                raise AssertionError("it was lent")
    assert caught.value.retry_after_s == 3


async def test_a_model_that_is_taken_back_cancels_what_is_done_with_it(office: Office) -> None:
    """S4.5: a chat gives way to a run, in another process too."""
    office.error_of_taking = GpuBusy("A run needs the GPU.", retry_after_s=5)
    ended = []
    async with office.open():
        with pytest.raises(GpuBusy, match="A run needs") as caught:
            async with office.remote().use(USE):
                office.take_back.set()
                try:
                    await asyncio.get_running_loop().create_future()  # an answer that streams
                except asyncio.CancelledError:
                    ended.append("cancelled")
                    raise
    assert ended == ["cancelled"]
    assert caught.value.retry_after_s == 5
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_what_broke_off_because_the_model_was_taken_says_so(office: Office) -> None:
    """The stream may break before the row is looked at again."""
    office.error_of_taking = GpuBusy("A run needs the GPU.", retry_after_s=5)
    async with office.open():
        with pytest.raises(GpuBusy):
            async with office.remote(poll_s=0.1).use(USE):
                office.take_back.set()
                await office.until(in_state(RequestState.FAILED))
                raise AnswerBroken("The server ended the answer.")


async def test_what_fails_by_itself_stays_what_it_is(office: Office) -> None:
    async with office.open():
        with pytest.raises(AnswerBroken):
            async with office.remote().use(USE):
                raise AnswerBroken("The server ended the answer.")
        with pytest.raises(TimeoutError, match="mine"):
            async with office.remote().use(USE):
                raise TimeoutError("mine")
        await office.until(lambda rows: {row.state for row in rows} == {RequestState.DONE})


async def test_a_use_ends_with_its_deadline(office: Office) -> None:
    async with office.open():
        with pytest.raises(DeadlinePassed):
            async with office.remote().use(USE):
                office.seconds = 60
                await asyncio.get_running_loop().create_future()
        await office.until(lambda rows: office.given_back == 1)


async def test_a_cancelled_use_gives_the_model_back(office: Office) -> None:
    inside = asyncio.Event()

    async def use() -> None:
        async with office.remote().use(USE):
            inside.set()
            await asyncio.get_running_loop().create_future()

    async with office.open():
        using = asyncio.create_task(use())
        await inside.wait()
        using.cancel()
        with pytest.raises(asyncio.CancelledError):
            await using
        await office.until(lambda rows: office.given_back == 1)
        await office.until(in_state(RequestState.DONE))


async def test_an_owner_that_dies_does_not_end_a_use_and_the_next_one_takes_it_over(office: Office) -> None:
    async with asyncio.timeout(60):
        first = office.open()
        await first.__aenter__()
        async with office.remote().use(USE):
            await first.__aexit__(None, None, None)
            office.owner = None
            office.seconds += 5
            await office.until(in_state(RequestState.GRANTED))
            office.owner = Holder(pid=4712, name="the next one", since=datetime.now(UTC))
            async with office.open():
                await office.until(lambda rows: len(office.lent) == 2)
                assert (await office.rows())[0].state == RequestState.GRANTED


async def test_who_uses_a_model_gives_a_sign_of_life(office: Office) -> None:
    async with office.open(), office.remote().use(USE):
        before = (await office.rows())[0].seen_at
        office.seconds = 2.5  # a quarter of the lease
        await office.until(lambda rows: rows[0].seen_at > before)
