"""The signs that speak for an element being the target, and what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from execution.language import rewording
from execution.language.screen_texts import wanted
from execution.targeting.context import Context
from execution.targeting.grounding.likeness import InkLikeness, TaughtPicture
from execution.targeting.grounding.measures import (
    TICKED,
    other_title,
    place_likeness,
    role_likeness,
    size_likeness,
    sized,
    text_of,
)
from execution.targeting.neighbours import label_in_place, surroundings
from execution.targeting.rows import WantedRow
from execution.targeting.shapes import structure_share
from execution.targeting.signs import Surroundings
from execution.types import Box, Element, ElementRole, ElementState, Size
from sentences.said import listed, say

_NAMED = 0.85
_AMONG_LABELS = 0.8  # of a field, which has no text of its own, between the labels that were around it
_TELLS_NOTHING = 0.2
_KNOWN_WINDOW = 0.5  # of the neighbours: so many make it the taught window, whatever its title is now

_HOLDS_CONTENT = frozenset({ElementRole.FIELD})
_NAMED_BY_LABEL = _HOLDS_CONTENT | TICKED

_TELLING = ("text", "picture", "named", "embedding")
# What each sign weighs among those that do not tell one control from another put in its place.
_WEIGHTS = {"role": 0.2, "size": 0.1, "neighbours": 0.3, "shapes": 0.25, "place": 0.15}
# The score grows by up to so much of what is missing where they all agree, and falls by up to so much where none does.
_LIFT, _PULL = 0.6, 0.4
_SECOND = 0.3  # weight of a second sign that tells one control from another: text and picture agree


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An element with its signs, each 0 to 1. `against` says why it is not the target, "" if nothing does.

    `renamed`: nothing is against it but a text that has no word of the taught one; nobody knows what it says.
    `identity` is the best of the signs that tell one control from another put in its place: its text, its picture, the
    label that names it. `support` is the weighted mean of the others, `surrounded` that without the place.
    """

    element: Element
    text: str
    identity: float
    support: float
    surrounded: float
    signs: dict[str, float]
    note: str
    against: str = ""
    renamed: bool = False

    @property
    def score(self) -> float:
        """The calibrated score; 0 where anything is against it."""
        return 0.0 if self.against else self.weight

    @property
    def weight(self) -> float:
        """What speaks for it, 0 to 1; where only place, kind and surroundings speak it stays at 0.6 and below."""
        return _weighed(self.identity, self.support)

    @property
    def without_place(self) -> float:
        """The same without its place, which does not tell twins apart: they may have changed places."""
        return 0.0 if self.against else _weighed(self.identity, self.surrounded)


