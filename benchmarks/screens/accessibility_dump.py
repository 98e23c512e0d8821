"""Prints what the accessibility tree (AT-SPI) of a desktop shows, as JSON: a list of nodes, parents before children.

It is run by the system's own Python, which has the bindings (Debian: python3-gi, gir1.2-atspi-2.0), on the display and
session bus of its environment, and so imports nothing of the product.
"""

from __future__ import annotations

import json
import sys
import warnings

FEW_CHARACTERS = 20_000
FEW_LINES = 400
STATES = ("active", "checked", "editable", "focusable", "focused", "multi-line", "selected", "sensitive", "showing")


def main() -> None:
    warnings.simplefilter("ignore")  # PyGObject calls half of this interface deprecated
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi

    Atspi.set_timeout(2000, 5000)
    desktop = Atspi.get_desktop(0)
    nodes: list[dict] = []
    for index in range(desktop.get_child_count()):
        application = desktop.get_child_at_index(index)
        if application is not None:
            for place in range(application.get_child_count()):
                first = len(nodes)
                _walk(Atspi, application.get_child_at_index(place), parent=-1, nodes=nodes)
                for node in nodes[first:]:
                    node["toolkit"] = application.get_toolkit_name() or ""
    json.dump(nodes, sys.stdout, ensure_ascii=False)


def _walk(atspi, node, *, parent: int, nodes: list[dict]) -> None:
    from gi.repository import GLib

    try:
        if node is None or not node.get_state_set().contains(atspi.StateType.SHOWING):
            return
        nodes.append(_described(atspi, node, parent=parent))
        here = len(nodes) - 1
        for index in range(node.get_child_count()):
            _walk(atspi, node.get_child_at_index(index), parent=here, nodes=nodes)
    except GLib.Error:
        return  # it went away between two questions


def _described(atspi, node, *, parent: int) -> dict:
    states = {state.value_nick for state in node.get_state_set().get_states()}
    return {
        "parent": parent,
        "role": node.get_role_name(),
        "name": node.get_name() or "",
        "states": [state for state in STATES if state in states],
        "box": _box(atspi, node),
        "children": node.get_child_count(),
        "lines": _lines(atspi, node),
    }


def _box(atspi, node) -> list[int] | None:
    if node.get_component_iface() is None:
        return None
    box = node.get_extents(atspi.CoordType.SCREEN)
    return [box.x, box.y, box.width, box.height] if box.width > 0 and box.height > 0 else None


def _lines(atspi, node) -> list[list]:
    """Every line of a node that has text: [text, [x, y, width, height], its number]; lines out of view too."""
    text = node.get_text_iface()
    count = atspi.Text.get_character_count(text) if text is not None else 0
    lines: list[list] = []
    start = number = 0
    while start < min(count, FEW_CHARACTERS) and len(lines) < FEW_LINES:
        part = atspi.Text.get_text_at_offset(text, start, atspi.TextBoundaryType.LINE_START)
        content = part.content or ""
        shown = content.rstrip("\n")
        if shown.strip():
            # From its first to its last letter: spaces at the ends are not seen.
            begin = part.start_offset
            first, last = begin + len(shown) - len(shown.lstrip()), begin + len(shown.rstrip())
            box = atspi.Text.get_range_extents(text, first, last, atspi.CoordType.SCREEN)
            if box.width > 0:
                lines.append([shown.strip(), [box.x, box.y, box.width, box.height], number])
        # Qt leaves the end of the line out, and asked for that letter it tells the same line again.
        start = max(part.end_offset, start + 1) + (not content.endswith("\n") and part.end_offset < count)
        number += 1
    return lines


if __name__ == "__main__":
    main()
