"""A run loop that is killed in the middle of an act, by kill -9.

python -m tests.support.crashing_runloop :7      half of a text is typed, Ctrl is down
python -m tests.support.crashing_runloop :7 3    right after its third click, before its result is kept
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    if len(sys.argv) > 2:
        die_after_clicks(int(sys.argv[2]))
    else:
        die_while_typing()
    from django.core.management import call_command

    call_command("runloop", desktop=sys.argv[1])


def die_while_typing() -> None:
    from Xlib import XK, X
    from Xlib.display import Display
    from Xlib.ext import xtest

    from execution.desktop.x11 import X11Desktop

    whole = X11Desktop.type_text

    def half(self: X11Desktop, text: str) -> None:
        whole(self, text[: len(text) // 2])
        display = Display(self.name)
        xtest.fake_input(display, X.KeyPress, display.keysym_to_keycode(XK.XK_Control_L))
        display.sync()
        os.kill(os.getpid(), signal.SIGKILL)

    X11Desktop.type_text = half  # type: ignore[method-assign]


def die_after_clicks(most: int) -> None:
    from execution.desktop.x11 import X11Desktop

    whole, clicks = X11Desktop.click, list[int]()

    def last(self: X11Desktop, *args: Any, **kwargs: Any) -> None:
        whole(self, *args, **kwargs)
        clicks.append(1)
        if len(clicks) == most:
            os.kill(os.getpid(), signal.SIGKILL)

    X11Desktop.click = last  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
