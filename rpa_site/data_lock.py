"""Who is at work on the data: kernel locks in `locks/`, given back by any death of their holder.

A run loop holds its desktop's file (execution.desktop.lock), every web process and every worker share `web.lock`. Who
replaces the data takes all of them, and keeps them while it does.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext as _

from gpu.kernel_lock import KernelLock, lock_file, open_file
from rpa_site.staging import remove_abandoned

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
    try:
        file = open_file(data / FOLDER / WEB)
    except OSError as error:
        log.warning("the data directory takes no lock: %s", error)
        return None
    if not lock_file(file, shared=True):
        os.close(file)
        raise ImproperlyConfigured("The data is being restored. Start again when `manage.py restore` is done.")
    remove_abandoned(data, data=data)
    return file


@contextmanager
def alone(data: Path) -> Iterator[None]:
    """Nobody else works on the data inside the block; raises DataInUse when somebody does."""
    with ExitStack() as stack:
        if sys.platform != "win32":
            for path in sorted({data / FOLDER / WEB, *(data / FOLDER).glob("*.lock")}):
                file = open_file(path)
                stack.callback(os.close, file)
                if not lock_file(file):
                    raise DataInUse(_web_process() if path.name == WEB else _run_loop(path))
        yield


def _web_process() -> str:
    return _(
        "A web process or a worker is running on this data. Stop it (`systemctl stop surehand.target`, or "
        "Ctrl-C where `make run` runs), then run this again."
    )


def _run_loop(path: Path) -> str:
    who, holder = _("A run loop"), KernelLock(path).holder()
    if holder is not None and holder.pid:  # else it has not written its name yet
        about = {"name": holder.name, "pid": holder.pid, "since": f"{holder.since:%Y-%m-%d %H:%M} UTC"}
        who = _("A run loop (%(name)s, pid %(pid)s, since %(since)s)") % about
    return _("%(who)s is working on this data. Stop it (`systemctl stop surehand.target`), then run this again.") % {
        "who": who
    }
