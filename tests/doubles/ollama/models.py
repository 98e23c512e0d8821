"""A model of the double: what it is, what was scripted for it, where it stands."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.doubles.ollama.clock import Timer, VirtualClock
    from tests.doubles.ollama.scheduler import Ticket

MB = 1024 * 1024
# absent is a model that is not among the server's models at all
ON_DISK, LOADING, LOADED, STOPPING = "on_disk", "loading", "loaded", "stopping"
CLOUD = (":cloud", "-cloud")


@dataclass(eq=False)
class Model:
    name: str
    size_mb: int = 4000
    remote_host: str = ""
    state: str = ON_DISK
    # what a test scripts; seconds are those of the virtual clock
    load_s: float = 0.0
    unload_s: float = 0.0  # from the receipt to the end of the runner
    release_s: float = 0.0  # from then until the driver shows the memory as free
    leaks: bool = False  # its memory never comes back
    oom_loads: int = 0  # the next loads run out of memory at their end
    vanishes: bool = False  # is deleted between the check and the scheduling: the second text of 404
    told_vram_mb: int | None = None  # what /api/ps claims, where it is wrong
    capabilities: tuple[str, ...] = ("completion", "vision")
    context_length: int = 128_000  # trained with
    default_ctx: int | None = None  # num_ctx of its Modelfile
    family: str = "qwen25vl"
    digest: str = ""
    # what happened
    loads: int = 0
    aborted_loads: int = 0
    unloads: int = 0
    reloads: int = 0  # because of other options
    aborted_runs: int = 0  # the client hung up in the middle of an answer
    runner: Runner | None = None

    def __post_init__(self) -> None:
        self.digest = self.digest or hashlib.sha256(self.name.encode()).hexdigest()

    @property
    def is_remote(self) -> bool:
        return bool(self.remote_host) or self.name.endswith(CLOUD)

    @property
    def remote_model(self) -> str:
        return self.name.removesuffix("-cloud").removesuffix(":cloud")


@dataclass(eq=False)
class Runner:
    """The process that holds a loaded model."""

    model: Model
    options: dict[str, Any]
    context: int
    session_s: float
    vram_mb: int
    refs: int = 0  # requests that run or wait for the slot
    running: list[Ticket] = field(default_factory=list)
    waiting: deque[Ticket] = field(default_factory=deque)
    expires_at: float | None = None  # set when the last request ended: stale while one runs
    expiry: Timer | None = None
    stopping: Timer | None = None

    def drop_timers(self) -> None:
        for timer in (self.expiry, self.stopping):
            if timer is not None:
                timer.cancel()
        self.expiry = self.stopping = None


def expires_at(runner: Runner, clock: VirtualClock) -> float:
    """As the server tells it: now and the keep-alive until the first request has ended."""
    return clock.now + runner.session_s if runner.expires_at is None else runner.expires_at
