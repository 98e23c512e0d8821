"""The server of the models and what it holds: its answers are receipts, not facts (S3.4, S3.10, A.4)."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeVar

from django.db import Error as DatabaseTrouble
from django.utils import timezone

from gpu.choices import ProviderName
from gpu.config import GPUResourceConfig
from gpu.control.reporter import Reporter, Topic
from gpu.exceptions import LoadFailed, ServerAway, StillInMemory, VLMUnavailable
from gpu.models import CatalogueModel, LearnedNeed
from gpu.ollama import OllamaManager, tagged
from gpu.policy import NO_VLM, ModelRecord
from gpu.runtime import DatabaseThread
from gpu.types import ModelState
from sentences.said import say, told_by

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.25  # Ollama tells nobody when a model is gone: it has to be asked
RISEN_MB = 50
LEARN_AT_MOST = 1.5  # times what the server says of it, which lacks the driver's share: the rest went to others
DRIVER_MB = 1024
DATABASE_S = 5.0  # what is kept of needs helps, and is not waited for: others wait for the turn meanwhile

T = TypeVar("T")


class Needs:
    """What models take of the memory: as it was seen when they were loaded, by digest and context (A.9.3), and before
    that as the catalogue says. Without a database only this process knows; one that refuses costs a line in the log.
    """

    def __init__(self, database: DatabaseThread | None = None) -> None:
        self._database = database
        self._known: dict[tuple[str, int], int] = {}

    async def learned(self, digest: str, num_ctx: int) -> int | None:
        """In MB; None where this model was never seen being loaded with this context."""
        if (digest, num_ctx) not in self._known:
            rows = LearnedNeed.objects.filter(digest=digest, num_ctx=num_ctx)
            need = await self._asked(rows.values_list("need_mb", flat=True).first)
            if need is not None:
                self._known[digest, num_ctx] = need
        return self._known.get((digest, num_ctx))

    async def declared(self, model: str) -> int | None:
        """In MB; None where the catalogue does not say of that model of Ollama, or cannot be read."""
        rows = CatalogueModel.objects.filter(provider=ProviderName.OLLAMA).values_list("name", "vram_mb")
        needs = await self._asked(lambda: dict(rows)) or {}
        return next((need for name, need in needs.items() if tagged(name) == model and need), None)

    async def learn(self, digest: str, num_ctx: int, *, name: str, need_mb: int) -> None:
        """Keep the largest that was seen: to load it into less would fail."""
        need = self._known[digest, num_ctx] = max(need_mb, await self.learned(digest, num_ctx) or 0)
        fields = {"name": name, "need_mb": need, "seen_at": timezone.now()}
        keep = LearnedNeed.objects.update_or_create
        await self._asked(lambda: keep(digest=digest, num_ctx=num_ctx, defaults=fields))

    async def _asked(self, work: Callable[[], T]) -> T | None:
        if self._database is None:
            return None
        try:
            async with asyncio.timeout(DATABASE_S):
                return await self._database.run(work)
        except (DatabaseTrouble, TimeoutError) as error:
            log.warning("what models need of the memory is not read or kept: %s", error or "the database is silent")
            return None


class Retries:
    """Trying again: a few times, later and later, never what cannot succeed (A.9.5)."""

    def __init__(self, *, most: int, pause_s: float, until: float) -> None:
        self._most, self._pause_s, self.until = most, pause_s, until
        self._failed = 0

    async def again(self, error: VLMUnavailable) -> bool:
        """Whether to try once more after that failure; waits before it."""
        self._failed += 1
        # doubled after each try, and never the same for two who try at once
        pause_s = self._pause_s * 2.0 ** (self._failed - 1) * random.uniform(0.5, 1.5)  # noqa: S311
        over = _now() + pause_s >= self.until
        if not error.passing or self._failed >= self._most or over:
            return False
        await asyncio.sleep(pause_s)
        return True


class Residency:
    """Used by one at a time, in one loop: whoever has the turn. `free_mb` is None where it is unknown.

    A server that is away is left alone until a probe finds it again: no request waits for it in vain (A.9.7).
    `on_away` and `on_back` hear when it goes and answers again, `on_vanished` which models left by themselves.
    """

    def __init__(
        self,
        config: GPUResourceConfig,
        ollama: OllamaManager | None,
        reporter: Reporter,
        *,
        free_mb: Callable[[], int | None],
        needs: Needs,
        on_away: Callable[[], None],
        on_back: Callable[[], None],
        on_vanished: Callable[[list[str]], None],
    ) -> None:
        self._config, self._ollama, self._reporter, self._free_mb = config, ollama, reporter, free_mb
        self._needs = needs
        self._on_away, self._on_back, self._on_vanished = on_away, on_back, on_vanished
        self._records: dict[str, ModelRecord] = {}
        self.loads: deque[float] = deque(maxlen=max(1, config.swaps_per_minute))
        self.problem = ""  # why the server is not asked now; empty while it is

    @property
    def server(self) -> OllamaManager:
        """Raises VLMUnavailable where none is set up."""
        if self._ollama is None:
            raise VLMUnavailable(NO_VLM, passing=False)
        return self._ollama

    # --- what is known ----------------------------------------------------------------------------------------------
    def record(self, name: str) -> ModelRecord:
        return self._records.setdefault(tagged(name), ModelRecord(name=tagged(name)))

    def records(self) -> tuple[ModelRecord, ...]:
        for record in self._records.values():
            record.stale = self._is_stale(record)
        return tuple(self._records.values())

    def touch(self, name: str) -> None:
        self.record(name).last_used = _now()

    async def follow(self, *, is_still: Callable[[], bool] = lambda: True) -> None:
        """Ask what is in memory; what has come or gone without our doing is told."""
        before = {record.name for record in self._records.values() if record.state is ModelState.LOADED}
        vanished = await self._believe(is_still)
        self.answers()
        for name in vanished:
            self._reporter.changed(say("gpu.vanished", model=name))
        for record in tuple(self._records.values()):
            if record.state is ModelState.LOADED and record.name not in before:
                self._reporter.changed(say("gpu.in_memory", model=record.name))
        if vanished:
            self._on_vanished(vanished)

    async def _believe(self, is_still: Callable[[], bool] = lambda: True) -> list[str]:
        """What is in memory, unless somebody had a turn meanwhile; the names of those that have gone by themselves."""
        residents = {tagged(one.name): one for one in await self.server.loaded_models()}
        if not is_still():
            return []
        gone = [record for name, record in self._records.items() if name not in residents]
        vanished = [record.name for record in gone if record.is_in_memory]
        for record in gone:
            record.state = ModelState.UNLOADED if record.is_in_memory else record.state
            record.forget()
        new = []
        for record, resident in ((self.record(name), resident) for name, resident in residents.items()):
            if record.resident is None or record.digest != resident.digest:
                record.digest, record.size_mb = resident.digest, record.size_mb or resident.size_mb
                new.append(record)
            record.resident = resident
            record.state = record.state if record.state is ModelState.LOADING else ModelState.LOADED
        for record in new:  # somebody may have a turn while the database is asked: what is in memory is noted by now
            await self._remember(record)
        return vanished

    def _is_stale(self, record: ModelRecord) -> bool:
        """Another context would have the next question load it anew (A.3); and one that was found there may be on its
        way out, which a request of ours takes back (A.4.2) and nothing else tells.
        """
        return record.resident is not None and (not record.adopted or self._has_other_context(record))

    def _has_other_context(self, record: ModelRecord) -> bool:
        told = record.resident.context_length if record.resident else None
        return told is not None and told not in (self._config.num_ctx, record.context)

    # --- whether it answers -----------------------------------------------------------------------------------------
    async def look(self, model: str, tries: Retries | None) -> None:
        """Read what is in memory, and what `model` needs where it is not there; a server that is away is asked again
        before that is believed. Raises VLMUnavailable where it answers and does not say.
        """
        left_alone = bool(self.problem)
        while self._ollama is not None and not left_alone:
            try:
                await self.follow()
                if model and self.record(model).state is not ModelState.LOADED:
                    await self._know(model)
            except ServerAway as error:
                self.failed(error)
                if tries is None or not await tries.again(error):
                    return
            else:
                return

    async def probe(self, *, is_still: Callable[[], bool] = lambda: True) -> None:
        """Whether it answers, and what is in memory, unless that changes while it is asked."""
        if self._ollama is None:
            return
        try:
            await self._ollama.health()
            self.answers()
            if is_still():
                await self.follow(is_still=is_still)
        except ServerAway as error:
            self.failed(error)
        except VLMUnavailable as error:  # it may be late while it unloads: that is no outage (A.4.8)
            log.info("what is in memory is not known just now: %s", error)

    def failed(self, error: ServerAway) -> None:
        was_away, self.problem = bool(self.problem), told_by(error)
        if not was_away:
            self._on_away()
            for record in self._records.values():
                record.state = ModelState.UNLOADED if record.state is ModelState.UNLOADED else ModelState.ERROR
        self._reporter.problem(Topic.SERVER, self.problem)

    def answers(self) -> None:
        """It has answered: one that was away is back."""
        if self.problem:
            self.problem = ""
            for record in self._records.values():  # what it could not do says nothing any more
                record.state = ModelState.UNLOADED if record.state is ModelState.ERROR else record.state
            self._on_back()
            self._reporter.problem(Topic.MODEL, "")
            self._reporter.solved(Topic.SERVER, say("gpu.server_back"))

    # --- loading ----------------------------------------------------------------------------------------------------
    async def load(self, name: str, *, until: float) -> None:
        """One try: return when it is loaded; raises VLMUnavailable, LoadFailed where it is not `until` then."""
        record = self.record(name)
        await self.server.refuse_cloud(name)
        self._to(record, ModelState.LOADING, say("gpu.loading", model=record.name))
        before, other = self._free_mb(), record.resident is None or self._has_other_context(record)
        try:
            try:
                async with asyncio.timeout_at(until) as limit:
                    await self.server.load_model(record.name)
            except TimeoutError:
                if not limit.expired():
                    raise
                late = say("gpu.load_late", model=record.name, n=self._config.load_timeout_s)
                raise LoadFailed(late, passing=False) from None
            await self._believe()
            if record.resident is None:
                raise LoadFailed(say("gpu.not_listed", model=name))
        except VLMUnavailable as error:
            self._to(record, ModelState.ERROR, say("gpu.not_loaded_error", model=record.name, error=error))
            raise
        except BaseException:
            self._to(record, ModelState.UNLOADED, say("gpu.load_given_up", model=record.name))
            raise
        record.adopted, record.context = True, record.resident.context_length
        if other:  # else it was there already, and only taken over
            self.loads.append(_now())
        self.touch(name)
        self._reporter.missing_memory(0, "")  # what is free now is not what was free before
        await self._learn(record, before)
        self._to(record, ModelState.LOADED, say("gpu.loaded", model=record.name))

    async def _know(self, name: str) -> None:
        """What it needs: learned, or else its size on disk (S3.10). A model that is not there needs nothing."""
        record = self.record(name)
        on_disk = next((one for one in await self.server.list_models() if tagged(one.name) == record.name), None)
        if on_disk is not None:
            record.digest, record.size_mb = on_disk.digest, on_disk.size_mb
            await self._remember(record)

    async def _learn(self, record: ModelRecord, before: int | None) -> None:
        after, resident = self._free_mb(), record.resident
        if before is None or after is None or resident is None:
            return
        record.digest = record.digest or resident.digest
        drop, told = before - after, max(resident.size_mb, record.size_mb)
        known = await self._needs.learned(record.digest, self._config.num_ctx) or 0
        if drop <= max(known, RISEN_MB) or drop > LEARN_AT_MOST * told + DRIVER_MB:
            return
        record.need_mb = drop
        await self._needs.learn(record.digest, self._config.num_ctx, name=record.name, need_mb=drop)

    async def _remember(self, record: ModelRecord) -> None:
        learned = await self._needs.learned(record.digest, self._config.num_ctx)
        record.need_mb = learned or max(await self._needs.declared(record.name) or 0, record.size_mb) or None

    # --- unloading --------------------------------------------------------------------------------------------------
    async def unload(self, name: str) -> None:
        """Return when it is gone; raises StillInMemory when it has not gone in time (A.4.2)."""
        record = self.record(name)
        held = record.resident.vram_mb if record.resident else 0
        before = self._free_mb()
        self._to(record, ModelState.UNLOADING, say("gpu.unloading", model=record.name))
        try:
            await self.server.unload_model(record.name)
            await self._until_gone(record)
        except VLMUnavailable as error:
            self._to(record, ModelState.ERROR, say("gpu.not_unloaded_error", model=record.name, error=error))
            raise
        except BaseException:
            record.state, record.adopted = ModelState.LOADED, False  # as far as is known; it may be on its way out
            raise
        record.forget()

        async def has_risen() -> bool:
            free = self._free_mb()
            return before is None or free is None or free > before + RISEN_MB

        is_missing = held >= RISEN_MB and not await _until(has_risen, self._config.vram_timeout_s)
        self._to(record, ModelState.UNLOADED, say("gpu.unloaded", model=record.name))
        if before is not None and is_missing:
            text = say("gpu.memory_missing", model=record.name, held=held)
            log.warning("%s", text)
            self._reporter.missing_memory(before + RISEN_MB, text)

    async def _until_gone(self, record: ModelRecord) -> None:
        said: VLMUnavailable | None = None

        async def is_gone() -> bool:
            nonlocal said
            try:
                residents = await self.server.loaded_models()
            except VLMUnavailable as error:  # it may block while it unloads: that is no answer (A.4.8)
                said = error
                return False
            said = None
            return record.name not in {tagged(one.name) for one in residents}

        if not await _until(is_gone, self._config.gone_timeout_s):
            n = self._config.gone_timeout_s
            raise said or StillInMemory(say("gpu.still_in_memory", model=record.name, n=n))

    def _to(self, record: ModelRecord, state: ModelState, text: str) -> None:
        record.state = state
        self._reporter.changed(text)


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _until(condition: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    end = _now() + seconds
    while not await condition():
        if _now() >= end:
            return False
        await asyncio.sleep(LOOK_EVERY_S)
    return True
