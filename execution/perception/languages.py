"""Languages by their two-letter codes, and what each reader calls them."""

from __future__ import annotations

from collections.abc import Iterable

# ISO 639-1 and what Tesseract calls its data (ISO 639-2/T, with its own names for the two Chinese scripts).
_TESSERACT = {
    "ar": "ara", "bg": "bul", "ca": "cat", "ch_sim": "chi_sim", "ch_tra": "chi_tra", "cs": "ces", "da": "dan",
    "de": "deu", "el": "ell", "en": "eng", "es": "spa", "et": "est", "fa": "fas", "fi": "fin", "fr": "fra",
    "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit",
    "lv": "lav", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk",
    "sl": "slv", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie",
}  # fmt: skip


class UnknownLanguage(ValueError):
    """A reader does not know a language; the message names it and those there are."""


def tesseract_codes(languages: Iterable[str]) -> str:
    """The languages as Tesseract takes them, "eng+fra"; raises UnknownLanguage. Its own codes pass as they are."""
    own = set(_TESSERACT.values())
    codes = []
    for language in languages:
        code = language if language in own else _TESSERACT.get(language)
        if code is None:
            raise UnknownLanguage(f"Tesseract is not asked for {language!r}; known are: {', '.join(_TESSERACT)}.")
        codes.append(code)
    return "+".join(dict.fromkeys(codes))
