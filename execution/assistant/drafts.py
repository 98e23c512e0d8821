"""Corrections drafted for the open question, in the shape of S1.10: a person looks at one and sends it, nobody else.

A draft comes from what the person said and what the records hold. A model may only choose from a short list made here;
what a screen says can put nothing on that list but its own places, and no value at all (T8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from django.utils.translation import gettext as _

from execution.actions.decide import check_correction
from execution.assistant.facts import Facts
from execution.assistant.questions import Topic, folded
from execution.exceptions import BadDecision
from execution.models import Prompt
from workflows.catalogue import ACTIONS

ALIKE = 0.6  # of two texts, for a place to be offered in place of a target that was not found
NEARLY = 0.15  # a text that is so much less alike than the best is not meant
MOST_OFFERED = 8
_AGAINST = re.compile(r"\b(?:instead of|rather than|not|au lieu (?:de|du|d')|plutot que|pas)\b.*")
_KEYS = re.compile(r"\b((?:ctrl|alt|shift|super|maj)(?:\s*\+\s*\w+)+|f\d{1,2}|enter|escape|tab|delete|entree|echap)\b")
_ACTION_WORDS = {
    "double_click": ("double-click", "double click", "double-cliquer", "double clic"),
    "right_click": ("right-click", "right click", "clic droit", "cliquer droit"),
}


def open_for(facts: Facts) -> Prompt | None:
    """The question that a correction would answer, None where there is none."""
    prompt = facts.prompt
    if facts.question.topic is not Topic.CORRECTION or prompt is None or "correct" not in prompt.choices:
        return None
    return prompt if facts.focus and facts.focus[0].pk == prompt.step_id else None


def offered(facts: Facts) -> list[dict[str, Any]]:
    """The places that may stand in for the target: what the person named, else what the ladder had seen as alike."""
    if open_for(facts) is None or _spec(facts).target == "none":
        return []
    step = facts.focus[0]
    places = [p for p in facts.hidden.of(step).places(step) if p["text"].strip()]
    named = _named(facts, places)
    if named or facts.question.said:  # who names a place means no other
        return named[:MOST_OFFERED]
    return _alike(facts, places)[:MOST_OFFERED]


def drafted(facts: Facts, proposal: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The draft, or an empty one where nothing certain can be drafted.

    `proposal` is what a model proposed: {"place": number in `offered`, "params": {...}}; what is not allowed of it is
    left away.
    """
    prompt = open_for(facts)
    if prompt is None:
        return {}
    correction = _from_words(facts)
    places = offered(facts)
    if proposal is not None:
        _take(correction, facts, places, proposal)
    elif len(places) == 1:
        correction["target"] = _target(places[0])
    try:
        checked = check_correction(correction)
    except BadDecision:
        return {}
    kept = {name: value for name, value in checked.items() if value and name in correction}
    if not kept:
        return {}
    return {**kept, "prompt_id": prompt.pk, "step": prompt.step.index, "words": _words(facts, kept)}


def is_open(draft: Mapping[str, Any], prompt: Prompt | None) -> bool:
    """Whether the question that a draft answers is still the open one."""
    return bool(draft) and prompt is not None and draft.get("prompt_id") == prompt.pk


# --- what the person said -------------------------------------------------------------------------------------------
def _from_words(facts: Facts) -> dict[str, Any]:
    correction: dict[str, Any] = {}
    plain = folded(facts.question.text)
    action = next((a for a, words in _ACTION_WORDS.items() if any(w in plain for w in words)), "")
    if action and action != _action(facts) and action in allowed_actions(facts):
        correction["action"] = action
    spec = ACTIONS.get(action) or _spec(facts)
    kinds = {p.kind: p.name for p in spec.params if p.required}
    if "text" in kinds and facts.question.said and facts.hidden.text(facts.question.said[0]) == facts.question.said[0]:
        correction["params"] = {kinds["text"]: facts.question.said[0]}
    elif "keys" in kinds and (keys := _KEYS.search(plain)):
        correction["params"] = {kinds["keys"]: re.sub(r"\s", "", keys[1])}
    return correction


