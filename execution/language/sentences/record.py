"""How steps and runs ended, as it is kept; the first three are the words that programs know (S1.5, S1.8)."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, ngettext

WORDS: Words = {
    "record.learned_from": _("Learned from run %(run)s, step %(step)d, on %(on)s."),
    "record.way_proposed": _("No run goes this way by itself: it may be made part of the workflow, or let be."),
    "record.nothing_left": _("Nothing that the screen is known by is on it: say what it is known by."),
    "record.proved_wrong": _("It proved wrong."),
    "record.pictures_not_kept": _("The pictures that it was known by are no longer kept: show it once more."),
    "record.was_of_one_run": _("All that it said was the data of one run, which is not kept: show it once more."),
    "record.corrected_not_kept": _("What a coach put in the place of what is taught, which is no longer kept"),
    "record.correction_off": _("A correction proved wrong and was switched off. %(learned)s"),
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
    "record.to_be_read_back": _("It counts as verified once “%(name)s” has read it back."),
    "record.restarted": _("The run loop was restarted before this was done."),
    "record.ended_in_doubt": _("The run ended before anyone could say whether this was done."),
    "record.ended": _("The run ended."),
    "record.paused": _("Paused by %(who)s."),
    "record.version_kept": _("The run stays with its version. %(why)s"),
    "record.has_control": _("%(who)s has control of the desktop."),
    "record.control_left": _(
        "%(who)s had control of the desktop and went away. Look at the screen; it goes on when somebody resumes it."
    ),
}
