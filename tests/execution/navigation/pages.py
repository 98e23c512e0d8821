"""Screens made of labelled boxes, and hands that work on them: what is clicked and typed changes what is seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np

from execution.navigation.hands import Stopped
from execution.types import (
    Box,
    Element,
    ElementRole,
    ElementState,
    Frame,
    Point,
    ScreenState,
    TextLine,
    Window,
    pixels_digest,
)
from workflows.graph import NodeSpec
from workflows.secret import Login, Secret, UnknownCredential

WIDTH, HEIGHT = 800, 600
WHOLE = Box(0, 0, WIDTH, HEIGHT)
Role = ElementRole


@dataclass(frozen=True)
class Item:
    """Something on a page; `role` None is a text alone. What its text is goes into its pixels."""

    text: str
    box: Box
    role: ElementRole | None = None
    states: frozenset[ElementState] = frozenset()
    shown: str | None = None  # what is read where it is not the text; "" nothing


def text(words: str, x: int, y: int) -> Item:
    return Item(words, Box(x, y, 8 * len(words), 14))


def menu_item(words: str, x: int, y: int) -> Item:
    return Item(words, Box(x, y, 8 * len(words) + 16, 24), Role.MENU_ITEM)


def button(words: str, x: int, y: int) -> Item:
    return Item(words, Box(x, y, 8 * len(words) + 24, 28), Role.BUTTON)


def entry(x: int, y: int, *, width: int = 240, content: str = "", masked: bool = False) -> Item:
    return Item(content, Box(x, y, width, 30), Role.FIELD, shown="•" * len(content) if masked else None)


@dataclass(frozen=True)
class Page:
    items: tuple[Item, ...]
    title: str = "Notes"
    box: Box = WHOLE

    def plus(self, *items: Item, **changes: Any) -> Page:
        return replace(self, items=(*self.items, *items), **changes)

    def without(self, *words: str) -> Page:
        return replace(self, items=tuple(i for i in self.items if i.text not in words))

    def state(self) -> ScreenState:
        """What a perfect reader makes of it; the pixels are the caller's own."""
        drawn = _drawn(self.items)
        window = Window(title=self.title, app_name="app", box=self.box)
        return replace(drawn, frame=replace(drawn.frame, pixels=drawn.frame.pixels.copy()), window=window)


@lru_cache(maxsize=16)
def _drawn(items: tuple[Item, ...]) -> ScreenState:
    pixels = np.full((HEIGHT, WIDTH, 3), 240, np.uint8)
    lines, elements = [], []
    for item in items:
        shown = item.text if item.shown is None else item.shown
        b = item.box
        pixels[b.y : b.bottom, b.x : b.right] = 225
        for i, sign in enumerate(shown[: b.w // 8]):
            tone = crc32(f"{sign}{i}".encode()) % 180
            pixels[b.y + 5 : b.y + 9, b.x + 4 + 8 * i : b.x + 10 + 8 * i] = tone
        if shown:
            lines.append(TextLine(text=shown, box=Box(b.x + 4, b.y + (b.h - 12) // 2, 8 * len(shown), 12)))
        if item.role is not None:
            elements.append(Element(box=b, role=item.role, text=shown, states=item.states))
    frame = Frame(pixels=pixels, taken_at=datetime(2026, 1, 1, tzinfo=UTC), digest=pixels_digest(pixels))
    return ScreenState(frame=frame, texts=tuple(lines), elements=tuple(elements), text_method="full")


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def as_time(self) -> Any:
        return SimpleNamespace(monotonic=lambda: self.now, perf_counter=lambda: self.now)


Act = Callable[["PageHands", str], None]


@dataclass
class PageHands:
    """`Hands` on a page. `on` says what a click on a thing of that name, or a press of "keys:…", does to the page."""

    page: Page
    clock: Clock
    on: dict[str, Act] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    nodes: tuple[NodeSpec, ...] = ()
    logins: dict[str, Login] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    later: list[tuple[float, Page]] = field(default_factory=list)  # what shows from when on
    stop_after: int | None = None  # so many acts
    fails: dict[str, Exception] = field(default_factory=dict)
    deadline: float = 0.0
    settle_s: float = 0.3

    def __post_init__(self) -> None:
        self.deadline = self.clock.now + 180

    def show(self, page: Page, *, after: float = 0.0) -> None:
        if after:
            self.later.append((self.clock.now + after, page))
        else:
            self.page = page

    def observe(self) -> ScreenState:
        self._may("observe")
        while self.later and self.later[0][0] <= self.clock.now:
            self.page = self.later.pop(0)[1]
        return self.page.state()

    def settle(self) -> ScreenState:
        self.clock.now += self.settle_s
        return self.observe()

    def click(self, point: Point) -> None:
        self._may("click")
        hit = [i for i in reversed(self.page.items) if i.box.contains(point)]
        name = next((i.text for i in hit if i.text), "field" if hit else "nothing")
        self.done.append(f"click {name}")
        self._act(f"click {name}", hit[0] if hit else None)

    def _act(self, name: str, item: Item | None) -> None:
        if name in self.on:
            self.on[name](self, name)

    def type_text(self, text: str) -> None:
        self._may("type_text")
        self.done.append(f"type {text}")

    def press(self, keys: Sequence[str]) -> None:
        self._may("press")
        name = "press " + "+".join(keys)
        self.done.append(name)
        self._act(name, None)

    def stopped(self) -> bool:
        return self.stop_after is not None and len(self.done) >= self.stop_after

    def credential(self, name: str) -> Login:
        self._may("credential")
        self.done.append(f"open {name}")
        if name not in self.logins:
            raise UnknownCredential(f"There is no credential “{name}”.")
        return self.logins[name]

    def _may(self, what: str) -> None:
        if self.stopped():
            raise Stopped
        if what in self.fails:
            raise self.fails[what]


class FormHands(PageHands):
    """`PageHands` with a form: a click into a field gives it the focus, typing fills it."""

    focus: int | None = None
    masked: frozenset[int] = frozenset()
    deaf: bool = False

    def _act(self, name: str, item: Item | None) -> None:
        if item is not None and item.role is Role.FIELD:
            self.focus = self.page.items.index(item)
        super()._act(name, item)

    def type_text(self, text: str) -> None:
        super().type_text(text)
        if self.focus is not None and not self.deaf:
            items = list(self.page.items)
            old = items[self.focus]
            shown = "•" * len(text) if self.focus in self.masked else None
            items[self.focus] = replace(old, text=text, shown=shown)
            self.page = replace(self.page, items=tuple(items))


def login_of(username: str = "ada.martin", password: str = "canary-77 Xy") -> Login:
    return Login(username=username, password=Secret(password))
