"""Who is at work on the data: kernel locks in `locks/`, given back by any death of their holder.

A run loop holds its desktop's file (execution.desktop.lock), every web process shares `web.lock`. Who replaces the data
takes all of them, and keeps them while it does.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext as _

log = logging.getLogger(__name__)

FOLDER = "locks"
WEB = "web.lock"


class DataInUse(Exception):
    """Names the process that holds the data, and says how to stop it."""


def share(data: Path) -> int | None:
    """Say that this process serves the data, until it ends; raises ImproperlyConfigured while it is being replaced.

    Gives the open file; None where the system has no such locks, or the folder takes no files.
    """
    if sys.platform == "win32":  # files that are open cannot be replaced there: the system itself refuses
        return None
    import fcntl

    try:
        (data / FOLDER).mkdir(parents=True, exist_ok=True)
        file = os.open(data / FOLDER / WEB, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        log.warning("the data directory takes no lock: %s", error)
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise ImproperlyConfigured(
            "The data is being restored. Start again when `manage.py restore` is done."
        ) from None
    return file


@contextmanager
def alone(data: Path) -> Iterator[None]:
    """Nobody else works on the data inside the block; raises DataInUse when somebody does."""
    with ExitStack() as stack:
        if sys.platform != "win32":
            (data / FOLDER).mkdir(parents=True, exist_ok=True)
            for path in sorted({data / FOLDER / WEB, *(data / FOLDER).glob("*.lock")}):
                file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
                stack.callback(os.close, file)
                _take(file, path)
        yield


def _take(file: int, path: Path) -> None:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataInUse(_web_process() if path.name == WEB else _run_loop(path)) from None


def _web_process() -> str:
    return _(
        "A web process is running on this data. Stop it (`systemctl stop surehand-web`, or Ctrl-C where `make run` "
        "runs), then run this again."
    )


def _run_loop(path: Path) -> str:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        who = _("A run loop (%(name)s, pid %(pid)s, since %(since)s)") % about
    except (OSError, ValueError, KeyError, TypeError):  # it may not have written its name yet
        who = _("A run loop")
    return _("%(who)s is working on this data. Stop it (`systemctl stop surehand-runloop`), then run this again.") % {
        "who": who
    }
