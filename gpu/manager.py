"""The GPU manager of this process: what others call, from wherever they are (S3)."""

from __future__ import annotations

import asyncio
import atexit
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from gpu.catalogue import allowed_elsewhere
from gpu.choices import GPUEventKind, ProviderName, UseOutcome
from gpu.clip import CLIPManager
from gpu.config import GPUResourceConfig
from gpu.control.controller import Controller
from gpu.control.residency import Needs
from gpu.control.routing import Router, Serving
from gpu.control.scheduler import BY_ITSELF
from gpu.exceptions import ClipUnavailable, NotEnoughVRAM, VLMUnavailable
from gpu.machine.ownership import SOCKET_NAME, OwnerClient, Ownership, RequestServer, machine_name
from gpu.machine.status import Publisher, gpu_folder
from gpu.models import ModelUse
from gpu.ollama import OllamaManager, tagged
from gpu.policy import NO_VLM
from gpu.resources import VRAMMonitor, gpu_of
from gpu.runtime import Background, DatabaseThread, Listeners, Runtime, blocking
from gpu.types import (
    ExecutionMode,
    GPUResourceStatus,
    ManagerDetails,
    ModelState,
    Purpose,
    Request,
    RequestKind,
    nowhere,
)
from sentences.said import say

log = logging.getLogger(__name__)

Listener = Callable[[str, str, GPUResourceStatus], None]
Record = Callable[[ModelUse], Awaitable[None]]


