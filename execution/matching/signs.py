"""The signs that a node declares, weighed together: texts, window, and the likeness of its picture."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from execution.language.fuzzy import SEEN, folded
from execution.language.fuzzy import words as words_of
from execution.language.screen_texts import ScreenWords, wanted
from execution.matching.weighed import Weighed
from execution.perception.embedding import Embedder, ModelsDiffer, cosine
from execution.perception.pictures import PictureSource
from execution.types import Embedding, Reason, ScreenState, Window
from sentences.said import say, then
from workflows.exceptions import PictureError
from workflows.graph import NodeSpec

TEXTS, ABSENT, TITLE, APP, LOOK = "texts", "absent", "window_title", "app_name", "look"
_REFERENCE, _REFERENCE_ASIDE = "reference", "reference aside"

# A reference is worth so much beside declared texts that a screen which contradicts it is not the node on their word;
# on theirs and the window's it is: what a person declared may be seen with another bar shown than when it was taught.
_WEIGHTS = {TEXTS: 0.6, TITLE: 0.2, APP: 0.1, LOOK: 0.2, _REFERENCE: 0.4, _REFERENCE_ASIDE: 0.2}
# A sign that contradicts is worth more than its weight: another title is another window, however alike the rest.
UNSAVED = "*•●"  # by which a title says that something is not saved: the screen is the same
_CONTRADICTED = 0.6
_UNSURE = 0.9  # for a screen whose texts were not read
_CAPS = {TITLE: 0.85, LOOK: 0.85, APP: 0.5}  # the most that such a sign is worth alone
# Declared texts alone: the most they are worth, by how much there was to see. Two words of six letters that no other
# node declares make 0.84, five make a screen certain; OK alone makes none.
_LEAST_TOLD, _MORE_TOLD, _WORD = 0.72, 0.06, 6
_COMMON = 0.5  # the worth of a text that all nodes declare, beside 1 for one that this node alone declares
_AMPLE = 3.0  # texts: fewer are worth less beside a reference, where the window does not agree with them
# A reader that is less sure of a line says that it could not read there, if the line is at all like the text.
_HARDLY_READ, _MAY_BE = 0.75, 0.6
_LEAST_COSINE = 0.6  # unrelated screens reach that; the same window with another line typed 0.995, with a menu 0.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How sure it is that the screen is the node, and why.

    `lacks` are declared texts that are not on the screen: it is not the node then, however `alike` the rest is (S5.10).
    `hidden` are those that the edge of the window hides. `seen` are those that are there and say the same in every run,
    `unseen` those that are not, wherever they would stand. `contradicted` is a node of which something else in sight
    says that it is another one.
    """

    confidence: float
    reasons: tuple[Reason, ...]
    all_texts_seen: bool = False
    lacks: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    contradicted: bool = False
    alike: float = 0.0

    def score_of(self, sign: str) -> float | None:
        return next((r.score for r in self.reasons if r.sign == sign), None)


class Rarity:
    """How few nodes of a workflow declare a text: what it is worth beside the others."""

    def __init__(self, nodes: Iterable[NodeSpec]) -> None:
        declared = [{folded(text) for text in node.texts} for node in nodes if node.texts]
        self._nodes = len(declared)
        self._count = Counter(text for texts in declared for text in texts)

    def of(self, text: str) -> float:
        """1 for a text that no other node declares, the least for one that all do."""
        count = self._count[folded(text)]
        if count < 2:
            return 1.0
        return 1.0 - (1.0 - _COMMON) * math.log(count) / math.log(self._nodes)


class Likeness:
    """How alike the screen and the nodes' reference pictures look; each picture is loaded and embedded once."""

    def __init__(self, pictures: PictureSource | None, embedder: Embedder | None) -> None:
        self._pictures = pictures
        self._embedder = embedder
        self._vectors: dict[tuple[str, str], Embedding | None] = {}

    def by(self, embedder: Embedder | None) -> Likeness:
        """The same pictures as another embedder sees them; what was seen stays known."""
        other = Likeness(self._pictures, embedder)
        other._vectors = self._vectors
        return other

    def reason(self, node: NodeSpec, state: ScreenState) -> Reason | None:
        """The sign, None where no picture was taught or nothing can embed it."""
        if not node.picture or self._pictures is None or self._embedder is None or state.embedding is None:
            return None
        vector = self._vector(node.picture)
        if vector is None:
            return Reason(sign=LOOK, score=None, note=say("matching.picture_unusable"))
        try:
            alike = cosine(vector, state.embedding)
        except ModelsDiffer:
            return Reason(sign=LOOK, score=None, note=say("matching.picture_by_another_model"))
        score = min(1.0, max(0.0, (alike - _LEAST_COSINE) / (1 - _LEAST_COSINE)))
        return Reason(sign=LOOK, score=round(score, 4), note=say("matching.looks_alike", share=score))

    def _vector(self, digest: str) -> Embedding | None:
        assert self._pictures is not None
        assert self._embedder is not None
        key = (self._embedder.model_id, digest)
        if key not in self._vectors:
            try:
                self._vectors[key] = self._embedder.embed(self._pictures.load(digest))
            except PictureError:
                self._vectors[key] = None
        return self._vectors[key]


