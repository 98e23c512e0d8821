"""A desktop with real programs on it as one `Look` wants them: theme, scale, size and language."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.screens.accessibility import Node, dump, listed, wake
from benchmarks.screens.corpus import ROOT
from benchmarks.screens.ink import Lettering
from execution.desktop.capture import changed_box, settle
from execution.desktop.x11 import X11Desktop
from execution.types import Box, Frame, Point
from tests.support.display import DisplayProblem, ShownWindow, VirtualDesktop, virtual_desktop, wait_until

LOCALES = ROOT / "build" / "bench" / "locale"
COUNTRIES = {"fr": "fr_FR", "de": "de_DE"}
# A single dot or caret is smaller than what an action does to a screen.
AN_ACTION_CHANGES = 120  # square pixels
CALM_MS = 200
POINTS = 10
MAXIMISED = "_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ"
OFF = 30  # pixels: a program that takes sizes of its own is put with its frame where its inside was asked to be
BACKDROPS = {"light": 0x6B8299, "dark": 0x1B2430}

GTK_SETTINGS = """[Settings]
gtk-enable-animations=0
gtk-cursor-blink={blink}
gtk-font-name={font} {points}
gtk-icon-theme-name={icons}
"""
GTK2_SETTINGS = """gtk-theme-name="{theme}"
gtk-icon-theme-name="{icons}"
gtk-font-name="{font} {points}"
gtk-cursor-blink={blink}
"""
QT_SETTINGS = """[Appearance]
icon_theme={icons}
custom_palette=false
standard_dialogs=default

[Fonts]
general="{font},{points},-1,5,50,0,0,0,0,0"
fixed="DejaVu Sans Mono,{points},-1,5,50,0,0,0,0,0"

[Interface]
cursor_flash_time={flash}
gui_effects=@Invalid()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How programs are shown; `language` is en, fr or de, `font` a family in `points`.

    `gtk_theme` and `icons` are themes of the distribution's; without `gtk_theme` it is the usual one, light or dark.
    """

    theme: str
    scale: float
    width: int
    height: int
    language: str
    font: str
    qt_style: str
    gtk_theme: str = ""
    icons: str = "Adwaita"
    points: int = POINTS

    @property
    def lettering(self) -> Lettering:
        return Lettering(family=self.font, points=self.points, scale=self.scale)

    @property
    def gtk_scale(self) -> int:
        """What GTK draws everything larger by: a whole number; what is between is left to its letters."""
        return int(self.scale) if self.scale >= 2 else 1

    @property
    def name(self) -> str:
        return f"{self.theme}-{round(100 * self.scale)}-{self.width}x{self.height}-{self.language}"

    @property
    def qt_scale(self) -> float:
        """What Qt draws everything larger by; it draws badly what is made smaller, so that is left to its letters."""
        return max(1.0, self.scale)

    def environment(self) -> dict[str, str]:
        """What makes GTK 3 and Qt 5 programs look so."""
        env = {
            "GTK_THEME": self.gtk_theme or ("Adwaita:dark" if self.theme == "dark" else "Adwaita"),
            "GDK_SCALE": f"{self.gtk_scale}",
            "GDK_DPI_SCALE": f"{self.scale / self.gtk_scale:g}",
            "QT_SCALE_FACTOR": f"{self.qt_scale:g}",
            "QT_QPA_PLATFORMTHEME": "qt5ct",
            "QT_STYLE_OVERRIDE": self.qt_style,
            "SHELL": "/bin/sh",
            "PS1": "marie@poste:~$ ",
        }
        if self.language != "en":
            country = COUNTRIES[self.language]
            name = f"{country}.UTF-8"
            env |= {"LC_ALL": name, "LANG": name, "LANGUAGE": self.language, "LOCPATH": str(locale(country))}
        return env


def locale(country: str) -> Path:
    """The folder of a locale of our own, as "fr_FR": the machine need not have one."""
    made = LOCALES / f"{country}.UTF-8"
    if not made.is_dir():
        LOCALES.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["localedef", "-i", country, "-f", "UTF-8", str(made)], capture_output=True, text=True)
        if not (made / "LC_CTYPE").is_file():
            shutil.rmtree(made, ignore_errors=True)
            raise RuntimeError(
                f"There is no locale {country} ({done.stderr.strip()[-300:]}); it needs: apt-get install locales"
            )
    return LOCALES


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder that takes the place of `folder` when the block ends well; until then the old one stays."""
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    yield fresh
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


