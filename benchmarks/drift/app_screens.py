"""A real program's screen, saved, with its elements by where they stand in its accessibility tree."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.screens.accessibility import POPUPS, ROLES, Node, stack, truth
from benchmarks.screens.apps import App, write
from benchmarks.screens.corpus import Screen
from benchmarks.screens.stage import Stage
from execution.types import Box, ElementRole, Window

_SAME = 0.9  # overlap of a node with the element it is told as
TREES = ("gtk3-demo",)  # whose toolkit tells lines of a tree too far right
_CONTRAST = 24  # grey levels within an element's box: where there is less, nothing is to be seen there


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """An element by the toolkit's words; `text` is what is read on it, `front`: it is in the active window."""

    role: str
    name: str
    text: str
    box: Box
    off: bool
    front: bool


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One picture of a program: its elements by where they stand in its tree, and all that is in the tree.

    A place in the tree is written as role and number among its like, from the window down: "frame:0/push button:3".
    `dress` names the look, `worn` its themes; `nodes` are roles and names; `over` is a window that was put above.
    """

    app: str
    state: str
    dress: str
    worn: str
    screen: Screen
    elements: Mapping[str, Control]
    nodes: Mapping[str, tuple[str, str]]
    over: Box | None = None

    def siblings(self, path: str) -> tuple[int, ...]:
        """How many stand beside it and beside each of what holds it."""
        parts = path.split("/")
        return tuple(self._counts.get("/".join(parts[:end]), 0) for end in range(len(parts)))

    def is_once(self, control: Control) -> bool:
        """Whether nothing else of its kind says the same."""
        return sum((c.role, c.name) == (control.role, control.name) for c in self.elements.values()) == 1

    def is_clear(self, control: Control) -> bool:
        """Whether it can be clicked anywhere: in front, not greyed, and not partly under an open menu."""
        menus = [] if control.role == ElementRole.MENU_ITEM else self._items
        under = any(control.box.intersection(item).area > 0.02 * control.box.area for item in menus)
        return control.front and not control.off and not under

    @cached_property
    def _items(self) -> list[Box]:
        return [control.box for control in self.elements.values() if control.role == ElementRole.MENU_ITEM]

    @cached_property
    def _counts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for path in self.nodes:
            parent = path.rpartition("/")[0]
            counts[parent] = counts.get(parent, 0) + 1
        return counts


def shot(on: Stage, app: App, state: str, dress: str, worn: str, folder: Path) -> Shown:
    """The screen as it stands, saved, with its elements."""
    frame, nodes = on.rest(), on.nodes()
    told = truth(
        nodes, windows=stack(on.screen), pixels=frame.pixels, lettering=on.look.lettering, icons_only=app.pictured
    )
    full = f"{app.name}-{state}-{dress}"
    write(folder / f"{full}.png", frame)
    paths = dict(zip(_paths(nodes), nodes, strict=True))
    elements = {}
    for element in told.elements:
        fitting = [
            (path, node) for path, node in paths.items()
            if node.box and ROLES.get(node.role) and node.box.iou(element.box) > _SAME
        ]  # fmt: skip
        shifted = element.role == ElementRole.TEXT and app.name in TREES
        if fitting and not shifted and _shows(frame.pixels, element.box):
            path, node = max(fitting, key=lambda pair: pair[0].count("/"))
            off = "sensitive" not in node.states
            front = node.under(*POPUPS) or "active" in (*node.ancestors, node)[0].states
            elements[path] = Control(
                role=element.role, name=element.text or node.name, text=element.text, box=element.box, off=off,
                front=front,
            )  # fmt: skip
    screen = Screen(
        name=full, picture=f"{full}.png", family=app.name, window=on.desktop.window(),
        variant={"state": state, "app": app.name, "look": dress, "style": worn, "toolkit": app.toolkit},
    )  # fmt: skip
    named = {path: (node.role, node.name) for path, node in paths.items()}
    return Shown(app=app.name, state=state, dress=dress, worn=worn, screen=screen, elements=elements, nodes=named)


def _shows(pixels: np.ndarray, box: Box) -> bool:
    part = pixels[max(0, box.y - 1) : box.bottom + 1, max(0, box.x - 1) : box.right + 1]
    return bool(part.size) and int(part.max(axis=(0, 1)).max()) - int(part.min(axis=(0, 1)).min()) >= _CONTRAST


def _paths(nodes: Sequence[Node]) -> list[str]:
    paths: dict[int, str] = {}
    counts: dict[tuple[int, str], int] = {}
    found = []
    for node in nodes:
        parent = node.ancestors[-1] if node.ancestors else None
        key = (id(parent), node.role)
        number = counts.get(key, 0)
        counts[key] = number + 1
        own = f"{node.role.replace('/', ' ')}:{number}"
        path = f"{paths[id(parent)]}/{own}" if parent else own
        paths[id(node)] = path
        found.append(path)
    return found


def save_shown(shown: Sequence[Shown], file: Path) -> None:
    """Keep what was shown in one look, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps([asdict(one) for one in shown], ensure_ascii=False))
    fresh.replace(file)


def load_shown(file: Path) -> list[Shown]:
    return [_shown(row) for row in json.loads(file.read_text())]


def _shown(row: Mapping) -> Shown:
    screen, window = row["screen"], row["screen"]["window"]
    if window:
        window = Window(**{**window, "box": Box(*window["box"]) if window["box"] else None})
    return Shown(
        **{
            **row,
            "screen": Screen(**{**screen, "window": window, "texts": (), "elements": ()}),
            "elements": {p: Control(**{**c, "box": Box(*c["box"])}) for p, c in row["elements"].items()},
            "nodes": {path: tuple(node) for path, node in row["nodes"].items()},
            "over": Box(*row["over"]) if row["over"] else None,
        }
    )
