"""A target that nobody taught but a program describes by its text or label: it is what reads so, if one thing does
(S11.4)."""

from __future__ import annotations

import numpy as np

from execution.language.fuzzy import SAME
from execution.targeting.context import Context
from execution.targeting.judge import Judgement
from execution.targeting.kinds import same_kind
from execution.targeting.signs import Signs
from execution.targeting.vetoes import veto

_VOUCHED = 0.5  # of the neighbours
_SURE = 0.99  # shared by all that read so


def is_described(context: Context) -> bool:
    """True for a target with a text or a label and without any trace of a screen it was taught on."""
    target = context.target
    told = context.has_own_text or (target.named_by is not None and context.text_was_read)
    return told and not (target.picture or target.box or target.window_box or target.shapes)


def judged(signs: tuple[Signs, ...], context: Context, plain: Judgement) -> Judgement:
    """Equal chances for all that read so, exactly if any does, and that nothing forbids."""
    if context.has_own_text:
        texts = np.array([s.text if s.text is not None and s.text >= SAME and _stands_alone(s) else 0.0 for s in signs])
    else:
        texts = np.array([float(_is_labelled(s, context)) for s in signs])
    exact = texts == 1.0
    able = exact if exact.any() else texts > 0
    able &= np.array([not veto(s, context) for s in signs], bool)
    able &= ~_around_another(signs, able)
    chances = np.where(able, _SURE / max(1, int(able.sum())), 0.0)
    return Judgement(plain.log_odds, chances, plain.weights, plain.kinds)


def _around_another(signs: tuple[Signs, ...], able: np.ndarray) -> np.ndarray:
    """Which places hold another one that reads so: a frame says what stands in it."""
    boxes = [s.box for s in signs]
    return np.array(
        [any(able[n] and b.area < a.area and a.contains(b.center) for n, b in enumerate(boxes)) for a in boxes], bool
    )


def _stands_alone(signs: Signs) -> bool:
    """True for a text that is all of its line, or a part of it that the neighbours vouch for."""
    return signs.whole or signs.around.share >= _VOUCHED


def _is_labelled(signs: Signs, context: Context) -> bool:
    """True for what is of the described kind, where its label points."""
    element, role = signs.element, context.target.role
    return bool(signs.label) and element is not None and (not role or same_kind(role, element.role))
