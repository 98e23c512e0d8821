"""The signs by which a taught target is known: each must be there, helps, or is left out, as its teacher says (S6.11).

What is left out is kept beside the evidence, so that it can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _

from workflows.graph import TargetSpec
from workflows.models import Picture, Target
from workflows.specs import target_spec

LEFT_OUT, NEEDED = "left_out", "needed"


class Level(StrEnum):
    NEEDED = "needed"
    HELPS = "helps"
    LEFT_OUT = "left_out"


COLUMNS = ("text", "picture")
EVIDENCE = ("row", "named_by", "neighbours", "shapes", "number")
SIGNS = ("row", "text", "named_by", "picture", "number", "neighbours", "shapes")  # as they are told
ALWAYS = frozenset({"row"})  # what stands in its row is there, or it is another record


def signs_told(target: Target, *, counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Each sign in words, with how often it was seen on the screen that it was taught on, where that was counted."""
    aside = _aside(target)
    told = []
    for sign in SIGNS:
        kept = value_of(target, sign)
        value = kept or aside.get(sign)
        if not value or _is_alone(sign, value, target):
            continue
        level = level_of(target, sign)
        told.append(
            {
                "sign": sign,
                "text": _in_words(sign, value, target_spec(target).alike),
                "count_here": counts.get(sign),
                "needed": level == Level.NEEDED,
                "used": level != Level.LEFT_OUT,
                "levels": [one.value for one in levels(sign, value)],
                "why": _("left out by you") if level == Level.LEFT_OUT else "",
            }
        )
    return told


def signs_in_words(look: TargetSpec) -> list[str]:
    """What one look of a target is known by."""
    known = asdict(look)
    kept = [(sign, known[sign]) for sign in SIGNS if known[sign] and (sign != "number" or look.alike > 1)]
    return [_in_words(sign, value, look.alike) for sign, value in kept]


def _is_alone(sign: str, value: Any, target: Target) -> bool:
    """Whether it was the only one of its kind: then which one it was says nothing."""
    return sign == "number" and not isinstance(value, str) and target_spec(target).alike <= 1


def levels(sign: str, value: Any) -> tuple[Level, ...]:
    """What may be chosen for a sign."""
    if sign in ALWAYS or (sign == "number" and isinstance(value, str)):
        return (Level.NEEDED, Level.LEFT_OUT)
    return tuple(Level)


def level_of(target: Target, sign: str) -> Level:
    value = value_of(target, sign)
    if not value:
        return Level.LEFT_OUT
    if levels(sign, value)[0] == Level.NEEDED and Level.HELPS not in levels(sign, value):
        return Level.NEEDED
    return Level.NEEDED if sign in (target.evidence.get(NEEDED) or []) else Level.HELPS


def set_level(target: Target, sign: str, level: Level) -> None:
    """Changes the row, unsaved. Raises ValueError where the target has no such sign, or it cannot count so."""
    value = value_of(target, sign) or _aside(target).get(sign)
    if not value or level not in levels(sign, value):
        raise ValueError(sign)
    evidence, aside = dict(target.evidence), _aside(target)
    needed = [one for one in evidence.get(NEEDED) or [] if one != sign]
    if level == Level.LEFT_OUT:
        aside[sign] = value
        _put(target, evidence, sign, None)
    else:
        aside.pop(sign, None)
        _put(target, evidence, sign, value)
        if level == Level.NEEDED and sign not in ALWAYS:
            needed.append(sign)
    for name, kept in ((LEFT_OUT, aside), (NEEDED, needed)):
        evidence.pop(name, None)
        if kept:
            evidence[name] = kept
    target.evidence = evidence


def value_of(target: Target, sign: str) -> Any:
    """What the target knows of a sign; nothing where it is left out or never was."""
    if sign == "picture":
        return target.picture.digest if target.picture else ""
    return target.text if sign == "text" else target.evidence.get(sign)


def _put(target: Target, evidence: dict[str, Any], sign: str, value: Any) -> None:
    if sign == "picture":
        target.picture = Picture.objects.filter(digest=value).first() if value else None
    elif sign == "text":
        target.text = value or ""
    elif value:
        evidence[sign] = value
    else:
        evidence.pop(sign, None)


def _aside(target: Target) -> dict[str, Any]:
    return dict(target.evidence.get(LEFT_OUT) or {})


def _in_words(sign: str, value: Any, of: int) -> str:
    if sign == "row":
        return _("The line that says %(texts)s") % {"texts": _quoted(value)}
    if sign == "text":
        return _("Text “%(text)s”") % {"text": value}
    if sign == "named_by":
        return _("The label “%(text)s” beside it") % {"text": value.get("text", "")}
    if sign == "picture":
        return _("Picture")
    if sign == "number":
        return _("Number %(n)s of %(of)s") % {"n": value, "of": of} if of else _("Number %(n)s") % {"n": value}
    if sign == "neighbours":
        texts = [one.get("text", "") for one in value[:3]]
        return _("What stands around it: %(texts)s") % {"texts": _quoted(texts)}
    return _("The controls around it")


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(_("“%(text)s”") % {"text": text} for text in texts)
