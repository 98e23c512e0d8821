"""What the hub holds of each open socket: where it stands in the stream, its credits, and an outbox to be sent."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from execution.stream.queries import SnapshotTexts, WordedEvent, to_json

# Credits: how much a client may be sent before it has acknowledged what it got.
# The server below a socket does not push back on slow readers (B.4), so the protocol has to.

MAX_BATCHES = 32
MAX_BYTES = 1024 * 1024
ACK_TIMEOUT_S = 30.0


class CreditWindow:
    """What was sent and not yet acknowledged; nothing more may be sent while there is no room."""

    def __init__(
        self, *, batches: int | None = None, octets: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._batches = MAX_BATCHES if batches is None else batches
        self._octets = MAX_BYTES if octets is None else octets
        self._clock = clock
        self._open: deque[tuple[int, int, bool]] = deque()  # (mark, size, awaited), marks rising
        self._size = 0
        self._since = clock()  # the last time that anything was acknowledged, or that nothing had to be

    @property
    def outstanding(self) -> int:
        return len(self._open)

    def has_room(self) -> bool:
        return len(self._open) < self._batches and self._size < self._octets

    def sent(self, mark: int, size: int, *, awaited: bool = True) -> None:
        """Take a credit. What is not `awaited` need not be acknowledged by itself: a later mark gives it back."""
        if not self._is_waiting():
            self._since = self._clock()
        self._open.append((mark, size, awaited))
        self._size += size

    def acknowledge(self, mark: int) -> bool:
        """Give back all up to `mark`; whether there was anything. A mark that was never sent gives back no more."""
        given_back = False
        while self._open and self._open[0][0] <= mark:
            self._size -= self._open.popleft()[1]
            given_back = True
        if given_back:
            self._since = self._clock()
        return given_back

    def is_overdue(self) -> bool:
        """Whether an acknowledgement is waited for and none came for too long."""
        return self._is_waiting() and self._clock() - self._since >= ACK_TIMEOUT_S

    def _is_waiting(self) -> bool:
        return any(awaited for _mark, _size, awaited in self._open) or not self.has_room()


BATCH_EVENTS = 50
BATCH_BYTES = 128 * 1024


class Refused(Exception):
    """The socket is not opened; `code` tells the browser why."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Client:
    """One socket. The hub puts in, the socket's own task takes out and sends; a close overtakes all that waits."""

    def __init__(self, *, session_key: str, wake: Callable[[], None]) -> None:
        self.session_key = session_key
        self.since = datetime.now(UTC)
        self.window = CreditWindow()
        self.close_code: int | None = None
        self._wake = wake
        self._texts: deque[str] = deque()
        self._ready = asyncio.Event()
        self._batch = 0

    def is_overdue(self) -> bool:
        return self.window.is_overdue()

    def has_room(self) -> bool:
        return self.close_code is None and self.window.has_room()

    def close(self, code: int) -> None:
        """Close the socket; nothing that waits is sent any more."""
        if self.close_code is None:
            self.close_code = code
            self._texts.clear()
            self._ready.set()

    async def next(self) -> str | int:
        """The next text to send, or the code to close with."""
        await self._ready.wait()
        if self.close_code is not None:
            return self.close_code
        text = self._texts.popleft()
        if not self._texts:
            self._ready.clear()
        return text

    def heard(self, message: Mapping[str, Any]) -> bool:
        """Take an acknowledgement; False for anything else."""
        raise NotImplementedError

    def _put(self, text: str) -> None:
        if self.close_code is None:
            self._texts.append(text)
            self._ready.set()

    def _acknowledge(self, window: CreditWindow, mark: Any) -> bool:
        if not isinstance(mark, int) or isinstance(mark, bool):
            return False
        was_full = not self.window.has_room()
        window.acknowledge(mark)
        if was_full and self.window.has_room():
            self._wake()  # what waits for credits is not told of by the database; pictures come by the clock
        return True


