"""What of a screen may be kept of what a coach shows on it: what stands on the taught one, too (S6.4, S10.4).

All else may be somebody's data, whoever's: other lines of a list, a message, a photograph. A picture that is kept shows
the texts that are the same, and of the rest no more than how light or dark it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from execution.language.fuzzy import folded, words
from execution.language.lexicon import is_known, known_words
from execution.language.value_forms import PARTICLES
from execution.language.volatile import lasting
from execution.targeting.records import names_record
from execution.types import Box, ElementRole, ScreenState
from workflows.graph import NeighbourSpec, TargetSpec
from workflows.text import VARIABLE

TILE = 32  # pixels: twice the height of a line, so that its background is what a tile shows
# An age, a day or a year: what stands with it is of a person.
_OF_PERSON = re.compile(
    r"\b\d{1,3}\s*(?:ans?|mois|jours?|years?|yrs?|months?|days?|y/?o)\b|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b"
    r"|\b(?:18|19|20)\d\d\b|\b(?:née?|born|ddn|dob)\b",
    re.IGNORECASE,
)
_LABELLED = frozenset({ElementRole.BUTTON, ElementRole.CHECKBOX, ElementRole.RADIO})
_FRAMED = _LABELLED | {ElementRole.FIELD, ElementRole.TAB, ElementRole.GROUP}
_FRAME = 4  # pixels
_SMALL = 96  # pixels: a picture without a text that is no control and larger may be anything


@dataclass(frozen=True, slots=True)
class Taught:
    """The texts of a taught screen, as a reader may read them."""

    keys: frozenset[str]
    own_words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Taught:
        said = list(texts)
        keys = frozenset(key for text in said for key in (words(text).key, words(lasting(text)).key) if key)
        return cls(keys, frozenset(words(word).key for text in said for word in _words(VARIABLE.sub(" ", text))))

    def says(self, text: str) -> bool:
        """Whether it stands there, too; where only variables stand there is nothing to be kept."""
        left = VARIABLE.sub(" ", text)
        return not words(left).key or (left == text and words(text).key in self.keys)

    def shows(self, text: str, role: str) -> bool:
        """Whether a picture may show it beside the target: what controls are called is the program's, but for what may
        be a name."""
        if self.says(text) or is_known(text):
            return True
        return role in _LABELLED and not names_record(text) and not self._names(text, role)

    def labels(self, text: str, role: str, *, in_its_place: bool = False) -> bool:
        """Whether it may be kept as what stands on the target. What a control is called is the program's, also where it
        is called otherwise by now; a record is somebody's. Where nobody knows whether it is a control it may be called
        as nobody is, or, `in_its_place`, where the taught one stood, by one word."""
        if not text or self.says(text) or is_known(text):
            return True
        if names_record(text):
            return False
        return not self._names(text, role) or (in_its_place and len(text.split()) == 1 and text.istitle())

    def _names(self, text: str, role: str) -> bool:
        """Whether it may be somebody's name: it is written as one, two words in a row are, or a person's age or day of
        birth stands with it. Words that programs have, or the taught screen, are no names; nor is one word on a
        control, which is how most are called."""
        if _OF_PERSON.search(text):
            return True
        if role in _LABELLED and len(text.split()) == 1:
            return False
        unknown = [word[0].isupper() and not self._has(word) for word in _words(text)]
        return any(map(all, pairwise(unknown))) or (_may_name(text) and not all(map(self._has, _words(text))))

    def _has(self, word: str) -> bool:
        return folded(word) in PARTICLES or words(word).key in known_words() or words(word).key in self.own_words


def _may_name(text: str) -> bool:
    """Whether it is written as names are: each word but "de" or "van" with a capital, or none at all."""
    own = [word for word in _words(text) if folded(word) not in PARTICLES]
    return not own or not own[0][0].isupper() or all(word[0].isupper() for word in own)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


def texts_of(target: TargetSpec) -> list[str]:
    """What was read of a target, and around it, where it was taught."""
    near: list[NeighbourSpec] = [*target.neighbours, *target.around, *([target.named_by] if target.named_by else [])]
    said = [text for one in near for text in (one.text, *one.others)]
    return [target.text, *target.row, *said, *(text for look in target.also for text in texts_of(look))]


def title_of(shown: str, taught: str) -> str:
    """The title of a window as it is kept: the shown one, where it says nothing that the taught one does not."""
    known = set(words(taught).plain)
    return shown if set(words(VARIABLE.sub(" ", shown)).plain) <= known else taught


def is_bare(box: Box, role: str, state: ScreenState, taught: Taught, text: str) -> bool:
    """Whether nothing stands in the target's own picture that must not be kept; `text` is what may be on it."""
    if not state.text_method:
        return False  # nobody has read it
    own = words(text).key
    inside = [t for t in _texts(state) if box.contains(t[1].center) or t[1].contains(box.center)]
    if any(not taught.says(said) and words(said).key not in own for said, _at in inside):
        return False
    return bool(inside or role or (box.w <= _SMALL and box.h <= _SMALL))


def neutral(state: ScreenState, taught: Taught, *, own: Box | None = None) -> np.ndarray:
    """The pixels of the screen with what is the same on the taught one, `own`, and the frames of controls; the rest is
    its middle colours."""
    pixels, size = state.frame.pixels, state.frame.size
    flat, texts = _flat(pixels), _texts(state)
    shown, whole = flat.copy(), Box(0, 0, *size)
    for element in sorted(state.elements, key=lambda e: -e.box.area):
        if element.role in _FRAMED or (element.role == ElementRole.ICON and max(element.box.w, element.box.h) <= TILE):
            _put(shown, pixels, element.box.grown(1, size))
            if element.role != ElementRole.ICON:
                _put(shown, flat, element.box.grown(-_FRAME, size))
    kept = [(said, box) for said, box in texts if words(said).key and taught.shows(said, _role_at(box, state))]
    for _said, box in kept:
        _put(shown, pixels, box.intersection(whole))
    if own is not None:
        _put(shown, pixels, own.intersection(whole))
    for said, box in texts:
        if (said, box) not in kept and not (own and own.contains(box.center)):
            _put(shown, flat, box.grown(2, size))
    return shown


def _role_at(box: Box, state: ScreenState) -> str:
    """What the smallest control around a text is."""
    around = [e for e in state.elements if e.role in _FRAMED and e.box.contains(box.center)]
    return min(around, key=lambda e: e.box.area).role if around else ""


def _texts(state: ScreenState) -> list[tuple[str, Box]]:
    lines = [(line.text, line.box) for line in state.texts]
    unread = (e for e in state.elements if e.text and not any(e.box.contains(at.center) for _text, at in lines))
    return [*lines, *((e.text, e.box) for e in unread)]


def _put(shown: np.ndarray, pixels: np.ndarray, box: Box) -> None:
    shown[box.y : box.bottom, box.x : box.right] = pixels[box.y : box.bottom, box.x : box.right]


def _flat(pixels: np.ndarray) -> np.ndarray:
    """Each square of a picture in the colour that is in its middle."""
    flat = np.empty_like(pixels)
    for top in range(0, pixels.shape[0], TILE):
        for left in range(0, pixels.shape[1], TILE):
            part = pixels[top : top + TILE, left : left + TILE]
            flat[top : top + TILE, left : left + TILE] = np.median(part.reshape(-1, pixels.shape[2]), axis=0)
    return flat
