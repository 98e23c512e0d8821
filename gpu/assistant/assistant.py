"""The operator's assistant (S4.6): the records answer, a model words and reasons over what they say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpu.assistant import conversations
from gpu.assistant.records import CheckedWords, RecordsAnswer, RecordsSource, question, registered_records, talk
from gpu.choices import MessageRole
from gpu.exceptions import GpuBusy, GPUError, Later, NoModelFits, OwnedElsewhere, VLMUnavailable
from gpu.manager import get_gpu_resource_manager
from gpu.model_manager import ModelManager, ModelStatus, get_model_manager
from gpu.models import Message
from gpu.runtime import DatabaseThread, Runtime, Work
from gpu.types import Chunk
from gpu.wire.contents import storable
from sentences.said import to_json, told_by, worded

# An answer of the assistant: the pieces as they go to a person, and what of it is kept.


class PartKind(StrEnum):
    RECORDS = "records"  # the answer of the database, with its references and a draft
    TEXT = "text"  # a piece of what the model says
    AGAIN = "again"  # what the model said so far is void
    END = "end"  # the message as it is kept, and how it came to its end


class AnswerOutcome(StrEnum):
    ANSWERED = "answered"
    RECORDS_ONLY = "records_only"  # no model is there to be asked
    BUSY = "busy"  # a run has the GPU
    INTERRUPTED = "interrupted"  # a run took it in the middle
    FAILED = "failed"
    DISAGREED = "disagreed"  # the model said of other steps than the records that they failed, and was left out
    STOPPED = "stopped"  # the person did not wait


_BUSY = gettext_lazy("A run needs the GPU now, so this is from the records alone.")
_NOTES = {
    AnswerOutcome.BUSY: _BUSY,
    AnswerOutcome.INTERRUPTED: _BUSY,
    AnswerOutcome.RECORDS_ONLY: gettext_lazy("No model is there to be asked, so this is from the records alone."),
    AnswerOutcome.FAILED: gettext_lazy("The model did not answer, so this is from the records alone."),
    AnswerOutcome.DISAGREED: gettext_lazy(
        "The model said of a step that it failed which did not, so what it said is left out."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """One piece of an answer on its way to a person."""

    kind: PartKind
    text: str = ""
    references: Sequence[Mapping[str, Any]] = ()
    draft: Mapping[str, Any] = field(default_factory=dict)
    message: Message | None = None
    outcome: AnswerOutcome | None = None
    note: str = ""  # a sentence for the person
    retry_after_s: float = 0.0

    def as_json(self) -> dict[str, Any]:
        said: dict[str, Any] = {"kind": self.kind}
        if self.kind is PartKind.TEXT:
            said["text"] = self.text
        elif self.kind is PartKind.RECORDS:
            said |= {"text": self.text, "references": list(self.references), "draft": dict(self.draft)}
        elif self.kind is PartKind.END and self.message and self.outcome:
            said |= {"message": self.message.as_json(), "outcome": self.outcome, "note": self.note}
            said["retry_after_s"] = self.retry_after_s
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantStatus:
    """`model` is who would answer now; empty, with the reason, where only the records would."""

    name: str
    model: str = ""
    reason: str = ""
    details: ModelStatus | None = None


class AnswerInProgress:
    def __init__(self, records: RecordsAnswer) -> None:
        self.records = records
        self.draft = records.draft
        self.outcome = AnswerOutcome.ANSWERED
        self.retry_after_s = 0.0
        self.model = ""
        self.attempts: list[dict[str, Any]] = []
        self.dropped: Mapping[str, Any] = {}
        self.begin()

    def begin(self) -> None:
        with translation.override(self.records.language):
            self.said = CheckedWords(self.records.known_steps, unknown=_("not in this run"))

    def took(self, last: Chunk) -> None:
        self.model, self.dropped = last.model, last.dropped
        self.attempts = [asdict(attempt) for attempt in last.attempts]

    def fall_back(self, error: Exception) -> None:
        """The records stand alone; the note says why."""
        begun = bool(self.said.text.strip())
        self.attempts = [asdict(a) for a in getattr(error, "attempts", ())] or [
            {"model": "", "outcome": "failed", "error": type(error).__name__, "reason": told_by(error)}
        ]
        if isinstance(error, GpuBusy):
            self.outcome = AnswerOutcome.INTERRUPTED if begun else AnswerOutcome.BUSY
        else:
            self.outcome = AnswerOutcome.RECORDS_ONLY if isinstance(error, NoModelFits) else AnswerOutcome.FAILED
        if isinstance(error, Later):
            self.retry_after_s = error.retry_after_s
        if self.outcome is not AnswerOutcome.INTERRUPTED:
            self.begin()  # half an answer that broke is none

    def check(self) -> None:
        """A model that has a step failed which did not, by the records, is left out."""
        if self.said.failed - self.records.failed_steps:
            self.outcome = AnswerOutcome.DISAGREED
            self.begin()
        elif not self.said.text.strip():
            self.outcome = AnswerOutcome.FAILED

    @property
    def note(self) -> str:
        """A sentence for the person, in their language."""
        with translation.override(self.records.language):
            return str(_NOTES.get(self.outcome, ""))

    def end(self, message: Message) -> AnswerPart:
        return AnswerPart(
            kind=PartKind.END, message=message, outcome=self.outcome, note=self.note, retry_after_s=self.retry_after_s
        )

    def as_row(self) -> dict[str, Any]:
        words = self.said.text.strip()
        if words and self.outcome in (AnswerOutcome.STOPPED, AnswerOutcome.INTERRUPTED):
            words += " …"
        alone = self.records.without_model or self.records.answer
        return {
            "content": f"{self.records.answer}\n\n{words}" if words else alone,
            "model": self.model if words else "",
            "references": [dict(r) for r in self.records.references],
            "draft": dict(self.draft),
            "dropped": dict(self.dropped),
            "attempts": to_json(self.attempts),
        }


LONGEST_QUESTION = 2000  # characters


class Assistant:
    """One for the process; everything can be used from sync code, and from any event loop by its `a…` twin."""

    def __init__(
        self,
        *,
        records: RecordsSource,
        models: ModelManager | None,
        runtime: Runtime,
        name: str = "Mai",
        database: DatabaseThread | None = None,
    ) -> None:
        self.name = name
        self._records, self._models, self._runtime = records, models, runtime
        self._database = database or DatabaseThread()
        self._answering: set[asyncio.Task[Any]] = set()
        self._is_shut = False
        self._own = ""  # the key of its own conversation

    # --- asking -----------------------------------------------------------------------------------------------------
    def process_message(self, text: str, *, conversation: str = "", language: str = "") -> AnswerPart:
        """The end of the whole answer. Raises ValueError for an empty or a much too long question."""
        *_before, end = self.stream_message(text, conversation=conversation, language=language)
        return end

    async def aprocess_message(self, text: str, *, conversation: str = "", language: str = "") -> AnswerPart:
        parts = [part async for part in self.astream_message(text, conversation=conversation, language=language)]
        return parts[-1]

    def stream_message(self, text: str, *, conversation: str = "", language: str = "") -> Iterator[AnswerPart]:
        """The answer as it comes, its end last; leaving early keeps what was said so far."""
        return self._runtime.iterate(self._answer(text, conversation, language))

    def astream_message(self, text: str, *, conversation: str = "", language: str = "") -> AsyncGenerator[AnswerPart]:
        return self._runtime.stream(self._answer(text, conversation, language))

    # --- what was said, how it stands -------------------------------------------------------------------------------
    def get_conversation_history(self, conversation: str = "") -> tuple[Message, ...]:
        return self._messages(conversation or self._own)

    async def aget_conversation_history(self, conversation: str = "") -> tuple[Message, ...]:
        return await self._runtime.wait(self._database.run(partial(self._messages, conversation or self._own)))

    def get_status(self) -> AssistantStatus:
        return self._runtime.run(self._status())

    async def aget_status(self) -> AssistantStatus:
        return await self._runtime.wait(self._status())

    def get_system_status(self) -> dict[str, Any]:
        """The model that would answer now, why none would, and the machine's resources, as JSON."""
        status = self.get_status()
        details = status.details
        return {
            "current_model": status.model,
            "problem": worded(status.reason),
            "mode": details.mode.value if details else "",
            "resources": details.resources.as_json() if details else {},
        }

    def shutdown(self) -> None:
        """End the answers that are on their way, which keeps what was said; nothing can be asked afterwards."""
        self._runtime.run(self._end())

    async def ashutdown(self) -> None:
        await self._runtime.wait(self._end())

    # --- in the loop of the runtime ---------------------------------------------------------------------------------
    def _answer(self, text: str, key: str, language: str) -> Work[AnswerPart]:
        """Raises ValueError for what is no question."""
        return partial(self._work, _checked(text), key, language or _language())

    async def _work(self, text: str, key: str, language: str, put: Callable[[AnswerPart], None]) -> None:
        if self._is_shut:
            raise GPUError(f"{self.name} was shut down and answers no more.")
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)
        rows = self._database.run
        key = key or await rows(self._own_key)
        history = await rows(partial(conversations.messages, key))
        records = await rows(lambda: self._records.answer(text, about=conversations.about(key), language=language))
        await rows(partial(conversations.keep, key, role=MessageRole.USER, content=records.asked or text))
        answer = AnswerInProgress(records)
        put(AnswerPart(kind=PartKind.RECORDS, text=records.answer, references=records.references, draft=records.draft))
        # at once, for a process that is ended in the middle of the model's words
        first = await self._keep(key, answer)
        try:
            async for part in self._worded(text, history, answer):
                put(part)
        except asyncio.CancelledError:
            # whoever asked has left, or the process ends: what was said so far is there when they are back
            answer.outcome = AnswerOutcome.STOPPED
            put(answer.end(await self._keep(key, answer, instead_of=first)))
            raise
        except BaseException:
            await self._keep(key, answer, instead_of=first)
            raise
        put(answer.end(await self._keep(key, answer, instead_of=first)))

    def _own_key(self) -> str:
        self._own = self._own or conversations.begin()
        return self._own

    @staticmethod
    def _messages(key: str) -> tuple[Message, ...]:
        return conversations.messages(key) if key else ()

    async def _worded(
        self, text: str, history: Sequence[Message], answer: AnswerInProgress
    ) -> AsyncIterator[AnswerPart]:
        """What a model makes of it; a failure ends in a note, never in an error."""
        records = answer.records
        if not records.data:
            return
        if self._models is None:
            answer.fall_back(NoModelFits("No model is set up."))
            return
        chunks = self._models.stream_response(question(text, records), talk(records, history, name=self.name))
        try:
            async for chunk in chunks:
                if chunk.restarted:
                    answer.begin()
                    yield AnswerPart(kind=PartKind.AGAIN)
                if shown := answer.said.feed(chunk.text):
                    yield AnswerPart(kind=PartKind.TEXT, text=shown)
                if chunk.done:
                    answer.took(chunk)
            if shown := answer.said.rest():
                yield AnswerPart(kind=PartKind.TEXT, text=shown)
        except (VLMUnavailable, OwnedElsewhere) as error:
            answer.fall_back(error)
            return
        finally:
            close = getattr(chunks, "aclose", None)
            if close is not None:
                await close()
        proposal = answer.said.proposal
        if records.drafting and proposal is not None:
            answer.draft = await self._database.run(partial(self._records.draft, proposal, records))
        answer.check()

    async def _keep(self, key: str, answer: AnswerInProgress, *, instead_of: Message | None = None) -> Message:
        keep = partial(conversations.keep, key, role=MessageRole.ASSISTANT)
        if instead_of is not None:
            keep = partial(conversations.change, key, instead_of.index)
        return await self._database.run(partial(keep, **answer.as_row()))

    async def _status(self) -> AssistantStatus:
        if self._models is None:
            return AssistantStatus(name=self.name, reason=_("No model is set up."))
        said = await self._models.get_current_model_status()
        return AssistantStatus(name=self.name, model=said.model, reason=said.problem, details=said)

    async def _end(self) -> None:
        if self._is_shut:
            return
        self._is_shut = True
        tasks = tuple(self._answering)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._database.close()


def _checked(text: str) -> str:
    text = storable(text).strip()
    if not text:
        raise ValueError(_("Ask something."))
    if len(text) > LONGEST_QUESTION:
        raise ValueError(_("A question has at most %(n)d characters.") % {"n": LONGEST_QUESTION})
    return text


def _language() -> str:
    return (translation.get_language() or "en")[:2]


class Mai(Assistant):
    """Made without arguments; its models and the GPU are those of the process, and outlive it."""

    def __init__(self) -> None:
        super().__init__(
            records=registered_records(),
            models=get_model_manager(),
            runtime=get_gpu_resource_manager().runtime,
            name=settings.RPA_ASSISTANT_NAME,
        )
