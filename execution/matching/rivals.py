"""Which other nodes the screen may be, where what would tell is hidden by the edge of its window.

How likely each picture makes its node tells little there: most of what differs between two pictures of one page is
whose record it shows. So a node is out where something in sight says so: a text it is known by that should stand there
and does not, one of the other that stands there and is on no picture of it, or a page that has little in common with
it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from execution.matching.comparison import Comparison
from execution.matching.cut_off import CutOff
from execution.matching.references import Reference
from execution.matching.shown import Shown
from execution.matching.signs import Evidence
from execution.matching.weighed import Weighed
from workflows.graph import NodeSpec

_ALIKE = 0.6  # of what is in sight and lasts two screens that are alike have so much in common, and mostly 0.8
_MAY_BE = 0.5  # the confidence in a node of which something is hidden that makes it a rival


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A node with what speaks for it."""

    node: NodeSpec
    evidence: Evidence
    weighed: Weighed | None

    @property
    def confidence(self) -> float:
        return self.evidence.confidence


class Rivals:
    """The present screen, taken for one node. What is `now` in sight is looked for on the pictures of the others."""

    def __init__(self, chosen: Candidate, now: Shown, references: Mapping[str, Reference]) -> None:
        self._chosen, self._now, self._references = chosen, now, references
        hidden = bool(chosen.evidence.hidden)
        self._is_cut = hidden or (chosen.weighed is not None and CutOff(chosen.weighed.reference.shown, now).cuts)

    def among(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that the screen may be as well. There the run does not decide: it does between screens that say the
        same, and these do not."""
        return [one for one in candidates if one is not self._chosen and self._may_be(one)]

    def _may_be(self, other: Candidate) -> bool:
        evidence, own = other.evidence, self._chosen.evidence
        if (evidence.hidden or own.hidden) and other.confidence >= _MAY_BE:
            return True
        if evidence.contradicted or not other.node.texts or not (evidence.unseen or own.hidden):
            return False
        looks = list(self._looks(other))
        if not looks:
            return self._is_cut and bool(evidence.seen)
        return any(self._may_look_so(look, other) for look in looks)

    def _looks(self, other: Candidate) -> Iterator[Shown]:
        reference = self._references.get(other.node.node_id)
        for look in (reference, *reference.looks) if reference else ():
            if look.reading is not None:
                yield look.shown

    def _may_look_so(self, look: Shown, other: Candidate) -> bool:
        """Whether it may be the screen of that picture, all of whose missing texts are hidden."""
        beside, evidence = CutOff(look, self._now), other.evidence
        if any(beside.would_show(text) or self._is_beside_what_shows(text) for text in evidence.unseen):
            return False
        if not all(beside.hides(text) for text in evidence.unseen) and not (self._is_cut and evidence.seen):
            return False  # where they would stand is not known, and nothing is hidden
        back = CutOff(self._now, look)
        if any(not look.words.seen(text) and back.would_show(text) for text in self._chosen.evidence.seen):
            return False
        # what tells that it is the one is on the picture of the other, and what is in sight of that one on the screen
        mine, its = _compared(self._chosen), _compared(other)
        return (mine is None or _share(mine, of=mine.shared, found=look.keys) >= _ALIKE) and (
            its is None or _share(its, of=beside.in_sight, found=its.shared) >= _ALIKE
        )

    def _is_beside_what_shows(self, text: str) -> bool:
        """Whether it is a value behind a label in sight ("Name: note.txt"): pictures show other values."""
        label, colon, value = text.partition(":")
        seen = self._now.words.sightings(label + colon) if label.strip() and value.strip() else ()
        return any(self._now.view.contains(one.box.center) for one in seen)


def _compared(candidate: Candidate) -> Comparison | None:
    return candidate.weighed.comparison if candidate.weighed else None


def _share(compared: Comparison, *, of: Iterable[str], found: Container[str]) -> float:
    """How much of those lines of a picture is found, by how likely each is to be there whosever record it shows."""
    lasting = {key: compared.lasting[key] for key in of if key in compared.lasting}
    whole = sum(lasting.values())
    return sum(lasts for key, lasts in lasting.items() if key in found) / whole if whole else 1.0
