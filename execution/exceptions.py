"""Errors of runs.

DomainError
├── ExecutionError
│   ├── UnknownExecution, MissingVariable, BadVariable, BadMode (ModeNotEarned), UnknownWindowProvider
│   ├── SecretsUnreadable
│   ├── NoSuchButton           the dialog that the run paused for has it not, or twice
│   ├── IllegalMove            the table forbids it, or somebody else moved first
│   ├── AlreadyDecided         says who decided and what
│   ├── HeldBySomebody         says who is correcting
│   ├── UnknownLesson, LessonTaken  says who teaches there
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
    code = "execution_error"


class BadEdit(ExecutionError):
    """A change of a draft that cannot be made; nothing was changed."""

    status_code = 422
    code = "bad_edit"


class UnknownExecution(ExecutionError):
    status_code = 404
    code = "unknown_execution"


class MissingVariable(ExecutionError):
    status_code = 422
    code = "missing_variable"

    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.names = names

    def details(self) -> dict[str, Any]:
        return {"variables": list(self.names)}


class BadVariable(MissingVariable):
    code = "bad_variable"


class BadMode(ExecutionError):
    code = "bad_mode"


class ModeNotEarned(BadMode):
    """A run would act by itself before its workflow has earned that."""

    status_code = 422
    code = "mode_not_earned"


class UnknownWindowProvider(ExecutionError):
    status_code = 422
    code = "unknown_window_provider"


class SecretsUnreadable(ExecutionError):
    code = "secrets_unreadable"


class NoSuchButton(ExecutionError):
    code = "no_such_button"


class IllegalMove(ExecutionError):
    status_code = 409
    code = "illegal_move"


class NothingToDecide(ExecutionError):
    status_code = 409
    code = "nothing_to_decide"


class BadDecision(ExecutionError):
    status_code = 422
    code = "bad_decision"


class StartKeyUsed(ExecutionError):
    """The same key came with another body."""

    status_code = 422
    code = "idempotency_key_used"


class BadMark(ExecutionError):
    """What was said of a step cannot be kept."""

    status_code = 422
    code = "bad_mark"


class AlreadyDecided(ExecutionError):
    status_code = 409
    code = "already_decided"

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


class HeldBySomebody(ExecutionError):
    """Somebody else's correction holds the prompt (S1.10)."""

    status_code = 409
    code = "held"

    def __init__(self, message: str, *, who: str) -> None:
        super().__init__(message)
        self.who = who

    def details(self) -> dict[str, Any]:
        return {"held_by": self.who}


class UnknownLesson(ExecutionError):
    status_code = 404
    code = "unknown_lesson"


class LessonTaken(ExecutionError):
    """Somebody teaches this workflow, or on this desktop (S6.10)."""

    status_code = 409
    code = "lesson_taken"

    def __init__(self, message: str, *, lesson_id: str) -> None:
        super().__init__(message)
        self.lesson_id = lesson_id

    def details(self) -> dict[str, Any]:
        return {"lesson_id": self.lesson_id}


class UnknownWorklist(ExecutionError):
    status_code = 404
    code = "unknown_list"


class UnknownItem(ExecutionError):
    status_code = 404
    code = "unknown_row"


class BadWorklist(ExecutionError):
    """What was asked of a list cannot be done; nothing was changed."""

    status_code = 422
    code = "bad_list"


class UnknownSchedule(ExecutionError):
    status_code = 404
    code = "unknown_schedule"


class BadSchedule(ExecutionError):
    """No list can begin by that; nothing was changed."""

    status_code = 422
    code = "bad_schedule"


class UnknownNotice(ExecutionError):
    status_code = 404
    code = "unknown_notice"


class UnknownWebhook(ExecutionError):
    status_code = 404
    code = "unknown_webhook"


class WebhookAgain(ExecutionError):
    """A webhook with the id of another one, which was taken."""

    status_code = 409
    code = "webhook_again"


class BadNotice(ExecutionError):
    """Nobody can be told by that; nothing was changed."""

    status_code = 422
    code = "bad_notice"


class BadRows(ExecutionError):
    """Rows that a list does not take, each with its place and the reason; none was kept."""

    status_code = 422
    code = "bad_rows"

    def __init__(self, message: str, rows: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.rows = rows

    def details(self) -> dict[str, Any]:
        return {"rows": self.rows}


class NoMatch(ExecutionError):
    """The screen is none of the workflow's nodes; told to a program's `on_error`."""

    code = "no_match"


class NotTaken(ExecutionError):
    """The run that a loop is here for waits, and why; told to a program's `on_error`."""

    code = "not_taken"


class DriftDetected(ExecutionError):
    """A screen or a step is not what it was; told to a program's `on_error` (S11.7)."""

    code = "drift_detected"


class NotProved(ExecutionError):
    """The workflow's runs do not prove that it may be trusted so far (S6.8)."""

    status_code = 409
    code = "not_proved"


class BadReplay(ExecutionError):
    """What was asked of a replay cannot be done."""

    status_code = 422
    code = "bad_replay"


class LeaseLost(Exception):
    """Another run loop owns the execution; whoever gets this must stop acting at once (S9.4)."""


class DatabaseAway(LeaseLost):
    """The database was waited for long enough, or the loop is to leave: nothing is acted on and nothing recorded."""
