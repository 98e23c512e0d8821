"""What a deployment that knows the window of its desktop elsewhere lists in RPA_WINDOW_PROVIDERS."""

from __future__ import annotations

import os
from typing import Any

from execution.desktop.x11 import X11Desktop


def active() -> dict[str, Any] | None:
    """The window that has the focus on the display FAR_DISPLAY, which another machine would tell by its own means."""
    desktop = X11Desktop(os.environ["FAR_DISPLAY"])
    try:
        window = desktop.window()
    finally:
        desktop.close()
    return {"title": window.title, "app_name": window.app_name} if window else None
