"""Desktops elsewhere by a real client: what is typed arrives, and a cut is seen before and after every act."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from execution.desktop.base import DesktopError, DesktopLost, DesktopRefused
from execution.desktop.elsewhere import session
from execution.desktop.elsewhere.address import parse
from execution.desktop.elsewhere.desktop import DesktopElsewhere
from execution.desktop.elsewhere.unsent import left_behind
from execution.desktop.x11 import X11Desktop
from execution.types import Point
from tests.support.display import virtual_desktop, wait_until
from tests.support.elsewhere import Far, answers, far_editor, free_port, need
from workflows.secret import Login, Secret

pytestmark = [pytest.mark.display, pytest.mark.slow]

NASTY = "é è ç @ € à ù É œ ; : . / ? ! [ ] { } | ~ # qwerty AZERTY 0123\nMarie Lefèvre <marie@hôpital.example>\n"


@pytest.fixture(autouse=True, scope="module")
def installed() -> None:
    need("Xtigervnc", "tigervncpasswd")


def opened(far: Far, tmp_path: Path, *, options: str = "", login: Login | None = None) -> DesktopElsewhere:
    return DesktopElsewhere(parse(far.name + options), login, home=tmp_path / "home")


@pytest.fixture
def far(tmp_path: Path) -> Iterator[tuple[Far, Path, DesktopElsewhere]]:
    with far_editor() as (there, text), closing(opened(there, tmp_path)) as desktop:
        yield there, text, desktop


def saved(desktop: DesktopElsewhere, text: Path) -> str:
    before = text.stat().st_mtime_ns
    desktop.press(["ctrl", "s"])
    wait_until(lambda: text.stat().st_mtime_ns != before and text.stat().st_size, what="the saved file")
    return text.read_text()


@pytest.mark.parametrize(("there", "said"), [("us", "us"), ("fr", "us"), ("fr", "fr")])
def test_text_arrives_with_the_keyboards_of_both_sides(tmp_path: Path, there: str, said: str) -> None:
    with (
        far_editor(layout=there) as (far, text),
        closing(opened(far, tmp_path, options=f"?layout={said}")) as desktop,
    ):
        assert desktop.grab().size == desktop.identity().size == (1024, 700)
        assert desktop.window() is None
        desktop.type_text(NASTY)
        assert saved(desktop, text) == NASTY


def test_it_is_the_same_desktop_after_a_cut_and_not_before_it_is_connected_again(
    far: tuple[Far, Path, DesktopElsewhere], tmp_path: Path
) -> None:
    """S9.2: before an act nothing of it is done, and what is lost stays lost."""
    there, text, desktop = far
    was = desktop.identity()
    there.line.cut()
    wait_until(lambda: _is_lost(desktop.grab), what="the cut")
    for act in (lambda: desktop.type_text("twice"), lambda: desktop.click(Point(300, 300)), desktop.grab):
        assert _is_lost(act)
    with closing(opened(there, tmp_path)) as again:
        assert again.identity() == was
        again.type_text("once")
        assert saved(again, text) == "once"


def test_a_cut_while_text_is_typed_is_a_doubt(far: tuple[Far, Path, DesktopElsewhere]) -> None:
    """S9.2: it raises, and what has arrived is the beginning of the text."""
    there, _, desktop = far
    desktop.type_text("begun ")
    there.line.cut_after(600)
    with pytest.raises(DesktopLost, match="was cut"):
        desktop.type_text("0123456789 " * 200)
    assert there.line.cuts == 1


def test_what_waited_when_the_cable_was_pulled_never_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9.2: no connection is closed, the client lives, and nobody takes what it sends; it was meant for that screen."""
    with far_editor() as (there, text):
        there.line.take_little()
        desktop = opened(there, tmp_path)
        desktop.type_text("begun ")
        monkeypatch.setattr(session, "TAKEN_WITHIN_S", 1.0)
        there.line.holds = True
        with pytest.raises(DesktopLost, match="has not taken for 1 s"):
            desktop.type_text("0123456789 " * 200)
        assert _is_lost(desktop.grab)
        # It is gone with the client, and not only with this desktop.
        assert desktop._session._client.poll() is not None
        assert not left_behind("127.0.0.1", there.line.port)
        monkeypatch.undo()
        there.line.holds = False
        desktop.close()
        with closing(opened(there, tmp_path)) as again:
            arrived = saved(again, text)
            assert ("begun " + "0123456789 " * 200).startswith(arrived)
            assert len(arrived) < 1000  # what the line itself had taken


def test_a_window_of_the_clients_own_is_not_taken_for_the_desktop(far: tuple[Far, Path, DesktopElsewhere]) -> None:
    _, _, desktop = far
    display = desktop._session.display
    asked = subprocess.Popen(
        [sys.executable, "-c", "import tkinter; t = tkinter.Tk(); t.geometry('200x100'); t.mainloop()"], env=display.env
    )
    try:
        wait_until(lambda: _is_lost(desktop.grab), what="the other window")
        with pytest.raises(DesktopLost, match="something else"):
            desktop.click(Point(5, 5))
    finally:
        asked.kill()
        asked.wait(5)


