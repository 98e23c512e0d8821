"""The texts that the scripts of the run viewer show, in the reader's language; placeholders as in Python: %(name)s."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.panel_texts import counted
from execution.choices import Feedback


def viewer() -> dict[str, object]:
    return {**_film(), **_picture(), **_step(), **_hand_on()}


def _film() -> dict[str, object]:
    return {
        "film_cell": _("Step %(n)s: %(sentence)s: %(outcome)s"),
        "film_wide": _("Slow steps wider"),
        "clock_title": _("The run by the clock"),
        "clock_robot": _("the robot %(time)s"),
        "clock_waited": _("waiting for a person %(time)s"),
        "clock_still": _("standing still %(time)s"),
        "later_steps": counted(
            lambda n: ngettext("%(n)s later step is not shown", "%(n)s later steps are not shown", n)
        ),
        "problems": counted(lambda n: ngettext("%(n)s step to look at", "%(n)s steps to look at", n)),
        "no_problem": _("Nothing to look at"),
        "next_problem": _("Next step that was not as usual"),
        "compare_run": _("Compare"),
        "export_run": _("Export"),
        "play": _("Play"),
        "rest": _("Stop playing"),
        "play_title": _("Show step after step, before and after (P)"),
        "tried_again": counted(lambda n: ngettext("done at the 2nd try", "done after %(n)s more tries", n)),
    }


def _picture() -> dict[str, object]:
    return {
        "side": {"before": _("Before"), "slide": _("Both"), "after": _("After")},
        "differs": _("Differs"),
        "differs_n": counted(lambda n: ngettext("%(n)s place differs after it", "%(n)s places differ after it", n)),
        "picture_gone": _("This picture is no longer kept."),
        "typed": _("typed: %(text)s"),
        "pressed": _("pressed: %(keys)s"),
        "what_robot_sees": _("What the robot sees"),
        "no_texts": _("No text was read on this screen, or it is no longer kept."),
        "search_text": _("Where else was this read?"),
    }


def _step() -> dict[str, object]:
    return {
        "tab_step": _("Step %(n)s"),
        "tab_step_none": _("Step"),
        "stood_still": _("Stood still"),
        "stood_cell": _("Stood still: %(why)s"),
        "why_title": _("What it rests on"),
        "problem": {
            "failed": _("This step failed."),
            "rejected": _("This step was rejected."),
            "interrupted": _("This step was begun and not carried out."),
            "doubt": _("Nobody knows whether this step was done."),
            "asked": _("A person had to help here."),
            "retried": _("It took more than one try."),
            "unverified": _("It was done, and nothing on the screen proved it."),
            "corrected": _("A person corrected what was meant."),
            "skipped": _("It was skipped."),
            "degraded": _("It was done while the run saw less than usual."),
            "ended": _("The run ended here."),
            "paused": _("The run stood still here: no step was begun on this screen."),
        },
        "where_time": _("Where the time went"),
        "whole_step": _("the step in all"),
        "read_parts": _("text %(text)s, elements %(elements)s"),
        "check_yes": _("yes"),
        "check_no": _("no"),
        "earlier_runs": _("The same step in earlier runs"),
        "last_good": _("Against the last run that went well"),
        "run_n": _("run %(n)s"),
        "run_n_step": _("run %(n)s, step %(step)s"),
        "then_run": _("Then, run %(n)s"),
        "now_run": _("In this run"),
        "first_none": _("both went the same way, step for step"),
        "first_here": _("this is the first step that went another way"),
        "first_at": _("the first step that went another way is step %(n)s"),
        "corrections": _("Corrected"),
        "attempts": _("Attempts"),
        "attempt_n": _("Attempt %(n)s"),
        "was_it_right": _("Was it right?"),
        "mark": {"correct": _("Was right"), "incorrect": _("Was wrong"), "partial": _("In part")},
        "mark_reason": _("Why? (one line, optional)"),
        "marked": _("%(who)s: %(word)s."),
        "feedback": {one.value: str(one.label) for one in Feedback},
    }


def _hand_on() -> dict[str, object]:
    return {
        "hand_on": _("Go on from here"),
        "again_from": _("Start again from step %(n)s"),
        "again_hint": _("It looks at the desktop first, and stands still where another screen shows."),
        "again_not": _("A run cannot start here."),
        "step_as_file": _("Step as file"),
        "copy_link": _("Copy link"),
        "link_copied": _("The link is copied."),
    }
