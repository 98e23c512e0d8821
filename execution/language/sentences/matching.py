"""Which screen it is, and why: the signs that were weighed, and what a dialog over it says."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Sentence, Words

WORDS: Words = {
    "matching.screen_unread": _("the screen was not read"),
    "matching.picture_unread": _("its picture was not read"),
    "matching.elements_in_place": Sentence(text=_("%(share)s of the elements are where they were"), shares=("share",)),
    "matching.same_chosen": _("the same tab or entry is chosen"),
    "matching.another_chosen": _("another tab or entry is chosen"),
    "matching.texts_of_picture": Sentence(
        text=_("%(seen)d of the %(of)d texts of its picture seen, %(recall)s of those without data"), shares=("recall",)
    ),
    "matching.missing": _("missing: %(texts)s"),
    "matching.not_on_it": _("not on it: %(texts)s"),
    "matching.title_of_another": _("the title of the window is that of another screen"),
    "matching.same_application": _("the same application"),
    "matching.another_application": _("another application"),
    "matching.looks_alike": Sentence(text=_("looks %(share)s alike"), shares=("share",)),
    "matching.no_common_model": _("its picture and the screen have no model in common"),
    "matching.picture_not_had": _("its reference picture cannot be had: %(error)s"),
    "matching.picture_not_read_why": _("its reference picture was not read: %(why)s"),
    "matching.reader_failed": _("the reader or the detector failed"),
    "matching.ruled_out": _("ruled out: '%(text)s' is on the screen"),
    "matching.area_not_empty": _("ruled out: '%(text)s' stands where nothing may be read"),
    "matching.texts_unread": _("its texts were not read"),
    "matching.identity_unread": _("its texts were not read, one of them names what this run is about"),
    "matching.texts_seen": _("%(seen)d of %(of)d texts seen"),
    "matching.hardly_read": _("%(text)s (something like it could hardly be read)"),
    "matching.no_window": _("no window is known"),
    "matching.title_uncheckable": _("the window title cannot be checked: %(problem)s"),
    "matching.window_is": _("the window is '%(title)s'"),
    "matching.window_is_not": _("the window is '%(title)s', not '%(wanted)s'"),
    "matching.no_application": _("no application is known"),
    "matching.application_is": _("the application is %(name)s"),
    "matching.application_is_not": _("the application is %(name)s, not %(wanted)s"),
    "matching.ambiguous": _("ambiguous: %(names)s"),
    "matching.led_here": _("the screen could be %(names)s; the action just done leads here"),
    "matching.was_here": _("the screen could be %(names)s; the run was here"),
    "matching.follows_last": _("the screen could be %(names)s; only this one follows the last"),
    "matching.no_nodes": _("the workflow has no screens"),
    "matching.other_heading": _("the heading is “%(text)s”, not “%(taught)s”"),
    "matching.lies_over": _("“%(text)s” lies over %(node)s"),
    "matching.lay_over": _("“%(text)s” lies over %(node)s on its picture and is gone"),
    "matching.lacks": Sentence(
        text=_("the most similar is %(node)s, but the screen lacks %(texts)s"), quoted=("texts",)
    ),
    "matching.not_sure_enough": Sentence(
        text=_("the most similar is %(node)s at %(confidence)s, %(needed)s are needed: %(notes)s"),
        shares=("confidence", "needed"),
    ),
    "dialog.says": _("“%(title)s”: %(said)s"),
    "dialog.titled": _("“%(title)s”"),
    "dialog.untitled": _("%(said)s"),
    "dialog.with_buttons": Sentence(text=_("%(dialog)s. Its buttons: %(names)s"), quoted=("names",)),
}
