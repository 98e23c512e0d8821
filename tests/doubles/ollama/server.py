"""The double as a test holds it in its hand: what it sets, what it asks, and the thread that serves."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.doubles.ollama import errors, faults
from tests.doubles.ollama.api import Api
from tests.doubles.ollama.asks import Ask, body_of
from tests.doubles.ollama.clock import VirtualClock
from tests.doubles.ollama.door import Door
from tests.doubles.ollama.faults import Fault, Kind
from tests.doubles.ollama.generation import Generation
from tests.doubles.ollama.ledger import Ledger
from tests.doubles.ollama.lifecycle import Lifecycle, Settings
from tests.doubles.ollama.models import Model
from tests.doubles.ollama.profiles import NEW, Profile
from tests.doubles.ollama.replies import Reply
from tests.doubles.ollama.scheduler import Scheduler, Ticket
from tests.doubles.ollama.wire import Exchange


class OllamaServer:
    """Everything runs under the lock of `changed`, and every change is told to whoever waits on it."""

    def __init__(
        self, *models: Model, profile: Profile = NEW, settings: Settings | None = None, total_mb: int = 24_000,
        hurry: bool = False,
    ) -> None:  # fmt: skip
        self.changed = threading.Condition()
        self.clock = VirtualClock()
        self.ledger = Ledger(self.clock, total_mb)
        self.models = {model.name: model for model in models}
        self.life = Lifecycle(self.models, self.clock, self.ledger, self.told, profile, settings or Settings())
        self.scheduler = Scheduler(self.life)
        self.version = profile.version
        self.hurry = hurry  # time runs by itself, as fast as it can, while a request waits for it
        self.replies: deque[Reply] = deque()  # the next answers; then `reply` for all that follow
        self.reply: Reply | Callable[[Ask], Reply] = Reply()
        self.faults: list[Fault] = []  # each is used once, by the next request that it hits
        self.body_instead: str | None = None  # every answer is this text: something else listens there
        self.silent = False  # accepts and says nothing until the client hangs up
        # what happened
        self.log: list[tuple[str, str]] = []  # (path, model) in the order of arrival
        self.asks: list[Ask] = []  # what loads, unloads and questions said, and which messages the model saw
        self.left_machine: list[Ask] = []  # what went to a cloud
        self.generations: dict[Ticket, Generation] = {}
        self.port = 0
        self._api = Api(self)
        self._door = Door(self._serve, self._hung_up)

    # --- what a test does -------------------------------------------------------------------------------------------
    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def vram_free_mb(self) -> int:
        return self.ledger.free_mb

    @vram_free_mb.setter
    def vram_free_mb(self, mb: int) -> None:
        with self.changed:
            self.ledger.set_free(mb)

    def advance(self, seconds: float) -> None:
        """Let that much time pass; all that is due in it happens before this returns."""
        with self.changed:
            self.clock.advance(seconds)
            self.told()

    def let_loads_end(self) -> None:
        with self.changed:
            self.hold_loads = False
            self.scheduler.let_load_end()
            self.told()

    def let_unloads_end(self) -> None:
        with self.changed:
            self.hold_unloads = False
            self.life.let_unloads_end()
            self.told()

    def stop(self) -> None:
        """Killed: open connections are reset, new ones refused, nothing is loaded any more."""
        with self.changed:
            self.scheduler.reset()
            for generation in list(self.generations.values()):
                generation.forget()
            self.generations.clear()
            self.life.reset()
        self._door.shut()

    def start(self, *, version: str | None = None, port: int | None = None) -> None:
        """Listen on the port it had, on the one that is named, or on a free one."""
        self.version = version or self.version
        self.port = self._door.open(self.port if port is None else port)

    def wait_for(self, what: Callable[[], Any], timeout: float = 30) -> None:
        with self.changed:
            if not self.changed.wait_for(what, timeout):
                states = {model.name: model.state for model in self.models.values()}
                raise AssertionError(f"it did not happen; models: {states}, log: {self.log}")

    def named(self, name: str) -> Model | None:
        """The model of that name; without a tag it is the latest."""
        return self.models.get(name) or self.models.get(f"{name}:latest")

    def count(self, path: str) -> int:
        return sum(1 for asked, _model in self.log if asked == path)

    @property
    def hold_loads(self) -> bool:
        """Loads wait for `let_loads_end`."""
        return self.life.hold_loads

    @hold_loads.setter
    def hold_loads(self, held: bool) -> None:
        self.life.hold_loads = held

    @property
    def hold_unloads(self) -> bool:
        """Unloads are answered and wait for `let_unloads_end`."""
        return self.life.hold_unloads

    @hold_unloads.setter
    def hold_unloads(self, held: bool) -> None:
        self.life.hold_unloads = held

    @property
    def fail_loads(self) -> list[tuple[int, str]]:
        """Answers of the next loads: status, text."""
        return self.life.fail_loads

    @fail_loads.setter
    def fail_loads(self, answers: list[tuple[int, str]]) -> None:
        self.life.fail_loads = answers

    def close(self) -> None:
        self._door.close()

    # --- what the parts of the server ask of it ---------------------------------------------------------------------
    def told(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def next_reply(self, ask: Ask) -> Reply:
        if self.replies:
            return self.replies.popleft()
        return self.reply(ask) if callable(self.reply) else self.reply

    # --- serving ----------------------------------------------------------------------------------------------------
    def _serve(self, exchange: Exchange) -> None:
        with self.changed:
            self.log.append((exchange.path, _model_of(exchange)))
            self.told()
            fault = next((one for one in self.faults if one.path in ("", exchange.path)), None)
            if fault is not None:
                self.faults.remove(fault)
            if self.silent:
                return
            if self.body_instead is not None:
                exchange.answer(200, self.body_instead.encode(), "text/html")
            elif fault is None or fault.kind == Kind.GZIP:
                exchange.packed = fault is not None
                self._api.serve(exchange)
            else:
                faults.answer(fault, exchange)
            self.told()
        self._hurry()

    def _hung_up(self, exchange: Exchange) -> None:
        with self.changed:
            exchange.on_hangup()
            self.told()

    def _hurry(self) -> None:
        """One step of time for each round of the loop, so that what clients do is seen in between."""
        with self.changed:
            due = self.clock.next_due(work_only=True) if self.hurry else None
            if due is not None:
                self.clock.advance_to(due)
                self.told()
                self._door.loop.call_soon(self._hurry)


def _model_of(exchange: Exchange) -> str:
    try:
        return str(body_of(exchange.body).get("model", ""))
    except errors.Refusal:
        return ""


@contextmanager
def ollama_server(*models: Model, **fields: Any) -> Iterator[OllamaServer]:
    """A server on a free port of loopback, until the block ends."""
    server = OllamaServer(*models, **fields)
    server.start()
    try:
        yield server
    finally:
        server.close()
