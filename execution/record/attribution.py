"""Who did what, in the reader's language: wishes, answers, and what a run or a step came to.

Some sentences are kept as programs know them (S1.5, S1.8, S7.2); people are never shown those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.choices import ExecutionState, Origin, Verb
from execution.types import Choice, Decision, DecisionSource
from sentences.said import by_sentence, say, worded

if TYPE_CHECKING:
    from execution import models

TERMINAL = say("record.terminal")
REJECTED = say("record.rejected")
REJECTED_IN_COACHING = say("record.rejected_in_coaching")

# What is kept for programs, as people read it.
FOR_PEOPLE = {
    TERMINAL: gettext_lazy("The end of the workflow was reached."),
    REJECTED_IN_COACHING: gettext_lazy("Rejected; it was not done"),
    REJECTED: gettext_lazy("Rejected; it was not done"),
}

_ASKED = {
    Verb.START: gettext_lazy("%(who)s started the run"),
    Verb.PAUSE: gettext_lazy("%(who)s asked for a pause"),
    Verb.RESUME: gettext_lazy("%(who)s resumed the run"),
    Verb.STOP: gettext_lazy("%(who)s asked to stop"),
    Verb.SET_MODE: gettext_lazy("%(who)s asked for another mode"),
    Verb.LIFT_DEGRADED: gettext_lazy("%(who)s had everything read in full again"),
    Verb.SET_CONTINUOUS_CAPTURE: gettext_lazy("%(who)s switched continuous capture"),
    Verb.TAKE_CONTROL: gettext_lazy("%(who)s took control"),
    Verb.CHANGE_VERSION: gettext_lazy("%(who)s asked for another version"),
}
_ANSWERED = {
    Choice.ACCEPT: gettext_lazy("%(who)s accepted"),
    Choice.CORRECT: gettext_lazy("%(who)s corrected"),
    Choice.MANUAL: gettext_lazy("%(who)s did it by hand"),
    Choice.SKIP: gettext_lazy("%(who)s skipped it"),
    Choice.REJECT: gettext_lazy("%(who)s rejected it"),
    Choice.DONE: gettext_lazy("%(who)s said that it was done"),
    Choice.RETRY: gettext_lazy("%(who)s said: again"),
    Choice.STOP: gettext_lazy("%(who)s stopped the run"),
}


def named(name: str, origin: str) -> str:
    """“zoe (page)”; where nobody logged in, the account of the machine; “a person” where nothing is known."""
    if origin == Origin.UNKNOWN or origin == Origin.LOOP:
        return name or _("a person")
    where = str(Origin(origin).label)
    return f"{name} ({where})" if name else where


def said_of_wish(wish: models.WishRecord) -> str:
    """“zoe (page) asked to stop at 10:28:03.”"""
    who = {"who": named(wish.name, wish.origin)}
    if button := wish.detail.get("press"):
        said = _("%(who)s chose “%(name)s” in the dialog") % {**who, "name": button}
    else:
        said = str(_ASKED[Verb(wish.verb)]) % who
    at = time_format(timezone.localtime(wish.asked_at), "H:i:s")
    return _("%(said)s at %(time)s.") % {"said": said, "time": at}


def said_of_decision(decision: models.Decision) -> str:
    """“zoe (page) accepted at 10:28:03.”, “Nobody answered in 120 s: skipped.”"""
    if decision.timed_out:
        return worded(unanswered(decision.choice, decision.prompt.timeout_s))
    who = {"who": named(decision.decided_by, decision.origin)}
    stopped = decision.source == DecisionSource.STOP
    said = str(_ANSWERED[Choice.STOP if stopped else Choice(decision.choice)]) % who
    at = time_format(timezone.localtime(decision.decided_at), "H:i:s")
    return _("%(said)s at %(time)s.") % {"said": said, "time": at}


def unanswered(choice: str, timeout_s: float | None) -> str:
    """What happened because nobody answered in time (S1.24)."""
    n = round(timeout_s or 0)
    return say("record.unanswered_skipped", n=n) if choice == Choice.SKIP else say("record.unanswered_rejected", n=n)


def skipped(decision: Decision | None) -> str:
    """The message of a step that was skipped."""
    if decision is not None and decision.source is DecisionSource.POLICY:
        return unanswered(decision.choice, decision.timeout_s)
    return say("record.skipped", who=decision.decided_by if decision else "")


def rejected(decision: Decision | None, *, coaching: bool = False, why: str = "") -> str:
    """The message of a step that was not allowed, and why; S1.8's own words only where somebody rejected it."""
    if decision is not None and decision.source is DecisionSource.POLICY:
        said = unanswered(decision.choice, decision.timeout_s)
    elif decision is not None and decision.source is DecisionSource.STOP:
        said = say("record.stopped", who=decision.decided_by)
    else:
        said = REJECTED_IN_COACHING if coaching else REJECTED
        said = say("record.for_a_reason", said=said) if why else said
    return by_sentence([said, why])


def for_people(message: str) -> str:
    """A step's message as people read it."""
    message = worded(message)
    for kept, told in FOR_PEOPLE.items():
        if message.startswith(kept):
            return f"{told}{message.removeprefix(kept)}"
    return message


def how_it_ended(execution: models.Execution) -> str:
    """Why a run did not complete, for people; empty where it did, or has not ended."""
    if execution.state == ExecutionState.STOPPED:
        who = named(execution.stopped_by, execution.stopped_from)
        return _("Stopped by %(who)s.") % {"who": who}
    if execution.state != ExecutionState.FAILED:
        return ""
    kept = f"Execution ended in state: {execution.state}"
    return _("The run failed, and nobody knows why.") if execution.error in ("", kept) else worded(execution.error)
