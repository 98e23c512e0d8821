"""The `web` part: pages in a window on a desktop, changed by a script in the page, with truth from the DOM."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import cv2
import numpy as np

from benchmarks.drift import pairs as stored
from benchmarks.drift.board import HIDDEN, Board, Control, View, board
from benchmarks.drift.cases import Case, cases
from benchmarks.drift.changes import KINDS
from benchmarks.drift.painted import Taught, make_painted
from benchmarks.drift.pairs import HALVES, Made, Pair, Truth, half
from benchmarks.drift.turn import Change, Turn, Wanted
from benchmarks.screens.corpus import Screen
from benchmarks.screens.styles import check_fonts, fetch
from execution.types import Box, Window

TAUGHT = "taught.json"
LEAST, PAINTED = 200, 200  # pairs of a kind, and of the trap
_LEAST = {"option": 900, "option absent": 700, "rows": 400}  # a third of all is known by a variable
_PER_SCREEN = {
    "ambiguous": 2, "twins": 2, "removed": 2, "replaced": 2, "removed redrawn": 2, "replaced redrawn": 2,
    "neighbours": 2, "option": 16, "option absent": 12, "rows": 8,
}  # fmt: skip
_DIFFERS = 3.0  # mean difference of pixels, of 255: less is not seen


def make_web(folder: Path) -> None:
    """Make what is missing, kind by kind; a kind that is there is not made again."""
    missing = [kind for kind in (*KINDS, "painted") if not (folder / f"{_file(kind)}.json").is_file()]
    if not missing and (folder / TAUGHT).is_file():
        return
    fetch()
    check_fonts()
    with board() as on:
        started = time.perf_counter()
        taught = [(case, _taught(on, case, folder)) for case in cases()]
        stored.save(Made(screens=tuple(_screen(c.name, c, v, c.name) for c, v in taught), pairs=()), folder / TAUGHT)
        print(f"web: {len(taught)} screens to teach on after {time.perf_counter() - started:.0f} s", flush=True)
        for kind in missing:
            made = _paint(taught, folder) if kind == "painted" else _make(kind, taught, on, folder)
            stored.save(made, folder / f"{_file(kind)}.json")
            took = time.perf_counter() - started
            print(f"web: {kind}: {len(made.pairs)} pairs, {len(made.screens)} screens after {took:.0f} s", flush=True)


def _file(kind: str) -> str:
    return kind.replace(" ", "-")


def _taught(on: Board, case: Case, folder: Path) -> View:
    picture = folder / f"{case.name}.png"
    return on.show(case, picture=None if picture.is_file() else picture)


def _make(kind: str, taught: list[tuple[Case, View]], on: Board, folder: Path) -> Made:
    """Pairs of one kind until there are enough, from one case after the other."""
    rng = random.Random(zlib.crc32(kind.encode()))
    turns = _alternating(taught, rng)
    screens, pairs = list[Screen](), list[Pair]()
    for case, view in turns * 4:
        if len(pairs) >= _LEAST.get(kind, LEAST):
            break
        name = f"{case.name}-{_file(kind)}"
        if again := sum(screen.name.startswith(name) for screen in screens):
            name += f"-{again + 1}"
        turn = Turn(case=case, view=view, rng=random.Random(zlib.crc32(name.encode())), count=_PER_SCREEN.get(kind, 4))
        change = KINDS[kind](turn)
        if change is None or not change.wanted:
            continue
        picture = folder / f"{name}.png"
        after = on.show(change.case, change.ops, picture=picture)
        if change.coded:
            _code(picture, change.coded)
        made = list(_pairs(kind, name, turn, change, after, folder))[: turn.count]
        if not made:
            picture.unlink()
            continue
        screens.append(_screen(name, change.case, after, name))
        pairs += made
    return Made(screens=tuple(screens), pairs=tuple(pairs))


def _code(picture: Path, quality: int) -> None:
    """Put the screen through JPEG, as a remote desktop does."""
    _, coded = cv2.imencode(".jpg", cv2.imread(str(picture)), [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not cv2.imwrite(str(picture), cv2.imdecode(coded, cv2.IMREAD_COLOR), [cv2.IMWRITE_PNG_COMPRESSION, 3]):
        raise OSError(f"{picture} cannot be written")


def _alternating(taught: list[tuple[Case, View]], rng: random.Random) -> list[tuple[Case, View]]:
    """The cases in a random order, one from each half of the families in turn."""
    shuffled = rng.sample(taught, len(taught))
    halves = [[turn for turn in shuffled if half(turn[0].family) == name] for name in HALVES]
    return [turn for pair in zip_longest(*halves) for turn in pair if turn is not None]


def _paint(taught: list[tuple[Case, View]], folder: Path) -> Made:
    """Two targets of each case, of different roles."""
    rng = random.Random(11)
    targets: list[list[Taught]] = [[], []]
    for case, view in _alternating(taught, rng):
        screen = _screen(case.name, case, view, case.name)
        for place, control in enumerate(Turn(case=case, view=view, rng=rng, count=2).some()):
            targets[place].append(
                Taught(
                    screen=screen, family=case.family, number=control.number, box=control.box,
                    label=control.name or control.role, role=control.role,
                )
            )  # fmt: skip
    return make_painted([*targets[0], *targets[1]], folder, part="web", rng=rng, most=PAINTED)


def _pairs(kind: str, name: str, turn: Turn, change: Change, after: View, folder: Path) -> Iterator[Pair]:
    before = turn.view
    if kind == "language" and [c.role for c in before.controls] != [c.role for c in after.controls]:
        return  # another number of things: nobody could say which is which
    if not all(after.ok):
        return
    for wanted in change.wanted:
        taught, right = before.controls[wanted.taught], after.controls[wanted.right]
        truth = _truth(wanted, change, right, after)
        if truth is None or (change.must_differ and _looks_the_same(turn.case.name, name, taught, right, folder)):
            continue
        yield Pair(
            name=f"{name}-{wanted.taught}",
            kind=kind,
            part="web",
            family=turn.case.family,
            taught=turn.case.name,
            seen=name,
            box=taught.box,
            label=taught.name or taught.role,
            role=taught.role,
            truth=truth,
            boxes=right.boxes if truth is Truth.HERE else (),
            row=("{{record}}",) if wanted.row else (),
            text="{{choice}}" if wanted.choice else "",
            dress=turn.case.look.kit.name,
            variables={"record": wanted.row} if wanted.row else {"choice": wanted.choice} if wanted.choice else {},
            window=turn.rng.random() >= change.no_window,
            why=wanted.why or change.why,
        )


def _truth(wanted: Wanted, change: Change, right: Control, after: View) -> Truth | None:
    """What the page says of it afterwards; None where that is neither one thing nor the other."""
    if wanted.truth is Truth.HERE:
        return Truth.HERE if right.usable and _twin_shows(wanted, after, missing=True) else None
    if wanted.truth is Truth.AMBIGUOUS:
        return Truth.AMBIGUOUS if right.usable and _twin_shows(wanted, after, missing=False) else None
    if wanted.choice is not None:
        return Truth.GONE  # nothing on the page is called so
    replaced = any(op["op"] == "replace" and op["id"] == wanted.right for op in change.ops)
    return Truth.GONE if right.off or right.reach <= HIDDEN or replaced else None


def _twin_shows(wanted: Wanted, after: View, *, missing: bool) -> bool:
    twins = [twin for twin in after.twins if twin.number == wanted.right]
    return twins[0].usable if twins else missing


def _looks_the_same(taught: str, seen: str, before: Control, after: Control, folder: Path) -> bool:
    one, two = (_crop(folder / f"{n}.png", c.also or c.box) for n, c in ((taught, before), (seen, after)))
    return (
        one.shape == two.shape
        and float(np.abs(one.astype(int) - two).mean()) < _DIFFERS
        and _same(folder, taught, seen, before.box, after.box)
    )


def _same(folder: Path, taught: str, seen: str, before: Box, after: Box) -> bool:
    one, two = _crop(folder / f"{taught}.png", before), _crop(folder / f"{seen}.png", after)
    return one.shape == two.shape and float(np.abs(one.astype(int) - two).mean()) < _DIFFERS


def _crop(file: Path, box: Box) -> np.ndarray:
    pixels = cv2.imread(str(file), cv2.IMREAD_COLOR)
    assert pixels is not None, file
    return np.asarray(pixels[box.y : box.bottom, box.x : box.right])


def _screen(name: str, case: Case, view: View, picture: str) -> Screen:
    look = case.look
    return Screen(
        name=name,
        picture=f"{picture}.png",
        family=case.family,
        variant={
            "style": look.kit.name, "theme": look.theme, "lang": look.lang, "font": look.font,
            "font_px": str(look.font_px), "scale": f"{look.scale:g}", "size": "{}x{}".format(*look.size),
        },
        window=Window(title=view.title, app_name=case.app.lower(), box=view.window),
    )  # fmt: skip
