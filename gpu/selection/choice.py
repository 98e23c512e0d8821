"""Which model answers: a pure choice over what is there now, that says why for each model of the catalogue (S4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpu.catalogue.entries import ModelEntry
from gpu.choices import ProviderName
from gpu.exceptions import NoModelFits
from gpu.selection.scoring import factors_of
from gpu.selection.situation import Factor, Situation, Task
from gpu.types import ExecutionMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """`rejected` has every other model of the catalogue, and why it is not this one that answers."""

    model: ModelEntry
    reasons: tuple[str, ...]
    rejected: Mapping[str, str]


def choose(task: Task, catalogue: Sequence[ModelEntry], now: Situation) -> Selection:
    """The model for the task; raises NoModelFits, with what is needed and why none of them will do."""
    barred = {entry.key: why for entry in catalogue if (why := obstacle(entry, task, now))}
    able = [entry for entry in catalogue if entry.key not in barred]
    held = next((entry for entry in catalogue if entry.held), None)
    if not able:
        raise _nothing(task, catalogue, barred, now)
    if held is not None and held.key not in barred:
        others = {entry.key: f"“{held.key}” is held by hand" for entry in able if entry is not held}
        return Selection(model=held, reasons=("is held by hand", _memory_words(held, now)), rejected=barred | others)
    factors = {entry.key: factors_of(entry, task, now) for entry in able}
    best = min(able, key=lambda one: (-sum(factor.points for factor in factors[one.key]), one.vram_mb, one.key))
    reasons = [factor.words for factor in factors[best.key]] + [_memory_words(best, now)]
    if held is not None:
        reasons.insert(0, f"“{held.key}” is held by hand, and cannot answer this: {barred[held.key]}")
    behind = {entry.key: _behind(factors[entry.key], factors[best.key], best) for entry in able if entry is not best}
    return Selection(model=best, reasons=tuple(reasons), rejected=barred | behind)


def obstacle(entry: ModelEntry, task: Task, now: Situation) -> str:
    """Why a model cannot do it here and now; empty: it can."""
    if not entry.enabled:
        return "is not in use (see the catalogue)"
    if entry.key in now.excluded:
        return now.excluded[entry.key]
    if entry.provider in now.away:
        return now.away[entry.provider]
    if entry.key not in now.served.get(entry.provider, {entry.key}):
        hint = f": `ollama pull {entry.name}`" if entry.provider is ProviderName.OLLAMA else ""
        return f"is not on the server{hint}"
    if now.is_remote(entry) and not entry.allow_remote:
        return "runs on another machine, and no admin has allowed that"
    lacking = [str(one.label) for one in task.capabilities if one.value not in entry.capabilities]
    if lacking:
        return f"cannot do {', '.join(lacking)}"
    if task.vision and entry.key in now.blind:
        return "cannot do pictures, says its server"
    if now.context_of(entry) < task.least_tokens:
        return f"holds {now.context_of(entry)} tokens, and at least {task.least_tokens} are needed"
    return _shortage(entry, now)


def _shortage(entry: ModelEntry, now: Situation) -> str:
    """Memory that is missing. A chat is given what is free, never what a run has (S4.5)."""
    needed, free = now.memory(entry)
    if free is None or needed <= free:
        return ""
    of_what = "GPU memory" if now.uses_gpu(entry) else "memory"
    held = " while a run has the GPU" if now.mode is ExecutionMode.AUTOPILOT and now.uses_gpu(entry) else ""
    return f"needs {needed} MB of {of_what}, and {free} MB are free{held}"


def _memory_words(entry: ModelEntry, now: Situation) -> str:
    if entry.key in now.loaded:
        return "takes no more memory"
    needed, free = now.memory(entry)
    if free is None:
        return "takes no memory of this machine"
    return f"needs {needed} of {free} MB free {'GPU memory' if now.uses_gpu(entry) else 'memory'}"


def _behind(own: Sequence[Factor], of_best: Sequence[Factor], best: ModelEntry) -> str:
    against = [factor.words for factor in own if factor.points < 0]
    for_best = [factor.words for factor in of_best if factor.points > 0 and factor not in own]
    words = "; ".join([*against, *(f"that one {words}" for words in for_best)]) or "that one takes less memory"
    return f"would do, “{best.key}” is better: {words}"


def _nothing(task: Task, catalogue: Sequence[ModelEntry], barred: Mapping[str, str], now: Situation) -> NoModelFits:
    if not catalogue:
        words = "The catalogue of models is empty: `manage.py load_catalogue` fills it."
        return NoModelFits(words, reasons=())
    short = [(now.memory(entry)[0], entry.key) for entry in catalogue if barred[entry.key] == _shortage(entry, now)]
    nearest = f" The nearest is “{min(short)[1]}”: it {barred[min(short)[1]]}." if short else ""
    reasons = [f"{key} {why}" for key, why in barred.items()]
    tail = "" if short else f" {'; '.join(reasons)}."
    return NoModelFits(f"No model fits. Needed are: {task}.{nearest}{tail}", reasons=reasons)
