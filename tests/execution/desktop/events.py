"""A window over the whole screen that notes what the X server delivers to it: the truth about input that was sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.support.display import VirtualDesktop, wait_until


class Seen(NamedTuple):
    kind: str
    detail: int
    x: int = 0
    y: int = 0
    state: int = 0
    time: int = 0  # milliseconds of the X server


class Catcher:
    def __init__(self, display: Any) -> None:
        self._display = display
        self.seen: list[Seen] = []

    def wait_for(self, count: int) -> list[Seen]:
        """The first `count` events, motions left out, once they have come."""
        wait_until(lambda: len(self.collect()) >= count, what=f"{count} events, got {self.seen}")
        return self.collect()

    def collect(self) -> list[Seen]:
        from Xlib import X

        kinds = {X.KeyPress: "key down", X.KeyRelease: "key up", X.ButtonPress: "down", X.ButtonRelease: "up"}
        kinds[X.MotionNotify] = "motion"
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type in kinds:
                self.seen.append(
                    Seen(kinds[event.type], event.detail, event.root_x, event.root_y, event.state, event.time)
                )
        return [seen for seen in self.seen if seen.kind != "motion"]

    def acts(self, count: int) -> list[Seen]:
        """The first `count` presses and releases of buttons and of keys that are no modifiers."""
        modifiers = {code for row in self._display.get_modifier_mapping() for code in row if code}

        def told() -> list[Seen]:
            return [seen for seen in self.collect() if not (seen.kind.startswith("key") and seen.detail in modifiers)]

        wait_until(lambda: len(told()) >= count, what=f"{count} acts, got {self.seen}")
        return told()

    def keysym(self, seen: Seen) -> int:
        return int(self._display.keycode_to_keysym(seen.detail, 0))


@contextmanager
def catcher(screen: VirtualDesktop) -> Iterator[Catcher]:
    from Xlib import X, xauth
    from Xlib.display import Display

    xauth.print = lambda *_: None
    display = Display(f"unix/{screen.display}")
    root = display.screen().root
    mask = X.KeyPressMask | X.KeyReleaseMask | X.ButtonPressMask | X.ButtonReleaseMask | X.PointerMotionMask
    window = root.create_window(
        0, 0, screen.width, screen.height, 0, display.screen().root_depth, event_mask=mask, override_redirect=True
    )
    window.map()
    window.set_input_focus(X.RevertToParent, X.CurrentTime)
    display.sync()
    caught = Catcher(display)
    caught.collect()
    caught.seen.clear()
    try:
        yield caught
    finally:
        display.close()
