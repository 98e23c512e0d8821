"""One actor per desktop (S9.2): the kernel's lock, given back by any death."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execution.desktop.base import DesktopBusy, DesktopIdentity
from execution.desktop.lock import DesktopLock
from execution.types import Size

HOLD = """
import sys, time
from execution.desktop.lock import DesktopLock
with DesktopLock(sys.argv[1], sys.argv[2], holder="robot-7"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_the_second_is_refused_and_told_who_holds_it_s9_2(tmp_path: Path) -> None:
    with DesktopLock(":7", tmp_path, holder="robot-1") as lock:
        assert lock.held
        with pytest.raises(DesktopBusy, match=rf":7 is in use by robot-1 \(pid {os.getpid()}, since 20"):
            DesktopLock(":7", tmp_path).acquire()
    assert not lock.held
    with DesktopLock(":7", tmp_path):
        pass


def test_other_desktops_are_free(tmp_path: Path) -> None:
    with DesktopLock(":7", tmp_path) as one, DesktopLock(":70", tmp_path) as two:
        assert one.path != two.path


def test_a_killed_holder_gives_it_back_s9_2(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, ":7", str(tmp_path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(DesktopBusy, match=rf"robot-7 \(pid {holder.pid}"):
        DesktopLock(":7", tmp_path).acquire()
    holder.kill()
    holder.wait(60)
    holder.stdout.close()
    with DesktopLock(":7", tmp_path) as lock:
        assert lock.held


def test_a_holder_that_has_not_written_its_name_yet_is_another_program(tmp_path: Path) -> None:
    with DesktopLock(":7", tmp_path) as lock:
        lock.path.write_text("")
        with pytest.raises(DesktopBusy, match="another program"):
            DesktopLock(":7", tmp_path).acquire()


def test_it_is_given_back_when_the_work_raises(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), DesktopLock(":7", tmp_path):
        raise ZeroDivisionError
    with DesktopLock(":7", tmp_path):
        pass


def identity(name: str, mark: str) -> DesktopIdentity:
    return DesktopIdentity(name=name, host="robot", boot_id="b", session="s", user="u", size=Size(1, 1), mark=mark)


def test_the_key_is_the_desktop_and_not_its_name_s9_2(tmp_path: Path) -> None:
    one = DesktopLock(identity(":7", "X server a"), tmp_path)
    same = DesktopLock(identity("far:7", "X server a"), tmp_path)
    restarted = DesktopLock(identity(":7", "X server b"), tmp_path)
    assert one.path == same.path
    assert one.path != restarted.path


def test_a_desktop_without_a_mark_is_known_by_its_name(tmp_path: Path) -> None:
    with DesktopLock(identity("recorded:x", ""), tmp_path), pytest.raises(DesktopBusy, match="recorded:x is in use"):
        DesktopLock("recorded:x", tmp_path).acquire()


def test_taking_it_twice_by_the_same_lock_is_refused_and_giving_it_back_twice_is_harmless(tmp_path: Path) -> None:
    lock = DesktopLock(":7", tmp_path).acquire()
    with pytest.raises(DesktopBusy, match="this very lock"):
        lock.acquire()
    lock.release()
    lock.release()
