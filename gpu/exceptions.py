"""What can go wrong with the GPU and the models; every message says what is missing and what to do.

GPUError
├── OwnedElsewhere        another process holds the GPU, and does not answer
│   └── OwnerGone             nobody holds it any more: who asked may take it and do it itself
├── CatalogueErrors       a file of models cannot be used; carries each error with its line
├── UnknownModel          no model of the catalogue has that key
├── ClipUnavailable       CLIP cannot go there, or there is no CLIP; it works where it was
└── VLMUnavailable        there is no model to be had now; `passing` when trying again may help
    ├── CloudModelRefused     it runs on somebody else's machine
    ├── NotEnoughVRAM         refused before the operation; carries needed and free MB
    ├── GpuBusy               the queue is full, or something more urgent goes first; carries retry_after_s
    ├── TooManySwaps          more loads within a minute than the settings allow; carries retry_after_s
    ├── DeadlinePassed        the time of the request is over
    ├── ServerAway            cannot be reached, refuses to talk, or is no such server
    ├── ModelMissing          the server does not have it
    ├── LoadFailed            the server could not load it
    ├── OutOfMemory           the server ran out of memory while loading or answering
    ├── StillInMemory         asked to go, and has not gone in time
    ├── AnswerTimeout         no byte for too long, or no end
    ├── AnswerBroken          it broke off: no end was told, a garbled line, an error in the middle
    ├── AnswerUnusable        it came to an end and cannot be used: cut, empty, not after the schema
    ├── PromptTooLarge        more than the model's context, or a picture that is too large
    ├── RequestRefused        the server finds fault with what it was asked
    └── NoModelFits           of the catalogue, nothing can do this here and now; carries the reasons
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sentences.said import say

if TYPE_CHECKING:
    from gpu.types import ModelAttempt


class GPUError(Exception):
    pass


class OwnedElsewhere(GPUError):
    pass


class OwnerGone(OwnedElsewhere):
    pass


class ClipUnavailable(GPUError):
    pass


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

    passing = False


class NotEnoughVRAM(VLMUnavailable):
    passing = False
    falls_back = True

    def __init__(self, what: str, *, needed_mb: int, free_mb: int) -> None:
        super().__init__(say("gpu.too_little", what=what, needed=needed_mb, free=free_mb))
        self.needed_mb, self.free_mb = needed_mb, free_mb


class Later(VLMUnavailable):
    """Refused now; `retry_after_s` says when it is worth asking again."""

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class GpuBusy(Later):
    pass


class TooManySwaps(Later):
    pass


class DeadlinePassed(VLMUnavailable):
    falls_back = True


class ServerAway(VLMUnavailable):
    falls_back = True


class ModelMissing(VLMUnavailable):
    passing = False
    falls_back = True


class LoadFailed(VLMUnavailable):
    falls_back = True


class OutOfMemory(VLMUnavailable):
    falls_back = True


class StillInMemory(VLMUnavailable):
    pass


class AnswerTimeout(VLMUnavailable):
    falls_back = True


class AnswerBroken(VLMUnavailable):
    falls_back = True


class AnswerUnusable(VLMUnavailable):
    falls_back = True


class PromptTooLarge(VLMUnavailable):
    passing = False


class NoModelFits(VLMUnavailable):
    passing = False

    def __init__(self, message: str, *, reasons: Sequence[str]) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)


class UnknownModel(GPUError):
    pass


class CatalogueErrors(GPUError):
    """`problems` are (line, what is wrong), the first line first; line 0 is the file as a whole. `told`: each with its
    place.
    """

    def __init__(self, source: str, problems: Sequence[tuple[int, str]]) -> None:
        self.source, self.problems = source, tuple(sorted(problems))
        self.told = tuple(
            say("catalogue.at", source=source, line=str(line), what=what)
            if line
            else say("value.labelled", label=source, what=what)
            for line, what in self.problems
        )
        super().__init__("\n".join(self.told))


class RequestRefused(VLMUnavailable):
    """Asked again it would be refused again; another model may take it."""

    passing = False
    falls_back = True
