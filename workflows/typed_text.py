"""The form field of a text that is typed as it stands: its blanks and line breaks are part of it."""

from __future__ import annotations

from typing import Any

from django import forms


def plain_breaks(text: str) -> str:
    """Line breaks as browsers send them (CRLF) are those that were written (LF)."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def as_written(sent: str, was: Any) -> str:
    """What was sent; where nobody changed it, to the letter what stood there before."""
    return was if isinstance(was, str) and plain_breaks(was) == plain_breaks(sent) else plain_breaks(sent)


class TypedTextField(forms.CharField):
    """Nothing is trimmed. A text field of one line loses line breaks in the browser, so it has several."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.Textarea(attrs={"rows": 1, "cols": 60, "spellcheck": "false"}))
        super().__init__(**{"strip": False, **kwargs})

    def to_python(self, value: Any) -> str:
        return plain_breaks(super().to_python(value) or "")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return plain_breaks(str(initial or "")) != plain_breaks(str(data or ""))
