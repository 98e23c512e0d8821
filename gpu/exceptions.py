"""What can go wrong with the GPU and the models; every message says what is missing and what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from sentences.said import say

if TYPE_CHECKING:
    from gpu.types import ModelAttempt


class GPUError(Exception):
    status: ClassVar[int] = 503  # over HTTP: trouble on the side of the models' server

    @property
    def code(self) -> str:
        """NotEnoughVRAM → not_enough_vram."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(self).__name__).lower()


class OwnedElsewhere(GPUError):
    """Another process holds the GPU, and does not answer."""

    status = 409


class OwnerGone(OwnedElsewhere):
    """Nobody holds it any more: who asked may take it and do it itself."""


class ClipUnavailable(GPUError):
    """CLIP cannot go there, or there is no CLIP; it works where it was."""

    status = 422


class UnknownModel(GPUError):
    """No model of the catalogue has that key."""

    status = 422


class CatalogueErrors(GPUError):
    """A file of models cannot be used. `problems`: (line, what is wrong), 0 the whole file; `told`: with its place."""

    def __init__(self, source: str, problems: Sequence[tuple[int, str]]) -> None:
        self.source, self.problems = source, tuple(sorted(problems))
        self.told = tuple(
            say("catalogue.at", source=source, line=str(line), what=what)
            if line
            else say("value.labelled", label=source, what=what)
            for line, what in self.problems
        )
        super().__init__("\n".join(self.told))


class VLMUnavailable(GPUError):
    """`passing` when trying again may help, `falls_back` when another model may do what this one did not (S4.4)."""

    passing = True
    falls_back = False
    attempts: tuple[ModelAttempt, ...] = ()  # of the model manager: what was tried before it gave up

    def __init__(self, message: str, *, passing: bool | None = None) -> None:
        super().__init__(message)
        if passing is not None:
            self.passing = passing


class CloudModelRefused(VLMUnavailable):
    """Screens do not leave this machine (T9)."""

    status, passing = 422, False


class NotEnoughVRAM(VLMUnavailable):
    """Refused before the operation."""

    status, passing, falls_back = 422, False, True

    def __init__(self, what: str, *, needed_mb: int, free_mb: int) -> None:
        super().__init__(say("gpu.too_little", what=what, needed=needed_mb, free=free_mb))
        self.needed_mb, self.free_mb = needed_mb, free_mb


class Later(VLMUnavailable):
    """Refused now; `retry_after_s` says when it is worth asking again."""

    status = 409

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s

    @property
    def whole_seconds(self) -> int:
        return max(1, math.ceil(getattr(self, "retry_after_s", 1.0)))


class GpuBusy(Later):
    """The queue is full, or something more urgent goes first."""


class TooManySwaps(Later):
    """More loads within a minute than the settings allow."""


class DeadlinePassed(VLMUnavailable):
    """The time of the request is over."""

    status, falls_back = 504, True


class ServerAway(VLMUnavailable):
    """It cannot be reached, refuses to talk, or is no such server."""

    falls_back = True


class ModelMissing(VLMUnavailable):
    status, passing, falls_back = 422, False, True


class LoadFailed(VLMUnavailable):
    status, falls_back = 502, True


class OutOfMemory(VLMUnavailable):
    """The server's, while it loaded or answered."""

    status, falls_back = 422, True


class StillInMemory(VLMUnavailable):
    status = 409


class AnswerTimeout(VLMUnavailable):
    """No byte for too long, or no end."""

    falls_back = True


class AnswerBroken(VLMUnavailable):
    """It broke off: no end was told, a garbled line, an error in the middle."""

    falls_back = True


class AnswerUnusable(VLMUnavailable):
    """It came to an end and cannot be used: cut, empty, not after the schema."""

    falls_back = True


class PromptTooLarge(VLMUnavailable):
    """More than the model's context, or a picture that is too large."""

    passing = False


class RequestRefused(VLMUnavailable):
    """Asked again it would be refused again; another model may take it."""

    status, passing, falls_back = 422, False, True


class NoModelFits(VLMUnavailable):
    """Of the catalogue, nothing can do this here and now."""

    passing = False
