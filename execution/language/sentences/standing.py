"""What the last runs prove of a workflow, why it is trusted more or less, and what has changed (S6.7, S6.8)."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Sentence, Words

WORDS: Words = {
    "standing.nothing": _("Nothing was tried yet in its runs."),
    "standing.evidence": Sentence(
        text=_(
            "%(good)d of %(of)d act verified over the last %(runs)d runs: at least "
            "%(least)s succeed (%(sure)s confidence)."
        ),
        plural=_(
            "%(good)d of %(of)d acts verified over the last %(runs)d runs: at least "
            "%(least)s succeed (%(sure)s confidence)."
        ),
        count="of",
        shares=("least", "sure"),
    ),
    "standing.evidence_of_one": Sentence(
        text=_("%(good)d of %(of)d act verified in its one run: at least %(least)s succeed (%(sure)s confidence)."),
        plural=_("%(good)d of %(of)d acts verified in its one run: at least %(least)s succeed (%(sure)s confidence)."),
        count="of",
        shares=("least", "sure"),
    ),
    "standing.few_runs": _("Its runs are too few: %(n)d of %(needed)d."),
    "standing.low": Sentence(text=_("At least %(least)s is proved, %(needed)s is needed."), shares=("least", "needed")),
    "standing.steps_low": Sentence(
        text=_("%(n)d step is not proved to %(needed)s by itself: %(steps)s."),
        plural=_("%(n)d steps are not proved to %(needed)s by themselves: %(steps)s."),
        count="n",
        shares=("needed",),
    ),
    "standing.step": _("%(name)s (%(good)d of %(of)d times)"),
    "standing.corrections": Sentence(
        text=_("%(n)d correction has not proved right yet."),
        plural=_("%(n)d corrections have not proved right yet."),
        count="n",
    ),
    "standing.drifting": Sentence(text=_("Something has changed: %(what)s."), quoted=("what",)),
    "standing.fell": Sentence(
        text=_(
            "%(bad)d of %(of)d acts failed over the last %(runs)d runs: at most "
            "%(most)s succeed (%(sure)s confidence), and "
            "%(needed)s is needed."
        ),
        shares=("most", "sure", "needed"),
    ),
    "standing.fell_in_one": Sentence(
        text=_(
            "%(bad)d of %(of)d acts failed in its last run: at most "
            "%(most)s succeed (%(sure)s confidence), and %(needed)s is needed."
        ),
        shares=("most", "sure", "needed"),
    ),
    "standing.ask_untried": _("It asks here because this step was never tried before."),
    "standing.ask": Sentence(
        text=_(
            "It asks here because this step was verified %(good)d of %(of)d times: at least %(least)s, and "
            "%(needed)s is needed."
        ),
        shares=("least", "needed"),
    ),
    "standing.ask_unknown": _("It asks here because nobody can say how this step went before."),
    "standing.promoted": _("Its runs have proved it."),
    "standing.taken_back": _("The last change was taken back."),
    "standing.taken_back_because": _("The last change was taken back: “%(reason)s”"),
    "standing.screen_drifts": Sentence(
        text=_(
            "“%(name)s” is recognised less surely than it was: %(severity)s of the way to not being recognised any "
            "more."
        ),
        shares=("severity",),
    ),
    "standing.step_drifts": _("“%(name)s” fails more often than it did: %(bad)d of the last %(of)d times."),
    "standing.demoted": _("The workflow is trusted less from now on. %(why)s"),
}
