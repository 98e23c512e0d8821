"""What was said so far, and as much of it as a model can hold (S4.3)."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gpu.choices import Tier
from gpu.exceptions import PromptTooLarge
from gpu.types import ChatMessage, Purpose
from gpu.wire.contents import TokenCounter
from sentences.said import say

log = logging.getLogger(__name__)

NO_PICTURE = "[a picture, which is not shown again]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation as models are asked: a value, made from the rows or by hand.

    `history` is what was said before the question, oldest first. `complexity` None: judged by the purpose.
    """

    system: str = ""
    history: tuple[ChatMessage, ...] = ()
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None  # None: what the settings give
    complexity: Tier | None = None
    purpose: Purpose = Purpose.ASSISTANT
    deadline_s: float = 420.0  # for all attempts together: a cold load and an answer, and a second model after them
    execution_id: str = ""
    step: int | None = None
    asked_by: str = ""

    @classmethod
    def of(cls, conversation: Talk | Sequence[ChatMessage]) -> Talk:
        """Messages as they are usually held: the system's first, then what was said."""
        if isinstance(conversation, Talk):
            return conversation
        said = tuple(conversation)
        system = said[0].content if said and said[0].role == "system" else ""
        return cls(system=system, history=said[1:] if system else said)

    @property
    def wanted(self) -> Tier:
        """How strong a model should be. Questions of people do not jump between tiers: each jump is a load."""
        if self.complexity is not None:
            return self.complexity
        return Tier.STANDARD if self.purpose in (Purpose.ASSISTANT, Purpose.TARGET) else Tier.LIGHT

    @property
    def frame(self) -> tuple[ChatMessage, ...]:
        return (ChatMessage(role="system", content=self.system),) if self.system else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPrompt:
    """What the model is sent; `dropped` and `blind` are indexes of the history: not sent, sent without pictures."""

    messages: tuple[ChatMessage, ...]
    tokens: int
    dropped: tuple[int, ...] = ()
    blind: tuple[int, ...] = ()

    def told(self) -> dict[str, Any]:
        """As it is kept with the answer; empty where the model saw everything."""
        return {"messages": list(self.dropped), "pictures": list(self.blind)} if self.dropped or self.blind else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextManager:
    """Fits conversations to contexts; never a word of the system message or of the last question is lost."""

    counter: TokenCounter = field(default_factory=TokenCounter)

    def fit(
        self,
        talk: Talk,
        question: ChatMessage,
        *,
        model: str,
        context_length: int,
        max_tokens: int,
        vision: bool = True,
    ) -> FittedPrompt:
        """What to send so that `max_tokens` are left for the answer. The oldest messages are left out first."""
        room = context_length - max_tokens
        history = talk.history if vision else tuple(map(_blinded, talk.history))

        def built(cut: int) -> FittedPrompt:
            messages = (*talk.frame, *history[cut:], question)
            blind = () if vision else tuple(n for n in range(cut, len(history)) if talk.history[n].pictures)
            tokens = self.counter.count(messages, model=model)
            return FittedPrompt(messages=messages, tokens=tokens, dropped=tuple(range(cut)), blind=blind)

        whole = len(history)
        # an answer never stands without its question; every further cut takes fewer tokens
        cuts = [0, *(cut for cut in range(1, whole + 1) if cut == whole or history[cut].role != "assistant")]
        found = bisect_left(cuts, True, key=lambda cut: built(cut).tokens <= room)
        if found == len(cuts):
            needed = built(whole).tokens
            raise PromptTooLarge(
                say("question.too_long_beside", needed=needed, model=model, room=room, answer=max_tokens)
            )
        if cuts[found]:
            log.info("%d earlier messages were left out of what “%s” is asked", cuts[found], model)
        return built(cuts[found])

    def least_tokens(self, talk: Talk, question: ChatMessage, *, max_tokens: int) -> tuple[int, int]:
        """What the question takes without and with all that was said before, the room for the answer included."""
        frame = self.counter.count((*talk.frame, question)) + max_tokens
        return frame, frame + self.counter.count(talk.history)


def _blinded(message: ChatMessage) -> ChatMessage:
    """For a model that sees nothing: that there was a picture is all it is told."""
    if not message.pictures:
        return message
    return replace(message, pictures=(), content=f"{message.content}\n{NO_PICTURE}".strip())
