"""What is seen at one place that may be the target: each sign for itself (S5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from execution.language.rewording import Wording
from execution.targeting.picture_fit import PictureFit
from execution.types import Box, Element
from sentences.said import say

_NEARBY = 0.4  # of a neighbour, for one that is near but not in its place
_ABSENT = 0.4  # of a neighbour, for one that is not read at all: what it said was another record's, or another language


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """How many of the taught neighbours are where they were, and what was missed.

    `required_missing` is a neighbour that names what this run is about and is not there. `replaced` are the texts of
    the target's own row, all of which now read differently: (taught, now). `absent` counts
    the neighbours that are nowhere on the screen, `nearby` those that are near, in their place or not. `elsewhere` is a
    text of its own row in whose place another stands now, while it stands in another row of that column. `other_record`
    is what named its record when it was taught, and what stands there instead or "" (was, now).
    """

    seen: int
    asked: int
    required_missing: str = ""
    replaced: tuple[tuple[str, str], ...] = ()
    row_seen: int = 0
    row_asked: int = 0
    absent: int = 0
    nearby: int = 0
    other_language: bool = False
    elsewhere: str = ""
    other_record: tuple[str, str] | None = None

    @property
    def share(self) -> float:
        return self.seen / self.asked if self.asked else 0.0

    @property
    def fair_share(self) -> float:
        """The share in place, where what is nowhere on the screen says less than what stands elsewhere now."""
        return min(1.0, (self.share + _NEARBY * self.nearby / self.asked) / self.weight) if self.weight else 0.0

    @property
    def weight(self) -> float:
        """How much the neighbours can say on this screen, 0 to 1."""
        left = 0.0 if self.other_language else _ABSENT
        return (self.asked - (1 - left) * self.absent) / self.asked if self.asked else 0.0

    @property
    def told(self) -> str:
        return say("targeting.neighbours", seen=self.seen, asked=self.asked)


NONE = Surroundings(seen=0, asked=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """One place and what is seen there; each sign 0 to 1, None where it cannot be told.

    `scale` is how large things are drawn there. `text` is how well the taught text was looked up there, `whole` that it
    is all that stands in its line, `held` how much of it lies inside; `wording` compares it with all that is `read`.
    `label_wording` is the same for the label of a box to tick. `look` is how the taught picture fits. `label`,
    `shapes`, `numbered` and `in_sequence` are about what stands around it. `in_sight` is the part that something leaves
    uncovered, None where nothing is known to lie over it.
    """

    box: Box
    scale: float = 1.0
    element: Element | None = None
    text: float | None = None
    whole: bool = False
    held: float | None = None
    read: str = ""
    wording: Wording | None = None
    label_wording: Wording | None = None
    look: PictureFit | None = None
    around: Surroundings = NONE
    label: bool | None = None
    shapes: float | None = None
    numbered: bool | None = None
    in_sequence: bool | None = None
    in_row: bool | None = None
    in_sight: Box | None = None

    @property
    def identity(self) -> float:
        """How much it says and looks as the target did, whatever is around it; 0 where neither is told."""
        text = None if self.text is None else self.text if self.whole else 0.9 * self.text
        told = [max(text or 0.0, w.score) for w in (self.wording, self.label_wording) if w is not None]
        found = ([max(told)] if told else [] if text is None else [text]) + ([self.look.score] if self.look else [])
        return sum(found) / len(found) if found else 0.0

    @property
    def standing(self) -> float | None:
        """How much what is around it is what was around the target; this tells twins apart. None: nobody can say."""
        signs = [(self.around.fair_share, 3.0)] if self.around.asked else []
        signs += [(float(self.label), 3.0)] if self.label is not None else []
        signs += [(self.shapes, 1.5)] if self.shapes is not None else []
        signs += [(float(self.numbered), 1.5)] if self.numbered is not None else []
        return sum(v * w for v, w in signs) / sum(w for _, w in signs) if signs else None
