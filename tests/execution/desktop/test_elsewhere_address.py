"""Names of desktops elsewhere: what they say, what they never hold, and when two of them are one desktop."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from execution.desktop.base import DesktopBusy, DesktopUnavailable
from execution.desktop.elsewhere import session
from execution.desktop.elsewhere.address import KEYBOARDS, PORTS, is_elsewhere, parse
from execution.desktop.elsewhere.desktop import identity_of
from execution.desktop.local import open_desktop
from execution.desktop.lock import DesktopLock
from execution.types import Size
from workflows.secret import Login, Secret


def test_an_address_says_where_whose_and_with_which_keyboard() -> None:
    one = parse("rdp://er-desk@ER-12.example?layout=ch-fr&size=1280x800")
    assert (one.kind, one.host, one.port, one.credential) == ("rdp", "er-12.example", PORTS["rdp"], "er-desk")
    assert (one.keyboard, one.size) == (KEYBOARDS["ch-fr"], Size(1280, 800))
    assert one.name == "rdp://er-12.example:3389"
    assert parse("vnc://[::1]:5901").name == "vnc://[::1]:5901"
    assert [is_elsewhere(name) for name in ("vnc://a", "rdp://a", ":1", "", None, "scripted:vnc")] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "name",
    ["vnc://", "vnc://a:0", "vnc://a:99999", "vnc://a/b", "vnc://a?sise=1x1", "rdp://a?size=9999x100", "rdp://a#b",
     "rdp://a?size=wide", "vnc://-help", "vnc://a b", "vnc://[::1"],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_an_example(name: str) -> None:
    with pytest.raises(DesktopUnavailable, match="looks like vnc://"):
        parse(name)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(DesktopUnavailable, match="in the vault") as refused:
        parse("rdp://marie:hunter2@er-12")
    assert "hunter2" not in str(refused.value)
    with pytest.raises(DesktopUnavailable, match="“dvorak”.*us.*fr"):
        parse("vnc://er-12?layout=dvorak")


def test_two_names_of_one_machine_are_one_desktop_and_users_of_rdp_are_several(tmp_path: Path) -> None:
    """S9.4: two run loops on one desktop refuse each other, by whatever name."""
    here = [identity_of(parse(f"vnc://{host}:5901"), None) for host in ("localhost", "127.0.0.1", "127.0.0.2")]
    assert len({one.mark for one in here}) == 1
    other = identity_of(parse("vnc://localhost:5902"), None)
    with (
        DesktopLock(here[0], tmp_path),
        DesktopLock(other, tmp_path),
        pytest.raises(DesktopBusy, match="vnc://127.0.0.1:5901 is in use"),
    ):
        DesktopLock(here[1], tmp_path).acquire()
    at = parse("rdp://127.0.0.1")
    marks = {identity_of(at, Login(username=user, password=Secret("x"))).mark for user in ("marie", "MARIE", "paul")}
    assert len(marks) == 2


def test_it_is_held_before_it_is_connected_to(settings, tmp_path: Path) -> None:
    """S9.4: a second login would end the session of whoever works there."""
    settings.DATA_DIR = tmp_path
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = parse(f"vnc://127.0.0.1:{server.getsockname()[1]}")
        with DesktopLock(identity_of(address, None), tmp_path / "locks"), pytest.raises(DesktopBusy):
            open_desktop(address.name)
        with pytest.raises(TimeoutError):
            server.accept()


def test_nobody_answers_is_said_without_a_client(tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(session, "called", lambda *_, **__: pytest.fail("a client was started"))
    with socket.socket() as bound:  # bound, and nobody listens
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(DesktopUnavailable, match="cannot be reached"):
            open_desktop(f"vnc://127.0.0.1:{bound.getsockname()[1]}")
    with pytest.raises(DesktopUnavailable, match="no vault"):
        open_desktop("vnc://er-desk@127.0.0.1:1")


@pytest.mark.security
@pytest.mark.parametrize("name", ["vnc://er@host.example:5901?layout=fr", "rdp://er@host.example?layout=fr"])
def test_a_password_goes_by_a_pipe_alone(name: str) -> None:
    """S10.3: no list of processes shows it."""
    address, login = parse(name), Login(username="HOSP\\marie", password=Secret("hunter22"))
    with session.called(address, login, size=Size(1280, 800)) as call:
        assert "hunter22" not in " ".join(call.command)
        pipe = call.stdin if call.stdin >= 0 else call.pass_fds[0]
        said = os.read(pipe, 100)
        assert os.read(pipe, 100) == b""
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(pipe)
    if address.kind == "rdp":
        assert said == b"hunter22\n"
        assert {"/u:marie", "/d:HOSP", "/kbd:0x0000040C", "/cert:tofu", "/size:1280x800"} <= set(call.command)
    else:
        assert len(said) == 8
        assert f"-PasswordFile=/dev/fd/{pipe}" in call.command
