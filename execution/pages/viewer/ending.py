"""How a run ended and why, in one sentence, with the step where it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.phrases import capital, seconds
from execution.choices import ExecutionState, PauseReason, Verified
from execution.models import Execution, Step
from execution.pages.viewer.story import came, each_once, new_after
from execution.record.attribution import for_people, how_it_ended, named
from execution.record.hidden import hidden_in
from execution.record.meant import meant_or_taught
from sentences.said import worded


def ending(execution: Execution, rows: list[dict[str, Any]], at: int | str | None) -> dict[str, Any]:
    """`said`: the sentence; `why`: what stood behind it; `step`: where, None where it is no step's doing."""
    step = next((row for row in rows if row["index"] == at), None)
    time = seconds(execution.duration_seconds)
    if execution.state == ExecutionState.COMPLETED:
        return {"said": _completed(rows, time), "why": "", "step": None}
    if step and "pause" in step:
        return {
            "said": _standing(execution, step, time),
            "why": _why(execution, step, more=_came_there(execution, step)),
            "step": step["index"],
            "pause": True,
        }
    rows_of = Step.objects.filter(execution=execution).defer("screen", "recognition")
    done = rows_of.filter(index=at).first() if isinstance(at, int) else None
    meant = worded(meant_or_taught(done, execution.version.spec())) if done else ""
    where = {"n": step["index"], "sentence": meant, "time": time} if step else {"time": time}
    why = _why(execution, step, done)
    if execution.state == ExecutionState.STOPPED:
        who = {"who": named(execution.stopped_by, execution.stopped_from), **where}
        said = (
            _("Stopped by %(who)s after %(time)s, at step %(n)d: %(sentence)s") % who
            if step
            else _("Stopped by %(who)s after %(time)s, before its first step") % who
        )
    elif step:
        said = _("Failed after %(time)s, at step %(n)d: %(sentence)s") % where
    else:
        said = _("Failed after %(time)s, before its first step") % where
    return {"said": said, "why": why, "step": step["index"] if step else None}


def _standing(execution: Execution, pause: dict[str, Any], time: str) -> str:
    """It ended where it stood still, on a screen that no step was opened for."""
    told = {"who": named(execution.stopped_by, execution.stopped_from), "time": time, "n": pause["after"]}
    if execution.state == ExecutionState.STOPPED:
        if not pause["after"]:
            return _("Stopped by %(who)s after %(time)s; it stood still before its first step") % told
        return _("Stopped by %(who)s after %(time)s; it stood still after step %(n)d") % told
    if not pause["after"]:
        return _("Failed after %(time)s; it stood still before its first step") % told
    return _("Failed after %(time)s; it stood still after step %(n)d") % told


def _completed(rows: list[dict[str, Any]], time: str) -> str:
    matters = sum(bool(row.get("problem")) for row in rows)
    if not matters:
        return _("Completed in %(time)s; every step went as it should.") % {"time": time}
    said = ngettext(
        "Completed in %(time)s; %(n)d step was not as usual.",
        "Completed in %(time)s; %(n)d steps were not as usual.",
        matters,
    )
    return said % {"time": time, "n": matters}


def _came_there(execution: Execution, pause: dict[str, Any]) -> list[str]:
    """What the step before it brought on the screen where it stood still."""
    shown = Step.objects.filter(execution=execution, index=pause["after"], picture_after=pause["picture_before"])
    step = shown.defer("screen", "recognition").first()
    return [capital(new_after(step, hidden_in(execution, execution.version.spec()).of(step)))] if step else []


def _why(execution: Execution, row: dict[str, Any] | None, step: Step | None = None, more: Sequence[str] = ()) -> str:
    """What was the matter: what it stood still for, the error it ended with, else what the step came to."""
    said = []
    stood = execution.pause_reason not in ("", PauseReason.ASKED, PauseReason.CONTROL)
    if stood and (message := worded(execution.pause_detail.get("message", ""))):
        said.append(message)
    if execution.state == ExecutionState.FAILED:
        said.append(how_it_ended(execution))
    if row:
        message = for_people(step.message) if step else row.get("message", "")
        said += [row.get("doubt") or message, *(_instead(execution, step) if step else more)]
    return " ".join(text if text[-1] in ".!?…" else f"{text}." for text in each_once(said))


def _instead(execution: Execution, step: Step) -> list[str]:
    """What was not seen after a step that did not work, and what came in its place."""
    if step.verified == Verified.YES:
        return []
    hidden = hidden_in(execution, execution.version.spec()).of(step)
    return [capital(hidden.text(text)) for text in (step.verification.get("message"), came(step, hidden)) if text]
