"""Getting a model into memory and out of it, and knowing that it is: Ollama's answers are receipts, not facts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from gpu.exceptions import NotEnoughVRAM, VLMUnavailable
from gpu.ollama import OllamaManager, is_named
from gpu.types import ModelState
from gpu.vram import MB, VRAMMonitor

LOOK_EVERY_S = 0.25  # Ollama tells nobody when a model is gone: it has to be asked
RISEN_MB = 50

Changed = Callable[[ModelState, str], None]


class Residence:
    """Loads and unloads models, and knows the state of `tracked`, the VLM; used by one thread at a time."""

    def __init__(self, ollama: OllamaManager, vram: VRAMMonitor, *, tracked: str, on_change: Changed) -> None:
        self.ollama, self._vram, self._tracked, self._on_change = ollama, vram, tracked, on_change
        self.state = ModelState.UNLOADED
        self._learned_mb: dict[str, int] = {}
        self._never = threading.Event()

    def load(self, model: str) -> None:
        """Return when the model is loaded; raises VLMUnavailable after the last try."""
        try:
            if not self.ollama.is_model_loaded(model):
                self._load(model)
        except VLMUnavailable as error:
            self._to(model, ModelState.ERROR, str(error))
            raise
        self._to(model, ModelState.LOADED)

    def unload(self, model: str) -> None:
        """Return when the model is gone; raises VLMUnavailable when it has not gone in time."""
        try:
            entry = self._entry(self.ollama.loaded_models(), model)
            if entry:
                self._to(model, ModelState.UNLOADING)
                self._unload(model, held_mb=int(entry.get("size_vram") or 0) // MB)
        except VLMUnavailable as error:
            self._to(model, ModelState.ERROR, str(error))
            raise
        self._to(model, ModelState.UNLOADED)

    def _load(self, model: str) -> None:
        self._refuse_what_does_not_fit(model)
        self._to(model, ModelState.LOADING)
        free_before = self._free_mb()
        self._load_with_retries(model)
        if not self.ollama.is_model_loaded(model):
            raise VLMUnavailable(f"Ollama says that “{model}” is loaded, and does not list it.")
        if free_before is not None:
            self._learned_mb[model] = max(self._learned_mb.get(model, 0), free_before - (self._free_mb() or 0))

    def _load_with_retries(self, model: str) -> None:
        config = self.ollama.config
        for attempt in range(config.load_tries):
            try:
                self.ollama.load_model(model)
                return
            except VLMUnavailable as error:
                if not error.passing or attempt == config.load_tries - 1:
                    raise
                self._never.wait(config.retry_pause_s * 2**attempt)

    def _unload(self, model: str, *, held_mb: int) -> None:
        config, free_before = self.ollama.config, self._free_mb()
        self.ollama.unload_model(model)
        if not self._until(lambda: not self.ollama.is_model_loaded(model), config.gone_timeout_s):
            raise VLMUnavailable(
                f"“{model}” was asked to go and is still in memory after {config.gone_timeout_s:.0f} s."
            )
        if free_before is None or held_mb < RISEN_MB:
            return  # nothing of it was in the memory of a GPU that can be seen from here
        if not self._until(lambda: (self._free_mb() or 0) > free_before + RISEN_MB, config.vram_timeout_s):
            self._to(
                model, ModelState.UNLOADING, f"“{model}” is gone, and its {held_mb} MB of GPU memory are still in use."
            )

    def _refuse_what_does_not_fit(self, model: str) -> None:
        """S3.10. The need is what it took last time, or its size on disk before the first time."""
        free = self._free_mb()
        if free is None:
            return
        entry = self._entry(self.ollama.list_models(), model)
        needed = self._learned_mb.get(model) or int((entry or {}).get("size") or 0) // MB
        if needed + self.ollama.config.headroom_mb > free:
            raise NotEnoughVRAM(f"“{model}”", needed_mb=needed + self.ollama.config.headroom_mb, free_mb=free)

    def _free_mb(self) -> int | None:
        """Free memory of this machine's GPUs; None where it is unknown, or Ollama runs elsewhere."""
        gpus = self._vram.read() if self.ollama.config.ollama_is_here else ()
        return sum(gpu.free_mb for gpu in gpus) if gpus else None

    def _entry(self, models: list[dict[str, Any]], model: str) -> dict[str, Any] | None:
        return next((entry for entry in models if is_named(entry, model)), None)

    def _until(self, condition: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() >= end:
                return False
            self._never.wait(LOOK_EVERY_S)
        return True

    def _to(self, model: str, state: ModelState, warning: str = "") -> None:
        if model == self._tracked and (state is not self.state or warning):
            self.state = state
            self._on_change(state, warning)
