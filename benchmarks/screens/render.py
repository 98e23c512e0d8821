"""From HTML to a picture and its truth, in one headless Chromium for all pages."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.screens.corpus import TrueElement, TrueText
from benchmarks.screens.kits import Kit
from benchmarks.screens.styles import dressed, sheet
from execution.types import Box
from tests.support.browser import CHROMIUM, shot

_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--lang=en-US",
]
_HERE = Path(__file__).parent
_INK = 24  # of 255: what differs less is no letter
_SURFACE = {"light": "#ffffff", "dark": "#20252c"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a page is dressed; `size` is the picture in pixels, `accent` a hue in degrees."""

    kit: Kit
    theme: str = "light"
    lang: str = "en"
    font: str = "Liberation Sans"
    font_px: int = 14
    scale: float = 1.0
    size: tuple[int, int] = (1366, 768)
    accent: int = 212
    icons: str = "bootstrap"

    @property
    def lines(self) -> int:
        """Lines of text that the picture has room for."""
        return int(self.size[1] / self.scale / self.font_px / 1.35)


@dataclass(frozen=True, slots=True)
class Shot:
    """What became of one page; `font_px` is the smallest font on the picture, in its pixels."""

    texts: tuple[TrueText, ...]
    elements: tuple[TrueElement, ...]
    complaints: tuple[str, ...]
    font_px: int


class Studio:
    """One browser; a context for each scale."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._pages: dict[tuple[float, str], Any] = {}
        self._truth = (_HERE / "truth.js").read_text()

    def shoot(self, body: str, look: Look, picture: Path, *, scroll: int = 0) -> Shot:
        """Write the PNG and return its truth."""
        page = self._page(look)
        width, height = (round(side / look.scale) for side in look.size)
        page.set_viewport_size({"width": width, "height": height})
        page.set_content(document(body, look))
        page.evaluate(
            "scroll => { document.querySelector('[data-focus]')?.focus(); document.fonts.ready;"
            " const main = document.querySelector('.x-main'); if (main) main.scrollTop = scroll }",
            scroll,
        )
        truth = page.evaluate(self._truth)
        shot(page, path=str(picture), animations="disabled")
        return Shot(
            texts=tuple(TrueText(text=t["text"], box=Box(*t["box"])) for t in truth["texts"]),
            elements=tuple(
                TrueElement(role=e["role"], box=Box(*e["box"]), text=e["text"], states=tuple(e["states"]))
                for e in truth["elements"]
            ),
            complaints=tuple(truth["complaints"]),
            font_px=round(truth["smallest"]),
        )

    def ink(self, look: Look) -> np.ndarray:
        """Where the page shot last has the ink of letters: a mask, told by drawing it once more without them."""
        page = self._page(look)
        with_text = cv2.imdecode(np.frombuffer(shot(page, animations="disabled"), np.uint8), cv2.IMREAD_COLOR)
        page.add_style_tag(content="*, ::placeholder { -webkit-text-fill-color: transparent !important }")
        without = cv2.imdecode(np.frombuffer(shot(page, animations="disabled"), np.uint8), cv2.IMREAD_COLOR)
        return np.asarray(cv2.absdiff(with_text, without).max(axis=2) > _INK)

    def _page(self, look: Look) -> Any:
        key = (look.scale, look.lang)
        if key not in self._pages:
            locale = "en-US" if look.lang == "en" else "fr-FR"
            context = self._browser.new_context(device_scale_factor=look.scale, locale=locale, offline=True)
            self._pages[key] = context.new_page()
        return self._pages[key]


@contextmanager
def studio() -> Iterator[Studio]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=_OPTIONS, ignore_default_args=["--hide-scrollbars"]
        )
        try:
            yield Studio(browser)
        finally:
            browser.close()


def document(body: str, look: Look) -> str:
    """The whole page around `body`."""
    kit = look.kit
    lightness = 0.36 if look.theme == "light" else 0.42
    red, green, blue = (round(255 * c) for c in colorsys.hls_to_rgb(look.accent / 360, lightness, 0.62))
    rgb = f"#{red:02x}{green:02x}{blue:02x}"
    accent = kit.accent.format(h=look.accent, s=62, l=round(100 * lightness), rgb=rgb)
    own = (
        f":root{{--x-font:'{look.font}';--x-size:{look.font_px}px;--x-accent:{rgb};--x-surface:{_SURFACE[look.theme]}}}"
        f"html{{font-size:{look.font_px * kit.rem:g}px !important}}body{{font-size:{look.font_px}px !important}}"
    )
    return (
        f'<!doctype html><html lang="{look.lang}" data-kit="{kit.name}" {kit.root[look.theme]}>'
        f'<head><meta charset="utf-8"><style>{sheet(kit.sheets[look.theme])}</style>'
        f"<style>{(_HERE / 'layout.css').read_text()}{own}{accent}</style></head>"
        f"<body>{dressed(body, look.icons)}</body></html>"
    )
