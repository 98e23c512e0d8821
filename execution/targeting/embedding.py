"""The embedding of the target's picture beside those of the places, where the signs do not settle it (S2.10).

It is stored as `som_text_match`, the rung that it serves; its note says that the embedding spoke.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from execution.perception.embedding.base import Embedder, ModelsDiffer, cosine
from execution.targeting.boxes import same_thing
from execution.targeting.context import MARKS, Context
from execution.targeting.ink import ink_box
from execution.targeting.kinds import same_kind
from execution.targeting.opinions import Opinion
from execution.targeting.weighing import Weighed
from execution.types import Candidate, ElementRole, Embedding, ResolveStatus, RungResult
from sentences.said import say
from workflows.exceptions import PictureError

_MOST = 24  # places are embedded, the most probable first: CLIP takes 50 ms for each without a GPU
_INK_HEIGHT, _MARGIN = 40, 12  # pixels: the embedding goes by size, and all crops are brought to one

# How far above the others of its screen a place must stand, of what is left to 1. A model's vectors may all be much
# alike (CLIP's are), so the others are the measure. Measured with the built-in one on icons and labels at 80 to 150 %
# in two themes: the target is the most alike in 90 to 100 of 100, at 0.45 in the middle; others stay below 0.2.
_STANDS_OUT, _LEAD = 0.35, 0.2
_FEW, _FEW_ALIKE = 3, 0.5  # with fewer others the screen is no measure, and this is
_LEAST, _MOST_SAID = math.log(3), math.log(12)  # what the least and the best likeness multiply the odds by
_NAMED_ELSEWHERE = frozenset({ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})


class EmbeddingAdviser:
    """Compares by embedding, with one model: vectors of another are never met, for all are made here."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def __call__(self, context: Context, weighed: Weighed) -> Opinion:
        """The one place whose picture stands out as the target's."""
        target = context.target
        if not target.picture or target.role in _NAMED_ELSEWHERE or context.is_variable:
            return _not(ResolveStatus.NOT_NEEDED, say("targeting.no_telling_picture"))
        order = [i for i in weighed.judgement.order if weighed.signs[i].element is not None][:_MOST]
        if not order:
            return _not(ResolveStatus.NOT_FOUND, say("targeting.no_element_fits"))
        try:
            taught = context.pictures.load(target.picture)
        except PictureError as error:
            return _not(ResolveStatus.NOT_FOUND, say("targeting.picture_unusable", error=error))
        try:
            boxes = [weighed.signs[i].box for i in order]
            others = (e.box for e in context.controls if same_kind(target.role, e.role))
            boxes += [box for box in others if not any(same_thing(box, known) for known in boxes)]
            alike = self._alike(taught, [context.state.frame.crop(box) for box in boxes[:_MOST]])
        except ModelsDiffer:
            return _not(ResolveStatus.NOT_FOUND, say("targeting.embedder_changed"))
        best = _standing_out(alike)
        if best is None or best[0] >= len(order):
            return _not(ResolveStatus.NOT_FOUND, say("targeting.none_stands_out"))
        number, share = order[best[0]], best[1]
        factors = np.zeros(len(weighed.signs))
        factors[number] = _LEAST + (min(1.0, share) - _STANDS_OUT) / (1 - _STANDS_OUT) * (_MOST_SAID - _LEAST)
        box = weighed.signs[number].box
        note = say("targeting.by_embedding", model_id=self._embedder.model_id, note=say("targeting.stands_out"))
        result = RungResult(
            rung=MARKS, status=ResolveStatus.FOUND, score=round(share, 4),
            candidates=(Candidate(box=box, score=round(share, 4), text=weighed.signs[number].read),), note=note,
        )  # fmt: skip
        return Opinion(result=result, log_factors=factors)

    def _alike(self, taught: np.ndarray, crops: Sequence[np.ndarray]) -> list[float]:
        mine = self._embedded(taught)
        return [cosine(mine, self._embedded(crop)) for crop in crops]

    def _embedded(self, pixels: np.ndarray) -> Embedding:
        return self._embedder.embed(levelled(pixels))


def levelled(pixels: np.ndarray) -> np.ndarray:
    """A crop's ink at a size of its own on its ground, BGR, whatever size it was drawn at."""
    pixels = np.ascontiguousarray(pixels)
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    box = ink_box(grey)
    scale = min(_INK_HEIGHT / box.h, 1024 / box.w)
    size = (max(1, round(box.w * scale)), max(1, round(box.h * scale)))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    ink = cv2.resize(pixels[box.y : box.bottom, box.x : box.right], size, interpolation=method)
    ground = tuple(float(v) for v in np.median(pixels.reshape(-1, 3), axis=0))
    return cv2.copyMakeBorder(ink, *(_MARGIN,) * 4, cv2.BORDER_CONSTANT, value=ground)


def _standing_out(alike: Sequence[float]) -> tuple[int, float] | None:
    """Which one is more alike than the others by far, and how far on the way from them to 1."""
    order = sorted(range(len(alike)), key=lambda i: -alike[i])
    best, others = alike[order[0]], [alike[i] for i in order[1:]]
    usual = float(np.percentile(others, 75)) if len(others) >= _FEW else max([_FEW_ALIKE, *others])
    room = max(1e-6, 1.0 - max(0.0, usual))
    share = (best - max(0.0, usual)) / room
    second = (others[0] - max(0.0, usual)) / room if others else 0.0
    return (order[0], share) if share >= _STANDS_OUT and share - second >= _LEAD else None


def _not(status: ResolveStatus, note: str) -> Opinion:
    return Opinion(result=RungResult(rung=MARKS, status=status, note=note))
