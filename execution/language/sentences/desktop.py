"""The desktop itself: who has it, what it refuses, and how it is lost."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    # --- whose it is
    "desktop.in_use_by": _(
        "The desktop %(name)s is in use by %(holder)s (pid %(pid)s, since %(since)s UTC): wait for it or stop it."
    ),
    "desktop.in_use": _("The desktop %(name)s is in use by another program: wait for it or stop it."),
    "desktop.held_already": _("The desktop %(name)s is already held by this very lock."),
    # --- what can be pointed at, pressed and typed
    "desktop.point_outside": _("The point (%(x)d, %(y)d) is outside the desktop, which is %(w)d × %(h)d pixels."),
    "desktop.no_chord": _("A chord is a list of key names such as %(example)s, got %(got)s."),
    "desktop.no_key": _("There is no key “%(key)s”; there are %(keys)s and every single character."),
    "desktop.key_not_here": _("There is no key “%(key)s” on this system’s keyboard; type it as text instead."),
    "desktop.not_typeable": _("Character %(n)d of the text is %(char)s, which cannot be typed: take it out."),
    "desktop.no_free_key": _(
        "This keyboard layout has no “%(char)s” and no free key to put it on: choose another layout."
    ),
    "desktop.too_few_free_keys": _(
        "There are not enough free keys on this keyboard layout to type with: choose another one."
    ),
    "desktop.modifier_held": _(
        "A modifier key (Shift, Ctrl, Alt, AltGr or Super) is held down at the keyboard: let it go."
    ),
    "desktop.button_held": _("A button of the mouse is held down by somebody: let it go."),
    "desktop.no_button": _("The mouse of this desktop has no button %(n)d: its buttons are set otherwise."),
    "desktop.caps_lock": _("Caps Lock is on and cannot be switched off by program: switch it off at the keyboard."),
    "desktop.keyboard_not_read": _(
        "The application has not read its keyboard for %(n)g s: what it got of the text is not known."
    ),
    "desktop.windows_refuses": _(
        "Windows took %(sent)d of %(count)d key events: the focused program may run as administrator, then this "
        "program has to as well."
    ),
    # --- what an X server does
    "desktop.no_display": _(
        "No X display is given: set DISPLAY (such as “:0”) or name one, or start one with “%(command)s”."
    ),
    "desktop.no_display_name": _("“%(name)s” is not the name of an X display: it looks like “:0”."),
    "desktop.no_server": _("There is no X server %(name)s: start it or set DISPLAY to one that runs (%(error)s)."),
    "desktop.server_mute": _("The X server %(name)s takes connections but does not answer: restart it."),
    "desktop.authority_refused": _(
        "The X server %(name)s refused %(file)s: point XAUTHORITY at its authority file (%(error)s)."
    ),
    "desktop.no_xlib": _("The X library cannot be used: %(error)s."),
    "desktop.xlib_hidden": _("python3-xlib lies over it; run “%(command)s”"),
    "desktop.xwayland": _(
        "The X server %(name)s cannot be used: it is Xwayland, where other windows can be neither seen nor used. "
        "Log in to an Xorg session or use a display made by Xvfb."
    ),
    "desktop.no_xtest": _(
        "The X server %(name)s cannot be used: it has no XTEST extension, so no input can be sent. Start it with "
        "that extension or use a display made by Xvfb."
    ),
    "desktop.not_watchable": _(
        "What is done by hand on %(name)s cannot be recorded: only desktops shown by an X server can be watched. "
        "Teach there through the browser."
    ),
    "desktop.no_record": _(
        "What is done by hand on %(name)s cannot be recorded: the X server has no %(extension)s extension. Start it "
        "with that extension, or teach through the browser."
    ),
    "desktop.no_watch_library": _(
        "What is done by hand cannot be recorded: %(file)s is missing. Install the package %(package)s."
    ),
    "desktop.no_compose": _(
        "What is done by hand cannot be recorded: how keys are composed is not known. Install the package %(package)s."
    ),
    "desktop.no_hot_key": _("“%(keys)s” can be no hot key: one key of this keyboard, with or without modifiers, can."),
    "desktop.hot_key_taken": _("Another program has “%(keys)s” on this desktop. Choose another hot key."),
    "desktop.server_gone": _("The X server %(name)s is gone: %(error)s."),
    "desktop.server_silent": _("The X server %(name)s has not answered for %(n)g s."),
    "desktop.server_refused": _("The X server %(name)s refused a request: %(error)s."),
    "desktop.connection_closed": _("The connection to %(name)s was closed."),
    "desktop.no_pictures": _("Pictures of %(name)s cannot be taken: %(error)s."),
    "desktop.stood_still": _("The X server %(name)s stood still for %(n)d s: %(not_done)s."),
    "desktop.not_clicked": _("nothing was clicked"),
    "desktop.not_dragged": _("nothing was dragged"),
    "desktop.not_pressed": _("nothing was pressed"),
    "desktop.not_typed": _("nothing was typed"),
    # --- what Windows and macOS do
    "desktop.not_usable": _(
        "The desktop cannot be seen or used (%(error)s). Sign in to a graphical session, and allow this program "
        "screen recording and accessibility where the system asks for it."
    ),
    "desktop.out_of_reach": _("The desktop cannot be reached, it may be locked or signed out: %(error)s."),
    "desktop.not_seen": _("The screen cannot be seen, it may be locked or signed out: %(error)s."),
    "desktop.unknown_platform": _("There is no native desktop on %(platform)s: name an X display such as “:0”."),
    # --- recorded and scripted ones
    "desktop.no_folder": _("There is no folder %(folder)s with recorded pictures."),
    "desktop.folder_empty": _(
        "The folder %(folder)s has no pictures: put PNG or JPEG files there, named in their order."
    ),
    "desktop.notes_unusable": _("%(path)s does not say what a recorded desktop needs: %(error)s."),
    "desktop.notes_name_no_picture": _("it mentions the picture “%(name)s”, which is not in the folder"),
    "desktop.no_picture": _("There is no picture %(path)s."),
    "desktop.picture_too_large": _(
        "%(path)s is %(w)d × %(h)d pixels; at most 33 megapixels are read: scale the picture down."
    ),
    "desktop.picture_damaged": _("%(path)s is damaged and cannot be read as a picture: %(error)s."),
    "desktop.not_a_picture": _("%(path)s is neither a PNG nor a JPEG picture."),
    "desktop.no_script": _(
        "There is no scripted desktop “%(path)s”: give the dotted path of a function that makes one, such as "
        "%(example)s."
    ),
    # --- desktops elsewhere, by VNC or RDP
    "desktop.elsewhere_no_address": _("That is no address of a desktop elsewhere: it looks like %(example)s."),
    "desktop.elsewhere_password_in_address": _(
        "An address holds no password: keep user name and password in the vault, and put the credential’s name before "
        "the “@”, as in %(example)s. Change that password: command lines are seen by everybody on this machine."
    ),
    "desktop.elsewhere_no_layout": _(
        "There is no keyboard layout “%(layout)s” for a desktop elsewhere; there are %(known)s."
    ),
    "desktop.elsewhere_no_program": _("The program %(program)s is missing: install it (docs/desktops-elsewhere.md)."),
    "desktop.elsewhere_no_display": _("The display for the client could not be started: Xvfb ended at once."),
    "desktop.elsewhere_layout_refused": _(
        "The display for the client did not take the keyboard layout “%(layout)s”: setxkbmap refused it."
    ),
    "desktop.elsewhere_no_vault": _("The credential of %(name)s cannot be opened here: there is no vault."),
    "desktop.elsewhere_out_of_reach": _("%(name)s cannot be reached: %(error)s."),
    "desktop.elsewhere_not_connected": _(
        "%(name)s answers, but shows no desktop: its client ended. The log of the run loop says what it said."
    ),
    "desktop.elsewhere_refused": _(
        "%(name)s does not let us in: look at the user name and password in the vault, and whether the account is "
        "locked. It is not tried again, which could lock it."
    ),
    "desktop.elsewhere_nothing_shown": _("%(name)s has shown no desktop for %(n)d s."),
    "desktop.elsewhere_ended": _("The connection to %(name)s was cut."),
    "desktop.elsewhere_no_window": _("The client of %(name)s shows nothing any more."),
    "desktop.elsewhere_other_window": _("The client of %(name)s shows something else than that desktop in its size."),
    "desktop.elsewhere_not_taken": _("%(name)s has not taken for %(n)g s what was sent to it."),
    "desktop.elsewhere_still_sent": _(
        "What was sent to %(name)s before it was cut could still arrive there: it is not connected to before this "
        "machine has given that up."
    ),
    # --- who tells what window is open
    "desktop.unknown_window_provider": _(
        "“%(name)s” is none of the window info providers of this server: %(known)s. RPA_WINDOW_PROVIDERS lists them."
    ),
    "desktop.no_window_providers": _(
        "“%(name)s” is no window info provider of this server: RPA_WINDOW_PROVIDERS lists none."
    ),
}
