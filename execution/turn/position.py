"""Where a run is in its graph, as far as its loop remembers between turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from execution.choices import Outcome
from execution.models import Execution
from execution.turn.ways import Standpoint, Ways
from execution.types import ResolveStatus, ScreenState


@dataclass(slots=True)
class Position:
    """One for a loop's life: whoever is given it sees where the run is now."""

    place: Standpoint = Standpoint()  # noqa: RUF009  frozen
    picked: str | None = None
    anywhere: bool = False  # a person had the desktop: the first known screen is where they left it
    tried: set[str] = field(default_factory=set)  # edges rejected or skipped since the last thing that was done
    rejected: bool = False
    misses: int = 0
    looks: int = 0  # how often an unresolved target was looked for again
    unready: int = 0  # how often in a row the screen did not stand still for an action
    known: ScreenState | None = None  # the last screen that was recognised, as it was seen
    ended: set[str] = field(default_factory=set)  # repetitions whose list was seen to have no other line

    @classmethod
    def left(cls, execution: Execution, ways: Ways) -> Position:
        """Where the run was left: at its start, or where a loop before us got to."""
        rows = execution.steps.exclude(edge_id="").order_by("index")
        steps = rows.values_list("node_id", "edge_id", "outcome", "suggestion__status")
        place = ways.replay(Standpoint(expected=execution.start_node_id or None), _behind(steps, ways))
        if execution.current_node_id:
            place = ways.found(place, execution.current_node_id)
        return cls(place=place)

    @property
    def last_node(self) -> str | None:
        return self.place.last

    @property
    def expected(self) -> str | None:
        return self.place.expected

    def look_anew(self, *, picked: str | None = None, anywhere: bool = False) -> None:
        """A person has spoken: what was tried and counted is forgotten, where the run is stays."""
        self.picked, self.anywhere = picked, anywhere
        self.tried, self.ended, self.rejected = set(), set(), False
        self.misses = self.looks = self.unready = 0


def _behind(steps: Iterable[tuple[str, str, str, str | None]], ways: Ways) -> Iterator[tuple[str, str, bool, bool]]:
    """Steps as `replay` takes them, of node, edge, outcome, and whether the target was found.

    A line that is not there is not skipped: with it the list was said to be over.
    """
    for node, edge_id, outcome, status in steps:
        edge = ways.graph.edge(edge_id)
        skipped = outcome == Outcome.SKIPPED and not (edge and edge.repeat and status != ResolveStatus.FOUND)
        yield node, edge_id, outcome in (Outcome.SUCCEEDED, Outcome.MANUAL), skipped
