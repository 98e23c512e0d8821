"""Where CLIP is: always on the processor, and at times on a GPU too (S3.5)."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from gpu.clip import cuda
from gpu.exceptions import ClipUnavailable
from gpu.resources import gpu_of
from gpu.runtime import Listeners
from gpu.types import VRAMInfo
from gpu.weights import WeightsFile
from sentences.said import say, told_by

if TYPE_CHECKING:
    import numpy as np

    from gpu.clip.tower import Tower

log = logging.getLogger(__name__)

CONTEXT_MB = 512  # the share of the driver that a process takes with its first touch of a GPU, and never gives back
MOVE_TIMEOUT_S = 60.0
EMBED_WAIT_S = 5.0  # less than the 8 s that a screen may take
CPU = "cpu"
WORKING_MB = 256  # for one picture at a time, and the libraries' own workspaces
FORGOTTEN_MB = 1  # that are held when all is let go are not worth a warning: others here may use the GPU, too
ALIKE = 0.999  # S3.5
_PROBE = (96, 128, 3)  # a picture of that shape is seen by both

DeviceChange = Callable[[str, str], None]  # the device, and why


class GpuCopy:
    """One at a time; the caller sees to it that nobody looks through it while it comes or goes."""

    def __init__(self) -> None:
        self.device, self.uuid = CPU, ""  # of what pictures can be shown to: `cpu` while there is no copy
        self.took_mb = 0  # by the last one, 0 if there was none
        self.was_there = False  # so this process has its share of the driver's memory already
        self._network: Any = None
        self._held_before = 0
        self._probe_seen: Any = None

    def enter(self, tower: Tower, device: str) -> str:
        """Make the copy on `cuda:N` and try it out; the reason where that fails, and then there is none."""
        problem = ""
        try:
            free_mb, self._held_before, self.was_there = cuda.free_mb(device), cuda.held_bytes(device), True
            needed_mb = self.took_mb or calculated_mb(count_values_of(tower.network))
            if free_mb < needed_mb:
                return say("clip.too_little", needed=needed_mb, free=free_mb)
            self._network = cuda.copy_to(tower.network, device)
            problem = self._differs(tower, device)
            self._learn(tower, device, free_mb)
            uuid = cuda.uuids()[int(device.removeprefix("cuda:"))]
        except (RuntimeError, MemoryError) as error:  # CUDA's own errors, too little memory among them
            problem = cuda.told(error)
        # Only here is the error gone, and with it the frames that refer to what of the copy was made.
        if problem:
            self._network = None
            cuda.give_back()
        else:
            self.device, self.uuid = device, uuid
        return problem

    def leave(self) -> str:
        """Let go of the copy, if there is one; what of its memory is not free again, in words."""
        device, self.device, self.uuid, self._network = self.device, CPU, "", None
        if device == CPU:
            return ""
        problem = cuda.give_back()
        try:
            held_mb = (cuda.held_bytes(device) - self._held_before) / cuda.MB
        except RuntimeError as error:
            return problem or cuda.told(error)
        return say("clip.still_used", held=math.ceil(held_mb)) if held_mb > FORGOTTEN_MB else problem

    def features(self, batch: np.ndarray) -> np.ndarray:
        from gpu.clip.tower import features

        return features(self._network, batch, self.device)

    def _differs(self, tower: Tower, device: str) -> str:
        """Whether it sees a picture otherwise than the master does; in words."""
        import numpy as np

        from gpu.clip.tower import features

        batch = tower.batch(np.random.default_rng(1).integers(0, 255, _PROBE, np.uint8))
        if self._probe_seen is None:
            self._probe_seen = features(tower.network, batch, CPU)
        alike = float(self._probe_seen @ features(self._network, batch, device))
        return "" if alike >= ALIKE else say("clip.other_vectors", alike=alike)

    def _learn(self, tower: Tower, device: str, free_before_mb: int) -> None:
        """What it took: as the driver says, unless somebody else gave or took much in the same moment."""
        own_mb = math.ceil((cuda.held_bytes(device) - self._held_before) / cuda.MB)
        driver_mb = free_before_mb - cuda.free_mb(device)
        self.took_mb = max(own_mb, min(driver_mb, 2 * calculated_mb(count_values_of(tower.network))), 1)


def calculated_mb(values: int) -> int:
    """GPU memory for a network of so many numbers in float32, and for work with it."""
    return math.ceil(values * 4 / cuda.MB) + WORKING_MB


def count_values_of(network: Any) -> int:
    return sum(tensor.numel() for tensor in (*network.parameters(), *network.buffers()))


class CLIPManager:
    """The copy on the processor is the master and never moves: going to a GPU makes a second one there.

    So a move that fails leaves what there was, and a picture that the GPU has no memory for is seen by the processor.
    One thing at a time: a move waits for the picture that is being embedded, and pictures wait for the move. Any thread
    may call. What stands in the way is a ClipUnavailable.
    """

    def __init__(
        self,
        *,
        model: str = "",
        weights: Path | None = None,
        unused: str = "",
        move_timeout_s: float = MOVE_TIMEOUT_S,
        embed_wait_s: float = EMBED_WAIT_S,
    ) -> None:
        """Nothing is loaded yet. `unused` says why there is to be no CLIP here."""
        self._model, self._unused = model, unused
        self._weights = WeightsFile(weights) if weights else None
        self._loading = threading.Lock()
        self._tower: Tower | None = None
        self._failed = ""
        self._move_timeout_s, self._embed_wait_s = move_timeout_s, embed_wait_s
        self._lock = threading.Lock()
        self._uuids: tuple[str, ...] | None = None
        self._gpu_copy = GpuCopy()
        self._hangs = False
        self._problem = ""
        self._listeners = Listeners("CLIP")

    @classmethod
    def from_settings(cls) -> Self:
        """As the deployment has it: RPA_EMBEDDER, RPA_CLIP_MODEL, RPA_CLIP_WEIGHTS, RPA_MODELS_DIR."""
        from django.conf import settings

        if settings.RPA_EMBEDDER != "open_clip":
            return cls(unused=say("clip.unused"))
        weights = settings.RPA_CLIP_WEIGHTS
        return cls(model=settings.RPA_CLIP_MODEL, weights=Path(settings.RPA_MODELS_DIR) / weights if weights else None)

    # --- what there is ----------------------------------------------------------------------------------------------
    @property
    def device(self) -> str:
        """Where pictures are embedded now: `cpu`, or the `cuda:N` that it was moved to."""
        return self._gpu_copy.device

    @property
    def gpu_uuid(self) -> str:
        """Of the GPU it is on, as `VRAMMonitor` and `gpu_of` know it; empty while it is on the processor alone."""
        return self._gpu_copy.uuid

    @property
    def available(self) -> bool:
        """Whether there are weights that can be loaded, as far as can be told without loading them."""
        return not self.why_unavailable

    @property
    def in_use(self) -> bool:
        """Whether somebody in this process looks through it, so that moving it would help anybody."""
        return self._tower is not None

    @property
    def why_unavailable(self) -> str:
        """Why there is no CLIP, with what to do; empty where there is."""
        if self._tower is not None:
            return ""
        if self._unused or self._failed:
            return self._unused or self._failed
        if self._weights is None:
            return say("clip.weights_unset")
        return self._weights.problem

    @property
    def problem(self) -> str:
        """What went wrong last with the GPU; empty once something has gone right."""
        return self._problem

    @property
    def model_id(self) -> str:
        """Names the model and its weights, the same on every device; loads it (seconds)."""
        return self.load().model_id

    @property
    def need_mb(self) -> int:
        """GPU memory that a move there takes: what the last one took, or else what its tensors must take."""
        if not self.available:
            return 0
        context_mb = 0 if self._gpu_copy.was_there else CONTEXT_MB
        return context_mb + (self._gpu_copy.took_mb or calculated_mb(self._count_values()))

    def in_cuda_order(self, gpus: Sequence[VRAMInfo]) -> tuple[VRAMInfo, ...]:
        """The GPUs that this process may use, in the order of CUDA once that is known; one that NVML lacks is full."""
        if self._uuids is None:
            return tuple(gpus)
        return tuple(gpu_of(gpus, uuid) or _unknown(uuid) for uuid in self._uuids)

    # --- loading and looking ----------------------------------------------------------------------------------------
    def load(self) -> Tower:
        """The master, loaded by the first call (seconds); raises ClipUnavailable with what to do."""
        tower = self._loaded()
        if self._uuids is None:
            try:
                self._uuids = cuda.uuids()
            except RuntimeError as error:  # a driver that is out of order: the processor serves
                self._uuids = ()
                self._note(say("clip.gpus_silent", error=cuda.told(error)))
        return tower

    def _loaded(self) -> Tower:
        from gpu.clip.tower import load_tower

        with self._loading:
            if self._tower is None:
                if why := self.why_unavailable:
                    raise ClipUnavailable(why)
                assert self._weights is not None
                try:
                    self._tower = load_tower(self._model, self._weights.path)
                except ClipUnavailable as error:
                    self._failed = told_by(error)  # it is the same file the next time
                    raise
            return self._tower

    def _count_values(self) -> int:
        """How many numbers it has; before it is loaded, as its file tells; 0 where there is none."""
        if self._tower is not None:
            return count_values_of(self._tower.network)
        return self._weights.count_values() if self._weights else 0

    def embed(self, pixels: np.ndarray) -> np.ndarray:
        """The unit vector, float32, of a BGR uint8 picture of any size, from whichever device there is just now."""
        tower = self.load()
        batch = tower.batch(pixels)
        if not self._lock.acquire(timeout=0 if self._hangs else self._embed_wait_s):
            self._hangs = True  # a GPU that hangs does not keep anybody from seeing
            self._note(say("clip.gpu_hangs", n=self._embed_wait_s))
            return _seen_here(tower, batch)
        given_up, seen = "", None
        try:
            self._hangs = False
            if self._gpu_copy.device != CPU:
                seen, given_up = self._seen_there(batch)
            if seen is None:
                seen = _seen_here(tower, batch)
        finally:
            self._lock.release()
        if given_up:
            self._tell(given_up)
        return seen

    def _seen_there(self, batch: np.ndarray) -> tuple[np.ndarray | None, str]:
        """The vector as the GPU sees it, None where it fails; and the reason if the GPU was given up for it."""
        device = self._gpu_copy.device
        try:
            seen = self._gpu_copy.features(batch)
            self._problem = ""
            return seen, ""
        except RuntimeError as error:
            lacks_memory, said = isinstance(error, cuda.torch().OutOfMemoryError), cuda.told(error)
        if lacks_memory:
            cuda.empty_cache()
            self._note(say("clip.no_memory", device=device, error=said))
            return None, ""
        self._gpu_copy.leave()  # what it says of its memory is that the GPU is lost, too
        return None, self._note(say("clip.gpu_failed", device=device, error=said))

    # --- moving -----------------------------------------------------------------------------------------------------
    async def move(self, device: str) -> None:
        """Have pictures embedded on `cpu` or `cuda:N`; returns when that is so, which is at once where it is so.

        Raises ClipUnavailable where it cannot be; the processor serves then. Being cancelled, it waits for the end of
        what has begun: two moves never overlap.
        """
        abandoned = threading.Event()
        moving = asyncio.wrap_future(_in_a_thread(lambda: self._move(device, abandoned)))
        try:
            done, _ = await asyncio.wait({moving}, timeout=self._move_timeout_s)
        except asyncio.CancelledError:
            abandoned.set()
            await asyncio.wait({moving}, timeout=self._move_timeout_s)
            _forget(moving)
            raise
        if not done:
            abandoned.set()
            _forget(moving)
            raise ClipUnavailable(self._note(say("clip.not_in_time", device=device, n=self._move_timeout_s)))
        moving.result()

    def _move(self, device: str, abandoned: threading.Event) -> None:
        if why := cuda.why_not(device):
            raise ClipUnavailable(self._note(say("clip.cannot_go", device=repr(device), why=why)))
        tower = self.load() if device != CPU else None
        with self._lock:
            before, problem = self._gpu_copy.device, ""
            if not abandoned.is_set() and before != device:
                problem = self._moved(tower, device)
            if abandoned.is_set() and before == CPU:
                self._leave()
            now = self._gpu_copy.device
        if now != before:
            self._tell(problem or say("clip.is_on", device=now))
        if problem and device != CPU:
            raise ClipUnavailable(problem)

    def _moved(self, tower: Tower | None, device: str) -> str:
        self._problem = ""
        left = self._leave()
        if tower is None:
            return left
        if problem := self._gpu_copy.enter(tower, device):
            return self._note(say("clip.did_not_go", device=device, why=problem))
        return ""

    def _leave(self) -> str:
        device = self._gpu_copy.device
        problem = self._gpu_copy.leave()
        return self._note(say("clip.left", device=device, why=problem)) if problem else ""

    # --- what others hear -------------------------------------------------------------------------------------------
    def on_device_change(self, callback: DeviceChange) -> None:
        """Hear the device and the reason after each change, in the thread that made it."""
        self._listeners.add(callback)

    def close(self) -> None:
        """Let everything go; whoever still embeds has it loaded anew."""
        if self._lock.acquire(timeout=self._embed_wait_s):
            self._leave()
            self._lock.release()
        self._tower = None

    def _note(self, problem: str) -> str:
        if problem != self._problem:
            log.warning("%s", problem)
        self._problem = problem
        return problem

    def _tell(self, why: str) -> None:
        self._listeners.tell(self.device, why)


def _unknown(uuid: str) -> VRAMInfo:
    return VRAMInfo(uuid=uuid, name="", total_mb=0, used_mb=0, free_mb=0)


def _seen_here(tower: Tower, batch: np.ndarray) -> np.ndarray:
    from gpu.clip.tower import features

    return features(tower.network, batch, CPU)


def _in_a_thread(work: Callable[[], Any]) -> Future[Any]:
    """Done in a thread of its own, which does not keep the process from ending when a driver hangs."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  it is the asker's
            future.set_exception(error)

    threading.Thread(target=run, name="clip", daemon=True).start()
    return future


def _forget(moving: asyncio.Future[Any]) -> None:
    """Its end interests nobody any more, nor does its error."""
    moving.add_done_callback(lambda done: done.cancelled() or done.exception())
