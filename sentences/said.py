"""A sentence as data: a code with its values, worded where a person reads it, in that person's language.

What is found or done is kept as `{"code": "targeting.reads_otherwise", "read": "Save", …}`. So it can be counted and
filtered, and each reader gets it in their own language, with their own decimal signs. A
text without a code, such as what a program said of itself or what was kept before, is read as it stands.
"""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext_noop as _

from sentences.base import READ, SENTENCES, WORDED, Sentence, Words, is_code, register, register_worded

# How sentences and values are put together, whatever they are about.

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


_JOINED = frozenset({IN_A_ROW, LISTED, THEN, EITHER, BOTH, SENTENCE_BY_SENTENCE})
_WORDED_BESIDE = ("message", "note", "why_not")  # the API has the code and the values beside these
_PLACE = re.compile(r"%(?:\((\w+)\)(\.\d+f|[sdg])|%)")
_MARK = '{"code": "'


class Said(str):
    """A sentence with its code and its values; as a text it is in English, for logs and programs.

    Values are texts, numbers, other sentences, or lists of these. What is joined to it with + or put into an f-string
    is a text without a code again: `listed`, `then` and `by_sentence` keep it.
    """

    __slots__ = ("code", "values")

    code: str
    values: Mapping[str, Any]

    def __new__(cls, code: str, values: Mapping[str, Any]) -> Said:
        self = super().__new__(cls, _put(code, values, _ENGLISH))
        self.code, self.values = code, values
        return self

    def with_texts(self, change: Callable[[str], str]) -> Said:
        """The same sentence with its values' texts changed."""
        return Said(self.code, {name: _changed(value, change) for name, value in self.values.items()})

    def __reduce__(self) -> tuple[type[Said], tuple[str, dict[str, Any]]]:
        return Said, (self.code, dict(self.values))

    def __deepcopy__(self, memo: Any) -> Said:
        return self


def say(code: str, **values: Any) -> str:
    """The sentence of that code; of the values those that it has a place for. Raises KeyError for an unknown code."""
    places = SENTENCES[code].places
    return Said(code, {name: _plain(value) for name, value in values.items() if name in places})


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Said):
        return value.with_texts(change)
    if isinstance(value, Mapping):
        return {name: _changed(inner, change) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(inner, change) for inner in value]
    return change(value) if isinstance(value, str) else value


def told_by(error: BaseException) -> str:
    """The sentence that was raised, with its code where it has one."""
    return error.args[0] if error.args and isinstance(error.args[0], Said) else str(error)


def cause(error: BaseException) -> str:
    """The sentence that was raised; of an error without one its kind with its text."""
    told = told_by(error)
    return told if isinstance(told, Said) else f"{type(error).__name__}: {told}"


def listed(parts: Iterable[str]) -> str:
    """“one, two, three”."""
    return _joined(LISTED, parts)


def then(parts: Iterable[str]) -> str:
    """“one; two; three”."""
    return _joined(THEN, parts)


def in_a_row(parts: Iterable[str]) -> str:
    """“one · two”."""
    return _joined(IN_A_ROW, parts)


def either(parts: Iterable[str]) -> str:
    """“one or two”."""
    return _joined(EITHER, parts)


def both(parts: Iterable[str]) -> str:
    """“one and two”."""
    return _joined(BOTH, parts)


def by_sentence(parts: Iterable[str]) -> str:
    """“One. Two.”"""
    return _joined(SENTENCE_BY_SENTENCE, parts)


def sentences_of(said: str) -> list[str]:
    """What `by_sentence` put together; a single sentence alone."""
    if isinstance(said, Said) and said.code == SENTENCE_BY_SENTENCE:
        return list(said.values["parts"])
    return [said] if said else []


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return round(float(value), 4)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, BaseException):
        return told_by(value)
    return value if isinstance(value, Said) else str(value)


def _joined(code: str, parts: Iterable[str]) -> str:
    given = [part for part in parts if part]
    if len(given) < 2:
        return given[0] if given else ""
    return Said(code, {"parts": given})


# --- to and from JSON -------------------------------------------------------------------------------------------
def to_json(value: Any) -> Any:
    """Sentences, however deep in it, as `{"code": …, value: …}`; all else as it is."""
    if isinstance(value, Said):
        return {"code": value.code, **{name: to_json(inner) for name, inner in value.values.items()}}
    if isinstance(value, Mapping):
        return {name: to_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(inner) for inner in value]
    return value


def from_json(value: Any) -> str:
    """The sentence that `to_json` gave; a text as it is."""
    if not _is_said(value):
        return str(value or "")
    return Said(value["code"], {name: _inner(inner) for name, inner in value.items() if name != "code"})


def to_text(value: str) -> str:
    """For a column that holds texts: sentences as JSON, all else as it is.

    A text from elsewhere that is written as a sentence of ours would be becomes the value of one: it is never taken for
    our own words.
    """
    if not isinstance(value, Said) and value.startswith(_MARK):
        value = Said(PLAIN, {"text": value})
    return json.dumps(to_json(value), ensure_ascii=False) if isinstance(value, Said) else value


def from_text(value: str) -> str:
    """What `to_text` gave."""
    if not value.startswith(_MARK):
        return value
    try:
        kept = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return from_json(kept) if _is_said(kept) else value


def _inner(value: Any) -> Any:
    if isinstance(value, list):
        return [_inner(one) for one in value]
    return from_json(value) if _is_said(value) else value


def _is_said(value: Any) -> bool:
    return isinstance(value, dict) and is_code(value.get("code"))


