"""What a client had sent when it was cut is sent no more: it was meant for the screen of then (S9.2)."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execution.desktop.base import DesktopLost, DesktopUnavailable
from execution.desktop.elsewhere import programs, session
from execution.desktop.elsewhere.address import parse
from execution.desktop.elsewhere.unsent import drop_at_its_end, is_sent_again, left_behind, unsent_bytes
from tests.support.display import wait_until

SENDS = """
import socket, sys, time
line = socket.create_connection((sys.argv[1], int(sys.argv[2])))
line.setblocking(False)
try:
    while True:
        line.send(b"." * 4096)
except BlockingIOError:
    time.sleep(60)
"""


@contextmanager
def stalled(tmp_path: Path, host: str = "127.0.0.1") -> Iterator[tuple[int, socket.socket, subprocess.Popen[bytes]]]:
    """A client whose other side takes nothing: the port, the other side, the client."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        server.bind((host, 0))
        server.listen()
        port = server.getsockname()[1]
        command = [sys.executable, "-c", SENDS, host, str(port)]
        client = programs.start(command, env=dict(os.environ), log=tmp_path / "client.log")
        try:
            server.settimeout(20)
            far, _ = server.accept()
            with far:
                wait_until(lambda: unsent_bytes(client.pid) > 4096, what="what nobody takes")
                yield port, far, client
        finally:
            programs.end(client)


def all_of(far: socket.socket) -> tuple[int, bool]:
    """How much arrives there until it is closed, and whether it was dropped."""
    far.settimeout(20)
    arrived = 0
    try:
        while data := far.recv(65536):
            arrived += len(data)
    except ConnectionResetError:
        return arrived, True
    return arrived, False


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_what_waits_goes_with_the_client(tmp_path: Path, host: str) -> None:
    with stalled(tmp_path, host) as (port, far, client):
        waiting = unsent_bytes(client.pid)
        drop_at_its_end(client.pid)
        assert unsent_bytes(client.pid) > waiting // 2  # and not before
        programs.end(client)
        assert not left_behind(host, port)
        arrived, dropped = all_of(far)
        assert dropped
        assert arrived < waiting


@pytest.mark.parametrize(
    ("host", "name"), [("127.0.0.1", "localhost"), ("::1", "::1"), ("::ffff:127.0.0.1", "127.0.0.1")]
)
def test_what_could_not_be_dropped_is_known_of_until_it_has_arrived(tmp_path: Path, host: str, name: str) -> None:
    with stalled(tmp_path, host) as (port, far, client):
        assert not left_behind(name, port)  # somebody holds it
        assert not is_sent_again(client.pid)  # the other side says that it has no room
        waiting = unsent_bytes(client.pid)
        programs.end(client)
        assert left_behind(name, port)
        assert not left_behind(name, port + 1)
        assert not left_behind("127.0.0.2", port)
        arrived, dropped = all_of(far)
        assert not dropped
        assert arrived >= waiting  # this is what must not come after a look
        wait_until(lambda: not left_behind(name, port), what="nothing left")


def test_a_session_lies_where_the_run_loop_may_write_and_a_killed_one_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under systemd the system's folder for temporary files is shut."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "shut"))
    ended = subprocess.Popen(["true"])
    ended.wait()
    home = tmp_path / "elsewhere"
    left, others = home / f"session-{ended.pid}-x", home / f"session-{os.getppid()}-x"
    for folder in (left, others, home / "freerdp"):
        folder.mkdir(parents=True)
    with session.own_folder(home) as mine:
        assert mine.parent == home
        assert (mine.stat().st_mode & 0o777, home.exists()) == (0o700, True)
        assert {path.name for path in home.iterdir()} == {mine.name, others.name, "freerdp"}
    assert not mine.exists()


