"""Asking the owner of the GPU over its socket: whoever dies, hangs up or says nothing, nobody waits for ever (S3.1)."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

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
from gpu.local_socket import listening
from gpu.machine.ownership import RequestServer, as_error, as_request, error_fields
from gpu.types import ExecutionMode, Purpose, Request, RequestKind, as_json
from tests.gpu.rows import LOAD, USE, VLM, Office, until

MODE = Request(kind=RequestKind.MODE, mode=ExecutionMode.AUTOPILOT)


def next_owner() -> Holder:
    return Holder(pid=4712, name="the next one", since=datetime.now(UTC))


async def for_ever(request: Request) -> None:
    await asyncio.get_running_loop().create_future()


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- what goes over the line ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "asked",
    [
        Request(kind=RequestKind.MODE, mode=ExecutionMode.AUTOPILOT, asked_by="run 12"),
        Request(kind=RequestKind.LOAD, model=VLM, purpose=Purpose.PRELOAD, extra={"why": "an étude"}),
        Request(kind=RequestKind.USE, model=VLM, purpose=Purpose.ASSISTANT),
        Request(kind=RequestKind.CLIP_TO_CPU),
    ],
    ids=lambda request: request.kind.value,
)
def test_a_request_comes_over_the_line_as_it_was(asked: Request) -> None:
    assert as_request(json.loads(json.dumps(as_json(asked)))) == asked


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({}, "KeyError"),
        ({**as_json(LOAD), "kind": "dance"}, "dance"),
        ({**as_json(MODE), "mode": "turbo"}, "turbo"),
        ({**as_json(LOAD), "colour": "red"}, "colour"),
        ([], "TypeError"),
    ],
)
async def test_what_makes_no_sense_is_answered_and_harms_nobody(office: Office, said: Any, names: str) -> None:
    async with office.open():
        await until(office.path.exists)
        reader, writer = await asyncio.open_unix_connection(office.path)
        writer.write(json.dumps(said).encode() + b"\n")
        answers = [json.loads(line) async for line in reader]
        writer.close()
        await office.client().ask(LOAD)
    assert [answer["state"] for answer in answers] == ["doing", "failed"]
    assert names in str(as_error(answers[-1]))
    assert [one.model for one in office.served] == [VLM]
    assert office.refused == []


async def test_who_says_what_is_no_json_is_hung_up_on(office: Office) -> None:
    async with office.open():
        await until(office.path.exists)
        reader, writer = await asyncio.open_unix_connection(office.path)
        writer.write(b"hello\n")
        assert await reader.read() == b""
        writer.close()
        await office.client().ask(LOAD)


def test_an_error_of_a_newer_version_is_an_error_all_the_same() -> None:
    error = as_error({"error": "NotInventedYet", "message": "From the future.", "fields": {"number": 3}})
    assert (type(error), str(error)) == (GPUError, "From the future.")
    assert type(as_error({"error": "Sequence"})) is GPUError  # a name of that module, and no error


def test_what_json_does_not_know_is_left_out_of_an_error() -> None:
    error = GpuBusy("busy", retry_after_s=1)
    error.attempts = (object(),)  # type: ignore[assignment]
    assert error_fields(error) == {"error": "GpuBusy", "message": "busy", "fields": {"retry_after_s": 1}}


# --- asking ---------------------------------------------------------------------------------------------------------
async def test_the_owner_does_what_was_asked(office: Office) -> None:
    """S3.1"""
    async with office.open():
        office.seconds = 5.0
        await office.client().ask(LOAD)
    (served,) = office.served
    assert (served.kind, served.model, served.asked_by) == (LOAD.kind, LOAD.model, "zoe")
    assert 0 < served.deadline_s <= 60  # what is left of it


@pytest.mark.parametrize(
    "error",
    [
        NotEnoughVRAM("qwen2.5vl:7b", needed_mb=6512, free_mb=4000),
        GpuBusy("A run needs the GPU.", retry_after_s=2.5),
        NoModelFits("No model fits."),
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
            await office.client().ask(LOAD)
    assert type(caught.value) is type(error)
    assert str(caught.value) == str(error)
    assert vars(caught.value) == vars(error)
    assert getattr(caught.value, "passing", None) == getattr(error, "passing", None)
    assert [(asked.model, why) for asked, why in office.refused] == [(VLM, error)]


async def test_the_asker_keeps_its_deadline_also_when_nobody_answers(office: Office) -> None:
    """S3.11: every request ends before its deadline with a result or a typed error."""
    asked = asyncio.create_task(office.client(silent_s=1000).ask(LOAD))
    await asyncio.sleep(0.02)
    office.seconds = 59.9
    await asyncio.sleep(0.02)
    assert not asked.done()
    office.seconds = 60
    with pytest.raises(DeadlinePassed, match=rf"“load {VLM}” was asked of run loop \(pid 4711.* in 60 s"):
        await asked


@pytest.mark.parametrize("listens", [False, True])
async def test_an_owner_that_lives_and_does_not_answer_is_named(office: Office, listens: bool) -> None:
    """As a process that was stopped by its debugger, or could not open its socket."""
    listener = listening(office.path) if listens else None
    asked = asyncio.create_task(office.client().ask(LOAD))
    await asyncio.sleep(0.02)
    assert not asked.done()
    office.seconds = 10
    with pytest.raises(OwnedElsewhere, match=rf"run loop \(pid 4711.* does not answer to “load {VLM}”") as caught:
        await asked
    assert not isinstance(caught.value, OwnerGone)
    if listener is not None:
        listener.close()


async def test_a_load_of_minutes_is_an_answer_being_made(office: Office) -> None:
    """Who is at it is not one who does not answer."""
    begun, done = asyncio.Event(), asyncio.Event()

    async def slow(request: Request) -> None:
        begun.set()
        await done.wait()

    office.serve = slow
    async with office.open():
        asked = asyncio.create_task(office.client().ask(LOAD))
        await begun.wait()
        await asyncio.sleep(0.02)
        office.seconds = 57.0
        await asyncio.sleep(0.02)
        assert not asked.done()
        done.set()
        await asked


async def test_without_any_owner_the_asker_is_told_to_take_it_itself(office: Office) -> None:
    office.owner = None
    asked = asyncio.create_task(office.client().ask(LOAD))
    await asyncio.sleep(0.02)
    assert not asked.done()  # another process may be about to take it
    office.seconds = 1.0
    with pytest.raises(OwnerGone, match="has ended"):
        await asked


async def test_a_request_survives_the_change_of_owner(office: Office) -> None:
    """What a dead owner left half done is asked of the next one, whose socket takes the place of the dead one's."""
    reached = asyncio.Event()

    async def die(request: Request) -> None:
        reached.set()
        await for_ever(request)

    office.serve = die
    asked = asyncio.create_task(office.client().ask(LOAD))
    async with office.open():
        await reached.wait()
    office.owner = None
    await asyncio.sleep(0.02)
    assert office.path.exists()
    office.owner, office.serve = next_owner(), office.serve_at_once
    async with office.open():
        await asked
    assert [one.model for one in office.served] == [VLM]


