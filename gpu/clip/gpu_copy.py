"""The copy of CLIP on a GPU: made, tried out, let go; what fails leaves nothing of it behind (A.8)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpu.clip import cuda
from sentences.said import say

if TYPE_CHECKING:
    import numpy as np

    from gpu.clip.tower import Tower

CPU = "cpu"
WORKING_MB = 256  # for one picture at a time, and the libraries' own workspaces
FORGOTTEN_MB = 1  # that are held when all is let go are not worth a warning: others here may use the GPU, too
ALIKE = 0.999  # S3.5
_PROBE = (96, 128, 3)  # a picture of that shape is seen by both


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
