"""Getting models into memory and out of it, and knowing that they are: Ollama's answers are receipts, not facts."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import Error as DatabaseTrouble
from django.utils import timezone

from gpu.config import GPUResourceConfig
from gpu.exceptions import LoadFailed, StillInMemory, VLMUnavailable
from gpu.models import LearnedNeed
from gpu.ollama import OllamaManager, tagged
from gpu.policy import ModelView
from gpu.runtime import DatabaseThread
from gpu.types import ModelState, Purpose, Resident
from sentences.said import say

log = logging.getLogger(__name__)


class Needs:
    """A database that refuses costs a line in the log and the size of the file is taken for the need, no more."""

    def __init__(self, database: DatabaseThread) -> None:
        self._database = database
        self._known: dict[tuple[str, int], int] = {}

    async def get(self, digest: str, num_ctx: int) -> int | None:
        """In MB; None where this model was never seen being loaded with this context."""
        key = (digest, num_ctx)
        if key not in self._known:
            try:
                need = await self._database.run(lambda: _stored(digest, num_ctx))
            except DatabaseTrouble as error:
                log.warning("what a model needs of the memory cannot be read: %s", error)
                return None
            if need is None:
                return None
            self._known[key] = need
        return self._known[key]

    async def learn(self, digest: str, num_ctx: int, *, name: str, need_mb: int) -> None:
        """Keep the largest that was seen: to load it into less would fail."""
        need = max(need_mb, await self.get(digest, num_ctx) or 0)
        self._known[digest, num_ctx] = need
        fields = {"name": name, "need_mb": need, "seen_at": timezone.now()}
        try:
            await self._database.run(
                lambda: LearnedNeed.objects.update_or_create(digest=digest, num_ctx=num_ctx, defaults=fields)
            )
        except DatabaseTrouble as error:
            log.warning("what a model needs of the memory cannot be kept: %s", error)


def _stored(digest: str, num_ctx: int) -> int | None:
    return LearnedNeed.objects.filter(digest=digest, num_ctx=num_ctx).values_list("need_mb", flat=True).first()


LOOK_EVERY_S = 0.25  # Ollama tells nobody when a model is gone: it has to be asked
RISEN_MB = 50
LEARN_AT_MOST = 1.5  # times what the server says of it, which lacks the driver's share: the rest went to others

DRIVER_MB = 1024
DATABASE_S = 5.0  # what is kept of needs helps, and is not waited for: others wait for the turn meanwhile

T = TypeVar("T")

Say = Callable[[str], None]
Missing = Callable[[int, str], None]
Declared = Callable[[str], Awaitable[int | None]]  # what the catalogue says that a model needs, in MB


@dataclass(eq=False, slots=True, kw_only=True)
class ModelRecord:
    """What is known of one model. `last_used` in seconds of the loop's clock; None: nobody here has used it yet."""

    name: str
    state: ModelState = ModelState.UNLOADED
    digest: str = ""
    size_mb: int = 0
    need_mb: int | None = None
    last_used: float | None = None
    users: tuple[Purpose, ...] = ()
    resident: Resident | None = None
    adopted: bool = False  # loaded, or taken over, by a request of ours
    context: int | None = None  # what that came to

    def forget(self) -> None:
        self.resident = self.last_used = self.context = None
        self.adopted = False

    @property
    def is_worth_telling(self) -> bool:
        return self.resident is not None or self.state is not ModelState.UNLOADED

    def told(self) -> dict[str, Any]:
        resident = self.resident
        expires = resident.expires_at if resident else None
        return {
            "name": self.name,
            "state": self.state.value,
            "vram_mb": resident.vram_mb if resident else 0,
            "size_mb": resident.size_mb if resident else self.size_mb,
            "need_mb": self.need_mb,
            "context_length": resident.context_length if resident else None,
            "expires_at": expires.isoformat() if expires else None,
        }


