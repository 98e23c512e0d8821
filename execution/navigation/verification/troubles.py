"""Texts that came with an action and speak against it: errors, complaints of a form, and "please wait"."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from execution.navigation.verification.change import Change
from execution.navigation.verification.denials import any_of, complaint_word, error_word, is_waiting
from execution.navigation.verification.facts import ERROR, WAITING, Fact
from execution.navigation.words import folded
from execution.types import Answer, ElementRole, TextLine

# A page full of new lines is another page: that one of them speaks of an error does not make it a message.
_MESSAGE_LINES = 15
_CLOSING = frozenset(
    {
        "ok", "close", "cancel", "later", "not now", "no", "dismiss", "skip", "retry", "try again", "fermer", "annuler",
        "plus tard", "non", "ignorer", "reessayer", "remind me later", "me le rappeler plus tard",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """Each fact None where there is no such text. `sure`: the error is a message, not a word of another page."""

    error: Fact | None = None
    complaint: Fact | None = None
    waiting: Fact | None = None
    sure: bool = False
    asks: bool = False  # a new dialog stands there

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(f for f in (self.error, self.complaint, self.waiting) if f)


def troubles_of(change: Change, *, declared: Iterable[str], data: Collection[str]) -> Troubles:
    """What came with the action and speaks against it. `declared` are the texts that are hoped for, `data` what was
    typed and the variables' values: neither is a message."""
    if not (change.now.was_read and change.then.was_read):
        return Troubles()
    hoped = tuple(declared)
    said = [line for line in change.new_lines if not _is_data(line, change, data)]
    sentences = [change.now.sentence((line,)) for line in said]
    error = _first(sentences, error_word) if not any(error_word(text) for text in hoped) else ""
    complaint = _first(sentences, complaint_word) if not any(complaint_word(text) for text in hoped) else ""
    waiting = any(is_waiting(line.text) for line in said) and not any(is_waiting(text) for text in hoped)
    return Troubles(
        error=_against(_("an error text came: '%(word)s'"), error),
        complaint=_against(_("a complaint came: '%(word)s'"), complaint),
        waiting=Fact(sign=WAITING, answer=Answer.CANNOT_TELL, note=_("it is still under way")) if waiting else None,
        sure=len(change.new_lines) <= _MESSAGE_LINES,
        asks=any(folded(line.text) in _CLOSING or _is_button(line, change) for line in said),
    )


def _first(sentences: Iterable[str], word_of: object) -> str:
    assert callable(word_of)
    return next((str(word) for sentence in sentences if (word := word_of(sentence))), "")


def _against(note: str, word: str) -> Fact | None:
    return Fact(sign=ERROR, answer=Answer.NO, note=note % {"word": word}) if word else None


def _is_button(line: TextLine, change: Change) -> bool:
    """Whether a thing to press came with the action, under a name that nothing had before."""
    buttons = (e for e in change.after.elements if e.role is ElementRole.BUTTON)
    return any(e.box.contains(line.box.center) for e in buttons)


def _is_data(line: TextLine, change: Change, data: Collection[str]) -> bool:
    return change.is_entry(line.box) or any_of([text for text in data if text], [line.text])