def _named(facts: Facts, places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The places whose text the person said, in quotation marks or without; the longest text is what they meant."""
    for said in facts.question.said:
        wanted = folded(said)
        same = [dict(p) for p in places if folded(p["text"]) == wanted]
        if same or (same := [dict(p) for p in places if wanted and wanted in folded(p["text"])]):
            return same
    plain = _AGAINST.sub("", folded(facts.question.text))
    inside = [dict(p) for p in places if len(p["text"]) > 2 and _has_words(plain, folded(p["text"]).strip(" .…:"))]
    longest = max((len(p["text"]) for p in inside), default=0)
    current = folded(str((_suggestion(facts).get("target") or {}).get("text", "")))
    return [p for p in inside if len(p["text"]) == longest and folded(p["text"]) != current]


def _has_words(plain: str, wanted: str) -> bool:
    return bool(wanted) and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", plain) is not None


def _alike(facts: Facts, places: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the ladder had as next best, else what is written most like the target's text."""
    suggestion = _suggestion(facts)
    found = [suggestion.get("runner_up")]
    found += [c for rung in suggestion.get("evidence") or () for c in rung.get("candidates") or ()]
    boxes = [c["box"] for c in found if c and c.get("box") and not _same(c["box"], suggestion.get("box"))]
    if near := _once([dict(p) for box in boxes for p in places if _same(p["box"], box)]):
        return near
    target = suggestion.get("target") or {}
    wanted = folded(str(target.get("text") or target.get("label") or ""))
    rated = [(SequenceMatcher(None, wanted, folded(p["text"])).ratio(), dict(p)) for p in places if wanted]
    rated = [(score, p) for score, p in rated if score >= ALIKE and not _same(p["box"], suggestion.get("box"))]
    best = max((score for score, _place in rated), default=0.0)
    ranked = sorted(rated, key=lambda pair: -pair[0])
    return _once([p for score, p in ranked if score > best - NEARLY])


def _once(places: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for place in places:
        if not any(_same(place["box"], other["box"]) for other in kept):
            kept.append(place)
    return kept


# --- what a model proposed ------------------------------------------------------------------------------------------
def _take(
    correction: dict[str, Any], facts: Facts, places: Sequence[Mapping[str, Any]], proposal: Mapping[str, Any]
) -> None:
    number = proposal.get("place")
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(places):
        correction["target"] = _target(places[number - 1])
    elif len(places) == 1:
        correction["target"] = _target(places[0])
    params = proposal.get("params")
    known = {p.name for p in _spec(facts).params}
    if isinstance(params, Mapping):
        sure = {name: value for name, value in params.items() if name in known and _is_of_the_person(facts, value)}
        if sure:
            correction["params"] = {**sure, **correction.get("params", {})}


def _is_of_the_person(facts: Facts, value: Any) -> bool:
    """Whether a value stands in the person's own words, or is one that the run was started with and is no secret."""
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        return False
    if _has_words(folded(facts.question.text), folded(str(value))):
        return True
    shown = {str(v) for name, v in facts.execution.variables.items() if name not in facts.hidden.names}
    return str(value) in shown


# --- parts ----------------------------------------------------------------------------------------------------------
def allowed_actions(facts: Facts) -> frozenset[str]:
    """What the workflow itself does somewhere, and what is suggested now."""
    return frozenset({e.action_type for e in facts.graph.edges} | {_action(facts)})


def _suggestion(facts: Facts) -> Mapping[str, Any]:
    return facts.focus[0].suggestion or {}


def _action(facts: Facts) -> str:
    return str(_suggestion(facts).get("action") or facts.focus[0].action_type)


def _spec(facts: Facts) -> Any:
    return ACTIONS.get(_action(facts)) or ACTIONS["wait"]


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


def _words(facts: Facts, kept: Mapping[str, Any]) -> str:
    """What the draft changes, in words."""
    parts = []
    if "action" in kept:
        parts.append(_("the action “%(action)s”") % {"action": ACTIONS[kept["action"]].label})
    if "target" in kept:
        parts.append(_("the target “%(text)s”") % {"text": kept["target"]["text"]})
    for value in kept.get("params", {}).values():
        parts.append(_("the value “%(value)s”") % {"value": value})
    return _("A draft for step %(n)d: %(parts)s.") % {"n": facts.focus[0].index, "parts": ", ".join(parts)}
