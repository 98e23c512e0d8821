"""A target that nobody taught but a program describes by its text: it is what reads so, if one thing does (S11.4)."""

from __future__ import annotations

import numpy as np

from execution.language.fuzzy import SAME
from execution.targeting.context import Context
from execution.targeting.judge import Judgement
from execution.targeting.signs import Signs
from execution.targeting.vetoes import veto

_VOUCHED = 0.5  # of the neighbours
_SURE = 0.99  # shared by all that read so


def is_described(context: Context) -> bool:
    """True for a target with a text and without any trace of a screen it was taught on."""
    target = context.target
    return context.has_own_text and not (target.picture or target.box or target.window_box or target.shapes)


def judged(signs: tuple[Signs, ...], context: Context, plain: Judgement) -> Judgement:
    """Equal chances for all that read so, exactly if any does, and that nothing forbids."""
    texts = np.array([s.text if s.text is not None and s.text >= SAME and _stands_alone(s) else 0.0 for s in signs])
    exact = texts == 1.0
    able = exact if exact.any() else texts > 0
    able &= np.array([not veto(s, context) for s in signs], bool)
    chances = np.where(able, _SURE / max(1, int(able.sum())), 0.0)
    return Judgement(plain.log_odds, chances, plain.weights, plain.kinds)


def _stands_alone(signs: Signs) -> bool:
    """True for a text that is all of its line, or a part of it that the neighbours vouch for."""
    return signs.whole or signs.around.share >= _VOUCHED
