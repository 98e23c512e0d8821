"""Pairs of programs' screens: which targets of one look are to be found in another, and which are gone."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.drift import pairs as stored
from benchmarks.drift.app_options import options
from benchmarks.drift.app_records import records
from benchmarks.drift.app_screens import Control, Shown
from benchmarks.drift.changed_pictures import another_in_its_place, as_jpeg, greyed
from benchmarks.drift.dresses import HELD, REMOTE, TAUGHT, VALUES
from benchmarks.drift.painted import HOWS, painted
from benchmarks.drift.pairs import Made, Pair, Truth
from benchmarks.screens.corpus import Screen
from execution.types import Box, ElementRole

_SMALLEST, _HIGHEST = 9, 200  # pixels: a whole sheet of text is not one target
_COVERED = 0.98  # of a target's area
_MOST = {
    "removed": 190, "disabled": 90, "painted": 130, "replaced": 110, "theme": 330, "option": 520,
    "option absent": 300, "remote": 170,
}  # fmt: skip
_OFTEN = 6  # pairs of a kind that have the same target
_USUAL = 220  # pairs of a kind, where it has no number of its own
_EACH = {"covered": 6, "disabled": 3, "moved": 4, "resized": 4, "data": 5, "twins": 3}  # pairs of two screens; else 2
_SEEN_IN = 8  # other screens of the same program, of all looks
QUALITIES = (70, 45, 30)  # of JPEG

Where = tuple[str, Control]


def make(shown: Sequence[Shown], folder: Path) -> dict[str, int]:
    """Write every kind's pairs, and tell how many there are."""
    by = {(one.dress, one.app, one.state): one for one in shown}
    wide = [one for one in shown if one.over is None]
    screens = [one.screen for one in shown]
    stored.save(Made(screens=tuple(screens), pairs=()), folder / "screens.json")
    made: dict[str, Made] = {}
    for kind, held in HELD.items():
        if kind == "remote":  # besides, pictures that are coded as remote desktops do
            continue
        made[kind] = _made(kind, [pair for one, other in _both(by, held) for pair in _same(kind, one, other)])
    for kind in ("moved", "resized", "data"):
        made[kind] = _made(kind, [p for one, other in _both(by, [(TAUGHT, kind)]) for p in _same(kind, one, other)])
    made["twins"] = _made("twins", [p for one, two in _both(by, [(TAUGHT, "twins")]) for p in _in_front(one, two)])
    made["covered"] = _made("covered", list(_covered(by)))
    made["removed"] = _made("removed", list(_removed(wide)))
    for kind, values in options(_both(by, VALUES)).items():
        made[kind] = _made(kind, [_pair(kind, *given, **more) for given, more in values])
    looks = dict.fromkeys((*VALUES, *HELD["theme"], *HELD["scale"], (TAUGHT, "moved")))
    for kind, rows in records(_both(by, list(looks))).items():
        made[kind] = Made(screens=(), pairs=tuple(_in_row(kind, *given, **more) for given, more in rows))
    made["disabled"] = _disabled(by, wide, folder)
    for kind, change in (("painted", _paint), ("replaced", _replace)):
        made[kind] = _changed(kind, by, folder, change)
    made["remote"] = _remote(by, folder)
    for kind, one in made.items():
        stored.save(one, folder / f"{kind.replace(' ', '-')}.json")
    return {kind: len(one.pairs) for kind, one in made.items()}


def _made(kind: str, pairs: list[Pair], screens: Iterable[Screen] = ()) -> Made:
    """As many as are wanted of a kind, programs in turn."""
    rng = random.Random(zlib.crc32(kind.encode()))
    by_app: dict[str, list[Pair]] = {}
    for pair in rng.sample(pairs, len(pairs)):
        by_app.setdefault(pair.family, []).append(pair)
    turns = [p for turn in zip_longest(*by_app.values()) for p in turn if p is not None]
    counts: Counter[tuple[str, str]] = Counter()
    kept: dict[str, Pair] = {}
    for pair in turns:
        counts[pair.family, pair.label] += 1
        if counts[pair.family, pair.label] <= _OFTEN:
            kept[pair.name] = pair
    return Made(screens=tuple(screens), pairs=tuple(kept.values())[: _MOST.get(kind, _USUAL)])


