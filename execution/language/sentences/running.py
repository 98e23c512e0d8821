"""The process that runs, its desktop and its database: what the robots page and a run tell of them."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    "running.no_control": _("You do not have control of the desktop any more."),
    "running.set_aside": _(
        "The run loop ended without a word %(n)d times while it had this run, which got no further in between. "
        "It is set aside: look at the log of the run loop and at the screen, then resume it or stop it."
    ),
    "running.other_desktop": _(
        "This is not the desktop that the run was on (%(what)s). Look at it, then resume or stop."
    ),
    "running.of_host": _("another machine"),
    "running.of_boot": _("started anew since"),
    "running.of_session": _("another session"),
    "running.of_user": _("another user"),
    "running.of_size": _("another size"),
    "running.display_silent": _("The display %(name)s has not answered for %(n)d s. It is waited for, for %(most)d s."),
    "running.display_again": _("The display %(name)s answers again."),
    "running.clock_jumped": _(
        "The clock of this machine jumped by %(n)s s. Times of day before that are off by as much."
    ),
    "running.secrets_unreadable": _(
        "The secret values of this run cannot be read with the keys of the vault. Start it anew."
    ),
    "running.asked_to_leave": _("%(why)s The run loop was asked to leave."),
    "running.waited_in_vain": _("%(why)s It was waited for %(n)d s."),
    "running.waits": _("%(why)s The run loop waits for it and goes on by itself."),
    "running.database_again": _("The database is there again after %(n)d s; nothing was lost."),
}
