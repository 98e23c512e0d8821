"""NVIDIA's management library as its binding shows it, for machines without one: cards, their memory, their faults.

    nvml = FakeNvml(Card(total_mb=24_000))
    nvml.cards[0].foreign_mb = 20_000          # another program takes memory
    nvml.cards[0].holders.append(lambda: server.vram_used_mb)   # and a model server what it says
    nvml.cards[0].fault = error("GPU_IS_LOST")  # this card; nvml.fault: the whole library
    monitor = VRAMMonitor(nvml=nvml, clock=clock)

The errors are the binding's own classes, which need no driver.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pynvml

MB = 1024 * 1024


def error(name: str) -> Exception:
    """`error("GPU_IS_LOST")`: the binding's error of that code."""
    made = pynvml.NVMLError(getattr(pynvml, f"NVML_ERROR_{name}"))
    assert isinstance(made, Exception)
    return made


@dataclass(eq=False)
class Card:
    """One GPU; what is used is the sum of what others hold, what the driver keeps and what the holders say."""

    uuid: str = "GPU-5e1f0000-0000-0000-0000-000000000001"
    name: str | bytes = "Test card"
    total_mb: int = 24_000
    foreign_mb: int = 0
    reserved_mb: int = 0
    busy_percent: int = 0
    fault: Exception | None = None  # it is asked for its handle, or for anything else
    memory_fault: Exception | None = None  # it is asked for its memory alone
    parts: list[Card | None] | None = None  # MIG: the parts that it is split into, None where a place is empty
    holders: list[Callable[[], int]] = field(default_factory=list)

    @property
    def used_mb(self) -> int:
        return min(self.total_mb - self.reserved_mb, self.foreign_mb + sum(holder() for holder in self.holders))

    @property
    def free_mb(self) -> int:
        return self.total_mb - self.reserved_mb - self.used_mb


class FakeNvml:
    """Stands where `pynvml` does. `calls` counts what was asked, by name."""

    nvmlMemory_v2 = pynvml.nvmlMemory_v2  # noqa: N815  the binding's name
    NVML_DEVICE_MIG_ENABLE = pynvml.NVML_DEVICE_MIG_ENABLE

    def __init__(self, *cards: Card) -> None:
        self.cards = list(cards or (Card(),))
        self.fault: Exception | None = None
        self.no_memory_v2: Exception | None = None  # what a driver says that has the first version alone
        self.open = 0
        self.calls: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("NVMLError"):
            return getattr(pynvml, name)
        raise AttributeError(name)

    def nvmlInit(self) -> None:  # noqa: N802  the binding's name
        self._called("nvmlInit")
        self.open += 1

    def nvmlShutdown(self) -> None:  # noqa: N802  the binding's name
        self.calls["nvmlShutdown"] = self.calls.get("nvmlShutdown", 0) + 1
        if not self.open:
            raise error("UNINITIALIZED")
        self.open -= 1

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802  the binding's name
        self._called("nvmlDeviceGetCount")
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Card:  # noqa: N802  the binding's name
        return self._card(self.cards[index])

    def nvmlDeviceGetMemoryInfo(self, handle: Card, version: int | None = None) -> Any:  # noqa: N802  the binding's name
        card = self._card(handle)
        if card.memory_fault:
            raise card.memory_fault
        if version is None:
            return SimpleNamespace(
                total=card.total_mb * MB, used=(card.total_mb - card.free_mb) * MB, free=card.free_mb * MB
            )
        if self.no_memory_v2:
            raise self.no_memory_v2
        return SimpleNamespace(
            total=card.total_mb * MB,
            used=card.used_mb * MB,
            free=card.free_mb * MB,
            reserved=card.reserved_mb * MB,
        )

    def nvmlDeviceGetUUID(self, handle: Card) -> str:  # noqa: N802  the binding's name
        return self._card(handle).uuid

    def nvmlDeviceGetName(self, handle: Card) -> str | bytes:  # noqa: N802  the binding's name
        return self._card(handle).name

    def nvmlDeviceGetUtilizationRates(self, handle: Card) -> Any:  # noqa: N802  the binding's name
        return SimpleNamespace(gpu=self._card(handle).busy_percent, memory=0)

    def nvmlDeviceGetMigMode(self, handle: Card) -> list[int]:  # noqa: N802  the binding's name
        if self._card(handle).parts is None:
            raise error("NOT_SUPPORTED")
        return [1, 1]

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: Card) -> int:  # noqa: N802  the binding's name
        return len(self._card(handle).parts or ())

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: Card, index: int) -> Card:  # noqa: N802  the binding's name
        part = (self._card(handle).parts or [])[index]
        if part is None:
            raise error("NOT_FOUND")
        return part

    def _called(self, name: str) -> None:
        self.calls[name] = self.calls.get(name, 0) + 1
        if self.fault:
            raise self.fault
        if name != "nvmlInit" and not self.open:
            raise error("UNINITIALIZED")

    def _card(self, card: Card) -> Card:
        self._called("a card")
        if card.fault:
            raise card.fault
        return card
