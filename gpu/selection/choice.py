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
from sentences.said import say, then


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
        others = {entry.key: say("choice.other_held", model=held.key) for entry in able if entry is not held}
        return Selection(model=held, reasons=(say("choice.held"), _memory_words(held, now)), rejected=barred | others)
    factors = {entry.key: factors_of(entry, task, now) for entry in able}
    best = min(able, key=lambda one: (-sum(factor.points for factor in factors[one.key]), one.vram_mb, one.key))
    reasons = [factor.words for factor in factors[best.key]] + [_memory_words(best, now)]
    if held is not None:
        reasons.insert(0, say("choice.held_cannot", model=held.key, why=barred[held.key]))
    behind = {entry.key: _behind(factors[entry.key], factors[best.key], best) for entry in able if entry is not best}
    return Selection(model=best, reasons=tuple(reasons), rejected=barred | behind)


def obstacle(entry: ModelEntry, task: Task, now: Situation) -> str:
    """Why a model cannot do it here and now; empty: it can."""
    if not entry.enabled:
        return say("choice.not_in_use")
    if entry.key in now.excluded:
        return now.excluded[entry.key]
    if entry.provider in now.away:
        return now.away[entry.provider]
    if entry.key not in now.served.get(entry.provider, {entry.key}):
        is_ollama = entry.provider is ProviderName.OLLAMA
        return say("choice.to_be_pulled", name=entry.name) if is_ollama else say("choice.not_on_server")
    if now.is_remote(entry) and not entry.allow_remote:
        return say("choice.remote")
    lacking = [say(f"able.{one.value}") for one in task.capabilities if one.value not in entry.capabilities]
    if lacking:
        return say("choice.cannot", what=lacking)
    if task.vision and entry.key in now.blind:
        return say("choice.blind")
    if now.context_of(entry) < task.least_tokens:
        return say("choice.context_short", context=now.context_of(entry), needed=task.least_tokens)
    return _shortage(entry, now)


def _shortage(entry: ModelEntry, now: Situation) -> str:
    """Memory that is missing. A chat is given what is free, never what a run has (S4.5)."""
    needed, free = now.memory(entry)
    if free is None or needed <= free:
        return ""
    code = "choice.needs_memory"
    if now.uses_gpu(entry):
        code = "choice.needs_gpu_of_run" if now.mode is ExecutionMode.AUTOPILOT else "choice.needs_gpu"
    return say(code, needed=needed, free=free)


def _memory_words(entry: ModelEntry, now: Situation) -> str:
    if entry.key in now.loaded:
        return say("choice.takes_no_more")
    needed, free = now.memory(entry)
    if free is None:
        return say("choice.takes_none_here")
    return say("choice.takes_gpu" if now.uses_gpu(entry) else "choice.takes_memory", needed=needed, free=free)


def _behind(own: Sequence[Factor], of_best: Sequence[Factor], best: ModelEntry) -> str:
    against = [factor.words for factor in own if factor.points < 0]
    for_best = [factor.words for factor in of_best if factor.points > 0 and factor not in own]
    whys = [*against, *(say("choice.that_one", why=words) for words in for_best)] or [say("choice.that_one_less")]
    return say("choice.better", best=best.key, why=then(whys))


def _nothing(task: Task, catalogue: Sequence[ModelEntry], barred: Mapping[str, str], now: Situation) -> NoModelFits:
    if not catalogue:
        words = say("choice.catalogue_empty")
        return NoModelFits(words, reasons=())
    short = [(now.memory(entry)[0], entry.key) for entry in catalogue if barred[entry.key] == _shortage(entry, now)]
    reasons = [say("choice.of_model", model=key, why=why) for key, why in barred.items()]
    if short:
        nearest = min(short)[1]
        words = say("choice.none_fits_nearest", task=task.needs, model=nearest, why=barred[nearest])
    else:
        words = say("choice.none_fits", task=task.needs, whys=then(reasons))
    return NoModelFits(words, reasons=reasons)
