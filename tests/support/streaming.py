"""The web process and a writer as real processes, and browsers' ends of the stream over TCP, all on loopback."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import ClientConnection, connect

from tests.support.installations import put_run_at_work

ROOT = Path(__file__).resolve().parents[2]
START_S = 60.0


@dataclass
class Web:
    """The web process on its own data. The listening socket is ours: it can be started anew on the same port."""

    data: Path
    listener: socket.socket
    env: dict[str, str]
    session_key: str = ""
    execution_id: str = ""
    process: subprocess.Popen[bytes] | None = None

    @property
    def port(self) -> int:
        return self.listener.getsockname()[1]

    @property
    def log(self) -> Path:
        return self.data / "web.log"

    def start(self, *options: str) -> None:
        fd = self.listener.fileno()
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "daphne", "--fd", str(fd), "-v", "0", *options]
            command.append("rpa_site.asgi:application")
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.env, pass_fds=[fd], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(60)
            self.process = None

    def memory(self) -> float:
        """What the process holds, in MB."""
        assert self.process is not None
        return psutil.Process(self.process.pid).memory_info().rss / 1e6

    def worker(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.support.stream_worker", *arguments]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )

    def write(
        self, count: int, *, size: int = 2000, pause_ms: float = 0, pictures: bool = False
    ) -> subprocess.Popen[str]:
        """A process that writes that many events to the run; `answer_of` waits for it."""
        return self.worker("write", self.execution_id, str(count), str(size), str(pause_ms), str(int(pictures)))

    def watch(self, path: str, **options: Any) -> connect:
        """A browser's socket; an async context manager."""
        return connect(
            f"ws://127.0.0.1:{self.port}{path}",
            origin=f"http://127.0.0.1:{self.port}",
            additional_headers={"Cookie": f"sessionid={self.session_key}"},
            proxy=None,
            compression=None,
            max_size=None,
            open_timeout=START_S,
            **options,
        )

    def run_path(self, after: int | None = None) -> str:
        return f"/ws/executions/{self.execution_id}/" + ("" if after is None else f"?after={after}")


@contextmanager
def web(*, collected: bool = False) -> Iterator[Web]:
    """A web process with a run at work, on data of its own; everything ends with the block.

    `collected`: its static files are collected first, as `make run` and a deploy do.
    """
    with tempfile.TemporaryDirectory(prefix="surehand-stream-") as name, socket.create_server(("127.0.0.1", 0)) as port:
        data = Path(name) / "data"
        env = {**os.environ, "RPA_DATA_DIR": str(data), "RPA_ENV_FILE": os.devnull, "RPA_LOG_LEVEL": "WARNING"}
        env |= {"DJANGO_SETTINGS_MODULE": "rpa_site.settings", "PYTHONPATH": os.pathsep.join([str(ROOT)])}
        env["RPA_LEASE_S"] = "86400"  # the robot is a row alone: nobody beats for it
        env.pop("DATABASE_URL", None)
        server = Web(data=data, listener=port, env=env)
        server.session_key, server.execution_id = put_run_at_work(data)
        if collected:
            command = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"]
            subprocess.run(command, cwd=ROOT, env=env, check=True)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def answer_of(process: subprocess.Popen[str], timeout: float = 120) -> dict[str, Any]:
    """What a worker printed at its end; raises when it failed."""
    try:
        output, _ = process.communicate(timeout=timeout)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(60)
    if process.returncode:
        raise AssertionError(f"the worker ended with {process.returncode}")
    return json.loads(output)


@dataclass
class Follower:
    """A browser that follows a run: it acknowledges, and notes each event's number and how long it took to come."""

    cursor: int | None = None
    seqs: list[int] = field(default_factory=list)
    delays_ms: list[float] = field(default_factory=list)
    snapshots: int = 0
    frames: int = 0

    async def take(self, connection: ClientConnection) -> None:
        """One message."""
        message = json.loads(await connection.recv())
        now = time.time()
        match message["type"]:
            case "snapshot":
                self.snapshots += 1
                self.cursor = message["seq"]
                await connection.send(json.dumps({"type": "ack", "seq": self.cursor}))
            case "events":
                for event in message["events"]:
                    self.seqs.append(event["seq"])
                    self.delays_ms.append((now - event["payload"].get("sent", now)) * 1000)
                self.cursor = self.seqs[-1]
                await connection.send(json.dumps({"type": "ack", "seq": self.cursor}))
            case "frame":
                self.frames += 1
                await connection.send('{"type":"frame_ack"}')

    async def follow(self, connection: ClientConnection, until: int) -> None:
        while (self.cursor or 0) < until:
            await self.take(connection)

    @property
    def faults(self) -> int:
        """Numbers that are missing, doubled or out of order."""
        return sum(b != a + 1 for a, b in zip(self.seqs, self.seqs[1:], strict=False))


@asynccontextmanager
async def dead_client(web: Web, path: str) -> AsyncIterator[None]:
    """A client that shakes hands and then never reads: the smallest receive buffer, and nobody takes from it."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    try:
        await loop.sock_connect(connection, ("127.0.0.1", web.port))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{web.port}",
            f"Origin: http://127.0.0.1:{web.port}",
            f"Cookie: sessionid={web.session_key}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        )
        await loop.sock_sendall(connection, ("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = await loop.sock_recv(connection, 12)
        if answer != b"HTTP/1.1 101":
            raise AssertionError(f"no handshake: {answer!r}")
        yield
    finally:
        connection.close()