class Stage:
    """A desktop, its screen and the programs of one look."""

    def __init__(self, screen: VirtualDesktop, desktop: X11Desktop, look: Look) -> None:
        self.screen, self.desktop, self.look = screen, desktop, look
        self._processes: list[subprocess.Popen[bytes]] = []
        self._tree = Path(screen.env["XDG_RUNTIME_DIR"]) / "tree.json"

    def start(self, command: Sequence[str], *, title: str = "") -> ShownWindow:
        """Start a program and wait until its window has the focus and the picture stands still."""
        known = {window.id for window in self.screen.windows()}
        process = self.screen.spawn(command, env=self.look.environment())
        self._processes.append(process)

        def shown() -> ShownWindow | None:
            if process.poll() not in (None, 0):
                raise DisplayProblem(f"{command[0]} ended with {process.returncode}:\n{self.screen.logs()}")
            fresh = [w for w in self.screen.windows() if w.active and w.id not in known]
            return next((w for w in fresh if title in w.title), None)

        window = wait_until(shown, timeout=30, what=f"the window of {' '.join(command)}")
        self.rest()
        return window

    def end_programs(self) -> None:
        """End all that was started here and wait until their windows are gone."""
        for process in reversed(self._processes):
            self.screen.end(process)
        self._processes.clear()
        self._tree.unlink(missing_ok=True)
        wait_until(lambda: not self.screen.windows(), what="the end of all windows")

    def rest(self, *, calm_ms: int = CALM_MS, timeout_ms: int = 1500) -> Frame:
        """The picture when it stands still, or as it is in the end: some programs always move.

        A window that shows nothing yet is waited for: a busy machine puts it up long before it fills it.
        """

        def filled() -> Frame | None:
            frame = settle(self.desktop, settle_ms=calm_ms, timeout_ms=timeout_ms).frame
            active = next((window for window in self.screen.windows() if window.active), None)
            return frame if active is None or _has_ink(frame, active) else None

        return wait_until(filled, timeout=10, what="the content of the active window")

    def do(self, step: str) -> Frame:
        """One step: "press ctrl+f", "type ça", "click menu 2" (the third of that role), "point icon 0", "wheel 3".

        The answer is the picture after it. Raises DisplayProblem when the picture does not change.
        """
        before = self.desktop.grab()
        verb, _, rest = step.partition(" ")
        if verb == "press":
            self.desktop.press(rest.split("+") if rest != "+" else ["+"])
        elif verb == "type":
            self.desktop.type_text(rest)
        elif verb == "wheel":
            window = next(w for w in self.screen.windows() if w.active)
            self.desktop.scroll(Point(window.x + window.width // 2, window.y + window.height // 2), dy=int(rest))
        elif verb in ("click", "point"):
            point = self._place(rest)
            (self.desktop.click if verb == "click" else self.desktop.move)(point)
            if verb == "click":  # a pointer that stays over a button brings its tip up
                self.desktop.move(Point(self.look.width - 2, self.look.height - 2))
        else:
            raise ValueError(f"there is no step {step!r}")
        self.changed(before, step)
        return self.rest()

    def changed(self, before: Frame, step: str, *, timeout: float = 5.0) -> None:
        """Wait until the picture differs from `before` by more than a caret."""

        def differs() -> bool:
            box = changed_box(before, self.desktop.grab())
            return box is not None and box.area > AN_ACTION_CHANGES

        titles = [window.title for window in self.screen.windows()]
        wait_until(differs, timeout=timeout, what=f"the effect of {step!r} on {titles} ({self.look.name})")

    def nodes(self) -> list[Node]:
        """What shows by the word of its toolkit, or of the program itself where its toolkit has none."""
        if self._tree.is_file():
            return self._told()
        return dump(self.screen, scale=self.look.qt_scale, gtk_scale=self.look.gtk_scale)

    def _told(self) -> list[Node]:
        """What the program says of itself, written after it was asked for."""
        asked = time.time()
        wait_until(lambda: self._tree.stat().st_mtime > asked, what=f"what is written to {self._tree.name}")
        return listed(json.loads(self._tree.read_text()))

    def _place(self, words: str) -> Point:
        """The middle of a node of the active window: its role and its place among the nodes of that role."""
        role, _, which = words.rpartition(" ")
        fitting = [n for n in self.nodes() if n.role == role and n.box is not None and not _background(n)]
        try:
            return fitting[int(which)].box.center
        except IndexError:
            raise DisplayProblem(f"there are {len(fitting)} of {role!r}, not {which}") from None

    def place(self, window: ShownWindow, box: Box) -> Frame:
        """Put a window's client area there; the picture after it. Its program may round the size."""
        self.put(window, box)
        return self.rest()

    def put(self, window: ShownWindow, box: Box) -> None:
        """Put a window there, whatever it shows."""
        _ask_window_manager(self.screen, window.id, "_NET_WM_STATE", [0, *MAXIMISED, 2, 0])
        _ask_window_manager(self.screen, window.id, "_NET_MOVERESIZE_WINDOW", [0xF00 | 0x2000 | 10, *box])

        def there() -> bool:
            shown = next(w for w in self.screen.windows() if w.id == window.id)
            return max(abs(shown.x - box.x), abs(shown.y - box.y)) <= OFF and shown.width > 0.97 * box.w

        wait_until(there, timeout=10, what=f"the window {window.title!r} at {box}")

    def maximise(self, window: ShownWindow) -> Frame:
        before = self.desktop.grab()
        _ask_window_manager(self.screen, window.id, "_NET_WM_STATE", [1, *MAXIMISED, 2, 0])
        self.changed(before, "maximising")
        return self.rest()


def _has_ink(frame: Frame, window: ShownWindow) -> bool:
    """Whether the inside of a window is more than one colour."""
    inside = frame.crop(Box(window.x + 2, window.y + 2, window.width - 4, window.height - 4))
    return bool(inside.size) and bool((inside != inside[0, 0]).any())


def _background(node: Node) -> bool:
    top = node.ancestors[0] if node.ancestors else node
    return "active" not in top.states


@contextmanager
def stage(look: Look, *, blinking: bool = False) -> Iterator[Stage]:
    """A desktop of that look with the accessibility tree at work; nothing moves by itself unless `blinking`."""
    with virtual_desktop(look.width, look.height, accessibility=True) as screen:
        _configure(screen, look, blinking=blinking)
        desktop = X11Desktop(screen.display)
        try:
            wake(screen)
            yield Stage(screen, desktop, look)
        finally:
            desktop.close()


def _configure(screen: VirtualDesktop, look: Look, *, blinking: bool) -> None:
    config = Path(screen.env["XDG_CONFIG_HOME"])
    gtk, qt = config / "gtk-3.0" / "settings.ini", config / "qt5ct" / "qt5ct.conf"
    for file in (gtk, qt):
        file.parent.mkdir(parents=True, exist_ok=True)
    gtk.write_text(GTK_SETTINGS.format(blink=int(blinking), font=look.font, points=look.points, icons=look.icons))
    (Path(screen.env["HOME"]) / ".gtkrc-2.0").write_text(
        GTK2_SETTINGS.format(
            theme=look.gtk_theme or ("Adwaita-dark" if look.theme == "dark" else "Adwaita"), icons=look.icons,
            font=look.font, points=round(look.points * look.scale), blink=int(blinking),
        )
    )  # fmt: skip
    points = f"{look.points * look.scale / look.qt_scale:g}"
    qt.write_text(QT_SETTINGS.format(flash=1000 if blinking else 0, font=look.font, points=points, icons=look.icons))
    _paint(screen, BACKDROPS[look.theme])


def _paint(screen: VirtualDesktop, colour: int) -> None:
    with _connection(screen) as connection:
        root = connection.screen().root
        root.change_attributes(background_pixel=colour)
        root.clear_area()


def _ask_window_manager(screen: VirtualDesktop, window_id: int, message: str, values: Sequence[int | str]) -> None:
    from Xlib import X
    from Xlib.protocol import event

    with _connection(screen) as connection:
        data = [connection.intern_atom(value) if isinstance(value, str) else value for value in values]
        root = connection.screen().root
        window = connection.create_resource_object("window", window_id)
        sent = event.ClientMessage(
            window=window, client_type=connection.intern_atom(message), data=(32, (data + [0] * 5)[:5])
        )
        root.send_event(sent, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)


@contextmanager
def _connection(screen: VirtualDesktop) -> Iterator:
    from Xlib.display import Display

    connection = Display(f"unix/{screen.display}")
    try:
        yield connection
        connection.sync()
    finally:
        connection.close()
