"""What a lesson says while it is given: what a click would be kept as, which screen it is, what is asked."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    "role.button": _("button"),
    "role.field": _("field"),
    "role.checkbox": _("check box"),
    "role.radio": _("radio button"),
    "role.tab": _("tab"),
    "role.menu_item": _("menu entry"),
    "role.link": _("link"),
    "role.icon": _("small picture"),
    "role.place": _("spot on the screen"),
    "lesson.named": _("%(role)s “%(name)s”"),
    "lesson.only_one": _("%(what)s, the only one here"),
    "lesson.one_of": _("%(what)s, number %(n)d of %(of)d"),
    "lesson.row_of": _("The line of %(text)s"),
    "lesson.row_of_typed": _("The line of “%(text)s”, which was typed before: another one in each run"),
    "lesson.row_of_value": _("The line of “%(text)s”"),
    "lesson.beside": _("The one beside “%(text)s”"),
    "lesson.the_nth": _("Always number %(n)d of %(of)d"),
    "lesson.this_place": _("This very place"),
    "lesson.which": _("There are %(of)d %(what)s. What says that it is this one?"),
    "lesson.held": _("The click is held until you say. Then it is done on the desktop."),
    "lesson.held_afterwards": _("The click was done before the screen was read."),
    "lesson.over": _("Something came over the screen: %(dialog)s"),
    "lesson.new_screen": _("This screen was not there before."),
    "lesson.same_screen": _("It is “%(node)s”, as before."),
    "lesson.is_screen": _("You said that it is “%(node)s”."),
    "lesson.a_screen": _("Screen"),
    "lesson.reading": _("The screen is being read."),
    "lesson.in_doubt": _("The run loop ended in the middle of this step. Nobody knows whether it was done."),
    "lesson.paused": _("The lesson is paused: nothing is done on the desktop."),
    "lesson.no_question": _("That question is no longer asked."),
    "lesson.not_done": _("Nothing was done. %(why)s"),
    "lesson.no_target": _("This step was kept without what it acts on: %(why)s"),
    "lesson.bad_message": _("The page sent something that is no act."),
    "lesson.away": _("Nobody was there for %(n)d s, so the desktop was given back. The draft is kept."),
    "lesson.desktop_lost": _("The desktop was lost: %(error)s The draft is kept."),
    "lesson.not_answered": _("First say which one is meant, or let the click go."),
    "lesson.changed_since": _("The screen has changed since you were asked, so nothing was done. Click again."),
    "lesson.no_picture_of_it": _(
        "No picture of this step is kept, so its target cannot be drawn anew. Teach it again."
    ),
    "lesson.no_secret": _("There is no secret variable of that name. Make it first, then type its value."),
    "lesson.secret_where": _("Click the field first: where a secret is typed is hidden before."),
    "lesson.undone": _("Taken back from the draft. On the desktop it stays done: %(what)s."),
    "lesson.nothing_to_undo": _("There is no step to take back."),
    "lesson.nothing_read": _("Nothing is written there that could be read."),
    "lesson.nothing_beside": _("Nothing stands beside it that is the same each time."),
    "lesson.try_elsewhere": _("It begins on “%(node)s”, and that screen does not show."),
    "lesson.try_no_value": _("The variable “%(name)s” has no value here."),
    "lesson.try_led_elsewhere": _("It was done, and “%(node)s” did not come."),
    "lesson.try_stopped": _("Step %(n)d was not done again: %(why)s Click where it is, and it is tried on from there."),
}
