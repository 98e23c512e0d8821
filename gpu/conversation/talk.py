"""What was said so far, and as much of it as a model can hold (S4.3)."""

from __future__ import annotations

import hashlib
import logging
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gpu.choices import Tier
from gpu.exceptions import GpuBusy, PromptTooLarge, VLMUnavailable
from gpu.types import ChatMessage, Purpose
from gpu.wire.contents import TokenCounter, delimited
from sentences.said import say

log = logging.getLogger(__name__)

Summarise = Callable[[Sequence[ChatMessage], int], Awaitable[str]]  # messages, tokens that it may take

SUMMARY_SHARE = 8  # a summary takes at most an eighth of the context
LONGEST_SUMMARY = 400  # tokens
ROOM_AFTER = 0.75  # of the room is used after a summary was made, so that the next questions need no new one
SUMMARIES_KEPT = 128
TITLE = "summary of what was said before"
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
    summary: str = ""

    def told(self) -> dict[str, Any]:
        """As it is kept with the answer; empty where the model saw everything."""
        if not self.dropped and not self.blind:
            return {}
        return {"messages": list(self.dropped), "summarised": bool(self.summary), "pictures": list(self.blind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextManager:
    """Fits conversations to contexts; never a word of the system message or of the last question is lost."""

    counter: TokenCounter = field(default_factory=TokenCounter)
    _summaries: OrderedDict[str, str] = field(default_factory=OrderedDict)

    async def fit(
        self,
        talk: Talk,
        question: ChatMessage,
        *,
        model: str,
        context_length: int,
        max_tokens: int,
        vision: bool = True,
        summarise: Summarise | None = None,
    ) -> FittedPrompt:
        """What to send so that `max_tokens` are left for the answer. The oldest go first, summed up if that works."""
        room = context_length - max_tokens
        history, blind = (talk.history, ()) if vision else _blinded(talk.history)
        prompt = _Prompt(self.counter, model, talk.frame, history, question)
        whole = prompt.built()
        if whole.tokens <= room:
            return replace(whole, blind=blind)
        frame = prompt.built(cut=len(history))
        if frame.tokens > room:
            raise PromptTooLarge(
                say("question.too_long_beside", needed=frame.tokens, model=model, room=room, answer=max_tokens)
            )
        fitted = await self._summed_up(prompt, room, summarise) if summarise is not None else None
        fitted = fitted or prompt.built(cut=prompt.first_cut(room))
        log.info(
            "%d earlier messages were left out of what “%s” is asked%s",
            len(fitted.dropped), model, " and summed up" if fitted.summary else "",
        )  # fmt: skip
        return replace(fitted, blind=tuple(index for index in blind if index not in fitted.dropped))

    def least_tokens(self, talk: Talk, question: ChatMessage, *, max_tokens: int) -> tuple[int, int]:
        """What the question takes without and with all that was said before, the room for the answer included."""
        frame = self.counter.count((*talk.frame, question)) + max_tokens
        return frame, frame + self.counter.count(talk.history)

    # --- parts ------------------------------------------------------------------------------------------------------
    async def _summed_up(self, prompt: _Prompt, room: int, summarise: Summarise) -> FittedPrompt | None:
        """With an earlier summary where one is left that fits, else with a new one; None: it cannot be had."""
        marks = _digests(prompt.history)
        for cut in prompt.cuts:
            if (known := self._summaries.get(marks[cut])) is not None:
                fitted = prompt.built(cut=cut, summary=known)
                if fitted.tokens <= room:
                    self._summaries.move_to_end(marks[cut])
                    return fitted
        longest = min(LONGEST_SUMMARY, room // SUMMARY_SHARE)
        cut = prompt.first_cut(int(room * ROOM_AFTER) - longest)
        before, known = self._longest_known(marks, cut)
        material = (*_as_message(known), *prompt.history[before:cut])
        try:
            summary = (await summarise(material, longest)).strip()
        except GpuBusy:
            raise
        except VLMUnavailable as error:
            log.info("what was said before is left out without a summary: %s", error)
            return None
        fitted = prompt.built(cut=cut, summary=summary)
        if not summary or fitted.tokens > room:
            return None
        self._keep(marks[cut], summary)
        return fitted

    def _longest_known(self, marks: Sequence[str], cut: int) -> tuple[int, str]:
        """How far an earlier summary reaches, and what it says: only what came after it is summed up with it."""
        for index in range(cut - 1, 0, -1):
            if marks[index] in self._summaries:
                return index, self._summaries[marks[index]]
        return 0, ""

    def _keep(self, mark: str, summary: str) -> None:
        self._summaries[mark] = summary
        while len(self._summaries) > SUMMARIES_KEPT:
            self._summaries.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What is to be asked of one model, with more or less of what was said before."""

    counter: TokenCounter
    model: str
    frame: tuple[ChatMessage, ...]
    history: tuple[ChatMessage, ...]
    question: ChatMessage

    @property
    def cuts(self) -> list[int]:
        """Where the history may begin, the least that is dropped first: an answer never stands without its question."""
        whole = len(self.history)
        return [cut for cut in range(1, whole + 1) if cut == whole or self.history[cut].role != "assistant"]

    def first_cut(self, room: int) -> int:
        """The least that has to go; all of it where even that is not enough. Every further cut takes fewer tokens."""
        cuts = self.cuts
        found = bisect_left(cuts, True, key=lambda cut: self.built(cut=cut).tokens <= room)
        return cuts[min(found, len(cuts) - 1)]

    def built(self, *, cut: int = 0, summary: str = "") -> FittedPrompt:
        """The summary goes before the first message that is left: it is no instruction, and roles keep taking turns."""
        said = [*self.history[cut:], self.question]
        if summary:
            said[0] = replace(said[0], content=f"{delimited(summary, title=TITLE)}\n\n{said[0].content}")
        messages = (*self.frame, *said)
        return FittedPrompt(
            messages=messages,
            tokens=self.counter.count(messages, model=self.model),
            dropped=tuple(range(cut)),
            summary=summary,
        )


def _digests(history: Sequence[ChatMessage]) -> list[str]:
    running, marks = hashlib.sha256(), []
    for message in history:
        marks.append(running.hexdigest())
        running.update(f"{message.role}\0{len(message.content)}\0{message.content}".encode())
    return [*marks, running.hexdigest()]


def _blinded(history: tuple[ChatMessage, ...]) -> tuple[tuple[ChatMessage, ...], tuple[int, ...]]:
    """For a model that sees nothing: that there was a picture is all it is told."""
    blind = tuple(index for index, message in enumerate(history) if message.pictures)
    shown = tuple(
        replace(message, pictures=(), content=f"{message.content}\n{NO_PICTURE}".strip())
        if message.pictures
        else message
        for message in history
    )
    return shown, blind


def _as_message(summary: str) -> tuple[ChatMessage, ...]:
    return (ChatMessage(role="user", content=delimited(summary, title=TITLE)),) if summary else ()
