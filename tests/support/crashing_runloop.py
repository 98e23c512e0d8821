"""A run loop that is killed in the middle of typing: half the text is typed, Ctrl is down, then kill -9.

python -m tests.support.crashing_runloop :7
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
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
    from django.core.management import call_command

    call_command("runloop", desktop=sys.argv[1])


if __name__ == "__main__":
    main()
