"""Screens of a small application, drawn as perfect readings, for tests of the matching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property

from execution.matching import Reading, Reference
from execution.perception.embedding import BuiltinEmbedder
from execution.types import Box, Element, ElementRole, ElementState, Recognition, ScreenState, Size, TextLine, Window
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec

NAVIGATION = ("Patients", "Examinations", "Beds", "Reports", "Settings")
TABS = ("Summary", "Prescriptions", "Results", "Letters")
LABELS = {
    "Summary": ("Record number", "Date of birth", "Insurance", "Telephone", "Address", "Seen by"),
    "Prescriptions": ("Medicine", "Dose", "Frequency", "Prescribed by", "Valid until", "Remarks"),
    "Results": ("Haemoglobin", "Leucocytes", "Potassium", "Creatinine", "Glucose", "Laboratory"),
    "Letters": ("Addressee", "Subject", "Template", "Signed by", "Copy to", "Dispatch"),
}
PEOPLE = ("DUPONT Marie", "LEFEVRE Jean", "MOREAU Anne", "GIRARD Paul", "ROUX Claire", "FAURE Louis")


class Drawn:
    """A canvas with the elements that a perfect detector would find."""

    def __init__(self, title: str, *, at: tuple[int, int] = (0, 0), size: tuple[int, int] = (1280, 800)) -> None:
        self.canvas, self.elements = Canvas(1600, 1000), list[Element]()
        self.x, self.y = at
        self.window = Window(title=title, app_name="ward", box=Box(*at, *size))
        self.text(title, 12, 8)

    def text(self, text: str, x: int, y: int, *, size: int = 13) -> Box:
        return self.canvas.text(text, self.x + x, self.y + y, size=size)

    def element(self, role: ElementRole, x: int, y: int, w: int, h: int, text: str, *, chosen: bool = False) -> None:
        states = frozenset({ElementState.CHECKED} if chosen else ())
        self.elements.append(Element(box=Box(self.x + x, self.y + y, w, h), role=role, text=text, states=states))
        if text:
            self.text(text, x + 8, y + (h - 16) // 2)

    @cached_property
    def seen(self) -> ScreenState:
        """All signs of it."""
        state = self.canvas.state(window=self.window, elements=self.elements)
        return replace(state, embedding=BuiltinEmbedder().embed(self.canvas.pixels))

    def state(self, *, window: bool = True, read: bool = True, look: bool = True) -> ScreenState:
        state = self.seen if window else replace(self.seen, window=None)
        state = state if look else replace(state, embedding=None)
        return state if read else replace(state, texts=(), elements=(), text_method="", degraded=True)


def frame(title: str, heading: str, *, person: str, **place: tuple[int, int]) -> Drawn:
    drawn = Drawn(title, **place)
    for index, name in enumerate(NAVIGATION):
        drawn.element(ElementRole.MENU_ITEM, 20 + 130 * index, 40, 120, 30, name)
    drawn.text(person, 1080, 48)
    drawn.text(heading, 30, 90, size=20)
    return drawn


def record(tab: str, *, person: str = PEOPLE[0], number: int = 4711, **place: tuple[int, int]) -> Drawn:
    """One of four tabs over the record of one person."""
    drawn = frame(f"{person} - Ward", "Patient record", person="Dr HOUSE", **place)
    drawn.text(person, 240, 94)
    for index, name in enumerate(TABS):
        drawn.element(ElementRole.TAB, 30 + 140 * index, 140, 130, 32, name, chosen=name == tab)
    for index, label in enumerate(LABELS[tab]):
        drawn.text(label, 40, 200 + 50 * index)
        drawn.element(ElementRole.FIELD, 240, 194 + 50 * index, 300, 30, f"{person[:4]} {number + 13 * index}")
    drawn.element(ElementRole.BUTTON, 40, 560, 110, 34, "Save")
    drawn.element(ElementRole.BUTTON, 170, 560, 110, 34, "Cancel")
    return drawn


def listing(heading: str, columns: Sequence[str], *, seed: int = 0, rows: int = 8, **place: tuple[int, int]) -> Drawn:
    """A list with a table of other people each time."""
    drawn = frame(f"{heading} - Ward", heading, person="Dr HOUSE", **place)
    drawn.element(ElementRole.BUTTON, 1000, 90, 110, 34, "New")
    for column, name in enumerate(columns):
        drawn.text(name, 40 + 220 * column, 150)
    for row in range(rows):
        for column in range(len(columns)):
            value = PEOPLE[(row + seed) % 6] if column == 0 else f"{1000 + seed * 7 + row * 31 + column * 103}"
            drawn.text(value, 40 + 220 * column, 190 + 34 * row)
    return drawn


@cache
def ward() -> dict[str, Drawn]:
    """Everything that was taught: two tabs of the record and three lists."""
    return {
        "summary": record("Summary"),
        "prescriptions": record("Prescriptions"),
        "patients": listing("Patients", ("Name", "Number", "Bed", "Priority")),
        "examinations": listing("Examinations", ("Patient", "Order", "Device", "Hour")),
        "reports": listing("Reports", ("Author", "Pages", "Ward", "Version")),
    }


@cache
def reference(drawn: Drawn, *, window: bool = True) -> Reference:
    state = drawn.state()
    reading = Reading(
        picture="p", maker="m", size=Size(*state.frame.size), texts=state.texts, elements=state.elements
    )  # fmt: skip
    return Reference(
        picture="p", reading=reading, embedding=state.embedding, window=drawn.window if window else None
    )  # fmt: skip


def references(screens: Mapping[str, Drawn] | None = None, *, window: bool = True) -> dict[str, Reference]:
    return {name: reference(drawn, window=window) for name, drawn in (screens or ward()).items()}


def graph(
    names: Sequence[str], *, edges: Sequence[tuple[str, str]] = (), **declared: Mapping[str, object]
) -> GraphSpec:
    """Nodes with nothing declared but what `declared` says of them by name."""
    return GraphSpec(
        workflow_id="w", name="w", learning_state="COACHING",
        nodes=tuple(
            NodeSpec(**{"node_id": name, "name": name.capitalize(), "picture": "p", **declared.get(name, {})})
            for name in names
        ),
        edges=tuple(
            EdgeSpec(edge_id=f"e{i}", source=a, destination=b, action_type="click") for i, (a, b) in enumerate(edges)
        ),
    )  # fmt: skip


def misread(state: ScreenState, changes: Mapping[str, str]) -> ScreenState:
    """The screen with some of its lines read otherwise."""
    texts = tuple(replace(line, text=changes.get(line.text, line.text)) for line in state.texts)
    return replace(state, texts=texts)


def without(state: ScreenState, *gone: str) -> ScreenState:
    return replace(state, texts=tuple(line for line in state.texts if line.text not in gone))


def line(text: str, x: int, y: int) -> TextLine:
    return TextLine(text=text, box=Box(x, y, 8 * len(text), 16))


def node_of(found: Recognition) -> str:
    """Which node the screen is, "" for none."""
    return found.match.node_id if found.match else ""
