"""One headless Chromium that shows a case, changes it by script, and says where its controls are then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.drift.cases import Case
from benchmarks.screens.render import document
from execution.types import Box
from tests.support.browser import CHROMIUM, shot

_SCRIPT = Path(__file__).with_name("truth.js")
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
WHOLE, HIDDEN = 0.97, 0.02  # of a control: the share that can be clicked


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A control of a page, by the DOM. `number` is the same in every dress of the page.

    `reach` is the share of it that a click would reach; `also` its label, which takes clicks for it; `cells` are the
    texts of its row.
    """

    number: int
    role: str
    name: str
    box: Box
    also: Box | None
    reach: float
    off: bool
    cells: tuple[str, ...]
    scrolls: bool
    grouped: bool
    worded: bool
    data: bool
    chosen: bool
    over: bool

    @property
    def usable(self) -> bool:
        return self.reach >= WHOLE and not self.off

    @property
    def boxes(self) -> tuple[Box, ...]:
        return (self.box, self.also) if self.also else (self.box,)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a page shows: its controls by their numbers, the copies that were made of some, the window in front."""

    controls: tuple[Control, ...]
    twins: tuple[Control, ...]
    window: Box
    title: str
    ok: tuple[bool, ...]


class Board:
    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._pages: dict[tuple[float, str], Any] = {}
        self._script = _SCRIPT.read_text()

    def show(self, case: Case, ops: Sequence[Mapping[str, Any]] = (), *, picture: Path | None = None) -> View:
        """Show the case, change it by `ops` (see truth.js) and write the PNG where one is wanted."""
        page = self._page(case)
        width, height = (round(side / case.look.scale) for side in case.look.size)
        page.set_viewport_size({"width": width, "height": height})
        page.set_content(document(case.desktop(), case.look))
        page.evaluate("() => document.fonts.ready.then(() => 1)")
        told = page.evaluate(self._script, list(ops))
        if picture is not None:
            picture.parent.mkdir(parents=True, exist_ok=True)
            shot(page, path=str(picture), animations="disabled")
        return View(
            controls=tuple(_control(row) for row in told["controls"]),
            twins=tuple(_control(row) for row in told["twins"]),
            window=Box(*told["window"]),
            title=told.get("title") or case.title(),
            ok=tuple(told["ok"]),
        )

    def _page(self, case: Case) -> Any:
        key = (case.look.scale, case.look.lang)
        if key not in self._pages:
            locale = "en-US" if case.look.lang == "en" else "fr-FR"
            context = self._browser.new_context(device_scale_factor=case.look.scale, locale=locale, offline=True)
            self._pages[key] = context.new_page()
        return self._pages[key]


@contextmanager
def board() -> Iterator[Board]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=_OPTIONS, ignore_default_args=["--hide-scrollbars"]
        )
        try:
            yield Board(browser)
        finally:
            browser.close()


def _control(row: Mapping[str, Any]) -> Control:
    return Control(
        number=row["id"],
        role=row["role"],
        name=row["name"],
        box=Box(*row["box"]),
        also=Box(*row["label"]) if row["label"] else None,
        reach=row["reach"],
        off=row["off"],
        cells=tuple(row["cells"]),
        scrolls=row["scrolls"],
        grouped=row["grouped"],
        worded=row["worded"],
        data=row["data"],
        chosen=row["chosen"],
        over=row["over"],
    )
