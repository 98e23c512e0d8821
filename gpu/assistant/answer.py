"""An answer of the assistant: the pieces as they go to a person, and what of it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpu.assistant.records import CheckedWords, RecordsAnswer
from gpu.exceptions import GpuBusy, Later, NoModelFits
from gpu.model_manager import ModelStatus
from gpu.models import Message
from gpu.types import Chunk
from sentences.said import to_json, told_by


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
