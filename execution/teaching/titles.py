"""The title of a window out of several: what they share, `*` where they differ (S6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

_LEAST_SHARED = 2  # letters of a title that all have in common


def shared_title(titles: Sequence[str]) -> str:
    """The titles as one, `*` where they differ; "" where they have next to nothing in common."""
    shared = titles[0]
    for title in titles[1:]:
        shared = _shared_two(shared, title)
    return shared if sum(c.isalnum() for c in shared) >= _LEAST_SHARED or len(set(titles)) == 1 else ""


def _shared_two(one: str, other: str) -> str:
    """Whole words that both titles have in their order; a `*` of an earlier round stays."""
    if one == other:
        return one
    first, second = _tokens(one), _tokens(other)
    blocks = LCSseq.opcodes(first, second)
    parts = ["".join(first[b.src_start : b.src_end]) if b.tag == "equal" else "*" for b in blocks]
    # A space or a dash alone between two differences is no agreement.
    kept = ["*" if part != "*" and not any(c.isalnum() for c in part) and _is_inner(parts, i) else part
            for i, part in enumerate(parts)]  # fmt: skip
    title = "".join(kept)
    while "**" in title:
        title = title.replace("**", "*")
    return title


def _is_inner(parts: Sequence[str], index: int) -> bool:
    return 0 < index < len(parts) - 1 and parts[index - 1] == parts[index + 1] == "*"


def _tokens(title: str) -> list[str]:
    """Words, and what stands between them, one character each."""
    tokens: list[str] = []
    for character in title:
        if character.isalnum() and tokens and tokens[-1].isalnum():
            tokens[-1] += character
        else:
            tokens.append(character)
    return tokens
