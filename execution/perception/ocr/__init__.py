"""Text readers, chosen by name (S2.8)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from execution.perception.ocr.base import NO_READER, READERS, ReaderUnavailable, TextReader
from execution.perception.ocr.languages import UnknownLanguage, tesseract_codes

if TYPE_CHECKING:
    from execution.perception.config import PerceptionConfig

__all__ = [
    "NO_READER",
    "READERS",
    "ReaderUnavailable",
    "TextReader",
    "UnknownLanguage",
    "check_reader_name",
    "open_reader",
    "reader_from",
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


def reader_from(config: PerceptionConfig) -> TextReader | None:
    """The reader that is configured, None for "none"; ValueError for an unknown name or language."""
    if config.reader == NO_READER:
        return None
    options: dict[str, dict[str, Any]] = {
        "easyocr": {"folder": config.models_dir, "languages": config.languages, "gpu": config.ocr_gpu},
        "tesseract": {"languages": tesseract_codes(config.languages)} if config.reader == "tesseract" else {},
    }
    return open_reader(config.reader, **options.get(config.reader, {}))