# --- in words ---------------------------------------------------------------------------------------------------
def worded(value: Any) -> str:
    """A sentence, its JSON, or what an error says, in the active language; a text as it is."""
    if isinstance(value, BaseException):
        value = told_by(value)
    if isinstance(value, Said):
        return _put(value.code, value.values, _READER)
    return worded(from_json(value)) if _is_said(value) else str(value or "")


def in_words(value: Any, *, codes: bool = False) -> Any:
    """JSON with each sentence in it in the active language; `codes`: beside a message its code and its values."""
    if isinstance(value, Said) or _is_said(value):
        return worded(value)
    if isinstance(value, Mapping):
        found = {name: in_words(inner, codes=codes) for name, inner in value.items()}
        return {**found, **_codes(value)} if codes else found
    if isinstance(value, list | tuple):
        return [in_words(inner, codes=codes) for inner in value]
    return value


def holds_sentences(text: str) -> bool:
    """Whether JSON, as text, may hold any: most of what is streamed does not, and need not be looked into."""
    return '"code"' in text


def _codes(value: Mapping[str, Any]) -> dict[str, Any]:
    coded = next((kept for name in _WORDED_BESIDE if _is_said(kept := to_json(value.get(name)))), None)
    if coded is None:
        return {}
    return {"code": coded["code"], "values": {name: inner for name, inner in coded.items() if name != "code"}}


class _English:
    """The sentences as they are written: for logs and programs."""

    def words(self, sentence: Sentence, count: Any) -> str:
        return sentence.plural if sentence.plural and count != 1 else sentence.text

    def number(self, value: float, decimals: int | None) -> str:
        if isinstance(value, int):
            return str(value)  # as long as it is: a model may answer with any
        return f"{value:g}" if decimals is None else f"{value:.{decimals}f}"

    def text(self, value: str) -> str:
        return value

    def made(self, words: Callable[[Mapping[str, Any]], str], values: Mapping[str, Any]) -> str:
        with translation.override("en"):
            return words(values)


class _Reader:
    """The active language."""

    def words(self, sentence: Sentence, count: Any) -> str:
        text, plural = sentence.text, sentence.plural
        return translation.ngettext(text, plural, int(count)) if plural else translation.gettext(text)

    def number(self, value: float, decimals: int | None) -> str:
        if decimals is None and isinstance(value, int):
            decimals = 0
        if decimals is None:
            decimals = len(f"{value:.6f}".rstrip("0").partition(".")[2])
        return str(number_format(value, decimals))

    def text(self, value: str) -> str:
        for read in READ:
            value = read(value)
        return value

    def made(self, words: Callable[[Mapping[str, Any]], str], values: Mapping[str, Any]) -> str:
        return words(values)


_Speech = _English | _Reader
_ENGLISH, _READER = _English(), _Reader()


def _put(code: str, values: Mapping[str, Any], speech: _Speech, *, opens: bool = False) -> str:
    """The words of a sentence with its values in their places; `opens`: after a full stop, so with a capital letter."""
    if code in WORDED:
        return speech.made(WORDED[code], values)
    sentence = SENTENCES.get(code)
    if sentence is None:  # of a version that came later, or a code that is gone
        told = ", ".join(f"{name}: {_shown(value, 's', speech)}" for name, value in values.items())
        return f"{code} ({told})" if told else code
    if code in _JOINED:
        return _put_together(code, values.get("parts") or (), speech, opens=opens)
    told = ""
    for words, name, form in _parts(speech.words(sentence, values.get(sentence.count, 0))):
        told += words if told or not opens else _capital(words)
        value = values.get(name, "…") if name else ""
        if name in sentence.shares and isinstance(value, int | float):
            value = _put("value.percent", {"n": speech.number(100 * value, 0)}, speech)
        elif name in sentence.quoted and isinstance(value, list | tuple):
            value = ", ".join(_put("value.quoted", {"text": one}, speech) for one in value)
        told += _shown(value, form, speech, opens=_ends(told) if told else opens)
    return told


def _ends(told: str) -> bool:
    """Whether what comes next begins a sentence."""
    return told.rstrip().endswith((".", "!", "?"))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


@cache
def _parts(template: str) -> tuple[tuple[str, str, str], ...]:
    """The template cut behind each place: words, and the name and form of the value that follows them."""
    parts, start = [], 0
    for place in _PLACE.finditer(template):
        words, name = template[start : place.start()], place[1] or ""
        parts.append((words if name else f"{words}%", name, place[2] or ""))
        start = place.end()
    return (*parts, (template[start:], "", ""))


def _put_together(code: str, parts: Iterable[Any], speech: _Speech, *, opens: bool) -> str:
    template, told = speech.words(SENTENCES[code], 0), ""
    for part in parts:
        one = _shown(part, "s", speech, opens=(code == SENTENCE_BY_SENTENCE and _ends(told)) if told else opens)
        both = {"one": told, "next": one}
        told = "".join(words + both.get(name, "") for words, name, _ in _parts(template)) if told else one
    return told


def _shown(value: Any, form: str, speech: _Speech, *, opens: bool = False) -> str:
    if isinstance(value, Said):
        return _put(value.code, value.values, speech, opens=opens)
    if isinstance(value, list | tuple):
        return ", ".join(_shown(one, form, speech) for one in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return speech.text(str(value))
    if form == "d":
        return speech.number(round(value), 0)
    return speech.number(value, int(form[1:-1]) if form.startswith(".") else None)
