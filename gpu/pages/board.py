"""The GPU's part of the page “Robots and GPU”: what its owner last told, in words (S3.8, S3.9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max, Min
from django.db.models.functions import TruncMinute
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from gpu.choices import GPUEventKind, ProviderName, RequestState
from gpu.machine import request_rows
from gpu.machine.ownership import machine_name, told_name
from gpu.models import CatalogueModel, GPUEvent, GPUSample, GPUState, OwnerRequest
from gpu.pages import texts
from gpu.pages.news import is_lost, mark_of, troubles
from gpu.refusals import sentence
from gpu.types import ModelState, RequestKind
from sentences.said import worded

OPERATE_GPU = "gpu.operate_gpu"
EVENTS = 40
WITHDRAWN = "Withdrawn"  # the asker went away: nobody failed
MINUTES = 15

_ICON_OF_EVENT = {
    GPUEventKind.RESOURCE_CHANGED: "stack-2",
    GPUEventKind.MODE_CHANGED: "switch-horizontal",
    GPUEventKind.IDLE_UNLOAD: "zzz",
    GPUEventKind.OWNER_CHANGED: "user-check",
}
# What a person asks for; the use of a model by a run is told on the page of the run.
_BY_PEOPLE = [kind.value for kind in RequestKind if kind is not RequestKind.USE]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model as a row of the table."""

    name: str
    state: str  # a ModelState
    word: str
    icon: str
    colour: str
    memory: str
    note: str
    can_load: bool
    can_unload: bool


@dataclass(frozen=True, slots=True)
class Minute:
    at: datetime
    low_mb: int
    high_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    key: str
    at: datetime
    icon: str
    text: str
    is_failure: bool


