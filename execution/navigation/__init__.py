"""Being in the right place: comparing words, verifying, and the actions `navigate` and `visual_login` (S5)."""

from __future__ import annotations

from typing import Any

__all__ = ["handle_navigate_action", "handle_visual_login_action"]


def __getattr__(name: str) -> Any:
    """The handlers, imported when they are asked for: `words` and its like are used from everywhere below them."""
    if name == "handle_navigate_action":
        from execution.navigation.navigate import handle_navigate_action

        return handle_navigate_action
    if name == "handle_visual_login_action":
        from execution.navigation.visual_login import handle_visual_login_action

        return handle_visual_login_action
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