def test_nobody_connects_while_something_could_still_arrive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And once it cannot, it is gone on: here nobody answers as a desktop would."""
    monkeypatch.setattr(session, "GIVEN_UP_WITHIN_S", 0.2)
    with stalled(tmp_path) as (port, far, client):
        programs.end(client)
        address = parse(f"vnc://localhost:{port}")
        with pytest.raises(DesktopUnavailable, match="could still arrive there"):
            session.Session(address, None, home=tmp_path / "home", stall_s=1)
        far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        all_of(far)
    with pytest.raises(DesktopUnavailable, match="cannot be reached"):
        session.Session(address, None, home=tmp_path / "home", stall_s=1)


def test_a_kernel_that_lets_nobody_drop_it_is_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The connection is held all the same: what is left behind is waited for when it is connected again."""
    one = session.Session.__new__(session.Session)
    one.address = parse("vnc://er-12")
    client = programs.start([sys.executable, "-c", ""], env=dict(os.environ), log=tmp_path / "client.log")
    client.wait(60)
    one._client = client
    with caplog.at_level(logging.WARNING):
        one._drop_at_its_end()
    assert "vnc://er-12:5900 has not taken cannot be dropped" in caplog.text


def test_a_line_on_which_things_are_sent_again_is_waited_for_and_then_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an act sent may have reached the line after the wait behind that act: no look goes by it."""
    one = session.Session.__new__(session.Session)
    one.address, one._lost = parse("vnc://er-12"), ""
    monkeypatch.setattr(session, "TAKEN_WITHIN_S", 0.3)
    again = iter([True, True, False])
    monkeypatch.setattr(session, "is_sent_again", lambda pid: next(again, True))
    monkeypatch.setattr(one, "_why_lost", lambda: "")
    with stalled(tmp_path) as (_, far, client):
        one._client = client
        drop_at_its_end(client.pid)
        one.check()
        assert client.poll() is None
        with pytest.raises(DesktopLost, match="has not taken"):
            one.check()
        assert client.poll() is not None
        assert all_of(far)[1]


# A network of its own, whose one cable is pulled and put in again.
CABLE = """
import os, socket, subprocess, sys, tempfile, time
from pathlib import Path
from execution.desktop.elsewhere import programs
from execution.desktop.elsewhere.unsent import drop_at_its_end, is_sent_again, left_behind, unsent_bytes

how = sys.argv[1]

def cable(state):
    subprocess.run(["ip", "link", "set", "lo", state], check=True)

def until(true):
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)

cable("up")
server = socket.create_server(("127.0.0.1", 0))
go, going = os.pipe()
client = '''
import os, socket, sys, time
line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
line.send(b"hello")
os.read(int(sys.argv[2]), 1)
line.send(b"CLICK 100,200")
time.sleep(60)
'''
log = Path(tempfile.mkdtemp()) / "log"
command = [sys.executable, "-c", client, str(server.getsockname()[1]), str(go)]
near = programs.start(command, env=dict(os.environ), log=log, pass_fds=[go])
far, _ = server.accept()
assert far.recv(100) == b"hello"
until(lambda: not unsent_bytes(near.pid))
if how == "dropped":
    drop_at_its_end(near.pid)
cable("down")
if how != "idle":
    os.write(going, b".")
    until(lambda: unsent_bytes(near.pid) == len(b"CLICK 100,200"))
    until(lambda: is_sent_again(near.pid))
if how == "back":
    cable("up")
    until(lambda: not is_sent_again(near.pid) and not unsent_bytes(near.pid))
programs.end(near)
print("left behind" if left_behind(*server.getsockname()) else "nothing left")
cable("up")
far.settimeout(6)
try:
    print("arrived", far.recv(100))
except OSError:
    print("nothing arrived")
"""


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("dropped", ["nothing left", "nothing arrived"]),
        # The fault itself: the click comes, on whatever is there by then.
        ("left", ["left behind", "arrived b'CLICK 100,200'"]),
        # The end of a connection, of which the other side does not hear either, does nothing there.
        ("idle", ["nothing left", "arrived b''"]),
        ("back", ["nothing left", "arrived b'CLICK 100,200'"]),
    ],
)
def test_a_click_that_waited_while_the_cable_was_pulled(how: str, told: list[str]) -> None:
    """S9.2: a cable that was pulled closes no connection, and the end of a client does not either."""
    alone = ["unshare", "--user", "--map-root-user", "--net"]
    may = shutil.which("ip") and shutil.which("unshare")
    if not may or subprocess.run([*alone, "true"], capture_output=True, timeout=20, check=False).returncode:
        pytest.skip("no network of our own can be made here")
    done = subprocess.run(
        [*alone, sys.executable, "-c", CABLE, how], capture_output=True, text=True, timeout=90, check=False
    )
    assert done.stdout.splitlines() == told, done.stderr
