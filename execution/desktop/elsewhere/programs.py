"""Programs that live as long as the desktop they serve: ended with it, and by the kernel where our process dies."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from execution.desktop.base import DesktopUnavailable
from sentences.said import say

GRACE_S = 5.0
# The kernel ends them when the thread that started them is gone, however it went: a client that outlives its run loop
# would hold the session of a desktop that nobody watches.
WITH_US = ("setpriv", "--pdeathsig", "TERM", "--")


def start(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    log: Path,
    pass_fds: Sequence[int] = (),
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Raises DesktopUnavailable, which names the program, where it is not installed."""
    for program in (WITH_US[0], command[0]):
        if shutil.which(program) is None:
            raise DesktopUnavailable(say("desktop.elsewhere_no_program", program=program))
    with log.open("ab") as output:
        return subprocess.Popen(
            [*WITH_US, *command],
            env=dict(env),
            pass_fds=tuple(pass_fds),
            stdin=stdin,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(GRACE_S)
