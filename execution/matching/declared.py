"""What a node declares, looked for on the screen: conditions, which rule it out, and texts, which are evidence.

A text is a condition where a person must have said so: it is on no picture of the node, or stands in an area that must
be there, or names what the run is about, or there is no picture at all. What a lesson read off the picture may be gone
another day.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from execution.language.fuzzy import SEEN, folded
from execution.language.fuzzy import words as words_of
from execution.language.promises import says_done
from execution.language.screen_texts import ScreenWords, Wanted, wanted
from execution.matching.references import Reference
from execution.matching.windows import title_matches, without_mark
from execution.types import Reason, ScreenState, Window
from sentences.said import say, then
from workflows.graph import NodeSpec

TEXTS, ABSENT, TITLE, APP = "texts", "absent", "window_title", "app_name"
# Declared texts alone: the most they are worth, by how much there was to see. Two words of six letters that no other
# node declares make 0.84, five make a screen certain; OK alone makes none.
_LEAST_TOLD, _MORE_TOLD, _WORD = 0.72, 0.06, 6
# The weights of the signs of a node without a picture, and the most that its window is worth alone.
_WEIGHTS = {TEXTS: 0.6, TITLE: 0.2, APP: 0.1}
_ALONE = {TITLE: 0.85, APP: 0.5}
_UNREAD = 0.9  # for a screen whose texts were not read
_COMMON = 0.5  # the worth of a text that all nodes declare, beside 1 for one that this node alone declares
# A reader that is less sure of a line says that it could not read there, if the line is at all like the text.
_HARDLY_READ, _MAY_BE = 0.75, 0.6


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


def proposed_of(node: NodeSpec, reference: Reference | None, must: Iterable[str]) -> frozenset[str]:
    """Which of a node's texts its pictures show, so that a lesson may have proposed them: none that must be, as what
    says that something is done must: without it the form is the empty one."""
    looks = (reference, *reference.looks) if reference else ()
    read = [ScreenWords(look.reading.texts) for look in looks if look.reading]
    texts = set(node.texts) - set(must)
    return frozenset(text for text in texts if not says_done(text) and any(look.seen(text) >= SEEN for look in read))


def without_refusals(nodes: Sequence[NodeSpec]) -> list[NodeSpec]:
    """The nodes; on those where the work goes on no text is seen that says on its own that it is not possible.

    Such a text may stand on a screen that is otherwise as it was taught, and is then no longer that screen.
    """
    refusals = [node.texts[0] for node in nodes if node.exception and len(node.texts) == 1 and not _is_pictured(node)]
    return [node if node.exception else replace(node, absent=(*node.absent, *refusals)) for node in nodes]


def _is_pictured(node: NodeSpec) -> bool:
    return bool(node.picture or node.looks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the screen makes of it. `against` is why it is not the node, `lacks` are texts that must be there and are
    not, `named` those seen that name what the run is about; `told` is how much of all was seen, `share` of those that
    are evidence, and `certainty` what all of it is worth where nothing else is known of the node."""

    reasons: tuple[Reason, ...] = ()
    against: Reason | None = None
    lacks: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    told: float = 0.0
    share: float = math.nan
    certainty: float = 0.0
    is_complete: bool = False

    @property
    def is_ruled_out(self) -> bool:
        return self.against is not None or bool(self.lacks)


def look_for(
    node: NodeSpec,
    state: ScreenState,
    words: ScreenWords,
    variables: Mapping[str, str],
    *,
    proposed: frozenset[str] = frozenset(),
    rarity: Rarity | None = None,
) -> Declared:
    """`proposed` are the texts that are no more than evidence; `rarity` says what each is worth."""
    read = bool(state.text_method)
    front = words if node.window_box is None else ScreenWords.in_front(state)  # of another window it may stand there
    if read and (forbidden := _forbidden(node, front, variables)):
        return Declared(reasons=(forbidden,), against=forbidden)
    window = _window(node, state.window, variables)
    against = next((reason for reason in window if reason.score == 0.0), None)
    found = _texts(node, words, variables, proposed, rarity or Rarity(()), read=read)
    return Declared(
        reasons=(*found.reasons, *window),
        against=found.against or against,
        lacks=found.lacks,
        named=found.named,
        told=found.told,
        share=found.share,
        certainty=_certainty(found, window) * (1.0 if read else _UNREAD),
        is_complete=found.is_complete,
    )


def _certainty(texts: Declared, window: Iterable[Reason]) -> float:
    """What the signs are worth together; of one alone no more than such a sign is worth."""
    scores = {reason.sign: reason.score for reason in (*texts.reasons, *window) if reason.score is not None}
    if not scores or list(scores) == [TEXTS]:
        return texts.certainty
    mean = sum(_WEIGHTS[sign] * score for sign, score in scores.items()) / sum(_WEIGHTS[sign] for sign in scores)
    return min(mean, _ALONE[next(iter(scores))]) if len(scores) == 1 else mean


