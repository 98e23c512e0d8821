"""Rows as the owner of the GPU writes them, for tests of what shows them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from gpu.choices import GPUEventKind
from gpu.exceptions import GPUError
from gpu.machine.ownership import error_fields, machine_name
from gpu.models import GPUEvent, GPUSample, GPUState

GPU = {"uuid": "GPU-1", "name": "NVIDIA L4", "total_mb": 24_000, "used_mb": 7_200, "free_mb": 16_800}
VLM = "qwen2.5vl:7b"
DEGRADED = {"degraded": True, "degraded_reason": "Ollama at http://127.0.0.1:11434 cannot be reached."}


def resident(name: str = VLM, state: str = "loaded", **fields: Any) -> dict[str, Any]:
    sizes = {"vram_mb": 5_700, "size_mb": 5_700, "need_mb": 5_734, "context_length": 8192, "expires_at": None}
    return {"name": name, "state": state, **sizes, **fields}


def waiting(**fields: Any) -> dict[str, Any]:
    """An entry of the queue."""
    now = timezone.now().isoformat()
    common = {"mode": None, "purpose": "target", "asked_by": "run 12", "state": "waiting", "asked_at": now}
    return {"kind": "use", "model": VLM, **common, **fields}


def make_state(**fields: Any) -> GPUState:
    """A run loop that owns the GPU, heard of just now, with one GPU and one model in memory."""
    now = timezone.now()
    plain: dict[str, Any] = {
        "machine": machine_name(),
        "owner": "run loop host:1",
        "owner_pid": 77,
        "owner_since": now - timedelta(minutes=7),
        "heartbeat_at": now,
        "revision": 1,
        "mode": "recording",
        "vlm_state": "loaded",
        "vlm_model": VLM,
        "clip_device": "cpu",
        "degraded": False,
        "vram": [GPU],
        "residents": [resident()],
    }
    if fields.get("degraded"):
        plain["degraded_since"] = now - timedelta(minutes=3)
    return GPUState.objects.create(**{**plain, **fields})


def make_event(text: str, kind: str = GPUEventKind.RESOURCE_CHANGED, **fields: Any) -> GPUEvent:
    plain = {"machine": machine_name(), "at": timezone.now(), "status": {}}
    return GPUEvent.objects.create(**{**plain, "kind": kind, "text": text, **fields})


def make_samples(*used_mb: int, every_s: float = 5.0, gpu: str = "GPU-1") -> list[GPUSample]:
    """The last one now, the others before it."""
    now = timezone.now()
    return GPUSample.objects.bulk_create(
        GPUSample(
            machine=machine_name(),
            gpu=gpu,
            at=now - timedelta(seconds=every_s * back),
            used_mb=used,
            total_mb=GPU["total_mb"],
        )
        for back, used in zip(reversed(range(len(used_mb))), used_mb, strict=True)
    )


def make_refusal(error: GPUError | dict[str, Any], *, kind: str = "load", **fields: Any) -> GPUEvent:
    """Of a request by another process, as its owner tells it."""
    told = error_fields(error) if isinstance(error, GPUError) else error
    asked = {"kind": kind, "model": VLM, "asked_by": "otto"}
    return make_event("x", GPUEventKind.REQUEST_FAILED, **{"status": {"request": asked, **told}, **fields})
