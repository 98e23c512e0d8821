"""A workflow as whoever teaches it would tell it: a screen, what is done on it, the next screen, and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A node as whoever teaches it would declare it."""

    node_id: str
    title: str
    texts: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """An edge. A click is shown at a `text`, `beside` pixels right of it, or in a `part` of the window.

    `part` is (left, top) as fractions of the window that is titled `window`. `row` are texts that must stand in the row
    of what is clicked, `identity` whose record it must be: (label, value). `repeat` says how it is done for each line
    of a list, of which it is shown on the first; `seen` is what must be seen after it, where that is said in words.
    """

    edge_id: str
    action: Literal["click", "type_text", "press_keys", "wait_text"]
    text: str = ""
    beside: int = 0
    window: str = ""
    part: tuple[float, float] | None = None
    keys: tuple[str, ...] = ()
    clear: bool = False
    label: str = ""
    row: tuple[str, ...] = ()
    identity: tuple[str, str] | None = None
    repeat: Mapping[str, Any] | None = None
    seen: str = ""

    @property
    def params(self) -> dict[str, Any]:
        if self.action == "type_text":
            return {"text": self.text, **({"clear": True} if self.clear else {})}
        if self.action == "press_keys":
            return {"keys": list(self.keys)}
        return {"text": self.text} if self.action == "wait_text" else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """`values` are those of the variables when it is taught; `parts` begin and end with a screen."""

    workflow_id: str
    parts: tuple[Screen | Act, ...]
    values: Mapping[str, str]

    @property
    def screens(self) -> list[Screen]:
        return [part for part in self.parts if isinstance(part, Screen)]

    @property
    def acts(self) -> list[Act]:
        return [part for part in self.parts if isinstance(part, Act)]

    @property
    def clicks(self) -> list[Act]:
        return [act for act in self.acts if act.action == "click"]

    @property
    def edges(self) -> list[tuple[Screen, Act, Screen]]:
        return list(zip(self.screens, self.acts, self.screens[1:], strict=False))
