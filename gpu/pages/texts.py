"""The GPU and its models in words, for the page of robots and GPU, and for the banner of every page (S3.8, S3.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpu.types import ExecutionMode, ModelState, Purpose, RequestKind

MB_IN_GB = 1024

# The name of each mode, and what it does with the memory (S3.6).
MODES: dict[ExecutionMode, tuple[str | Promise, str | Promise]] = {
    ExecutionMode.IDLE: (
        gettext_lazy("Idle"),
        gettext_lazy("Nothing is moved. A vision model that nobody asks leaves the memory after a while."),
    ),
    ExecutionMode.RECORDING: (
        gettext_lazy("Recording"),
        gettext_lazy("To watch and to teach: the vision model is in GPU memory, CLIP is on the processor."),
    ),
    ExecutionMode.AUTOPILOT: (
        gettext_lazy("Autopilot"),
        gettext_lazy("For automatic runs: CLIP has the GPU; the vision model is loaded when a run needs it."),
    ),
}

# Word, icon and colour of each state of a model.
STATES: dict[ModelState, tuple[str | Promise, str, str]] = {
    ModelState.UNLOADED: (gettext_lazy("on disk"), "database", ""),
    ModelState.LOADING: (gettext_lazy("loading …"), "download", "blue"),
    ModelState.LOADED: (gettext_lazy("in memory"), "circle-check", "green"),
    ModelState.UNLOADING: (gettext_lazy("leaving …"), "upload", "blue"),
    ModelState.ERROR: (gettext_lazy("error"), "alert-circle", "red"),
}

PURPOSES: dict[Purpose, str | Promise] = {
    Purpose.TARGET: gettext_lazy("to find a target"),
    Purpose.CLASSIFY: gettext_lazy("to name elements"),
    Purpose.ASSISTANT: gettext_lazy("for the assistant"),
    Purpose.SUMMARY: gettext_lazy("to sum up a conversation"),
    Purpose.PRELOAD: gettext_lazy("to have it ready"),
}


_NOT_LOADED = (gettext_lazy("not loaded"), "circle-dashed", "")


def model_state(state: str) -> tuple[str, str, str]:
    """Word, icon and colour."""
    word, icon, colour = STATES[ModelState(state)] if state in set(ModelState) else _NOT_LOADED
    return str(word), icon, colour


def mode_name(mode: str) -> str:
    return str(MODES[ExecutionMode(mode)][0]) if mode in set(ExecutionMode) else mode


def memory(mb: float | None) -> str:
    """“512 MB”, “5.6 GB”; a dash for what is not known."""
    if mb is None:
        return "–"
    if mb < MB_IN_GB:
        return _("%(n)s MB") % {"n": number_format(round(mb))}
    return _("%(n)s GB") % {"n": number_format(round(mb / MB_IN_GB, 1), 1)}


def device(name: str) -> str:
    """Where CLIP is."""
    if name.startswith("cuda:"):
        return _("on GPU %(n)s") % {"n": name.removeprefix("cuda:")}
    return _("on the processor") if name == "cpu" else name


def asked(entry: Mapping[str, Any]) -> str:
    """What a request asks of the owner of the GPU, as a sentence without its asker."""
    kind, model = str(entry.get("kind", "")), str(entry.get("model") or "")
    match kind:
        case RequestKind.MODE:
            return _("Switch to “%(mode)s”") % {"mode": mode_name(str(entry.get("mode") or ""))}
        case RequestKind.LOAD:
            return _("Load %(model)s") % {"model": model}
        case RequestKind.UNLOAD:
            return _("Unload %(model)s") % {"model": model}
        case RequestKind.CLIP_TO_GPU:
            return _("Move CLIP to the GPU")
        case RequestKind.CLIP_TO_CPU:
            return _("Move CLIP to the processor")
        case RequestKind.USE:
            purpose = PURPOSES.get(Purpose(entry["purpose"])) if entry.get("purpose") in set(Purpose) else None
            return " ".join(part for part in (_("Use %(model)s") % {"model": model}, str(purpose or "")) if part)
    return kind


def scripts() -> dict[str, str]:
    """Texts of the page's script."""
    return {
        "gpu_doing": _("It is being done."),
        "gpu_done": _("Done."),
        "gpu_lost": _("What became of it is not known any more; what is shown here is how it is now."),
        "gpu_gb": _("%(n)s GB"),
    }
