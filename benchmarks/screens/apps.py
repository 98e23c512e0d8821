"""Pictures of real programs of the distribution, GTK and Qt, with what their accessibility trees say is on them.

python -c "from pathlib import Path; from benchmarks.screens.apps import make_apps; make_apps(Path('...'))"
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from benchmarks.screens import documents
from benchmarks.screens.accessibility import stack, truth
from benchmarks.screens.corpus import Screen, TrueText, save
from benchmarks.screens.ink import inked
from benchmarks.screens.stage import Look, Stage, replacing, stage
from execution.types import Box, Frame
from tests.support.display import DisplayProblem, ShownWindow

PNG_LEVEL = 3
LEAST = 64  # pictures
FEWER = 3  # states of a program at 150 %


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A state of a program: the steps that lead to it from the one before (see Stage.do)."""

    name: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A program and the states it is shown in. `pictured`: its tool bars show pictures without words."""

    name: str
    toolkit: str
    command: tuple[str, ...]
    states: tuple[State, ...]
    pictured: bool = True
    env: dict[str, str] = field(default_factory=dict)


def states(**steps: str) -> tuple[State, ...]:
    """States by name; the steps of one are parted by semicolons."""
    return tuple(
        State(name=name, steps=tuple(s.strip() for s in text.split(";") if s.strip())) for name, text in steps.items()
    )


D = documents.FOLDER
APPS = (
    App(
        name="mousepad",
        toolkit="gtk",
        command=("mousepad", str(D / "lettre.txt")),
        states=states(
            main="",
            menu="click menu 1",
            preferences="press up; press enter",
            find="press esc; press ctrl+f; type remboursée",
            typed="press esc; press ctrl+end; type Reçu à Orléans, où l'été s'achève.",
        ),
    ),
    App(
        name="galculator",
        toolkit="gtk",
        command=("galculator",),
        states=states(
            main="", typed="type 12.5*84", menu="click menu 2", about="press esc; click menu -1; press up; press enter"
        ),
    ),
    App(
        name="geany",
        toolkit="gtk",
        command=("geany", "-i", "-t", str(D / "order.py"), str(D / "notes.txt")),
        states=states(
            main="",
            menu="click menu 2",
            find="press esc; press ctrl+f",
            open="press esc; press ctrl+o",
            preferences="press esc; press ctrl+alt+p",
        ),
    ),
    App(
        name="lxterminal",
        toolkit="gtk",
        command=("lxterminal", f"--working-directory={D}"),
        states=states(main="type ls -1 Dossier; press enter", menu="click menu 1", preferences="press up; press enter"),
    ),
    App(
        name="l3afpad",
        toolkit="gtk",
        command=("l3afpad", str(D / "notes.txt")),
        states=states(
            main="",
            menu="click menu 3",
            find="press esc; press ctrl+f; type Zoë",
            replace="press esc; press ctrl+h",
            about="press esc; click menu -1; press up; press enter",
        ),
    ),
    App(
        name="gtk3-widget-factory",
        toolkit="gtk",
        command=("gtk3-widget-factory",),
        states=states(page_1="", page_2="click radio button 1", page_3="click radio button 2"),
    ),
    App(
        name="featherpad",
        toolkit="qt",
        command=("featherpad", "--standalone", str(D / "lettre.txt")),
        states=states(
            main="",
            menu="click menu item 1",
            find="press esc; press ctrl+f; type adresse",
            typed="press esc; press ctrl+end; type Reçu à Orléans, où l'été s'achève.",
            about="click menu item -1; press up; press enter",
        ),
    ),
    App(
        name="qterminal",
        toolkit="qt",
        command=("qterminal", "-w", str(D)),
        states=states(
            main="type ls -1 Dossier; press enter",
            menu="click menu item 2",
            preferences="press esc; click menu item 0; press up; press up; press enter",
        ),
    ),
    App(
        name="speedcrunch",
        toolkit="qt",
        command=("speedcrunch",),
        states=states(
            main="type 12.5*84; press enter; type sqrt(2)+1; press enter",
            menu="click menu item 2",
            about="press esc; click menu item -1; press up; press enter",
        ),
    ),
    App(
        name="qpdfview",
        toolkit="qt",
        command=("qpdfview", "--unique", str(D / "lettre.pdf")),
        states=states(
            main="",
            menu="click menu item 0",
            settings="press esc; click menu item 1; press up; press enter",
        ),
    ),
    App(
        name="lximage-qt",
        toolkit="qt",
        command=("lximage-qt", str(D / "plan.png")),
        states=states(
            main="",
            menu="click menu item 1",
            preferences="press up; press enter",
            shortcuts="press esc; click menu item -1; press up; press enter",
        ),
    ),
    App(
        name="pcmanfm-qt",
        toolkit="qt",
        command=("pcmanfm-qt", str(D / "Dossier")),
        states=states(
            main="",
            menu="click menu item 2",
            preferences="press esc; click menu item 1; press up; press enter",
            new_folder="press esc; press ctrl+shift+n; type Relevés d'août",
            search="press esc; press f3",
        ),
    ),
)


def _look(theme: str, scale: float, width: int, height: int, language: str, *, font: str, qt_style: str) -> Look:
    return Look(theme=theme, scale=scale, width=width, height=height, language=language, font=font, qt_style=qt_style)


LOOKS = (
    _look("light", 1.0, 1920, 1080, "en", font="Noto Sans", qt_style="adwaita"),
    _look("dark", 1.0, 1366, 768, "fr", font="DejaVu Sans", qt_style="adwaita-dark"),
    _look("light", 1.5, 2560, 1600, "fr", font="Liberation Sans", qt_style="Fusion"),
    _look("dark", 1.5, 1920, 1080, "en", font="Noto Sans", qt_style="adwaita-dark"),
)


def make_apps(folder: Path) -> list[Screen]:
    """Show every program in every look and write its pictures and their truth to `folder`.

    What a program does not show is left out and said; raises RuntimeError where too little is left.
    """
    need_programs()
    started = time.monotonic()
    documents.make()
    screens: list[Screen] = []
    with replacing(folder) as fresh:
        for look in LOOKS:
            with stage(look) as on:
                for show in (*(partial(_shots, app=app) for app in APPS), _together):
                    screens += _shown(on, show, fresh)
        if len(screens) < LEAST:
            raise RuntimeError(
                f"Only {len(screens)} pictures could be made, of at least {LEAST}; see what is left out."
            )
        save(screens, fresh)
    print(f"{len(screens)} pictures of {len(APPS)} programs in {time.monotonic() - started:.0f} s")
    return screens


def _shown(on: Stage, show: Callable[[Stage, Path], Iterator[Screen]], folder: Path) -> list[Screen]:
    """The screens until a program does not do what it should."""
    screens: list[Screen] = []
    try:
        for screen in show(on, folder):
            screens.append(screen)
    except DisplayProblem as problem:
        print(f"left out in {on.look.name}: {problem}", file=sys.stderr)
    on.end_programs()
    return screens


def need_programs() -> None:
    """Raise RuntimeError that says what to type where programs are missing."""
    missing = [app.command[0] for app in APPS if shutil.which(app.command[0]) is None]
    if missing:
        raise RuntimeError(f"There is no {', '.join(missing)}. Type: tools/setup.sh bench")


def _shots(on: Stage, folder: Path, *, app: App) -> Iterator[Screen]:
    _arrange(on, on.start(app.command))
    for state in app.states if on.look.scale == 1.0 else app.states[:FEWER]:
        for step in state.steps:
            on.do(step)
        yield shot(on, app, state.name, folder)


def _together(on: Stage, folder: Path) -> Iterator[Screen]:
    """Three programs on one screen, one over the other."""
    below, middle, above = (by_name(name) for name in ("featherpad", "mousepad", "galculator"))
    across, down = on.look.width // 12, on.look.height // 12
    on.place(on.start(below.command), Box(across, down, across * 7, down * 7))
    on.place(on.start(middle.command), Box(across * 4, down * 3, across * 7, down * 7))
    on.start(above.command)
    yield shot(on, above, "over-two", folder, apps="three")


def by_name(name: str) -> App:
    return next(app for app in APPS if app.name == name)


def _arrange(on: Stage, window: ShownWindow) -> None:
    """Not every window lies in the middle in its first size: large screens show them whole, dark ones aside."""
    look = on.look
    if look.theme == "light" and look.scale == 1.0:
        on.place(window, Box(120, 90, 1100, 760))
    elif look.width == 1366:
        on.maximise(window)
    elif look.width == 2560:
        on.place(window, Box(200, 150, 1700, 1200))


def shot(on: Stage, app: App, state: str, folder: Path, *, apps: str = "") -> Screen:
    """The screen as it stands, saved with its truth."""
    frame = on.desktop.grab()
    look = on.look
    told = truth(
        on.nodes(), windows=stack(on.screen), pixels=frame.pixels, lettering=look.lettering, icons_only=app.pictured
    )
    name = f"{apps or app.name}-{state}-{look.name}"
    write(folder / f"{name}.png", frame)
    titles = [text for window in on.screen.windows() if (text := _title(window, frame))]
    return Screen(
        name=name,
        picture=f"{name}.png",
        family=f"{apps or app.name}-{state}",
        variant={
            "app": apps or app.name,
            "toolkit": app.toolkit,
            "theme": look.theme,
            "font": look.font,
            "scale": f"{look.scale:g}",
            "size": f"{look.width}x{look.height}",
            "language": look.language,
            "state": state,
        },
        window=on.desktop.window(),
        texts=(*titles, *told.texts),
        elements=told.elements,
        complete=False,  # what a window manager draws, accelerators and drawn text are in no tree
    )


def write(path: Path, frame: Frame) -> None:
    if not cv2.imwrite(str(path), frame.pixels, [cv2.IMWRITE_PNG_COMPRESSION, PNG_LEVEL]):
        raise OSError(f"{path} cannot be written")


def _title(window: ShownWindow, frame: Frame) -> TrueText | None:
    """The words in the bar that the window manager draws above the active window; None where they do not fit."""
    bar = Box(window.x + 30, window.y - 20, window.width - 90, 18)
    if not window.active or bar.y < 0 or bar.w < 8 * len(window.title):
        return None
    rows, columns = np.nonzero(inked(frame.crop(bar)))
    if not len(rows):
        return None
    left, top = int(columns.min()), int(rows.min())
    box = Box(bar.x + left, bar.y + top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top)
    return TrueText(text=window.title, box=box)
