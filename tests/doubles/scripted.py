"""A desktop that exists only on paper: screens drawn at run time that answer to clicks, keys and text.

It can do on order what real desktops do at the worst moment: answer late, blink, be slow, and go away before or
after an input arrived.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from execution.desktop.acts import Act, NotingHands
from execution.desktop.base import DesktopError, DesktopIdentity, DesktopLost
from execution.types import Box, Frame, Size, Window, pixels_digest
from tests.doubles.widgets import (
    Banner,
    Button,
    Effect,
    Field,
    Goto,
    Known,
    ScriptedScreen,
    TableRow,
    TextLabel,
    View,
    draw,
    hit,
)

__all__ = ["Banner", "Button", "Field", "Goto", "ScriptedDesktop", "ScriptedScreen", "TableRow", "TextLabel"]


class ScriptedDesktop(NotingHands):
    """The first screen is shown first; `log` is every physical act, `memory` what the fields and screens remember.

    `effect_delay`: an effect is seen only after that many more grabs. `caret_blinks`: every that many grabs (0: never).
    `call_ms`: how long each call takes. What is changed by hand while it runs takes effect at once.
    """

    def __init__(
        self,
        screens: Sequence[ScriptedScreen],
        *,
        name: str = "scripted",
        size: Size = Size(1280, 800),  # noqa: B008 - a value that cannot change
        memory: Mapping[str, str] | None = None,
        effect_delay: int = 0,
        caret_blinks: int = 0,
        call_ms: float = 0.0,
    ) -> None:
        if not screens:
            raise DesktopError("a scripted desktop needs at least one screen")
        self.name = name
        self.log: list[Act] = []
        self.memory: dict[str, str] = dict(memory or {})
        self.effect_delay = effect_delay
        self.caret_blinks = caret_blinks
        self.call_ms = call_ms
        self.session = "1"
        self._screens = {screen.name: screen for screen in screens}
        self._check_script()
        self._lock = threading.RLock()
        self._frame_size = size
        self._screen = screens[0]
        self._focus = ""
        self._selected = False
        self._grabs = 0
        self._waiting: list[tuple[int, View]] = []
        self._shown = self._view()
        self._drawn: tuple[View, np.ndarray, str] | None = None
        self._calls_left: int | None = None
        self._lose_after_effect = False
        self._lost = False

    @property
    def screen(self) -> str:
        """The name of the screen that the application is on, whether it is seen already or not."""
        return self._screen.name

    @property
    def focus(self) -> str:
        return self._focus

    def box_of(self, widget: str) -> Box:
        """Where a widget of the present screen lies."""
        for candidate in self._screen.widgets:
            if candidate.name == widget:
                return candidate.box
        raise DesktopError(f"the screen {self.screen!r} has no widget {widget!r}")

    def lose(self, *, after_calls: int = 0, after_effect: bool = False) -> None:
        """Go away at the call after `after_calls` more; `after_effect`: that call still reaches the application."""
        with self._lock:
            self._calls_left = after_calls
            self._lose_after_effect = after_effect

    def come_back(self) -> None:
        """As a restarted display server: there again, on the first screen, with another session."""
        with self._lock:
            self._lost, self._calls_left = False, None
            self.session = str(int(self.session) + 1)
            self._screen = next(iter(self._screens.values()))
            self._focus, self._selected, self._waiting = "", False, []
            self._shown = self._view()

    def show(self, screen: str, **memory: str) -> None:
        """Change the screen from outside, as a person or a notification does."""
        with self._lock:
            self._go(Goto(screen=screen, remember=memory))
            self._shown = self._view()

    def grab(self) -> Frame:
        with self._calling():
            self._grabs += 1
            while self._waiting and self._waiting[0][0] < self._grabs:
                self._shown = self._waiting.pop(0)[1]
            pixels, digest = self._picture()
        return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=digest, method="scripted")

    def window(self) -> Window | None:
        with self._calling():
            screen = self._shown.screen
            box = Box(0, 0, *self._frame_size)
            title = screen.title.format_map(Known(self._shown.memory))
            return Window(title=title, app_name=screen.app_name, box=box)

    def identity(self) -> DesktopIdentity:
        with self._calling():
            return DesktopIdentity(
                name=self.name, host="paper", boot_id="", session=self.session, user="", size=self._frame_size
            )

    def close(self) -> None:
        """Nothing to give back; a closed scripted desktop can be looked at again."""

    @contextmanager
    def _calling(self) -> Iterator[None]:
        """One call: takes its time, and may be the one at which the desktop goes away."""
        with self._lock:
            if self.call_ms:
                time.sleep(self.call_ms / 1000)
            losing = self._calls_left == 0
            if self._calls_left:
                self._calls_left -= 1
            if self._lost or (losing and not self._lose_after_effect):
                self._lost = True
            if self._lost:
                raise DesktopLost(f"the desktop {self.name} is gone")
            yield
            if losing:
                self._lost = True
                raise DesktopLost(f"the desktop {self.name} went away; whether the input arrived is not known")

    def _size(self) -> Size:
        return self._frame_size

    def _do(self, act: Act) -> None:
        with self._calling():
            self.log.append(act)
            before = self._view()
            self._take(act)
            if (after := self._view()) != before:
                self._waiting.append((self._grabs + self.effect_delay, after))

    def _take(self, act: Act) -> None:
        if act.kind == "click" and act.point is not None:
            widget = hit(self._screen, act.point)
            if widget is not None:
                self._clicked(widget, act)
        elif act.kind == "press":
            self._pressed(act.keys)
        elif act.kind == "type_text" and self._focus:
            self._typed(act.text)

    def _clicked(self, widget: str, act: Act) -> None:
        if act.button == "left" and widget in self._fields():
            self._focus = widget
        prefix = {"left": "", "middle": "middle:", "right": "right:"}[act.button or "left"]
        names = [f"{prefix}{widget}"]
        if act.count > 1:
            names.insert(0, f"double:{widget}")
        self._go(next((self._screen.on[name] for name in names if name in self._screen.on), ""))

    def _pressed(self, keys: tuple[str, ...]) -> None:
        effect = self._screen.on.get(f"key:{'+'.join(keys)}")
        if effect is not None:
            self._go(effect)
        elif keys == ("tab",):
            names = list(self._fields())
            if names:
                self._focus = names[(names.index(self._focus) + 1) % len(names)] if self._focus in names else names[0]
        elif self._focus:
            self._edited(keys)

    def _edited(self, keys: tuple[str, ...]) -> None:
        value = self.memory.get(self._focus, "")
        if keys == ("backspace",):
            self.memory[self._focus] = "" if self._selected else value[:-1]
        elif keys == ("delete",) and self._selected:
            self.memory[self._focus] = ""
        elif keys == ("enter",) and self._fields()[self._focus].lines > 1:
            self._typed("\n")
        elif len(keys) == 1 and (len(keys[0]) == 1 or keys == ("space",)):
            self._typed(" " if keys == ("space",) else keys[0])
        self._selected = keys == ("ctrl", "a") or (self._selected and keys == ("shift", "end"))

    def _typed(self, text: str) -> None:
        entry = self._fields()[self._focus]
        if entry.lines == 1 and "\n" in text:
            # As in any form: Return in a single line is the key, not a character.
            text, rest = text.split("\n", 1)
            self._insert(text)
            self._pressed(("enter",))
            if rest and self._focus:
                self._typed(rest)
            return
        self._insert(text)

    def _insert(self, text: str) -> None:
        self.memory[self._focus] = text if self._selected else self.memory.get(self._focus, "") + text
        self._selected = False

    def _go(self, effect: Effect | None) -> None:
        if callable(effect):
            effect = effect(dict(self.memory))
        if not effect:
            return
        goto = effect if isinstance(effect, Goto) else Goto(screen=effect)
        self.memory |= goto.remember
        if goto.screen and goto.screen != self._screen.name:
            self._screen = self._named(goto.screen)
            self._focus, self._selected = "", False

    def _named(self, screen: str) -> ScriptedScreen:
        if screen not in self._screens:
            raise DesktopError(f"the script has no screen {screen!r}; there are {', '.join(self._screens)}")
        return self._screens[screen]

    def _fields(self) -> dict[str, Field]:
        return {widget.name: widget for widget in self._screen.widgets if isinstance(widget, Field)}

    def _check_script(self) -> None:
        for screen in self._screens.values():
            for effect in screen.on.values():
                name = effect.screen if isinstance(effect, Goto) else effect
                if isinstance(name, str) and name:
                    self._named(name)

    def _view(self) -> View:
        return View(screen=self._screen, memory=dict(self.memory), focus=self._focus)

    def _picture(self) -> tuple[np.ndarray, str]:
        """What is seen, with its digest; a screen that stands still is neither drawn nor digested again."""
        caret = not (self.caret_blinks and self._grabs // self.caret_blinks % 2)
        view = replace(self._shown, caret=caret)
        if self._drawn is None or self._drawn[0] != view:
            pixels = draw(view, size=self._frame_size)
            self._drawn = view, pixels, pixels_digest(pixels)
        return self._drawn[1].copy(), self._drawn[2]
