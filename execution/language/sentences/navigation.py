"""Going to a place, and logging in: what was done, and why it could not be."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    # --- what a place is called
    "place.unnamed": _("No place is named: write a menu path (File > Save As), or what a button or tab says."),
    "place.level_unnamed": _("“%(place)s” has a level without a name."),
    "place.too_many_levels": _("“%(place)s” has %(count)d levels; at most %(most)d are followed."),
    "place.level_too_long": _("A level of “%(place)s…” is longer than any label."),
    "place.unusable": _("The place cannot be gone to: %(problem)s."),
    # --- where a label is
    "place.not_seen": _("“%(label)s” is not on the screen"),
    "place.several": _("“%(label)s” is there %(count)d times, and nothing says which is meant"),
    "place.greyed_out": _("“%(label)s” is greyed out"),
    "place.menus_there": _("The menus and tabs there: %(names)s."),
    "place.to_press": _("To press there: %(names)s."),
    "place.nothing_to_press": _("No menu, tab or button is seen."),
    # --- on the way
    "going.arrived": _("Went to “%(place)s”."),
    "going.there_already": _("Already at “%(place)s”."),
    "going.chosen_already": _("Already at “%(place)s”: it is the chosen one."),
    "going.another_screen": _("“%(label)s” was clicked, but the screen is not “%(label)s”."),
    "going.nothing_changed": _("“%(label)s” was clicked, and nothing changed."),
    "going.came_up": _("What came up when “%(label)s” was clicked: %(texts)s."),
    "going.stopped_before": _("It was stopped before “%(label)s” was clicked."),
    "going.late": _("The time was over before “%(label)s” was clicked."),
    "going.no_picture": _("There is no picture of the screen: %(error)s"),
    "going.unread": _("The screen could not be read: %(notes)s"),
    "going.stopped": _("It was stopped on the way."),
    "going.failed": _("It went wrong on the way: %(error)s"),
    "going.menu_closed": _("The menu was closed again."),
    "going.menu_stayed": _("The menu stayed open: %(error)s"),
    "going.menu_not_closed": _("Escape did not close the menu."),
    # --- logging in
    "login.unnamed": _("No credential is named: which one to log in with?"),
    "login.done": _("Logged in with “%(name)s”."),
    "login.done_already": _("Somebody is logged in already."),
    "login.stopped": _("It was stopped while logging in."),
    "login.failed": _("It went wrong while logging in: %(error)s."),
    "login.no_login_screen": _("This is no login screen: no field for a password is seen. %(there)s"),
    "login.not_plain": _("Nothing was typed: this is no plain login screen, %(why)s."),
    "login.several_passwords": _("it asks for several passwords, as where one is changed or an account is made"),
    "login.several_users": _("it has several fields that could be the user name"),
    "login.registering": _("it looks like a page to register on"),
    "login.shows_password": _("Nothing was typed: the password field shows what is typed. Hide it first."),
    "login.no_second_page": _("The user name was sent, and no screen asked for the password."),
    "login.field_of_user": _("the field of the user name"),
    "login.field_of_password": _("the field of the password"),
    "login.user_not_taken": _("Nothing appeared in the field of the user name, so no password was typed."),
    "login.user_is_another": _("The field of the user name holds something else, so no password was typed."),
    "login.changed_meanwhile": _("The screen changed while the user name was typed, so no password was typed."),
    "login.password_field_gone": _("The field of the password is no longer seen, so it was not typed."),
    "login.caps_lock": _("Caps Lock is on, so the password was not typed."),
    "login.password_field_moved": _("The field of the password moved or was covered, so it was not typed."),
    "login.password_not_taken": _("Nothing appeared in the field of the password, so it was not sent."),
    "login.password_shown": _("The password field shows what is typed: it was emptied and nothing was sent."),
    "login.user_not_named": _(
        "Nothing was typed: only a password is asked for, and “%(user)s” is not named on the screen."
    ),
    "login.another_focus": _("A click into %(field)s gave the focus to another field."),
    "login.desktop_lost": _("The desktop was lost while logging in: what was typed may have arrived."),
    "login.not_acted": _("It could not be typed or clicked: %(error)s."),
    "login.no_picture": _("There is no picture of the screen: %(error)s."),
    "login.another_window": _("Another window came to the front while logging in, so no more was typed."),
    # --- what a program answers
    "login.wrong": _(
        "User name or password of “%(name)s” are not right. They are not tried again: that locks accounts."
    ),
    "login.locked": _("The account of “%(name)s” is locked. A person must have it unlocked."),
    "login.code": _("A code is asked for as a second factor: a person must enter it."),
    "login.new_password": _("A new password is asked for: a person must choose it."),
    "login.broken": _("The login was sent, and the server answered with an error."),
    "login.waiting": _("The login was sent, and the program never answered."),
    "login.still_there": _("The login was sent, and the login screen is still there without a word why."),
    "login.logged_in": _("The login screen is gone, and nothing says what came instead."),
}
