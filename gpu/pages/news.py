"""What the hub tells of the GPU (S3.9): that something has changed, and what every page says while it is degraded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Max
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from gpu.choices import RequestState
from gpu.control.reporter import NO_GPU
from gpu.machine.ownership import Ownership, machine_name
from gpu.machine.status import STALE_AFTER_S, gpu_folder
from gpu.models import GPUEvent, GPUState, OwnerRequest
from sentences.said import by_sentence, sentences_of, worded


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
    """Three small queries, for all sockets together."""
    states = list(GPUState.objects.order_by("machine"))
    if not states:
        return GpuNews()
    event = _newest()
    banners, events = {}, {}
    for language in languages:
        with translation.override(language):
            banners[language], events[language] = banner(states), _told(event)
    return GpuNews(_mark(states, event), banners, events)


def mark_of(states: Iterable[GPUState]) -> str:
    return _mark(states, _newest())


def _newest() -> GPUEvent | None:
    return GPUEvent.objects.defer("status").order_by("-pk").first()


def _told(event: GPUEvent | None) -> dict[str, str] | None:
    if event is None:
        return None
    return {"kind": event.kind, "at": event.at.isoformat(), "machine": event.machine, "message": worded(event.text)}


def _mark(states: Iterable[GPUState], event: GPUEvent | None) -> str:
    failed = OwnerRequest.objects.filter(state=RequestState.FAILED).aggregate(newest=Max("finished_at"))["newest"]
    parts = [f"{state.machine}:{state.revision}:{state.owner}:{is_lost(state)}" for state in states]
    return "|".join([*parts, str(event.pk if event else 0), failed.isoformat() if failed else ""])


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
