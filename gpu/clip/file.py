"""The file of CLIP's weights, as far as it tells without a model library; asked often, so it is read once a version."""

from __future__ import annotations

from pathlib import Path

from gpu.exceptions import ClipUnavailable
from gpu.weights import Damaged, count_values, look_over
from sentences.said import say


class WeightsFile:
    """`check` and `count_values` look at the file anew only when its time or size has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._version: tuple[int, int] | None = None
        self._problem, self._values = "", 0

    def check(self) -> None:
        """Raises ClipUnavailable for what cannot be a file of weights."""
        if problem := self.problem:
            raise ClipUnavailable(problem)

    @property
    def problem(self) -> str:
        """What is wrong with it and what to do; empty if nothing can be told."""
        try:
            found = self.path.stat()
            if (version := (found.st_mtime_ns, found.st_size)) != self._version:
                self._problem, self._values = self._looked_over()
                self._version = version
        except FileNotFoundError:
            return say("clip.weights_missing", path=self.path)
        except OSError as error:
            return say("clip.weights_unread", path=self.path, error=error.strerror)
        return self._problem

    def count_values(self) -> int:
        """How many numbers CLIP's image half has, or more than that; 0 for a file that is none."""
        return 0 if self.problem else self._values

    def _looked_over(self) -> tuple[str, int]:
        try:
            look_over(self.path)
            if self.path.suffix == ".safetensors":
                return "", count_values(self.path, "visual.")
            return "", self.path.stat().st_size // 4  # more than enough: the text half is in it
        except Damaged as error:
            return say("clip.weights_damaged", path=self.path, error=error), 0
