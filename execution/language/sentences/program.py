"""A program's own parts: its pipeline, its executor and its screen capturer; and whose run it is."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Sentence, Words

WORDS: Words = {
    "program.capturer_misses": _(
        "The capturer's pictures are %(w)d × %(h)d and the desktop is %(dw)d × %(dh)d: clicks would miss."
    ),
    "program.no_picture": _("The screen capturer gave no picture."),
    "program.capturer_failed": _("The screen capturer failed: %(error)s"),
    "program.no_picture_but": _("The screen capturer gave no picture but %(kind)s: %(error)s"),
    "program.no_desktop": _("There is no desktop to act on: only the program's own executor acts."),
    "program.recognised_nothing": _("The pipeline recognised nothing."),
    "program.would_repeat": _("“%(edge)s” was done, and the pipeline says that it is to be done again."),
    "program.value_missing": Sentence(text=_("The action %(action)s needs a value for %(names)s."), quoted=("names",)),
    "program.finds_target": _("The program's executor finds the target."),
    "program.was_not_asked": _("The pipeline is the program's own: the screen was not asked."),
    "program.no_place_for": _("The program's edge has no place for the corrected %(name)s, so nothing was done."),
    "program.no_answer": _("The executor gave no answer."),
    "program.ended": _("The program that had the run ended in the middle of it."),
    "program.parts_missing": _(
        "The program that started this run has parts of its own (%(parts)s), and the run cannot go on without "
        "them. Look at the screen, stop this run, and start the program again."
    ),
}
