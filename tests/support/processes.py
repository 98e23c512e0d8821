"""Programs that a test runs to their end."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

SAID = 6000  # characters of what a program printed that are told: the last ones


def finished(command: Sequence[str], *, timeout: float, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, whatever its exit code.

    One that does not end in `timeout` seconds is killed; the AssertionError tells what it had printed until then.
    """
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, **options)
    except subprocess.TimeoutExpired as late:
        said = "\n".join(_text(stream)[-SAID:] for stream in (late.stdout, late.stderr) if stream)
        raise AssertionError(
            f"{' '.join(command)} did not end within {timeout:g} s. It had printed:\n{said or 'nothing'}"
        ) from None


def _text(stream: bytes | str) -> str:
    """What came until then is given as bytes, though text was asked for."""
    return stream.decode(errors="replace") if isinstance(stream, bytes) else stream
