"""What can go wrong with the GPU and the models; every message says what is missing and what to do.

GPUError
├── OwnedElsewhere        another process holds the GPU, and does not answer
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
    └── NoModelFits           of the catalogue, nothing can do this here and now; carries the reasons
"""

from __future__ import annotations

from collections.abc import Sequence


class GPUError(Exception):
    pass


class OwnedElsewhere(GPUError):
    pass


class ClipUnavailable(GPUError):
    pass


class VLMUnavailable(GPUError):
    """`passing` when trying again may help, `falls_back` when another model may do what this one did not (S4.4)."""

    passing = True
    falls_back = False

    def __init__(self, message: str, *, passing: bool | None = None) -> None:
        super().__init__(message)
        if passing is not None:
            self.passing = passing


class CloudModelRefused(VLMUnavailable):
    """Screens do not leave this machine (RELIABILITY.md T9)."""

    passing = False


class NotEnoughVRAM(VLMUnavailable):
    passing = False
    falls_back = True

    def __init__(self, what: str, *, needed_mb: int, free_mb: int) -> None:
        super().__init__(f"{what} needs {needed_mb} MB of GPU memory and {free_mb} MB are free. Close what holds it.")
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
