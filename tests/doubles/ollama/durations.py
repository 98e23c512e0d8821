"""Times as the server reads and writes them: how long a model stays, nanoseconds, RFC 3339."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.doubles.ollama.errors import Refusal

FOREVER_S = (2**63 - 1) / 1e9  # the longest duration there is, about 292 years: what a negative keep_alive means


def keep_alive_s(value: Any) -> float | None:
    """Seconds; None where nothing was said. A string of digits is refused, as the server refuses it."""
    if isinstance(value, str):
        raise Refusal(400, f'time: missing unit in duration "{value}"')
    return value if value is None or value >= 0 else FOREVER_S


def stamp(when: datetime) -> str:
    """With nine digits after the point, as Go writes them."""
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond:06d}789Z"


def nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
