"""The web pages as they are taught: some thirty pages in several dresses, and 18 screens of made-up applications."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass, replace
from html import escape

from benchmarks.drift.pages import OTHERS, ROWS
from benchmarks.screens.applications import APPLICATIONS, Family, families
from benchmarks.screens.kits import KITS, MORE_KITS
from benchmarks.screens.render import Look
from benchmarks.screens.shapes import Drawer
from benchmarks.screens.styles import FONTS, ICON_SETS, icon
from benchmarks.screens.web import PAGES
from benchmarks.screens.widgets import Maker
from benchmarks.screens.words import Words
from execution.types import Box

PANEL = 30  # height of the desktop's panel, CSS pixels
_ALL = PAGES | ROWS | OTHERS
_WALLS = ("#3b5d7c", "#5b6b57", "linear-gradient(135deg,#2c3e50,#7f8c8d)", "#6d4c5c")
# Picture, scale: most are what the time to resolve is promised for.
_SCREENS = (((1920, 1080), 1.0), ((1920, 1080), 1.0), ((1366, 768), 1.0), ((1920, 1080), 1.0), ((2560, 1440), 1.5))
_SHAPES = ("list", "form", "record", "settings", "dialog", "wizard", "menu", "search", "login", "home")
_ICONS = tuple(ICON_SETS)
_FILLER = 4  # paragraphs below all else: what is long enough scrolls


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One page in one dress; `place` is its window on the desktop in CSS pixels, `data` seeds what it shows."""

    name: str
    family: str
    look: Look
    place: Box
    data: int
    screen: Family | None = None

    def title(self) -> str:
        """What its title bar says in its language."""
        if self.screen:
            return _drawer(self).title()
        return f"{self.family.capitalize()} – {'Chromium' if self.look.lang == 'en' else 'Navigateur Chromium'}"

    def page(self) -> str:
        """The page within the window, with text below its own."""
        maker = Maker(self.look.kit, self.words(), lines=34)
        html = _drawer(self).html() if self.screen else _ALL[self.family](maker)
        words = Words(self.look.lang, random.Random(self.data + 1))
        text = "".join(f"<p>{escape(words.paragraph(3))}</p>" for _ in range(_FILLER))
        filler = f'<div data-filler style="margin-top:1.5em">{text}</div>'
        main = html.rindex('<div class="x-main')
        end = _end_of(html, main)
        return html[:end] + filler + html[end:]

    def words(self) -> Words:
        return Words(self.look.lang, random.Random(self.data))

    def desktop(self) -> str:
        """The whole desktop: the window in front, another program's behind it, the panel below."""
        x, y, w, h = self.place
        wall = _WALLS[zlib.crc32(self.family.encode()) % len(_WALLS)]
        words = Words(self.look.lang, random.Random(self.data + 2))
        lines = "".join(f"<p style='margin:.2em 0'>{escape(words.paragraph(1))}</p>" for _ in range(14))
        width, height = (round(side / self.look.scale) for side in self.look.size)
        left, top, across, down = width // 2, height // 3, width // 2 - 40, height // 2
        behind = f"left:{left}px;top:{top}px;width:{across}px;height:{down}px;background:#f4f4ee;color:#333"
        return (
            f'<div class="x-desk" style="background:{wall}">'
            f'<div class="x-win" style="{behind}">'
            f'{_bar("notes.txt")}<div class="x-client" style="padding:.6em">{lines}</div></div>'
            f'<div class="x-win x-front" style="left:{x}px;top:{y}px;width:{w}px;height:{h}px">'
            f'{_bar(self.title())}<div class="x-client">{self.page()}</div></div>'
            f'<div class="x-panel"><span>{escape(self.app)}</span><span>notes.txt</span>'
            f'<span class="x-clock">{9 + self.data % 9:02}:{self.data % 60:02}</span></div></div>'
        )

    @property
    def app(self) -> str:
        return self.screen.app.name if self.screen else "Chromium"

    def dressed(self, **changes: object) -> Case:
        """The same page in another dress."""
        return replace(self, look=replace(self.look, **changes))  # type: ignore[arg-type]


def cases() -> list[Case]:
    """Every page in two styles, those with rows in three; always the same."""
    rng = random.Random(5)
    made = []
    pages = [*_ALL, *ROWS, "patients", "invoices", "invoice", *OTHERS, *_ALL]
    kits = [*KITS.values(), *MORE_KITS.values()]
    for number, page in enumerate(pages):
        kit = kits[(number * 5 + number // len(kits)) % len(kits)]
        look = Look(
            kit=kit, lang=("en", "fr")[number % 2], font=FONTS[number % len(FONTS)],
            font_px=(14, 13, 15, 14)[number % 4], accent=rng.randrange(360),
            theme="dark" if "dark" in kit.sheets and rng.random() < 0.2 else "light",
            icons=_ICONS[number % len(_ICONS)],
        )  # fmt: skip
        made.append(_placed(f"{page}-{number}", page, look, number, rng))
    chosen = list(zip(_SHAPES * 2, (*APPLICATIONS, *APPLICATIONS), strict=False))[:18]
    for number, (shape, app) in enumerate(chosen, start=len(pages)):
        screen = rng.choice([family for family in families(app) if family.shape == shape])
        look = Look(kit=KITS[app.style], lang=app.lang, font=app.font, font_px=app.font_px, accent=app.accent)
        made.append(_placed(f"{app.name.lower()}-{shape}-{number}", app.name, look, number, rng, screen=screen))
    return made


def _placed(
    name: str, family: str, look: Look, number: int, rng: random.Random, *, screen: Family | None = None
) -> Case:
    size, scale = _SCREENS[number % len(_SCREENS)]
    width, height = (round(side / scale) for side in size)
    if size[0] == 1366 or rng.random() < 0.15:
        place = Box(0, 0, width, height - PANEL)
    else:
        w, h = rng.randrange(1080, 1281, 20), rng.randrange(height - 280, height - 160, 20)
        place = Box(rng.randrange(60, width - w - 60, 2), rng.randrange(24, height - PANEL - h, 2), w, h)
    data = zlib.crc32(name.encode()) % 100_000
    return Case(
        name=name, family=family, look=replace(look, size=size, scale=scale), place=place, data=data, screen=screen
    )


def _drawer(case: Case) -> Drawer:
    assert case.screen
    return Drawer(case.screen, Maker(case.look.kit, case.words()))


def _bar(title: str) -> str:
    signs = "".join(f'<a href="#" role="button">{icon(sign)}</a>' for sign in ("dash-lg", "square", "x-lg"))
    return f'<div class="x-title"><span>{escape(title)}</span>{signs}</div>'


def _end_of(html: str, start: int) -> int:
    """Where the <div> that opens at `start` is closed."""
    depth, at = 0, start
    while True:
        opened, closed = html.find("<div", at), html.find("</div>", at)
        if opened != -1 and opened < closed:
            depth, at = depth + 1, opened + 4
        else:
            depth, at = depth - 1, closed + 6
            if depth == 0:
                return closed
