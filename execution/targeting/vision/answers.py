"""Reading a vision model's answer: one JSON object of the right shape, or a sentence on what is wrong with it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from execution.targeting.vision.asking import one_line
from sentences.said import say

LONGEST = 4000  # characters; the schema's answer has 300 at most
_SHOWN = 200
_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """`mark` is None where the model sees none; `several` are the marks of an answer that names more than one.

    `problem` says why the answer is of no use, "" where it is. `reason` is what the model said, fit to be shown.
    """

    mark: int | None = None
    several: tuple[int, ...] = ()
    sure: float = 0.0
    reason: str = ""
    problem: str = ""


def read_answer(said: object) -> ModelAnswer:
    """What the model's words come to; never raises."""
    if not isinstance(said, str) or not said.strip():
        return ModelAnswer(problem=say("targeting.model_silent"))
    quoted = say("value.quoted", text=one_line(said, _SHOWN))
    if len(said) > LONGEST:
        return ModelAnswer(problem=say("targeting.model_endless", quoted=quoted))
    fenced = _FENCED.match(said)
    try:
        data = json.loads(fenced[1] if fenced else said, parse_constant=_refuse, object_pairs_hook=_single)
    except (ValueError, RecursionError):
        return ModelAnswer(problem=say("targeting.model_no_json", quoted=quoted))
    if not isinstance(data, dict) or "mark" not in data:
        return ModelAnswer(problem=say("targeting.model_no_mark", quoted=quoted))
    return _checked(data, quoted)


def _checked(data: dict[str, Any], quoted: str) -> ModelAnswer:
    mark, sure, reason = data["mark"], data.get("sure"), data.get("reason", "")
    shown = one_line(reason, _SHOWN) if isinstance(reason, str) else ""
    if isinstance(mark, list) and mark and all(_whole(m) for m in mark):
        return ModelAnswer(several=tuple(dict.fromkeys(mark)), reason=shown)
    if mark is not None and not _whole(mark):
        return ModelAnswer(problem=say("targeting.model_mark_no_number", quoted=quoted))
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not _share(sure):
        return ModelAnswer(problem=say("targeting.model_not_sure_told", quoted=quoted))
    return ModelAnswer(mark=mark, sure=float(sure), reason=shown)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _share(value: int | float) -> bool:
    return 0 <= value <= 1 and math.isfinite(value)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says one thing twice says nothing."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)