class RunClient(Client):
    """Follows one run. `cursor` is the last event it was given; None: it needs a snapshot."""

    def __init__(self, *, pk: int, cursor: int | None, language: str, **common: Any) -> None:
        super().__init__(**common)
        self.pk = pk
        self.cursor = cursor
        self.language = language
        self.frames = CreditWindow(batches=1)
        self._frame = 0

    def is_overdue(self) -> bool:
        return self.window.is_overdue() or self.frames.is_overdue()

    def is_behind(self, head: int) -> bool:
        return self.cursor is None or self.cursor < head

    def give_snapshot(self, snapshot: SnapshotTexts) -> None:
        self.cursor = snapshot.seq
        # It is bounded by its maker, and clients acknowledge batches: it takes a credit that the next batch gives back.
        self.window.sent(snapshot.seq, 0, awaited=False)
        self._put(snapshot.texts[self.language])

    def give(self, events: Sequence[WordedEvent]) -> None:
        """Batches of these events, the first of which is the one after `cursor`, as far as the credits go."""
        batch: list[WordedEvent] = []
        size = 0
        for event in events:
            if batch and (len(batch) >= BATCH_EVENTS or size + len(event.texts[self.language]) > BATCH_BYTES):
                self._send(batch, size)
                batch, size = [], 0
                if not self.window.has_room():
                    return
            batch.append(event)
            size += len(event.texts[self.language])
        if batch:
            self._send(batch, size)

    def _send(self, batch: list[WordedEvent], size: int) -> None:
        self._batch += 1
        self.cursor = batch[-1].seq
        self.window.sent(self.cursor, size)
        body = ",".join(event.texts[self.language] for event in batch)
        self._put(f'{{"type":"events","batch":{self._batch},"events":[{body}]}}')

    def give_frame(self, execution_id: str, taken_ns: int) -> None:
        """Tell of a live picture, unless it knows that one or has not yet acknowledged another."""
        if taken_ns == self._frame or self.close_code is not None or not self.frames.has_room():
            return
        if self.cursor is None:
            return  # the snapshot comes first
        self._frame = taken_ns
        self.frames.sent(taken_ns, 0)
        taken_at = datetime.fromtimestamp(taken_ns / 1e9, UTC).isoformat()
        url = f"/runs/{execution_id}/frame?v={taken_ns}"
        self._put(to_json({"type": "frame", "url": url, "taken_at": taken_at}))

    def heard(self, message: Mapping[str, Any]) -> bool:
        match message.get("type"):
            case "ack":
                return self._acknowledge(self.window, message.get("seq"))
            case "frame_ack":
                return self._acknowledge(self.frames, self._frame)
        return False


class RunsClient(Client):
    """Follows all runs, latest wins: what it cannot be sent now is kept as one row a run."""

    def __init__(self, *, language: str, may_answer: bool, **common: Any) -> None:
        super().__init__(**common)
        self.language = language
        self.may_answer = may_answer
        self.is_new = True
        self._rows: dict[int, str] = {}
        self._attention: int | None = None
        self._told: int | None = None
        self._gpu = self._gpu_told = ""

    def offer(self, rows: Mapping[int, str], attention: int) -> None:
        self._rows |= rows
        self._attention = attention if self.may_answer else 0  # a number that is for nobody here is not told
        self.flush()

    def offer_gpu(self, text: str) -> None:
        """What is to be known of the GPU now, as JSON without its braces; empty where there is nothing to know."""
        self._gpu = text
        self.flush()

    def flush(self) -> None:
        """Send what waits, if there is room."""
        if self._rows and self.has_room():
            body = ",".join(self._rows.values())
            self._rows = {}
            self._send(f'"type":"runs","runs":[{body}]')
        if self._attention != self._told and self.has_room():
            self._told = self._attention
            self._send(f'"type":"attention","count":{self._attention}')
        if self._gpu != self._gpu_told and self.has_room():
            self._gpu_told = self._gpu
            self._send(f'"type":"gpu",{self._gpu}')

    def _send(self, body: str) -> None:
        self._batch += 1
        self.window.sent(self._batch, len(body))
        self._put(f'{{{body},"batch":{self._batch}}}')

    def heard(self, message: Mapping[str, Any]) -> bool:
        return message.get("type") == "ack" and self._acknowledge(self.window, message.get("batch"))
