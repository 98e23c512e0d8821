"""Log lines: one a record, with the extra fields that say which run and step it is about."""

from __future__ import annotations

import logging

from workflows.unsaid import without_secrets

FIELDS = ("action", "execution", "step", "desktop", "kind", "address")


class NoRefusalTraced(logging.Filter):
    """What was refused (403, 400) is one line: its traceback shows no fault, and whoever asks often fills the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True


class LineFormatter(logging.Formatter):
    """`time LEVEL logger message key=value ...`; screens, texts read and values typed are never among the fields.

    What was opened of the secrets is in no line, the tracebacks included.
    """

    default_format = "%(asctime)s %(levelname)s %(name)s %(message)s"

    def __init__(self) -> None:
        super().__init__(self.default_format)

    def format(self, record: logging.LogRecord) -> str:
        extra = " ".join(f"{name}={getattr(record, name)}" for name in FIELDS if hasattr(record, name))
        line = super().format(record)
        return without_secrets(f"{line} {extra}" if extra else line)