class Judge:
    """Judges the elements of one screen for one target; with `renamed` those too that read otherwise, for a model."""

    def __init__(self, context: Context, picture: TaughtPicture | None, *, renamed: bool = False) -> None:
        self._context, self._picture, self._renamed = context, picture, renamed
        self._is_content = context.target.role in (*_HOLDS_CONTENT, "")
        self._size = Size(context.taught.w, context.taught.h) if context.target.box else None
        self._rows = context.wanted_row if context.target.row else None
        self._other_title = other_title(context)
        self._others = [e for e in context.state.elements if e.role is not ElementRole.TEXT]

    def judge(self, element: Element, *, told: Mapping[str, float] | None = None) -> Judged:
        """All that speaks for and against one element; `told` are telling signs that were found elsewhere."""
        text = text_of(element, self._context)
        said = self._wording(element, text)
        against = said.note if said.against else ""
        renamed = said.unknown and self._renamed
        if ElementState.DISABLED in element.states:
            against, renamed = say("targeting.greyed_out"), False
        look = self._look(element) if not against or renamed else InkLikeness(None, False)
        if look.faded:
            against, renamed = say("targeting.fainter"), False
        signs = {**self._telling(element, said, look), **(told or {})} if not against or renamed else {}
        identity = max(signs.values(), default=0.0)
        if not against and identity < _TELLS_NOTHING and not self._holds_content(element):
            against = say("targeting.only_place_and_kind")
            renamed = self._renamed and not self._context.target.text
        if not against or renamed:
            around, scale = self._around(element.box)
            signs.update(self._supporting(element, around, scale))
            if contradiction := self._contradiction(element.box, around, scale) or self._in_another_window(signs):
                against, renamed = contradiction, False
            if self._holds_content(element) and around.asked > 1:
                identity = max(identity, _AMONG_LABELS * around.share)
        return Judged(
            element=element,
            text=text,
            identity=identity,
            support=_mean(signs),
            surrounded=_mean({name: value for name, value in signs.items() if name != "place"}),
            signs=signs,
            note=said.note,
            against=against,
            renamed=renamed,
        )

    def _holds_content(self, element: Element) -> bool:
        return self._is_content and element.role in _HOLDS_CONTENT

    def _wording(self, element: Element, text: str) -> rewording.Wording:
        """A field's content is another one each time; what stands at a box to tick is its label."""
        target, want = self._context.target, self._context.wanted
        if self._holds_content(element) and not want.exact:
            return rewording.Wording(0.0, say("targeting.a_field"))
        if not target.text and target.named_by and text and element.role in TICKED:
            return rewording.compare(wanted(target.named_by.text, self._context.variables), text)
        if not target.text:
            return rewording.Wording(0.0, say("targeting.reads", text=text) if text else say("targeting.without_text"))
        if not self._context.text_was_read:
            return rewording.Wording(0.0, say("targeting.not_read"))
        return rewording.compare(want, text)

    def _telling(self, element: Element, said: rewording.Wording, look: InkLikeness) -> dict[str, float]:
        """The signs that tell one control from another in its place."""
        signs = {"text": said.score} if self._context.target.text or said.score else {}
        if look.likeness is not None:
            signs["picture"] = look.likeness
        if element.role in _NAMED_BY_LABEL:
            named = [label_in_place(element.box, self._context, scale=s) for s in self._context.scales]
            if any(n is not None for n in named):
                signs["named"] = _NAMED * any(named)
        return signs

    def _look(self, element: Element) -> InkLikeness:
        """The better look of its box and of one of the taught size around its middle; a field looks like any other."""
        if self._picture is None or element.role in _HOLDS_CONTENT or self._context.target.role in _HOLDS_CONTENT:
            return InkLikeness(None, False)
        frame, boxes = self._context.state.frame, [element.box]
        if self._size:
            boxes += [sized(element.box, self._size, scale) for scale in self._context.scales[:2]]
        looks = [self._picture.look(frame, box) for box in dict.fromkeys(boxes)]
        best = max(looks, key=lambda look: -1.0 if look.likeness is None else look.likeness)
        return best._replace(faded=any(look.faded for look in looks))

    def _around(self, box: Box) -> tuple[Surroundings, float]:
        """What stands around the box at the scale at which most of it does, and that scale."""
        context = self._context
        found = [(surroundings(box, context, scale=scale), scale) for scale in context.scales]
        return max(found, key=lambda pair: (pair[0].seen, structure_share(box, context, scale=pair[1]) or 0.0))

    def _supporting(self, element: Element, around: Surroundings, scale: float) -> dict[str, float]:
        context, target, box = self._context, self._context.target, element.box
        signs = {"place": place_likeness(box, context)}
        if target.role:
            signs["role"] = role_likeness(target.role, element.role)
        if self._size:
            signs["size"] = max(size_likeness(self._size, box, scale=s) for s in {scale, *context.scales})
        if around.asked and not context.other_language:
            signs["neighbours"] = around.share
        if (shapes := structure_share(box, context, scale=scale)) is not None:
            signs["shapes"] = shapes
        return signs

    def _contradiction(self, box: Box, around: Surroundings, scale: float) -> str:
        if around.required_missing:
            return say("targeting.required_missing", required_missing=around.required_missing)
        if around.replaced and not self._context.target.row and not self._context.other_language:
            was, now = around.replaced[0]
            return say("targeting.replaced_beside", was=was, now=now)
        if self._rows and (why := self._not_in_row(self._rows, box, scale)):
            return why
        return ""

    def _in_another_window(self, signs: Mapping[str, float]) -> str:
        """A sentence where the window in front has another title, and what is around it is not what was."""
        known = signs.get("shapes" if self._context.other_language else "neighbours", 0.0)
        if not self._other_title or known >= _KNOWN_WINDOW:
            return ""
        return say(
            "targeting.other_window_in_front",
            other_title=self._other_title,
            window_title=self._context.target.window_title,
        )

    def _not_in_row(self, rows: WantedRow, box: Box, scale: float) -> str:
        if rows.problem:
            return rows.problem
        taught = Size(round(box.w / scale), round(box.h / scale))
        others = [e.box for e in self._others if size_likeness(taught, e.box, scale=scale) > 0.5]  # its like, in rows
        return "" if rows.holds(box, others) else say("targeting.not_in_its_row", texts=list(rows.texts))


def told_signs(signs: Mapping[str, float]) -> str:
    """“text 0.90, place 1.00”."""
    return listed(say("measure.value", name=say(f"measure.{name}"), value=value) for name, value in signs.items())


def _weighed(identity: float, support: float) -> float:
    score = identity + (1 - identity) * _LIFT * support - (1 - support) * _PULL
    return min(1.0, max(0.0, score))


def _mean(signs: dict[str, float]) -> float:
    """The weighted mean of the signs that support; a second telling one may only raise it."""
    asked = {name: weight for name, weight in _WEIGHTS.items() if name in signs}
    whole, reached = sum(asked.values()), sum(weight * signs[name] for name, weight in asked.items())
    second = sorted((signs.get(name, 0.0) for name in _TELLING), reverse=True)[1]
    mean = reached / whole if whole else 0.0
    return max(mean, (reached + _SECOND * second) / (whole + _SECOND))
