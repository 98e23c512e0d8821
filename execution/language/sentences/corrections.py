"""What people decided of corrections, and what those would change in a draft (S6.4)."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    "corrections.because": _("“%(reason)s”"),
    "corrections.instead": _("Correction %(n)d was chosen instead."),
    "corrections.merged": _("It is part of version %(n)d."),
}
