"""The focused window as the window manager tells it (EWMH)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from execution.types import Box, Window

if TYPE_CHECKING:
    from execution.desktop.x11_connection import XConnection


def active_window(connection: XConnection) -> Window | None:
    """Title, program and box (frame included) of the active window; None without one or without a window manager."""
    from Xlib import error

    with connection.talking() as display:
        try:
            active = connection.property_of(connection.root, "_NET_ACTIVE_WINDOW")
            if active is None or not len(active) or not active[0]:
                return None
            window = display.create_resource_object("window", active[0])
            return Window(title=_title(connection, window), app_name=_app_name(window), box=_box(connection, window))
        except (error.BadWindow, error.BadDrawable):
            return None  # it closed between two questions


def _title(connection: XConnection, window: Any) -> str:
    for name in ("_NET_WM_VISIBLE_NAME", "_NET_WM_NAME"):
        title = connection.property_of(window, name)
        if title:
            return bytes(title).decode("utf-8", "replace")
    old = connection.property_of(window, "WM_NAME")
    return bytes(old).decode("latin-1") if old else ""


def _app_name(window: Any) -> str:
    wm_class = window.get_wm_class()
    return (wm_class[1] or wm_class[0]) if wm_class else ""


def _box(connection: XConnection, window: Any) -> Box:
    geometry = window.get_geometry()
    corner = connection.root.translate_coords(window, 0, 0)
    left, right, top, bottom = _extents(connection, window, "_NET_FRAME_EXTENTS")
    # Programs that draw their own frame draw its shadow inside their window.
    shadow_left, shadow_right, shadow_top, shadow_bottom = _extents(connection, window, "_GTK_FRAME_EXTENTS")
    return Box(
        corner.x - left + shadow_left,
        corner.y - top + shadow_top,
        geometry.width + left + right - shadow_left - shadow_right,
        geometry.height + top + bottom - shadow_top - shadow_bottom,
    )


def _extents(connection: XConnection, window: Any, name: str) -> tuple[int, int, int, int]:
    value = connection.property_of(window, name)
    if value is None or len(value) < 4:
        return 0, 0, 0, 0
    return int(value[0]), int(value[1]), int(value[2]), int(value[3])
