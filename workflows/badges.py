"""How far a workflow is trusted, as a word with an icon and a colour, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from workflows.choices import LearningState


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    words: str | Promise
    colour: str
    icon: str
    meaning: str | Promise


LEARNING: Mapping[str, Badge] = {
    LearningState.OBSERVATION: Badge(
        words=LearningState.OBSERVATION.label,
        colour="grey",
        icon="eye",
        meaning=_("Runs watch what you do and never act, unless another mode is chosen."),
    ),
    LearningState.COACHING: Badge(
        words=LearningState.COACHING.label,
        colour="blue",
        icon="message-question",
        meaning=_("Runs suggest each action and a person decides, unless another mode is chosen."),
    ),
    LearningState.AUTO_CANDIDATE: Badge(
        words=LearningState.AUTO_CANDIDATE.label,
        colour="amber",
        icon="hand-stop",
        meaning=_("Runs act after a person has confirmed each action, unless another mode is chosen."),
    ),
    LearningState.AUTO_CONFIRMED: Badge(
        words=LearningState.AUTO_CONFIRMED.label,
        colour="green",
        icon="circle-check",
        meaning=_("Runs act by themselves, unless another mode is chosen."),
    ),
}
