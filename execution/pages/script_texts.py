"""Every text that the pages' scripts show, in the reader's language. Placeholders are as in Python: %(name)s."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant import panel_texts as assistant
from execution.assistant.panel_texts import counted
from execution.assistant.phrases import FOUND_BY
from execution.choices import ExecutionMode, ExecutionState, Origin, Outcome, PauseReason, Verified
from execution.language.rungs import RUNGS
from execution.record.attribution import FOR_PEOPLE
from workflows.catalogue import ACTIONS


def chrome() -> dict[str, object]:
    """Texts of the top bar, on every page."""
    return {
        "live": _("live"),
        "connecting": _("connecting"),
        "lost": _("reconnecting"),
        "needs": counted(lambda n: ngettext("%(n)s run needs you", "%(n)s runs need you", n)),
        "labelled": _("%(label)s: %(what)s"),
        "just_now": _("just now"),
        "minutes_ago": _("%(n)s min ago"),
        "hours_ago": _("%(n)s h ago"),
        "days_ago": _("%(n)s d ago"),
        "notify_on": _("You are told when a run needs you"),
        "notify_denied": _("The browser does not allow notifications from this page"),
        "age": _("%(n)s s old"),
        "age_minutes": _("%(n)s min old"),
        "seconds": _("%(n)s s"),
        "seconds_left": _("%(n)s s left"),
        "time_over": _("time is over"),
        "session_over": _("Your session has ended. Log in, then send it again."),
        "failed_to_reach": _("The server was not reached. Check the connection, then try again."),
        "accepted": _("Accepted. The robot goes on."),
        "stop_asked": _("The run will stop before its next action."),
    }


def live() -> dict[str, object]:
    """Texts of the live page."""
    return {
        **chrome(),
        **_question(),
        **_picture(),
        **_why(),
        **_states(),
        **hands(),
        **assistant.panel(),
        "action": {name: str(spec.label) for name, spec in ACTIONS.items()},
        "mode": {m.value: str(m.label) for m in ExecutionMode},
        "state": {s.value: str(s.label) for s in ExecutionState},
        "outcome": {o.value: str(o.label) for o in Outcome if o.value},
        "pause_reason": {r.value: str(r.label) for r in PauseReason if r.value},
        "verified": {v.value: str(v.label) for v in Verified if v.value},
    }


def hands() -> dict[str, object]:
    """Where keys go on a page whose picture takes them."""
    return {
        "keys_here": _("Keys go to the desktop · Esc lets go"),
        "keys_away": _("Click the picture: keys go to the desktop then"),
        "send_escape": _("press Escape on the desktop"),
    }


def _question() -> dict[str, object]:
    return {
        "answers": {
            "accept": _("Accept"),
            "correct": _("Correct"),
            "manual": _("I did it"),
            "skip": _("Skip"),
            "reject": _("Reject"),
            "done": _("It was done"),
            "retry": _("Do it again"),
            "stop": _("Stop the run"),
        },
        "show_target": _("Show where"),
        "give_value": _("Type the value or show where"),
        "list_is_empty": _("It is empty: go on"),
        "list_is_over": _("The list is over: go on"),
        "look_again": _("Look again"),
        "changed_since": _("The screen has changed since this was asked."),
        "answered": {
            "accept": _("%(who)s accepted."),
            "correct": _("%(who)s corrected."),
            "manual": _("%(who)s did it by hand."),
            "skip": _("%(who)s skipped it."),
            "reject": _("%(who)s rejected it."),
            "done": _("%(who)s says it was done."),
            "retry": _("%(who)s says: do it again."),
            "stop": _("%(who)s stopped the run."),
        },
        "answered_by_you": {
            "accept": _("You accepted."),
            "correct": _("You corrected."),
            "manual": _("You did it by hand."),
            "skip": _("You skipped it."),
            "reject": _("You rejected it."),
            "done": _("You said: it was done."),
            "retry": _("You said: do it again."),
            "stop": _("You stopped the run."),
        },
        "unanswered": {
            "skip": _("Nobody answered in time: skipped."),
            "reject": _("Nobody answered in time: rejected."),
        },
        "robot_goes_on": _("The robot goes on."),
        "sending": _("Sending your answer …"),
        "then": {
            "skip": _("No answer in %(n)s s: it is skipped"),
            "reject": _("No answer in %(n)s s: it is rejected"),
        },
        "held_by": _("%(who)s has been correcting for %(time)s; the time stands still"),
        "held_by_mending": _("The time stands still meanwhile"),
        "mending_by": _("%(who)s has been mending step %(n)s for %(time)s"),
        "mending_by_you": _("You are mending step %(n)s"),
        "held_by_you": _("The time stands still while you correct"),
        "no_timeout": _("Waits for an answer as long as it takes"),
        "found_by": {rung: str(words) for rung, words in FOUND_BY.items()},
        "found_by_both": _("Found by text and picture."),
        "corrected_target": _("Shown by a person."),
        "no_target_needed": _("It goes to where the keyboard is; no target is needed."),
        "nothing_like_it": _("Nothing else looks like it."),
        "next_best_target": _("Next best: “%(name)s”."),
        "next_best_unnamed": _("Something that says nothing comes next."),
        "then_screen": _("After it, “%(name)s” should show."),
        "on_screen": _("on “%(name)s”"),
        "quoted": _("“%(text)s”"),
        "target_missing": _("The target was not found on the screen."),
        "in_doubt_same": _("The two pictures are the same: it was not done, or it was done without a sign."),
        "in_doubt_read_back": _("The picture shows where it was to be read back."),
        "in_doubt_differ": _("The screen changed since. Compare the two pictures."),
        "before": _("Before"),
        "after": _("After"),
        "now": _("now"),
        "now_title": _("Now"),
        "enlarge": _("show it larger"),
        "may_not_answer": _("You may watch this run. Answering takes the role “%(role)s”."),
        "may_not_control": _("Pausing and stopping takes the role “%(role)s”."),
        "use_this": _("Use this"),
        "back": _("Back"),
        "close": _("Close"),
        "correct_title": _("What should it be?"),
        "correct_hint": _("Click the right place on the picture, or drag a rectangle around it."),
        "correct_hint_touch": _("Tap the right place, then move the cross in the magnifier."),
        "correct_no_target": _("This action needs no place on the screen."),
        "chosen_text": _("New target: “%(text)s”"),
        "chosen_element": _("New target: %(role)s without text"),
        "chosen_point": _("New target: the point at %(x)s, %(y)s"),
        "chosen_box": _("New target: the rectangle at %(x)s, %(y)s"),
        "chosen_none": _("Target as suggested"),
        "clear_target": _("Take back"),
        "boxes_found": counted(
            lambda n: ngettext(
                "%(n)s place detected. Enter takes it.",
                "%(n)s places detected. Arrow keys move between them, Enter takes one.",
                n,
            )
        ),
        "boxes_none": _("Nothing was detected on this screen; click or drag freely."),
        "change_something": _("Choose a place or change a value first; or go back and accept."),
        "field_value": _("The value, as it stands there"),
        "field_more": _("Another action, or a wait"),
        "field_action": _("Action"),
        "field_wait_before": _("Wait before (s)"),
        "field_wait_after": _("Wait after (s)"),
        "field_feedback": _("Why? (one line, optional)"),
        "param": {
            "text": _("Text to type"),
            "keys": _("Keys"),
            "clear": _("Clear the field first"),
            "dx": _("To the right (px)"),
            "dy": _("Down (px)"),
        },
        "magnifier": _("Magnifier: drag to move the cross"),
        "nudge": {
            "up": _("Up by one pixel"),
            "down": _("Down by one pixel"),
            "left": _("Left by one pixel"),
            "right": _("Right by one pixel"),
        },
        "stop_title": _("Stop run %(n)s?"),
        "stop_text": _("It ends before its next action and cannot be resumed. What was done stays done."),
        "asked_pause": _("Pausing …"),
        "asked_stop": _("Stopping …"),
        "asked_resume": _("Resuming …"),
        "asked_take_control": _("Taking control …"),
        "take_control": _("Take control"),
        "give_back": _("Give back"),
        "you_have_control": _("You have control"),
        "control_text": _(
            "Click and type on the picture: it is done on the desktop and recorded, what you type by its length alone."
            " Give it back, and the robot looks anew and goes on from wherever you left it."
        ),
        "pause": _("Pause"),
        "resume": _("Resume"),
        "stop": _("Stop"),
    }


def _picture() -> dict[str, object]:
    return {
        "reconnecting": _("Connection lost. Reconnecting; the picture may be old."),
        "no_picture": _("No picture yet"),
        "no_picture_queued": _("The picture shows when a robot takes this run."),
        "picture_of_step": _("Step %(n)s, as it was"),
        "back_to_live": _("Back to now"),
        "runner_up": _("runner-up"),
        "taught": _("Taught"),
        "found": _("Found now"),
        "no_taught": _("No picture was taught."),
        "frame_alt": _("What the desktop shows"),
        "desktop": _("desktop %(name)s"),
        "alt_suggestion": _("What the desktop shows; the robot means to touch “%(name)s”"),
    }


def _why() -> dict[str, object]:
    return {
        "why_screen": _("Screen"),
        "why_target": _("Target, by sign"),
        "why_taught": _("Taught and found"),
        "why_between": _("In between"),
        "between_alt": _("What showed in between, picture %(n)s"),
        "why_turn": _("This turn"),
        "why_result": _("What came of it"),
        "why_nothing": _("Why it does what it does shows here once there is a step."),
        "next_best_screen": _("Next best: “%(name)s”, %(score)s."),
        "no_other_screen": _("No other screen comes near."),
        "rungs": {rung: str(words) for rung, words in RUNGS.items()},
        "compare_screens": _("Compare with the taught screen"),
        "not_needed": _("not needed"),
        "not_tried": _("not tried"),
        "ambiguous": _("two alike"),
        "not_found": _("not found"),
        "no_target": _("This action has no target."),
        "signs": {
            "texts": _("Texts"),
            "absent": _("Must not be there"),
            "window_title": _("Window"),
            "reference": _("Taught picture"),
            "layout": _("Layout"),
            "chosen": _("What is chosen"),
            "window": _("Taught window"),
            "app_name": _("Application"),
            "look": _("Look"),
            "reading": _("Reading"),
            "context": _("Way so far"),
            "person": _("A person"),
            "expected": _("What should be seen"),
            "destination": _("The next screen"),
            "typed": _("What was typed"),
            "change": _("A difference"),
            "effect": _("What was done"),
            "error": _("A message"),
            "waiting": _("Still at work"),
            "identity": _("Whose record"),
            "node": _("The screen"),
            "doubt": _("A doubt"),
            "popup": _("A dialog"),
        },
        "times": {
            "capture_ms": _("look"),
            "ocr_ms": _("read"),
            "ui_ms": _("detect"),
            "match_ms": _("recognise"),
            "resolve_ms": _("find"),
            "act_ms": _("act"),
            "look_ms": _("read again"),
            "verify_ms": _("check"),
            "robot_ms": _("the robot in all"),
            "waited_ms": _("waiting for a person"),
        },
        "from_memory": _("from memory"),
        "degraded_step": _("not read: degraded"),
        "retries": counted(lambda n: ngettext("%(n)s retry", "%(n)s retries", n)),
    }


def _states() -> dict[str, object]:
    return {
        "steps_of": _("%(n)s of about %(total)s"),
        "steps_count": counted(lambda n: ngettext("%(n)s step", "%(n)s steps", n)),
        "no_steps": _("No step yet"),
        "waited": _("%(time)s waiting for a person"),
        "corrected_by": _("corrected by %(who)s"),
        "corrected_by_you": _("corrected by you"),
        "manual_by": _("done by %(who)s"),
        "skipped_no_answer": _("skipped: no answer"),
        "rejected_no_answer": _("rejected: no answer"),
        "rejected_by": _("rejected by %(who)s"),
        "likely_next": _("Likely next"),
        "earlier_steps": counted(
            lambda n: ngettext("%(n)s earlier step is not shown", "%(n)s earlier steps are not shown", n)
        ),
        "queued_title": _("Waiting for a robot"),
        "queued_text": _("The run starts when a robot is free. Nothing is asked of you."),
        "gone_title": _("Its robot has gone"),
        "queued_free": _("Nothing is asked of you."),
        "queued_behind": _("Runs that it waits for"),
        "queued_run": _("%(name)s, run %(n)s"),
        "queued_more": _("and %(n)s more"),
        "queued_stop": _("Stop run %(n)s"),
        "queued_lesson": _("Lesson of “%(name)s”"),
        "queued_lesson_by": _("Lesson of “%(name)s”, given by %(who)s"),
        "queued_end_lesson": _("End the lesson"),
        "end_lesson_title": _("End the lesson of “%(name)s”?"),
        "idle_title": _("Not started"),
        "idle_text": _("The run was made and nobody has asked it to start yet."),
        "running_title": _("The robot is at work"),
        "running_text": _("Nothing is asked of you."),
        "paused_title": _("Paused"),
        "paused_by": _("%(who)s paused the run. It goes on when somebody resumes it."),
        "stopped_by": _("%(who)s stopped the run."),
        "somebody": _("a person"),
        "who_from": _("%(who)s (%(where)s)"),
        "mode_next": _("%(mode)s, from its next step on"),
        "mode_of_run": _("Mode of this run"),
        "paused_asked": _("A person paused the run. It goes on when you resume it."),
        "expected_screen": _("Expected: “%(name)s”. Missing of it:"),
        "expected_only": _("Expected: “%(name)s”."),
        "another_screen": _("It is another screen"),
        "pick_screen": _("Which screen is it?"),
        "screens_title": _("The screens of the workflow"),
        "pick_screen_text": _("The robot takes it for “%(name)s”. What it meant to do there is rejected."),
        "next_there": _("next:"),
        "end_there": _("the run ends there"),
        "mend": _("Mend"),
        "keep_by_hand": _("Keep what was done by hand as a way"),
        "teach_from_run": _("Teach from this run"),
        "resume_look": _("Look again"),
        "press": _("Press “%(name)s”"),
        "press_remember": _("Later runs press it by themselves"),
        "press_remembered": _("Version %(n)s presses it by itself."),
        "press_in_draft": _("The draft presses it by itself. It has other changes: publish it for later runs."),
        "press_text": _("The robot can press a button of the dialog for you, if it still stands there unchanged."),
        "degraded_title": _("Degraded: it sees less"),
        "degraded_text": _("Text and elements are no longer read anew on each screen."),
        "lift": _("Read in full again"),
        "completed_title": _("Done"),
        "failed_title": _("Failed"),
        "stopped_title": _("Stopped"),
        "failed_at": _("It failed at step %(n)s: %(sentence)s"),
        "start_again": _("Start again"),
        "summary": {
            "actions": _("actions done"),
            "corrected": _("corrected"),
            "retries": _("retries"),
            "score": _("mean score"),
            "resolve": _("mean time to find"),
            "unverified": _("not verified"),
            "degraded": _("degraded steps"),
            "duration": _("in all"),
            "by_rung": _("Clicks by sign"),
            "started_by": _("started by %(who)s"),
        },
        "n_of_m": _("%(n)s of %(m)s"),
        "events_none": _("Nothing has happened yet."),
        "event_state": _("State: %(state)s"),
        "event_step": _("Step %(n)s: %(sentence)s: %(outcome)s"),
        "event_prompt": _("Asked: %(sentence)s"),
        "event_timeout": {
            "skip": counted(
                lambda n: ngettext(
                    "Nobody answered in %(n)s second: skipped.", "Nobody answered in %(n)s seconds: skipped.", n
                )
            ),
            "reject": counted(
                lambda n: ngettext(
                    "Nobody answered in %(n)s second: rejected.", "Nobody answered in %(n)s seconds: rejected.", n
                )
            ),
        },
        "origin": {o.value: str(o.label) for o in Origin if o.value},
        "messages": {kept: str(told) for kept, told in FOR_PEOPLE.items()},
        "event_degraded": _("Degraded: %(reason)s"),
        "event_drift": _("Drift on “%(name)s”"),
        "event_mode": _("%(who)s changed the mode: %(was)s → %(mode)s"),
        "event_wish": {
            "pause": _("%(who)s asked for a pause"),
            "resume": _("%(who)s resumed the run"),
            "stop": _("%(who)s asked to stop"),
            "set_mode": _("%(who)s asked for another mode"),
            "lift_degraded": _("%(who)s had everything read in full again"),
            "set_continuous_capture": _("%(who)s switched continuous capture"),
            "take_control": _("%(who)s took control"),
            "change_version": _("%(who)s asked for another version"),
        },
        "event_version": _("%(who)s mended the workflow: the run goes on with version %(version)s instead of %(was)s"),
        "did": act_words(),
        "did_at": _("at %(x)s %%, %(y)s %%"),
        "event_pressed": _("%(who)s chose “%(name)s” in the dialog"),
        "event_picked": _("%(who)s resumed the run: the screen is “%(name)s”"),
        "unmasked": _("unmasked for you"),
        "graph_list": _("As a list"),
        "graph_here": _("here now"),
        "graph_been": _("been there"),
        "graph_failed": _("The graph could not be drawn; here it is as a list."),
        "waiting_for_you": _("waiting for you"),
    }


def act_words() -> dict[str, object]:
    """What somebody did who had control, by the kind of act."""
    return {
        "click": _("%(who)s: click %(where)s"),
        "double_click": _("%(who)s: double click %(where)s"),
        "right_click": _("%(who)s: right click %(where)s"),
        "drag": _("%(who)s: drag from %(where)s"),
        "scroll": _("%(who)s: wheel %(where)s"),
        "press_keys": _("%(who)s: keys %(keys)s"),
        "type_text": counted(
            lambda n: ngettext("%(who)s: %(n)s character typed", "%(who)s: %(n)s characters typed", n)
        ),
    }