def _in_row(kind: str, *given: Any, record: str, boxes: tuple[Box, ...] = ()) -> Pair:
    pair = _pair(kind, *given, boxes=boxes, why=record)
    return replace(pair, name=f"{pair.name}-{record}", row=("{{record}}",), variables={"record": record})


def _both(by: dict, held: Sequence[tuple[str, str]]) -> list[tuple[Shown, Shown]]:
    return [
        (one, by[seen, app, state])
        for taught, seen in held
        for (dress, app, state), one in by.items()
        if dress == taught and (seen, app, state) in by
    ]


def _same(kind: str, taught: Shown, seen: Shown) -> Iterator[Pair]:
    """Targets that are on both pictures."""
    preferred = "icon" if kind == "icons" else ""
    for path, control in some(kind, taught, seen, lambda path, _: answers(kind, taught, seen, path), first=preferred):
        yield _pair(kind, path, control, taught, seen, boxes=(seen.elements[path].box,))


def answers(kind: str, taught: Shown, seen: Shown, path: str) -> bool:
    """Whether the same control is there to be clicked: by its place in the tree, and its name unless that changes."""
    other = seen.elements.get(path)
    if other is None or not seen.is_clear(other) or other.role != taught.elements[path].role:
        return False
    if other.role == ElementRole.TEXT and not (taught.is_once(taught.elements[path]) and seen.is_once(other)):
        return False  # data; which of several alike was meant nobody could tell
    if kind == "language":
        return taught.siblings(path) == seen.siblings(path)
    alike = bool(taught.nodes[path][1]) or taught.siblings(path) == seen.siblings(path)
    return alike and taught.nodes[path] == seen.nodes[path]


def _there(taught: Shown, seen: Shown) -> Callable[[str, Control], bool]:
    return lambda path, _: answers("", taught, seen, path)


def _in_front(taught: Shown, seen: Shown) -> Iterator[Pair]:
    """Targets that were there once and are there twice now: the one in the window that has the focus is meant."""
    front = seen.screen.window.box if seen.screen.window else None

    def alike(shown: Shown, control: Control) -> list[Control]:
        return [c for c in shown.elements.values() if (c.role, c.name) == (control.role, control.name)]

    def is_twice(_: str, control: Control) -> bool:
        return len(alike(taught, control)) == 1 and len(alike(seen, control)) == 2

    for path, control in some("twins", taught, seen, is_twice):
        boxes = tuple(c.box for c in alike(seen, control) if front and front.contains(c.box.center) and not c.off)
        if len(boxes) == 1:
            pair = _pair("twins", path, control, taught, seen, boxes=boxes)
            yield replace(pair, window=True, why="its window twice, one in front")


def _covered(by: dict) -> Iterator[Pair]:
    for where in ("upper", "lower"):
        for (dress, app, state), seen in by.items():
            taught = by.get((TAUGHT, app, state))
            over = seen.over
            if dress == f"covered-{where}" and taught is not None and over is not None:
                for path, control in some(f"covered {where}", taught, seen, _within(over), count=_EACH["covered"]):
                    pair = _pair("covered", path, control, taught, seen, Truth.GONE)
                    # Where the other program says the same, only who knows of windows can tell them apart.
                    yield replace(pair, window=pair.window or _is_named_in(seen)(path, control))


def _within(over: Box) -> Callable[[str, Control], bool]:
    return lambda _, control: control.box.intersection(over).area >= _COVERED * control.box.area


def _greyed(shown: Sequence[Shown]) -> Iterator[Pair]:
    """What could be clicked in one state of a program is greyed in another, whatever the look."""
    rng = random.Random(32)
    for taught in shown:
        alike = [s for s in shown if s.app == taught.app and s is not taught and _language(s) == _language(taught)]
        for seen in rng.sample(alike, min(_SEEN_IN, len(alike))):
            for path, control in some("disabled", taught, seen, _greys(taught, seen)):
                yield _pair("disabled", path, control, taught, seen, Truth.GONE)


def _greys(taught: Shown, seen: Shown) -> Callable[[str, Control], bool]:
    def is_greyed(path: str, _: Control) -> bool:
        return path in seen.elements and seen.elements[path].off and taught.nodes[path] == seen.nodes[path]

    return is_greyed


