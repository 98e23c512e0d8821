"""The `apps` part: real GTK and Qt programs, taught in one look and seen in another, with truth from AT-SPI."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from benchmarks.drift import app_pairs
from benchmarks.drift.app_screens import Shown, load_shown, save_shown, shot
from benchmarks.drift.dresses import DRESSES, PLACE, REMOTE, TAUGHT, Dress
from benchmarks.drift.programs import ONCE, PROGRAMS, TYPED, make_files, need_programs, program
from benchmarks.drift.remote import NEEDED, Viewer, viewer
from benchmarks.screens.apps import App
from benchmarks.screens.stage import Stage, stage
from execution.types import Box
from tests.support.display import DisplayProblem, ShownWindow

WINDOWS = "windows"  # what becomes of windows in the look that is taught in
_STATES = 3  # of a program
ELSEWHERE, SMALLER = Box(716, 244, 1100, 760), Box(120, 90, 900, 640)
LEFT, RIGHT = Box(10, 120, 930, 760), Box(970, 120, 930, 760)
ABOVE = {"upper": Box(100, 80, 640, 430), "lower": Box(560, 380, 720, 520)}  # where another window covers it

Play = Callable[[Stage, App, str, Dress, Path], Iterator[Shown]]


def make_apps(folder: Path, *, only: tuple[str, ...] = ()) -> None:
    """Show the programs in every look in which they are not there yet, then hold the looks together."""
    need_programs(*NEEDED)
    make_files()
    for name in only or (TAUGHT, WINDOWS, *(name for name in DRESSES if name != TAUGHT), *REMOTE):
        file = folder / "shown" / f"{name}.json"
        kept = load_shown(file) if file.is_file() else []
        missing = [app for app in PROGRAMS if app.name not in {one.app for one in kept}]
        if missing:
            started = time.monotonic()
            dress = (DRESSES | REMOTE)[TAUGHT if name == WINDOWS else name]
            fresh = _in_look(name, dress, folder, _windows if name == WINDOWS else _states, missing)
            save_shown([*kept, *fresh], file)
            took = time.monotonic() - started
            print(f"apps: {len(fresh)} screens in look {name} after {took:.0f} s", flush=True)
    if not only:
        hold(folder)


def hold(folder: Path) -> None:
    """Make the pairs of all looks that are there."""
    known = {app.name for app in PROGRAMS}
    files = sorted((folder / "shown").glob("*.json"))
    shown = [one for file in files for one in load_shown(file) if one.app in known]
    for kind, count in app_pairs.make(shown, folder).items():
        print(f"apps: {kind}: {count} pairs", flush=True)


def _in_look(name: str, dress: Dress, folder: Path, play: Play, apps: Sequence[App]) -> list[Shown]:
    """Programs in one look; what a program does not show is left out and said."""
    shown = list[Shown]()
    folder.mkdir(parents=True, exist_ok=True)
    with stage(dress.look) as on, viewer(on, dress) if dress.client else nullcontext() as client:
        for app in apps:
            made = _all_of(play(on, app, name, dress, folder), client, folder)
            on.end_programs()
            if not made:  # a busy machine starts a program before its toolkit tells of it
                made = _all_of(play(on, app, name, dress, folder), client, folder)
                on.end_programs()
            shown += made
    return shown


def _all_of(play: Iterator[Shown], client: Viewer | None, folder: Path) -> list[Shown]:
    """The screens until a program does not do what it should."""
    shown = list[Shown]()
    try:
        for one in play:
            shown.append(client.seen(one, folder) if client else one)
    except DisplayProblem as problem:
        print(f"left out after {len(shown)}: {str(problem)[:200]}", file=sys.stderr)
    return shown


def _states(on: Stage, app: App, name: str, dress: Dress, folder: Path) -> Iterator[Shown]:
    """The program as it starts, then in its other states."""
    _open(on, app, dress.place)
    for state in app.states[:_STATES]:
        try:
            for step in state.steps:
                on.do(step)
        except DisplayProblem as problem:
            print(f"left out, {app.name} {state.name} in {name}: {str(problem)[:120]}", file=sys.stderr)
            continue
        yield shot(on, app, state.name, name, dress.worn, folder)


def _windows(on: Stage, app: App, name: str, dress: Dress, folder: Path) -> Iterator[Shown]:
    """Its window elsewhere and smaller, under another one, typed into, and open twice."""
    state = app.states[0].name
    window = _open(on, app, PLACE)
    for kind, place in (("moved", ELSEWHERE), ("resized", SMALLER)):
        on.place(window, place)
        yield shot(on, app, state, kind, dress.worn, folder)
    on.place(window, PLACE)
    yield from _covered(on, app, dress, folder)
    on.end_programs()
    if app.name in TYPED:
        _open(on, app, PLACE)
        for step in TYPED[app.name].split("; "):
            on.do(step)
        yield shot(on, app, state, "data", dress.worn, folder)
        on.end_programs()
    if app.name not in ONCE:
        for place in (LEFT, RIGHT):
            on.place(on.start(app.command), place)
        yield shot(on, app, state, "twins", dress.worn, folder)


def _covered(on: Stage, app: App, dress: Dress, folder: Path) -> Iterator[Shown]:
    """Another program's window over parts of it."""
    above = on.start(program("l3afpad" if app.name != "l3afpad" else "featherpad").command)
    for where, box in ABOVE.items():
        on.place(above, box)
        placed = next(window for window in on.screen.windows() if window.id == above.id)
        seen = shot(on, app, app.states[0].name, f"covered-{where}", dress.worn, folder)
        yield replace(seen, over=Box(placed.x, placed.y, placed.width, placed.height))


def _open(on: Stage, app: App, place: Box) -> ShownWindow:
    window = on.start(app.command)
    scale = on.look.scale
    on.place(window, Box(*(round(side * scale) for side in place)))
    return window
