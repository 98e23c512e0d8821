"""What was said so far, as much of it as a model can hold, and one answer to it, whatever fails (S4.3, S4.4)."""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from gpu.catalogue import ModelEntry
from gpu.choices import Capability, ProviderName, Tier, UseOutcome
from gpu.config import GPUResourceConfig
from gpu.exceptions import (
    AnswerTimeout,
    AnswerUnusable,
    CloudModelRefused,
    DeadlinePassed,
    GpuBusy,
    GPUError,
    NoModelFits,
    OwnedElsewhere,
    PromptTooLarge,
    ServerAway,
    StillInMemory,
    TooManySwaps,
    VLMUnavailable,
)
from gpu.models import ModelUse
from gpu.selection.choice import RecentOutcomes, Selection, Situation, Task, choose, context_of
from gpu.selection.observer import Observer
from gpu.types import ChatMessage, Chunk, ModelAttempt, Purpose
from gpu.wire.contents import TokenCounter, readable
from gpu.wire.http import ModelServer
from sentences.said import say, told_by

log = logging.getLogger(__name__)

TRIES = 2  # on one model
SHORTEST_S = 1.0  # with less time than that nothing is begun
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


# --- one answer -----------------------------------------------------------------------------------------------------
Lend = Callable[[ModelEntry, Talk, float], AbstractAsyncContextManager[ModelServer]]
Put = Callable[[Chunk], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringTools:
    observer: Observer
    context: ContextManager
    recent: RecentOutcomes
    lend: Lend  # the model is loaded and stays while its provider is lent
    record: Callable[[ModelUse], object]  # returns at once
    config: GPUResourceConfig
    clock: Callable[[], float]


@dataclass(slots=True, kw_only=True)
class Answering:
    """`run` puts the chunks of the answer; it raises what the last attempt failed with, and carries all attempts."""

    tools: AnsweringTools
    talk: Talk
    question: ChatMessage
    attempts: list[ModelAttempt] = field(default_factory=list)
    _excluded: dict[str, str] = field(default_factory=dict)
    _only_loaded: str = ""
    _gone: dict[ProviderName, str] = field(default_factory=dict)
    _failed: ModelEntry | None = None  # the model that failed last
    _shown: bool = False
    _sent: FittedPrompt | None = None  # what the last attempt asked, if it got so far
    _ends_at: float = 0.0
    _put: Put = field(default=lambda chunk: None)

    async def run(self, put: Put) -> None:
        self._put = put
        self._ends_at = self.tools.clock() + self.talk.deadline_s
        failure: GPUError | None = None
        await self._prepare_pictures()
        try:
            while True:
                selection = await self._choice(failure)
                failure = await self._with_model(selection.model)
                if failure is None:
                    return
        except GPUError as error:
            if isinstance(error, VLMUnavailable):
                error.attempts = tuple(self.attempts)
            raise

    async def _prepare_pictures(self) -> None:
        """Once for all attempts: refused before a model is loaded for them, made as small as models read them."""
        self.question = await self._prepared(self.question)
        if any(message.pictures for message in self.talk.history):
            history = [await self._prepared(message) for message in self.talk.history]
            self.talk = replace(self.talk, history=tuple(history))

    async def _prepared(self, message: ChatMessage) -> ChatMessage:
        most = self.tools.config.max_picture_megapixels
        pictures = [await asyncio.to_thread(readable, one, max_megapixels=most) for one in message.pictures]
        return replace(message, pictures=tuple(pictures)) if pictures else message

    async def choice(self) -> Selection:
        catalogue, now = await self.tools.observer.look(anew=bool(self.attempts))
        return choose(self.task, catalogue, self._narrowed(now, catalogue))

    @property
    def task(self) -> Task:
        least, whole = self.tools.context.least_tokens(self.talk, self.question, max_tokens=self._max_tokens)
        return Task(
            vision=bool(self.question.pictures),
            json=self.talk.schema is not None,
            complexity=self.talk.wanted,
            least_tokens=least,
            all_tokens=whole,
        )

    @property
    def _max_tokens(self) -> int:
        return self.talk.max_tokens or self.tools.config.max_tokens

    # --- which model ------------------------------------------------------------------------------------------------
    async def _choice(self, failure: GPUError | None) -> Selection:
        """After a failure: that failure is raised where no other model is left, or no time."""
        try:
            if self._left_s() < SHORTEST_S:
                raise DeadlinePassed(say("answer.none_in_time", n=self.talk.deadline_s))
            selection = await self.choice()
        except VLMUnavailable as none_left:
            if failure is not None and isinstance(none_left, NoModelFits):
                raise failure from none_left
            raise
        log.info("“%s” is to answer: %s", selection.model.key, "; ".join(selection.reasons))
        return selection

    def _narrowed(self, now: Situation, catalogue: Sequence[ModelEntry]) -> Situation:
        asked = Counter(attempt.model for attempt in self.attempts)
        excluded = {key: say("choice.failed_twice") for key, times in asked.items() if times >= TRIES} | self._excluded
        if self._only_loaded:
            excluded |= {one.key: self._only_loaded for one in catalogue if one.key not in now.loaded}
        return replace(now, excluded=excluded, away={**now.away, **self._gone})

    # --- one model --------------------------------------------------------------------------------------------------
    async def _with_model(self, entry: ModelEntry) -> GPUError | None:
        """None: it has answered. Otherwise what it failed with, and another one may be tried; else that is raised."""
        failure = await self._attempt(entry)
        if failure is not None and self._may_help(failure) and self._left_s() > SHORTEST_S:
            if isinstance(failure, PromptTooLarge) and self._sent is not None:
                context = context_of(entry, num_ctx=self.tools.config.num_ctx)
                self.tools.context.counter.was_too_much(entry.name, reckoned=self._sent.tokens, context_length=context)
            else:
                await asyncio.sleep(self.tools.config.retry_pause_s)
            failure = await self._attempt(entry)
        if failure is not None:
            self._set_aside(entry, failure)
        return failure

    def _may_help(self, failure: GPUError) -> bool:
        """Whether the same model may do it when it is asked again at once."""
        if isinstance(failure, PromptTooLarge):
            sent = self._sent.messages if self._sent else ()  # with less of what was said before
            return bool(sent) and not any(message.pictures for message in sent)
        return isinstance(failure, VLMUnavailable) and failure.passing and failure.falls_back

    def _set_aside(self, entry: ModelEntry, failure: GPUError) -> None:
        """For the rest of this answer; raises the failure where no other model can help."""
        why = say("choice.just_failed", error=type(failure).__name__, why=failure)
        if isinstance(failure, TooManySwaps) and not self._only_loaded:
            self._only_loaded = say("choice.loads_no_more", why=failure)
        elif isinstance(failure, ServerAway | OwnedElsewhere):
            self._gone[entry.provider] = told_by(failure)
        elif _falls_back(failure):
            self._excluded[entry.key] = why
        else:
            raise failure
        self._failed = entry
        log.warning("“%s” %s; another model is looked for", entry.key, why)

    async def _attempt(self, entry: ModelEntry) -> GPUError | None:
        """One try, recorded whatever comes of it. What a failed one has shown is void: whoever shows it is told."""
        if self._shown:
            self._put(Chunk(restarted=True))
            self._shown = False
        began, last = self.tools.clock(), Chunk()
        try:
            last = await self._ask(entry)
        except GPUError as error:
            self._note(entry, UseOutcome.FAILED, began, last=last, error=error)
            if not isinstance(error, GpuBusy | TooManySwaps | PromptTooLarge | OwnedElsewhere):
                self.tools.recent.failed(entry.key, error)
            return error
        except BaseException as error:
            left = isinstance(error, asyncio.CancelledError)  # whoever asked has
            self._note(entry, UseOutcome.CANCELLED if left else UseOutcome.FAILED, began, last=last, error=error)
            raise
        self._note(entry, UseOutcome.ANSWERED, began, last=last)
        told = self._sent.told() if self._sent else {}
        self._put(replace(last, model=entry.key, attempts=tuple(self.attempts), dropped=told))
        return None

    async def _ask(self, entry: ModelEntry) -> Chunk:
        self._sent, left_s = None, self._left_s()
        try:
            async with asyncio.timeout(left_s) as limit:
                async with self.tools.lend(entry, self.talk, left_s) as provider:
                    return await self._answer(entry, provider)
        except TimeoutError:
            if not limit.expired():
                raise
            raise AnswerTimeout(say("answer.late", model=entry.key, n=left_s)) from None

    async def _answer(self, entry: ModelEntry, provider: ModelServer) -> Chunk:
        """As much of the conversation as the model holds is sent; each chunk is put but the last, which comes back."""
        tools, context = self.tools, context_of(entry, num_ctx=self.tools.config.num_ctx)
        sent = self._sent = tools.context.fit(
            self.talk,
            self.question,
            model=entry.name,
            context_length=context,
            max_tokens=self._max_tokens,
            vision=Capability.VISION.value in entry.capabilities,
        )
        began, first_at, said = tools.clock(), 0.0, False
        chunks = provider.chat(
            entry.name, sent.messages, context_length=context, max_tokens=self._max_tokens, schema=self.talk.schema
        )
        last: Chunk | None = None
        async with aclosing(chunks):
            async for chunk in chunks:
                first_at = first_at or tools.clock()
                said = said or bool(chunk.text.strip())
                if chunk.done:
                    last = chunk
                    break
                self._shown = self._shown or bool(chunk.text)
                self._put(chunk)
        if last is None or not said:
            raise AnswerUnusable(say("answer.nothing", model=entry.key))
        tools.recent.answered(entry.key, last, first_s=first_at - began, seconds=tools.clock() - first_at)
        return last

    # --- what is kept of it -----------------------------------------------------------------------------------------
    def _note(
        self, entry: ModelEntry, outcome: UseOutcome, began: float, *, last: Chunk, error: BaseException | None = None
    ) -> None:
        seconds, name = self.tools.clock() - began, type(error).__name__ if error else ""
        instead_of = self._failed if not (self.attempts and self.attempts[-1].model == entry.key) else None
        self.attempts.append(
            ModelAttempt(
                model=entry.key,
                provider=entry.provider.value,
                outcome=outcome.value,
                seconds=round(seconds, 3),
                error=name,
                reason=told_by(error) if isinstance(error, GPUError) else "",
                instead_of=instead_of.key if instead_of else "",
                tokens_in=last.tokens_in,
                tokens_out=last.tokens_out,
            )
        )
        use = use_of(entry, self.talk, outcome, seconds=seconds, last=last, error=name)
        use.attempt, use.instead_of = len(self.attempts), instead_of.name if instead_of else ""
        self.tools.record(use)

    def _left_s(self) -> float:
        return self._ends_at - self.tools.clock()


def use_of(
    entry: ModelEntry, talk: Talk, outcome: UseOutcome, *, seconds: float, last: Chunk, error: str = ""
) -> ModelUse:
    """As it is kept: models by the names of their providers."""
    return ModelUse(
        purpose=talk.purpose,
        model=entry.name,
        provider=entry.provider,
        outcome=outcome,
        error=error,
        seconds=round(seconds, 3),
        tokens_in=last.tokens_in,
        tokens_out=last.tokens_out,
        load_seconds=round(last.load_s, 3),
        execution_id=talk.execution_id,
        step=talk.step,
    )


def _falls_back(failure: GPUError) -> bool:
    elsewhere = isinstance(failure, CloudModelRefused | StillInMemory)  # this one not now; others can
    return elsewhere or (isinstance(failure, VLMUnavailable) and failure.falls_back)