def gather(
    node: NodeSpec,
    state: ScreenState,
    words: ScreenWords,
    variables: Mapping[str, str],
    *,
    rarity: Rarity | None = None,
    likeness: Likeness | None = None,
    threshold: float = 0.0,
    reference: Weighed | None = None,
    beyond: Callable[[str], bool] = lambda text: False,
) -> Evidence:
    """Every sign the node declares, weighed. `reference` is what the screen makes of its picture; without that its look
    counts, which is left out where it could not make the node plausible any more. `rarity` says what each declared
    text is worth; without it all are worth the same. `beyond` says which of them the window's edge hides: that they
    are not seen tells nothing, and the screen must then be the node by its picture alone."""
    read = bool(state.text_method)
    reasons = [r for r in (_absent(node, words, variables) if read else None,) if r]
    if any(r.score == 0.0 for r in reasons):
        return Evidence(confidence=0.0, reasons=tuple(reasons), contradicted=True)
    told = _texts(node, words, variables, rarity or Rarity(()), read=read, beyond=beyond)
    window, window_factor = _window(node, state.window, variables)
    reasons += [*([told.reason] if told.reason else []), *window]
    factor = told.factor * window_factor
    if reference is not None:
        confidence = reference.probability
        if told.reason and told.reason.score is not None:
            agreed = told.complete and any(r.sign == TITLE and r.score == 1.0 for r in window)
            # what is declared was there to see, however little its picture shows
            likely = min(reference.fit, _certain(told.amount)) if told.complete else 0.0
            hoped = {_REFERENCE_ASIDE if agreed else _REFERENCE: max(reference.probability, likely)}
            confidence = _weighed(reasons, hoped=hoped, amount=told.amount)
            if told.hidden:
                confidence = min(confidence, reference.probability)
        return _judged(confidence * factor, reasons, told)
    if likeness and (not read or _weighed(reasons, hoped={LOOK: 1.0}, amount=told.amount) * factor >= 0.5 * threshold):
        look = likeness.reason(node, state)
        reasons += [look] if look else []
    confidence = _weighed(reasons, amount=told.amount) * factor * (1.0 if read else _UNSURE)
    if not read:
        reasons.append(Reason(sign="reading", score=None, note=say("matching.less_certain")))
    return _judged(confidence, reasons, told)


def _judged(confidence: float, reasons: list[Reason], told: _Told) -> Evidence:
    return Evidence(
        confidence=0.0 if told.lacks else confidence,
        reasons=tuple(reasons),
        all_texts_seen=told.complete,
        lacks=told.lacks,
        hidden=told.hidden,
        seen=told.seen,
        unseen=told.unseen,
        contradicted=any(r.sign in (TITLE, APP) and r.score == 0.0 for r in reasons),
        alike=confidence,
    )


def _weighed(reasons: list[Reason], *, amount: float, hoped: Mapping[str, float] | None = None) -> float:
    """The mean of the scores by their weights, not above what such signs are worth alone.

    `amount` is how many declared texts there are to see, each by its length and rarity: few are worth less.
    """
    scores = {r.sign: r.score for r in reasons if r.score is not None and r.sign in _WEIGHTS}
    scores |= hoped or {}
    if not scores:
        return 0.0
    weights = {sign: _WEIGHTS[sign] for sign in scores}
    if _REFERENCE in weights and TEXTS in weights:
        weights[TEXTS] *= min(1.0, amount / _AMPLE)
    mean = sum(weights[sign] * score for sign, score in scores.items()) / sum(weights.values())
    caps = {**_CAPS, TEXTS: _certain(amount)}
    return min(mean, caps.get(next(iter(scores)), 1.0)) if len(scores) == 1 else mean


def _certain(amount: float) -> float:
    """The most that so many declared texts are worth alone."""
    return min(1.0, _LEAST_TOLD + _MORE_TOLD * amount)


