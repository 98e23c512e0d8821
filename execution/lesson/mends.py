"""A change of the draft that a teacher asks for: what it does, in a sentence, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """`said` is what it does, in a sentence; `apply` writes it. `edge_id` is the step whose target it changes."""

    said: str
    apply: Callable[[], None]
    edge_id: str = ""
