"""Screens for the upper rungs: a drawn form with the elements a perfect detector finds, and targets taught on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2

from execution.language.screen_texts import ScreenWords
from execution.perception.pictures import PictureSource
from execution.targeting.boxes import text_lines_in
from execution.targeting.context import Context
from execution.types import Box, Element, ElementRole, ElementState, ScreenState, Size, Window
from tests.execution.perception.drawing import Canvas, Pictures, frame
from workflows.graph import NeighbourSpec, ShapeSpec, TargetSpec

WINDOW = Box(100, 80, 1000, 640)
SAVE, CANCEL, DELETE = Box(900, 640, 120, 32), Box(740, 640, 120, 32), Box(180, 640, 120, 32)
PRINT, FIND = Box(880, 96, 24, 24), Box(940, 96, 24, 24)
LABELS = ("First name", "Last name", "Street", "Town")
FIELDS = {label: Box(300, 174 + 60 * row, 400, 28) for row, label in enumerate(LABELS)}
ACTIONS = {"save": SAVE, "cancel": CANCEL, "delete": DELETE}


@dataclass(kw_only=True)
class Form:
    """A form in a window; `words` are what its buttons and labels read, `boxes` where its buttons are."""

    dx: int = 0
    dy: int = 0
    words: dict[str, str] = field(default_factory=dict)
    boxes: dict[str, Box] = field(default_factory=dict)
    icons: tuple[int, int] = (3, 4)
    gone: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    more: tuple[tuple[str, Box], ...] = ()
    dark: bool = False

    def __hash__(self) -> int:
        return hash(repr(self))

    def state(self, *, read: bool = True, window: bool = True) -> ScreenState:
        """What a perfect reader makes of it; the pixels are the caller's own."""
        drawn = _drawn(self)
        return ScreenState(
            frame=replace(drawn.frame, pixels=drawn.frame.pixels.copy()),
            window=Window(title="Customer", box=self._moved(WINDOW)) if window else None,
            texts=drawn.texts if read else (),
            elements=drawn.elements,
            text_method=drawn.text_method if read else "",
        )

    def draw(self) -> ScreenState:
        canvas, elements = Canvas(1280, 800), list[Element]()

        def add(
            role: ElementRole, box: Box, text: str = "", states: frozenset[ElementState] = frozenset()
        ) -> None:  # fmt: skip
            elements.append(Element(box=box, role=role, text=text, states=states))

        outer = self._moved(WINDOW)
        canvas.draw.rectangle((outer.x, outer.y, outer.right, outer.bottom), fill=(250, 250, 250), outline=(120,) * 3)
        canvas.text(self.words.get("title", "Customer record"), 130 + self.dx, 100 + self.dy, size=16)
        for label, box in FIELDS.items():
            said = self.words.get(label, label)
            canvas.text(said, 130 + self.dx, box.y + 6 + self.dy)
            add(ElementRole.FIELD, canvas.field(self._moved(box)))
        buttons = [(n, self.words.get(n, n.title()), self.boxes.get(n, ACTIONS[n])) for n in ACTIONS]
        for name, text, box in [*buttons, *((text, text, box) for text, box in self.more)]:
            if name not in self.gone:
                states = frozenset({ElementState.DISABLED} if name in self.disabled else ())
                add(ElementRole.BUTTON, canvas.button(text, self._moved(box)), text, states)
        for box, seed in zip((PRINT, FIND), self.icons, strict=True):
            if seed:
                moved = self._moved(box)
                canvas.icon(moved.x, moved.y, seed=seed)
                add(ElementRole.ICON, moved)
        pixels = 255 - canvas.pixels if self.dark else canvas.pixels
        return ScreenState(
            frame=frame(pixels), texts=tuple(canvas.lines), elements=tuple(elements), text_method="truth"
        )

    def _moved(self, box: Box) -> Box:
        return Box(box.x + self.dx, box.y + self.dy, box.w, box.h)


@lru_cache(maxsize=8)
def _drawn(form: Form) -> ScreenState:
    """Drawn once while the same form is asked for again and again, as most tests do."""
    return form.draw()


def taught(box: Box, store: Pictures, *, label: str, row: tuple[str, ...] = ()) -> TargetSpec:
    """A target taught on the plain form, with all the evidence that the upper rungs read."""
    state = Form().state()
    size = state.frame.size
    element = next(e for e in state.elements if e.box == box)
    around = sorted((e for e in state.elements if e.box != box), key=lambda e: _apart(e.box, box))[:6]
    lines = sorted((t for t in state.texts if not box.contains(t.box.center)), key=lambda t: _apart(t.box, box))[:4]
    near = tuple(NeighbourSpec(text=t.text, **_way(t.box, box)) for t in lines)
    named = [NeighbourSpec(text=k, **_way(_label(k, state), box)) for k, b in FIELDS.items() if b == box]
    return TargetSpec(
        target_id="t_1",
        label=label,
        text=" ".join(line.text for line in text_lines_in(box, state)),
        role=str(element.role),
        picture=store.put(cv2.UMat(state.frame.crop(box)).get()),
        box=box.normalised(size),
        window_box=Box(box.x - WINDOW.x, box.y - WINDOW.y, box.w, box.h).normalised(Size(WINDOW.w, WINDOW.h)),
        window_size=(WINDOW.w, WINDOW.h),
        window_title="Customer",
        screen_size=(size.width, size.height),
        neighbours=near,
        named_by=named[0] if named else None,
        shapes=tuple(ShapeSpec(role=str(e.role), w=e.box.w, h=e.box.h, **_way(e.box, box)) for e in around),
        row=row,
    )


def context(
    target: TargetSpec, state: ScreenState, store: PictureSource, variables: Mapping[str, str] | None = None
) -> Context:
    return Context(
        target=target, state=state, variables=variables or {}, pictures=store,
        words=ScreenWords(state.texts),
    )  # fmt: skip


def _label(text: str, state: ScreenState) -> Box:
    return next(t.box for t in state.texts if t.text == text)


def _way(there: Box, here: Box) -> dict[str, int]:
    return {"dx": there.center.x - here.center.x, "dy": there.center.y - here.center.y}


def _apart(one: Box, other: Box) -> int:
    return abs(one.center.x - other.center.x) + abs(one.center.y - other.center.y)
