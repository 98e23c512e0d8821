"""What the assistant neither says nor is told: masked regions of screens, values of secret variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from execution.models import Execution, Step
from execution.perception.masking import masks_from
from sentences.said import worded
from workflows.graph import GraphSpec, NormBox
from workflows.secret_names import is_secret

HIDDEN = "•••"
SECRET_KINDS = frozenset({"secret", "password"})
_SHORTEST = 3  # characters: a shorter value is hidden only where it stands as a word of its own


class Hidden:
    """Knows what must not be shown of one run; `text` gives a text without it, a sentence in the active language."""

    def __init__(
        self, values: Iterable[str], *, names: frozenset[str] = frozenset(), masks: Sequence[NormBox] = ()
    ) -> None:
        self._values = tuple(sorted({v.strip() for v in values if v and v.strip()}, key=len, reverse=True))
        self.names, self.masks = names, tuple(masks)
        self._pattern = _pattern(self._values)

    def text(self, value: object) -> str:
        said = worded(value)
        return self._pattern.sub(HIDDEN, said) if self._pattern else said

    def any(self, value: Any) -> Any:
        """The same for JSON, its keys as they are."""
        if isinstance(value, Mapping):
            return {key: HIDDEN if key in self.names else self.any(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.any(inner) for inner in value]
        return self.text(value) if isinstance(value, str) else value

    def covers(self, box: Sequence[float] | None) -> bool:
        """Whether any part of a box (fractions of the screen) lies in a masked region; unknown places do."""
        if not self.masks:
            return False
        if box is None or len(box) != 4:
            return True
        return any(_meet(box, mask) for mask in self.masks)

    def of(self, step: Step) -> Hidden:
        """This, and what was read in the masked regions of a step's screen, wherever else it is quoted."""
        if not self.masks:
            return self
        masked = [text for text, box in _texts(step.screen) if self.covers(box)]
        return Hidden([*self._values, *masked], names=self.names, masks=self.masks)

    def seen(self, step: Step) -> list[str]:
        """What was read on a step's screen, in order, without what is hidden."""
        shown = [text for text, box in _texts(step.screen, elements=False) if not self.covers(box)]
        return [self.text(text) for text in shown if text.strip()]

    def places(self, step: Step) -> list[dict[str, Any]]:
        """The elements and texts of a step's screen as {box, text, role}, without what is hidden."""
        screen = step.screen or {}
        found = [
            {"box": list(e["box"]), "text": str(e.get("text") or ""), "role": str(e.get("role") or "")}
            for e in screen.get("ui_elements") or ()
            if e.get("box") and not self.covers(e["box"])
        ]
        for text, box in _texts(screen, elements=False):
            if box and not self.covers(box) and not any(p["text"] == text and _meet(p["box"], box) for p in found):
                found.append({"box": list(box), "text": text, "role": ""})
        return [place for place in found if self.text(place["text"]) == place["text"]]


def hidden_in(execution: Execution, graph: GraphSpec) -> Hidden:
    """What must not be shown of a run: the values of its secret variables, and its workflow's masked regions."""
    kinds = {v.name: v.kind for v in graph.variables}
    labels = {v.name: v.label for v in graph.variables}
    names = frozenset(
        name
        for name in {*execution.variables, *kinds}
        if kinds.get(name) in SECRET_KINDS or is_secret(name, labels.get(name, ""))
    )
    values = [str(execution.variables.get(name, "")) for name in names]
    return Hidden(values, names=names, masks=masks_from(graph.flags.get("masks")))


def _texts(screen: Mapping[str, Any], *, elements: bool = True) -> list[tuple[str, list[float] | None]]:
    perception = (screen or {}).get("perception") or {}
    texts, boxes = perception.get("detected_text") or [], perception.get("text_boxes") or []
    found = [(str(text), boxes[i] if i < len(boxes) else None) for i, text in enumerate(texts)]
    if elements:
        found += [(str(e.get("text") or ""), e.get("box")) for e in screen.get("ui_elements") or ()]
    return found


def _meet(a: Sequence[float], b: Sequence[float]) -> bool:
    return min(a[0] + a[2], b[0] + b[2]) > max(a[0], b[0]) and min(a[1] + a[3], b[1] + b[3]) > max(a[1], b[1])


def _pattern(values: Sequence[str]) -> re.Pattern[str] | None:
    if not values:
        return None
    parts = [re.escape(v) if len(v) >= _SHORTEST else rf"(?<!\w){re.escape(v)}(?!\w)" for v in values]
    return re.compile("|".join(parts), re.IGNORECASE)