def _removed(shown: Sequence[Shown]) -> Iterator[Pair]:
    """Gone with the state of the program, or taught in another program, of which nothing shows."""
    rng = random.Random(31)
    for taught in shown:
        told = [s for s in shown if _language(s) == _language(taught)]
        own = [s for s in told if s.app == taught.app and s.state != taught.state]
        others = [s for s in told if s.app != taught.app]
        for seen, why in (*((s, "") for s in rng.sample(own, min(2, len(own)))), *_alike(taught, others, rng)):
            if seen.dress == "twins" or taught.dress == "twins":
                continue
            gone = _is_not_in(seen) if not why or why == "another program" else _is_named_in(seen)
            for path, control in some(f"removed {why}", taught, seen, gone, count=1 if why else 2):
                pair = _pair("removed", path, control, taught, seen, Truth.GONE, why=why)
                yield replace(pair, window=True) if why == "the same words in another program" else pair


def _alike(taught: Shown, others: Sequence[Shown], rng: random.Random) -> Iterator[tuple[Shown, str]]:
    named = {(c.role, c.text) for c in taught.elements.values() if c.text}
    same = [s for s in others if any((c.role, c.text) in named for c in s.elements.values())]
    if same and taught.dress not in REMOTE:  # there the window is the client's, whatever is shown in it
        yield rng.choice(same), "the same words in another program"
    yield rng.choice(others), "another program"


def _is_not_in(seen: Shown) -> Callable[[str, Control], bool]:
    """Nothing of that name and no place of it is left, and so no menu that merely covers it."""
    names = {name.casefold() for _, name in seen.nodes.values()} | {c.text.casefold() for c in seen.elements.values()}

    def is_not(path: str, control: Control) -> bool:
        return path not in seen.nodes and bool(control.name) and control.name.casefold() not in names

    return is_not


def _is_named_in(seen: Shown) -> Callable[[str, Control], bool]:
    named = {(c.role, c.text) for c in seen.elements.values()}
    return lambda _, control: bool(control.text) and (control.role, control.text) in named


def _language(shown: Shown) -> str:
    return shown.dress if shown.dress in ("fr", "de") else "en"


def _plain(by: dict, rng: random.Random) -> list[tuple[Shown, Shown]]:
    """Looks held together once more, for pictures that are changed: every program in turn."""
    held = [pair for kind in ("theme", "icons", "font", "scale") for pair in HELD[kind]]
    both = [*_both(by, held), *_both(by, [(TAUGHT, TAUGHT), (TAUGHT, "moved"), (TAUGHT, "resized")])]
    by_app: dict[str, list[tuple[Shown, Shown]]] = {}
    for pair in rng.sample(both, len(both)):
        by_app.setdefault(pair[0].app, []).append(pair)
    return [pair for turn in zip_longest(*by_app.values()) for pair in turn if pair is not None]


# The picture without the target that stands at a place in the tree, and how it was made.
Change = Callable[[Shown, str, Path, random.Random], tuple[np.ndarray | None, str]]


def _changed(kind: str, by: dict, folder: Path, change: Change) -> Made:
    """Pictures in which one target is gone that would be there, each for one pair."""
    rng = random.Random(zlib.crc32(kind.encode()))
    screens, pairs = list[Screen](), list[Pair]()
    for taught, seen in _plain(by, rng):
        for path, control in some(kind, taught, seen, _there(taught, seen), count=3):
            picture, why = change(seen, path, folder, rng)
            if picture is not None:
                screens.append(_picture(seen, f"{kind}-{zlib.crc32(path.encode()) % 10_000}", picture, folder))
                pair = _pair(kind, path, control, taught, seen, Truth.GONE, why=why)
                name = screens[-1].name
                pairs.append(replace(pair, seen=name, name=f"{taught.screen.name}-{name}"))
                break
        if len(pairs) >= _MOST[kind]:
            break
    return _made(kind, pairs, {screen.name: screen for screen in screens}.values())


def _paint(seen: Shown, path: str, folder: Path, rng: random.Random) -> tuple[np.ndarray | None, str]:
    how = rng.choice(HOWS)
    return painted(seen.screen.pixels(folder), seen.elements[path].box, how), how


def _replace(seen: Shown, path: str, folder: Path, rng: random.Random) -> tuple[np.ndarray | None, str]:
    """Another one of its group, as large, where the target would be; a bare box to tick is told by its label alone."""
    control = seen.elements[path]
    told = bool(control.text) or control.role == ElementRole.ICON
    picture = another_in_its_place(seen.screen.pixels(folder), path, seen.elements, rng) if told else None
    return picture, "another of its group in its place"


