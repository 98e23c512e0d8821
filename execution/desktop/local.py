"""Opening the desktop of a name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from django.conf import settings

from execution.desktop.base import Desktop, DesktopUnavailable
from sentences.said import say

DEMO = "execution.desktop.demo_screens.patient_desktop"


def open_desktop(name: str | None = None) -> Desktop:
    """The desktop of this machine, or the one named.

    ":99" is an X display, "recorded:FOLDER" plays a folder of pictures, "scripted:dotted.path" calls a function that
    makes a desktop out of drawn screens ("scripted:demo": the patient record that comes with the product).
    """
    kind, _, rest = (name or "").partition(":")
    if kind == "recorded":
        from execution.desktop.recorded import RecordedDesktop

        return RecordedDesktop(rest)
    if kind == "scripted":
        return _scripted(DEMO if rest == "demo" else rest)
    if sys.platform in ("win32", "darwin"):
        from execution.desktop.native import NativeDesktop

        return NativeDesktop(name)
    from execution.desktop.x11 import X11Desktop

    return X11Desktop(name, stall_s=settings.RPA_DISPLAY_WAIT_S)


def _scripted(path: str) -> Desktop:
    module_name, _, function = path.rpartition(".")
    try:
        make: Callable[[], Desktop] = getattr(importlib.import_module(module_name), function)
    except (ImportError, AttributeError, ValueError) as problem:
        raise DesktopUnavailable(say("desktop.no_script", path=path, example=DEMO)) from problem
    return make()
