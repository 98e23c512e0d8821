"""The `web` part of the corpus: pages of every kind, in six styles, two languages, two themes and four scales."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.screens.corpus import INDEX, Screen, save
from benchmarks.screens.general import GENERAL
from benchmarks.screens.kits import KITS
from benchmarks.screens.office import OFFICE
from benchmarks.screens.pages import WARD
from benchmarks.screens.render import Look, Studio, studio
from benchmarks.screens.styles import FONTS, check_fonts, fetch
from benchmarks.screens.widgets import Maker
from benchmarks.screens.words import Words
from execution.types import Box, Window

PAGES = WARD | GENERAL | OFFICE
COUNT = 68  # each of the 17 pages four times
# Picture and scale; fonts are in CSS pixels, so what is small at 1 is sharp at 2.
_SIZES = (
    ((1366, 768), 1.0),
    ((1920, 1080), 1.0),
    ((1600, 900), 1.25),
    ((1920, 1080), 1.5),
    ((2560, 1600), 2.0),
    ((1440, 900), 1.0),
    ((1920, 1200), 1.25),
    ((2560, 1440), 1.5),
)
_FONT_SIZES = (14, 12, 16, 13, 15)


@dataclass(frozen=True, slots=True)
class Planned:
    """One picture to be made."""

    name: str
    page: str
    look: Look
    seed: int


def plan(count: int = COUNT) -> list[Planned]:
    """Every page in turn, each time with another style, language, theme, size and font."""
    rng, kits, planned = random.Random(41), list(KITS.values()), []
    pages = list(PAGES)
    for number in range(count):
        turn, place = divmod(number, len(pages))
        kit = kits[(place + turn) % len(kits)]
        theme = "dark" if "dark" in kit.sheets and rng.random() < 0.5 else "light"
        size, scale = _SIZES[(number + turn) % len(_SIZES)]
        look = Look(
            kit=kit,
            theme=theme,
            lang=("en", "fr")[(place + turn) % 2],
            font=FONTS[number % len(FONTS)],
            font_px=_FONT_SIZES[number % len(_FONT_SIZES)],
            scale=scale,
            size=size,
            accent=rng.randrange(360),
        )
        planned.append(Planned(f"{pages[place]}-{turn}", pages[place], look, seed=number))
    return planned


def make_web(folder: Path, *, again: bool = False, count: int = COUNT) -> list[Screen]:
    """Render the pages into `folder`; raises RuntimeError where the truth of a page cannot be told from its DOM."""
    if (folder / INDEX).is_file() and not again:
        print(f"web: {folder} is there already (--again makes it anew)")
        return []
    fetch()
    check_fonts()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with studio() as made_in:
        screens = [render(planned, folder, made_in) for planned in plan(count)]
    save(screens, folder)
    print(f"web: {len(screens)} pictures in {time.perf_counter() - started:.0f} s")
    return screens


def render(planned: Planned, folder: Path, made_in: Studio) -> Screen:
    """One page: picture, truth, and how it was dressed."""
    look, name = planned.look, planned.name
    maker = Maker(look.kit, Words(look.lang, random.Random(planned.seed)), lines=look.lines)
    shot = made_in.shoot(PAGES[planned.page](maker), look, folder / f"{name}.png")
    if shot.complaints:
        raise RuntimeError(f"page {name} ({look.kit.name}, {look.lang}): {'; '.join(shot.complaints)}")
    return Screen(
        name=name,
        picture=f"{name}.png",
        family=planned.page,
        variant={
            "style": look.kit.name,
            "theme": look.theme,
            "lang": look.lang,
            "font": look.font,
            "font_px": str(shot.font_px),
            "scale": f"{look.scale:g}",
            "size": "{}x{}".format(*look.size),
        },
        window=Window(title=planned.page, app_name="chromium", box=Box(0, 0, *look.size)),
        texts=shot.texts,
        elements=shot.elements,
    )
