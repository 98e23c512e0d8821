"""What is on a desktop by the word of its toolkits (AT-SPI): lines of text and elements, covered ones left out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.screens.corpus import TrueElement, TrueText
from benchmarks.screens.ink import Beside, Lettering, inked, sunk, written
from execution.types import Box, ElementRole, ElementState
from tests.support.display import VirtualDesktop, wait_until

DUMP = Path(__file__).with_name("accessibility_dump.py")
NEEDED = (
    "The accessibility tree needs: apt-get install --no-install-recommends at-spi2-core python3-gi gir1.2-atspi-2.0"
)
SYSTEM_PYTHON = "/usr/bin/python3"  # the bindings come with the distribution's own

ROLES = {
    "push button": ElementRole.BUTTON,
    "toggle button": ElementRole.BUTTON,
    "button menu": ElementRole.BUTTON,
    "check box": ElementRole.CHECKBOX,
    "radio button": ElementRole.RADIO,
    "page tab": ElementRole.TAB,
    "menu": ElementRole.MENU_ITEM,
    "menu item": ElementRole.MENU_ITEM,
    "check menu item": ElementRole.MENU_ITEM,
    "radio menu item": ElementRole.MENU_ITEM,
    "link": ElementRole.LINK,
    "icon": ElementRole.ICON,
    "image": ElementRole.ICON,
    "entry": ElementRole.FIELD,
    "text": ElementRole.FIELD,
    "password text": ElementRole.FIELD,
    "spin button": ElementRole.FIELD,
    "combo box": ElementRole.FIELD,
    "list item": ElementRole.TEXT,
    "tree item": ElementRole.TEXT,
    "table cell": ElementRole.TEXT,
    "table column header": ElementRole.BUTTON,
    "column header": ElementRole.BUTTON,
}
# Shown as their names; what has lines of its own (labels, fields) is told by these.
NAMED = {*ROLES, "label", "static", "heading"} - {"entry", "text", "password text", "spin button", "icon", "image"}
CUTTING = {
    "scroll pane", "viewport", "layered pane", "list", "tree", "tree table", "table", "text", "frame", "dialog",
    "page tab list",
}  # fmt: skip
POPUPS = {"menu", "popup menu"}
PRESSED = {"push button", "toggle button", "check box", "radio button", "button menu"}
WINDOW_BUTTONS = {"Minimize", "Maximize", "Restore", "Close", "Réduire", "Maximiser", "Restaurer", "Fermer"}
BORDERED, BORDER = {"push button", "toggle button", "combo box", "page tab"}, 3
HELD = {"combo box", "spin button"}
SWITCH_SIDE = 22.5  # pixels at 100 %: marks to check are smaller, tool buttons that stay down are not
SWITCH_HEIGHT = 30  # pixels at 100 %: a round mark with its text is lower, a switch between pages is not
HIGHEST_BUTTON = 90  # pixels at 100 %: GTK calls a part that unfolds, with all in it, a button
UNCUT = 0.97  # of the box of a line
COVERED, IN_VIEW = 0.15, 0.7  # of an element's area


class TopLevel(NamedTuple):
    """A shown child of the root window, frame included."""

    box: Box
    height: int  # its place in the stack, the lowest is 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One thing that shows, by the toolkit's words; boxes in pixels of the screen."""

    role: str
    name: str
    states: frozenset[str]
    box: Box | None
    lines: tuple[tuple[str, Box], ...]
    ancestors: tuple[Node, ...]
    toolkit: str

    def under(self, *roles: str) -> bool:
        return any(ancestor.role in roles for ancestor in self.ancestors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """`whole` is False where something was seen that could not be told: half covered, cut off, without a box."""

    texts: tuple[TrueText, ...]
    elements: tuple[TrueElement, ...]
    whole: bool


def is_readable() -> bool:
    """Whether this machine has what the tree is read with."""
    bindings = "import gi; gi.require_version('Atspi', '2.0')"
    has_python = Path(SYSTEM_PYTHON).exists()
    return has_python and not subprocess.run([SYSTEM_PYTHON, "-c", bindings], capture_output=True).returncode


def dump(screen: VirtualDesktop, *, scale: float = 1.0, gtk_scale: int = 1, timeout: float = 10.0) -> list[Node]:
    """Every node of the tree, parents first, once the active window is in it; raises DisplayProblem when it never is.

    Qt 5 gives boxes before scaling, so its boxes are multiplied by `scale`, those of GTK 3 by `gtk_scale`.
    """

    def asked() -> list[Node] | None:
        nodes = listed(json.loads(_ask(screen)), scale=scale, gtk_scale=gtk_scale)
        return nodes if any("active" in node.states for node in nodes if not node.ancestors) else None

    return wait_until(asked, timeout=timeout, what="the active window in the accessibility tree")


def wake(screen: VirtualDesktop) -> None:
    """Start the accessibility bus of a desktop; Qt programs look for it once, when they start."""
    _ask(screen)


def _ask(screen: VirtualDesktop) -> str:
    done = subprocess.run([SYSTEM_PYTHON, str(DUMP)], env=screen.env, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"The accessibility tree cannot be read: {done.stderr.strip()[-500:]}\n{NEEDED}")
    return done.stdout


def listed(rows: Sequence[dict], *, scale: float = 1.0, gtk_scale: float = 1.0) -> list[Node]:
    """Rows as `accessibility_dump` prints them, each after what holds it, as nodes."""
    nodes: list[Node] = []
    for row in rows:
        parent = nodes[row["parent"]] if row["parent"] >= 0 else None
        toolkit = row["toolkit"].lower()
        factor = scale if toolkit.startswith("qt") else gtk_scale if toolkit == "gtk" else 1.0
        nodes.append(
            Node(
                role=row["role"],
                name=" ".join(row["name"].split()),
                states=frozenset(row["states"]),
                box=_scaled(row["box"], factor) if row["box"] else None,
                lines=tuple((text, _scaled(box, factor)) for text, box, _ in _stacked(row["lines"])),
                ancestors=(*parent.ancestors, parent) if parent else (),
                toolkit=row["toolkit"],
            )
        )
    return nodes


def _stacked(lines: Sequence[list]) -> Sequence[list]:
    """Lines at their heights: Qt's plain text tells the first line's for all of them."""
    if len(lines) < 2 or len({box[1] for _, box, _ in lines}) > 1:
        return lines
    return [[text, [x, y + number * h, w, h], number] for text, (x, y, w, h), number in lines]


def _scaled(box: Sequence[int], factor: float) -> Box:
    x, y, w, h = box
    left, top = round(x * factor), round(y * factor)
    return Box(left, top, round((x + w) * factor) - left, round((y + h) * factor) - top)


def stack(screen: VirtualDesktop) -> list[TopLevel]:
    """The shown children of the root window, the lowest first; menus and tips among them."""
    from Xlib import X, error
    from Xlib.display import Display

    connection = Display(f"unix/{screen.display}")
    try:
        shown = list[TopLevel]()
        for child in connection.screen().root.query_tree().children:
            with suppress(error.BadWindow, error.BadDrawable):  # a tip may close between the list and the question
                if child.get_attributes().map_state == X.IsViewable:
                    g = child.get_geometry()
                    box = Box(g.x, g.y, g.width + 2 * g.border_width, g.height + 2 * g.border_width)
                    if box.intersection(Box(0, 0, screen.width, screen.height)).area > 1:
                        shown.append(TopLevel(box, len(shown)))
        return shown
    finally:
        connection.close()


def truth(
    nodes: Sequence[Node], *, windows: Sequence[TopLevel], pixels: np.ndarray, lettering: Lettering, icons_only: bool
) -> Truth:
    """Texts and elements in reading order. `icons_only`: tool bars of this program show pictures without words."""
    screen = Box(0, 0, pixels.shape[1], pixels.shape[0])
    texts: list[TrueText] = []
    elements: list[TrueElement] = []
    whole = True
    for node in nodes:
        seen = _in_view(node, screen)
        if seen is None or node.box is None or (_held(node) and node.role not in ("text", "spin button")):
            continue  # the list of a box of choices that is shut has places, wrong ones, in Qt
        share = seen.area / node.box.area
        if share < IN_VIEW or _covered(node, seen, windows) > COVERED:
            whole = whole and share == 0
            if node.role not in CUTTING:
                continue
        worded = _shows_its_name(node, lettering=lettering, icons_only=icons_only)
        lines = list(_lines(node, seen, windows, pixels=pixels, worded=worded, lettering=lettering))
        texts += lines
        element = _element(
            node,
            seen,
            crop=pixels[seen.y : seen.bottom, seen.x : seen.right],
            scale=lettering.scale,
            text=" ".join(line.text for line in lines),
        )
        if element is not None and _covered(node, seen, windows) <= COVERED and share >= IN_VIEW:
            elements.append(element)
    return Truth(
        texts=tuple(sorted(_once(texts), key=lambda t: (t.box.y, t.box.x))),
        elements=tuple(sorted(_single(elements), key=lambda e: (e.box.y, e.box.x))),
        whole=whole,
    )


def _in_view(node: Node, screen: Box) -> Box | None:
    """The part of a node that its panes and the screen let through; None where nothing is."""
    if node.box is None:
        return None
    seen = node.box.intersection(screen)
    inside_popup = node.under(*POPUPS)
    for ancestor in node.ancestors if not inside_popup else ():
        if ancestor.role in CUTTING:
            if ancestor.box is None:
                return None  # Qt says that what is in a hidden table shows
            seen = seen.intersection(ancestor.box)
    return seen if seen.area > 0 else None


def _covered(node: Node, seen: Box, windows: Sequence[TopLevel]) -> float:
    """The largest share of `seen` that one window above the node's own takes; 1 where it has no window."""
    own = _own_window(node, seen, windows)
    if own is None:
        return 1.0
    above = [w for w in windows if w.height > own.height]
    return max((w.box.intersection(seen).area / seen.area for w in above), default=0.0)


def _own_window(node: Node, seen: Box, windows: Sequence[TopLevel]) -> TopLevel | None:
    if node.under(*POPUPS) or node.role == "popup menu":
        return max((w for w in windows if w.box.contains(seen.center)), key=lambda w: w.height, default=None)
    top = node.ancestors[0] if node.ancestors else node
    if top.box is None:
        return None
    best = max(windows, key=lambda w: w.box.iou(top.box), default=None)
    return best if best is not None and best.box.iou(top.box) > 0.6 else None


def _shows_its_name(node: Node, *, lettering: Lettering, icons_only: bool) -> bool:
    """Whether the name is on the screen; programs name their pictures too."""
    if not node.name or node.role not in NAMED or node.box is None or node.lines or node.name.endswith("-symbolic"):
        return False
    if node.role == "combo box" and not _is_qt(node):
        return False  # GTK tells the key of the choice, which need not be its words
    if node.role in PRESSED:
        squarish = node.box.w < 1.5 * node.box.h
        if squarish and (node.name in WINDOW_BUTTONS or (icons_only and node.under("tool bar"))):
            return False
        return node.box.w > 0.9 * lettering.width(node.name)[0]
    return True


def _lines(
    node: Node, seen: Box, windows: Sequence[TopLevel], *, pixels: np.ndarray, worded: bool, lettering: Lettering
) -> Iterator[TrueText]:
    """The lines a node shows: its own where the toolkit gives them, its name where the ink is otherwise."""
    shift = sunk(pixels, [box for _, box in node.lines], scale=lettering.scale) if _is_qt(node) else 0
    for text, told in node.lines:
        box: Box | None = told._replace(y=told.y + shift)
        if _is_qt(node) and "multi-line" not in node.states:
            # Qt tells the place of a field's text without the room around it.
            box = written(pixels, seen, text, lettering=lettering, margin=2)
        visible = box.intersection(seen) if box is not None else None
        if visible is not None and visible.area >= UNCUT * box.area > 0 and _covered(node, visible, windows) == 0:
            yield TrueText(text=text, box=box)
    if worded:
        margin = round(BORDER * lettering.scale) if node.role in BORDERED else 1
        kind = {"list item": Beside.ABOVE, "label": Beside.NOTHING}.get(node.role, Beside.PICTURES)
        box = written(pixels, seen, node.name, lettering=lettering, margin=margin, beside=kind)
        if box is not None and _covered(node, box, windows) == 0:
            yield TrueText(text=node.name, box=box)


def _element(node: Node, seen: Box, *, crop: np.ndarray, scale: float, text: str) -> TrueElement | None:
    role = ROLES.get(node.role)
    if role is None or _held(node):
        return None  # the text and the arrow inside a box of choices are no elements of their own
    if role is ElementRole.FIELD and "read-only" in node.states:
        return None
    if node.role == "radio button" and seen.h >= SWITCH_HEIGHT * scale:
        role = ElementRole.TAB
    elif node.role in PRESSED and not text and _is_picture(node, seen, scale=scale):
        role = ElementRole.ICON
    if role is ElementRole.BUTTON and seen.h > HIGHEST_BUTTON * scale:
        return None
    if role is ElementRole.ICON and (min(seen.w, seen.h) < 8 or not inked(crop).any()):
        return None  # a picture that is there and shows nothing
    label = "" if role is ElementRole.FIELD and "multi-line" in node.states else text
    return TrueElement(role=role.value, box=seen, text=label, states=_states(node, role))


def _is_qt(node: Node) -> bool:
    return node.toolkit.lower().startswith("qt")


def _held(node: Node) -> bool:
    return node.under(*HELD) and not node.under(*POPUPS)


def _is_picture(node: Node, seen: Box, *, scale: float) -> bool:
    """Whether something to press without words is a picture alone: in a tool bar, or a check box too large for one."""
    large = node.role == "check box" and min(seen.w, seen.h) >= SWITCH_SIDE * scale
    return large or node.under("tool bar") or node.name in WINDOW_BUTTONS


def _states(node: Node, role: ElementRole) -> tuple[str, ...]:
    states = []
    chosen = role is ElementRole.TAB and ("selected" in node.states or _named_by_its_list(node))
    if "checked" in node.states or chosen:
        states.append(ElementState.CHECKED.value)
    if "sensitive" not in node.states:
        states.append(ElementState.DISABLED.value)
    if "focused" in node.states:
        states.append(ElementState.FOCUSED.value)
    return tuple(states)


def _named_by_its_list(node: Node) -> bool:
    """Qt does not mark the chosen tab, but names the list of tabs after it."""
    parent = node.ancestors[-1] if node.ancestors else None
    return parent is not None and parent.role == "page tab list" and bool(node.name) and parent.name == node.name


def _once(texts: Sequence[TrueText]) -> list[TrueText]:
    """A label inside a button is told twice."""
    kept: list[TrueText] = []
    for text in texts:
        if not any(k.text == text.text and k.box.intersection(text.box).area > 0.5 * text.box.area for k in kept):
            kept.append(text)
    return kept


def _single(elements: Sequence[TrueElement]) -> list[TrueElement]:
    kept: list[TrueElement] = []
    for element in elements:
        if not any(k.role == element.role and k.box.iou(element.box) > 0.9 for k in kept):
            kept.append(element)
    return kept
