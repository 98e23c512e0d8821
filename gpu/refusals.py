"""What went wrong with the GPU as an answer over HTTP, and as a sentence in the reader's language."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext as _

from gpu import exceptions as ex
from gpu.exceptions import GPUError
from sentences.said import worded

# The first class that fits; what is not here is trouble on the side of the models' server.
_STATUS: tuple[tuple[type[GPUError], int], ...] = (
    (ex.Later, 409),
    (ex.OwnedElsewhere, 409),
    (ex.StillInMemory, 409),
    (ex.NotEnoughVRAM, 422),
    (ex.OutOfMemory, 422),
    (ex.ModelMissing, 422),
    (ex.CloudModelRefused, 422),
    (ex.ClipUnavailable, 422),
    (ex.RequestRefused, 422),
    (ex.UnknownModel, 422),
    (ex.LoadFailed, 502),
    (ex.DeadlinePassed, 504),
    (ex.VLMUnavailable, 503),
)
_WORD_ENDS = ("VRAM", "VLM", "GPU")


def answer_to(error: GPUError) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, body and headers: `error` is a word for programs, `detail` the sentence, and the numbers beside it."""
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 503)
    body: dict[str, Any] = {"error": code_of(error), "detail": sentence(error)}
    headers = {}
    if isinstance(error, ex.NotEnoughVRAM) and hasattr(error, "needed_mb"):
        body |= {"needed_mb": error.needed_mb, "free_mb": error.free_mb}
    if isinstance(error, ex.Later):
        seconds = max(1, math.ceil(getattr(error, "retry_after_s", 1.0)))
        body["retry_after_s"] = seconds
        headers["Retry-After"] = str(seconds)
    return status, body, headers


def code_of(error: GPUError) -> str:
    """NotEnoughVRAM → not_enough_vram."""
    name = type(error).__name__
    for word in _WORD_ENDS:
        name = name.replace(word, word.title())
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def sentence(error: GPUError) -> str:
    """What a person is told: what is missing, and what to do. One that was read from a row may lack its numbers."""
    match error:
        case ex.NotEnoughVRAM() if hasattr(error, "needed_mb"):
            numbers = {"needed": error.needed_mb, "free": error.free_mb}
            return (
                _("There is not enough GPU memory: %(needed)d MB are needed, %(free)d MB are free.") % numbers
                + " "
                + _("Unload a model, or close what else uses the GPU.")
            )
        case ex.TooManySwaps() if hasattr(error, "retry_after_s"):
            words = _("Models were loaded too often within a minute. Try again in %(n)d s.")
            return words % {"n": max(1, math.ceil(error.retry_after_s))}
        case ex.GpuBusy() if hasattr(error, "retry_after_s"):
            words = _("The GPU is busy with something that goes first. Try again in %(n)d s.")
            return words % {"n": max(1, math.ceil(error.retry_after_s))}
    return _known(error) or worded(error) or code_of(error)


def _known(error: GPUError) -> str:
    """A sentence before the words of whoever met the error; empty for a class that has none."""
    words = {
        ex.ServerAway: _("The models' server does not answer. See that Ollama runs; it is asked again by itself."),
        ex.ModelMissing: _("The models' server does not have this model."),
        ex.CloudModelRefused: _("This model runs on somebody else's machine, and screens do not leave this one."),
        ex.LoadFailed: _("The models' server could not load it."),
        ex.OutOfMemory: _("The models' server ran out of memory."),
        ex.StillInMemory: _("The model was asked to go and has not gone in time."),
        ex.DeadlinePassed: _("It took too long and was given up."),
        ex.ClipUnavailable: _("CLIP stays where it is."),
        ex.OwnedElsewhere: _("Another process holds the GPU and does not answer."),
    }
    known = next((text for kind, text in words.items() if isinstance(error, kind)), "")
    return f"{known} ({worded(error)})" if known and str(error) else known
