"""The `wide` part of the corpus, for elements alone: more pages, in every style sheet; parts of it are never tuned on.

Pages with tables, cards, segments, calendars, trees and dense lists are added to those of the `web` part, and style
sheets by other hands to its six. What a page cuts short is no matter here: its texts are not measured.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.drift.pages import OTHERS, ROWS
from benchmarks.screens.corpus import INDEX, Screen, save
from benchmarks.screens.dense import DENSE
from benchmarks.screens.kits import KITS, MORE_KITS
from benchmarks.screens.pages import Page
from benchmarks.screens.render import Look, Studio, studio
from benchmarks.screens.styles import FONTS, ICON_SETS, check_fonts, fetch
from benchmarks.screens.web import PAGES as OF_WEB
from benchmarks.screens.web import Planned
from benchmarks.screens.widgets import Maker
from benchmarks.screens.words import Words
from execution.types import Box, Window

PAGES: dict[str, Page] = {**OF_WEB, **ROWS, "month": OTHERS["calendar"], **DENSE}
COUNT = 84  # each of the 28 pages three times
# What nobody looked at while the detector was made: these are reported by themselves.
UNSEEN_KITS = frozenset({"sakura", "new", "chota", "uikit", "7"})
UNSEEN_PAGES = frozenset({"visits", "explorer", "ledger", "messages", "dashboard", "files"})
_SIZES = (((1366, 768), 1.0), ((1920, 1080), 1.0), ((1600, 900), 1.25), ((1920, 1080), 1.5), ((1440, 900), 1.0))
_FONT_SIZES = (14, 13, 15, 12, 16)


def plan(count: int = COUNT) -> list[Planned]:
    """Every page in turn, each time in another style sheet, icon set, language, theme, size and font."""
    rng, kits, icons, planned = random.Random(97), [*KITS.values(), *MORE_KITS.values()], list(ICON_SETS), []
    pages = list(PAGES)
    for number in range(count):
        turn, place = divmod(number, len(pages))
        kit = kits[(place + 6 * turn) % len(kits)]
        size, scale = _SIZES[(number + turn) % len(_SIZES)]
        look = Look(
            kit=kit, theme="dark" if "dark" in kit.sheets and rng.random() < 0.8 else "light",
            lang=("en", "fr")[(place + turn) % 2], font=FONTS[number % len(FONTS)],
            font_px=_FONT_SIZES[(number + turn) % len(_FONT_SIZES)], scale=scale, size=size, accent=rng.randrange(360),
            icons=icons[number % len(icons)],
        )  # fmt: skip
        planned.append(Planned(f"{pages[place]}-{turn}", pages[place], look, seed=1000 + number))
    return planned


def fold(screen: Screen) -> str:
    """`tuned on`, `other kits` or `other pages`: what was looked at while the detector was made, and what was not."""
    if screen.family in UNSEEN_PAGES:
        return "other pages"
    return "other kits" if screen.variant["style"] in UNSEEN_KITS else "tuned on"


def make_wide(folder: Path, *, again: bool = False, count: int = COUNT) -> Sequence[Screen]:
    """Render the pages into `folder`."""
    if (folder / INDEX).is_file() and not again:
        print(f"wide: {folder} is there already (--again makes it anew)")
        return []
    fetch()
    check_fonts()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with studio() as made_in:
        screens = [_render(planned, folder, made_in) for planned in plan(count)]
    save(screens, folder)
    print(f"wide: {len(screens)} pictures in {time.perf_counter() - started:.0f} s")
    return screens


def _render(planned: Planned, folder: Path, made_in: Studio) -> Screen:
    look, name = planned.look, planned.name
    maker = Maker(look.kit, Words(look.lang, random.Random(planned.seed)), lines=look.lines)
    shot = made_in.shoot(PAGES[planned.page](maker), look, folder / f"{name}.png")
    return Screen(
        name=name,
        picture=f"{name}.png",
        family=planned.page,
        variant={"style": look.kit.name, "theme": look.theme, "icons": look.icons, "scale": f"{look.scale:g}"},
        window=Window(title=planned.page, app_name="chromium", box=Box(0, 0, *look.size)),
        texts=shot.texts,
        elements=shot.elements,
    )
