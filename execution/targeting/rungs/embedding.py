"""The embedding of the target's picture beside those of the elements: a sign of its own before the marks (S5.3, S2.10).

It is stored as `som_text_match`, the rung that it serves; its note says that the embedding spoke.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from execution.perception.embedding.base import Embedder, ModelsDiffer, cosine
from execution.targeting.context import MARKS, Context
from execution.targeting.grounding.candidates import candidates
from execution.targeting.grounding.judging import Judge
from execution.targeting.grounding.likeness import ink_box
from execution.targeting.grounding.measures import role_likeness, size_likeness
from execution.targeting.rungs.marks import decide, taught_picture
from execution.types import Element, ElementRole, Embedding, ResolveStatus, RungResult, Size
from sentences.said import say
from workflows.exceptions import PictureError

_MOST = 24  # elements are embedded, those most like the target in size: CLIP takes 50 ms for each without a GPU
_FITTING = 0.2  # of the size
_INK_HEIGHT, _MARGIN = 40, 12  # pixels: the embedding goes by size, and all crops are brought to one

# How far above the others of its screen an element must stand, of what is left to 1. A model's vectors may all be much
# alike (CLIP's are), so the others are the measure. Measured with the built-in one on icons and labels at 80 to 150 %
# in two themes: the target is the most alike in 90 to 100 of 100, at 0.45 in the middle; others stay below 0.2.
_STANDS_OUT, _LEAD = 0.35, 0.2
_FEW, _FEW_ALIKE = 3, 0.5  # with fewer others the screen is no measure, and this is
_LEAST, _MOST_SAID = 0.6, 0.9  # what the least and the best likeness are worth as a telling sign
_NAMED_ELSEWHERE = frozenset({ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})


class EmbeddingRung:
    """Compares by embedding, with one model: vectors of another are never met, for all are made here."""

    name = "embedding"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def find(self, context: Context) -> RungResult:
        """The one element whose picture stands out as the target's, if nothing else contradicts it."""
        target = context.target
        if not target.picture or target.role in _NAMED_ELSEWHERE:
            return _not(ResolveStatus.NOT_NEEDED, say("targeting.no_telling_picture"))
        if context.wanted.problem:
            return _not(ResolveStatus.NOT_FOUND, context.wanted.problem)
        elements = self._fitting(context)
        if not elements:
            return _not(ResolveStatus.NOT_FOUND, say("targeting.no_element_fits"))
        try:
            taught = context.pictures.load(target.picture)
        except PictureError as error:
            return _not(ResolveStatus.NOT_FOUND, say("targeting.picture_unusable", error=error))
        try:
            alike = self._alike(taught, [context.state.frame.crop(e.box) for e in elements])
        except ModelsDiffer:
            return _not(ResolveStatus.NOT_FOUND, say("targeting.embedder_changed"))
        best = _standing_out(alike)
        if best is None:
            return _not(ResolveStatus.NOT_FOUND, say("targeting.none_stands_out"))
        index, share = best
        worth = min(_MOST_SAID, _LEAST + (share - _STANDS_OUT) / (1 - _STANDS_OUT) * (_MOST_SAID - _LEAST))
        signs = Judge(context, taught_picture(context))
        others = [e for e in candidates(context) if e is not elements[index]]
        judged = [signs.judge(elements[index], told={"embedding": worth}), *(signs.judge(e) for e in others)]
        found = decide(judged, context)
        if found.candidates and found.candidates[0].box != elements[index].box:
            return replace(
                found,
                status=ResolveStatus.NOT_FOUND,
                note=say("targeting.embedding_elsewhere", note=found.note),
            )
        return replace(
            found,
            note=say("targeting.by_embedding", model_id=self._embedder.model_id, note=found.note),
        )

    def _fitting(self, context: Context) -> list[Element]:
        """The elements of the target's size and kind, the likest first."""
        target, taught = context.target, Size(context.taught.w, context.taught.h)
        fits = []
        for element in candidates(context):
            size = max(size_likeness(taught, element.box, scale=s) for s in context.scales) if target.box else 1.0
            if size >= _FITTING and element.role not in _NAMED_ELSEWHERE and role_likeness(target.role, element.role):
                fits.append((size, element))
        return [element for _, element in sorted(fits, key=lambda pair: -pair[0])][:_MOST]

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


def _not(status: ResolveStatus, note: str) -> RungResult:
    return RungResult(rung=MARKS, status=status, note=note)
