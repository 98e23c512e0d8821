"""Fields of a tool kit whose text cursor is as high as the field (S2.9): its own program is the truth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from execution.desktop.x11 import X11Desktop
from execution.perception.elements import FrameDetector
from execution.types import Box, Element, ElementRole, ElementState, TextLine
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until

pytestmark = pytest.mark.display

FORM = """
import tkinter
root = tkinter.Tk()
root.title("Form")
root.geometry("500x200+100+100")
for row, text in enumerate(("", "0612345678", "Main road 7")):
    tkinter.Label(root, text=("Remark", "Phone", "Street")[row]).grid(row=row, column=0, padx=8, pady=8)
    entry = tkinter.Entry(root, width=30)
    entry.insert(0, text)
    entry.grid(row=row, column=1)
    if row == 1:
        entry.focus_set()
root.mainloop()
"""


@pytest.fixture
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(800, 600) as one:
        one.spawn(["/usr/bin/python3", "-c", FORM])  # the system's own: it is the one that python3-tk belongs to
        one.wait_for_window("Form")
        yield one


def fields(pixels: object) -> list[Element]:
    """The fields, told without a reader."""
    written = (
        TextLine(text="0612345678", box=Box(182, 168, 90, 14)),
        TextLine(text="Phone", box=Box(115, 170, 45, 14)),
    )
    return [e for e in FrameDetector().detect(pixels, written) if e.role is ElementRole.FIELD]


def test_the_field_that_is_typed_into_is_not_told_disabled_whether_its_cursor_shows_or_not(
    screen: VirtualDesktop,
) -> None:
    desktop = X11Desktop(screen.display)
    seen: dict[str, list[Element]] = {}

    def blinked() -> bool:
        frame = desktop.grab()
        if frame.digest not in seen and len(found := fields(frame.pixels)) >= 2:
            seen[frame.digest] = found
        return len(seen) >= 2

    wait_until(blinked, what="the cursor to come and to go")
    desktop.close()
    assert [e.box for found in seen.values() for e in found if ElementState.DISABLED in e.states] == []
