"""What becomes of a step, and why a run cannot go on: what the turn of the loop says."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Sentence, Words, ngettext

WORDS: Words = {
    "turn.version_in_doubt": _("Nobody knows whether its last step was done. First say that on the run’s page."),
    "turn.version_of_program": _("It is of a program that brought parts of its own; start it again there."),
    "turn.version_no_screen": _("It stands on “%(node)s”, and that screen is not in the new version."),
    "turn.version_no_step": _("It has done “%(what)s”, and that step is another one, or gone, in the new version."),
    "turn.version_no_value": _("It was started without a value of “%(name)s”, which the new version asks for."),
    "turn.version_other_place": _(
        "What it has done leads elsewhere in the new version, so nobody knows where it stands."
    ),
    "turn.version_new_step": _(
        "In the new version “%(what)s” comes before where it stands, and it has not done that. Start a new run with it."
    ),
    "turn.learned_on_trial": _(
        "This is not from the workflow but from a correction on trial; rejected, it is switched off. %(learned)s"
    ),
    "turn.learned_screen": _("This screen is known only by a look on trial, which a person picked. %(learned)s"),
    "turn.learned_elsewhere": _(
        "A correction says another place than the workflow; marked is the place that the workflow says. %(learned)s"
    ),
    "turn.looks_elsewhere": _(
        "Another look of it in the workflow is found at another place; marked is the place as it was taught first."
    ),
    "turn.learned_gone": _("The correction that said so is not gone by any more, so nothing was done."),
    "turn.no_target": _("The target was not found, so nothing was done."),
    "turn.unknown_action": _(
        "“%(action)s” is an action that only a program's own executor knows, so nothing was done."
    ),
    "turn.asked_to_end": _("Not done: the run was asked to pause, stop or leave."),
    "turn.execute": _("Execute action: %(sentence)s?"),
    "turn.database_waited": _("The database had to be waited for: the screen is looked at anew."),
    "turn.closed_too_often": _("“%(name)s” was closed %(n)d times and is there again."),
    "turn.question_withdrawn": _("The question was withdrawn."),
    "turn.not_pressed_watching": _("“%(button)s” was not pressed: a run that watches does nothing by itself."),
    "turn.not_pressed_changed": _(
        "“%(button)s” was not pressed: the dialog that it was chosen in has changed or is gone."
    ),
    "turn.changed_before": _("The screen changed before the action, so nothing was done. %(why)s"),
    "turn.popup_closed": _("Closed “%(name)s”."),
    "turn.popup_stays": _("“%(name)s” is still there."),
    "turn.button_chosen": _("%(who)s chose the button."),
    "turn.button_pressed": _("Pressed “%(button)s”, as %(who)s chose."),
    "turn.button_pressed_in_vain": _("Pressed “%(button)s”, as %(who)s chose; the dialog is still there."),
    "turn.analysis_slow": _("An analysis took %(took)d ms; the limit is %(limit)d ms."),
    "turn.window_provider_slow": _("The window info provider did not answer within 1 s."),
    "turn.window_provider_failed": _("The window info provider failed: %(error)s"),
    "turn.leap_from_nowhere": _("The screen is “%(here)s”, and the run does not begin there."),
    "turn.leap": _("The screen is “%(here)s”, and the run was on “%(last)s”."),
    "turn.and_more": _("%(told)s and %(n)d more"),
    "turn.no_way_there": _("No way of the workflow leads there from where it was."),
    "turn.passed_over": _("Passed over would be: %(steps)s."),
    "turn.looks_like_before": _("“%(what)s” was done, and the screen still looks like “%(node)s”."),
    "turn.dialog_over": _("A dialog came over “%(node)s”: %(dialog)s"),
    "turn.already_at_end": _("The screen is “%(node)s”, where the workflow ends, and nothing was done yet."),
    "turn.unknown_screen": _("The screen is none of the workflow's known screens. %(why)s"),
    "turn.no_way_open": _("None of the ways from “%(node)s” is open."),
    "turn.only_if": _("“%(what)s” is done only if %(condition)s."),
    "turn.value_is": _("“%(name)s” is “%(value)s” now."),
    "turn.way_unknown": _("Which way to take from “%(node)s” cannot be told. %(why)s"),
    "turn.list_unknown": _(
        "The list as it was when line %(then)d was done is not known, so nobody can say whether line %(line)d follows."
    ),
    "turn.line_unfinished": _("Line %(line)d of the list was begun and not finished: what is left of it was not done."),
    "turn.here_before": _(
        "The run was on this screen before and did this there: %(done)s. More than one action leads on from it, and "
        "nothing says which comes now."
    ),
    "turn.call_unfinished": _("“%(name)s” was begun here and not done to its end."),
    "turn.call_begun": _("“%(name)s” begins here."),
    "turn.call_not_begun": _("“%(name)s” does not begin on this screen. %(why)s"),
    "turn.call_over": _("“%(name)s” is done to its end."),
    "turn.call_value": _("“%(name)s” cannot be “%(value)s”."),
    "turn.call_as_taught": _("Another workflow is done as it was taught, or skipped."),
    "turn.list_shorter": _(
        "The list has changed since line %(then)d was done: line %(line)d was “%(was)s” and is not there any more."
    ),
    "turn.list_changed": _(
        "The list has changed since line %(then)d was done: line %(line)d was “%(was)s” and is “%(now)s” now."
    ),
    "turn.line_unlike": _(
        "Line %(line)d, “%(text)s”, is not made like the line before it: it may be none of the list."
    ),
    "turn.list_empty": _("The list shows no line today."),
    "turn.end_not_seen": Sentence(
        text=_("No other line is seen, but neither is %(texts)s, which says that the list is over."), quoted=("texts",)
    ),
    "turn.more_lines": _("The list has more than the %(most)d lines that it is done for at most."),
    "turn.rejected_no_other": _("The suggestion was rejected and there is no other."),
    "turn.everything_skipped": _("Everything this screen offers was skipped."),
    "turn.suggested": _("Suggested action: %(sentence)s"),
    "turn.target_not_found": _("The target was not found."),
    "turn.value_gone": _("“%(value)s”, which was put into a field here, is gone: the field is empty."),
    "turn.value_changed": _("Where “%(value)s” was put stands “%(now)s” now."),
    "turn.done_by": _("Done by %(who)s."),
    "turn.read_by": _("Read by %(who)s."),
    "turn.another_screen": _("It is another screen: “%(name)s”."),
    "turn.looked_anew": _("Interrupted: the screen is looked at anew."),
    "turn.person_same": _("The person did the same."),
    "turn.person_else": _("The person did something else."),
    "turn.only_program_knows": _("Only the program knows what should have come of it."),
    "turn.asked_to_leave": _("Not done: the run loop was asked to leave."),
    "turn.did_not_work": _("“%(what)s” did not work. %(why)s"),
    "turn.was_it_done": _("Was “%(what)s” done? The screen does not show what was expected."),
    "turn.not_possible": _("“%(name)s” says that it is not possible: %(why)s"),
    "turn.seen_done": _("Interrupted, and seen to be done."),
    "turn.entered_anew": _("Interrupted: the field is emptied and filled once more."),
    "turn.clicked_not_typed": _("It was clicked, and nothing was typed. %(why)s"),
    "turn.no_focus_seen": _("The field does not show that it was entered."),
    "turn.click_led_elsewhere": _("The click led to “%(name)s”."),
    "turn.dialog_after_click": _("A dialog came: %(dialog)s"),
    "turn.unknown_after_click": _("The screen is none of the workflow's known screens any more."),
    "turn.seen_undone": _("Interrupted, and seen not to be done: it is done again."),
    "turn.said_done": _("%(who)s says it was done."),
    "turn.said_undone": _("%(who)s says it was not done: it will be tried again."),
    "turn.stopped_in_doubt": _("Stopped by %(who)s while in doubt."),
    "turn.ended_in_doubt": _("Stopped while in doubt."),
    "turn.asked_to_pause": _("Not done: the run was asked to pause."),
    "turn.asked_to_stop": _("Not done: the run was asked to stop."),
    "turn.scrolled": ngettext("looked for by scrolling, once", "looked for by scrolling, %(n)d times", "n"),
    "turn.quoted": Sentence(text=_("%(texts)s"), quoted=("texts",)),
    "turn.it_says": _("It says: “%(said)s”"),
    "turn.nothing_kept": _("Nothing of the screen before was kept."),
    "turn.close_popup": _("Close “%(name)s”"),
    "turn.not_as_declared": _("“%(what)s” was not done: the screen does not show what it must before. %(why)s"),
    "turn.not_surely_right": _("“%(what)s” was not done: the record shown is not surely the right one. %(why)s"),
    "turn.seen_at_places": _("it was seen at %(n)d places"),
    "turn.not_in_time": _("It was not done within %(n)d s."),
    "turn.failed": _("It failed: %(error)s"),
    "turn.screen_size": _("The screen has another size now."),
    "turn.place_looks_otherwise": _("The place of the target does not look as it did."),
    "turn.window_looks_otherwise": _("The window does not show what it did."),
    "turn.other_window_in_front": _("“%(now)s” is the window in front now, not “%(then)s”."),
    "turn.window_moved": _("The window “%(title)s” has moved."),
    "turn.window_gone": _("The window “%(title)s” is gone."),
    "turn.no_text_to_wait_for": _("There is no text to wait for."),
    "turn.screen_did_not_show": _("The screen “%(text)s” did not show within %(n)g s."),
    "turn.set_anew": _("Interrupted: it is looked at anew, and set where it is not so."),
    "turn.state_unknown": _("Nobody can say whether it is on or off."),
    "turn.state_is_on": _("It is on."),
    "turn.state_is_off": _("It is off."),
    "turn.option_chosen": _("“%(option)s” is chosen."),
    "turn.option_not_chosen": _("It is not seen that “%(option)s” is chosen."),
    "turn.option_absent": _("There is no option “%(option)s”. There are: %(known)s"),
    "turn.option_often": _("The option “%(option)s” is there %(n)d times."),
    "turn.list_not_read": _("The list could not be read through: scrolling leaves rows out."),
    "turn.list_not_opened": _("It was clicked, and no list opened."),
    "turn.date_stands": _("The date stands there."),
    "turn.date_in_another_order": _(
        "“%(told)s” is asked for there, and “%(text)s” would be typed: another order of day and month."
    ),
    "turn.date_exchanged": _("The calendar there took “%(text)s” as %(taken)s: with day and month exchanged."),
    "turn.not_put_back": _("What stood there before could not be put back."),
    "turn.date_does_not_stand": _("“%(text)s” stands there, and not the date."),
    "turn.stands_there": _("It stands there."),
    "turn.value_empty": _("Nothing stands there."),
    "turn.value_seen": _("“%(text)s” stands there."),
    "turn.value_no_number": _("“%(text)s” is no number of that format."),
    "turn.value_two_numbers": _("“%(text)s” may be two numbers: say whether it is French or US."),
    "turn.calendar_unread": _("The calendar that opened cannot be read as one month with its days."),
    "turn.calendar_far": _("%(day)s is more than %(n)d months away in the calendar that opened."),
    "turn.calendar_not_turned": _("The calendar that opened was not turned to the next month as it should be."),
    "turn.value_no_date": _("“%(text)s” is no date of that format, or may be two."),
    "turn.value_unsure": _("“%(text)s” could not be read with certainty."),
    "turn.value_cut": _("“%(text)s” goes to the edge: more of it may be out of sight."),
    "turn.value_hidden": _("What stands there is masked or secret, so that it is not kept."),
    "turn.value_read_twice": _("It was read twice, and not alike: “%(one)s” and “%(other)s”."),
    "turn.nothing_at_label": _("At “%(label)s” nothing stands that could be read."),
    "turn.several_at_label": _("At “%(label)s” %(n)d things stand, where one was meant."),
    "turn.several_there": _("“%(text)s” stands there: several texts, where one value was meant."),
    "turn.no_column": _("There is no column “%(label)s” above it."),
    "turn.nothing_in_column": _("In the column “%(label)s” nothing stands in that row."),
    "turn.box_cuts": _("The box cuts “%(text)s”."),
    "turn.must_be_seen": _("“%(text)s” does not stand there"),
    "turn.not_read": _("The screen was not read."),
    "turn.one_row_has": _("Exactly one row has it."),
    "turn.row_says_nothing": _("Nothing is told that a row could have."),
    "turn.columns_too_many": _("More columns are named than texts of the row."),
    "turn.no_row_has": Sentence(text=_("No row has %(texts)s."), quoted=("texts",)),
    "turn.rows_have": Sentence(text=_("%(n)d rows have %(texts)s, where exactly one should."), quoted=("texts",)),
    "turn.row_unsure": Sentence(text=_("Of a row nobody can say whether it has %(texts)s."), quoted=("texts",)),
    "turn.rows_go_on": Sentence(
        text=_("One row in sight has %(texts)s, and the list may go on out of sight."), quoted=("texts",)
    ),
    "turn.row_in_no_list": Sentence(
        text=_("One row has %(texts)s, and it stands in no list: it may be a heading or a message."), quoted=("texts",)
    ),
    "turn.row_stood_before": _(
        "This row stood there just so at step %(n)d, before it was done: it does not tell whether it was."
    ),
    "turn.read_back": _("Read back by “%(name)s”: it is so."),
    "turn.not_read_back_yet": _("“%(what)s” is done, and not read back by “%(name)s” yet."),
    "turn.was_it_done_unproved": _("Was “%(what)s” done? Read back by “%(name)s” it does not prove so."),
    "turn.proof_left": _("The run is on another screen, and it was not read back."),
    "turn.proof_not_read": _("Not all that should be read there was read."),
    "turn.nothing_readable": _("nothing that could be read"),
    "turn.seen_instead": _("Seen instead: %(texts)s."),
    "turn.not_still": _("The screen did not stand still within %(n)g s."),
    "turn.no_screen_to_wait_for": _("The workflow has no screen “%(id)s” to wait for."),
    "turn.text_not_seen": _("“%(text)s” was not seen within %(n)g s."),
    "turn.text_still_there": _("“%(text)s” was still there after %(n)g s."),
    "turn.screen_is": _("The screen is “%(name)s”."),
    "turn.window_with_texts": _("The window is “%(title)s”, with %(texts)s."),
    "turn.shows_otherwise": _("The screen does not show what it did."),
    "turn.led_elsewhere": _("The screen where it leads to is not seen."),
    "turn.shown_is_not": _("What was shown is not “%(target)s”: %(why)s"),
    "turn.nothing_done": _("Nothing was done: %(what)s"),
    "turn.picked": _("picked by a person"),
    "turn.led_there": _("The screen is where it leads to."),
    "turn.waited": _("It was waited for, and is so."),
    "turn.would": _("Observed. It would: %(what)s."),
    "turn.record_is_another": _("The record shown is not the right one any more."),
}
