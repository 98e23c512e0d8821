"""A real X server: what is sent arrives, what is shown is seen, and what is gone is said to be gone."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from execution.desktop.base import Desktop, DesktopError, DesktopLost, DesktopUnavailable
from execution.desktop.x11 import X11Desktop
from execution.types import Box, Point
from tests.execution.desktop.events import catcher
from tests.support.display import VirtualDesktop, start_server, virtual_desktop, wait_until

pytestmark = pytest.mark.display

HOLDER = """
import sys, time
from Xlib import X, XK, xauth
from Xlib.display import Display
xauth.print = lambda *_: None
display = Display("unix/" + sys.argv[1])
for name in ("Control_L", "Shift_L"):
    display.xtest_fake_input(X.KeyPress, display.keysym_to_keycode(XK.string_to_keysym(name)))
display.xtest_fake_input(X.ButtonPress, 1)
display.sync()
print("held", flush=True)
time.sleep(600)
"""


def test_a_click_arrives_at_its_point_with_its_button_and_count(
    own_screen: VirtualDesktop, own_desktop: X11Desktop
) -> None:
    with catcher(own_screen) as events:
        own_desktop.click(Point(123, 45), button="right")
        own_desktop.click(Point(7, 8), count=2)
        seen = [tuple(event[:4]) for event in events.wait_for(6)]
    assert seen == [
        ("down", 3, 123, 45),
        ("up", 3, 123, 45),
        *[("down", 1, 7, 8), ("up", 1, 7, 8)] * 2,
    ]


@contextmanager
def held_there(screen: VirtualDesktop, *, button: bool) -> Iterator[None]:
    """Somebody else holds Ctrl and Shift, and a button where `button`."""
    script = HOLDER if button else HOLDER.replace("display.xtest_fake_input(X.ButtonPress, 1)", "")
    with subprocess.Popen([sys.executable, "-c", script, screen.display], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.kill()


ACTS: dict[str, Callable[[X11Desktop], object]] = {
    "click": lambda desktop: desktop.click(Point(20, 20)),
    "scroll": lambda desktop: desktop.scroll(Point(20, 20), dy=1),
    "drag": lambda desktop: desktop.drag(Point(20, 20), Point(60, 60)),
    "press": lambda desktop: desktop.press(["s"]),
}


@pytest.mark.parametrize("act", ACTS)
def test_no_act_is_done_with_a_modifier_that_somebody_holds(
    own_screen: VirtualDesktop, own_desktop: X11Desktop, act: str
) -> None:
    """A click with Ctrl adds to what is chosen, the wheel with Ctrl zooms."""
    with catcher(own_screen) as events, held_there(own_screen, button=False):
        ACTS[act](own_desktop)
        pressed = [event for event in events.acts(2) if "down" in event.kind]
    assert [event.state & 0xFF for event in pressed] == [0]


def test_nothing_is_clicked_while_somebody_holds_a_button(own_screen: VirtualDesktop, own_desktop: X11Desktop) -> None:
    with held_there(own_screen, button=True):
        with pytest.raises(DesktopError, match="held down by somebody"):
            own_desktop.click(Point(20, 20))
        own_desktop.release_all()


@pytest.mark.parametrize("act", ["click", "drag", "scroll"])
def test_a_mouse_for_the_left_hand_is_used_as_it_is_set(
    own_screen: VirtualDesktop, own_desktop: X11Desktop, act: str
) -> None:
    """Else every click is a right click."""
    display = own_desktop._connection.display
    before = list(display.get_pointer_mapping())
    display.set_pointer_mapping([3, 2, 1, 5, 4, *before[5:]])
    try:
        with catcher(own_screen) as events:
            ACTS[act](own_desktop)
            seen = events.wait_for(2)
    finally:
        display.set_pointer_mapping(before)
    assert [event.detail for event in seen] == [5 if act == "scroll" else 1] * 2


def test_a_button_that_the_mouse_lacks_is_said_and_nothing_is_pressed(
    own_screen: VirtualDesktop, own_desktop: X11Desktop
) -> None:
    display = own_desktop._connection.display
    before = list(display.get_pointer_mapping())
    display.set_pointer_mapping([1, 2, 0, *before[3:]])
    try:
        with pytest.raises(DesktopError, match="has no button 3"):
            own_desktop.click(Point(20, 20), button="right")
    finally:
        display.set_pointer_mapping(before)


def test_a_drag_moves_on_its_way_with_the_button_down(own_screen: VirtualDesktop, own_desktop: X11Desktop) -> None:
    with catcher(own_screen) as events:
        own_desktop.drag(Point(10, 20), Point(130, 80))
        events.wait_for(2)
        kinds = [event.kind for event in events.seen]
        down, up = kinds.index("down"), kinds.index("up")
        assert kinds[down + 1 : up].count("motion") > 5
        assert events.seen[down][2:4] == (10, 20)
        assert events.seen[up][2:4] == (130, 80)


def test_the_wheel_turns_down_and_right_for_positive_numbers(
    own_screen: VirtualDesktop, own_desktop: X11Desktop
) -> None:
    with catcher(own_screen) as events:
        own_desktop.scroll(Point(50, 50), dy=2)
        own_desktop.scroll(Point(50, 50), dx=-1)
        assert [event.detail for event in events.wait_for(6) if event.kind == "down"] == [5, 5, 6]


def test_a_chord_goes_down_in_order_and_up_in_reverse(own_screen: VirtualDesktop, own_desktop: X11Desktop) -> None:
    with catcher(own_screen) as events:
        own_desktop.press(["ctrl", "shift", "S"])
        seen = [(event.kind, events.keysym(event)) for event in events.wait_for(6)]
    control, shift, s = 0xFFE3, 0xFFE1, ord("s")
    assert seen == [
        *(("key down", key) for key in (control, shift, s)),
        *(("key up", key) for key in (s, shift, control)),
    ]


def test_window_gives_title_with_accents_program_and_the_box_with_its_frame_s2_7(
    screen: VirtualDesktop, desktop: X11Desktop, editor: Callable[[], str]
) -> None:
    shown = screen.wait_for_window("été.txt")
    window = desktop.window()
    assert window is not None
    assert "été.txt" in window.title
    assert window.app_name == "Mousepad"
    assert window.box is not None
    inner = Box(shown.x, shown.y, shown.width, shown.height)
    assert window.box.intersection(inner) == inner
    assert inner.y - window.box.y > 10, "the title bar belongs to the window"


def test_without_a_window_manager_no_window_is_known_s2_7(own_screen: VirtualDesktop, own_desktop: X11Desktop) -> None:
    assert own_desktop.window() is None


def test_release_all_lets_go_of_what_a_killed_process_held_s9_2(
    own_screen: VirtualDesktop, own_desktop: X11Desktop
) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, own_screen.display], env=own_screen.env, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.kill()
    holder.wait(60)
    holder.stdout.close()
    with catcher(own_screen) as events:
        display = events._display
        assert sum(display.query_keymap()) > 0, "the X server keeps them down"
        assert display.screen().root.query_pointer().mask & 0x0105 == 0x0105
        own_desktop.release_all()
        assert sum(display.query_keymap()) == 0
        assert display.screen().root.query_pointer().mask == 0


def _acts(desktop: Desktop) -> list[Callable[[], object]]:
    return [
        desktop.grab,
        desktop.window,
        desktop.identity,
        lambda: desktop.click(Point(1, 1)),
        lambda: desktop.drag(Point(1, 1), Point(2, 2)),
        lambda: desktop.scroll(Point(1, 1), dy=1),
        lambda: desktop.press(["a"]),
        lambda: desktop.type_text("é"),
        lambda: desktop.move(Point(1, 1)),
        desktop.release_all,
    ]


@pytest.mark.parametrize("act", [0, 1, 3, 7, 9])
def test_a_killed_server_is_lost_and_stays_lost(act: int) -> None:
    with virtual_desktop(320, 200, window_manager=False) as screen:
        desktop = X11Desktop(screen.display)
        desktop.grab()
        screen.kill_server()
        with pytest.raises(DesktopLost, match=screen.display):
            _acts(desktop)[act]()
        for later in _acts(desktop):
            with pytest.raises(DesktopLost):
                later()
        desktop.close()


def test_a_dead_capture_connection_is_closed_once_only(own_screen: VirtualDesktop, own_desktop: X11Desktop) -> None:
    """mss frees a dead connection and raises; freeing it again ends the whole process."""
    own_desktop.grab()
    own_screen.kill_server()
    own_desktop._close_screen()
    own_desktop._close_screen()


def test_a_server_lost_while_typing_is_lost_and_nothing_hangs(
    own_screen: VirtualDesktop, own_desktop: X11Desktop
) -> None:
    threading.Timer(0.15, own_screen.server.kill).start()
    with pytest.raises(DesktopLost):
        own_desktop.type_text("à bientôt " * 20_000)
    own_screen.server.wait(60)


def test_a_frozen_server_is_lost_after_the_stall_time(own_screen: VirtualDesktop) -> None:
    desktop = X11Desktop(own_screen.display, stall_s=0.4)
    os.kill(own_screen.server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(DesktopLost):
            desktop.grab()
        with pytest.raises(DesktopLost):
            desktop.release_all()
        with pytest.raises(DesktopUnavailable, match="does not answer"):
            X11Desktop(own_screen.display, stall_s=0.3)
        desktop.close()
    finally:
        os.kill(own_screen.server.pid, signal.SIGCONT)


def test_identity_is_shared_by_all_and_changes_with_the_server_s9_2(own_screen: VirtualDesktop) -> None:
    one, two = X11Desktop(own_screen.display), X11Desktop(own_screen.display)
    before = one.identity()
    assert two.identity() == before
    assert before.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert before.size == (640, 400)
    assert before.user
    one.close()
    two.close()
    own_screen.restart_server()
    again = X11Desktop(own_screen.display)
    assert again.name == before.name
    assert again.identity().session != before.session
    again.close()


def test_a_screen_that_changed_its_size_is_seen_whole(own_screen: VirtualDesktop, own_desktop: X11Desktop) -> None:
    """Multi-monitor (S5.5): the frame is the whole virtual screen, also after it has changed."""
    assert own_desktop.grab().size == (640, 400)
    with catcher(own_screen) as events:
        root = events._display.screen().root
        resources = root.xrandr_get_screen_resources()
        for crtc in resources.crtcs:  # a monitor keeps the screen from shrinking
            events._display.xrandr_set_crtc_config(crtc, resources.config_timestamp, 0, 0, 0, 1, [])
        root.xrandr_set_screen_size(480, 300, 120, 75)
        events._display.sync()
        wait_until(lambda: own_desktop.identity().size == (480, 300), what="the new size")
    assert own_desktop.grab().size == (480, 300)


def test_frames_can_be_taken_from_several_threads(own_screen: VirtualDesktop, own_desktop: X11Desktop) -> None:
    digests: list[str] = []
    threads = [
        threading.Thread(target=lambda: digests.extend(own_desktop.grab().digest for _ in range(20))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(digests) == 80
    assert len(set(digests)) == 1


def test_without_an_authority_file_it_connects_and_prints_nothing(
    own_screen: VirtualDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("XAUTHORITY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    X11Desktop(own_screen.display).close()
    empty = tmp_path / "empty"
    empty.touch()
    for authority in (empty, tmp_path / "missing", Path(os.devnull)):
        monkeypatch.setenv("XAUTHORITY", str(authority))
        with closing(X11Desktop(own_screen.display)) as desktop:
            desktop.grab()
    assert capfd.readouterr() == ("", "")


def test_a_wrong_authority_is_named(
    own_screen: VirtualDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    right, wrong, broken = tmp_path / "right", tmp_path / "wrong", tmp_path / "broken"
    broken.write_bytes(b"\x01\x00garbage")
    server, display = None, ""
    right.write_bytes(_authority("0", b"k" * 16))
    server, display = start_server(320, 200, folder=own_screen.folder, env=own_screen.env, extra=["-auth", str(right)])
    try:
        number = display.removeprefix(":")
        wrong.write_bytes(_authority(number, b"x" * 16))
        for authority in (wrong, broken):
            monkeypatch.setenv("XAUTHORITY", str(authority))
            with pytest.raises(DesktopUnavailable, match=f"XAUTHORITY.*{authority.name}|{authority.name}.*XAUTHORITY"):
                X11Desktop(display)
        right.write_bytes(_authority(number, b"k" * 16))
        monkeypatch.setenv("XAUTHORITY", str(right))
        desktop = X11Desktop(display)
        assert desktop.grab().size == (320, 200)
        desktop.close()
    finally:
        own_screen.end(server)


def _authority(number: str, cookie: bytes) -> bytes:
    """One entry of an X authority file for this machine."""
    import socket

    parts = [socket.gethostname().encode(), number.encode(), b"MIT-MAGIC-COOKIE-1", cookie]
    return struct.pack(">H", 256) + b"".join(struct.pack(">H", len(part)) + part for part in parts)


@pytest.mark.parametrize("act", ["type", "press"])
def test_modifiers_are_held_as_long_as_a_viewer_of_another_desktop_needs(own_screen: VirtualDesktop, act: str) -> None:
    """It asks for them a moment after the key: “McDonald” was saved as “mcdonald”."""
    with closing(X11Desktop(own_screen.display, modifier_hold_s=0.03)) as desktop, catcher(own_screen) as events:
        if act == "type":
            desktop.type_text("D")
        else:
            desktop.press(["ctrl", "s"])
        down, key, _, up = events.wait_for(4)
    assert key.time - down.time >= 29
    assert up.time - key.time >= 29
