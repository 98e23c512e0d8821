"""Reading what a server says: anything may stand where a text or a number is expected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def text_of(value: Any) -> str:
    """A text that can be written anywhere: halves of characters and zero bytes, which JSON can name, are not in it."""
    return storable(value) if isinstance(value, str) else ""


def storable(text: str) -> str:
    return text.encode(errors="replace").decode().replace("\0", "")


def mapping_of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def count_of(value: Any) -> int:
    """A whole number from 0; 0 for anything else. JSON as Python reads it knows infinity and “not a number”."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return max(0, int(value))
