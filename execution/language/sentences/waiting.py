"""Why a run waits for a robot, and behind whom: what its page, the list of runs and the API tell."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Sentence, Words, ngettext

WORDS: Words = {
    "waiting.no_robot": _("No robot is alive. It begins when a run loop starts."),
    "waiting.other_desktop": _("It is for the desktop %(desktop)s, and no robot is alive there."),
    "waiting.lacking": _("No robot that is alive has all that it needs: %(robots)s."),
    "waiting.robot_lacks": _("%(robot)s lacks %(what)s"),
    "waiting.tag": _("the tag “%(name)s”"),
    "waiting.program": _("the program “%(name)s”"),
    "waiting.screen": _("a screen of %(width)d × %(height)d"),
    "waiting.maintenance": _("Each robot that fits is in maintenance and takes nothing new: %(robots)s."),
    "waiting.full": ngettext(
        "At most %(n)d run of “%(workflow)s” is at work at once, and one is.",
        "At most %(n)d runs of “%(workflow)s” are at work at once, and so many are.",
        "n",
    ),
    "waiting.full_inside": ngettext(
        "It does “%(workflow)s” inside, which at most %(n)d run may do at once, and one does.",
        "It does “%(workflow)s” inside, which at most %(n)d runs may do at once, and so many do.",
        "n",
    ),
    "waiting.busy": _("Each robot that fits is busy: %(robots)s."),
    "waiting.robot_busy": _("%(robot)s with %(what)s"),
    "waiting.run": _("run %(run)s of “%(workflow)s”"),
    "waiting.run_paused": _("run %(run)s of “%(workflow)s”, which is paused"),
    "waiting.run_asks": _("run %(run)s of “%(workflow)s”, which waits for a person"),
    "waiting.lesson": _("a lesson of “%(workflow)s”"),
    "waiting.lesson_by": _("a lesson of “%(workflow)s”, given by %(who)s"),
    "waiting.stop_that": _("It ends on its page, or by: manage.py execution stop %(id)s"),
    "waiting.end_lesson": _("The lesson is ended by its teacher, or by a designer on the page of this run."),
    "waiting.stays_queued": _("The run %(id)s stays queued."),
    "waiting.next": _("A robot that fits is free and takes it in a moment."),
    "waiting.vanished": _(
        "The robot %(robot)s is not heard of any more. "
        "The run goes on when a run loop starts on its desktop; or stop it."
    ),
    "waiting.behind": Sentence(text=_("%(n)d run goes before it."), plural=_("%(n)d runs go before it."), count="n"),
}
