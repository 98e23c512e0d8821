"""What must not go on in a copy that is put in place: the same statements on every database.

They are plain SQL: the copy's tables may be of an older version than the models.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django.utils.translation import gettext as _

from execution.choices import LIVE, ExecutionState, Outcome, PromptState, StepPhase

Execute = Callable[[str, Sequence[Any]], int]  # a statement with %s for each value; gives how many rows it changed


def stop_live_runs(execute: Execute, *, why: str, now: Any) -> int:
    """Stop the runs that were under way or queued when the copy was made; gives how many.

    They have long gone on since: a run loop that took them up again would do a second time what was done.
    """
    live = sorted(str(state) for state in LIVE)
    marks = ", ".join(["%s"] * len(live))
    _close_open_steps(execute, f"SELECT id FROM execution_execution WHERE state IN ({marks})", live, now)  # noqa: S608  # nosec B608  marks
    stopped = execute(
        "UPDATE execution_execution SET state = %s, wish = '', ended_at = %s, lease_until = NULL, error = %s "  # noqa: S608  # nosec B608  marks
        f"WHERE state IN ({marks})",
        (ExecutionState.STOPPED.value, now, why, *live),
    )
    execute(
        "UPDATE execution_prompt SET state = %s WHERE state = %s", (PromptState.WITHDRAWN.value, PromptState.OPEN.value)
    )
    execute("UPDATE execution_robot SET stopped_at = %s WHERE stopped_at IS NULL", (now,))
    return stopped


def _close_open_steps(execute: Execute, runs: str, live: list[str], now: Any) -> None:
    """As at the end of every run: what was planned was not done, of what was begun nobody can say it."""
    for phase, outcome, words in (
        (StepPhase.PLANNED, Outcome.INTERRUPTED, _("The run ended.")),
        (StepPhase.INTENT, Outcome.FAILED, _("The run ended before anyone could say whether this was done.")),
    ):
        execute(
            "UPDATE execution_step SET phase = %s, outcome = %s, success = %s, message = %s, ended_at = %s "  # noqa: S608  # nosec B608  marks
            f"WHERE phase = %s AND execution_id IN ({runs})",
            (StepPhase.CLOSED.value, outcome.value, False, words, now, phase.value, *live),
        )


def end_sessions(execute: Execute, tables: Collection[str]) -> None:
    """Nobody comes in with what was valid then: since the copy was made people left, and tokens were revoked."""
    for table in sorted({"django_session", "rpa_site_apitoken"} & set(tables)):
        execute(f"DELETE FROM {table}", ())  # noqa: S608  # nosec B608  one of two names
