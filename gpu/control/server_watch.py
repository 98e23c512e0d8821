"""The server of the models: whether it answers, what it holds, what to do while it does not (S3.10)."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable

from gpu.config import GPUResourceConfig
from gpu.control.reporter import Reporter, Topic
from gpu.control.residency import Residency
from gpu.exceptions import ServerAway, VLMUnavailable
from gpu.ollama import OllamaManager
from gpu.types import ModelState
from sentences.said import say, told_by


class Retries:
    def __init__(self, *, most: int, pause_s: float, until: float) -> None:
        self._most, self._pause_s, self.until = most, pause_s, until
        self._failed = 0

    async def again(self, error: VLMUnavailable) -> bool:
        """Whether to try once more after that failure; waits before it."""
        self._failed += 1
        # doubled after each try, and never the same for two who try at once
        pause_s = self._pause_s * 2.0 ** (self._failed - 1) * random.uniform(0.5, 1.5)  # noqa: S311
        over = asyncio.get_running_loop().time() + pause_s >= self.until
        if not error.passing or self._failed >= self._most or over:
            return False
        await asyncio.sleep(pause_s)
        return True


class Breaker:
    """Open after so many failures in a row. Half open, one request tries: it closes by success, opens by failure."""

    def __init__(self, *, failures_until_open: int, open_s: float) -> None:
        self._until_open, self._open_s = failures_until_open, open_s
        self._failures = 0
        self._opened_at: float | None = None
        self.problem = ""

    def refuses(self, now: float) -> bool:
        return self._opened_at is not None and now < self._opened_at + self._open_s

    def again_in_s(self, now: float) -> float:
        return 0.0 if self._opened_at is None else max(0.0, self._opened_at + self._open_s - now)

    def failed(self, now: float, problem: str) -> None:
        self._failures += 1
        self.problem = problem
        if self._failures >= self._until_open:
            self._opened_at = now

    def probe_succeeded(self) -> None:
        """It talks again: the next request may try, and is the one that counts."""
        if self._opened_at is not None:
            self._opened_at = None
            self._failures = self._until_open - 1
        self.problem = ""

    def succeeded(self) -> None:
        self._failures, self._opened_at, self.problem = 0, None, ""


log = logging.getLogger(__name__)


class ServerWatch:
    """`on_away` and `on_back` hear when it goes and answers again, `on_vanished` which models left by themselves."""

    def __init__(
        self,
        config: GPUResourceConfig,
        ollama: OllamaManager,
        models: Residency,
        reporter: Reporter,
        *,
        on_away: Callable[[], None],
        on_back: Callable[[], None],
        on_vanished: Callable[[list[str]], None],
    ) -> None:
        self._config, self._ollama, self._models, self._reporter = config, ollama, models, reporter
        self._on_away, self._on_back, self._on_vanished = on_away, on_back, on_vanished
        self.breaker = Breaker(failures_until_open=config.failures_until_open, open_s=config.open_s)
        self._away = False

    @property
    def problem(self) -> str:
        """Why it is not asked now; empty while it is."""
        return self.breaker.problem

    def again_in_s(self) -> float:
        return self.breaker.again_in_s(asyncio.get_running_loop().time())

    async def look(self, model: str, tries: Retries | None) -> None:
        """Read what is in memory, and what `model` needs where it is not there.

        A server that is away is asked again before that is believed, one that was away too often is left alone for a
        while. Raises VLMUnavailable where it answers and does not say.
        """
        while not self.breaker.refuses(asyncio.get_running_loop().time()):
            try:
                await self.follow()
                if model and self._models.record(model).state is not ModelState.LOADED:
                    await self._models.know(model)
            except ServerAway as error:
                self.failed(error)
                if tries is None or not await tries.again(error):
                    return
            else:
                return

    async def probe(self, *, is_still: Callable[[], bool]) -> None:
        """Whether it answers, and what is in memory, unless that changes while it is asked."""
        try:
            await self._ollama.health()
            self._answers()
            if is_still():
                await self.follow(is_still=is_still)
        except ServerAway as error:
            self.failed(error)
        except VLMUnavailable as error:  # it may be late while it unloads: that is no outage (A.4.8)
            log.info("what is in memory is not known just now: %s", error)

    async def follow(self, *, is_still: Callable[[], bool] = lambda: True) -> None:
        """Ask what is in memory; what has come or gone without our doing is told."""
        before = {record.name: record.state for record in self._models.records()}
        vanished = await self._models.follow(is_still=is_still)
        self._answers()
        for name in vanished:
            self._reporter.changed(say("gpu.vanished", model=name))
        for record in self._models.records():
            if record.state is ModelState.LOADED and before.get(record.name) is not ModelState.LOADED:
                self._reporter.changed(say("gpu.in_memory", model=record.name))
        if vanished:
            self._on_vanished(vanished)

    def failed(self, error: ServerAway) -> None:
        self.breaker.failed(asyncio.get_running_loop().time(), told_by(error))
        if not self._away:
            self._away = True
            self._on_away()
            self._models.lost_sight()
        self._reporter.problem(Topic.SERVER, told_by(error))

    def succeeded(self) -> None:
        self.breaker.succeeded()
        self._answers()

    def _answers(self) -> None:
        self.breaker.probe_succeeded()
        if not self._away:
            return
        self._away = False
        self._models.forget_errors()
        self._on_back()
        self._reporter.problem(Topic.MODEL, "")
        self._reporter.problems.set(Topic.SERVER, "")
        self._reporter.changed(say("gpu.server_back"))
