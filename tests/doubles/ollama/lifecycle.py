"""From loaded to gone: references, keep-alive, unloads that are asked for before they happen (A.5.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.ollama.clock import VirtualClock
from tests.doubles.ollama.durations import FOREVER_S
from tests.doubles.ollama.ledger import Ledger
from tests.doubles.ollama.models import LOADED, ON_DISK, STOPPING, Model, Runner
from tests.doubles.ollama.profiles import NEW, Profile


@dataclass
class Settings:
    """What environment variables set on a real server."""

    max_queue: int = 512
    max_loaded: int = 3  # for each GPU, of which there is one
    keep_alive_s: float = 300.0
    no_cloud: bool = False


@dataclass(eq=False)
class Lifecycle:
    models: dict[str, Model]
    clock: VirtualClock
    ledger: Ledger
    told: Callable[[], None]  # something changed
    profile: Profile = NEW
    settings: Settings = field(default_factory=Settings)
    hold_loads: bool = False
    hold_unloads: bool = False
    fail_loads: list[tuple[int, str]] = field(default_factory=list)
    on_gone: Callable[[], None] = lambda: None

    def runner(self, model: Model) -> Runner | None:
        """The runner of a loaded model; one that a test declared loaded gets its runner here."""
        if model.state in (LOADED, STOPPING) and model.runner is None:
            model.runner = Runner(model, {}, self.context(model, {}), self.settings.keep_alive_s, model.size_mb)
        return model.runner

    def context(self, model: Model, options: dict[str, Any]) -> int:
        """num_ctx, or what the size of the GPU makes of it (A.3)."""
        total = self.ledger.total_mb
        automatic = 262_144 if total >= 47 * 1024 else 32_768 if total >= 23 * 1024 else 4096
        return min(int(options.get("num_ctx") or model.default_ctx or automatic), model.context_length)

    def loaded(self, model: Model, options: dict[str, Any], context: int) -> Runner:
        """Raises Overdrawn. A model that does not fit even alone is partly on the CPU: it takes what there is."""
        alone = not any(self.runner(other) for other in self.models.values())
        vram_mb = min(model.size_mb, max(0, self.ledger.free_mb)) if alone else model.size_mb
        self.ledger.take(model.name, vram_mb)
        model.runner = Runner(model, dict(options), context, self.settings.keep_alive_s, vram_mb)
        model.state, model.loads = LOADED, model.loads + 1
        self.told()
        return model.runner

    def hold(self, runner: Runner, keep_alive_s: float | None) -> None:
        """A request has the model: no timer takes it away, and one that names a keep-alive cancels an unload."""
        runner.refs += 1
        runner.drop_timers()
        if keep_alive_s is not None:
            runner.session_s = keep_alive_s
        if runner.model.state == STOPPING and runner.session_s > 0:
            runner.model.state = LOADED
        self.told()

    def let_go(self, runner: Runner) -> None:
        """A request ended; after the last one the keep-alive begins to run."""
        runner.refs -= 1
        if runner.model.runner is not runner or runner.refs > 0:
            return
        if runner.session_s <= 0:
            self._stop(runner)
            return
        runner.drop_timers()
        runner.expires_at = self.clock.now + runner.session_s
        if runner.session_s < FOREVER_S:
            runner.expiry = self.clock.call_later(runner.session_s, lambda: self._stop(runner), idle=True)
        self.told()

    def expire(self, model: Model) -> None:
        """Unload when idle: at once, or after the last request that runs."""
        runner = self.runner(model)
        if runner is None or model.state == STOPPING:
            return
        runner.session_s = 0.0
        if runner.refs > 0:
            model.state, runner.expires_at = STOPPING, self.clock.now
            self.told()
        else:
            self._stop(runner)

    def unload(self, model: Model, answer: Callable[[], None]) -> None:
        """The receipt comes first; nothing happens to a model that is not loaded or is being loaded."""
        answer()
        self.expire(model)

    def crash(self, model: Model) -> None:
        """The process of the model is gone, and its memory at once."""
        runner = self.runner(model)
        if runner is not None:
            self._gone(runner)

    def let_unloads_end(self) -> None:
        for model in list(self.models.values()):
            if model.state == STOPPING and (runner := self.runner(model)) and runner.refs == 0:
                self._gone(runner)

    def reset(self) -> None:
        for model in self.models.values():
            if model.runner is not None:
                model.runner.drop_timers()
            model.state, model.runner = ON_DISK, None
        self.ledger.forget_all()
        self.told()

    def _stop(self, runner: Runner) -> None:
        runner.drop_timers()
        runner.model.state, runner.expires_at = STOPPING, self.clock.now
        self.told()
        if self.hold_unloads:
            return
        if runner.model.unload_s > 0:
            runner.stopping = self.clock.call_later(runner.model.unload_s, lambda: self._gone(runner))
        else:
            self._gone(runner)

    def _gone(self, runner: Runner) -> None:
        model = runner.model
        if model.runner is not runner:
            return
        runner.drop_timers()
        model.state, model.runner, model.unloads = ON_DISK, None, model.unloads + 1
        self.ledger.give_back(model.name, after_s=model.release_s, leak=model.leaks)
        self.told()
        self.on_gone()
