from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu.exceptions import GPUError
from gpu.machine.ownership import FILE_NAME, UNCLAIMED, Ownership

# Holds the GPU until it is killed; the line says that it does.
HOLDER = """
import sys, time
from gpu.machine.ownership import Ownership
assert Ownership(sys.argv[1]).hold("run loop of :99")
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the GPU."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_one_holds_it_and_another_one_does_not_until_it_is_given_back(tmp_path: Path) -> None:
    """S3.1"""
    one, two = Ownership(tmp_path), Ownership(tmp_path)
    assert one.hold("one")
    assert (one.is_held, two.is_held, two.hold("two")) == (True, False, False)
    one.release()
    assert (one.is_held, two.hold("two"), one.hold("one")) == (False, True, False)
    two.release()


def test_everybody_can_see_who_holds_it_and_since_when(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    holder = Ownership(tmp_path).holder()
    assert holder is not None
    assert (holder.pid, holder.name) == (other.pid, "run loop of :99")
    assert f"run loop of :99 (pid {other.pid}, since {holder.since:%Y-%m-%d %H:%M} UTC)" == str(holder)


def test_an_owner_without_a_name_is_told_by_what_it_is(tmp_path: Path) -> None:
    unclaimed, nameless = Ownership(tmp_path / "one"), Ownership(tmp_path / "two")
    assert unclaimed.hold(UNCLAIMED)
    assert nameless.hold("")
    holders = [holder.told for one in (unclaimed, nameless) if (holder := one.holder())]
    unclaimed.release()
    nameless.release()
    assert [told.partition(" (")[0] for told in holders] == ["a process that needed it", "another process"]


def test_nobody_holds_it_before_and_after(tmp_path: Path) -> None:
    one = Ownership(tmp_path / "not" / "there")
    assert one.holder() is None
    assert one.hold("one")
    one.release()
    assert one.holder() is None


@pytest.mark.parametrize("deadly", [signal.SIGKILL, signal.SIGTERM])
def test_any_death_gives_it_back(tmp_path: Path, other: subprocess.Popen[str], deadly: signal.Signals) -> None:
    """S3.1: the kernel does it, no clock is involved; what the dead one wrote down says nothing any more."""
    mine = Ownership(tmp_path)
    assert not mine.hold("mine")
    os.kill(other.pid, deadly)
    other.wait(60)
    assert mine.holder() is None
    assert mine.hold("mine")
    holder = mine.holder()
    assert holder is not None
    assert (holder.pid, holder.name) == (os.getpid(), "mine")
    mine.release()


def test_a_process_that_was_stopped_keeps_it(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    """Nobody acts while it may wake up in the middle of what it did."""
    os.kill(other.pid, signal.SIGSTOP)
    assert not Ownership(tmp_path).hold("mine")
    assert Ownership(tmp_path).holder() is not None


def test_to_look_who_holds_it_never_keeps_anybody_from_taking_it(tmp_path: Path) -> None:
    looking = "import sys\nfrom gpu.machine.ownership import Ownership\nwhile True: Ownership(sys.argv[1]).holder()"
    mine = Ownership(tmp_path)
    assert mine.hold("mine")
    lookers = [subprocess.Popen([sys.executable, "-c", looking, tmp_path]) for _ in range(2)]
    try:
        ends = time.monotonic() + 0.3
        while time.monotonic() < ends:
            mine.release()
            assert mine.hold("mine")
    finally:
        for looker in lookers:
            looker.kill()
            looker.wait()
        mine.release()


@pytest.mark.skipif(sys.platform == "win32", reason="it has no shared locks")
def test_two_who_look_at_once_do_not_see_each_other(tmp_path: Path) -> None:
    import fcntl

    mine = Ownership(tmp_path)
    assert mine.hold("mine")
    mine.release()
    with (tmp_path / FILE_NAME).open() as another:
        fcntl.flock(another, fcntl.LOCK_SH)  # as one who looks does
        assert Ownership(tmp_path).holder() is None


@pytest.mark.parametrize("text", ["", "half {", "[]", "{}", '{"pid": 1, "name": "x", "since": 5}'])
def test_a_holder_whose_name_cannot_be_read_holds_it_all_the_same(tmp_path: Path, text: str) -> None:
    mine = Ownership(tmp_path)
    assert mine.hold("mine")
    (tmp_path / FILE_NAME).write_text(text)
    holder = Ownership(tmp_path).holder()
    assert holder is not None
    assert holder.name == "another process"
    mine.release()


def test_listeners_hear_of_it_when_it_is_taken_and_while_it_is_still_held(tmp_path: Path) -> None:
    mine, heard = Ownership(tmp_path), []
    mine.on_change(lambda holder: heard.append((holder and holder.name, mine.is_held)))
    assert mine.hold("mine")
    mine.hold("mine")
    mine.release()
    mine.release()
    assert heard == [("mine", True), (None, True)]


def test_a_listener_that_raises_keeps_nobody_from_the_gpu(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(holder: object) -> None:
        raise RuntimeError("broken")

    mine = Ownership(tmp_path)
    mine.on_change(broken)
    assert mine.hold("mine")
    mine.release()
    assert not mine.is_held
    assert Ownership(tmp_path).holder() is None
    assert caplog.text.count("RuntimeError: broken") == 2


def test_a_claim_is_seen_by_the_owner_and_ends_with_its_process(tmp_path: Path) -> None:
    """S3.1: an owner that has claimed nothing itself hands the GPU over then."""
    claims = "import sys\nfrom gpu.machine.ownership import Ownership\nwith Ownership(sys.argv[1]).claimed():\n"
    command = [sys.executable, "-c", f"{claims}    print('claimed', flush=True); sys.stdin.read()", tmp_path]
    mine = Ownership(tmp_path)
    assert mine.hold("mine")
    assert not mine.is_claimed()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "claimed\n"
        assert mine.is_claimed()
        with Ownership(tmp_path).claimed():  # another one
            assert mine.is_claimed()
        process.kill()
        process.wait(60)
    assert not mine.is_claimed()
    mine.release()


def test_a_claim_that_cannot_be_told_is_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("not a folder")
    with Ownership(tmp_path / "file").claimed():
        assert not Ownership(tmp_path / "file").is_claimed()
    assert "cannot be told" in caplog.text


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(GPUError, match="file/owner.lock cannot be written"):
        Ownership(tmp_path / "file").hold("mine")
    assert Ownership(tmp_path / "file").holder() is None


def test_who_may_not_look_does_not_say_that_nobody_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A web process of another user than the run loop's."""

    def forbidden(*args: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("gpu.kernel_lock.os.open", forbidden)
    assert Ownership(tmp_path).holder() is not None


def test_a_full_disk_costs_the_name_and_not_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*args: object) -> int:
        raise OSError(28, "No space left on device")

    mine = Ownership(tmp_path)
    with monkeypatch.context() as disk:
        disk.setattr("gpu.kernel_lock.os.write", full)
        assert mine.hold("mine")
    assert "No space left on device" in caplog.text
    assert not Ownership(tmp_path).hold("other")
    mine.release()


def test_a_process_started_by_the_holder_does_not_inherit_it(tmp_path: Path) -> None:
    mine = Ownership(tmp_path)
    assert mine.hold("mine")
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        mine.release()
        assert Ownership(tmp_path).hold("other")
    finally:
        child.kill()
        child.wait()
