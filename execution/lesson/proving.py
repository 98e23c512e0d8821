"""What was taught, tried at once: each target on every stored picture, each screen beside all the others (S6.11)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from execution.lesson.screens import Look
from execution.matching.matcher import Matcher
from execution.matching.references import Reading, Reference
from execution.perception.pictures import PictureSource
from execution.targeting.resolver import TargetResolver
from execution.types import Box, Frame, Resolution, ResolveStatus, ScreenState
from workflows.choices import EffectClass
from workflows.exceptions import PictureError
from workflows.graph import GraphSpec, TargetSpec

MOST_ELSEWHERE = 10  # pictures of other screens that a target is tried on
_SAME_PLACE = 0.04  # of the screen: what is found so near on another screen is the same thing there
_WEAK_LEAD = 0.1  # of confidence, by which a screen must lead the next one


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One target on all pictures: those of its own screen, and those of others."""

    target: TargetSpec
    effect: EffectClass
    own: Sequence[Look]
    others: Sequence[Look]
    values: Mapping[str, str]


def proved(trial: Trial, *, pictures: PictureSource) -> dict[str, Any]:
    """How often it was found, and where it should not have been, for the page; `failed` are the digests."""
    began = time.perf_counter()
    resolver = TargetResolver(pictures=pictures)

    def resolved(look: Look) -> Resolution | None:
        state = with_pixels(look, pictures)
        return resolver.resolve(trial.target, state, variables=trial.values, effect=trial.effect) if state else None

    own = {look.picture: resolved(look) for look in trial.own}
    seen = {digest: found for digest, found in own.items() if found is not None}
    failed = [digest for digest, found in seen.items() if found.status is not ResolveStatus.FOUND]
    elsewhere = sum(_is_another(trial.target, resolved(look), look) for look in trial.others[:MOST_ELSEWHERE])
    return {
        "found": len(seen) - len(failed),
        "of": len(seen),
        "elsewhere": elsewhere,
        "ms": round(1000 * (time.perf_counter() - began)),
        "failed": failed,
        "pictures": list(seen),
    }


def told_apart(
    graph: GraphSpec,
    looks: Mapping[str, Sequence[Look]],
    *,
    pictures: PictureSource,
    values: Mapping[str, str],
) -> dict[str, dict[str, Any]]:
    """By node id how nearly another screen of the workflow would be taken for it."""
    references = {name: reference_of(some) for name, some in looks.items() if some}
    matcher = Matcher(graph, pictures=pictures, embedder=None, references=references)
    told = {}
    for name, some in looks.items():
        if not some or graph.node(name) is None:
            continue
        state, look = some[0].state, some[0]
        ranked = matcher.recognise(state, variables=values).candidates
        own = next((match.confidence for match in ranked if match.node_id == name), 0.0)
        best = max((m for m in ranked if m.node_id != name), key=lambda m: m.confidence, default=None)
        told[name] = {
            "score": round(max(0.0, own - (best.confidence if best else 0.0)), 3),
            "weak": own < matcher.threshold or (best is not None and own - best.confidence < _WEAK_LEAD),
            "nearest": _nearest(best.node_id, graph, looks) if best and best.confidence > 0 else None,
            "picture": look.picture,
        }
    return told


def _nearest(node_id: str, graph: GraphSpec, looks: Mapping[str, Sequence[Look]]) -> dict[str, str]:
    known = looks.get(node_id) or ()
    return {"node": node_id, "name": graph.name_of(node_id), "picture": known[0].picture if known else ""}


def reference_of(looks: Sequence[Look]) -> Reference:
    """What a matcher knows of a screen that was seen like that."""
    first, *further = (
        Reference(
            picture=look.picture,
            reading=Reading(
                picture=look.picture, maker="", size=look.state.frame.size,
                texts=look.texts, elements=look.state.elements,
            ),
            window=look.state.window,
        )
        for look in looks
    )  # fmt: skip
    return Reference(picture=first.picture, reading=first.reading, window=first.window, looks=tuple(further))


def with_pixels(look: Look, pictures: PictureSource) -> ScreenState | None:
    """The screen as its stored picture shows it; None where that is gone."""
    try:
        pixels = pictures.load(look.picture)
    except PictureError:
        return None
    state = look.state
    frame = Frame(pixels=pixels, taken_at=state.frame.taken_at)
    return ScreenState(
        frame=frame, window=state.window, texts=state.texts, elements=state.elements, text_method=state.text_method
    )


def _is_another(target: TargetSpec, found: Resolution | None, look: Look) -> bool:
    """Whether another thing was found on another screen; a menu that all of them have is the same one."""
    if found is None or found.box is None or target.box is None:
        return False
    here, taught = found.box.normalised(look.state.frame.size), target.box
    middle = (here[0] + here[2] / 2 - taught[0] - taught[2] / 2, here[1] + here[3] / 2 - taught[1] - taught[3] / 2)
    return max(abs(middle[0]), abs(middle[1])) > _SAME_PLACE


def counts_of(target: TargetSpec, alike: Sequence[Box]) -> dict[str, int]:
    """How many of the screen have that sign."""
    sign = "text" if target.text else "named_by" if target.named_by else "picture"
    return {sign: max(1, len(alike))}
