"""What of a conversation the model gets to see (A.3, A.5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.doubles.ollama import errors
from tests.doubles.ollama.errors import Refusal

if TYPE_CHECKING:
    from tests.doubles.ollama.asks import Ask

IMAGE_TOKENS = 768


def tokens(message: dict[str, Any]) -> int:
    """A token for each word, which tests can count, and as many for each image as the server takes."""
    return len(str(message.get("content") or "").split()) + IMAGE_TOKENS * len(message.get("images") or [])


def fit(ask: Ask, context: int) -> None:
    """Drop the oldest messages without a word until it fits; system messages and the last one stay."""
    last = len(ask.messages) - 1
    ask.kept = list(range(len(ask.messages)))
    removable = [at for at in ask.kept if at != last and ask.messages[at].get("role") != "system"]
    while ask.truncate and removable and _total(ask) > context:
        ask.kept.remove(removable.pop(0))
    ask.prompt_tokens = min(_total(ask), context) if ask.truncate else _total(ask)
    if ask.prompt_tokens > context:
        raise Refusal(400, errors.TOO_LONG)


def _total(ask: Ask) -> int:
    return sum(tokens(ask.messages[at]) for at in ask.kept)
