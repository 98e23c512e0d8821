"""How sentences and values are put together, whatever they are about."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, register, register_worded

LISTED, THEN, EITHER, BOTH = "joined.listed", "joined.then", "joined.either", "joined.both"
IN_A_ROW, SENTENCE_BY_SENTENCE = "joined.in_a_row", "joined.sentences"
PLAIN = "value.plain"

WORDS: Words = {
    LISTED: _("%(one)s, %(next)s"),
    THEN: _("%(one)s; %(next)s"),
    IN_A_ROW: _("%(one)s · %(next)s"),
    EITHER: _("%(one)s or %(next)s"),
    BOTH: _("%(one)s and %(next)s"),
    SENTENCE_BY_SENTENCE: _("%(one)s %(next)s"),
    "value.quoted": _("“%(text)s”"),
    "value.labelled": _("%(label)s: %(what)s"),
    "value.aside": _("%(what)s (%(aside)s)"),
    "value.percent": _("%(n)s%%"),
}

register(WORDS)
register_worded(PLAIN, lambda values: str(values["text"]))
