"""What speaks for a model and against it: points with their words. How the points compare is what the choice is (S4.2).

A step of the tier is 20 points. Being loaded is worth 12: less than a step, so that the fitting model is loaded after
all, and more than every small difference, so that near-equal models do not take turns. One slow answer (15) outweighs
nothing but that; a failure that cost a whole answer (40) outweighs two steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu.catalogue.entries import ModelEntry
from gpu.choices import Capability, Tier
from gpu.selection.situation import Factor, Situation, Task

TOO_WEAK = -20  # a step below what the task wants
TOO_STRONG = -8  # a step above it: slower, and more memory for nothing
LOADED = 12
CUTS_HISTORY = -15
UNUSED_EYES = -3
THINKS = -4  # a reasoning model where no reasoning is wanted
ON_PROCESSOR = -8  # each step above light
PROCESSOR_BUSY = -6  # each step, the first included
BUSY_PERCENT = 80.0
SCARCE = -5
SCARCE_SHARE = 0.1

SLOW, UNUSABLE, FAILED, NO_MEMORY = -15.0, -25.0, -40.0, -60.0


def factors_of(entry: ModelEntry, task: Task, now: Situation) -> tuple[Factor, ...]:
    return (*_tier(entry, task), *_place(entry, now), *_habits(entry, task, now), *now.lowered.get(entry.key, ()))


def _tier(entry: ModelEntry, task: Task) -> Iterator[Factor]:
    steps = entry.tier - task.complexity
    wanted = Tier(task.complexity).name.lower()
    if steps < 0:
        yield Factor(TOO_WEAK * -steps, f"is {entry.tier.name.lower()}, and the task is {wanted}")
    elif steps > 0:
        yield Factor(TOO_STRONG * steps, f"is {entry.tier.name.lower()}, and a {wanted} one would do")
    else:
        yield Factor(0, f"is {wanted}, as the task is")


def _place(entry: ModelEntry, now: Situation) -> Iterator[Factor]:
    if entry.key in now.loaded:
        yield Factor(LOADED, "is loaded")
    if entry.provider not in now.here or now.is_remote(entry):
        return
    if now.uses_gpu(entry):
        needed, free = now.memory(entry)
        if free is not None and free - needed < SCARCE_SHARE * (now.resources.vram_total_mb or 0):
            yield Factor(SCARCE, "would leave little GPU memory")
        return
    above = entry.tier - Tier.LIGHT
    if above:
        yield Factor(ON_PROCESSOR * above, "is slow without a GPU")
    if now.resources.cpu_percent >= BUSY_PERCENT:
        words = f"would take from a processor that is busy already ({now.resources.cpu_percent:.0f} %)"
        yield Factor(PROCESSOR_BUSY * (above + 1), words)


def _habits(entry: ModelEntry, task: Task, now: Situation) -> Iterator[Factor]:
    if now.context_of(entry) < task.all_tokens:
        yield Factor(CUTS_HISTORY, "cannot hold the whole conversation")
    if Capability.VISION.value in entry.capabilities and not task.vision:
        yield Factor(UNUSED_EYES, "sees pictures, and there is none")
    if Capability.REASONING.value in entry.capabilities and task.complexity is Tier.LIGHT:
        yield Factor(THINKS, "thinks at length, which this does not need")
