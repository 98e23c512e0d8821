"""What can go wrong with the GPU and the models; every message says what is missing and what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from sentences.said import say, worded

if TYPE_CHECKING:
    from gpu.types import ModelAttempt


class GPUError(Exception):
    status: ClassVar[int] = 503  # over HTTP: trouble on the side of the models' server
    known_as: ClassVar[Any] = ""  # a sentence before the words of whoever met it

    @property
    def code(self) -> str:
        """NotEnoughVRAM → not_enough_vram."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(self).__name__).lower()

    def sentence(self) -> str:
        """What a person is told: what is missing, and what to do. One of another process may lack its numbers."""
        if not self.known_as:
            return worded(self) or self.code
        return f"{self.known_as} ({worded(self)})" if str(self) else str(self.known_as)


class OwnedElsewhere(GPUError):
    """Another process holds the GPU, and does not answer."""

    status = 409
    known_as = gettext_lazy("Another process holds the GPU and does not answer.")


class OwnerGone(OwnedElsewhere):
    """Nobody holds it any more: who asked may take it and do it itself."""


class ClipUnavailable(GPUError):
    """CLIP cannot go there, or there is no CLIP; it works where it was."""

    status = 422
    known_as = gettext_lazy("CLIP stays where it is.")


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
    known_as = gettext_lazy("This model runs on somebody else's machine, and screens do not leave this one.")


class NotEnoughVRAM(VLMUnavailable):
    """Refused before the operation."""

    status, passing, falls_back = 422, False, True

    def __init__(self, what: str, *, needed_mb: int, free_mb: int) -> None:
        super().__init__(say("gpu.too_little", what=what, needed=needed_mb, free=free_mb))
        self.needed_mb, self.free_mb = needed_mb, free_mb

    def sentence(self) -> str:
        if not hasattr(self, "needed_mb"):
            return super().sentence()
        told = _("There is not enough GPU memory: %(needed)d MB are needed, %(free)d MB are free.")
        numbers = {"needed": self.needed_mb, "free": self.free_mb}
        return f"{told % numbers} {_('Unload a model, or close what else uses the GPU.')}"


class Later(VLMUnavailable):
    """Refused now; `retry_after_s` says when it is worth asking again."""

    status = 409
    again: ClassVar[Any] = ""

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s

    @property
    def whole_seconds(self) -> int:
        return max(1, math.ceil(getattr(self, "retry_after_s", 1.0)))

    def sentence(self) -> str:
        if not self.again or not hasattr(self, "retry_after_s"):
            return super().sentence()
        return str(self.again) % {"n": self.whole_seconds}


class GpuBusy(Later):
    """The queue is full, or something more urgent goes first."""

    again = gettext_lazy("The GPU is busy with something that goes first. Try again in %(n)d s.")


class TooManySwaps(Later):
    """More loads within a minute than the settings allow."""

    again = gettext_lazy("Models were loaded too often within a minute. Try again in %(n)d s.")


class DeadlinePassed(VLMUnavailable):
    """The time of the request is over."""

    status, falls_back = 504, True
    known_as = gettext_lazy("It took too long and was given up.")


class ServerAway(VLMUnavailable):
    """It cannot be reached, refuses to talk, or is no such server."""

    falls_back = True
    known_as = gettext_lazy("The models' server does not answer. See that Ollama runs; it is asked again by itself.")


class ModelMissing(VLMUnavailable):
    status, passing, falls_back = 422, False, True
    known_as = gettext_lazy("The models' server does not have this model.")


class LoadFailed(VLMUnavailable):
    status, falls_back = 502, True
    known_as = gettext_lazy("The models' server could not load it.")


class OutOfMemory(VLMUnavailable):
    """The server's, while it loaded or answered."""

    status, falls_back = 422, True
    known_as = gettext_lazy("The models' server ran out of memory.")


class StillInMemory(VLMUnavailable):
    status = 409
    known_as = gettext_lazy("The model was asked to go and has not gone in time.")


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

    def __init__(self, message: str, *, reasons: Sequence[str]) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)
