"""Times as the server reads and writes them: Go durations, nanoseconds, RFC 3339."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from tests.doubles.ollama.errors import Refusal

FOREVER_S = (2**63 - 1) / 1e9  # the longest duration there is, about 292 years: what a negative keep_alive means
UNITS_S = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)?")


def keep_alive_s(value: Any) -> float | None:
    """Seconds; None where nothing was said. A string of digits is refused, as the server refuses it."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Refusal(400, f"Unsupported type: '{type(value).__name__}'")
    seconds = go_duration_s(value) if isinstance(value, str) else float(value)
    return FOREVER_S if seconds < 0 else seconds


def go_duration_s(text: str) -> float:
    sign, rest = (-1.0, text[1:]) if text[:1] == "-" else (1.0, text.removeprefix("+"))
    if rest == "0":
        return 0.0
    total, at = 0.0, 0
    while at < len(rest):
        part = PART.match(rest, at)
        if part is None:
            break
        if part.group(2) is None:
            raise Refusal(400, f'time: missing unit in duration "{text}"')
        total += float(part.group(1)) * UNITS_S[part.group(2)]
        at = part.end()
    if not rest or at < len(rest):
        raise Refusal(400, f'time: invalid duration "{text}"')
    return sign * total


def stamp(when: datetime) -> str:
    """With nine digits after the point, as Go writes them."""
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond:06d}789Z"


def nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
