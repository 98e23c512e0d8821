"""Applications with their screens, for asking which screen a picture shows: alike within one application, as in life.

An application has a name, a style, a menu and a few kinds of record. Of each kind it has a list, a record with tabs,
forms, dialogs and so on; headings, labels and buttons are what tells these screens apart. Data is drawn anew for each
picture.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.screens.vocabulary import DOMAINS, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """`titles`: "record" puts the record into the window's title, "screen" the screen's name, "same" neither."""

    name: str
    style: str
    lang: str
    domain: str
    accent: int
    font: str
    font_px: int
    layout: str  # "bar", "side" or "menu"
    titles: str

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return DOMAINS[self.domain]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One screen of an application as a person names it; `detail` says which tab, form or dialog."""

    app: Application
    shape: str
    kind: int = 0
    detail: int = 0

    @property
    def name(self) -> str:
        return f"{self.app.name}/{self.shape}-{self.kind}-{self.detail}"


_FIELDS = ("name", "style", "lang", "domain", "accent", "font", "font_px", "layout", "titles")
APPLICATIONS = tuple(
    Application(**dict(zip(_FIELDS, row, strict=True)))  # type: ignore[arg-type]
    for row in (
        ("UrgaCare", "bootstrap", "fr", "hospital", 205, "Open Sans", 14, "bar", "record"),
        ("Triago", "bulma", "en", "hospital", 160, "Roboto", 14, "side", "screen"),
        ("MedLine", "semantic", "fr", "hospital", 260, "Noto Sans", 13, "menu", "same"),
        ("Comptaris", "spectre", "fr", "accounts", 25, "Lato", 15, "bar", "same"),
        ("LedgerPro", "pico", "en", "accounts", 220, "Roboto", 13, "side", "record"),
        ("Factura", "water", "fr", "accounts", 120, "DejaVu Sans", 12, "menu", "screen"),
        ("HelpPoint", "bulma", "en", "desk", 285, "Open Sans", 14, "bar", "same"),
        ("Ticketo", "bootstrap", "fr", "desk", 340, "Liberation Sans", 14, "side", "record"),
        ("StockWise", "semantic", "en", "stock", 40, "Lato", 14, "side", "screen"),
        ("Magasin", "spectre", "fr", "stock", 190, "Noto Sans", 14, "menu", "record"),
        ("Plannia", "pico", "en", "staff", 350, "DejaVu Sans", 12, "bar", "screen"),
        ("Equipo", "water", "fr", "staff", 230, "Liberation Sans", 14, "side", "same"),
    )
)
STRANGERS = APPLICATIONS[-2:]  # nothing of these is ever learned


def families(app: Application) -> Iterator[Family]:
    """All screens of one application, 26 or more."""
    for kind in range(len(app.kinds)):
        yield Family(app=app, shape="list", kind=kind)
        for tab in range(4):
            yield Family(app=app, shape="record", kind=kind, detail=tab)
        for form in range(2):
            yield Family(app=app, shape="form", kind=kind, detail=form)
        for dialog in range(3):
            yield Family(app=app, shape="dialog", kind=kind, detail=dialog)
        yield Family(app=app, shape="menu", kind=kind)
        yield Family(app=app, shape="search", kind=kind)
    for section in range(4):
        yield Family(app=app, shape="settings", detail=section)
    for step in range(3):
        yield Family(app=app, shape="wizard", detail=step)
    yield Family(app=app, shape="login")
    yield Family(app=app, shape="home")
    yield Family(app=app, shape="empty")


def chosen(seed: int = 7) -> tuple[list[Family], list[Family]]:
    """200 families to learn and 100 never learned: six more of each learned application, twenty of each stranger."""
    rng = random.Random(seed)
    learned: list[Family] = []
    unlearned: list[Family] = []
    for app in APPLICATIONS:
        screens = list(families(app))
        rng.shuffle(screens)
        if app in STRANGERS:
            unlearned += screens[:20]
        else:
            learned += screens[:20]
            unlearned += screens[20:26]
    return learned, unlearned
