"""CUDA with its memory counted, for machines without a GPU: PyTorch is the real one, its tensors stay in RAM.

    cuda = FakeCuda(Card(total_mb=8000), Card(total_mb=24_000))
    cuda.install(monkeypatch)
    cuda.fail_after(3)      # the third tensor from now on does not fit
    cuda.lost = True        # every call fails as after an error of the device

A tensor sent to `cuda:N` becomes a copy whose memory is counted until nothing refers to its storage any more; then it
is kept for the next tensor, as PyTorch keeps it, until `empty_cache` is called. The first picture that is shown to a
GPU makes cuBLAS take memory to work in, which is given back when it is asked to. So a reference that is forgotten, and
a cache that is not emptied, both show as memory that does not come back.
"""

from __future__ import annotations

import threading
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.doubles.nvml import MB, Card

PICTURES = 4  # dimensions: a batch of them, and the filters that look at them first


class FakeCuda:
    """Counts bytes, each as `scale` of them, so that a tiny model can fill a card."""

    def __init__(self, *cards: Card, scale: int = 1, context_mb: int = 300, workspace_mb: int = 8) -> None:
        self.cards = list(cards or (Card(),))
        self.scale, self.context_mb = scale, context_mb
        self.lost = False
        self.workspace_mb = workspace_mb
        self._workspaces: dict[int, int] = {}
        self.copies = 0  # tensors that ever went over
        self.emptied = 0
        self._allocated = [0] * len(self.cards)
        self._kept = [0] * len(self.cards)
        self._in_use: set[int] = set()
        self._fail_in: int | None = None
        self._gate: threading.Event | None = None
        self._lock = threading.RLock()  # a finaliser may run in the middle of anything
        for index, card in enumerate(self.cards):
            card.holders.append(lambda index=index: self._taken_mb(index))

    def install(self, monkeypatch: Any) -> None:
        """Put it in the place of `torch.cuda` and of `Tensor.to`."""
        import torch

        real_to = torch.Tensor.to

        def to(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            index = _gpu_of(torch, *args[:1], *([kwargs["device"]] if "device" in kwargs else []))
            return real_to(tensor, *args, **kwargs) if index is None else self._copied(torch, tensor, index)

        monkeypatch.setattr(torch.Tensor, "to", to)
        for name, stand_in in {
            "is_available": lambda: bool(self.cards),
            "device_count": lambda: len(self.cards),
            "is_initialized": lambda: bool(self._in_use),
            "mem_get_info": self._mem_get_info,
            "memory_allocated": lambda device: self._allocated[_index(torch, device)],
            "empty_cache": self._empty_cache,
            "get_device_properties": lambda device: SimpleNamespace(uuid=self.cards[device].uuid.removeprefix("GPU-")),
        }.items():
            monkeypatch.setattr(torch.cuda, name, stand_in)
        monkeypatch.setattr(torch._C, "_cuda_clearCublasWorkspaces", self._clear_workspaces, raising=False)

    # --- what a test asks and sets ----------------------------------------------------------------------------------
    def fail_after(self, tensors: int | None) -> None:
        """The n-th tensor from now on is one too many, once; None takes that back."""
        self._fail_in = tensors

    def hang(self) -> threading.Event:
        """From now on every tensor waits on its way, until the event that is given back is set."""
        self._gate = threading.Event()
        return self._gate

    def held_bytes(self, index: int = 0) -> int:
        """What tensors hold, and what is kept for the next ones; 0 when all was given back."""
        return self._allocated[index] + self._kept[index]

    # --- in the place of CUDA ---------------------------------------------------------------------------------------
    def _copied(self, torch: Any, tensor: Any, index: int) -> Any:
        if self._gate is not None:
            self._gate.wait(30)
        self._check()
        size = tensor.numel() * tensor.element_size() * self.scale
        with self._lock:
            self._in_use.add(index)
            if self._fail_in is not None:
                self._fail_in -= 1
            lacking = self._fail_in == 0
            if lacking or size > self._kept[index] + self.cards[index].free_mb * MB:
                self._fail_in = None if lacking else self._fail_in
                raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes.\nFurther advice.")
            self._kept[index] = max(0, self._kept[index] - size)
            self._allocated[index] += size
            self.copies += 1
            if tensor.ndim == PICTURES and index not in self._workspaces:
                self._workspaces[index] = self.workspace_mb * MB
                self._allocated[index] += self._workspaces[index]
        storage = np.array(tensor.detach().numpy())
        weakref.finalize(storage, self._freed, index, size)
        return torch.from_numpy(storage)

    def _freed(self, index: int, size: int) -> None:
        with self._lock:
            self._allocated[index] -= size
            self._kept[index] += size

    def _clear_workspaces(self) -> None:
        with self._lock:
            while self._workspaces:
                self._freed(*self._workspaces.popitem())

    def _empty_cache(self) -> None:
        self._check()
        with self._lock:
            self.emptied += 1
            self._kept = [0] * len(self.cards)

    def _mem_get_info(self, device: Any) -> tuple[int, int]:
        import torch

        self._check()
        index = _index(torch, device)
        self._in_use.add(index)  # asking is using
        return self.cards[index].free_mb * MB, self.cards[index].total_mb * MB

    def _check(self) -> None:
        if self.lost:
            raise RuntimeError("CUDA error: unspecified launch failure\nCompile with TORCH_USE_CUDA_DSA.")

    def _taken_mb(self, index: int) -> int:
        context_mb = self.context_mb if index in self._in_use else 0
        return context_mb + -(-self.held_bytes(index) // MB)


def _gpu_of(torch: Any, *said: Any) -> int | None:
    """The GPU that a tensor is sent to; None if it is only given another type, or stays."""
    for one in said:
        if isinstance(one, str | torch.device) and torch.device(one).type == "cuda":
            return _index(torch, one)
    return None


def _index(torch: Any, device: Any) -> int:
    return device if isinstance(device, int) else torch.device(device).index or 0
