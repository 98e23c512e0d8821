"""What the machine has to give now: processor, memory, and GPU memory as NVML tells it (S3.3, S4.5, S7.2)."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import psutil

from gpu.types import VRAMInfo
from sentences.said import say, then

log = logging.getLogger(__name__)

MB = 1024 * 1024
ASK_AGAIN_S = 15.0
ASK_AGAIN_AT_MOST_S = 300.0

_MEANING = {
    "ModuleNotFoundError": "nvml.no_package",
    "LibraryNotFound": "nvml.no_driver",
    "DriverNotLoaded": "nvml.driver_not_loaded",
    "LibRmVersionMismatch": "nvml.driver_upgraded",
    "GpuIsLost": "nvml.lost",
    "NoPermission": "nvml.not_allowed",
    "NotSupported": "nvml.not_supported",
}
_FOR_GOOD = ("NVMLError_NotSupported", "NVMLError_NoPermission")  # asking again later changes nothing


class VRAMMonitor:
    """Reads NVML. After a failure it is opened anew, later and later: drivers are upgraded under running processes."""

    def __init__(self, *, nvml: Any = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._binding, self._clock = nvml, clock
        self._lock = threading.Lock()
        self._nvml: Any = None
        self._process = os.getpid()
        self._problem = ""
        self._ask_again_at = self._open_anew_at = float("-inf")
        self._pause_s = ASK_AGAIN_S

    @property
    def problem(self) -> str:
        """Why nothing is known, or what is not; empty where every GPU tells."""
        return self._problem

    def read(self) -> tuple[VRAMInfo, ...]:
        """Every GPU or MIG part of one, each with its UUID (indexes change); empty where nothing is known."""
        return tuple(self._ask(_memory, say_so=True))

    def utilisation(self) -> dict[str, int]:
        """How busy each GPU is, in percent, by UUID; GPUs that do not say are left out."""
        return dict(self._ask(_busy, say_so=False))

    def _ask(self, question: Callable[[Any, Any], Any], *, say_so: bool) -> list[Any]:
        self._begin_anew_after_a_fork()
        with self._lock:
            if self._clock() < self._ask_again_at:
                return []
            try:
                answers, silent = _of_all(self._open(), question)
            except Exception as error:  # noqa: BLE001  while the library is missing its errors have no common base
                self._give_up(in_words(error))
                return []
            lost = [one for one in silent if not one.for_good]
            if lost and not answers:
                self._give_up(_sentences(silent))
            elif lost:
                self._open_anew_later()
            else:
                self._pause_s, self._open_anew_at = ASK_AGAIN_S, float("inf")
            if say_so or lost:
                self._say(_sentences(silent))
            return answers

    def _begin_anew_after_a_fork(self) -> None:
        """NVML does not survive one, and another thread may have held the lock in that moment."""
        if self._process != os.getpid():
            self._lock, self._process, self._nvml = threading.Lock(), os.getpid(), None
            self._ask_again_at, self._pause_s = float("-inf"), ASK_AGAIN_S

    def _open(self) -> Any:
        if self._nvml is not None and self._clock() >= self._open_anew_at:
            self._close()
        if self._nvml is None:
            binding = self._binding or _pynvml()
            binding.nvmlInit()
            self._nvml, self._open_anew_at = binding, float("inf")
        return self._nvml

    def _close(self) -> None:
        nvml, self._nvml = self._nvml, None
        if nvml is None:
            return
        try:
            nvml.nvmlShutdown()
        except nvml.NVMLError as error:
            log.debug("NVML did not close: %s", error)  # it is opened anew in any case

    def _give_up(self, problem: str) -> None:
        self._say(problem)
        self._close()
        self._ask_again_at = self._clock() + self._pause_s
        self._pause_s = min(self._pause_s * 2, ASK_AGAIN_AT_MOST_S)

    def _open_anew_later(self) -> None:
        """One of several GPUs is lost: the others go on being read, and it is looked for now and then."""
        if self._open_anew_at == float("inf"):
            self._open_anew_at = self._clock() + self._pause_s
            self._pause_s = min(self._pause_s * 2, ASK_AGAIN_AT_MOST_S)

    def _say(self, problem: str) -> None:
        if problem and problem != self._problem:
            log.info("GPU memory is unknown: %s", problem)
        self._problem = problem


class _Silent(NamedTuple):
    """A GPU that does not answer: which, why, and whether it never will."""

    name: str
    why: str
    for_good: bool


def gpu_of(gpus: Sequence[VRAMInfo], uuid: str) -> VRAMInfo | None:
    """The GPU of that UUID, as NVML or as CUDA writes it (without the word before it)."""
    return next((gpu for gpu in gpus if uuid and _bare(gpu.uuid) == _bare(uuid)), None)


def free_mb(gpus: Sequence[VRAMInfo]) -> int | None:
    """Free memory of all together, as a model server may use them; None if unknown."""
    return sum(gpu.free_mb for gpu in gpus) if gpus else None


def in_words(error: BaseException) -> str:
    """What an error of NVML's means for whoever runs the machine."""
    name = type(error).__name__.removeprefix("NVMLError_")
    if name in _MEANING:
        return say("value.aside", what=say(_MEANING[name]), aside=name)
    return f"{type(error).__name__}: {error}"


def _pynvml() -> Any:
    import pynvml

    return pynvml


