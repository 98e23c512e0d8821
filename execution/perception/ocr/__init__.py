"""Text readers, chosen by name (S2.8)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from execution.perception.languages import UnknownLanguage
from execution.perception.ocr.base import NO_READER, READERS, ReaderUnavailable, TextReader

__all__ = [
    "NO_READER",
    "READERS",
    "ReaderUnavailable",
    "TextReader",
    "UnknownLanguage",
    "check_reader_name",
    "open_reader",
]


def check_reader_name(name: str) -> None:
    """ValueError with the list of readers there are, when `name` is none of them."""
    if name not in READERS:
        raise ValueError(f"There is no text reader named {name!r}; choose one of: {', '.join(sorted(READERS))}.")


def open_reader(name: str, **options: Any) -> TextReader:
    """The reader of that name; its models are loaded when it first reads."""
    check_reader_name(name)
    module, _, attribute = READERS[name].partition(":")
    reader: TextReader = getattr(import_module(module), attribute)(**options)
    return reader