async def test_who_gives_up_withdraws_the_request(office: Office) -> None:
    """It hangs up, as the kernel does for a process that was killed: what it wanted is not gone on with."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def long(request: Request) -> None:
        begun.set()
        try:
            await for_ever(request)
        finally:
            ended.set()

    office.serve = long
    async with office.open():
        asked = asyncio.create_task(office.client().ask(LOAD))
        await begun.wait()
        await cancelled(asked)
        async with asyncio.timeout(60):
            await ended.wait()
    assert office.refused == []


async def test_who_gives_up_before_anybody_answers_leaves_nothing_to_be_done(office: Office) -> None:
    asked = asyncio.create_task(office.client().ask(LOAD))
    await asyncio.sleep(0.02)
    await cancelled(asked)
    async with office.open():
        await office.client().ask(MODE)
    assert [one.kind for one in office.served] == [RequestKind.MODE]


async def test_a_slow_request_does_not_keep_another_one_waiting(office: Office) -> None:
    """The manager has its own order; a model in use for minutes holds up nobody's change of mode."""
    async with office.open(), office.client().use(USE):
        await office.client().ask(MODE)
    assert [one.kind for one in office.served] == [RequestKind.MODE]


async def test_a_fault_of_ours_is_logged_told_to_who_asked_and_ends_nothing(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(request: Request) -> None:
        raise RuntimeError("a fault")

    office.serve = broken
    async with office.open():
        with pytest.raises(GPUError, match="The owner of the GPU failed: RuntimeError: a fault"):
            await office.client().ask(LOAD)
        office.serve = office.serve_at_once
        await office.client().ask(LOAD)
    assert "ended in a fault" in caplog.text


async def test_an_owner_that_gives_the_gpu_back_refuses_nothing(office: Office) -> None:
    """Who asked asks the next one: it is told, and nobody is told that something failed."""

    async def gone(request: Request) -> None:
        raise OwnerGone("It was given back.")

    office.serve = gone
    async with office.open():
        with pytest.raises(OwnerGone, match="given back"):
            await office.client().ask(LOAD)
    assert office.refused == []


async def test_another_account_is_not_heard(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.machine.ownership.is_of_our_account", lambda asking: False)
    async with office.open():
        await until(office.path.exists)
        reader, writer = await asyncio.open_unix_connection(office.path)
        writer.write(json.dumps(as_json(LOAD)).encode() + b"\n")
        with pytest.raises(ConnectionResetError):  # what was sent was not read
            await reader.read()
        writer.close()
    assert office.served == []


async def test_a_system_without_such_sockets_is_told_of(
    office: Office, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("start_unix_server", "open_unix_connection"):
        monkeypatch.delattr(asyncio, name)
    server = RequestServer(office.path, serve=office.serve, use=office.lend, failed=lambda *_: None)
    await server.run()
    assert "cannot ask for the GPU" in caplog.text
    with pytest.raises(OwnedElsewhere, match="could not be asked"):
        await office.client().ask(LOAD)


# --- using ----------------------------------------------------------------------------------------------------------
async def test_inside_the_block_the_model_is_held_and_after_it_it_is_not(office: Office) -> None:
    async with office.open():
        async with office.client().use(USE):
            assert len(office.lent) == 1
            await asyncio.sleep(0.02)
            assert office.given_back == 0
        await until(lambda: office.given_back == 1)


async def test_a_use_that_is_refused_never_begins(office: Office) -> None:
    async def busy(request: Request) -> None:
        raise GpuBusy("The queue is full.", retry_after_s=3)

    office.before_lending = busy
    async with office.open():
        with pytest.raises(GpuBusy, match="queue is full") as caught:
            async with office.client().use(USE):
                raise AssertionError("it was lent")
    assert caught.value.retry_after_s == 3


async def test_a_model_that_is_taken_back_cancels_what_is_done_with_it(office: Office) -> None:
    """S4.5: a chat gives way to a run, in another process too."""
    office.error_of_taking = GpuBusy("A run needs the GPU.", retry_after_s=5)
    ended = []
    async with office.open():
        with pytest.raises(GpuBusy, match="A run needs") as caught:
            async with office.client().use(USE):
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
    """The stream may break before the owner's word has come."""
    office.error_of_taking = GpuBusy("A run needs the GPU.", retry_after_s=5)
    async with office.open():
        with pytest.raises(GpuBusy):
            async with office.client(look_every_s=60).use(USE):
                office.take_back.set()
                raise AnswerBroken("The server ended the answer.")


async def test_what_fails_by_itself_stays_what_it_is(office: Office) -> None:
    async with office.open():
        with pytest.raises(AnswerBroken):
            async with office.client().use(USE):
                raise AnswerBroken("The server ended the answer.")
        with pytest.raises(TimeoutError, match="mine"):
            async with office.client().use(USE):
                raise TimeoutError("mine")
        await until(lambda: office.given_back == 2)


async def test_a_use_ends_with_its_deadline(office: Office) -> None:
    async with office.open():
        with pytest.raises(DeadlinePassed):
            async with office.client().use(USE):
                office.seconds = 60
                await asyncio.get_running_loop().create_future()
        await until(lambda: office.given_back == 1)


async def test_a_cancelled_use_gives_the_model_back(office: Office) -> None:
    inside = asyncio.Event()

    async def use() -> None:
        async with office.client().use(USE):
            inside.set()
            await asyncio.get_running_loop().create_future()

    async with office.open():
        using = asyncio.create_task(use())
        await inside.wait()
        await cancelled(using)
        await until(lambda: office.given_back == 1)


async def test_an_owner_that_dies_does_not_end_a_use_and_the_next_one_takes_it_over(office: Office) -> None:
    async with asyncio.timeout(60):
        first = office.open()
        await first.__aenter__()
        async with office.client().use(USE):
            await first.__aexit__(None, None, None)
            office.owner = None
            office.seconds += 5
            await asyncio.sleep(0.02)
            office.owner = next_owner()
            async with office.open():
                await until(lambda: len(office.lent) == 2)
                await asyncio.sleep(0.02)
                assert office.given_back == 1
        assert office.lent[1].deadline_s == USE.deadline_s - 5
