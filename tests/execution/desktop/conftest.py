"""A display that the tests of a module share, and an editor on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from execution.desktop.x11 import X11Desktop
from tests.support.display import VirtualDesktop, missing_programs, virtual_desktop, wait_until


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    """Xvfb with openbox."""
    if missing := missing_programs():
        pytest.fail(f"display tests need {', '.join(missing)}: install them or leave out `-m display`")
    with virtual_desktop(1280, 800) as running:
        yield running


@pytest.fixture
def own_screen() -> Iterator[VirtualDesktop]:
    """An X server without anything, for tests that break it."""
    with virtual_desktop(640, 400, window_manager=False) as running:
        yield running


@pytest.fixture
def own_desktop(own_screen: VirtualDesktop) -> Iterator[X11Desktop]:
    opened = X11Desktop(own_screen.display)
    yield opened
    opened.close()


@pytest.fixture
def desktop(screen: VirtualDesktop) -> Iterator[X11Desktop]:
    opened = X11Desktop(screen.display)
    yield opened
    opened.release_all()
    opened.close()


@pytest.fixture
def editor(screen: VirtualDesktop, desktop: X11Desktop) -> Iterator[Callable[[], str]]:
    """Mousepad with the focus on an empty file; calling it saves the file from the editor and returns the text."""
    path = screen.folder / "été.txt"
    path.write_bytes(b"")
    process = screen.spawn(["mousepad", "--disable-server", str(path)])
    screen.wait_for_window(path.name)

    def saved() -> str:
        before = path.stat().st_mtime_ns
        desktop.press(["ctrl", "s"])
        wait_until(lambda: path.stat().st_mtime_ns != before, what="the saved file")
        return _settled_text(path)

    yield saved
    screen.end(process)


def _settled_text(path: Path) -> str:
    """The file's text without the newline that the editor ends a file with."""
    text = wait_until(lambda: path.read_bytes().decode() or None, what="text in the file")
    return text.removesuffix("\n")