class Residency:
    """Used by one at a time, in one loop: whoever has the turn. `free_mb` is None where it is unknown.

    `say` hears each change of a state, `missing` of memory that did not come back: what should be free, and in words.
    """

    def __init__(
        self,
        config: GPUResourceConfig,
        ollama: OllamaManager,
        *,
        free_mb: Callable[[], int | None],
        say: Say,
        missing: Missing,
        needs: Needs | None = None,
        declared_mb: Declared | None = None,
    ) -> None:
        self._config, self._ollama, self._free_mb, self._say = config, ollama, free_mb, say
        self._missing = missing
        self._needs, self._declared_mb = needs, declared_mb
        self._records: dict[str, ModelRecord] = {}
        self._learned: dict[str, int] = {}  # by digest
        self.loads: deque[float] = deque(maxlen=max(1, config.swaps_per_minute))

    # --- what is known ----------------------------------------------------------------------------------------------
    def record(self, name: str) -> ModelRecord:
        name = tagged(name)
        if name not in self._records:
            self._records[name] = ModelRecord(name=name)
        return self._records[name]

    def records(self) -> tuple[ModelRecord, ...]:
        return tuple(self._records.values())

    def views(self) -> tuple[ModelView, ...]:
        return tuple(
            ModelView(
                name=one.name,
                state=one.state,
                need_mb=one.need_mb,
                digest=one.digest,
                last_used=one.last_used,
                users=one.users,
                stale=self._is_stale(one),
            )
            for one in self._records.values()
        )

    def touch(self, name: str) -> None:
        self.record(name).last_used = asyncio.get_running_loop().time()

    async def follow(self, *, is_still: Callable[[], bool] = lambda: True) -> list[str]:
        """Ask what is in memory, and believe it; the names of those that have gone without our doing.

        What is no longer so when it is heard, because somebody had a turn meanwhile, is not believed (`is_still`).
        """
        residents = {tagged(one.name): one for one in await self._ollama.loaded_models()}
        if not is_still():
            return []
        vanished = []
        for name, record in self._records.items():
            if name not in residents and record.state in (ModelState.LOADED, ModelState.UNLOADING):
                vanished.append(name)
                record.state = ModelState.UNLOADED
            if name not in residents:
                record.forget()
        new = [self.record(name) for name, resident in residents.items() if self._saw(self.record(name), resident)]
        for record in new:  # somebody may have a turn while the database is asked: what is in memory is noted by now
            await self._remember(record)
        return vanished

    async def know(self, name: str) -> None:
        """What it needs: learned, or else its size on disk (S3.10). A model that is not there needs nothing."""
        name = tagged(name)
        on_disk = next((one for one in await self._ollama.list_models() if tagged(one.name) == name), None)
        if on_disk is not None:
            record = self.record(name)
            record.digest, record.size_mb = on_disk.digest, on_disk.size_mb
            await self._remember(record)

    def forget_errors(self) -> None:
        """The server is another one now, or the same one started anew: what it could not do says nothing any more."""
        for record in self._records.values():
            if record.state is ModelState.ERROR:
                record.state = ModelState.UNLOADED

    def lost_sight(self) -> None:
        """The server does not answer: nobody knows what is in memory."""
        for record in self._records.values():
            if record.state is not ModelState.UNLOADED:
                record.state = ModelState.ERROR

    # --- loading ----------------------------------------------------------------------------------------------------
    async def load(self, name: str, *, until: float) -> None:
        """One try: return when it is loaded; raises VLMUnavailable, LoadFailed where it is not `until` then."""
        record = self.record(name)
        await self._ollama.refuse_cloud(name)
        self._to(record, ModelState.LOADING, say("gpu.loading", model=record.name))
        before, other = self._free_mb(), record.resident is None or self._has_other_context(record)
        try:
            await self._in_time(record, until)
            await self.follow()
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
            self.loads.append(asyncio.get_running_loop().time())
        self.touch(name)
        self._missing(0, "")  # what is free now is not what was free before
        await self._learn(record, before)
        self._to(record, ModelState.LOADED, say("gpu.loaded", model=record.name))

    async def _in_time(self, record: ModelRecord, until: float) -> None:
        try:
            async with asyncio.timeout_at(until) as limit:
                await self._ollama.load_model(record.name)
        except TimeoutError:
            if not limit.expired():
                raise
            seconds = self._config.load_timeout_s
            raise LoadFailed(say("gpu.load_late", model=record.name, n=seconds), passing=False) from None

    async def _learn(self, record: ModelRecord, before: int | None) -> None:
        after = self._free_mb()
        resident = record.resident
        if before is None or after is None or resident is None:
            return
        drop, told = before - after, max(resident.size_mb, record.size_mb)
        if drop <= max(self._learned.get(record.digest, 0), RISEN_MB) or drop > LEARN_AT_MOST * told + DRIVER_MB:
            return
        record.digest = record.digest or resident.digest
        self._learned[record.digest] = record.need_mb = drop
        if self._needs is not None:
            await _soon(self._needs.learn(record.digest, self._config.num_ctx, name=record.name, need_mb=drop))

    async def _remember(self, record: ModelRecord) -> None:
        if record.digest not in self._learned and self._needs is not None:
            kept = await _soon(self._needs.get(record.digest, self._config.num_ctx))
            if kept is not None:
                self._learned[record.digest] = kept
        if record.digest in self._learned:
            record.need_mb = self._learned[record.digest]
        else:
            declared = await _soon(self._declared_mb(record.name)) if self._declared_mb else None
            record.need_mb = max(declared or 0, record.size_mb) or None

    # --- unloading --------------------------------------------------------------------------------------------------
    async def unload(self, name: str) -> None:
        """Return when it is gone; raises StillInMemory when it has not gone in time (A.4.2)."""
        record = self.record(name)
        held = record.resident.vram_mb if record.resident else 0
        before = self._free_mb()
        self._to(record, ModelState.UNLOADING, say("gpu.unloading", model=record.name))
        try:
            await self._ollama.unload_model(record.name)
            await self._until_gone(record)
        except VLMUnavailable as error:
            self._to(record, ModelState.ERROR, say("gpu.not_unloaded_error", model=record.name, error=error))
            raise
        except BaseException:
            record.state, record.adopted = ModelState.LOADED, False  # as far as is known; it may be on its way out
            raise
        record.forget()
        is_missing = before is not None and held >= RISEN_MB and not await self._has_risen(before)
        self._to(record, ModelState.UNLOADED, say("gpu.unloaded", model=record.name))
        if before is not None and is_missing:
            text = say("gpu.memory_missing", model=record.name, held=held)
            log.warning("%s", text)
            self._missing(before + RISEN_MB, text)

    async def _until_gone(self, record: ModelRecord) -> None:
        problem = say("gpu.still_in_memory", model=record.name, n=self._config.gone_timeout_s)
        said: VLMUnavailable | None = None

        async def is_gone() -> bool:
            nonlocal said
            try:
                residents = await self._ollama.loaded_models()
            except VLMUnavailable as error:  # it may block while it unloads: that is no answer (A.4.8)
                said = error
                return False
            said = None
            return record.name not in {tagged(one.name) for one in residents}

        if not await _until(is_gone, self._config.gone_timeout_s):
            raise said or StillInMemory(problem)

    async def _has_risen(self, before: int) -> bool:
        async def has_risen() -> bool:
            free = self._free_mb()
            return free is None or free > before + RISEN_MB

        return await _until(has_risen, self._config.vram_timeout_s)

    # --- small parts ------------------------------------------------------------------------------------------------
    def _saw(self, record: ModelRecord, resident: Resident) -> bool:
        known = record.resident is not None and record.digest == resident.digest
        record.resident = resident
        if record.state is not ModelState.LOADING:
            record.state = ModelState.LOADED
        if not known:
            record.digest, record.size_mb = resident.digest, record.size_mb or resident.size_mb
        return not known

    def _is_stale(self, record: ModelRecord) -> bool:
        """Whether one that is in memory has to be asked for anew before it can be relied on.

        Another context would have the next question load it anew (A.3); and one that was found there
        may be on its way out, which a request of ours takes back (A.4.2) and nothing else tells.
        """
        return record.resident is not None and (not record.adopted or self._has_other_context(record))

    def _has_other_context(self, record: ModelRecord) -> bool:
        told = record.resident.context_length if record.resident else None
        return told is not None and told not in (self._config.num_ctx, record.context)

    def _to(self, record: ModelRecord, state: ModelState, text: str) -> None:
        record.state = state
        self._say(text)


async def _soon(work: Awaitable[T]) -> T | None:
    try:
        async with asyncio.timeout(DATABASE_S):
            return await work
    except TimeoutError:
        log.warning("the database does not answer: what a model needs of the memory is not read or kept")
        return None


async def _until(condition: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    end = asyncio.get_running_loop().time() + seconds
    while not await condition():
        if asyncio.get_running_loop().time() >= end:
            return False
        await asyncio.sleep(LOOK_EVERY_S)
    return True