@pytest.mark.security
def test_what_its_client_shows_is_seen_by_nobody_else(
    far: tuple[Far, Path, DesktopElsewhere], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S10.4: another account of this machine has not the display's key."""
    _, _, desktop = far
    display = desktop._session.display
    key = Path(display.env["XAUTHORITY"])
    assert key.stat().st_mode & 0o777 == 0o600
    without = {**display.env, "XAUTHORITY": os.devnull}
    looked = subprocess.run(["xdotool", "getmouselocation"], env=without, capture_output=True, timeout=10, check=False)
    assert looked.returncode != 0
    assert os.environ["XAUTHORITY"] == str(key)
    desktop.close()
    assert os.environ.get("XAUTHORITY") != str(key)
    assert not key.exists()


def test_the_display_of_its_client_repeats_no_key(far: tuple[Far, Path, DesktopElsewhere]) -> None:
    """A key whose release comes late would be written again and again over there."""
    _, _, desktop = far
    with desktop._session._connection.talking() as display:
        assert display.get_keyboard_control().global_auto_repeat == 0


@pytest.mark.security
def test_a_credential_of_the_vault_lets_in_and_a_wrong_one_is_said_once(tmp_path: Path) -> None:
    """S10.3: and no process of the machine shows it."""
    with far_editor(password="password") as (far, _):
        right = Login(username="", password=Secret("password"))
        with closing(opened(far, tmp_path, login=right)) as desktop:
            client = psutil.Process(desktop._session._client.pid)
            assert "password" not in " ".join([*client.cmdline(), *client.environ().values()])
        with pytest.raises(DesktopRefused, match="does not let us in"):
            opened(far, tmp_path, login=Login(username="", password=Secret("wrong")))


def test_a_killed_run_loop_leaves_no_client_behind(tmp_path: Path) -> None:
    """S9.2: the session of the other desktop is free for whoever comes next."""
    code = (
        "import django, sys, time; django.setup(); from pathlib import Path\n"
        "from execution.desktop.elsewhere.address import parse\n"
        "from execution.desktop.elsewhere.desktop import DesktopElsewhere\n"
        "d = DesktopElsewhere(parse(sys.argv[1]), None, home=Path(sys.argv[2]))\n"
        "print('held', flush=True); time.sleep(600)"
    )
    with far_editor() as (far, _):
        command = [sys.executable, "-c", code, far.name, str(tmp_path)]
        env = {**os.environ, "DJANGO_SETTINGS_MODULE": "rpa_site.settings", "RPA_DATA_DIR": str(tmp_path / "data")}
        holder = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        ours = psutil.Process(holder.pid).children(recursive=True)
        assert {one.name() for one in ours} == {"Xvfb", "xtigervncviewer"}
        holder.send_signal(signal.SIGKILL)
        holder.wait(60)
        holder.stdout.close()
        _, alive = psutil.wait_procs(ours, timeout=10)
        assert alive == []


@pytest.mark.parametrize(
    ("layout", "text"), [("us", "Bonjour @ ; { } | ~ # qwerty AZERTY\n"), ("fr", "Lefèvre é è ç @ € ù\n")]
)
def test_by_rdp_keys_mean_what_the_keyboard_over_there_says(tmp_path: Path, layout: str, text: str) -> None:
    """A character that is not on it is refused before anything is typed; a cut is seen as by VNC."""
    need("xfreerdp", "freerdp-shadow-cli")
    with virtual_desktop(1024, 700) as screen:
        screen.run(["setxkbmap", "-layout", layout])
        port, file = free_port(), screen.folder / "far.txt"
        file.touch()
        server = screen.spawn(["freerdp-shadow-cli", f"/port:{port}", "/bind-address:127.0.0.1", "-auth", "/sec:tls"])
        wait_until(lambda: answers(port), what="the RDP server")
        screen.spawn(["mousepad", "--disable-server", str(file)])
        screen.wait_for_window(file.name)
        login = Login(username="marie", password=Secret("hunter22"))
        with closing(
            DesktopElsewhere(parse(f"rdp://127.0.0.1:{port}?layout={layout}"), login, home=tmp_path / "home")
        ) as desktop:
            assert desktop.grab().size == (1024, 700)
            with pytest.raises(DesktopError, match="has no “日”"):
                desktop.type_text("nothing of it 日")
            desktop.type_text(text)
            assert saved(desktop, file) == text
            client = psutil.Process(desktop._session._client.pid)
            assert "hunter22" not in " ".join([*client.cmdline(), *client.environ().values()])
            screen.end(server)
            wait_until(lambda: _is_lost(desktop.grab), what="the cut")


def test_two_servers_that_number_their_extensions_otherwise_are_not_mixed_up(own_screen) -> None:
    """Whoever knows the window of a desktop elsewhere may ask it from the same process."""
    with (
        far_editor() as (there, text),
        closing(X11Desktop(own_screen.display)) as near,
        closing(X11Desktop(there.display)) as far,
    ):
        near.move(Point(7, 9))
        far.type_text("over there")
        assert saved(far, text) == "over there"
        near.move(Point(8, 9))
        with near._connection.talking() as display:
            assert display.screen().root.query_pointer().root_x == 8


def _is_lost(act: Callable[[], object]) -> bool:
    with suppress(DesktopLost):
        act()
        return False
    return True


def test_keys_that_a_keyboard_lacks_are_not_lent_where_only_keys_go(own_screen) -> None:
    """RDP sends keys: one with a borrowed meaning would be another character on the other side."""
    desktop = X11Desktop(own_screen.display, borrows_keys=False)
    with closing(desktop), pytest.raises(DesktopError, match="has no “é”"):
        desktop.type_text("abc é")
