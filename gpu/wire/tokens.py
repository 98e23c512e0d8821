"""How many tokens something takes, before a model counts them."""

from __future__ import annotations

from collections.abc import Sequence

from gpu.exceptions import PromptTooLarge
from gpu.types import ChatMessage

BYTES_A_TOKEN = 3.0  # of UTF-8; English takes about four, German and French three and a half, Chinese three
PICTURE_TOKENS = 768  # what Ollama reckons for one (A.3)
MESSAGE_TOKENS = 4  # the marks of its role around each message


def estimated_tokens(message: ChatMessage) -> int:
    text = len(message.content.encode()) / BYTES_A_TOKEN
    return MESSAGE_TOKENS + int(text) + PICTURE_TOKENS * len(message.pictures)


def refuse_what_cannot_fit(messages: Sequence[ChatMessage], *, context_length: int, model: str) -> None:
    """For servers that would drop the oldest messages without a word; raises PromptTooLarge."""
    needed = sum(estimated_tokens(message) for message in messages)
    if needed > context_length:
        raise PromptTooLarge(
            f"What is to be asked of “{model}” takes about {needed} tokens, and its context holds {context_length}. "
            "Ask with less, or choose a model with a longer context."
        )
