"""Every text that the scripts of teaching show, in the reader's language. Placeholders are as in Python: %(name)s."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from execution.assistant.panel_texts import counted
from execution.pages import mend_texts
from execution.pages.script_texts import chrome, hands
from workflows.choices import VariableKind


def teach() -> dict[str, object]:
    return {
        **chrome(),
        **_lesson(),
        **_desktop(),
        **_question(),
        **_control(),
        **_ways(),
        **_target(),
        **_screen(),
        **_variables(),
        **_done(),
        **mend_texts.pictures(),
        **mend_texts.mending(),
        **mend_texts.not_possible(),
        "kind": {kind.value: str(kind.label) for kind in VariableKind},
    }


def _lesson() -> dict[str, object]:
    return {
        "draft": _("draft"),
        "on_desktop": _("teaching on desktop %(name)s"),
        "n_steps": counted(lambda n: ngettext("%(n)s step", "%(n)s steps", n)),
        "n_screens": counted(lambda n: ngettext("%(n)s screen", "%(n)s screens", n)),
        "steps_count": counted(lambda n: ngettext("%(n)s step", "%(n)s steps", n)),
        "looks": counted(lambda n: ngettext("%(n)s look", "%(n)s looks", n)),
        "saving": _("Saving …"),
        "save": _("Save"),
        "add": _("Add"),
        "back": _("Back"),
        "cancel": _("Cancel"),
        "change": _("Change"),
        "use_this": _("Use this"),
        "try_again": _("Try again"),
        "now": _("now"),
        "state": {
            "recording": _("recording"),
            "paused": _("paused"),
            "waiting": _("waiting for the desktop"),
            "away": _("no desktop"),
            "lost": _("reconnecting"),
            "refused": _("not connected"),
            "done": _("done"),
        },
        "step_state": {
            "earlier": _("taught before this lesson"),
            "done": _("kept"),
            "held": _("waits for your answer"),
            "doing": _("being done"),
            "doubt": _("in doubt: look at the desktop"),
            "tried": _("tried: it went as taught"),
            "failed": _("tried: it did not go as taught"),
        },
        "screen_unnamed": _("Screen without a name"),
        "screen_new": _("new, not taught yet"),
        "screen_now": _("here now"),
        "asked_below": _("which one? asked below"),
        "nothing_taught": _("Nothing is taught yet."),
        "how": _(
            "Everything you do in the picture happens on the desktop and is kept as a step. Hold %(key)s to act "
            "without keeping it."
        ),
    }


def _desktop() -> dict[str, object]:
    return {
        "reconnecting": _("Connection lost. Reconnecting; the picture may be old."),
        "no_picture_yet": _("The picture of the desktop is on its way."),
        "no_picture_waiting": _("The picture shows when the robot has the desktop free for you."),
        "no_picture_away": _("No robot shows its desktop now. What was taught can be changed all the same."),
        "no_picture_refused": _("The desktop is not shown here."),
        "no_picture_done": _("The lesson is over."),
        "type_value": _("Type a value"),
        "typed_before": _("Typed before in this workflow"),
        "type_new": _("Type a value that each run is given"),
        "new_value_name": _("Name of the value"),
        "new_value_here": _("Here it is"),
        "new_value_asked": _("This text is typed now. A run asks for its own."),
        "type_new_value": _("Type this value"),
        "type_secret": _("Type a secret"),
        "secret_text": _("Secret text"),
        "type_it": _("Type it on the desktop"),
        "secret_kept_nowhere": _("It is typed on the desktop and kept nowhere; a run asks for it."),
        **hands(),
        "unkept_now": _("Alt is held: what you do now is not kept"),
        "tool_hint": {
            "click": "",
            "double_click": _("The next click is a double click"),
            "right_click": _("The next click is one with the right button"),
            "drag": _("Drag on the picture: the same is dragged on the desktop"),
            "read_value": _("Click the value that is to be read, or draw a box around it"),
            "wait_text": _("Click the text that is to be waited for, or draw a box around it"),
            "must_see": _("Click what must be seen here, or draw a box around it"),
            "must_see_row": _("Click the row that must be there once, or draw a box around its texts"),
            "choose": _("Click the list, the combo box, one of the radio buttons or the menu to choose in"),
            "set_state": _("Click the check box or switch that is to be on or off"),
            "pick_date": _("Click the field that the date goes into"),
            "call_workflow": _("Do another workflow here, as one step"),
            "visual_login": _("The desktop shows where to log in: the robot fills it, and nobody sees the password."),
        },
        "drawing": {
            "redraw": _("Click the target, or draw a box around it"),
            "region": _("Draw the area on the picture"),
            "mend": _("Click the target where it is now, or draw a box around it"),
            "not_possible": _("Click the text that says so, or draw a box around it"),
        },
    }


def _question() -> dict[str, object]:
    return {
        "sending": _("Sending your answer …"),
        "then_clicked": _("Then it is done on the desktop"),
        "which_number": _("The number that a run gives"),
        "which_number_name": _("Variable that holds the number"),
        "line_which": _("What in its line says that it is this one?"),
        "line_variable": _("variable"),
        "always_this_text": _("Always the text that was shown"),
        "line_how": _("With a variable’s name it is another one in each run; without one it is this text each time."),
        # Translators: two keys, pressed one after the other; the first one as it is labelled on the keyboard.
        "after_escape": _("Esc %(key)s"),
        "let_it_go": _("Do nothing"),
        "screen_reading": _("Looking at the screen …"),
        "screen_reading_text": _("What shows is read as soon as it is still."),
        "screen_unread": _("Still reading the screen …"),
        "screen_is": _("This is “%(name)s”"),
        "screen_is_text": _("It is known from before: what you do here belongs to it."),
        "screen_is_new": _("A new screen: “%(name)s”"),
        "screen_is_new_text": _("It is none of those that were taught. What you do here makes it one."),
        "another_screen": _("It is another screen"),
        "same_screen_as": _("It is the same as …"),
        "paused_title": _("Paused: nothing is done or kept"),
        "paused_text": _("The desktop stays as it is until you go on."),
        "go_on": _("Go on"),
        "waits_title": _("Waiting for the desktop"),
        "waits_text": _("The robot %(robot)s takes the lesson as soon as no run is on its desktop."),
        "away_title": _("The robot is away"),
        "away_text": _("The draft is kept. Go on teaching once a robot shows this desktop again."),
        "to_robots": _("Robots"),
        "lost_title": _("Connection lost"),
        "lost_text": _("It comes back by itself. Nothing that was taught is lost."),
        "closed": {
            "4401": _("Your login has ended"),
            "4403": _("Your role does not allow teaching"),
            "4404": _("There is no such lesson"),
            "4409": _("Somebody else has this lesson"),
        },
        "closed_text": {
            "4401": _("Log in, then try again."),
            "4403": _("It takes the role “designer”. An admin can give it to you."),
            "4404": _("It may have been ended. Begin another one from the workflow’s page."),
            "4409": _("One person teaches at a time. Try again when they have finished."),
        },
        "to_workflow": _("To the workflow"),
        "over_title": _("The lesson is over"),
        "over_text": _("The desktop is free again. What was taught is in the workflow."),
        "teach_more": _("Teach on"),
    }


def _control() -> dict[str, object]:
    return {
        "control_title": {
            "choose": _("Choose which one?"),
            "set_state": _("On or off?"),
            "pick_date": _("Which day?"),
            "visual_login": _("Log in with which credentials?"),
            "call_workflow": _("Do which workflow here?"),
        },
        "call": {
            "which": _("Workflow"),
            "version_of": _("%(name)s, version %(n)s"),
            "none": _("No other workflow is published yet."),
            "value": _("A text, or a {{variable}}"),
            "secret": _("A secret {{variable}}"),
            "output": _("What it reads as “%(name)s” is called here"),
            "unused": _("not used here"),
            "begin": _("Note it"),
            "doing": _("%(what)s: do what it does, or have it done"),
            "doing_text": _("Nothing of that is kept. Say so when the screen shows that comes after it."),
            "done": _("It is done: this screen comes after it"),
            "robot": _("Let the robot do it"),
        },
        "control_text": _("Then it is done on the desktop, and kept as one step."),
        "control": {
            "option": _("Text of the option"),
            "choose": _("Choose it"),
            "on": _("On"),
            "off": _("Off"),
            "day": _("Day"),
            "written": _("Written there as"),
            "put": _("Put it"),
            "credential": _("Credentials"),
            "log_in": _("Log in"),
            "no_credentials": _("No credentials are saved yet. An admin saves them, under a name."),
            "or_variable": _("or a value of the run:"),
        },
        "date_format": {
            "fr": _("31/12/2026, day first"),
            "us": _("12/31/2026, month first"),
            "iso": "2026-12-31",
        },
        "usual_date_format": pgettext("how dates are written: fr, us or iso", "us"),
        "doing_title": _("The robot does it …"),
        "doing_text": _("It looks, moves and looks again, as in a run. That may take some seconds."),
    }


def _ways() -> dict[str, object]:
    return {
        "only_if": _("Only if"),
        "always_done": _("It is always done."),
        "no_values_yet": _("It is always done: a run has no value yet that could decide."),
        "add_condition": _("Only if …"),
        "and": _("and"),
        "condition_value": _("Value that decides"),
        "condition_test": _("Test"),
        "condition_to": _("Compared with"),
        "remove_condition": _("Take this condition away"),
        "test": {
            "equals": _("is"),
            "is_not": _("is not"),
            "one_of": _("is one of"),
            "contains": _("contains"),
            "empty": _("is empty"),
            "not_empty": _("is not empty"),
            "less": _("is less than"),
            "more": _("is more than"),
            "before": _("is before"),
            "after": _("is after"),
        },
        "each_line": _("For each line of a list"),
        "done_once": _("It is done once, for the line that was shown."),
        "repeat_lines": _("Repeat for each line of this list …"),
        "repeat_hint": _(
            "This step was shown on the first line. What it leads to is done for each line, until this screen is back."
        ),
        "repeat_counter": _("The line is called"),
        "repeat_most": _("At most so many lines"),
        "repeat_until": _("Over once this text is seen (optional)"),
        "repeat_steps": _("Done in each round as well"),
        "end_repeat": _("Not for each line"),
        "dialog_open": _("A dialog is open"),
        "dialog_every_run": _("Every run presses it by itself, and it is no step"),
        "quoted": _("“%(text)s”"),
        "offer_title": {"set_state": _("This is a check box"), "choose": _("This is one of several options")},
        "offer_text": {
            "set_state": _(
                "A click changes it, whatever it is. A run can look first, and see afterwards that it is so."
            ),
            "choose": _("A run can look first what is chosen, choose by its text, and see afterwards that it is so."),
        },
        "offer_on": _("Set “%(label)s” to on, whatever it is"),
        "offer_off": _("Set “%(label)s” to off, whatever it is"),
        "offer_choose": _("Choose “%(option)s” in “%(label)s”, whatever is chosen"),
        "offer_decline": _("Keep the click"),
        "record_title": _("Whose record is this?"),
        "record_text": _("The line was chosen by %(values)s, and that stands on this screen too."),
        "record_accept": _("Go on only where %(values)s is seen"),
        "record_decline": _("It need not be"),
    }


def _target() -> dict[str, object]:
    return {
        "no_step_yet": _("What is understood of a step shows here once there is one."),
        "held_step": _("It is kept, and done on the desktop, once the question below is answered."),
        "redraw": _("Show its place"),
        "redraw_needs_robot": _("A robot must be connected to read the picture."),
        "insert_after": _("Insert a step after it"),
        "insert_needs_robot": _("A robot must be connected to insert a step."),
        "inserting": _("The next step is inserted after: %(step)s"),
        "insert_stop": _("Stop inserting"),
        "move": {"earlier": _("Earlier"), "later": _("Later")},
        "move_not": _("The step beside it on this screen leads elsewhere, or there is none."),
        "how_known": _("How it will be known"),
        "sign_level": _("How much it counts: %(sign)s"),
        "level": {"needed": _("must"), "helps": _("helps"), "left_out": _("not used")},
        "here": _("%(n)s here"),
        "tried_on": _("Tried on what was seen so far"),
        "found_of": counted(lambda n: ngettext("%(n)s of %(of)s found", "%(n)s of %(of)s found", n)),
        "elsewhere": _("%(n)s elsewhere"),
        "picture_found": _("A picture on which it was found"),
        "picture_not_found": _("A picture on which it was not found"),
        "after_it": _("After it should be seen"),
        "add_expected": _("Another text that should be seen"),
        "whose_record": _("Whose record"),
        "only_where": _("Go on only where these are seen:"),
        "no_record": _("Nothing says whose record it must be."),
        "record_value": _("Value that must be seen"),
        "record_label": _("At the label"),
        "this_step": _("This step"),
        "optional": _("Optional"),
        "changes_nothing": _("Changes nothing"),
        "proved_by": _("Read back by"),
        "proved_by_none": _("Nothing: what the screen shows is enough"),
        "proved_by_value": _("“%(name)s” is"),
        "proof_none_yet": _("No published workflow only looks and says what must be seen."),
        "try_from_here": _("Try from here"),
        "remove_step": _("Delete the step"),
        "what_it_types": _("What it types"),
        "what_it_sets": {"option": _("What it chooses"), "state": _("What it is set to"), "date": _("Which day")},
        "state_word": {"on": _("On"), "off": _("Off")},
        "value_kind": {"fixed": _("always this"), "variable": _("a variable"), "secret": _("a secret")},
        "variable_name": _("Name of the variable"),
        "secret_hint": _("The text is deleted from this lesson at once, with the pictures that may show it."),
        "settings": _("What it does"),
        "param": {
            "clear": _("Clear the field first"),
            "enter": _("Enter after"),
            "keys": _("Keys"),
            "text": _("Text"),
            "name": _("Kept as"),
            "kind": _("Kind"),
            "timeout_s": _("Longest wait (s)"),
            "format": _("Written there as"),
            "columns": _("Columns of these texts"),
        },
        "columns_hint": _("What heads the column of each text, a line for each; an empty line is any column."),
    }


def _screen() -> dict[str, object]:
    return {
        "no_screen_yet": _("What a screen is known by shows here once one is taught."),
        "screen_name": _("Name of the screen"),
        "is_entry": _("A run begins here"),
        "is_end": _("A run ends here"),
        "ways_on": _("Several ways lead on: tried in this order"),
        "way_to": _("leads to “%(name)s”"),
        "way_earlier": _("%(what)s: earlier"),
        "way_later": _("%(what)s: later"),
        "way_moved": _("%(what)s is number %(n)d now"),
        "told_apart": _("Told apart from other screens"),
        "told_well": _("Well"),
        "told_weak": _("Weakly: it may be taken for another one"),
        "not_told_yet": _("Not measured yet."),
        "nearest": _("Nearest: “%(name)s”"),
        "this_screen": _("This screen"),
        "known_by": _("Texts it is known by"),
        "text_kind": {
            "tells": _("must be seen; press to leave it out"),
            "data": _("data, differs each time; press to let it tell"),
            "left_out": _("left out; press to let it tell"),
        },
        "texts_hint": _("Blue texts must be seen. Those crossed out are data and differ from time to time."),
        "add_text": _("Another text that must be seen"),
        "areas": _("Areas"),
        "region": {
            "must": _("Must be there"),
            "must_not": _("Must be empty"),
            "ignore": _("Ignore"),
            "list": _("List"),
        },
        "region_told": {
            "must": _("What is read here must be there"),
            "must_not": _("Here nothing may be read"),
            "ignore": _("What stands here does not matter"),
            "list": _("Lines of a list: others, more or fewer another day"),
        },
        "remove_region": _("Remove area %(n)s"),
        "regions_hint": _("Choose a kind, then draw the area on the picture."),
    }


def _variables() -> dict[str, object]:
    return {
        "no_variables": _("No variables yet. A typed text can be made one, in its step."),
        "never_shown": _("never shown"),
        "name_rule": _("Letters, digits and _; it begins with a letter"),
        "variable": {
            "name": _("Name"),
            "label": _("In words"),
            "kind": _("Kind"),
            "example": _("Example"),
            "default": _("Default"),
            "choices": _("Allowed values"),
        },
        "choices_hint": _("One a line; empty: any."),
        "remove_variable": _("Delete the variable"),
    }


def _done() -> dict[str, object]:
    return {
        "no_problems": _("Nothing is left to mend."),
        "warning": _("Warning"),
        "error": _("Error"),
        "go_there": _("Go there"),
        "ends_here": _("A run ends on “%(name)s”"),
        "to_mend": counted(
            lambda n: ngettext("%(n)s thing to mend before publishing", "%(n)s things to mend before publishing", n)
        ),
        "ready": _("Ready to publish"),
        "note": _("What changed (optional)"),
        "teach_on": _("Teach on"),
        "end_as_draft": _("End, keep as a draft"),
        "publish": _("Publish"),
        "published": _("Published as version %(n)s"),
        "published_text": _("Runs use it from now on. The lesson is over and the desktop is free."),
        "changes_since": _("What changes from version %(n)s"),
        "changes_none": _("Nothing has changed."),
        "change_kind": {"added": _("New:"), "removed": _("Taken out:"), "changed": _("Changed:")},
        "change_side": {"was": _("Before"), "now": _("Now"), "none": _("nothing of that")},
        "first_run": _("Start the first run"),
    }
