"""Which of a coach's corrections a suggestion stands on, and whether a person decides therefore (S6.4)."""

from __future__ import annotations

from execution.learning.conditions import conditions_of
from execution.learning.judging import PARAMS, PLACE, SCREEN
from execution.learning.overlay import Overlay
from execution.types import CorrectionUsed, Resolution, ScreenState
from sentences.said import by_sentence, say
from workflows.graph import EdgeSpec

_DOUBTS = {"against": "turn.learned_elsewhere", SCREEN: "turn.learned_screen"}


def used_by(
    overlay: Overlay, edge: EdgeSpec, resolution: Resolution, state: ScreenState, *, screen: str = ""
) -> tuple[CorrectionUsed, ...]:
    """The corrections that a place or the parameters come from, and those that say another place than the taught one.
    `screen` is the node that the screen is known as only by what a person picked.

    What is trusted is so under the conditions that it was proved under; elsewhere it is on trial. Of several looks
    that found a place the one counts whose place and point it is.
    """
    if not overlay.taught:
        return ()
    here = conditions_of(state)
    places = [one for key in resolution.looks[:1] if (one := overlay.taught.get(key))]
    used = [CorrectionUsed(key=one.key, part=PLACE, on_trial=not one.is_trusted(here), said=one.said) for one in places]
    used += [
        CorrectionUsed(key=one.key, part=PLACE, on_trial=True, against=True, said=one.said)
        for key in resolution.against
        if (one := overlay.taught.get(key))
    ]
    used += [
        CorrectionUsed(key=one.key, part=PARAMS, on_trial=not one.is_trusted(here), said=one.said)
        for one in overlay.params_of(edge)
    ]
    return (*used, *looks_used(overlay, screen, state))


def looks_used(overlay: Overlay, screen: str, state: ScreenState) -> tuple[CorrectionUsed, ...]:
    """The further looks that a screen is known by. Together they leave out more texts than each does, and which of them
    it is known by is not told: all have to be trusted, and where there are several none is proved by it."""
    looks = overlay.looks_of(screen)
    if not looks:
        return ()
    here = conditions_of(state)
    trusted = all(one.is_trusted(here) for one in looks)
    return tuple(
        CorrectionUsed(key=one.key, part=SCREEN, on_trial=not trusted, proved=len(looks) == 1, said=one.said)
        for one in looks
    )


def looks_differ(overlay: Overlay, resolution: Resolution) -> bool:
    """Whether a further look that is part of the version says another place than the taught one."""
    return any(key not in overlay.taught for key in resolution.against)


def doubt_of(used: tuple[CorrectionUsed, ...], *, looks_differ: bool = False) -> str:
    """What a person has to know who decides on it, in sentences; "" where nobody need be asked."""
    said = [
        say(_DOUBTS.get(one.part if not one.against else "against", "turn.learned_on_trial"), learned=one.said)
        for one in used
        if one.on_trial
    ]
    said += [say("turn.looks_elsewhere")] if looks_differ else []
    return by_sentence(list(dict.fromkeys(said))) if said else ""
