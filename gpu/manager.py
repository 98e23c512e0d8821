"""The owner of the GPU of this process: who may have the memory now (S3).

This is the first stage: modes, and a VLM that Ollama holds. No CLIP model is kept here yet, so its device is the CPU.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import cache
from typing import Any

from gpu.config import GPUResourceConfig
from gpu.exceptions import GPUError, VLMUnavailable
from gpu.ollama import OllamaManager
from gpu.shared import publish
from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, VRAMInfo
from gpu.vlm import Residence
from gpu.vram import VRAMMonitor
from gpu.worker import Worker

log = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0
VRAM_MOVED_MB = 100
NO_GPU = "There is no GPU here, or its driver does not answer: everything runs on the CPU."
NO_VLM = "No vision-language model is configured: set RPA_OLLAMA_URL and RPA_VLM_MODEL."

Listener = Callable[[str, GPUResourceStatus], None]


class GPUResourceManager:
    """All that changes something is done by one thread, in the order it was asked, and may be awaited or `run_sync`."""

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        vram: VRAMMonitor | None = None,
        clock: Callable[[], float] = time.monotonic,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self.config = config
        self._clock = clock
        self._vram = vram or VRAMMonitor()
        self._worker = Worker(when_idle=self._look, look_every_s=look_every_s)
        self._mode = ExecutionMode.IDLE
        self._vlm: Residence | None = None
        if config.has_vlm:
            self._vlm = Residence(
                OllamaManager(config), self._vram, tracked=config.vlm_model, on_change=self._vlm_changed
            )
        self._problem = ""
        self._last_request: datetime | None = None
        self._last_request_at = self._clock()
        self._listeners: list[Listener] = []
        gpus = self._vram.read()
        self._cpu_only = not gpus
        self._told_used_mb = _used(gpus)

    # --- plain ------------------------------------------------------------------------------------------------------
    def get_status(self) -> GPUResourceStatus:
        gpus = self._vram.read()
        reason = " ".join(text for text in (NO_GPU if self._cpu_only else "", self._problem) if text)
        return GPUResourceStatus(
            vram=gpus[0] if gpus else None,
            vlm_state=self._vlm.state if self._vlm else ModelState.UNLOADED,
            vlm_model=self.config.vlm_model,
            clip_device=self.get_clip_device(),
            execution_mode=self._mode,
            degraded=bool(reason),
            degraded_reason=reason,
            queue_length=self._worker.length,
            last_vlm_request=self._last_request,
        )

    def get_clip_device(self) -> str:
        return "cpu"

    def on_event(self, listener: Listener) -> None:
        """Hear `resource_changed`, `mode_changed` and `idle_unload`, each with the status then (S3.9)."""
        self._listeners.append(listener)

    def run_sync(self, name: str, *args: Any) -> Any:
        """Call one of the coroutines by name from code that is not asynchronous."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(getattr(self, name)(*args))
        raise GPUError(f"An event loop runs in this thread: write `await manager.{name}(…)` instead of run_sync.")

    def close(self) -> None:
        """End the thread and the connections; models stay where they are."""
        self._worker.close()
        if self._vlm is not None:
            self._vlm.ollama.close()

    # --- coroutines -------------------------------------------------------------------------------------------------
    async def set_execution_mode(self, mode: ExecutionMode) -> None:
        """Autopilot: the VLM goes, then CLIP gets the GPU; recording: CLIP goes, then the VLM is loaded (S3.6).

        Idle leaves all as it is. What cannot be had degrades, it never raises: no run depends on it (S1.21).
        """
        wanted = ExecutionMode(mode)
        await self._ask(f"mode {wanted}", lambda: self._set_mode(wanted))

    async def ensure_vlm_loaded(self) -> None:
        """Return when the VLM is loaded; raises VLMUnavailable with the reason. Callers share one load."""
        vlm = self._require_vlm()
        self._note_request()
        await self._ask("load", lambda: self._carefully(lambda: vlm.load(self.config.vlm_model)))

    async def ensure_vlm_unloaded(self) -> None:
        """Return when the VLM is gone; raises VLMUnavailable when it has not gone in time."""
        if self._vlm is None:
            return
        vlm = self._vlm
        await self._ask("unload", lambda: self._carefully(lambda: vlm.unload(self.config.vlm_model)))

    async def ask_vlm(self, prompt: str, pictures: Sequence[bytes], schema: Mapping[str, Any]) -> str:
        """The VLM's answer about encoded pictures (PNG), loaded first if need be; raises VLMUnavailable."""
        vlm = self._require_vlm()
        self._note_request()
        model = self.config.vlm_model

        def work() -> str:
            self._carefully(lambda: vlm.load(model))
            return vlm.ollama.answer(model, prompt=prompt, pictures=pictures, schema=schema)

        answer: str = await self._ask(None, work)  # no two questions are the same
        return answer

    async def load_model(self, model: str) -> None:
        """Load any model of the Ollama server."""
        vlm = self._require_vlm()
        await self._ask(f"load {model}", lambda: vlm.load(model))

    async def unload_model(self, model: str) -> None:
        vlm = self._require_vlm()
        await self._ask(f"unload {model}", lambda: vlm.unload(model))

    async def migrate_clip_to_gpu(self) -> bool:
        """Whether CLIP is on the GPU then: no, while no CLIP model is kept here."""
        return False

    async def migrate_clip_to_cpu(self) -> bool:
        """Whether CLIP is on the CPU then."""
        return True

    # --- in the worker's thread -------------------------------------------------------------------------------------
    def _set_mode(self, wanted: ExecutionMode) -> None:
        changed, self._mode = wanted is not self._mode, wanted
        try:
            if self._vlm is not None and wanted is ExecutionMode.AUTOPILOT:
                vlm = self._vlm
                self._carefully(lambda: vlm.unload(self.config.vlm_model))
            elif self._vlm is not None and wanted is ExecutionMode.RECORDING:
                vlm = self._vlm
                self._note_request()
                self._carefully(lambda: vlm.load(self.config.vlm_model))
        except VLMUnavailable as error:
            log.warning("%s mode without what it wants of the VLM: %s", wanted, error)
        if changed:
            self._say("mode_changed")

    def _carefully(self, work: Callable[[], None]) -> None:
        """Keep the reason of a failure as what degrades, until something succeeds again."""
        try:
            work()
        except VLMUnavailable as error:
            self._problem = str(error)
            self._say("resource_changed")
            raise
        if self._problem:
            self._problem = ""
            self._say("resource_changed")

    def _look(self) -> None:
        """Between requests: unload a VLM that nobody has asked for (S3.7), tell of memory that moved (S3.9)."""
        idle_s = self._clock() - self._last_request_at
        if self._vlm and self._vlm.state is ModelState.LOADED and idle_s >= self.config.idle_timeout_s:
            self._vlm.unload(self.config.vlm_model)
            self._say("idle_unload")
        gpus = self._vram.read()
        self._cpu_only = not gpus
        if abs(_used(gpus) - self._told_used_mb) > VRAM_MOVED_MB:
            self._say("resource_changed")

    def _vlm_changed(self, state: ModelState, warning: str) -> None:
        if warning:
            log.warning("%s", warning)
        self._say("resource_changed")

    # --- small parts ------------------------------------------------------------------------------------------------
    async def _ask(self, key: str | None, work: Callable[[], Any]) -> Any:
        future: Future[Any] = self._worker.submit(key, work)
        return await asyncio.shield(asyncio.wrap_future(future))  # one caller who gives up takes nothing from others

    def _require_vlm(self) -> Residence:
        if self._vlm is None:
            raise VLMUnavailable(NO_VLM)
        return self._vlm

    def _note_request(self) -> None:
        self._last_request, self._last_request_at = datetime.now(UTC), self._clock()

    def _say(self, kind: str) -> None:
        status = self.get_status()
        self._told_used_mb = status.vram.used_mb if status.vram else 0
        for listener in self._listeners:
            try:
                listener(kind, status)
            except Exception:
                log.exception("a listener of the GPU failed", extra={"kind": kind})


def _used(gpus: tuple[VRAMInfo, ...]) -> int:
    return gpus[0].used_mb if gpus else 0


@cache
def get_gpu_resource_manager() -> GPUResourceManager:
    """The one manager of this process; what it says is kept for the other processes of this machine."""
    manager = GPUResourceManager(GPUResourceConfig.from_settings())
    manager.on_event(lambda kind, status: publish(status))
    return manager
