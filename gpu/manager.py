"""The owner of the GPU of this process: who may have the memory now (S3).

This is the first stage: modes, the VLM's state and its loading. CLIP stays on the CPU.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.conf import settings

from gpu.ollama import OllamaManager
from gpu.types import ExecutionMode, GPUResourceStatus, ModelState, VLMUnavailable
from gpu.vram import VRAMMonitor

log = logging.getLogger(__name__)

LOAD_TRIES = 3
GONE_WITHIN_S = 30.0
LOOK_EVERY_S = 0.25


class GPUResourceManager:
    def __init__(self, *, ollama_url: str, vlm_model: str, vram: VRAMMonitor | None = None) -> None:
        self.vlm_model = vlm_model
        self._ollama = OllamaManager(ollama_url) if ollama_url and vlm_model else None
        self._vram = vram or VRAMMonitor()
        self._mode, self._vlm = ExecutionMode.IDLE, ModelState.UNLOADED
        self._problem = ""
        self._last_request: datetime | None = None
        self._lock = threading.Lock()

    def get_status(self) -> GPUResourceStatus:
        gpus = self._vram.read()
        reason = self._problem or ("" if gpus else "no GPU: everything runs on the CPU")
        return GPUResourceStatus(
            vram=gpus[0] if gpus else None,
            vlm_state=self._vlm,
            vlm_model=self.vlm_model,
            clip_device=self.get_clip_device(),
            execution_mode=self._mode,
            degraded=bool(reason),
            degraded_reason=reason,
            last_vlm_request=self._last_request,
        )

    def get_clip_device(self) -> str:
        return "cpu"

    async def set_execution_mode(self, mode: ExecutionMode) -> None:
        """Autopilot frees the GPU of the VLM, recording loads it where one is configured; idle leaves all as it is.

        A VLM that cannot be had degrades, it never raises: a run does not depend on it.
        """
        self._mode = ExecutionMode(mode)
        if self._ollama is None or self._mode is ExecutionMode.IDLE:
            return
        try:
            if self._mode is ExecutionMode.AUTOPILOT:
                await self.ensure_vlm_unloaded()
            else:
                await self.ensure_vlm_loaded()
        except VLMUnavailable as error:
            log.warning("the VLM: %s", error)

    async def ensure_vlm_loaded(self) -> None:
        """Return when the VLM is loaded; raises VLMUnavailable with the reason. Callers share one load."""
        ollama = self._require()
        self._last_request = datetime.now(UTC)
        await asyncio.to_thread(self._one_at_a_time, lambda: self._load(ollama))

    async def ensure_vlm_unloaded(self) -> None:
        """Return when the VLM is gone; raises VLMUnavailable when it has not gone in time."""
        if self._ollama is None:
            return
        ollama = self._ollama
        await asyncio.to_thread(self._one_at_a_time, lambda: self._unload(ollama))

    def run_sync(self, name: str, *args: Any) -> Any:
        """Call a coroutine method from code that is not asynchronous."""
        method: Callable[..., Awaitable[Any]] = getattr(self, name)

        async def call() -> Any:
            return await method(*args)

        return asyncio.run(call())

    def _require(self) -> OllamaManager:
        if self._ollama is None:
            raise VLMUnavailable("No vision-language model is configured: set RPA_OLLAMA_URL and RPA_VLM_MODEL.")
        return self._ollama

    def _one_at_a_time(self, work: Callable[[], None]) -> None:
        with self._lock:
            try:
                work()
                self._problem = ""
            except VLMUnavailable as error:
                self._vlm, self._problem = ModelState.ERROR, str(error)
                raise

    def _load(self, ollama: OllamaManager) -> None:
        for attempt in range(LOAD_TRIES):
            if ollama.is_model_loaded(self.vlm_model):
                self._vlm = ModelState.LOADED
                return
            self._vlm = ModelState.LOADING
            try:
                ollama.load_model(self.vlm_model)
            except VLMUnavailable:
                if attempt == LOAD_TRIES - 1:
                    raise
        if not ollama.is_model_loaded(self.vlm_model):
            raise VLMUnavailable(f"Ollama says that “{self.vlm_model}” is loaded, and does not list it.")
        self._vlm = ModelState.LOADED

    def _unload(self, ollama: OllamaManager) -> None:
        if ollama.is_model_loaded(self.vlm_model):
            self._vlm = ModelState.UNLOADING
            ollama.unload_model(self.vlm_model)
            gone = threading.Event()  # never set: Ollama tells nobody when a model is gone, it has to be asked
            for _look in range(int(GONE_WITHIN_S / LOOK_EVERY_S)):
                if not ollama.is_model_loaded(self.vlm_model):
                    break
                gone.wait(LOOK_EVERY_S)
            else:
                raise VLMUnavailable(f"“{self.vlm_model}” was not unloaded within {GONE_WITHIN_S:.0f} s.")
        self._vlm = ModelState.UNLOADED


@cache
def get_gpu_resource_manager() -> GPUResourceManager:
    """The one manager of this process."""
    return GPUResourceManager(ollama_url=settings.RPA_OLLAMA_URL, vlm_model=settings.RPA_VLM_MODEL)
