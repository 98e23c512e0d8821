"""What the tests stand on: a program that hangs and a test that fails say so, what all share is made once, and a page
has its picture."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Error as PageProblem

from tests.support import installations
from tests.support.browser import shot
from tests.support.order import Together, longest_first
from tests.support.processes import finished
from tests.support.telling import ToldAtOnce


def test_a_program_that_does_not_end_tells_what_it_had_printed() -> None:
    with pytest.raises(AssertionError, match=r"did not end within 1 s[^\n]*\nhalf way\n+out of paper"):
        finished(["sh", "-c", "echo half way; echo out of paper >&2; exec sleep 60"], timeout=1)


def test_a_program_that_ends_is_told_with_its_exit_code() -> None:
    done = finished(["sh", "-c", "echo done; exit 3"], timeout=60)
    assert (done.returncode, done.stdout) == (3, "done\n")


class Terminal:
    def __init__(self) -> None:
        self.text = StringIO()

    def ensure_newline(self) -> None:
        self.text.write("\n")

    def get_plugin(self, name: str) -> Terminal:
        return self

    def write_line(self, line: str, **markup: Any) -> None:
        self.text.write(line + "\n")


def report(outcome: Any, told: str, when: Any = "call") -> pytest.TestReport:
    place = ("tests/test_a.py", 1, "test_a")
    return pytest.TestReport("tests/test_a.py::test_a", place, {}, outcome, told, when)


def test_a_failure_is_told_when_it_happens() -> None:
    terminal = Terminal()
    at_once = ToldAtOnce(terminal)  # type: ignore[arg-type]
    at_once.pytest_runtest_logreport(report("passed", ""))
    assert terminal.text.getvalue() == ""
    at_once.pytest_runtest_logreport(report("failed", "assert 1 == 2\n  and more", "setup"))
    assert terminal.text.getvalue() == "\nFAILED tests/test_a.py::test_a (setup): assert 1 == 2 · and more\n"


def test_what_all_share_is_made_once_and_anew_where_it_was_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installations, "_shared", lambda: tmp_path)
    made: list[int] = []

    def make(folder: Path) -> None:
        made.append(len(made))
        (folder / "half").touch()
        if len(made) == 1:
            raise OSError("the disk is full")
        (folder / "half").rename(folder / "whole")

    with pytest.raises(OSError, match="full"):
        installations._made("it", make)
    with ThreadPoolExecutor(2) as both:
        folders = list(both.map(lambda _: installations._made("it", make), range(2)))
    assert made == [0, 1]
    assert [sorted(path.name for path in folder.iterdir()) for folder in folders] == [["whole"], ["whole"]]


def test_what_loads_torch_is_done_by_one_worker_and_all_else_by_file() -> None:
    split = Together.__new__(Together)._split_scope
    assert split("tests/gpu/test_clip.py::test_a[cpu]") == split("tests/gpu/test_clip_tower.py::test_b") == "PyTorch"
    assert split("tests/gpu/test_vram.py::test_a[x::y]") == "tests/gpu/test_vram.py"


def test_the_files_that_take_longest_come_first() -> None:
    def item(path: str, *marks: str) -> Any:
        return SimpleNamespace(path=Path(path), iter_markers=lambda: [SimpleNamespace(name=mark) for mark in marks])

    quick = [item("tests/b.py"), item("tests/b.py")]
    slow, shown, whole = item("tests/c.py", "slow"), item("tests/d.py", "browser"), item("tests/e2e/e.py")
    assert longest_first([item("tests/a.py"), *quick, slow, shown, whole])[:5] == [whole, shown, slow, *quick]


class Page:
    """Refuses its picture as often as it has reasons to."""

    def __init__(self, *reasons: str) -> None:
        self.reasons = list(reasons)

    def screenshot(self, **how: Any) -> bytes:
        if self.reasons:
            raise PageProblem(self.reasons.pop(0))
        return b"PNG" + how["caret"].encode()


def test_a_picture_that_chromium_refuses_is_asked_for_again_and_nothing_else_is() -> None:
    refused = "Page.screenshot: Protocol error (Page.captureScreenshot): Unable to capture screenshot"
    assert shot(Page(refused, refused), caret="initial") == b"PNGinitial"
    with pytest.raises(PageProblem, match="closed"):
        shot(Page(refused, "Target page, context or browser has been closed"), caret="initial")
