"""Who owns the GPU of this machine, by a lock of the kernel, and how the others ask it, over a socket beside it (S3.1).

A connection is one request and lives as long as it does: who asks withdraws it by hanging up, and the kernel hangs up
for a process that dies. Every request may be done twice, so one whose owner has died is asked anew of the next owner.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, Final

from gpu import exceptions
from gpu.exceptions import DeadlinePassed, GPUError, OwnedElsewhere, OwnerGone
from gpu.kernel_lock import Holder, KernelLock, lock_file, open_file
from gpu.local_socket import address, is_of_our_account, listening
from gpu.runtime import Listeners
from gpu.types import ExecutionMode, Purpose, Request, RequestKind, as_json
from sentences.said import from_json, say, to_json, told_by

log = logging.getLogger(__name__)

FILE_NAME = "owner.lock"
CLAIM_NAME = "claim.lock"
UNCLAIMED = "a process that needed it"  # the name of an owner that has not claimed the GPU
_TRIES, _PAUSE_S = 50, 0.002


def told_name(name: str) -> str:
    """An owner's name as people are told it."""
    return say("gpu.unclaimed") if name == UNCLAIMED else name


class Ownership(KernelLock):
    """The lock of the owner; a second file is shared by those who have claimed the GPU and do not have it yet."""

    def __init__(self, folder: Path | str) -> None:
        super().__init__(Path(folder) / FILE_NAME)
        self._listeners = Listeners("the ownership of the GPU")

    def on_change(self, listener: Callable[[Holder | None], None]) -> None:
        """Be called with this process when it has taken the GPU, with None just before it gives it back."""
        self._listeners.add(listener)

    def hold(self, name: str) -> bool:
        """Whether the GPU is this process's now; never waits. Raises GPUError where the folder takes no file."""
        if self.is_held:
            return True
        try:
            is_ours = super().hold(name)
        except OSError as error:
            raise GPUError(say("gpu.lock_unwritable", path=self.path, error=error.strerror)) from error
        if is_ours:
            self._listeners.tell(self.holder())
        return is_ours

    def release(self) -> None:
        if self.is_held:
            self._listeners.tell(None)
            super().release()

    def holder(self) -> Holder | None:
        """Who holds it now, by the name that people are told."""
        holder = super().holder()
        return holder and replace(holder, name=told_name(holder.name))

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Inside, `is_claimed` says so to the owner; a claim ends with its process. One that cannot be told is none."""
        try:
            file = open_file(self.path.with_name(CLAIM_NAME))
        except OSError as error:
            log.warning("the claim to the GPU cannot be told to its owner: %s", error)
            yield
            return
        try:
            for _ in range(_TRIES):  # the owner looks at it for some microseconds
                if lock_file(file, shared=True):
                    break
                time.sleep(_PAUSE_S)
            yield
        finally:
            os.close(file)

    def is_claimed(self) -> bool:
        try:
            file = os.open(self.path.with_name(CLAIM_NAME), os.O_RDONLY)
        except OSError:
            return False
        try:
            return not lock_file(file)
        finally:
            os.close(file)


def machine_name() -> str:
    return socket.gethostname()[:100]


SOCKET_NAME: Final = "owner.sock"
LOOK_EVERY_S: Final = 0.1  # whether time is over, and whether anybody owns the GPU
GONE_S: Final = 1.0  # twice what a process that wants the GPU takes to notice that it is free
SILENT_S: Final = 10.0
DOING, GRANTED, DONE, FAILED = "doing", "granted", "done", "failed"


# --- what goes over the line ----------------------------------------------------------------------------------------
def as_request(said: Any) -> Request:
    """Raises GPUError naming what in it cannot be understood."""
    try:
        mode = ExecutionMode(said["mode"]) if said["mode"] else None
        asked = {"kind": RequestKind(said["kind"]), "mode": mode, "purpose": Purpose(said["purpose"])}
        return Request(**{**said, **asked})
    except (KeyError, ValueError, TypeError) as error:
        raise GPUError(say("gpu.request_unknown", error=repr(error))) from error


def error_fields(error: GPUError) -> dict[str, Any]:
    simple = (bool, int, float, str, type(None))
    fields = {name: value for name, value in vars(error).items() if isinstance(value, simple)}
    return {"error": type(error).__name__, "message": to_json(told_by(error)), "fields": to_json(fields)}


def as_error(said: Mapping[str, Any]) -> GPUError:
    """The error that the owner met, with its class, message and numbers; a GPUError where the class is unknown."""
    name = said.get("error", "")
    found = getattr(exceptions, name, None)
    kind = found if isinstance(found, type) and issubclass(found, GPUError) else GPUError
    # The constructors make the message of their numbers; here it is there already.
    error = kind.__new__(kind, from_json(said.get("message", name)))
    for field, value in dict(said.get("fields", {})).items():
        setattr(error, field, value)
    return error


def _line(said: Any) -> bytes:
    return json.dumps(said).encode() + b"\n"


# --- the owner's end ------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class RequestServer:
    """`serve` does a request; inside `use` the model of a USE is loaded and stays so; `failed` hears of refusals."""

    path: Path
    _: KW_ONLY
    serve: Callable[[Request], Awaitable[None]]
    use: Callable[[Request], AbstractAsyncContextManager[Any]]
    failed: Callable[[Request, GPUError], None]

    async def run(self) -> None:
        """Serve until cancelled; whoever waits then asks the next owner."""
        tasks: set[asyncio.Task[Any]] = set()

        async def heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                await self._hear(reader, writer)
            except (OSError, ValueError) as error:  # it has hung up, or says what is no request
                log.debug("a request to the owner of the GPU ended: %s", error)
            finally:
                tasks.discard(task)
                writer.close()

        try:
            server = await asyncio.start_unix_server(heard, sock=listening(self.path))
        except (OSError, AttributeError) as error:  # no such sockets on this system, or no room for one
            log.warning("other processes of this machine cannot ask for the GPU: %s", error)
            return
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            server.close()  # its file stays: by now it may be that of the next owner
            left = tuple(tasks)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not is_of_our_account(writer.get_extra_info("socket")):
            return
        said = json.loads(await reader.readline())
        writer.write(_line({"state": DOING}))
        work = asyncio.ensure_future(self._answer(said, writer))
        hung_up = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({work, hung_up}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hung_up.cancel()
            work.cancel()
            await asyncio.gather(work, hung_up, return_exceptions=True)

    async def _answer(self, said: Any, writer: asyncio.StreamWriter) -> None:
        request = None
        try:
            request = as_request(said)
            if request.kind is RequestKind.USE:
                async with self.use(request):
                    writer.write(_line({"state": GRANTED}))
                    await asyncio.get_running_loop().create_future()  # until it is given back, or taken back
            await self.serve(request)
            told: Mapping[str, Any] = {"state": DONE}
        except GPUError as error:
            if request is not None and not isinstance(error, OwnerGone):
                self.failed(request, error)
            told = {"state": FAILED, **error_fields(error)}
        except Exception as error:  # a fault here: who asked is told, and waits no longer
            log.error("a request to the owner of the GPU ended in a fault: %s", request, exc_info=error)
            fault = GPUError(say("gpu.owner_failed", error=f"{type(error).__name__}: {error}"))
            told = {"state": FAILED, **error_fields(fault)}
        writer.write(_line(told))
        await writer.drain()


# --- the asker's end ------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class OwnerClient:
    """`holder` says who holds the GPU now (Ownership.holder)."""

    path: Path
    _: KW_ONLY
    holder: Callable[[], Holder | None]
    gone_s: float = GONE_S
    silent_s: float = SILENT_S
    look_every_s: float = LOOK_EVERY_S
    clock: Callable[[], float] = time.monotonic

    async def ask(self, request: Request) -> None:
        """Return when it is done. Raises what the owner met, DeadlinePassed, OwnerGone when nobody owns the GPU any
        more, and OwnedElsewhere when the owner does not answer; the request is withdrawn then.
        """
        call = _OwnerCall(self, request)
        try:
            await call.until(DONE)
        finally:
            call.hang_up()

    @asynccontextmanager
    async def use(self, request: Request) -> AsyncIterator[None]:
        """Inside, the model is loaded and stays so. Raises as `ask` does.

        The body is cancelled, as asyncio.timeout does it, when the owner takes the model back (GpuBusy) or the time is
        over (DeadlinePassed). An owner that dies does not end the use: the next one is asked for it.
        """
        call = _OwnerCall(self, request)
        try:
            await call.until(GRANTED)
            async with call.watched():
                yield
        finally:
            call.hang_up()


class _OwnerCall:
    """One request of ours, on as many lines as there are owners until its end."""

    def __init__(self, client: OwnerClient, request: Request) -> None:
        self._client, self._request = client, request
        self._ends_at = client.clock() + request.deadline_s
        self._line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._lost_at: float | None = None  # since when nobody holds the GPU
        self._unheard_at = client.clock()
        self._is_doing = False

    async def until(self, wanted: str) -> None:
        while await self._heard(self._check) != wanted:
            pass

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._taken())
        inside = True
        try:
            async with asyncio.timeout(None) as scope:

                def taken(_: object) -> None:
                    if inside:
                        scope.reschedule(asyncio.get_running_loop().time())

                watching.add_done_callback(taken)
                try:
                    yield
                finally:
                    inside = False
        except TimeoutError:
            if not scope.expired():
                raise
            raise watching.result() from None
        except GPUError as error:  # it may have broken off because the model was taken away
            await asyncio.wait({watching}, timeout=self._client.look_every_s)
            if watching.done():
                raise watching.result() from error
            raise
        finally:
            watching.cancel()

    def hang_up(self) -> None:
        if self._line is not None:
            self._line[1].close()
        self._line, self._is_doing = None, False

    # --- parts ------------------------------------------------------------------------------------------------------
    async def _taken(self) -> GPUError:
        """Why the model is no longer ours."""
        try:
            while True:
                await self._heard(self._check_time)
        except GPUError as error:
            return error

    async def _heard(self, check: Callable[[], None]) -> str:
        """What the owner says next, asked anew where its line has ended; raises what it met, and what `check` does."""
        reading = asyncio.ensure_future(self._read())
        try:
            while not reading.done():
                check()
                await asyncio.wait({reading}, timeout=self._client.look_every_s)
        finally:
            reading.cancel()
        said = reading.result()
        if said is None:
            self.hang_up()
            check()
            await asyncio.sleep(self._client.look_every_s)
            return ""
        self._is_doing = True
        if said["state"] == FAILED:
            raise as_error(said)
        return str(said["state"])

    async def _read(self) -> Mapping[str, Any] | None:
        """None where nobody is there, or the line has ended."""
        try:
            if self._line is None:
                with address(self._client.path) as place:
                    self._line = await asyncio.open_unix_connection(place)
                left_s = max(0.0, self._ends_at - self._client.clock())
                self._line[1].write(_line(as_json(replace(self._request, deadline_s=left_s))))
            said: Mapping[str, Any] = json.loads(await self._line[0].readline())
        except AttributeError as error:  # no such sockets on this system
            raise OwnedElsewhere(say("gpu.owner_not_asked", owner=self._owner(), error=error)) from error
        except (OSError, ValueError):
            return None
        return said

    def _check_time(self) -> None:
        if self._client.clock() >= self._ends_at:
            n = self._request.deadline_s
            raise DeadlinePassed(say("gpu.owner_late", what=self._what(), owner=self._owner(), n=n))

    def _check(self) -> None:
        self._check_time()
        now = self._client.clock()
        if self._client.holder():
            self._lost_at = None
        elif self._lost_at is None:
            self._lost_at = now
        if self._lost_at is not None and now - self._lost_at >= self._client.gone_s:
            raise OwnerGone(say("gpu.owner_ended"))
        if self._is_doing or self._lost_at is not None:
            self._unheard_at = now
        elif now - self._unheard_at >= self._client.silent_s:
            raise OwnedElsewhere(say("gpu.owner_silent", owner=self._owner(), what=self._what()))

    def _what(self) -> str:
        asked = self._request
        return " ".join(part for part in (asked.kind.value, asked.model, asked.mode or "") if part)

    def _owner(self) -> str:
        holder = self._client.holder()
        return holder.told if holder else say("gpu.the_owner")
