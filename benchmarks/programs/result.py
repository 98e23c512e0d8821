"""What came of one try."""

from __future__ import annotations

from dataclasses import dataclass

WRONG, RIGHT, ASKED = "WRONG", "right", "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """`verdict`: right, asked or WRONG; `clear` where a question was not needed."""

    about: str
    program: str
    verdict: str
    clear: bool
    acts: str
    asked: str
