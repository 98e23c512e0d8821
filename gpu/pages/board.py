"""The GPU on the pages, in words: its board, and what every page says while it is degraded (S3.8, S3.9)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Max, Min
from django.db.models.functions import TruncMinute
from django.utils import timezone, translation
from django.utils.dateparse import parse_datetime
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpu.choices import GPUEventKind, ProviderName, RequestState
from gpu.control.reporter import NO_GPU
from gpu.machine.ownership import Ownership, as_error, machine_name, told_name
from gpu.machine.status import STALE_AFTER_S, gpu_folder
from gpu.models import CatalogueModel, GPUEvent, GPUSample, GPUState
from gpu.types import ExecutionMode, ModelState, Purpose, RequestKind
from sentences.said import by_sentence, sentences_of, worded

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
    Purpose.PRELOAD: gettext_lazy("to have it ready"),
}
_NOT_LOADED = (gettext_lazy("not loaded"), "circle-dashed", "")


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


@dataclass(frozen=True, slots=True)
class GpuNews:
    """`mark` differs whenever the page has something new to show; empty while nothing is known of any GPU."""

    mark: str = ""
    banners: dict[str, dict[str, str] | None] = field(default_factory=dict)  # by language
    events: dict[str, dict[str, str] | None] = field(default_factory=dict)  # the newest, by language

    def text(self, language: str) -> str:
        """JSON without its braces, for the message of the stream; empty where nothing is known."""
        if not self.mark:
            return ""
        told = {"mark": self.mark, "banner": self.banners[language], "event": self.events[language]}
        return json.dumps(told, separators=(",", ":"))[1:-1]


def news_of_gpu(languages: Iterable[str]) -> GpuNews:
    """Two small queries, for all sockets together."""
    states = list(GPUState.objects.order_by("machine"))
    if not states:
        return GpuNews()
    event = _newest()
    banners, events = {}, {}
    for language in languages:
        with translation.override(language):
            banners[language], events[language] = banner(states), _event_told(event)
    return GpuNews(_mark(states, event), banners, events)


def _newest() -> GPUEvent | None:
    return GPUEvent.objects.defer("status").order_by("-pk").first()


def _event_told(event: GPUEvent | None) -> dict[str, str] | None:
    if event is None:
        return None
    return {"kind": event.kind, "at": event.at.isoformat(), "machine": event.machine, "message": worded(event.text)}


def _mark(states: Iterable[GPUState], event: GPUEvent | None) -> str:
    parts = [f"{state.machine}:{state.revision}:{state.owner}:{is_lost(state)}" for state in states]
    return "|".join([*parts, str(event.pk if event else 0)])


def is_lost(state: GPUState) -> bool:
    """Whether somebody said to own the GPU and is not there: its process has ended, or gives no sign of life."""
    if not state.owner:
        return False
    is_silent = (timezone.now() - state.heartbeat_at).total_seconds() > STALE_AFTER_S
    return is_silent or (state.machine == machine_name() and Ownership(gpu_folder()).holder() is None)


def troubles(state: GPUState) -> str:
    """Why it is degraded, as far as somebody should look after it; without an owner nobody can say."""
    if not state.degraded or not state.owner or is_lost(state):
        return ""
    said = [one for one in sentences_of(state.degraded_reason) if one != NO_GPU]  # which is said beside the memory
    return worded(by_sentence(said))


def banner(states: Sequence[GPUState]) -> dict[str, str] | None:
    """What every page says while models are not to be had: title and reason, with the machine where there are more."""
    for state in states:
        if reason := troubles(state):
            text = f"{state.machine}: {reason}" if len(states) > 1 else reason
            return {"title": _("The models work only in part."), "text": text}
    return None


def banner_now() -> dict[str, str] | None:
    return banner(list(GPUState.objects.order_by("machine")))


OPERATE_GPU = "gpu.operate_gpu"
EVENTS = 40
MINUTES = 15

_ICON_OF_EVENT = {
    GPUEventKind.RESOURCE_CHANGED: "stack",
    GPUEventKind.MODE_CHANGED: "switch-horizontal",
    GPUEventKind.IDLE_UNLOAD: "zzz",
    GPUEventKind.OWNER_CHANGED: "user-check",
    GPUEventKind.REQUEST_FAILED: "alert-triangle",
}


def gpu_context(user: Any) -> dict[str, Any]:
    """All that the templates of the GPU's part show, this machine first."""
    here = machine_name()
    states = sorted(GPUState.objects.all(), key=lambda state: (state.machine != here, state.machine))
    return {
        "gpu_mark": _mark(states, _newest()) if states else "",
        "gpu_machines": [described(state, is_here=state.machine == here) for state in states],
        "gpu_may_operate": user.has_perm(OPERATE_GPU),
        "gpu_permission": OPERATE_GPU,
        "gpu_words": scripts(),
    }


def described(state: GPUState, *, is_here: bool) -> dict[str, Any]:
    models = model_lines(state)
    return {
        "state": state,
        "key": state.pk,
        "is_here": is_here,
        "is_lost": is_lost(state),
        "owner": worded(told_name(state.owner)),
        "trouble": troubles(state),
        "trouble_since": state.degraded_since if state.vram else None,  # without a GPU it is as old as the owner
        "mode": mode_name(state.mode),
        "modes": [
            {"value": mode.value, "name": name, "what": what, "is_now": mode.value == state.mode}
            for mode, (name, what) in MODES.items()
        ],
        "clip": device(state.clip_device),
        "clip_on_gpu": state.clip_device.startswith("cuda"),
        "gpus": gpu_lines(state),
        "models": models,
        "more_models": catalogue_lines(models) if is_here else [],
        "queue": [queue_line(entry) for entry in state.queue],
        "events": event_lines(state.machine),
    }


