"""FusionEngine: texts, layout, window and look of a screen weighed into how likely it is each node (S2.10)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from execution.matching.areas import outside, placed
from execution.matching.calibration import FITTED, SIGNS, Calibration, certain_of, lead
from execution.matching.comparison import MEASURES, compare
from execution.matching.index import LookIndex, TextIndex, found_by
from execution.matching.profile import Profile, Vocabulary, profile
from execution.matching.reasons import not_compared, reasons
from execution.matching.references import Reference
from execution.matching.sheet import Sheet
from execution.matching.weighed import NUMBER_OF, Weighed
from execution.matching.windows import app_alike, folded_title, title_alike
from execution.perception.embedding import Embedder
from execution.types import Box, Element, Reason, ScreenState, TextLine

_USUAL = 0.6  # the cosine of two unrelated screens, where a workflow has too few pictures to tell
_SPREAD = 0.08  # how much the cosine of one screen differs from day to day; a lead is counted in it


class FusionEngine:
    """Weighs screens against the references of a workflow's nodes. Whatever sign is missing makes it less certain."""

    def __init__(
        self,
        references: Mapping[str, Reference],
        *,
        embedder: Embedder | None = None,
        fitted: Calibration = FITTED,
    ) -> None:
        """`references` by node id. Without an embedder the vectors of the model that made most of them are compared."""
        self.references = dict(references)
        self._fitted = fitted
        self._looks_of = {name: _named(name, one) for name, one in self.references.items()}
        self._all = {look: one for looks in self._looks_of.values() for look, one in looks.items()}
        self._node_of = {look: name for name, looks in self._looks_of.items() for look in looks}
        sheets = {look: sheet for look, one in self._all.items() if (sheet := _sheet(one))}
        self._vocabulary = Vocabulary(sheets.values(), of=[self._node_of[look] for look in sheets])
        self._profiles = {name: self._profile(sheet, counted=True) for name, sheet in sheets.items()}
        self._texts = TextIndex({name: found_by(one.texts) for name, one in self._profiles.items()})
        self._titles = frozenset(folded_title(one.window) for one in self.references.values())
        self.embedder = embedder

    @property
    def embedder(self) -> Embedder | None:
        """Whose vectors are compared; give it anew when the model was moved or changed (S2.10)."""
        return self._embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._model = embedder.model_id if embedder else _commonest_model(self._all.values())
        made = {look: one.embedding for look, one in self._all.items() if one.embedding}
        vectors = {look: e.vector for look, e in made.items() if e.model == self._model}
        self._looks = LookIndex(vectors, of=self._node_of)
        self._usual = self._looks.usual() or _USUAL

    @property
    def findable(self) -> frozenset[str]:
        """The nodes that a screen can lead to by its texts or its look."""
        return frozenset(self._node_of[look] for look in (*self._profiles, *self._looks.ids))

    def weigh(self, state: ScreenState, *, among: Collection[str] = ()) -> list[Weighed]:
        """The nodes that the screen may be, the likeliest first; those of `among` that can be compared are there.

        All others are left out unseen where very many could be it: see TextIndex and LookIndex.
        """
        seen = _Seen(self, state)
        names = [look for name in among for look in self._looks_of.get(name, ())]
        names += self._texts.best(found_by(seen.profile.texts)) if state.text_method else []
        names += seen.looks.best if seen.looks else []
        found = (seen.weighed(name) for name in dict.fromkeys(names))
        return self._ranked(self._best_looks([one for one in found if one.compared]))

    def reasons(self, weighed: Weighed) -> tuple[Reason, ...]:
        """The signs in words."""
        return reasons(weighed)

    def missing(self, node_id: str) -> tuple[Reason, ...]:
        """Why a node that has a picture could not be compared with it; nothing where it has none."""
        reference = self.references.get(node_id)
        return (not_compared(reference),) if reference else ()

    def _best_looks(self, found: list[Weighed]) -> list[Weighed]:
        """Of each node the picture that the screen is most like, scored; the others are no rivals of it."""
        best = dict[str, Weighed]()
        read = {one.node_id for one in found if one.read}
        for one in found:
            if one.node_id in read and not one.read:  # the scores of both have not one scale
                continue
            scored = replace(one, score=self._fitted.score(one.signs, read=one.read))
            if one.node_id not in best or scored.score > best[one.node_id].score:
                best[one.node_id] = scored
        return list(best.values())

    def _ranked(self, found: list[Weighed]) -> list[Weighed]:
        scores = np.array([one.score for one in found])
        certain = [self._certain(one, lead(one.score, scores)) for one in found]
        return sorted(certain, key=lambda one: (-one.probability, -one.score, one.node_id))

    def _certain(self, one: Weighed, lead_: float) -> Weighed:
        fit = self._fitted.certainty(one.score, lead_, read=one.read)
        return replace(one, fit=fit, probability=min(fit, certain_of(one.sign("seen"))) if one.read else fit)

    def _profile(self, sheet: Sheet, *, counted: bool) -> Profile:
        return profile(sheet, self._vocabulary, self._fitted.lasting(sheet, self._vocabulary, counted=counted))