def _absent(node: NodeSpec, words: ScreenWords, variables: Mapping[str, str]) -> Reason | None:
    """Whether a text that must not be there is there."""
    if not node.absent:
        return None
    for template in node.absent:
        want = wanted(template, variables)
        # never strictly: a text misread by a letter is still there, and ruling a node out only ever asks more
        if not want.problem and words.seen(want.text, strict=False) >= SEEN:
            return Reason(sign=ABSENT, score=0.0, note=say("matching.ruled_out", text=want.text))
    return Reason(sign=ABSENT, score=None, note=say("matching.nothing_forbidden"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What the declared texts say: the sign, whether all were seen, which are certainly not there, and a factor below 1
    where one that names what the run is about could not be looked for. `amount` is how many there are, each by its
    length and rarity; those that are `hidden` by the edge of the window are not counted."""

    reason: Reason | None = None
    amount: float = 0.0
    complete: bool = False
    lacks: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    factor: float = 1.0


def _texts(
    node: NodeSpec,
    words: ScreenWords,
    variables: Mapping[str, str],
    rarity: Rarity,
    *,
    read: bool,
    beyond: Callable[[str], bool],
) -> _Told:
    asked = [(t, wanted(t, variables)) for t in node.texts]
    worth = [rarity.of(t) for t, want in asked if want.problem or words_of(want.text).key]
    wants = [want for _, want in asked if want.problem or words_of(want.text).key]
    if not wants:
        return _Told()
    if not read:
        unconfirmed = any(w.exact for w in wants)
        unread = say("matching.identity_unread") if unconfirmed else say("matching.texts_unread")
        return _Told(
            reason=Reason(sign=TEXTS, score=None, note=unread), factor=_CONTRADICTED if unconfirmed else 1.0
        )  # fmt: skip
    sought = [w for w in wants if not w.problem]
    scores = [words.seen(w.text, strict=w.exact) for w in sought]
    unseen = [w for w, score in zip(sought, scores, strict=True) if not score]
    unclear = [w for w in unseen if not w.exact and _is_unclear(w.text, words)]
    hidden = []
    if len(unseen) < len(sought):  # of all that it is known by something must be there to see
        hidden = [w for w in unseen if not w.exact and w not in unclear and beyond(w.text)]
    lacks = tuple(w.text for w in unseen if w not in unclear and w not in hidden)
    problems = [w.problem for w in wants if w.problem]
    note: str = say("matching.texts_seen", seen=len(sought) - len(unseen), of=len(wants))
    untold = [say("matching.hardly_read", text=w.text) for w in unclear]
    untold += [say("matching.beyond_the_edge", text=w.text) for w in hidden]
    if missing := [*lacks, *untold, *problems]:
        note = then([note, say("matching.missing", texts=missing)])
    # squared: a screen of which a quarter of the texts could not be read is not three quarters that screen
    weights = [w * (want not in hidden) for w, want in zip(worth, wants, strict=True) if not want.problem]
    share = sum(w * s for w, s in zip(weights, scores, strict=True)) / sum(weights) if scores else 0.0
    letters = [min(1.0, len(words_of(w.text).key) / _WORD) for w in sought]
    return _Told(
        amount=sum(w * part for w, part in zip(weights, letters, strict=True)),
        reason=Reason(sign=TEXTS, score=round(share * share, 4) if scores else None, note=note),
        complete=not missing,
        lacks=lacks,
        hidden=tuple(w.text for w in hidden),
        seen=tuple(w.text for w in sought if w not in unseen and not w.exact),
        unseen=tuple(w.text for w in unseen if w not in unclear),
        factor=_CONTRADICTED if problems else 1.0,
    )


def _is_unclear(text: str, words: ScreenWords) -> bool:
    """Whether a line that the reader was not sure of may be the text."""
    key = words_of(text).key
    return any(
        line.confidence < _HARDLY_READ and Levenshtein.normalized_similarity(key, words_of(line.text).key) >= _MAY_BE
        for line in words.lines
    )


def _window(node: NodeSpec, window: Window | None, variables: Mapping[str, str]) -> tuple[list[Reason], float]:
    """The signs of the window, and a factor below 1 where the window is another one."""
    reasons = []
    if node.window_title:
        reasons.append(_title(node.window_title, window, variables))
    if node.app_name:
        reasons.append(_app(node.app_name, window))
    return reasons, _CONTRADICTED if any(r.score == 0.0 for r in reasons) else 1.0


def _title(pattern: str, window: Window | None, variables: Mapping[str, str]) -> Reason:
    if window is None:
        return Reason(sign=TITLE, score=None, note=say("matching.no_window"))
    want = wanted(pattern, variables)
    if want.problem:
        return Reason(sign=TITLE, score=0.0, note=say("matching.title_uncheckable", problem=want.problem))
    if any(title_matches(want.text, title) for title in (window.title, window.title.lstrip(f"{UNSAVED} "))):
        return Reason(sign=TITLE, score=1.0, note=say("matching.window_is", title=window.title))
    return Reason(sign=TITLE, score=0.0, note=say("matching.window_is_not", title=window.title, wanted=want.text))


def title_matches(pattern: str, title: str) -> bool:
    """True if the whole title is the pattern, with * for any run of characters; case and accents aside."""
    parts = [re.escape(part) for part in folded(pattern).split("*")]
    return re.fullmatch(".*".join(parts), folded(title), re.DOTALL) is not None


def _app(name: str, window: Window | None) -> Reason:
    if window is None or not window.app_name:
        return Reason(sign=APP, score=None, note=say("matching.no_application"))
    if folded(name) in folded(window.app_name) or folded(window.app_name) in folded(name):
        return Reason(sign=APP, score=1.0, note=say("matching.application_is", name=window.app_name))
    return Reason(sign=APP, score=0.0, note=say("matching.application_is_not", name=window.app_name, wanted=name))