def gpu_lines(state: GPUState) -> list[dict[str, Any]]:
    """The GPUs with their memory in words, which is also what a screen reader is told of the chart."""
    minutes = minutes_of(state.machine) if state.vram else {}
    return [_gpu_line(gpu, minutes.get(str(gpu["uuid"]), [])) for gpu in state.vram]


def _gpu_line(gpu: Mapping[str, Any], minutes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    words = {name: memory(gpu[f"{name}_mb"]) for name in ("used", "total", "free")}
    before = ""
    if minutes:
        low, high = min(minute["low"] for minute in minutes), max(minute["high"] for minute in minutes)
        spread = {"low": memory(low), "high": memory(high), "n": MINUTES}
        before = _("Between %(low)s and %(high)s in the last %(n)d minutes.") % spread
    return {
        **gpu,
        "now": _("%(used)s of %(total)s used, %(free)s free") % words,
        "before": before,
        "minutes": [{"at": minute["minute"], "used": memory(minute["high"])} for minute in minutes],
    }


def minutes_of(machine: str) -> dict[str, list[Any]]:
    """The least and the most that was used in each of the last minutes, by GPU, the newest first."""
    rows = (
        GPUSample.objects.filter(machine=machine, at__gte=timezone.now() - timedelta(minutes=MINUTES))
        .order_by()
        .annotate(minute=TruncMinute("at"))
        .values("gpu", "minute")
        .annotate(low=Min("used_mb"), high=Max("used_mb"))
        .order_by("gpu", "-minute")
    )
    return {gpu: list(minutes) for gpu, minutes in groupby(rows, itemgetter("gpu"))}


def model_lines(state: GPUState) -> list[dict[str, Any]]:
    """The models that the owner told of, and the vision model that is set."""
    told = {str(resident["name"]): resident for resident in state.residents}
    if state.vlm_model:
        told.setdefault(state.vlm_model, {"state": state.vlm_state, "need_mb": _needs().get(state.vlm_model)})
    return [_line(name, resident) for name, resident in told.items()]


def catalogue_lines(shown: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What else there is to choose from; whether it is on the disk, only the models' server knows."""
    known = {line["name"] for line in shown}
    return [_line(name, {"state": "", "need_mb": need}) for name, need in _needs().items() if name not in known]


def _needs() -> dict[str, int]:
    """The models of the catalogue and what they need of GPU memory in MB."""
    models = CatalogueModel.objects.filter(enabled=True, provider=ProviderName.OLLAMA)
    return dict(models.values_list("name", "vram_mb"))


def _line(name: str, resident: Mapping[str, Any]) -> dict[str, Any]:
    state, need = str(resident.get("state", "")), resident.get("need_mb")
    word, icon, colour = STATES[ModelState(state)] if state in set(ModelState) else _NOT_LOADED
    in_memory = state in (ModelState.LOADED, ModelState.UNLOADING)
    held = need or resident.get("vram_mb") or resident.get("size_mb")
    wanted = _("needs about %(n)s") % {"n": memory(need)} if need else "–"
    return {
        "name": name,
        "word": word,
        "icon": icon,
        "colour": colour,
        "memory": memory(held) if in_memory else wanted,
        "note": _note(resident) if in_memory else "",
        "can_load": state not in (ModelState.LOADING, ModelState.LOADED, ModelState.UNLOADING),
        "can_unload": state == ModelState.LOADED,
    }


def _note(resident: Mapping[str, Any]) -> str:
    """Where only a part of it is in GPU memory: answers are slow then."""
    vram, size = resident.get("vram_mb"), resident.get("size_mb")
    if vram is None or not size or vram >= size:
        return ""
    if not vram:
        return _("on the processor: its answers are slow")
    share = {"n": round(100 * (size - vram) / size)}
    return _("%(n)d %% of it on the processor: its answers are slow") % share


def queue_line(entry: Mapping[str, Any]) -> dict[str, Any]:
    state = str(entry.get("state") or RequestState.WAITING)
    return {
        "text": asked(entry),
        "by": entry.get("asked_by") or "",
        "state": RequestState(state).label if state in RequestState.values else state,
        "is_waiting": state == RequestState.WAITING,
        "at": parse_datetime(str(entry.get("asked_at"))),
    }


def event_lines(machine: str) -> list[dict[str, Any]]:
    """What happened, and what people asked for in vain, the newest first."""
    return [_event_line(event) for event in GPUEvent.objects.filter(machine=machine).order_by("-pk")[:EVENTS]]


def _event_line(event: GPUEvent) -> dict[str, Any]:
    failed = event.kind == GPUEventKind.REQUEST_FAILED
    icon = _ICON_OF_EVENT.get(GPUEventKind(event.kind), "point") if event.kind in GPUEventKind.values else "point"
    text = _failure(event.status) if failed else worded(event.text)
    return {"key": f"event-{event.pk}", "at": event.at, "icon": icon, "text": text, "is_failure": failed}


def _failure(told: Mapping[str, Any]) -> str:
    request = told.get("request") or {}
    said = {"what": asked(request), "why": worded(as_error(told))}
    if who := request.get("asked_by"):
        return _("%(what)s, asked by %(who)s: not done. %(why)s") % {**said, "who": who}
    return _("%(what)s: not done. %(why)s") % said
