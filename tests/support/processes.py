"""Programs that a test runs to their end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

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


def stop_groups(processes: Iterable[subprocess.Popen[Any]]) -> None:
    """End processes that lead a group each, the last one first; what does not end in 15 s is killed."""
    begun = list(processes)
    for process in reversed(begun):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
    for process in begun:
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)


def database_url() -> str:
    """DATABASE_URL of a process that is to stand on this test's database."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def _text(stream: bytes | str) -> str:
    """What came until then is given as bytes, though text was asked for."""
    return stream.decode(errors="replace") if isinstance(stream, bytes) else stream
