"""python-xlib, with what each server says of its extensions kept for that server alone."""

from __future__ import annotations

from typing import Any

import Xlib
from Xlib import display, error, xauth
from Xlib.protocol import event

from sentences.said import say

if Xlib.__version__ < (0, 33):
    raise ImportError(say("desktop.xlib_hidden", command="pip install --force-reinstall --no-deps python-xlib"))

# It prints to standard output where there is no usable authority file; the refusal itself is reported.
xauth.print = lambda *_: None


class _OneServer(display._BaseDisplay):  # type: ignore[misc]
    """The library has one table for all servers, which number their extensions differently: a request to one would be
    that of another, and a second connection may not come about."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.extension_major_opcodes: dict[str, int] = {}
        self.error_classes = error.xerror_class.copy()
        self.event_classes = event.event_class.copy()
        super().__init__(*args, **options)

    def add_extension_error(self, code: int, err: type[Exception]) -> None:
        """RandR's are no XError, and are put in the place of the errors that every server has."""
        if issubclass(err, error.XError) and code not in error.xerror_class:
            super().add_extension_error(code, err)


display._BaseDisplay = _OneServer