def _sentences(silent: Sequence[_Silent]) -> str:
    return then(say("value.labelled", label=one.name, what=one.why) for one in silent)


def _of_all(nvml: Any, question: Callable[[Any, Any], Any]) -> tuple[list[Any], list[_Silent]]:
    """What the GPUs answer, and those that do not; raises the library's own error where it is out of order itself."""
    answers, silent = [], []
    for index in range(nvml.nvmlDeviceGetCount()):
        try:
            answers += [question(nvml, handle) for handle in _parts(nvml, nvml.nvmlDeviceGetHandleByIndex(index))]
        except (nvml.NVMLError_LibRmVersionMismatch, nvml.NVMLError_DriverNotLoaded, nvml.NVMLError_Uninitialized):
            raise
        except nvml.NVMLError as error:
            silent.append(_Silent(f"GPU {index}", in_words(error), type(error).__name__ in _FOR_GOOD))
    return answers, silent


def _parts(nvml: Any, handle: Any) -> Iterator[Any]:
    """The GPU itself, or the MIG parts that it is split into: the whole of a split one tells nothing that helps."""
    try:
        split = nvml.nvmlDeviceGetMigMode(handle)[0] == nvml.NVML_DEVICE_MIG_ENABLE
    except (nvml.NVMLError_NotSupported, nvml.NVMLError_FunctionNotFound, nvml.NVMLError_NoPermission):
        split = False  # what cannot be split is not
    if not split:
        yield handle
        return
    for place in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
        try:
            yield nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, place)
        except nvml.NVMLError_NotFound:  # an empty place
            continue


def _memory(nvml: Any, handle: Any) -> VRAMInfo:
    """What a driver keeps for itself is told by newer ones only; decide by what is free, which means one thing."""
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    except (nvml.NVMLError_FunctionNotFound, nvml.NVMLError_ArgumentVersionMismatch):
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return VRAMInfo(
        uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
        name=_text(nvml.nvmlDeviceGetName(handle)),
        total_mb=memory.total // MB,
        used_mb=memory.used // MB,
        free_mb=memory.free // MB,
        reserved_mb=getattr(memory, "reserved", 0) // MB,
    )


def _busy(nvml: Any, handle: Any) -> tuple[str, int]:
    return _text(nvml.nvmlDeviceGetUUID(handle)), int(nvml.nvmlDeviceGetUtilizationRates(handle).gpu)


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _bare(uuid: str) -> str:
    return uuid.lower().removeprefix("gpu-").removeprefix("mig-")


SHORTEST_S = 0.1  # over less than that, what the system counts says nothing of how busy it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Percentages from 0 to 100, memory in MB. No GPUs: there are none, or their memory is unknown."""

    cpu_percent: float
    ram_percent: float
    ram_free_mb: int
    ram_total_mb: int
    process_ram_mb: float
    gpus: tuple[VRAMInfo, ...] = ()
    gpu_percent: int | None = None  # of the busiest one

    @property
    def vram_free_mb(self) -> int | None:
        return free_mb(self.gpus)

    @property
    def vram_used_mb(self) -> int | None:
        return sum(gpu.used_mb for gpu in self.gpus) if self.gpus else None

    @property
    def vram_total_mb(self) -> int | None:
        return sum(gpu.total_mb for gpu in self.gpus) if self.gpus else None

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {
            f"vram_{word}_mb": getattr(self, f"vram_{word}_mb") for word in ("free", "used", "total")
        }


class ResourceMonitor:
    """The processor's load is that since the reading before, each monitor for itself; may be used by any thread."""

    def __init__(
        self, *, vram: VRAMMonitor | None = None, cpu_times: Callable[[], tuple[float, float]] | None = None
    ) -> None:
        self._vram = vram or VRAMMonitor()
        self._cpu_times = cpu_times or _cpu_times
        self._process = psutil.Process()
        self._lock = threading.Lock()
        self._before = self._cpu_times()
        self._cpu_percent: float | None = None

    def read(self) -> Resources:
        memory = psutil.virtual_memory()
        return Resources(
            cpu_percent=self._cpu(),
            ram_percent=memory.percent,
            ram_free_mb=memory.available // MB,
            ram_total_mb=memory.total // MB,
            process_ram_mb=round(self._process.memory_info().rss / MB, 1),
            gpus=self._vram.read(),
            gpu_percent=max(self._vram.utilisation().values(), default=None),
        )

    def _cpu(self) -> float:
        """Since the reading before; two in quick succession say the same, and the first what the system remembers."""
        with self._lock:
            busy, total = self._cpu_times()
            past = total - self._before[1]
            if past >= SHORTEST_S:
                self._cpu_percent = round(min(100.0, max(0.0, 100 * (busy - self._before[0]) / past)), 1)
                self._before = (busy, total)
            return _load_percent() if self._cpu_percent is None else self._cpu_percent


def _cpu_times() -> tuple[float, float]:
    """Seconds that one processor on average was busy, and all that have passed."""
    times, count = psutil.cpu_times(), psutil.cpu_count() or 1
    total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)  # counted as user as well
    return (total - times.idle - getattr(times, "iowait", 0.0)) / count, total / count


def _load_percent() -> float:
    """Of the last minute: processes that want to run, for each processor."""
    return round(min(100.0, 100 * os.getloadavg()[0] / (psutil.cpu_count() or 1)), 1)
