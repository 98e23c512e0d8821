"""The `apps` part: real GTK and Qt programs, taught in one look and seen in another, with truth from AT-SPI."""

from __future__ import annotations

import random
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from execution.types import Box
from tests.benchmarks.drift import pairs as stored
from tests.benchmarks.drift.app_screens import Control, Shown, Where, shot
from tests.benchmarks.drift.painted import Taught, make_painted
from tests.benchmarks.drift.pairs import Made, Pair, Truth
from tests.benchmarks.screens import documents
from tests.benchmarks.screens.apps import App, by_name, need_programs
from tests.benchmarks.screens.stage import Look, Stage, stage
from tests.support.display import DisplayProblem, ShownWindow

PAINTED = 24
_PER_SCREEN = {"moved": 3, "resized": 3, "covered": 3, "removed": 3}  # pairs; of the others 2
_SMALLEST, _HIGHEST = 9, 200  # pixels: a whole sheet of text is not one target
_NO_WINDOW = 0.15  # the share of pairs for which the window is not known
_COVERED = 0.98  # of a target's area
PLACE, ELSEWHERE, SMALLER = Box(120, 90, 1100, 760), Box(716, 244, 1100, 760), Box(120, 90, 900, 640)
LEFT, RIGHT = Box(10, 120, 930, 760), Box(970, 120, 930, 760)


def _look(**changes: object) -> Look:
    usual = Look(theme="light", scale=1.0, width=1920, height=1080, language="en", font="Noto Sans", qt_style="adwaita")
    return replace(usual, **changes)  # type: ignore[arg-type]


TAUGHT = _look()
# What each look differs in from the one that is taught in.
LOOKS = {
    "theme": _look(theme="dark", qt_style="adwaita-dark"),
    "scale": _look(scale=1.5, width=2560, height=1440),
    "font": _look(font="Liberation Sans", qt_style="Fusion"),
    "language": _look(language="fr"),
}
NAMES = (
    "mousepad", "galculator", "geany", "l3afpad", "gtk3-widget-factory", "featherpad", "speedcrunch", "qpdfview",
    "lximage-qt", "pcmanfm-qt",
)  # fmt: skip
# A second state of each: what is shown in it only is gone in the first.
SECOND = {
    "mousepad": "menu", "galculator": "menu", "geany": "find", "l3afpad": "find", "gtk3-widget-factory": "page_2",
    "featherpad": "find", "speedcrunch": "menu", "qpdfview": "menu", "lximage-qt": "menu", "pcmanfm-qt": "menu",
}  # fmt: skip
ONCE = ("mousepad", "qpdfview", "pcmanfm-qt")  # show no second window of what is open already
# What is typed into a program, which is data and no evidence.
TYPED = {
    "mousepad": "press ctrl+end; type Reçu à Orléans, où l'été s'achève.", "galculator": "type 12.5*84",
    "l3afpad": "press ctrl+end; type Call back Zoë on Monday.", "featherpad": "press ctrl+end; type Reçu le 3 mars.",
    "speedcrunch": "type 12.5*84; press enter", "geany": "press ctrl+end; type TOTAL = 18400",
}  # fmt: skip


def make_apps(folder: Path) -> None:
    """Show the programs in every look, unless all of them are there."""
    files = {kind: folder / f"{kind}.json" for kind in ("windows", "painted", *LOOKS)}
    if all(file.is_file() for file in files.values()):
        return
    need_programs()
    documents.make()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    shown, made = _in_look("taught", TAUGHT, folder, _windows)
    taught = _of_look("taught", shown)
    stored.save(made, files["windows"])
    stored.save(_paint(list(taught.values()), folder), files["painted"])
    print(f"apps: {len(made.pairs)} pairs of windows after {time.monotonic() - started:.0f} s", flush=True)
    for kind, look in LOOKS.items():
        shown, made = _in_look(kind, look, folder, _states)
        seen = _of_look(kind, shown)
        pairs = [pair for key in taught if key in seen for pair in _pairs(kind, taught[key], seen[key])]
        stored.save(Made(screens=made.screens, pairs=tuple(pairs)), files[kind])
        print(f"apps: {kind}: {len(pairs)} pairs after {time.monotonic() - started:.0f} s", flush=True)


