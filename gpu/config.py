"""How the GPU manager is set, all from the environment (S3.1)."""

from __future__ import annotations

import ipaddress
import math
import os
import socket
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


def is_this_machine(url: str) -> bool:
    """Whether an address leads to this machine: loopback, the unspecified addresses, or its own name."""
    host = (urlsplit(url).hostname or "").lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host in ("localhost", socket.gethostname().lower())
    return address.is_loopback or address.is_unspecified


@dataclass(frozen=True, slots=True, kw_only=True)
class GPUResourceConfig:
    """Times in seconds, memory in MB."""

    ollama_url: str = field(default="", repr=False)  # it may hold a password
    vlm_model: str = ""
    # --- talking to the server
    connect_timeout_s: float = 5.0
    ask_timeout_s: float = 5.0
    load_timeout_s: float = 300.0  # a client that hangs up earlier aborts the load on the server (A.4)
    answer_timeout_s: float = 60.0  # the whole of an answer
    silence_timeout_s: float = 30.0  # between two parts of it
    num_ctx: int = 8192  # the same for all who ask one model: another one loads it anew (A.3)
    max_tokens: int = 512
    load_tries: int = 3
    retry_pause_s: float = 0.5  # doubled after each try
    # --- who may have the memory
    idle_timeout_s: float = 300.0
    gone_timeout_s: float = 30.0
    vram_timeout_s: float = 5.0  # drivers report freed memory late (A.7)
    headroom_mb: int = 512
    swaps_per_minute: int = 6
    # --- asking the owner
    max_waiting: int = 16
    probe_every_s: float = 1.0  # also how late an outage is seen
    claim_every_s: float = 0.5
    silent_s: float = 10.0  # an owner that has not begun to answer for so long does not answer
    # --- a server that is away
    due_pause_s: float = 5.0  # until what a mode wants, and has not got, is tried again; doubled after each try
    due_pause_at_most_s: float = 60.0
    # --- what is sent
    max_picture_megapixels: float = 33.0  # a larger picture is refused before it is decoded

    @classmethod
    def from_settings(cls) -> Self:
        """The address and the model of the settings; the rest from `RPA_GPU_<NAME>`."""
        from django.conf import settings

        plain = cls()
        set_here = {name: _number(f"RPA_GPU_{name.upper()}", getattr(plain, name)) for name in _FROM_ENVIRONMENT}
        return cls(
            ollama_url=settings.RPA_OLLAMA_URL.rstrip("/"),
            vlm_model=settings.RPA_VLM_MODEL,
            max_picture_megapixels=settings.RPA_MAX_PICTURE_MEGAPIXELS,
            **set_here,
        )

    @property
    def has_vlm(self) -> bool:
        return bool(self.ollama_url and self.vlm_model)

    @property
    def ollama_is_here(self) -> bool:
        """Whether Ollama uses the memory of this machine's GPU, and not of another machine's."""
        return is_this_machine(self.ollama_url)


_FROM_ENVIRONMENT = (
    "load_timeout_s", "answer_timeout_s", "silence_timeout_s", "num_ctx", "max_tokens", "idle_timeout_s",
    "gone_timeout_s", "headroom_mb", "swaps_per_minute", "max_waiting",
)  # fmt: skip


def _number(name: str, otherwise: Any) -> Any:
    text, whole = os.environ.get(name, ""), isinstance(otherwise, int)
    if not text:
        return otherwise
    try:
        value = int(float(text)) if whole else float(text)
    except (ValueError, OverflowError):
        value = -1
    if not 0 < value < math.inf:
        kind = "a whole number" if whole else "a number"
        raise ImproperlyConfigured(f"{name} must be {kind} greater than 0, it is “{text}”.")
    return value
