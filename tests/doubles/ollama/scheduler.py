"""Who is loaded next, who must go for it, who waits (A.3, A.5.2 to A.5.9)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.doubles.ollama import errors
from tests.doubles.ollama.errors import Refusal
from tests.doubles.ollama.ledger import Overdrawn
from tests.doubles.ollama.models import LOADED, LOADING, ON_DISK, STOPPING, Model, Runner

if TYPE_CHECKING:
    from tests.doubles.ollama.clock import Timer
    from tests.doubles.ollama.lifecycle import Lifecycle

RUNNER_OPTIONS = ("num_ctx", "num_batch", "num_gpu", "main_gpu", "use_mmap", "num_thread")  # these reload a model
SETTLE_S = 5.0  # how long the server waits for the memory of an unloaded model to come back
CORESIDENT_SHARE = 0.8  # of the free memory: what a second model may need


@dataclass(eq=False)
class Ticket:
    """A request that needs a model in memory."""

    model: Model
    granted: Callable[[Runner], None]
    refused: Callable[[Refusal], None]
    options: dict[str, Any] = field(default_factory=dict)
    keep_alive_s: float | None = None
    evicted_all: bool = False
    start: Callable[[], None] | None = None  # when it gets the slot


class Scheduler:
    """One load at a time; what is loaded is not held up by it (profile new), or is (profile old)."""

    def __init__(self, life: Lifecycle) -> None:
        self.life = life
        self.queue: deque[Ticket] = deque()
        self.current: Ticket | None = None  # taken from the queue, and not yet served
        self.held_load: Callable[[], None] | None = None  # a load that is over as soon as loads are let end
        self._timer: Timer | None = None
        self._settle_until = 0.0
        self._pumping = self._again = False
        life.on_gone = self._on_gone

    def ask(self, ticket: Ticket) -> None:
        if not self.life.profile.loaded_wait_in_queue and self._usable(ticket):
            self._grant(ticket)
        elif len(self.queue) >= self.life.settings.max_queue:
            ticket.refused(Refusal(503, errors.BUSY))
        else:
            self.queue.append(ticket)
            self.pump()

    def give_up(self, ticket: Ticket) -> None:
        """The client hung up while it waited."""
        if ticket is self.current:
            if ticket.model.state == LOADING:
                self._abort_load(ticket)
            self.current = None
            self.pump()
        elif ticket in self.queue:
            self.queue.remove(ticket)

    def pump(self) -> None:
        """Serve as much of the queue as can be served now."""
        self._again = True
        if self._pumping:
            return
        self._pumping = True
        try:
            while self._again and self._next():
                self._again = False
                if self._serve(self._current()):
                    self.current, self._again = None, True
        finally:
            self._pumping = False

    def let_load_end(self) -> None:
        held, self.held_load = self.held_load, None
        if held is not None:
            held()

    def reset(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.queue.clear()
        self.current = self.held_load = self._timer = None
        self._settle_until = 0.0

    # --- the head of the queue --------------------------------------------------------------------------------------
    def _next(self) -> bool:
        if self.current is None and self.queue:
            self.current = self.queue.popleft()
        return self.current is not None and self.current.model.state != LOADING

    def _current(self) -> Ticket:
        assert self.current is not None
        return self.current

    def _serve(self, ticket: Ticket) -> bool:
        """Whether the ticket is done with; otherwise something has to end first, which pumps again."""
        if ticket.model.vanishes:
            self.life.models.pop(ticket.model.name, None)
            ticket.refused(errors.not_found_while_scheduling(ticket.model.name))
            return True
        if self._usable(ticket):
            self._grant(ticket)
            return True
        if ticket.model.runner is not None:
            self._replace(ticket)
            return False
        if self._is_settling():
            return False
        if self.life.fail_loads:
            ticket.refused(Refusal(*self.life.fail_loads.pop(0)))
            return True
        victim = self._victim(ticket)
        if victim is not None:
            self.life.expire(victim.model)
            return False
        self._begin_load(ticket)
        return self.current is None

    def _usable(self, ticket: Ticket) -> bool:
        runner = self.life.runner(ticket.model)
        if runner is None or needs_reload(runner, ticket.options):
            return False
        ending = ticket.model.state == STOPPING and runner.refs == 0
        return not ending or bool(ticket.keep_alive_s)

    def _grant(self, ticket: Ticket) -> None:
        runner = self.life.runner(ticket.model)
        assert runner is not None
        self.life.hold(runner, ticket.keep_alive_s)
        ticket.granted(runner)

    def _replace(self, ticket: Ticket) -> None:
        """Loaded with other options, or on its way out: it has to go first."""
        if ticket.model.state == LOADED:
            ticket.model.reloads += 1
            self.life.expire(ticket.model)

    def _is_settling(self) -> bool:
        coming_back = self.life.ledger.lagging or self.life.ledger.leaked_mb
        if self.life.clock.now >= self._settle_until or not coming_back:
            return False
        self._timer = self.life.clock.call_later(0.25, self.pump)  # the server's own tick
        return True

    def _on_gone(self) -> None:
        self._settle_until = self.life.clock.now + SETTLE_S
        self.pump()

    def _victim(self, ticket: Ticket) -> Runner | None:
        """Who goes: the idle one with the shortest keep-alive, else the busy one of that kind, once it is idle."""
        loaded = [runner for model in self.life.models.values() if (runner := self.life.runner(model)) is not None]
        fits = not loaded or ticket.model.size_mb <= CORESIDENT_SHARE * self.life.ledger.free_mb
        if fits and len(loaded) < self.life.settings.max_loaded and not ticket.evicted_all:
            return None
        return min(loaded, key=lambda one: (one.refs > 0, one.session_s), default=None)

    # --- the load ---------------------------------------------------------------------------------------------------
    def _begin_load(self, ticket: Ticket) -> None:
        ticket.model.state = LOADING
        self.life.told()
        if ticket.model.load_s > 0:
            self._timer = self.life.clock.call_later(ticket.model.load_s, lambda: self._end_load(ticket))
        else:
            self._end_load(ticket)

    def _end_load(self, ticket: Ticket) -> None:
        if self.life.hold_loads:
            self.held_load = lambda: self._end_load(ticket)
            return
        model, context = ticket.model, self.life.context(ticket.model, ticket.options)
        try:
            if model.oom_loads > 0:
                model.oom_loads -= 1
                raise Overdrawn(model.name)
            runner = self.life.loaded(model, ticket.options, context)
        except Overdrawn:
            self._out_of_memory(ticket)
            return
        self.life.hold(runner, ticket.keep_alive_s)
        self._done()
        ticket.granted(runner)
        self.pump()

    def _out_of_memory(self, ticket: Ticket) -> None:
        """Everybody else out once, then the error."""
        ticket.model.state = ON_DISK
        others = any(self.life.runner(model) for model in self.life.models.values())
        if others and not ticket.evicted_all:
            ticket.evicted_all = True
            self.pump()
        else:
            self._done()
            ticket.refused(Refusal(500, errors.CUDA_OOM))
            self.pump()

    def _done(self) -> None:
        self.current = self._timer = None

    def _abort_load(self, ticket: Ticket) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.held_load = None
        ticket.model.state = ON_DISK
        ticket.model.aborted_loads += 1
        self.life.told()


def needs_reload(runner: Runner, options: dict[str, Any]) -> bool:
    asked = {name: options[name] for name in RUNNER_OPTIONS if name in options}
    return asked != {name: runner.options[name] for name in RUNNER_OPTIONS if name in runner.options}
