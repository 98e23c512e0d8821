"""Errors of runs.

DomainError
├── ExecutionError
│   ├── UnknownExecution, MissingVariable, BadVariable, BadMode (ModeNotEarned), UnknownWindowProvider
│   ├── SecretsUnreadable
│   ├── NoSuchButton           the dialog that the run paused for has it not, or twice
│   ├── IllegalMove            the table forbids it, or somebody else moved first
│   ├── AlreadyDecided         says who decided and what
│   ├── HeldBySomebody         says who is correcting
│   ├── UnknownLesson, LessonTaken  says who teaches there; NoPictures
│   ├── UnknownWorklist, UnknownItem, BadWorklist, BadRows, UnknownSchedule, BadSchedule
│   ├── UnknownNotice, BadNotice
│   └── NothingToDecide, BadDecision, BadMark, BadReplay, NoMatch, DriftDetected, NotProved
└── LeaseLost (not for people: the run belongs to another run loop now)
    └── DatabaseAway       nobody can tell whose it is: it is left as it stands
"""

from __future__ import annotations

from typing import Any

from workflows.exceptions import DomainError


class ExecutionError(DomainError):
    pass


class BadEdit(ExecutionError, status=422):
    """A change of a draft that cannot be made; nothing was changed."""


class NoPictures(ExecutionError, status=422):
    """A lesson without a desktop has nothing to show: the pictures are no longer kept."""


class UnknownExecution(ExecutionError, status=404):
    pass


class MissingVariable(ExecutionError, status=422):
    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.names = names

    def details(self) -> dict[str, Any]:
        return {"variables": list(self.names)}


class BadVariable(MissingVariable):
    pass


class BadMode(ExecutionError):
    pass


class ModeNotEarned(BadMode, status=422):
    """A run would act by itself before its workflow has earned that."""


class UnknownWindowProvider(ExecutionError, status=422):
    pass


class SecretsUnreadable(ExecutionError):
    pass


class NoSuchButton(ExecutionError):
    pass


class IllegalMove(ExecutionError, status=409):
    pass


class NothingToDecide(ExecutionError, status=409):
    pass


class BadDecision(ExecutionError, status=422):
    pass


class StartKeyUsed(ExecutionError, status=422, code="idempotency_key_used"):
    """The same key came with another body."""


class BadMark(ExecutionError, status=422):
    """What was said of a step cannot be kept."""


class AlreadyDecided(ExecutionError, status=409):
    def __init__(
        self,
        message: str,
        *,
        choice: str,
        decided_by: str,
        source: str = "coach",
        origin: str = "",
        decided_at: str | None = None,
    ) -> None:
        super().__init__(message)
        self.choice, self.decided_by, self.source = choice, decided_by, source
        self.origin, self.decided_at = origin, decided_at

    def details(self) -> dict[str, Any]:
        return {
            "choice": self.choice,
            "decided_by": self.decided_by,
            "source": self.source,
            "origin": self.origin,
            "decided_at": self.decided_at,
        }


class HeldBySomebody(ExecutionError, status=409, code="held"):
    """Somebody else's correction holds the prompt (S1.10)."""

    def __init__(self, message: str, *, who: str) -> None:
        super().__init__(message)
        self.who = who

    def details(self) -> dict[str, Any]:
        return {"held_by": self.who}


class UnknownLesson(ExecutionError, status=404):
    pass


class LessonTaken(ExecutionError, status=409):
    """Somebody teaches this workflow, or on this desktop (S6.10)."""

    def __init__(self, message: str, *, lesson_id: str) -> None:
        super().__init__(message)
        self.lesson_id = lesson_id

    def details(self) -> dict[str, Any]:
        return {"lesson_id": self.lesson_id}


class UnknownWorklist(ExecutionError, status=404, code="unknown_list"):
    pass


class UnknownItem(ExecutionError, status=404, code="unknown_row"):
    pass


class BadWorklist(ExecutionError, status=422, code="bad_list"):
    """What was asked of a list cannot be done; nothing was changed."""


class UnknownSchedule(ExecutionError, status=404):
    pass


class BadSchedule(ExecutionError, status=422):
    """No list can begin by that; nothing was changed."""


class UnknownNotice(ExecutionError, status=404):
    pass


class UnknownWebhook(ExecutionError, status=404):
    pass


class WebhookAgain(ExecutionError, status=409):
    """A webhook with the id of another one, which was taken."""


class BadNotice(ExecutionError, status=422):
    """Nobody can be told by that; nothing was changed."""


class BadRows(ExecutionError, status=422):
    """Rows that a list does not take, each with its place and the reason; none was kept."""

    def __init__(self, message: str, rows: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.rows = rows

    def details(self) -> dict[str, Any]:
        return {"rows": self.rows}


class NoMatch(ExecutionError):
    """The screen is none of the workflow's nodes; told to a program's `on_error`."""


class NotTaken(ExecutionError):
    """The run that a loop is here for waits, and why; told to a program's `on_error`."""


class DriftDetected(ExecutionError):
    """A screen or a step is not what it was; told to a program's `on_error` (S11.7)."""


class NotProved(ExecutionError, status=409):
    """The workflow's runs do not prove that it may be trusted so far (S6.8)."""


class BadReplay(ExecutionError, status=422):
    """What was asked of a replay cannot be done."""


class LeaseLost(Exception):
    """Another run loop owns the execution; whoever gets this must stop acting at once (S9.4)."""


class DatabaseAway(LeaseLost):
    """The database was waited for long enough, or the loop is to leave: nothing is acted on and nothing recorded."""
