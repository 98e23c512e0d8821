"""Opening the desktop of a name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from django.conf import settings

from execution.desktop.base import Desktop, DesktopUnavailable
from execution.desktop.elsewhere.address import Address, is_elsewhere, parse
from execution.desktop.lock import DesktopLock
from sentences.said import say
from workflows.secret import Login


def open_desktop(name: str | None = None, *, login: Callable[[Address], Login] | None = None) -> Desktop:
    """The desktop of this machine, or the one named.

    ":99" is an X display, "recorded:FOLDER" plays a folder of pictures, "scripted:dotted.path" calls a function that
    makes a desktop of its own.
    "vnc://host:5901" and "rdp://host" are desktops of other machines; `login` opens the credential that they name.
    """
    if is_elsewhere(name):
        return _elsewhere(parse(name or ""), login)
    kind, _, rest = (name or "").partition(":")
    if kind == "recorded":
        from execution.desktop.recorded import RecordedDesktop

        return RecordedDesktop(rest)
    if kind == "scripted":
        return _scripted(rest)
    if sys.platform in ("win32", "darwin"):
        from execution.desktop.native import NativeDesktop

        return NativeDesktop(name)
    from execution.desktop.x11 import X11Desktop

    hold_s = settings.RPA_MODIFIER_HOLD_MS / 1000
    return X11Desktop(name, stall_s=settings.RPA_DISPLAY_WAIT_S, modifier_hold_s=hold_s)


def _scripted(path: str) -> Desktop:
    module_name, _, function = path.rpartition(".")
    try:
        make: Callable[[], Desktop] = getattr(importlib.import_module(module_name), function)
    except (ImportError, AttributeError, ValueError) as problem:
        raise DesktopUnavailable(say("desktop.no_script", path=path, example="package.module.function")) from problem
    return make()


def _elsewhere(address: Address, login: Callable[[Address], Login] | None) -> Desktop:
    from execution.desktop.elsewhere.desktop import DesktopElsewhere, identity_of

    if address.credential and login is None:
        raise DesktopUnavailable(say("desktop.elsewhere_no_vault", name=address.name))
    known = login(address) if login is not None and address.credential else None
    home = settings.DATA_DIR / "elsewhere"
    # Before it is connected to: a second login of the same user would end the session of whoever is there.
    with DesktopLock(identity_of(address, known), settings.DATA_DIR / "locks"):
        return DesktopElsewhere(address, known, home=home, stall_s=settings.RPA_DISPLAY_WAIT_S)
