"""Corrections drafted for the open question, in the shape of S1.10: a person looks at one and sends it, nobody else.

A draft comes from what the person wrote behind /correct and what the records hold. A model may only choose from a short
list of places made here; what a screen says can put nothing on that list but its own places, and no value at all
(T8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from django.utils.translation import gettext as _

from execution.actions.decide import check_correction, check_params
from execution.assistant.commands import CommandName, folded, written
from execution.assistant.facts import Facts
from execution.assistant.phrases import sentence, what_and_where
from execution.assistant.run_briefing import Section, headline
from execution.desktop.base import UnknownKey
from execution.desktop.keys import known_keys
from execution.exceptions import BadDecision
from execution.models import Prompt, Step
from execution.types import Choice
from workflows.catalogue import ACTIONS, ENTERING_ACTION_TYPES, ActionSpec

ALIKE = 0.6  # of two texts, for a place to be offered in place of a target that was not found
NEARLY = 0.15  # a text that is so much less alike than the best is not meant
MOST_OFFERED = 8
QUOTES = "“”«»\"'’‘ \u00a0\u202f"


class Drafting:
    """What a correction of the open question can be, with `words` as the person's own; `draft` is empty or one."""

    def __init__(self, facts: Facts, words: str) -> None:
        self.facts, self.words = facts, words.strip(QUOTES)
        self.prompt = _open_for_corrections(facts)
        self.places = self._places()
        self.draft = self._drafted(self.places[0] if len(self.places) == 1 else None)

    def chosen(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        """The draft with the place that a model chose, {"place": its number}; all else that it proposes is dropped."""
        number = proposal.get("place")
        if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(self.places):
            return self._drafted(self.places[number - 1])
        return self.draft

    @property
    def has_a_choice(self) -> bool:
        """Whether there is more than one place for a model to choose from."""
        return self.prompt is not None and len(self.places) > 1

    def section(self) -> Section:
        """What is said of it."""
        said, prompt = Section(), self.facts.prompt
        if prompt is None:
            said.say(_("Nothing is asked now, so there is nothing to correct."))
            about = headline(self.facts)
            said.say(about.text, *about.steps)
        elif self.prompt is None:
            said.say(_("The question that is open takes no correction."), self._step)
            said.say(sentence(self.facts.hidden.text(prompt.message)))
        else:
            words = {"step": what_and_where(self.facts, self._step)}
            said.say(_("The question that is open is about %(step)s.") % words, self._step)
            said.say(self._about_draft())
        return said

    def _about_draft(self) -> str:
        if self.draft:
            return f"{self.draft['words']} {_('Look at it; nothing is sent before you do.')}"
        if len(self.places) > 1:
            names = ", ".join(_("“%(text)s”") % {"text": self.facts.hidden.text(p["text"])} for p in self.places)
            return _("It may be one of these: %(names)s. Say which.") % {"names": names}
        if self.words and self._takes_a_place:
            return _("“%(text)s” is not read on that screen.") % {"text": self.facts.hidden.text(self.words)}
        example = written(CommandName.CORRECT, _("“Cancel”") if self._takes_a_place else _("the right value"))
        return _("Say what it should be, for example: %(example)s") % {"example": example}

    # --- the places -------------------------------------------------------------------------------------------------
    def _places(self) -> list[dict[str, Any]]:
        """The places that may stand in for the target: what the person named, else what looked alike."""
        if self.prompt is None or not self._takes_a_place:
            return []
        places = [p for p in self.facts.hidden.of(self._step).places(self._step) if p["text"].strip()]
        found = self._named(places) if self.words else self._alike(places)  # who names a place means no other
        return found[:MOST_OFFERED]

    def _named(self, places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The places with the text that the person wrote, else those that have it in theirs, else those it names."""
        wanted = folded(self.words)
        if same := [dict(p) for p in places if folded(p["text"]) == wanted]:
            return same
        if within := [dict(p) for p in places if _has_words(folded(p["text"]), wanted)]:
            return within
        current = folded(str((self._suggestion.get("target") or {}).get("text", "")))
        named = [dict(p) for p in places if _has_words(wanted, folded(p["text"]).strip(" .…:"))]
        return [p for p in named if len(p["text"]) > 2 and folded(p["text"]) != current]

    def _alike(self, places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """What the ladder had as next best, else what is written most like the target's text."""
        found = [self._suggestion.get("runner_up")]
        found += [c for rung in self._suggestion.get("evidence") or () for c in rung.get("candidates") or ()]
        current = self._suggestion.get("box")
        boxes = [c["box"] for c in found if c and c.get("box") and not _same(c["box"], current)]
        if near := _once([dict(p) for box in boxes for p in places if _same(p["box"], box)]):
            return near
        target = self._suggestion.get("target") or {}
        wanted = folded(str(target.get("text") or target.get("label") or ""))
        rated = [(SequenceMatcher(None, wanted, folded(p["text"])).ratio(), dict(p)) for p in places if wanted]
        rated = [(score, p) for score, p in rated if score >= ALIKE and not _same(p["box"], current)]
        best = max((score for score, _place in rated), default=0.0)
        ranked = sorted(rated, key=lambda pair: -pair[0])
        return _once([p for score, p in ranked if score > best - NEARLY])

    # --- the draft --------------------------------------------------------------------------------------------------
    def _drafted(self, place: Mapping[str, Any] | None) -> dict[str, Any]:
        if self.prompt is None:
            return {}
        correction: dict[str, Any] = {"params": self._values()}
        if place is not None:
            correction["target"] = _target(place)
        try:
            checked = check_correction(correction)
            if checked:
                check_params(self._step, checked)
        except BadDecision:
            return {}
        kept = {name: value for name, value in checked.items() if value and name in correction}
        if not kept:
            return {}
        return {**kept, "prompt_id": self.prompt.pk, "step": self.prompt.step.index, "words": self._in_words(kept)}

    def _values(self) -> dict[str, str]:
        """Where the action takes a text or keys and no place, they are what the person wrote; never a secret."""
        if self._takes_a_place or not self.words or self.facts.hidden.text(self.words) != self.words:
            return {}
        kinds = {p.kind: p.name for p in self._spec.params if p.required}
        if "text" in kinds:
            return {kinds["text"]: self.words}
        return {kinds["keys"]: chord} if "keys" in kinds and (chord := _chord(self.words)) else {}

    def _in_words(self, kept: Mapping[str, Any]) -> str:
        """What the draft changes."""
        parts = []
        if "target" in kept:
            parts.append(_("the target “%(text)s”") % {"text": kept["target"]["text"]})
        parts += [_("the value “%(value)s”") % {"value": value} for value in kept.get("params", {}).values()]
        return _("A draft for step %(n)d: %(parts)s.") % {"n": self._step.index, "parts": ", ".join(parts)}

    @property
    def _step(self) -> Step:
        """The one that is asked about."""
        step = self.facts.asked_about
        assert step is not None
        return step

    @property
    def _suggestion(self) -> Mapping[str, Any]:
        return self._step.suggestion or {}

    @property
    def _spec(self) -> ActionSpec:
        return ACTIONS.get(str(self._suggestion.get("action") or self._step.action_type)) or ACTIONS["wait"]

    @property
    def _takes_a_place(self) -> bool:
        return self._spec.target != "none" and self._spec.action_type not in ENTERING_ACTION_TYPES


def _open_for_corrections(facts: Facts) -> Prompt | None:
    prompt = facts.prompt
    return prompt if prompt is not None and Choice.CORRECT in prompt.choices and facts.asked_about else None


def _chord(words: str) -> str:
    """“ctrl+shift+s” in the spelling of the product; empty where a name is that of no key."""
    try:
        return "+".join(known_keys([key.strip() for key in words.split("+")]))
    except UnknownKey:
        return ""


def _has_words(text: str, wanted: str) -> bool:
    return bool(wanted) and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None


def _once(places: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for place in places:
        if not any(_same(place["box"], other["box"]) for other in kept):
            kept.append(place)
    return kept


def _target(place: Mapping[str, Any]) -> dict[str, Any]:
    left, top, width, height = place["box"]
    point = [round(left + width / 2, 5), round(top + height / 2, 5)]
    return {"box": [round(v, 5) for v in place["box"]], "point": point, "text": place["text"]}


def _same(a: Sequence[float], b: Sequence[float] | None) -> bool:
    if b is None or len(b) != 4:
        return False
    shared = max(0.0, min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]))
    shared *= max(0.0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    whole = a[2] * a[3] + b[2] * b[3] - shared
    return whole > 0 and shared / whole > 0.5
