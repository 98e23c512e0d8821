"""A real program's screen, saved, with its elements by where they stand in its accessibility tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from execution.types import Box
from tests.benchmarks.screens.accessibility import ROLES, Node, stack, truth
from tests.benchmarks.screens.apps import App, write
from tests.benchmarks.screens.corpus import Screen
from tests.benchmarks.screens.stage import Stage

_SAME = 0.9  # overlap of a node with the element it is told as

Where = tuple[tuple[str, int], ...]  # in the tree: role and number among its like, from the window down


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One picture of a program: its elements by where they stand in its tree, and all that is in the tree."""

    app: App
    screen: Screen
    elements: Mapping[Where, Control]
    nodes: Mapping[Where, Node]
    over: Box | None = None  # a window that was put above it


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """An element by the toolkit's words."""

    role: str
    name: str
    box: Box
    off: bool


def shot(on: Stage, app: App, state: str, name: str, folder: Path) -> Shown:
    """The screen as it stands, saved, with its elements."""
    frame, nodes = on.rest(), on.nodes()
    told = truth(
        nodes, windows=stack(on.screen), pixels=frame.pixels, lettering=on.look.lettering, icons_only=app.pictured
    )
    full = f"{app.name}-{state}-{name}"
    write(folder / f"{full}.png", frame)
    paths = dict(zip(_paths(nodes), nodes, strict=True))
    elements = {}
    for element in told.elements:
        fitting = [
            (path, node) for path, node in paths.items()
            if node.box and ROLES.get(node.role) and node.box.iou(element.box) > _SAME
        ]  # fmt: skip
        if fitting:
            path, node = max(fitting, key=lambda pair: len(pair[0]))
            off = "sensitive" not in node.states
            elements[path] = Control(role=element.role, name=element.text or node.name, box=element.box, off=off)
    screen = Screen(
        name=full, picture=f"{full}.png", family=app.name, window=on.desktop.window(),
        variant={"state": state, "app": app.name, "look": on.look.name, "toolkit": app.toolkit},
    )  # fmt: skip
    return Shown(app=app, screen=screen, elements=elements, nodes=paths)


def _paths(nodes: Sequence[Node]) -> list[Where]:
    """For each node its place in the tree: role and number among those of its role, from the window down."""
    paths: dict[int, Where] = {}
    counts: dict[tuple[int, str], int] = {}
    found = []
    for node in nodes:
        parent = node.ancestors[-1] if node.ancestors else None
        key = (id(parent), node.role)
        number = counts.get(key, 0)
        counts[key] = number + 1
        path = (*(paths[id(parent)] if parent else ()), (node.role, number))
        paths[id(node)] = path
        found.append(path)
    return found