class GPUResourceManager:
    """One per process. Coroutines may be awaited in any event loop; `…_sync` are the same for code that has none.

    Without `ownership` it owns the GPU alone. `database` knows what models need and which may run elsewhere; `record`
    keeps what each answer took.
    """

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        ollama: OllamaManager | None = None,
        vram: VRAMMonitor | None = None,
        clip: CLIPManager | None = None,
        ownership: Ownership | None = None,
        remote: OwnerClient | None = None,
        database: DatabaseThread | None = None,
        needs: Needs | None = None,
        record: Record | None = None,
        runtime: Runtime | None = None,
    ) -> None:
        self.config, self._database = config, database
        self.runtime = runtime or Runtime()
        self.vram = vram or VRAMMonitor()
        self.clip = clip or CLIPManager(unused=say("gpu.clip_not_set_up"))
        self.ollama = ollama
        if ollama is None and config.ollama_url:
            allowed = allowed_elsewhere(ProviderName.OLLAMA, database) if database else nowhere
            self.ollama = OllamaManager(config, cloud_allowed=allowed)
        self._listeners = Listeners("the GPU")
        self._record, self._recording = record, Background()
        needs = needs or Needs(database)
        self.controller = Controller(
            config, ollama=self.ollama, memory=self.vram, clip=self.clip, tell=self._say, needs=needs
        )
        self.serving = Serving(self.controller, is_owner=lambda: self._router.is_owner)
        self._router = Router(self.controller, self.serving, self.runtime, ownership=ownership, remote=remote)
        self.clip.on_device_change(self._clip_moved_by_itself)

    # --- plain ------------------------------------------------------------------------------------------------------
    def get_status(self) -> GPUResourceStatus:
        controller = self.controller
        gpus = controller.reporter.gpus()
        return GPUResourceStatus(
            vram=gpu_of(gpus, self.clip.gpu_uuid) or next(iter(gpus), None),
            vlm_state=controller.vlm_state,
            vlm_model=self.config.vlm_model,
            clip_device=self.get_clip_device(),
            execution_mode=controller.mode,
            degraded=bool(controller.reporter.problems),
            degraded_reason=controller.reporter.problems,
            queue_length=sum(1 for entry in controller.scheduler.entries() if entry.level != BY_ITSELF),
            last_vlm_request=controller.last_request,
        )

    def details(self) -> ManagerDetails:
        controller = self.controller
        return ManagerDetails(
            status=self.get_status(),
            vram=controller.reporter.gpus(),
            residents=tuple(
                one.told()
                for one in controller.models.records()
                if one.resident or one.state is not ModelState.UNLOADED
            ),
            queue=tuple(entry.told() for entry in controller.scheduler.entries() if entry.level != BY_ITSELF),
            degraded_since=controller.reporter.since,
        )

    def get_clip_device(self) -> str:
        """`cpu`, or the `cuda:N` that CLIP is on."""
        return str(self.clip.device)

    def beside(self, *works: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Have these run too while this process owns the GPU (requests of others, the rows)."""
        self._router.beside += works

    def on_event(self, listener: Listener) -> None:
        """Hear `resource_changed`, `mode_changed` and `idle_unload`: kind, a sentence, the status then (S3.9)."""
        self._listeners.add(listener)

    def off_event(self, listener: Listener) -> None:
        self._listeners.remove(listener)

    def claim(self, name: str) -> None:
        """From now on this process wants the GPU of the machine, takes it as soon as nobody has it, and keeps it."""
        self._router.claim(name)

    def close(self) -> None:
        """Give the GPU back and end the thread; models stay where they are, and leave when nobody asks for them."""
        self.runtime.run(self._close())
        self.clip.close()
        self.runtime.close()
        self._router.abandon()
        if self._database is not None:
            self._database.close()  # what was told is written before

    def release(self) -> None:
        """Claim the GPU no longer; whoever claims it next has it at once, or after what is being done here just now."""
        self.runtime.run(self._router.release())

    def on_queue(self, listener: Callable[[], None]) -> None:
        """Hear, in the manager's loop, that `details` tells of other requests than before."""
        self.controller.scheduler.on_change(listener)

    # --- coroutines -------------------------------------------------------------------------------------------------
    async def carry_out(self, request: Request) -> None:
        """What a person asks, other than the use of a model; raises the GPUError that stands in its way."""
        await self._ask(request.kind, model=request.model, mode=request.mode, asked_by=request.asked_by)

    async def set_execution_mode(
        self, mode: ExecutionMode, *, asked_by: str = "", deadline_s: float | None = None
    ) -> None:
        """Autopilot: the VLM goes, then CLIP gets the GPU; recording: CLIP goes, then the VLM is loaded (S3.6).

        Idle leaves all as it is. What cannot be had degrades and is tried again, it never raises (S1.21); a load too
        many for this minute is done when it is allowed. The last mode asked for is what stands.
        """
        await self._ask(RequestKind.MODE, mode=ExecutionMode(mode), asked_by=asked_by, deadline_s=deadline_s)

    async def ensure_vlm_loaded(self, *, asked_by: str = "", deadline_s: float | None = None) -> None:
        """Return when the VLM is loaded; raises VLMUnavailable. Callers share one load (S3.4)."""
        await self._ask(RequestKind.LOAD, model=self._vlm(), asked_by=asked_by, deadline_s=deadline_s)

    async def ensure_vlm_unloaded(self, *, asked_by: str = "", deadline_s: float | None = None) -> None:
        """Return when the VLM is gone and its memory free, or has been said not to be; raises VLMUnavailable."""
        if self.config.has_vlm:
            await self._ask(RequestKind.UNLOAD, model=self._vlm(), asked_by=asked_by, deadline_s=deadline_s)

    async def load_model(
        self, model: str, *, asked_by: str = "", purpose: Purpose | None = None, deadline_s: float | None = None
    ) -> None:
        """Load any model of the Ollama server. Only the VLM takes memory from CLIP: others go where there is room."""
        await self._ask(RequestKind.LOAD, model=model, purpose=purpose, asked_by=asked_by, deadline_s=deadline_s)

    async def unload_model(self, model: str, *, asked_by: str = "", deadline_s: float | None = None) -> None:
        """Return when it is gone; whoever uses it is waited for."""
        await self._ask(RequestKind.UNLOAD, model=model, asked_by=asked_by, deadline_s=deadline_s)

    async def migrate_clip_to_gpu(self, *, asked_by: str = "") -> bool:
        """Whether CLIP is on a GPU then: only if enough memory is free (S3.5)."""
        try:
            await self._ask(RequestKind.CLIP_TO_GPU, asked_by=asked_by)
        except (ClipUnavailable, NotEnoughVRAM) as error:
            log.info("CLIP stays where it is: %s", error)
            return False
        return True

    async def migrate_clip_to_cpu(self, *, asked_by: str = "") -> bool:
        """Whether CLIP is on the CPU then."""
        try:
            await self._ask(RequestKind.CLIP_TO_CPU, asked_by=asked_by)
        except ClipUnavailable as error:
            log.warning("CLIP stays where it is: %s", error)
            return False
        return True

    async def ask_vlm(
        self,
        prompt: str,
        pictures: Sequence[bytes],
        schema: Mapping[str, Any],
        *,
        purpose: Purpose = Purpose.TARGET,
        execution_id: str = "",
        step: int | None = None,
    ) -> str:
        """The VLM's answer about encoded pictures (PNG), loaded first if need be; raises VLMUnavailable."""
        model = self._vlm()

        async def ask() -> str:
            loop = asyncio.get_running_loop()
            begun = loop.time()
            use = ModelUse(
                purpose=purpose, provider=ProviderName.OLLAMA, model=model, execution_id=execution_id, step=step
            )
            try:
                async with self.using(model, purpose=purpose, asked_by=execution_id) as ollama:
                    answer = await ollama.answer(model, prompt=prompt, pictures=pictures, schema=schema)
                use.outcome, use.load_seconds = UseOutcome.ANSWERED, answer.load_s
                use.tokens_in, use.tokens_out = answer.tokens_in, answer.tokens_out
                return answer.text
            except BaseException as error:
                cancelled = isinstance(error, asyncio.CancelledError)
                use.outcome = UseOutcome.CANCELLED if cancelled else UseOutcome.FAILED
                use.error = type(error).__name__
                raise
            finally:
                use.seconds = loop.time() - begun
                self._keep(use)

        return await self.runtime.wait(ask())

    # --- for code without an event loop -----------------------------------------------------------------------------
    set_execution_mode_sync = blocking(set_execution_mode)
    ensure_vlm_loaded_sync = blocking(ensure_vlm_loaded)
    ensure_vlm_unloaded_sync = blocking(ensure_vlm_unloaded)
    load_model_sync = blocking(load_model)
    unload_model_sync = blocking(unload_model)
    migrate_clip_to_gpu_sync = blocking(migrate_clip_to_gpu)
    migrate_clip_to_cpu_sync = blocking(migrate_clip_to_cpu)
    ask_vlm_sync = blocking(ask_vlm)

    # --- in the runtime's loop --------------------------------------------------------------------------------------
    @asynccontextmanager
    async def using(
        self, model: str, *, purpose: Purpose, deadline_s: float | None = None, asked_by: str = ""
    ) -> AsyncIterator[OllamaManager]:
        """Inside, the model is loaded and nobody unloads it; `manager.ollama` is what it gives.

        One task runs the block. That of a chat is cancelled, and GpuBusy raised, when a run or a change of mode needs
        the GPU. Raises VLMUnavailable where the model cannot be had, DeadlinePassed when all of it takes longer than
        `deadline_s`.
        """
        request = self._request(RequestKind.USE, model=model, purpose=purpose, asked_by=asked_by, deadline_s=deadline_s)
        async with self._router.use(request):
            assert self.ollama is not None  # `_request` has refused already
            yield self.ollama

    # --- parts ------------------------------------------------------------------------------------------------------
    async def _close(self) -> None:
        await self._router.release()
        await self._recording.end()
        if self.ollama is not None:
            await self.ollama.aclose()

    async def _ask(self, kind: RequestKind, **fields: Any) -> None:
        request = self._request(kind, **fields)
        await self.runtime.wait(self._router.carry_out(request))

    def _request(
        self,
        kind: RequestKind,
        *,
        model: str = "",
        mode: ExecutionMode | None = None,
        purpose: Purpose | None = None,
        asked_by: str = "",
        deadline_s: float | None = None,
    ) -> Request:
        if kind in (RequestKind.LOAD, RequestKind.USE, RequestKind.UNLOAD) and self.ollama is None:
            raise VLMUnavailable(NO_VLM, passing=False)
        usual = self.config.load_timeout_s + self.config.gone_timeout_s
        if kind is RequestKind.USE:
            usual += self.config.answer_timeout_s
        return Request(
            kind=kind,
            model=tagged(model) if model else "",
            mode=mode,
            purpose=purpose or self._purpose(kind, model),
            asked_by=asked_by,
            deadline_s=usual if deadline_s is None else deadline_s,
            # the clock of the machine, the same in all of its processes
            extra={"asked_at": self.runtime.loop.time()} if kind is RequestKind.MODE else {},
        )

    def _vlm(self) -> str:
        if not self.config.has_vlm:
            raise VLMUnavailable(NO_VLM, passing=False)
        return tagged(self.config.vlm_model)

    def _purpose(self, kind: RequestKind, model: str) -> Purpose:
        """Of a request that does not say: another model than the VLM is loaded for a chat."""
        if not model or (self.config.has_vlm and tagged(model) == self._vlm()):
            return Purpose.TARGET
        return Purpose.PRELOAD if kind is RequestKind.LOAD else Purpose.ASSISTANT

    def _keep(self, use: ModelUse) -> None:
        """A disk takes longer than an answer may be held up for."""
        if self._record is not None:
            self._recording.begin(self._record(use))

    def _clip_moved_by_itself(self, device: str, why: str) -> None:
        current = self.controller.scheduler.current
        if current is None or current.request.kind is RequestKind.USE:  # a move of ours tells of itself
            self.runtime.loop.call_soon_threadsafe(
                self._say, GPUEventKind.RESOURCE_CHANGED, say("gpu.clip_now", now=device, why=why)
            )

    def _say(self, kind: GPUEventKind, text: str) -> None:
        self._listeners.tell(kind.value, text, self.get_status())


@cache
def get_gpu_resource_manager() -> GPUResourceManager:
    """The one manager of this process (S3.1); the end of the process gives back the GPU, and says so in the rows."""
    manager = wired_manager()
    atexit.register(manager.close)
    return manager


def wired_manager() -> GPUResourceManager:
    """It owns nothing, and starts nothing, before it is asked for something."""
    config, database = GPUResourceConfig.from_settings(), DatabaseThread()
    ownership, socket = Ownership(gpu_folder()), gpu_folder() / SOCKET_NAME

    async def keep(use: ModelUse) -> None:
        await database.run(use.keep)

    manager = GPUResourceManager(
        config,
        clip=CLIPManager.from_settings(),
        ownership=ownership,
        remote=OwnerClient(socket, holder=ownership.holder, silent_s=config.silent_s, gone_s=2 * config.claim_every_s),
        database=database,
        record=keep,
    )
    publisher, serving = Publisher(machine_name(), database, manager.details), manager.serving
    server = RequestServer(socket, serve=serving.carry_out, use=serving.used, failed=publisher.refused)
    manager.beside(publisher.run, server.run)
    ownership.on_change(lambda holder: publisher.open(holder) if holder else publisher.shut())
    manager.on_event(publisher.hear)
    manager.on_queue(publisher.stir)
    return manager
