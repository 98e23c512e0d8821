"""Run a command beside a Redis of its own, which ends with it: `python tools/redis_server.py make test`.

The server is the one of Debian's package `redis-server`. It keeps nothing, lies in a new folder that goes with it,
listens on a socket in that folder and on no port, and REDIS_URL names it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAM = "redis-server"
UP_WITHIN_S = 10.0
SETTINGS = {"port": "0", "save": "", "appendonly": "no", "daemonize": "no", "unixsocketperm": "700"}


@dataclass
class RedisServer:
    """It can be killed and started again in its place."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        return self.folder / "redis.sock"

    @property
    def url(self) -> str:
        """As REDIS_URL takes it."""
        return f"unix://{self.socket}"

    def start(self) -> None:
        """Returns once it answers; raises SystemExit where it does not."""
        self.socket.unlink(missing_ok=True)  # what one that was killed left
        told = [word for name, value in SETTINGS.items() for word in (f"--{name}", value)]
        with (self.folder / "log").open("ab") as log:
            command = [PROGRAM, "--unixsocket", str(self.socket), *told]
            self.process = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        late = time.monotonic() + UP_WITHIN_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > late:
                raise SystemExit(f"{PROGRAM} did not start:\n{(self.folder / 'log').read_text()}")
            time.sleep(0.02)

    def kill(self) -> None:
        """As kill -9 does."""
        self._end(signal.SIGKILL)

    def suspend(self) -> None:
        """It takes connections and answers none."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None:
            self._signal(number)
            self._signal(signal.SIGCONT)  # one that is suspended hears nothing but the strongest
            self.process.wait(UP_WITHIN_S)
            self.process = None

    def _signal(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(1)
            try:
                line.connect(str(self.socket))
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith(b"+PONG")
            except OSError:
                return False


@contextmanager
def server() -> Iterator[RedisServer]:
    if shutil.which(PROGRAM) is None:
        raise SystemExit(f"Redis is not installed here: apt-get install {PROGRAM}")
    folder = Path(tempfile.mkdtemp(prefix="surehand-redis-"))
    one = RedisServer(folder)
    try:
        one.start()
        yield one
    finally:
        one.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main(command: list[str]) -> int:
    if not command:
        raise SystemExit(__doc__)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with server() as one:
        return subprocess.run(command, env={**os.environ, "REDIS_URL": one.url}, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
