"""What a choice stands on, looked at anew before every answer: the catalogue, the servers, the machine (S4.4)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import DatabaseError

from gpu.catalogue import ModelEntry, entries
from gpu.choices import Capability, ProviderName
from gpu.exceptions import NoModelFits, VLMUnavailable
from gpu.machine.status import last_known_status
from gpu.manager import GPUResourceManager
from gpu.models import LearnedNeed
from gpu.ollama import is_named
from gpu.resources import ResourceMonitor
from gpu.runtime import DatabaseThread
from gpu.selection.choice import RecentOutcomes, Situation
from gpu.types import ExecutionMode, ModelOnDisk, Resident
from gpu.wire.http import ModelServer
from sentences.said import say, told_by

log = logging.getLogger(__name__)

T = TypeVar("T")

NO_ADDRESS = {
    ProviderName.OLLAMA: say("choice.no_ollama"),
    ProviderName.OPENAI: say("choice.no_openai"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueRows:
    """What the database tells: the catalogue, what models took of the GPU by digest and context, the owner's mode."""

    catalogue: tuple[ModelEntry, ...]
    learned_mb: Mapping[tuple[str, int], int]
    mode: ExecutionMode = ExecutionMode.IDLE  # of the process that owns the GPU, where it gives signs of life


def read_rows() -> CatalogueRows:
    learned = LearnedNeed.objects.values_list("digest", "num_ctx", "need_mb")
    told = last_known_status()
    mode = told["execution_mode"] if told and told["fresh"] and told["owner"] else ExecutionMode.IDLE
    return CatalogueRows(
        catalogue=entries(),
        learned_mb={(digest, ctx): need for digest, ctx, need in learned},
        mode=ExecutionMode(mode),
    )


Observation = tuple[tuple[ModelEntry, ...], Situation]  # the catalogue, and what there is now


class Observer:
    """Looks without changing anything: what may be loaded is decided by the owner of the GPU, not by this."""

    def __init__(
        self,
        manager: GPUResourceManager,
        *,
        openai: ModelServer | None,
        monitor: ResourceMonitor,
        recent: RecentOutcomes,
        database: DatabaseThread,
        rows: Callable[[], CatalogueRows] = read_rows,
    ) -> None:
        self._manager, self._openai, self._monitor, self._recent = manager, openai, monitor, recent
        self._database, self._read_rows = database, rows
        self._known: CatalogueRows | None = None
        self._looking: asyncio.Future[Observation] | None = None

    async def look(self, *, anew: bool = False) -> Observation:
        """What there is now; many who look at once look together, unless it must be `anew`."""
        if anew or self._looking is None:
            self._looking = looking = asyncio.ensure_future(self._look())
            looking.add_done_callback(self._looked)
        return await asyncio.shield(self._looking)

    def _looked(self, looking: asyncio.Future[Observation]) -> None:
        if self._looking is looking:
            self._looking = None
        if not looking.cancelled():
            looking.exception()  # nobody may be left to hear it

    async def _look(self) -> Observation:
        rows, ollama, openai = await asyncio.gather(
            self._rows(), self._listed(ProviderName.OLLAMA), self._listed(ProviderName.OPENAI)
        )
        config, own_mode = self._manager.config, ExecutionMode(self._manager.get_status().execution_mode)
        mode = rows.mode if own_mode is ExecutionMode.IDLE else own_mode  # another process may own the GPU
        asked = zip(ProviderName, (ollama, openai), strict=True)
        away = {name: found for name, found in asked if isinstance(found, str)}
        residents = () if ProviderName.OLLAMA in away else await self._residents()
        on_disk = _found(rows.catalogue, ProviderName.OLLAMA, () if isinstance(ollama, str) else ollama, is_named)
        elsewhere = _found(rows.catalogue, ProviderName.OPENAI, () if isinstance(openai, str) else openai, _is_called)
        served = {ProviderName.OLLAMA: frozenset(on_disk), ProviderName.OPENAI: frozenset(elsewhere)}
        stays = _stays(mode, config.vlm_model)
        ollama_here = {ProviderName.OLLAMA} if config.ollama_is_here else set()
        openai_here = {ProviderName.OPENAI} if getattr(self._openai, "is_here", True) else set()
        needs = {key: rows.learned_mb.get((one.digest, config.num_ctx)) for key, one in on_disk.items()}
        lately = {one.key for one in rows.catalogue if one.provider is ProviderName.OPENAI}
        return rows.catalogue, Situation(
            resources=await asyncio.to_thread(self._monitor.read),
            mode=mode,
            headroom_mb=config.headroom_mb,
            num_ctx=config.num_ctx,
            served={name: keys for name, keys in served.items() if name not in away},
            away=away,
            here=frozenset(ollama_here | openai_here),
            loaded=frozenset(_found(rows.catalogue, ProviderName.OLLAMA, residents, is_named))
            | {key for key in lately if self._recent.answered_lately(key)},
            gives_way_mb=sum(one.vram_mb or one.size_mb for one in residents if not stays(one)),
            all_stay=any(stays(one) for one in residents),
            blind=frozenset(key for key, one in on_disk.items() if _sees_nothing(one)),
            remote=frozenset(key for key, one in {**on_disk, **elsewhere}.items() if one.remote),
            learned_mb={key: need for key, need in needs.items() if need is not None},
            lowered=self._recent.lowered(),
        )

    async def _rows(self) -> CatalogueRows:
        try:
            self._known = await self._database.run(self._read_rows)
        except DatabaseError as error:
            if self._known is None:
                raise NoModelFits(say("choice.catalogue_unread", error=error)) from error
            log.warning("the catalogue of models is that of before: %s", error)
        return self._known

    async def _listed(self, name: ProviderName) -> tuple[ModelOnDisk, ...] | str:
        """What a provider has, or why it cannot be asked."""
        server = self._manager.ollama if name is ProviderName.OLLAMA else self._openai
        if server is None:
            return NO_ADDRESS[name]
        try:
            found: tuple[ModelOnDisk, ...] = await server.list_models()
        except VLMUnavailable as error:
            return told_by(error)
        return found

    async def _residents(self) -> tuple[Resident, ...]:
        assert self._manager.ollama is not None  # it has just told what it has
        try:
            return await self._manager.ollama.loaded_models()
        except VLMUnavailable as error:  # it may be busy with an unload, and is not away (A.4.8)
            log.info("what is loaded is not known now: %s", error)
            return ()


def _is_called(one: ModelOnDisk, name: str) -> bool:
    return one.name == name


def _sees_nothing(one: ModelOnDisk) -> bool:
    return bool(one.capabilities) and Capability.VISION.value not in one.capabilities


def _stays(mode: ExecutionMode, vlm: str) -> Callable[[Resident], bool]:
    """What a chat cannot drive out: in autopilot nothing leaves for it, in recording not the VLM of the run (S4.5)."""
    if mode is ExecutionMode.AUTOPILOT:
        return lambda one: True
    return lambda one: mode is ExecutionMode.RECORDING and bool(vlm) and is_named(one, vlm)


def _found(
    catalogue: Sequence[ModelEntry], provider: ProviderName, found: Sequence[T], is_it: Callable[[T, str], bool]
) -> dict[str, T]:
    """What a provider has, by the keys of the catalogue."""
    return {
        entry.key: one for entry in catalogue if entry.provider is provider for one in found if is_it(one, entry.name)
    }
