"""Further looks of a target beside the taught one: they fill in where that one is not found, and never outvote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from execution.types import Box, Resolution, ResolveStatus
from sentences.said import say

_ONE_PLACE = 0.5  # of the joint area: two looks that found the same thing


def beside(taught: Resolution, further: Mapping[str, Resolution]) -> Resolution:
    """What all looks of a target come to. `further` are what those found that coaches showed, by their ids.

    Found as it was taught it is there, and who found it elsewhere is told as `against`. Not found, it is where all
    further looks that found one agree; where they do not it is ambiguous. Of `looks` the first says place and point.
    """
    found = {key: one for key, one in further.items() if one.status is ResolveStatus.FOUND and one.box is not None}
    if taught.status is ResolveStatus.FOUND:
        elsewhere = tuple(key for key, one in found.items() if not _is_one_place(taught.box, one.box))
        return replace(taught, against=elsewhere) if elsewhere else taught
    if not found:
        return taught
    ranked = sorted(found, key=lambda key: found[key].score, reverse=True)
    best = found[ranked[0]]
    if not all(_is_one_place(best.box, one.box) for one in found.values()):
        evidence = (*taught.evidence, *(result for one in found.values() for result in one.evidence))
        return replace(
            taught,
            status=ResolveStatus.AMBIGUOUS,
            evidence=evidence,
            message=say("targeting.looks_disagree", n=len(found)),
        )
    return replace(best, evidence=(*taught.evidence, *best.evidence), looks=tuple(ranked))


def _is_one_place(one: Box | None, other: Box | None) -> bool:
    if one is None or other is None:
        return False
    return one.iou(other) >= _ONE_PLACE or (one.contains(other.center) and other.contains(one.center))
