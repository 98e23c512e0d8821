"""Where a run is in its graph, as far as its loop remembers between turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from execution.choices import Outcome
from execution.models import Execution
from execution.turn.ways import Behind, Standpoint, Ways
from execution.types import Point, ResolveStatus, ScreenState
from workflows.calling import within
from workflows.graph import GraphSpec

# Of a step its node, its edge, its outcome, whether its target was found, and the line of a list that it was for.
_Told = tuple[str, str, str, str | None, int | None]


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
    pointed: Point | None = None  # where the robot's last act left the pointer, and nobody has moved it since
    known: ScreenState | None = None  # the last screen that was recognised, as it was seen
    ended: set[str] = field(default_factory=set)  # repetitions whose list was seen to have no other line

    @classmethod
    def left(cls, execution: Execution, ways: Ways) -> Position:
        """Where the run was left: at its start, or where a loop before us got to."""
        rows = execution.steps.exclude(edge_id="").order_by("index")
        told = rows.values_list("node_id", "edge_id", "outcome", "suggestion__status", "suggestion__line")
        steps = list(_without_denied(told, ways.graph))
        place = ways.replay(Standpoint(expected=execution.start_node_id or None), _behind(steps, ways))
        stood = steps[-1][0] if steps else ""  # where its last step began: that step may have led out of a workflow
        if execution.current_node_id and execution.current_node_id != stood:
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
        self.pointed = None


def _without_denied(steps: Iterable[_Told], graph: GraphSpec) -> Iterator[_Told]:
    """The steps but for those of proofs of what a person says was not done: the run stands before it again (S5.9)."""
    denied = set[str]()
    for node, edge_id, outcome, status, line in steps:
        edge = graph.edge(edge_id)
        if edge is not None and edge.is_read_back:
            denied.discard(edge_id)
            denied |= {edge_id} if outcome == Outcome.FAILED else set()
        if not any(within(graph.scope_of(node), act) for act in denied):
            yield node, edge_id, outcome, status, line


def _behind(steps: Iterable[_Told], ways: Ways) -> Iterator[Behind]:
    """Steps as `replay` takes them.

    A line that is not there is not skipped: with it the list was said to be over.
    """
    for node, edge_id, outcome, status, line in steps:
        edge = ways.graph.edge(edge_id)
        skipped = outcome == Outcome.SKIPPED and not (edge and edge.repeat and status != ResolveStatus.FOUND)
        done, by_person = outcome in (Outcome.SUCCEEDED, Outcome.MANUAL), outcome == Outcome.MANUAL
        yield Behind(node, edge_id, done=done, by_person=by_person, skipped=skipped, line=line or 0)