def _forbidden(node: NodeSpec, words: ScreenWords, variables: Mapping[str, str]) -> Reason | None:
    """A text that must not be there and is."""
    for template in node.absent:
        want = wanted(template, variables)
        # never strictly: a text misread by a letter is still there, and ruling a node out only ever asks more
        if not want.problem and _without_values(words, want.text, variables).seen(want.text, strict=False) >= SEEN:
            return Reason(sign=ABSENT, score=0.0, note=say("matching.ruled_out", text=want.text))
    return None


def _without_values(words: ScreenWords, text: str, variables: Mapping[str, str]) -> ScreenWords:
    """The lines in which the run itself has not put the text: an option of a list is a word of the name that was typed,
    and still there where the list is open."""
    plain = re.compile(rf"(?<!\w){re.escape(folded(text))}(?!\w)")
    values = [value for value in map(folded, variables.values()) if plain.search(value)]
    if not values:
        return words
    return ScreenWords(tuple(line for line in words.read if not any(value in folded(line.text) for value in values)))


def _texts(
    node: NodeSpec,
    words: ScreenWords,
    variables: Mapping[str, str],
    proposed: frozenset[str],
    rarity: Rarity,
    *,
    read: bool,
) -> Declared:
    asked = [(text, wanted(text, variables)) for text in node.texts]
    asked = [(text, want) for text, want in asked if want.problem or words_of(want.text).key]
    if not asked:
        return Declared()
    if not read:
        names = any(want.exact for _, want in asked)
        unread = Reason(
            sign=TEXTS, score=None, note=say("matching.identity_unread") if names else say("matching.texts_unread")
        )
        return Declared(reasons=(unread,), against=unread if names else None)
    sought = [(text, want) for text, want in asked if not want.problem]
    seen = {text for text, want in sought if words.seen(want.text, strict=want.exact)}
    unclear = {text for text, want in sought if text not in seen and not want.exact and _is_unclear(want.text, words)}
    missing = [(text, want) for text, want in sought if text not in seen]
    untold = [say("matching.hardly_read", text=want.text) if text in unclear else want.text for text, want in missing]
    problems = [want.problem for _, want in asked if want.problem]
    note: str = say("matching.texts_seen", seen=len(seen), of=len(asked))
    if missing or problems:
        note = then([note, say("matching.missing", texts=[*untold, *problems])])
    reason = Reason(sign=TEXTS, score=round(len(seen) / len(asked), 4), note=note)
    worth = {text: rarity.of(text) for text, _ in sought}
    amount = sum(worth[text] * _told(want) for text, want in sought if text in seen)
    whole = sum(worth.values())
    told = sum(worth[text] for text in seen) / whole if whole else 0.0
    evidence = [text for text, want in sought if text in proposed and not want.exact]
    return Declared(
        reasons=(reason,),
        against=Reason(sign=TEXTS, score=0.0, note=note) if problems else None,
        lacks=tuple(w.text for text, w in missing if text not in unclear and (w.exact or text not in proposed)),
        named=frozenset(text for text, want in sought if want.exact and text in seen),
        told=told,
        share=sum(text in seen for text in evidence) / len(evidence) if evidence else math.nan,
        certainty=min(told * told, _LEAST_TOLD + _MORE_TOLD * amount, 1.0),
        is_complete=not missing and not problems,
    )


def _told(want: Wanted) -> float:
    return min(1.0, len(words_of(want.text).key) / _WORD)


def _is_unclear(text: str, words: ScreenWords) -> bool:
    """Whether a line that the reader was not sure of may be the text."""
    key = words_of(text).key
    return any(
        line.confidence < _HARDLY_READ and Levenshtein.normalized_similarity(key, words_of(line.text).key) >= _MAY_BE
        for line in words.lines
    )


def _window(node: NodeSpec, window: Window | None, variables: Mapping[str, str]) -> list[Reason]:
    reasons = [_title(node.window_title, window, variables)] if node.window_title else []
    return [*reasons, *([_app(node.app_name, window)] if node.app_name else [])]


def _title(pattern: str, window: Window | None, variables: Mapping[str, str]) -> Reason:
    if window is None:
        return Reason(sign=TITLE, score=None, note=say("matching.no_window"))
    want = wanted(pattern, variables)
    if want.problem:
        return Reason(sign=TITLE, score=0.0, note=say("matching.title_uncheckable", problem=want.problem))
    if any(title_matches(want.text, title) for title in (window.title, without_mark(window.title))):
        return Reason(sign=TITLE, score=1.0, note=say("matching.window_is", title=window.title))
    return Reason(sign=TITLE, score=0.0, note=say("matching.window_is_not", title=window.title, wanted=want.text))


def _app(name: str, window: Window | None) -> Reason:
    if window is None or not window.app_name:
        return Reason(sign=APP, score=None, note=say("matching.no_application"))
    if folded(name) in folded(window.app_name) or folded(window.app_name) in folded(name):
        return Reason(sign=APP, score=1.0, note=say("matching.application_is", name=window.app_name))
    return Reason(sign=APP, score=0.0, note=say("matching.application_is_not", name=window.app_name, wanted=name))
