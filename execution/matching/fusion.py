"""FusionEngine: texts, layout, window and look of a screen weighed into how likely it is each node (S2.10)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from execution.matching import calibration
from execution.matching.calibration import Calibration
from execution.matching.comparison import MEASURES, Comparison, compare
from execution.matching.index import LookIndex, TextIndex
from execution.matching.profile import Profile, Vocabulary, profile
from execution.matching.references import Reference
from execution.matching.sheet import Sheet, key_of
from execution.matching.windows import app_alike, title_alike, title_of
from execution.perception.embedding import Embedder
from execution.types import Embedding, Reason, ScreenState

TEXTS_SEEN, LAYOUT, WINDOW, LOOKS = "reference_texts", "layout", "window", "look"
SIGNS = (
    *MEASURES, "balance", "worst", "shapes_alike", "title", "app", "window_known", "look", "look_lead", "look_known",
)  # fmt: skip
_SPREAD = 0.08


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weighed:
    """One node weighed: `signs` as SIGNS names them, `read` whether texts were compared, `score` the sum in logits."""

    node_id: str
    signs: np.ndarray
    read: bool
    score: float
    probability: float
    comparison: Comparison | None
    reasons: tuple[Reason, ...] = ()


class FusionEngine:
    """Weighs a screen against the references of a workflow's nodes."""

    def __init__(
        self,
        references: Mapping[str, Reference],
        *,
        embedder: Embedder | None = None,
        fitted: Calibration = calibration.FITTED,
    ) -> None:
        self.references = dict(references)
        self.fitted = fitted
        sheets = {n: sheet for n, r in self.references.items() if (sheet := _sheet(r))}
        self._vocabulary = Vocabulary(sheets.values())
        self._profiles = {n: self._profile(sheet, counted=True) for n, sheet in sheets.items()}
        self._texts = TextIndex({n: _indexed(p) for n, p in self._profiles.items()})
        self._titles = {n: title_of(r.window) for n, r in self.references.items()}
        self._known_titles = frozenset(self._titles.values()) - {""}
        self.embedder = embedder

    @property
    def embedder(self) -> Embedder | None:
        """What embeds screens; give it anew when the model has moved or changed. Vectors of other models are unused."""
        return self._embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        model = embedder.model_id if embedder else _common_model(self.references.values())
        self._looks = LookIndex(
            {n: r.embedding.vector for n, r in self.references.items() if r.embedding and r.embedding.model == model}
        )
        self._model = model
        self._usual = self._looks.usual()

    def weigh(self, state: ScreenState, *, among: Collection[str] = ()) -> list[Weighed]:
        """The nodes that the screen may be, the likeliest first; those of `among` that have a reference are there."""
        screen = self._profile(
            Sheet(texts=state.texts, elements=state.elements, size=state.frame.size, window=state.window), counted=False
        )
        read = bool(state.text_method)
        cosines = self._cosines(state)
        names = [n for n in among if n in self.references]
        if read:
            names += self._texts.best(_indexed(screen))
        names += self._looks.best(cosines)
        highest = _two_highest(cosines)
        found = []
        for name in dict.fromkeys(names):
            taught = self._profiles.get(name)
            comparison = compare(taught, screen) if taught and read else None
            signs = self._signs(name, state, comparison, cosines, highest)
            found.append((name, signs, comparison))
        return self._ranked(found)

    def _ranked(self, found: Sequence[tuple[str, np.ndarray, Comparison | None]]) -> list[Weighed]:
        scores = np.array([self.fitted.score(signs, read=c is not None) for _, signs, c in found])
        weighed = [
            Weighed(
                node_id=name, signs=signs, read=c is not None, score=float(score), comparison=c,
                probability=self.fitted.certainty(float(score), _lead(scores, i), read=c is not None),
            )
            for i, ((name, signs, c), score) in enumerate(zip(found, scores, strict=True))
        ]  # fmt: skip
        return sorted(weighed, key=lambda w: (-w.probability, -w.score, w.node_id))

    def _profile(self, sheet: Sheet, *, counted: bool) -> Profile:
        return profile(sheet, self._vocabulary, self.fitted.lasting(sheet, self._vocabulary, counted=counted))

    def _cosines(self, state: ScreenState) -> np.ndarray:
        embedding = state.embedding
        if embedding is None or embedding.model != self._model:
            return np.zeros(0, np.float32)
        return self._looks.cosines(embedding.vector)

    def _signs(
        self, name: str, state: ScreenState, comparison: Comparison | None, cosines: np.ndarray,
        highest: tuple[float, float],
    ) -> np.ndarray:  # fmt: skip
        """The signs in the order of SIGNS; 0 for what cannot be compared."""
        values = np.zeros(len(SIGNS))
        if comparison is not None:
            values[: len(MEASURES)] = comparison.measures
            values[SIGNS.index("balance")] = comparison["recall"] * comparison["precision"]
            values[SIGNS.index("worst")] = max(comparison["missing"], comparison["extra"])
            values[SIGNS.index("shapes_alike")] = comparison["shapes"] * comparison["shapes_known"]
        taught = self.references[name].window
        if taught and state.window:
            title = title_alike(taught.title, state.window.title, self._known_titles - {self._titles[name]})
            values[SIGNS.index("title")] = title if taught.title and state.window.title else 0.0
            values[SIGNS.index("app")] = app_alike(taught.app_name, state.window.app_name)
            values[SIGNS.index("window_known")] = 1.0
        number = self._looks.numbers.get(name)
        if len(cosines) and number is not None:
            cosine = float(cosines[number])
            values[SIGNS.index("look")] = self.look(cosine)
            values[SIGNS.index("look_lead")] = (cosine - (highest[1] if cosine == highest[0] else highest[0])) / _SPREAD
            values[SIGNS.index("look_known")] = 1.0
        return values

    def look(self, cosine: float) -> float:
        """A cosine as 0 for the usual one of two unrelated screens, 1 for the same picture."""
        usual = self._usual[0] or 0.6
        return float(np.clip((cosine - usual) / (1 - usual), -0.5, 1.0))


def _sheet(reference: Reference) -> Sheet | None:
    reading = reference.reading
    if reading is None:
        return None
    return Sheet(texts=reading.texts, elements=reading.elements, size=reading.size, window=reference.window)


def _indexed(made: Profile) -> list[str]:
    """What a screen is found by: its lines, and the words of its lines."""
    return [*made.keys, *(f" {word}" for line in made.words for word in line if len(word) > 3)]


def _common_model(references: Collection[Reference]) -> str:
    models = [r.embedding.model for r in references if r.embedding]
    return max(set(models), key=models.count) if models else ""


def _two_highest(values: np.ndarray) -> tuple[float, float]:
    if len(values) < 2:
        return (float(values[0]), 0.0) if len(values) else (0.0, 0.0)
    second, first = np.partition(values, -2)[-2:]
    return float(first), float(second)


def _lead(scores: np.ndarray, index: int) -> float:
    """How far a score is above the best of the others."""
    others = np.delete(scores, index)
    return float(scores[index] - others.max()) if len(others) else 6.0
