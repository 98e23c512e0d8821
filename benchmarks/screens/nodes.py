"""The `nodes` part of the corpus: screens to be learned, the same ones seen changed, and others never learned."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from benchmarks.screens.applications import Family, chosen
from benchmarks.screens.corpus import INDEX, Screen, save
from benchmarks.screens.kits import KITS
from benchmarks.screens.render import Look, Studio, studio
from benchmarks.screens.shapes import Drawer
from benchmarks.screens.styles import check_fonts, fetch, icon
from benchmarks.screens.widgets import Maker
from benchmarks.screens.words import Words
from execution.types import Box, Window

_PANEL = 30  # height of the desktop's panel, CSS pixels
_WALLS = ("#3b5d7c", "#5b6b57", "linear-gradient(135deg,#2c3e50,#7f8c8d)", "#6d4c5c")
_CHANGES = ("theme", "position", "size")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """One picture of a family: how it is dressed, where its window lies (CSS pixels); `data` seeds what it shows."""

    family: Family
    which: str  # "taught" or "seen"
    number: int
    learned: bool
    look: Look
    place: Box
    data: int
    changes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.family.name.replace('/', '-').lower()}-{self.which}{self.number or ''}"


def plan(seed: int = 7) -> Iterator[Pose]:
    """All pictures: 200 x 1 taught and 200 x 2 seen, then 100 never learned, seen once or twice."""
    learned, unlearned = chosen(seed)
    for family in learned:
        taught = _pose(family, learned=True)
        yield taught
        for number in (1, 2):
            yield _changed(taught, number)
    for index, family in enumerate(unlearned):
        base = _pose(family, learned=False)
        for number in range(1, 2 + index % 2):
            yield _changed(base, number)


def make_nodes(folder: Path, *, again: bool = False) -> list[Screen]:
    """Render all of `plan` into `folder`; raises RuntimeError where the truth of a screen cannot be told."""
    if (folder / INDEX).is_file() and not again:
        print(f"nodes: {folder} is there already (--again makes it anew)")
        return []
    fetch()
    check_fonts()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with studio() as made_in:
        screens = [render(pose, folder, made_in) for pose in plan()]
    save(screens, folder)
    print(f"nodes: {len(screens)} pictures in {time.perf_counter() - started:.0f} s")
    return screens


def render(pose: Pose, folder: Path, made_in: Studio) -> Screen:
    """One picture and its truth; the window is as the system would tell it."""
    look, app = pose.look, pose.family.app
    drawer = Drawer(pose.family, Maker(look.kit, Words(look.lang, random.Random(pose.data))))
    title = drawer.title()
    shot = made_in.shoot(_desktop(drawer.html(), title, pose), look, folder / f"{pose.name}.png")
    if shot.complaints:
        raise RuntimeError(f"screen {pose.name}: {'; '.join(shot.complaints)}")
    return Screen(
        name=pose.name,
        picture=f"{pose.name}.png",
        family=pose.family.name,
        variant={
            "set": "learned" if pose.learned else "unlearned",
            "role": pose.which,
            "changes": ",".join(pose.changes),
            "app": app.name,
            "style": app.style,
            "theme": look.theme,
            "lang": app.lang,
            "scale": f"{look.scale:g}",
            "size": "{}x{}".format(*look.size),
        },
        window=Window(
            title=title, app_name=app.name.lower(), box=Box(*(round(side * look.scale) for side in pose.place))
        ),
        texts=shot.texts,
        elements=shot.elements,
    )


def _pose(family: Family, *, learned: bool) -> Pose:
    """As it is taught: an application is maximised or floats, always alike."""
    app = family.app
    rng = random.Random(zlib.crc32(app.name.encode()))
    size = (1600, 900) if rng.random() < 0.25 else (1280, 800)
    look = Look(kit=KITS[app.style], lang=app.lang, font=app.font, font_px=app.font_px, size=size, accent=app.accent)
    full = Box(0, 0, size[0], size[1] - _PANEL)
    place = full if rng.random() < 0.5 else Box(rng.randint(20, 90), rng.randint(10, 50), size[0] - 200, size[1] - 120)
    data = zlib.crc32(family.name.encode())
    return Pose(family=family, which="taught", number=0, learned=learned, look=look, place=place, data=data)


def _changed(taught: Pose, number: int) -> Pose:
    """As it is seen later: always other data, and for most one or two other changes."""
    rng = random.Random(taught.data + number)
    wanted = set(rng.sample(_CHANGES, rng.choice((0, 1, 1, 2))))
    look, place = taught.look, taught.place
    if "theme" in wanted:
        look = replace(look, accent=(look.accent + rng.choice((60, 120, 180, 240))) % 360)
        if "dark" in look.kit.sheets and rng.random() < 0.5:
            look = replace(look, theme="dark")
    if "size" in wanted:
        look, place = _resized(look, place, rng)
    if "position" in wanted:
        width, height = (round(side / look.scale) for side in look.size)
        w, h = min(place.w, width - 160), min(place.h, height - 110)
        place = Box(rng.randint(0, width - w), rng.randint(0, height - _PANEL - h), w, h)
    changes = ("data", *(c for c in _CHANGES if c in wanted))
    return replace(
        taught, which="seen", number=number, look=look, place=place, data=taught.data + 1000 * number, changes=changes
    )


def _resized(look: Look, place: Box, rng: random.Random) -> tuple[Look, Box]:
    """A larger scale, another screen, or a smaller window."""
    (width, height), how = look.size, rng.randrange(3)
    if how == 0:
        return replace(look, scale=1.25, size=(round(width * 1.25), round(height * 1.25))), place
    if how == 1:
        other = (1600, 900) if look.size == (1280, 800) else (1280, 800)
        return replace(look, size=other), Box(place.x, place.y, place.w + other[0] - width, place.h + other[1] - height)
    return look, Box(place.x, place.y, round(place.w * 0.86), round(place.h * 0.88))


def _desktop(page: str, title: str, pose: Pose) -> str:
    """The application's window on its desktop, with the panel below."""
    x, y, w, h = pose.place
    clock = random.Random(pose.data)
    wall = _WALLS[pose.family.app.accent % len(_WALLS)]
    signs = "".join(f'<a href="#" role="button">{icon(sign)}</a>' for sign in ("dash-lg", "square", "x-lg"))
    return (
        f'<div class="x-desk" style="background:{wall}">'
        f'<div class="x-win" style="left:{x}px;top:{y}px;width:{w}px;height:{h}px">'
        f'<div class="x-title"><span>{escape(title)}</span>{signs}</div><div class="x-client">{page}</div></div>'
        f'<div class="x-panel"><span>{escape(pose.family.app.name)}</span>'
        f'<span class="x-clock">{clock.randint(0, 23):02}:{clock.randint(0, 59):02}</span></div></div>'
    )
