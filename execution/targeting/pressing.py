"""A button of an unknown dialog that a person chose: found again on the screen, or not at all (S1.6).

What the person saw is some time old. The button is pressed only in the dialog that they saw: the same window in front,
the same words in the same place, and one button of that name among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from execution.language.fuzzy import words
from execution.matching.dialogs import Dialog
from execution.types import Box, Element, ElementRole, Resolution, ResolveStatus, ScreenState, Suggestion
from sentences.said import say
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, TargetSpec

PRESS = "press_button"  # no action of the catalogue: nobody teaches it, and only a person's choice makes one
_SAME_PLACE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The button's words, and the dialog as it was shown to the person; `box` as fractions of the screen.

    `window` is the title of the window in front, the page's own where the dialog is a part of a page. `by` names the
    person for people.
    """

    button: str
    window: str
    texts: tuple[str, ...]
    box: tuple[float, float, float, float]
    by: str = ""

    @classmethod
    def from_json(cls, wish: Mapping[str, Any], *, by: str = "") -> Chosen:
        """From what `choice` gave."""
        x, y, w, h = wish["box"]
        return cls(button=wish["button"], window=wish["window"], texts=tuple(wish["texts"]), box=(x, y, w, h), by=by)


def choice(dialog: Mapping[str, Any], button: str) -> dict[str, Any] | None:
    """The wish to press a button of a dialog as the pages know it; None where it has not exactly one of that name."""
    named = [one["text"] for one in dialog["buttons"] if _same(one["text"], button)]
    if len(named) != 1:
        return None
    return {"button": named[0], **{name: dialog[name] for name in ("window", "texts", "box")}}


def button_of(chosen: Chosen, state: ScreenState, over: Dialog | None) -> Element | None:
    """The button, where the screen shows the chosen dialog; None if that has changed or gone.

    `over` is what lies over the last known screen now, where that is known.
    """
    box = Box.from_normalised(chosen.box, state.frame.size)
    if not stays(chosen, state) or (over is not None and over.box.iou(box) < _SAME_PLACE):
        return None
    buttons = [
        e for e in state.elements
        if e.role is ElementRole.BUTTON and box.contains(e.box.center) and _same(e.text, chosen.button)
    ]  # fmt: skip
    return buttons[0] if len(buttons) == 1 else None


def stays(chosen: Chosen, state: ScreenState) -> bool:
    """Whether the dialog's words stand where they stood, all of them and no others, in the same window."""
    box = Box.from_normalised(chosen.box, state.frame.size)
    inside = (line.text for line in state.texts if box.contains(line.box.center))
    window = state.window.title if state.window else ""
    return window == chosen.window and _counted(inside) == _counted(chosen.texts)


def suggestion_of(chosen: Chosen, button: Element, node_id: str) -> Suggestion:
    """Pressing it, as something that can be recorded and shown; it belongs to no edge; nobody knows what it does."""
    edge = EdgeSpec(
        edge_id="",
        source=node_id,
        destination=node_id,
        action_type=PRESS,
        target=TargetSpec(target_id=f"button_{chosen.button}", label=chosen.button, text=chosen.button),
        effect_class=EffectClass.OPAQUE,
    )
    found = Resolution(status=ResolveStatus.FOUND, point=button.box.center, box=button.box, score=1.0)
    sentence = say("targeting.button_of_dialog", button=chosen.button)
    return Suggestion(edge=edge, node_id=node_id, params={}, sentence=sentence, resolution=found)


def _same(text: str, other: str) -> bool:
    """Whether both name the same button; a person may write the apostrophe otherwise than the dialog does."""
    return _as_read(text) == _as_read(other) or words(text).strict == words(other).strict != ""


def _counted(texts: Iterable[str]) -> Counter[str]:
    """The lines to the letter: two names that differ in an accent are two people."""
    return Counter(_as_read(text) for text in texts)


def _as_read(text: str) -> str:
    return "".join(text.split())
