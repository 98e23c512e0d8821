"""The texts of teaching without a desktop, and of mending, that the scripts show."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.panel_texts import counted


def pictures() -> dict[str, object]:
    return {
        "picture_of": _("Picture %(n)s of %(of)s"),
        "picture_before": _("The picture before"),
        "picture_next": _("The next picture"),
        "leads_on": _("What you do shows the next picture"),
        "did_here": {
            "click": _("Here was clicked %(on)s"),
            "double_click": _("Here was a double click %(on)s"),
            "right_click": _("Here was a right click %(on)s"),
            "drag": _("Here was dragged %(on)s"),
            "scroll": _("Here the wheel was turned"),
            "press_keys": _("Here was pressed %(keys)s"),
            "type_text": counted(
                lambda n: ngettext(
                    "Here %(n)s character was typed; type what a run types",
                    "Here %(n)s characters were typed; type what a run types",
                    n,
                )
            ),
        },
        "keep_did": _("Keep it as a step"),
        "read_by": _("pictures, read by %(name)s"),
        "how_pictures": _(
            "What you do in the picture is kept as a step and done nowhere. The next picture is where it leads. Hold "
            "%(key)s to go on without keeping it."
        ),
        "waits_pictures_title": _("Waiting for a robot"),
        "waits_pictures_text": _("A robot that is alive reads the pictures, whatever it does on its own desktop."),
    }


def mending() -> dict[str, object]:
    return {
        "mend_step": _("step %(n)s"),
        "mend_taken_for": _("on “%(name)s”"),
        "mend_unknown_title": _("The draft has no screen that looks like this"),
        "mend_unknown_text": _("The run took it for “%(name)s”. Say on the right what it is."),
        "mend_comparing": _("Looking what it changes on all pictures …"),
        "mend_target_title": _("The target"),
        "mend_target": _("“%(name)s” is here now:"),
        "mend_target_hint": _("Choose, then click it on the picture, or draw a box around it."),
        "mend_no_target": _("This step acts on nothing in the draft."),
        "mend_how": {"also": _("Also this"), "only": _("From now on this")},
        "mend_screen_title": _("The screen"),
        "mend_screen_is": _("It is the screen …"),
        "mend_new": _("A new screen"),
        "mend_common": _("A new one that may come at any time"),
        "mend_dialog_title": _("A dialog that may come"),
        "mend_no_dialog": _("Nothing lies over a known screen here."),
        "mend_press": _("Press “%(name)s” each time"),
        "mend_ask": _("Ask each time"),
        "mend_target_found": counted(
            lambda n: ngettext(
                "Found on %(n)s picture of %(of)s, before on %(was)s",
                "Found on %(n)s pictures of %(of)s, before on %(was)s",
                n,
            )
        ),
        "mend_not_found_here": _("It would not be found on this very picture."),
        "mend_changes": counted(
            lambda n: ngettext(
                "The answer changes on %(n)s picture of %(of)s:", "The answer changes on %(n)s pictures of %(of)s:", n
            )
        ),
        "mend_no_changes": counted(
            lambda n: ngettext(
                "The answer stays the same on the %(n)s picture.", "The answer stays the same on all %(n)s pictures.", n
            )
        ),
        "mend_found_now": _("the target is found now"),
        "mend_lost_now": _("the target is not found any more"),
        "mend_moved": _("was taken for “%(was)s”, now for “%(now)s”"),
        "mend_known_now": _("was not known, now “%(now)s”"),
        "mend_unknown_now": _("was “%(was)s”, is not known any more"),
        "mend_keep": _("Keep it"),
        "mend_leave": _("Leave it"),
        "mend_save": _("Save and resume"),
        "mend_may_not": _("It takes the rights to publish and to operate runs."),
        "mend_resumed": _("Published as version %(n)s; the run goes on with it."),
        "mend_not_resumed": _("Published as version %(n)s. The run does not go on with it:"),
        "mend_to_run": _("To the run"),
    }


def not_possible() -> dict[str, object]:
    return {
        "not_possible_title": _("Not possible here …"),
        "not_possible_because": _("Not possible, because"),
        "not_possible_example": _("Patient not found"),
        "not_possible_screen": _("If this screen shows"),
        "not_possible_text": _("If a text shows …"),
        "not_possible_hint": _(
            "A run that comes to this screen ends there, and its row is an exception with this reason."
        ),
    }
