"""What people are told of lists when they do not look, and what is said of a message that does not arrive."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, ngettext

WORDS: Words = {
    "notice.person_needed": _("The list “%(name)s” needs a person."),
    "notice.finished": _("The list “%(name)s” has finished."),
    "notice.stopped": _("The list “%(name)s” has stopped."),
    "notice.left": _("The list “%(name)s” rests, and rows are left over."),
    "notice.file_refused": _("A file for the list “%(name)s” was refused, as a whole or in part."),
    "notice.rows_left_out": ngettext("%(n)d row was left out.", "%(n)d rows were left out.", "n"),
    "notice.late": _("The list “%(name)s” will not be done in time."),
    "notice.robot_away": _("No robot works on the list “%(name)s”."),
    "notice.missed_start": _("The list “%(name)s” missed its start."),
    "notice.no_file": _("No file has come for the list “%(name)s”."),
    "notice.again": _("Not answered yet: %(what)s"),
    "notice.several": ngettext("%(n)d message about lists", "%(n)d messages about lists", "n"),
    "notice.rows": ngettext("Row %(rows)s.", "%(n)d rows: %(rows)s.", "n"),
    "notice.more": ngettext("And %(n)d more.", "And %(n)d more.", "n"),
    "notice.would_stay": ngettext(
        "At this rate %(n)d row would be left over.", "At this rate %(n)d rows would be left over.", "n"
    ),
    "notice.test": _("A test of Surehand: this message arrives."),
    "notice.address_gone": _("The address is gone. An admin deleted it."),
    "notice.no_mail": _("%(name)s has no mail address."),
    "notice.unknown_address": _("This is no address that a message can be sent to."),
    "notice.refused_address": _("This address tells no person: it runs or writes something on the server."),
    "notice.not_delivered": _("The message was not delivered. The other side says: %(words)s"),
    "notice.bad_signature": _("The signature of this message is wrong, or it came too late."),
}