Play = Callable[[Stage, App, str, Path], Iterator[tuple[Shown, list[Pair]]]]


def _in_look(name: str, look: Look, folder: Path, play: Play) -> tuple[list[Shown], Made]:
    """All programs in one look; what a program does not show is left out and said."""
    shown, pairs = list[Shown](), list[Pair]()
    with stage(look) as on:
        for app in map(by_name, NAMES):
            try:
                for one, made in play(on, app, name, folder):
                    shown.append(one)
                    pairs += made
            except DisplayProblem as problem:
                print(f"left out, {app.name} in {name}: {str(problem)[:200]}", file=sys.stderr)
            on.end_programs()
    return shown, Made(screens=tuple(one.screen for one in shown), pairs=tuple(pairs))


def _states(on: Stage, app: App, name: str, folder: Path) -> Iterator[tuple[Shown, list[Pair]]]:
    """The program as it starts, then in its second state."""
    _open(on, app)
    yield shot(on, app, "main", name, folder), []
    _second(on, app)
    yield shot(on, app, "second", name, folder), []


def _windows(on: Stage, app: App, name: str, folder: Path) -> Iterator[tuple[Shown, list[Pair]]]:
    """Taught; then its window elsewhere and smaller, under another one, typed into, and open twice."""
    window = _open(on, app)
    main = shot(on, app, "main", name, folder)
    yield main, []
    for kind, place in (("moved", ELSEWHERE), ("resized", SMALLER)):
        on.place(window, place)
        seen = shot(on, app, "main", kind, folder)
        yield seen, _pairs(kind, main, seen)
    on.place(window, PLACE)
    _second(on, app)
    second = shot(on, app, "second", name, folder)
    yield second, _gone("removed", second, main, _is_not_in)
    on.end_programs()
    seen = _under_another(on, app, folder)
    yield seen, _gone("covered", main, seen, _is_covered)
    on.end_programs()
    if app.name in TYPED:
        _open(on, app)
        for step in TYPED[app.name].split("; "):
            on.do(step)
        typed = shot(on, app, "main", "data", folder)
        yield typed, [*_pairs("data", main, typed), *_gone("disabled", typed, main, _is_greyed)]
        on.end_programs()
    if app.name not in ONCE:
        twice = _twice(on, app, folder)
        yield twice, _in_front(main, twice)


def _open(on: Stage, app: App) -> ShownWindow:
    window = on.start(app.command)
    scale = on.look.scale
    on.place(window, Box(*(round(side * scale) for side in PLACE)))
    return window


def _second(on: Stage, app: App) -> None:
    state = next(state for state in app.states if state.name == SECOND[app.name])
    for step in state.steps:
        if step != "press esc":  # that only leads there from a state that is not shown here
            on.do(step)


def _under_another(on: Stage, app: App, folder: Path) -> Shown:
    """Another program's window over the upper left of it."""
    _open(on, app)
    above = by_name("l3afpad" if app.name != "l3afpad" else "featherpad")
    on.place(on.start(above.command), Box(PLACE.x - 20, PLACE.y - 10, 640, 430))
    placed = next(window for window in on.screen.windows() if window.active)
    seen = shot(on, app, "main", "covered", folder)
    return replace(seen, over=Box(placed.x, placed.y, placed.width, placed.height))


def _twice(on: Stage, app: App, folder: Path) -> Shown:
    """The same program twice, side by side."""
    for place in (LEFT, RIGHT):
        on.place(on.start(app.command), place)
    return shot(on, app, "main", "twins", folder)


def _of_look(name: str, shown: Sequence[Shown]) -> dict[tuple[str, str], Shown]:
    """The pictures of a whole look, by program and state."""
    return {(one.app.name, one.screen.variant["state"]): one for one in shown if one.screen.name.endswith(f"-{name}")}


def _pairs(kind: str, taught: Shown, seen: Shown) -> list[Pair]:
    """Targets that are on both pictures."""
    made = []
    for path, control in _some(kind, taught, lambda path, _: _answers(kind, taught, seen, path)):
        box = seen.elements[path].box
        made.append(_pair(kind, path, control, taught, seen, Truth.HERE, boxes=(box,)))
    return made


