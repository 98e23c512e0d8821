"""What stored steps say of today's answers."""

from __future__ import annotations

from sentences.base import Words, ngettext

WORDS: Words = {
    "replay.breaks": ngettext(
        "It would change %(n)d answer that was right, of %(of)d stored steps.",
        "It would change %(n)d answers that were right, of %(of)d stored steps.",
        "n",
    ),
}
