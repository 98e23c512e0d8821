"""Lists and their rows (S12): why a row ended as it did, and why a list stands."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, ngettext

WORDS: Words = {
    "worklists.unanswered": ngettext(  # what was asked may end without a full stop
        "%(asked)s (Nobody answered for %(n)d minute.)", "%(asked)s (Nobody answered for %(n)d minutes.)", "n"
    ),
    "worklists.stopped_by": _("%(who)s stopped the run."),
    "worklists.stopped": _("The run was stopped."),
    "worklists.saved": _("%(why)s Something may have been saved: look at the program before the row is done again."),
    "worklists.in_doubt": _("%(why)s Nobody knows whether its last action was done."),
    "worklists.not_possible": _("%(why)s: “%(text)s”"),
    "worklists.no_worker": _(
        "No worker has looked at the clock since %(since)s: lists do not begin by themselves and nobody is told. Start "
        "“manage.py work” on the server."
    ),
    "worklists.no_worker_yet": _(
        "No worker has looked at the clock yet: lists do not begin by themselves and nobody is told. Start "
        "“manage.py work” on the server."
    ),
    "worklists.webhook_begins_nothing": _("This webhook brings rows and begins nothing."),
    "worklists.webhook_again": _("The id “%(id)s” was sent before, with another body. Nothing was done."),
    "worklists.no_value": _("The row cannot begin: %(why)s"),
    "worklists.again_after": _("%(why)s It begins again by itself."),
    "worklists.breaker": _("%(n)d rows in a row did not reach their end. The last one is row %(number)d: %(why)s"),
    "worklists.doubt_stands": _("Row %(number)d may have been saved or not: %(why)s"),
    "worklists.reset_failed": _("The way back to the start was not reached after row %(number)d: %(why)s"),
    "worklists.no_start": _("No row can begin: %(why)s"),
    "worklists.skipped_by": _("%(who)s skipped it: %(why)s"),
    "worklists.set_aside_by": _("%(who)s set it aside: %(why)s"),
    "worklists.set_aside_by_plainly": _("%(who)s set it aside."),
    "worklists.cancelled_by": _("%(who)s cancelled it."),
    "worklists.again_by": _("%(who)s lets it begin again."),
    "worklists.not_saved_by": _("%(who)s looked at the program, and nothing was saved: %(why)s"),
    "worklists.window_extended": _("%(who)s lets rows begin until %(at)s, this once."),
    "worklists.window_over": ngettext(
        "The window is over: %(n)d row is left for the next start.",
        "The window is over: %(n)d rows are left for the next start.",
        "n",
    ),
    "worklists.first_by": _("%(who)s put it first."),
}
