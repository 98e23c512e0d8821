"""Numbers and JSON in text from outside: read strictly, or refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any

BIGGEST = 2**63 - 1  # what a column of the database holds
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def whole_number(text: str, *, least: int = 0, most: int = BIGGEST) -> int | None:
    """Return the number that ASCII digits write, from `least` to `most`; None for any other text."""
    number = int(text) if _INTEGER.fullmatch(text) else least - 1
    return number if least <= number <= most else None


def finite_number(text: str) -> float | None:
    """Return the finite number that ASCII digits write; None for any other text."""
    number = float(text) if _NUMBER.fullmatch(text.strip()) else math.inf
    return number if math.isfinite(number) else None


def parsed_json(text: str | bytes) -> Any:
    """Return the value of JSON text. Raises ValueError; NaN, infinite numbers and integers over 64 bits are none."""
    try:
        return json.loads(text, parse_constant=_refused, parse_float=_finite, parse_int=_integer)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def json_object(text: str | bytes) -> dict[str, Any]:
    """Return the object of JSON text, empty if it is none."""
    try:
        value = parsed_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refused(text)


def _integer(text: str) -> int:
    number = int(text)
    return number if abs(number) <= BIGGEST else _refused(text)
