"""How steps and runs ended, as it is kept; the first three are the words that programs know (S1.5, S1.8)."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, ngettext

WORDS: Words = {
    "record.terminal": _("No next action (terminal node)"),
    "record.rejected": _("Action rejected by user"),
    "record.rejected_in_coaching": _("Action rejected by user in COACHING mode"),
    "record.for_a_reason": _("%(said)s."),
    "record.stopped": _("Not done: %(who)s stopped the run."),
    "record.skipped": _("Skipped by %(who)s."),
    "record.unanswered_skipped": ngettext(
        "Nobody answered in %(n)d second: skipped.", "Nobody answered in %(n)d seconds: skipped.", "n"
    ),
    "record.unanswered_rejected": ngettext(
        "Nobody answered in %(n)d second: rejected.", "Nobody answered in %(n)d seconds: rejected.", "n"
    ),
    "record.restarted": _("The run loop was restarted before this was done."),
    "record.ended_in_doubt": _("The run ended before anyone could say whether this was done."),
    "record.ended": _("The run ended."),
    "record.paused": _("Paused by %(who)s."),
    "record.has_control": _("%(who)s has control of the desktop."),
    "record.control_left": _(
        "%(who)s had control of the desktop and went away. Look at the screen; it goes on when somebody resumes it."
    ),
}