def gpu_context(user: Any) -> dict[str, Any]:
    """All that the templates of the GPU's part show, this machine first."""
    here = machine_name()
    states = sorted(GPUState.objects.all(), key=lambda state: (state.machine != here, state.machine))
    return {
        "gpu_mark": mark_of(states) if states else "",
        "gpu_machines": [described(state, is_here=state.machine == here) for state in states],
        "gpu_may_operate": user.has_perm(OPERATE_GPU),
        "gpu_permission": OPERATE_GPU,
        "gpu_words": texts.scripts(),
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
        "mode": texts.mode_name(state.mode),
        "modes": [
            {"value": mode.value, "name": name, "what": what, "is_now": mode.value == state.mode}
            for mode, (name, what) in texts.MODES.items()
        ],
        "clip": texts.device(state.clip_device),
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
    return [gpu_line(gpu, minutes.get(str(gpu["uuid"]), [])) for gpu in state.vram]


def gpu_line(gpu: Mapping[str, Any], minutes: Sequence[Minute]) -> dict[str, Any]:
    words = {name: texts.memory(gpu[f"{name}_mb"]) for name in ("used", "total", "free")}
    before = ""
    if minutes:
        low, high = min(minute.low_mb for minute in minutes), max(minute.high_mb for minute in minutes)
        spread = {"low": texts.memory(low), "high": texts.memory(high), "n": MINUTES}
        before = _("Between %(low)s and %(high)s in the last %(n)d minutes.") % spread
    return {
        "uuid": gpu["uuid"],
        "name": gpu["name"],
        "total_mb": gpu["total_mb"],
        "now": _("%(used)s of %(total)s used, %(free)s free") % words,
        "before": before,
        "minutes": [{"at": minute.at, "used": texts.memory(minute.high_mb)} for minute in minutes],
    }


def minutes_of(machine: str) -> dict[str, list[Minute]]:
    """The least and the most that was used in each of the last minutes, by GPU, the newest first."""
    rows = (
        GPUSample.objects.filter(machine=machine, at__gte=timezone.now() - timedelta(minutes=MINUTES))
        .order_by()
        .annotate(minute=TruncMinute("at"))
        .values("gpu", "minute")
        .annotate(low=Min("used_mb"), high=Max("used_mb"))
        .order_by("gpu", "-minute")
    )
    found: dict[str, list[Minute]] = {}
    for row in rows:
        found.setdefault(row["gpu"], []).append(Minute(row["minute"], row["low"], row["high"]))
    return found


def model_lines(state: GPUState) -> list[ModelRow]:
    """The models that the owner told of, and the vision model that is set."""
    told = {str(resident["name"]): resident for resident in state.residents}
    if state.vlm_model:
        told.setdefault(state.vlm_model, {"state": state.vlm_state, "need_mb": _needs().get(state.vlm_model)})
    return [_line(name, resident) for name, resident in told.items()]


def catalogue_lines(shown: Iterable[ModelRow]) -> list[ModelRow]:
    """What else there is to choose from; whether it is on the disk, only the models' server knows."""
    known = {line.name for line in shown}
    return [_line(name, {"state": "", "need_mb": need}) for name, need in _needs().items() if name not in known]


def _needs() -> dict[str, int]:
    """The models of the catalogue and what they need of GPU memory in MB."""
    models = CatalogueModel.objects.filter(enabled=True, provider=ProviderName.OLLAMA)
    return dict(models.values_list("name", "vram_mb"))


def _line(name: str, resident: Mapping[str, Any]) -> ModelRow:
    state = str(resident.get("state", ""))
    word, icon, colour = texts.model_state(state)
    in_memory = state in (ModelState.LOADED, ModelState.UNLOADING)
    need = resident.get("need_mb")
    held = resident.get("need_mb") or resident.get("vram_mb") or resident.get("size_mb")
    wanted = _("needs about %(n)s") % {"n": texts.memory(need)} if need else "–"
    return ModelRow(
        name=name,
        state=state,
        word=word,
        icon=icon,
        colour=colour,
        memory=texts.memory(held) if in_memory else wanted,
        note=_note(resident) if in_memory else "",
        can_load=state not in (ModelState.LOADING, ModelState.LOADED, ModelState.UNLOADING),
        can_unload=state == ModelState.LOADED,
    )


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
        "text": texts.asked(entry),
        "by": entry.get("asked_by") or "",
        "state": RequestState(state).label if state in RequestState.values else state,
        "is_waiting": state == RequestState.WAITING,
        "at": _moment(entry.get("asked_at")),
    }


def event_lines(machine: str) -> list[EventLine]:
    """What happened, and what people asked for in vain, the newest first."""
    events = [
        EventLine(
            key=f"event-{event.pk}",
            at=event.at,
            icon=_ICON_OF_EVENT.get(GPUEventKind(event.kind), "point")
            if event.kind in GPUEventKind.values
            else "point",
            text=worded(event.text),
            is_failure=False,
        )
        for event in GPUEvent.objects.filter(machine=machine).defer("status").order_by("-pk")[:EVENTS]
    ]
    failed = OwnerRequest.objects.filter(
        machine=machine, state=RequestState.FAILED, kind__in=_BY_PEOPLE, finished_at__isnull=False
    ).exclude(error=WITHDRAWN)
    lines = [*events, *(_failure(request) for request in failed.order_by("-pk")[:EVENTS])]
    return sorted(lines, key=lambda line: line.at, reverse=True)[:EVENTS]


def _failure(request: OwnerRequest) -> EventLine:
    what = texts.asked({**request.request, "kind": request.kind})
    said = {"what": what, "why": sentence(request_rows.as_error(request.error, request.answer))}
    text = _("%(what)s: not done. %(why)s") % said
    if request.asked_by:
        text = _("%(what)s, asked by %(who)s: not done. %(why)s") % {**said, "who": request.asked_by}
    assert request.finished_at is not None  # filtered
    return EventLine(
        key=f"request-{request.pk}", at=request.finished_at, icon="alert-triangle", text=text, is_failure=True
    )


def _moment(when: Any) -> datetime | None:
    return parse_datetime(when) if isinstance(when, str) else None