class _Seen:
    """The present screen, compared with one node after the other."""

    def __init__(self, engine: FusionEngine, state: ScreenState) -> None:
        self._engine, self._state = engine, state
        sheet = Sheet(texts=state.texts, elements=state.elements, window=state.window)
        self.profile = engine._profile(sheet, counted=False)
        self._profiles = dict[tuple[Box, ...], Profile]()
        embedding = state.embedding
        comparable = embedding is not None and embedding.model == engine._model
        self.looks = engine._looks.looks(embedding.vector) if comparable and embedding else None

    def weighed(self, name: str) -> Weighed:
        """The signs of one look of a node; 0 for what cannot be compared."""
        reference = self._engine._all[name]
        taught = self._engine._profiles.get(name)
        comparison = compare(taught, self._profile_for(reference)) if taught and self._state.text_method else None
        signs = np.zeros(len(SIGNS))
        signs[NUMBER_OF["one"]] = 1.0
        if comparison is not None:
            signs[: len(MEASURES)] = comparison.measures
            signs[NUMBER_OF["balance"]] = comparison["recall"] * comparison["precision"]
            signs[NUMBER_OF["worst"]] = max(comparison["missing"], comparison["extra"])
            signs[NUMBER_OF["shapes_alike"]] = comparison["shapes"] * comparison["shapes_known"]
        self._window_signs(reference, signs)
        cosine = self._look_signs(name, signs)
        node_id = self._engine._node_of[name]
        return Weighed(node_id=node_id, reference=reference, signs=signs, comparison=comparison, cosine=cosine)

    def _profile_for(self, reference: Reference) -> Profile:
        """The screen without what stands in areas that do not matter to that node."""
        if not reference.ignored:
            return self.profile
        state = self._state
        areas = tuple(placed(reference.ignored, size=state.frame.size, window=state.window, taught=reference))
        if areas not in self._profiles:
            texts = tuple(one for one in outside(state.texts, areas) if isinstance(one, TextLine))
            elements = tuple(one for one in outside(state.elements, areas) if isinstance(one, Element))
            sheet = Sheet(texts=texts, elements=elements, window=state.window)
            self._profiles[areas] = self._engine._profile(sheet, counted=False)
        return self._profiles[areas]

    def _window_signs(self, reference: Reference, signs: np.ndarray) -> None:
        taught, seen = reference.window, self._state.window
        if taught is None or seen is None:
            return
        signs[NUMBER_OF["title"]] = title_alike(taught.title, seen.title, self._engine._titles)
        signs[NUMBER_OF["app"]] = app_alike(taught.app_name, seen.app_name)
        signs[NUMBER_OF["window_known"]] = 1.0

    def _look_signs(self, name: str, signs: np.ndarray) -> float | None:
        """0 for a look as of an unrelated screen, 1 for the same picture, and the lead over the other nodes."""
        cosine = self.looks.cosine(name) if self.looks else None
        if self.looks is None or cosine is None:
            return None
        usual = self._engine._usual
        signs[NUMBER_OF["look"]] = np.clip((cosine - usual) / (1 - usual), -0.5, 1.0)
        signs[NUMBER_OF["look_lead"]] = self.looks.lead(name) / _SPREAD
        signs[NUMBER_OF["look_known"]] = 1.0
        return cosine


def _named(name: str, reference: Reference) -> dict[str, Reference]:
    """The looks of a node by names of their own; the first is called like the node."""
    return {f"{name}\0{number}" if number else name: one for number, one in enumerate((reference, *reference.looks))}


def _sheet(reference: Reference) -> Sheet | None:
    reading = reference.reading
    if reading is None:
        return None
    return Sheet(texts=reading.texts, elements=reading.elements, window=reference.window)


def _commonest_model(references: Collection[Reference]) -> str:
    models = [one.embedding.model for one in references if one.embedding]
    return max(sorted(set(models)), key=models.count) if models else ""
