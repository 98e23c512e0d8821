"""The words for the values that scripts are given, in the reader's language. Places are as in Python: %(name)s.

All other texts of scripts stand in the scripts (`rpa_site.script_catalogue`).
"""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.phrases import FOUND_BY
from execution.choices import ExecutionMode, ExecutionState, Feedback, Origin, Outcome, PauseReason, Verified
from execution.language.rungs import RUNGS
from execution.record.attribution import FOR_PEOPLE


def value_words() -> dict[str, dict[str, object]]:
    """By what the value is of, then by the value."""
    return {
        "answers": {
            "accept": _("Accept"),
            "correct": _("Correct"),
            "manual": _("I did it"),
            "skip": _("Skip"),
            "reject": _("Reject"),
            "done": _("It was done"),
            "retry": _("Do it again"),
            "stop": _("Stop the run"),
        },
        "answered": {
            "accept": _("%(who)s accepted."),
            "correct": _("%(who)s corrected."),
            "manual": _("%(who)s did it by hand."),
            "skip": _("%(who)s skipped it."),
            "reject": _("%(who)s rejected it."),
            "done": _("%(who)s says it was done."),
            "retry": _("%(who)s says: do it again."),
            "stop": _("%(who)s stopped the run."),
        },
        "answered_by_you": {
            "accept": _("You accepted."),
            "correct": _("You corrected."),
            "manual": _("You did it by hand."),
            "skip": _("You skipped it."),
            "reject": _("You rejected it."),
            "done": _("You said: it was done."),
            "retry": _("You said: do it again."),
            "stop": _("You stopped the run."),
        },
        "mode": {m.value: str(m.label) for m in ExecutionMode},
        "state": {s.value: str(s.label) for s in ExecutionState},
        "outcome": {o.value: str(o.label) for o in Outcome if o.value},
        "pause_reason": {r.value: str(r.label) for r in PauseReason if r.value},
        "verified": {v.value: str(v.label) for v in Verified if v.value},
        "feedback": {one.value: str(one.label) for one in Feedback},
        "origin": {o.value: str(o.label) for o in Origin if o.value},
        "found_by": {rung: str(words) for rung, words in FOUND_BY.items()},
        "rungs": {rung: str(words) for rung, words in RUNGS.items()},
        "messages": {kept: str(told) for kept, told in FOR_PEOPLE.items()},
        "signs": {
            "texts": _("Texts"),
            "absent": _("Must not be there"),
            "window_title": _("Window"),
            "reference": _("Taught picture"),
            "layout": _("Layout"),
            "chosen": _("What is chosen"),
            "window": _("Taught window"),
            "app_name": _("Application"),
            "look": _("Look"),
            "reading": _("Reading"),
            "context": _("Way so far"),
            "person": _("A person"),
            "expected": _("What should be seen"),
            "destination": _("The next screen"),
            "typed": _("What was typed"),
            "change": _("A difference"),
            "effect": _("What was done"),
            "error": _("A message"),
            "waiting": _("Still at work"),
            "identity": _("Whose record"),
            "node": _("The screen"),
            "doubt": _("A doubt"),
            "popup": _("A dialog"),
        },
        "event_wish": {
            "pause": _("%(who)s asked for a pause"),
            "resume": _("%(who)s resumed the run"),
            "stop": _("%(who)s asked to stop"),
            "set_mode": _("%(who)s asked for another mode"),
            "lift_degraded": _("%(who)s had everything read in full again"),
            "set_continuous_capture": _("%(who)s switched continuous capture"),
            "take_control": _("%(who)s took control"),
            "change_version": _("%(who)s asked for another version"),
        },
        "did": act_words(),
    }


def act_words() -> dict[str, object]:
    """What somebody did who had control, by the kind of act."""
    return {
        "click": _("%(who)s: click %(where)s"),
        "double_click": _("%(who)s: double click %(where)s"),
        "right_click": _("%(who)s: right click %(where)s"),
        "drag": _("%(who)s: drag from %(where)s"),
        "scroll": _("%(who)s: wheel %(where)s"),
        "press_keys": _("%(who)s: keys %(keys)s"),
        "type_text": {
            form: ngettext("%(who)s: %(n)s character typed", "%(who)s: %(n)s characters typed", n)
            for n, form in ((1, "one"), (2, "other"))
        },
    }