def _answers(kind: str, taught: Shown, seen: Shown, path: Where) -> bool:
    """Whether the same control is there to be clicked: by its place in the tree, and its name unless that changes."""
    if path not in seen.elements or seen.elements[path].off:
        return False
    if kind == "language":
        return _siblings(taught, path) == _siblings(seen, path)
    return taught.nodes[path].name == seen.nodes[path].name


def _siblings(shown: Shown, path: Where) -> int:
    return sum(other[:-1] == path[:-1] for other in shown.nodes)


def _gone(kind: str, taught: Shown, seen: Shown, is_gone: Callable[[Shown, Shown, Where], bool]) -> list[Pair]:
    chosen = _some(kind, taught, lambda path, _: is_gone(taught, seen, path))
    return [_pair(kind, path, control, taught, seen, Truth.GONE) for path, control in chosen]


def _is_not_in(taught: Shown, seen: Shown, path: Where) -> bool:
    control = taught.elements[path]
    named = {(node.role, node.name) for node in seen.nodes.values()}
    return path not in seen.nodes and (taught.nodes[path].role, taught.nodes[path].name) not in named and bool(control)


def _is_covered(taught: Shown, seen: Shown, path: Where) -> bool:
    box = taught.elements[path].box
    return seen.over is not None and box.intersection(seen.over).area >= _COVERED * box.area


def _is_greyed(taught: Shown, seen: Shown, path: Where) -> bool:
    return path in seen.elements and seen.elements[path].off and taught.nodes[path].name == seen.nodes[path].name


def _in_front(taught: Shown, seen: Shown) -> list[Pair]:
    """Targets that were there once and are there twice now: the one in the window that has the focus is meant."""
    front = seen.screen.window.box if seen.screen.window else None

    def alike(shown: Shown, control: Control) -> list[Control]:
        return [c for c in shown.elements.values() if (c.role, c.name) == (control.role, control.name)]

    def is_twice(_: Where, control: Control) -> bool:
        return len(alike(taught, control)) == 1 and len(alike(seen, control)) == 2

    made = []
    for path, control in _some("twins", taught, is_twice):
        boxes = tuple(c.box for c in alike(seen, control) if front and front.contains(c.box.center) and not c.off)
        if len(boxes) == 1:
            pair = _pair("twins", path, control, taught, seen, Truth.HERE, boxes=boxes)
            made.append(replace(pair, window=True, why="its window twice, one in front"))
    return made


def _some(kind: str, taught: Shown, fits: Callable[[Where, Control], bool]) -> list[tuple[Where, Control]]:
    """Targets of as many roles as there are, always the same ones."""
    rng = random.Random(zlib.crc32(f"{taught.screen.name} {kind}".encode()))
    by_role: dict[str, list[tuple[Where, Control]]] = {}
    for path, control in taught.elements.items():
        box = control.box
        clear = not control.off and control.name and min(box.w, box.h) >= _SMALLEST and box.h <= _HIGHEST
        if clear and fits(path, control):
            by_role.setdefault(control.role, []).append((path, control))
    queues = [rng.sample(queue, len(queue)) for queue in by_role.values()]
    rng.shuffle(queues)
    turns = [target for turn in zip_longest(*queues) for target in turn if target is not None]
    return turns[: _PER_SCREEN.get(kind, 2)]


def _pair(
    kind: str, path: Where, control: Control, taught: Shown, seen: Shown, said: Truth, *, boxes: tuple[Box, ...] = ()
) -> Pair:
    name = f"{taught.screen.name}-{kind}-{zlib.crc32(repr(path).encode()) % 10_000}"
    return Pair(
        name=name, kind=kind, part="apps", family=taught.app.name, taught=taught.screen.name, seen=seen.screen.name,
        box=control.box, label=control.name, role=control.role, truth=said, boxes=boxes,
        window=random.Random(name).random() >= _NO_WINDOW,
    )  # fmt: skip


def _paint(taught: Sequence[Shown], folder: Path) -> Made:
    """Two or three targets of each program's first state."""
    targets = []
    for shown in taught:
        for number, (_, control) in enumerate(_some("painted", shown, lambda *_: True)):
            targets.append(
                Taught(
                    screen=shown.screen, family=shown.app.name, number=number, box=control.box, label=control.name,
                    role=control.role,
                )
            )  # fmt: skip
    return make_painted(targets, folder, part="apps", rng=random.Random(12), most=PAINTED)