def _fade(seen: Shown, path: str, folder: Path, rng: random.Random) -> tuple[np.ndarray | None, str]:
    control = seen.elements[path]
    told = control.role in (ElementRole.BUTTON, ElementRole.ICON, ElementRole.MENU_ITEM, ElementRole.TAB)
    return greyed(seen.screen.pixels(folder), control.box) if told else None, "greyed"


def _disabled(by: dict, shown: Sequence[Shown], folder: Path) -> Made:
    """Those that the programs grey themselves, and as many again that are greyed on the picture."""
    own = _made("disabled", list(_greyed(shown)))
    more = _changed("disabled", by, folder, _fade)
    return Made(screens=more.screens, pairs=(*own.pairs, *more.pairs))


def _remote(by: dict, folder: Path) -> Made:
    """Seen through a client of remote desktops; besides, pictures of other looks as such a client would send them."""
    real = []
    for taught, seen in _both(by, HELD["remote"]):
        told = taught.dress in REMOTE  # else it was another window that was taught
        real += [replace(pair, window=pair.window and told, why=seen.dress) for pair in _same("remote", taught, seen)]
    rng = random.Random(14)
    screens, pairs = list[Screen](), list[Pair]()
    for number, (taught, seen) in enumerate(_plain(by, rng)[: max(60, _MOST["remote"] - len(real))]):
        quality = QUALITIES[number % len(QUALITIES)]
        fresh = list(_same("remote", taught, seen))
        if fresh:
            screen = _picture(seen, f"jpeg-{quality}", as_jpeg(seen.screen.pixels(folder), quality), folder)
            screens.append(screen)
            pairs += [replace(p, seen=screen.name, name=f"{p.name}-jpeg", why=f"JPEG {quality}") for p in fresh]
    named = {screen.name: screen for screen in screens}
    return Made(screens=tuple(named.values()), pairs=(*_made("remote", real).pairs, *_made("remote", pairs).pairs))


def _picture(seen: Shown, what: str, pixels: np.ndarray, folder: Path) -> Screen:
    name = f"{seen.screen.name}-{what}"
    if not cv2.imwrite(str(folder / f"{name}.png"), pixels, [cv2.IMWRITE_PNG_COMPRESSION, 3]):
        raise OSError(f"{folder / name}.png cannot be written")
    return replace(seen.screen, name=name, picture=f"{name}.png")


def some(
    kind: str, taught: Shown, seen: Shown, fits: Callable[[str, Control], bool], *, count: int = 0, first: str = ""
) -> list[Where]:
    """Targets of as many roles as there are, always the same ones; those of the role `first` before others."""
    rng = random.Random(zlib.crc32(f"{taught.screen.name} {seen.screen.name} {kind}".encode()))
    by_role: dict[str, list[Where]] = {}
    for path, control in taught.elements.items():
        if teachable(control, taught) and fits(path, control):
            by_role.setdefault(control.role, []).append((path, control))
    queues = [rng.sample(queue, len(queue)) for queue in by_role.values()]
    rng.shuffle(queues)
    turns = [target for turn in zip_longest(*queues) for target in turn if target is not None]
    turns.sort(key=lambda target: bool(first) and target[1].role != first)
    return turns[: count or _EACH.get(kind, 2)]


def teachable(control: Control, shown: Shown) -> bool:
    box = control.box
    sized = min(box.w, box.h) >= _SMALLEST and box.h <= _HIGHEST
    known = control.role == ElementRole.FIELD or (bool(control.name) and shown.is_once(control))
    return sized and known and shown.is_clear(control)


def _pair(
    kind: str, path: str, control: Control, taught: Shown, seen: Shown, said: Truth = Truth.HERE,
    *, boxes: tuple[Box, ...] = (), why: str = "", choice: str = "",
) -> Pair:  # fmt: skip
    where = zlib.crc32(f"{path} {choice}".encode()) % 100_000
    name = f"{taught.screen.name}-{seen.screen.name}-{kind.replace(' ', '-')}-{where}"
    return Pair(
        name=name, kind=kind, part="apps", family=taught.app, taught=taught.screen.name, seen=seen.screen.name,
        box=control.box, label=control.name or control.role, role=control.role, truth=said, boxes=boxes,
        text="{{choice}}" if choice else "", variables={"choice": choice} if choice else {},
        dress=seen.worn, window=random.Random(name).random() < 0.5, why=why,
    )  # fmt: skip
