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
    "role.place": _("place on the screen"),
    "lesson.named": _("%(role)s “%(name)s”"),
    "lesson.only_one": _("%(what)s, the only one here"),
    "lesson.one_of": _("%(what)s, number %(n)d of %(of)d"),
    "lesson.row_of": _("The line of %(text)s"),
    "lesson.row_of_typed": _("The line of “%(text)s”, which was typed before: another one in each run"),
    "lesson.row_of_value": _("The line of “%(text)s”"),
    "lesson.beside": _("The one beside “%(text)s”"),
    "lesson.the_nth": _("Always number %(n)d of %(of)d"),
    "lesson.each_line": _("For each line of this list"),
    "lesson.this_place": _("This very place"),
    "lesson.something_else": _("Something else in its line …"),
    "lesson.line_nothing_chosen": _("Choose at least one text of its line."),
    "lesson.line_says_it_too": _("Another line says that as well. Choose a text more, so that only this one has all."),
    "lesson.name_of_another_value": _("“%(name)s” is the name of another value. Choose another name."),
    "lesson.text_of": _("the text of %(text)s"),
    "lesson.which_run": _("“%(text)s” looks like data. What is it in the next run?"),
    "lesson.runs_value": _("Another one in each run …"),
    "lesson.always_text": _("Always “%(text)s”"),
    "lesson.which": _("There are %(of)d %(what)s. What says that it is this one?"),
    "lesson.which_place": _("%(of)d places look like this one. What says that it is this one?"),
    "lesson.no_control": _("Nothing is there that could be set: click the control itself, or draw a box around it."),
    "lesson.held": _("The click is held until you say. Then it is done on the desktop."),
    "lesson.held_afterwards": _("The click was done before the screen was read."),
    "lesson.not_said_which": _("Which of several is meant was not said: a run asks."),
    "lesson.typed_hidden": _(
        "What was typed there is not kept: it may be a password. In a run it is the secret “%(name)s”."
    ),
    "lesson.hand_unknown": _("Something was done by hand that is no step of a workflow: it is not kept."),
    "lesson.needs_desktop": _("On pictures nothing is done: teach this on a desktop."),
    "lesson.pasted": _("What was pasted is not known: a run pastes what it finds. Type it instead."),
    "lesson.record_ready": _(
        "Nothing is recorded yet. %(go)s begins, and pauses later; %(stop)s ends it. What you do in this window would "
        "be recorded as well."
    ),
    "lesson.record_goes": _("What you do is recorded. %(go)s pauses."),
    "lesson.record_paused": _("Paused: nothing is recorded. %(go)s goes on."),
    "lesson.record_secret": _("What you type next is a secret: not a character of it is kept."),
    "lesson.record_named": _("At the end you are asked for the name of the screen “%(node)s”."),
    "lesson.record_step": _("Step %(n)d"),
    "lesson.over": _("A dialog is open: %(dialog)s"),
    "lesson.new_screen": _("This screen was not there before."),
    "lesson.same_screen": _("It is “%(node)s”, as before."),
    "lesson.is_screen": _("You said that it is “%(node)s”."),
    "lesson.a_screen": _("Screen"),
    "lesson.call_open": _("Another workflow is being done by hand. Say first that it is done."),
    "lesson.robot_decides": _("“%(what)s” hangs on what is seen or read then, so only a run does it."),
    "lesson.robot_ways": _("Several ways lead on from “%(node)s”, so only a run does it."),
    "lesson.robot_secret": _("“%(name)s” is secret and kept nowhere, so only a run does it."),
    "lesson.robot_stopped": _("The robot went no further. %(why)s Go on by hand, then say that it is done."),
    "lesson.try_stopped_there": _("Step %(n)d was not done again: %(why)s"),
    "lesson.no_end_any_more": _(
        "A run does not end on “%(node)s” any more, as it goes on from there. "
        "If it may also end there, say so on its screen."
    ),
    "lesson.no_call": _("No other workflow is being done by hand."),
    "lesson.reading": _("The screen is being read."),
    "lesson.in_doubt": _("The run loop ended in the middle of this step. Nobody knows whether it was done."),
    "lesson.paused": _("The lesson is paused: nothing is done on the desktop."),
    "lesson.no_question": _("That question is no longer asked."),
    "lesson.not_done": _("Nothing was done. %(why)s"),
    "lesson.not_kept": _("Nothing is kept of it, though something may have been done on the desktop. %(why)s"),
    "lesson.another_way": _("another way from “%(node)s”"),
    "lesson.in_each_round": _("in each round of line %(counter)s"),
    "lesson.no_line": _("A step that acts on nothing has no line of a list."),
    "lesson.not_counted": _("Nothing was changed. %(why)s"),
    "lesson.stopped": _("It was ended before it was done."),
    "lesson.no_target": _("This step was kept without what it acts on: %(why)s"),
    "lesson.bad_message": _("The page sent something that is no act."),
    "lesson.ended_by": _("%(who)s ended this lesson, as runs waited for its desktop. The draft is kept."),
    "lesson.message_too_long": _("The page sent more than %(n)d kB at once. Send less at a time."),
    "lesson.too_many_messages": _(
        "The page sent more than the robot can keep up with, so the connection was closed. It opens again by itself."
    ),
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
    "lesson.undone_draft": _("Taken back from the draft: %(what)s."),
    "lesson.nothing_to_undo": _("There is no step to take back."),
    "lesson.nothing_read": _("Nothing is written there that could be read."),
    "lesson.nothing_beside": _("Nothing stands beside it that is the same each time."),
    "lesson.taught_picture": _("taught: “%(node)s”"),
    "lesson.step_of_run": _("step %(n)d of run %(run)d"),
    "lesson.this_picture": _("this picture"),
    "lesson.not_mended": _("Nothing was changed. %(why)s"),
    "lesson.mend_look": _("It is “%(node)s”: from now on it is known by this picture as well."),
    "lesson.mend_look_without": _(
        "It is “%(node)s”: from now on it is known by this picture as well, and no more by %(texts)s."
    ),
    "lesson.mend_look_instead": _(
        "It is “%(node)s”: from now on it is known by this picture as well, no more by %(texts)s but by %(instead)s."
    ),
    "lesson.mend_new": _("It is a screen of its own, “%(node)s”, known by %(texts)s."),
    "lesson.mend_common": _("It is a screen that may come at any time, “%(node)s”, known by %(texts)s."),
    "lesson.mend_not_possible": _("When “%(node)s” comes, the work is not possible: %(why)s."),
    "lesson.mend_not_possible_text": _("Where “%(text)s” is read, the work is not possible: %(why)s."),
    "lesson.reason_missing": _("Write in a few words why the work is not possible, such as “Patient not found”."),
    "lesson.work_goes_on_there": _(
        "The work goes on from “%(node)s”. Show the text on it that says why the work is not possible."
    ),
    "lesson.only_end": _("“%(node)s” is the only end of this workflow. Teach first where the work is done."),
    "lesson.text_too_short": _("“%(text)s” is too short to be sure. Show a longer text, or take the whole screen."),
    "lesson.text_elsewhere": _("“%(text)s” also stands on “%(node)s”, where the work goes on. Show another text."),
    "lesson.mend_press": _("When “%(name)s” comes, “%(button)s” is pressed each time."),
    "lesson.mend_ask": _("When “%(name)s” comes, a person is asked each time."),
    "lesson.mend_also": _("“%(target)s” also looks like this: %(text)s."),
    "lesson.mend_only": _("“%(target)s” looks like this from now on: %(text)s."),
    "lesson.nothing_tells": _("Nothing is written here that would tell it from others."),
    "lesson.dialog_like_any": _(
        "This dialog says nothing that is the same each time and that no other dialog says, so another question would "
        "be answered like it. Press its button yourself each time, or teach it as a screen of its own."
    ),
    "lesson.no_such_screen": _("There is no such screen in the draft."),
    "lesson.no_dialog": _("No dialog lies over a known screen here."),
    "lesson.asked_anyway": _("It is not taught, so a person is asked about it in any case."),
    "lesson.no_such_button": _("The dialog has not exactly one button “%(name)s”."),
    "lesson.no_step_here": _("The draft has no step here that acts on something. Teach it on this picture."),
    "lesson.draft_differs": _(
        "The draft is not version %(version)d, which this run uses. Publishing takes along what differs: %(what)s."
    ),
    "lesson.no_such_picture": _("There is no such picture."),
    "lesson.not_known_what": _("Nobody knows what was typed here. Type what a run is to type."),
    "lesson.not_known_where": _("Nobody knows on which screen this was done. Do it on its picture yourself."),
    "lesson.pictures_gone": _("The pictures of this lesson cannot be shown: %(error)s"),
    "lesson.try_elsewhere": _("It begins on “%(node)s”, and that screen does not show."),
    "lesson.try_no_value": _("The variable “%(name)s” has no value here."),
    "lesson.try_led_elsewhere": _("It was done, and “%(node)s” did not come."),
    "lesson.try_stopped": _("Step %(n)d was not done again: %(why)s Click where it is, and it is tried on from there."),
}
