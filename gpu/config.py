"""How the GPU manager is set, all from the environment (S3.1)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GPUResourceConfig:
    ollama_url: str = ""
    vlm_model: str = ""
    idle_timeout_s: float = 300.0
    connect_timeout_s: float = 5.0
    ask_timeout_s: float = 5.0
    load_timeout_s: float = 300.0  # a client that hangs up earlier aborts the load on the server (RELIABILITY.md A.4)
    answer_timeout_s: float = 60.0
    load_tries: int = 3
    retry_pause_s: float = 0.5  # doubled after each try
    gone_timeout_s: float = 30.0
    vram_timeout_s: float = 5.0  # drivers report freed memory late (A.7)
    headroom_mb: int = 512

    @classmethod
    def from_settings(cls) -> Self:
        """The address and the model of the settings; the rest from `RPA_GPU_<NAME>`."""
        from django.conf import settings

        plain = cls()
        return cls(
            ollama_url=settings.RPA_OLLAMA_URL.rstrip("/"),
            vlm_model=settings.RPA_VLM_MODEL,
            idle_timeout_s=_number("RPA_GPU_IDLE_TIMEOUT_S", plain.idle_timeout_s),
            load_timeout_s=_number("RPA_GPU_LOAD_TIMEOUT_S", plain.load_timeout_s),
            answer_timeout_s=_number("RPA_GPU_ANSWER_TIMEOUT_S", plain.answer_timeout_s),
            gone_timeout_s=_number("RPA_GPU_GONE_TIMEOUT_S", plain.gone_timeout_s),
            headroom_mb=int(_number("RPA_GPU_HEADROOM_MB", plain.headroom_mb)),
        )

    @property
    def has_vlm(self) -> bool:
        return bool(self.ollama_url and self.vlm_model)

    @property
    def ollama_is_here(self) -> bool:
        """Whether Ollama uses the memory of this machine's GPU, and not of another machine's."""
        return (urlsplit(self.ollama_url).hostname or "") in LOOPBACK


def _number(name: str, otherwise: float) -> float:
    text = os.environ.get(name, "")
    if not text:
        return otherwise
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value <= 0:
        raise ImproperlyConfigured(f"{name} must be a number greater than 0, it is “{text}”.")
    return value
