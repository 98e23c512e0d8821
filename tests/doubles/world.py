"""A world for the loop: a screen that is one node of a graph at a time, and stages that see and move it.

It stands in for perception and desktop alone; journal, prompts, decisions and rows are the real ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from execution.learning.overlay import Overlay, Taught, overlaid
from execution.matching.dialogs import Dialog
from execution.targeting.pressing import PRESS, Chosen
from execution.turn.holding import Hold
from execution.turn.learned import doubt_of, looks_differ, used_by
from execution.turn.popups import CLOSE, Closable
from execution.turn.unchanged import Glance
from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    Box,
    Element,
    ElementRole,
    Frame,
    Match,
    Output,
    Point,
    Recognition,
    Resolution,
    ResolveStatus,
    ScreenState,
    Suggestion,
    TextLine,
    Verification,
    pixels_digest,
)
from workflows.calling import with_given
from workflows.graph import EdgeSpec, GraphSpec, PopupSpec, TargetSpec
from workflows.text import fill


@dataclass
class World:
    """Where the screen is, what was done to it, and what goes wrong when."""

    graph: GraphSpec
    variables: Mapping[str, str] = field(default_factory=dict)
    node: str | None = None  # None: a screen nobody taught
    acts: list[str] = field(default_factory=list)
    unresolved: dict[str, ResolveStatus] = field(default_factory=dict)  # edge → why its target is not found
    effects: dict[str, list[str]] = field(default_factory=dict)  # edge → what its acts do: done, nothing, unclear, late
    enough: list[bool | None] = field(default_factory=list)  # whether a wait might have ended early; None: no question
    said: str = ""  # the message that came with the last act
    untouched: bool = False  # whether it is seen that an act that did nothing did nothing
    on_act: Any = None
    on_observe: Any = None
    on_glance: Any = None
    on_scroll: Any = None
    shown: str = ""  # whose record is on the screen
    popup: str = ""  # the declared dialog that is on the screen
    stubborn: bool = False  # it stays, whatever is done
    dialog: str = ""  # the title of a dialog nobody declared
    tip: str = ""  # one that goes with the pointer
    put: list[str] = field(default_factory=list)  # edges that a loop before put something by
    buttons: tuple[str, ...] = ()  # what stands on its buttons
    closes: bool = True  # whether its buttons close it
    scrolls_left: int = 0
    lists: dict[str, list[str]] = field(default_factory=dict)  # edge → what its list reads now
    no_line: bool = False  # whether nothing is where its list stands
    further: list[str] = field(default_factory=list)  # lines that lists have below what is seen
    slow: int = 0  # looks before what was scrolled is drawn
    texts: tuple[str, ...] = ()  # what else is read
    reads: dict[str, list[str]] = field(default_factory=dict)  # edge → what it reads, one time after the other
    below: str = ""  # a line of a list that is written on a button
    cells: Mapping[str, ElementRole] = field(default_factory=dict)  # lines, and as what their cells are seen
    degraded: bool = False
    degraded_reason: str = ""
    overlay: Overlay | None = None  # what coaches have shown
    looks_seen: bool = True  # and whether that is on the screen
    looks_differ: bool = False  # elsewhere than the taught target
    light: bool = False  # another theme
    _seen: int = 0
    _looks: int = 0
    _turned: tuple[int, int] = (0, 0)  # looks until the wheel is answered, and which way it was turned
    _late: str = ""  # where the screen will be at the next look but one

    knows_ways = True
    missing = ""  # what its program brought, and is not there

    @property
    def eyes(self) -> World:
        return self

    def is_to_be_whole(self, state: ScreenState) -> bool:
        return False

    def lift(self) -> None:
        self.degraded, self.degraded_reason = False, ""

    def count(self, values: Mapping[str, str]) -> None:
        self.variables = with_given(self.graph, {**self.variables, **values})

    def forget(self, names: Collection[str]) -> None:
        known = {name: value for name, value in self.variables.items() if name not in names}
        self.variables = with_given(self.graph, known)

    def observe(self, *, whole: bool = False) -> ScreenState:
        if self.on_observe:
            self.on_observe(self)
        self._looks += 1
        if self._late and self._looks > 1:
            self.node, self._late = self._late, ""
        number = sum(ord(c) for c in (self.node or "?") + "".join(text for text, _box in self._rows()))
        pixels = np.full((40, 60, 3), (number + 100 * self.light) % 256, np.uint8)
        return ScreenState(
            frame=Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels)),
            texts=tuple(TextLine(text=text, box=box, confidence=1.0) for text, box in self._rows()),
            elements=tuple(
                Element(box=box, role=ElementRole.BUTTON, text=text) for text, box in self._rows() if text == self.below
            )
            + tuple(
                Element(box=Box(1, box.y, 50, box.h), role=self.cells[text], text=text)
                for text, box in self._rows()
                if text in self.cells
            ),
            text_method=self.node or "",
        )

    def _rows(self) -> Iterator[tuple[str, Box]]:
        """The lines of the lists on this screen."""
        for edge in self.graph.outgoing(self.node or ""):
            for number, text in enumerate(self.lists.get(edge.edge_id, ())):
                yield text, Box(2, 1 + 4 * number, 20, 3)

    def settle(self, edge: EdgeSpec, *, enough: Callable[[ScreenState], bool] | None = None) -> ScreenState:
        looks, dy = self._turned
        self._turned = (max(0, looks - 1), dy)
        if looks == 1:
            self._moves(dy)
        state = self.observe()
        self.enough.append(enough and enough(state))
        return state

    def recognise(self, state: ScreenState, *, last_node: str | None, expected: str | None) -> Recognition:
        if self.node is None:
            return Recognition(match=None, why_not="Nothing fits.")
        return Recognition(match=Match(node_id=self.node, confidence=0.97, margin=0.5))

    def picked(self, node_id: str) -> Recognition:
        self.node = node_id
        return Recognition(match=Match(node_id=node_id, confidence=1.0))

    def screen_doubt(self, node_id: str, state: ScreenState) -> str:
        return ""

    def shows_no_line(self, node_id: str, state: ScreenState) -> bool:
        return self.no_line

    def is_end(self, node_id: str) -> bool:
        return node_id in self.graph.end_nodes

    def may_stay(self, edge: EdgeSpec) -> bool:
        return edge.source == edge.destination

    def is_terminal(self, node_id: str) -> bool:
        return not self.graph.outgoing(node_id)

    def learn(self, corrections: Sequence[Taught]) -> None:
        self.overlay = overlaid(self.graph, corrections)

    def next_edge(self, node_id: str, tried: Collection[str]) -> EdgeSpec | None:
        graph = self.overlay.graph if self.overlay else self.graph
        return next((e for e in graph.outgoing(node_id) if e.edge_id not in tried), None)

    def suggest(self, edge: EdgeSpec, node_id: str, state: ScreenState) -> Suggestion:
        status = self.unresolved.get(edge.edge_id, ResolveStatus.FOUND)
        line = int(self.variables[edge.repeat.counter]) if edge.repeat else 0
        rows = tuple(box for _text, box in self._rows()) if line else ()
        if line and edge.edge_id in self.lists and line > len(rows):
            status = ResolveStatus.NOT_FOUND
        found = status is ResolveStatus.FOUND
        resolution = Resolution(
            status=status,
            box=Box(5, 5, 10, 10) if found else None,
            point=Point(10, 10) if found else None,
            rung="anchor_template" if found else "",
            score=0.98 if found else 0.0,
            message="" if found else "It is not on the screen.",
            lines=rows,
            at_end=line == len(rows) + 1 and edge.edge_id in self.lists,
        )
        seen = [look.target_id for look in edge.target.also] if edge.target and self.looks_seen else []
        if seen and not found:
            place = Resolution(status=ResolveStatus.FOUND, box=Box(0, 0, 10, 10), point=Point(5, 5), looks=tuple(seen))
            resolution = replace(resolution, status=place.status, box=place.box, point=place.point, looks=place.looks)
        elif seen and self.looks_differ:
            resolution = replace(resolution, against=tuple(seen))
        used = used_by(self.overlay, edge, resolution, state) if self.overlay else ()
        return Suggestion(
            edge=edge,
            node_id=node_id,
            sentence=edge.edge_id,
            params=fill(edge.params, self.variables),
            resolution=resolution,
            line=line,
            learned=used,
            doubt=doubt_of(used, looks_differ=bool(self.overlay and looks_differ(self.overlay, resolution))),
        )

    def correct(self, suggestion: Suggestion, correction: Mapping[str, Any], state: ScreenState) -> Suggestion:
        shown = correction.get("target", {}).get("point")
        point = Point(*(round(v * 40) for v in shown)) if shown else Point(1, 1)
        box = Box(max(0, point.x - 5), max(0, point.y - 5), 10, 10)
        found = Resolution(status=ResolveStatus.FOUND, point=point, box=box)
        params = {**suggestion.params, **correction.get("params", {})}
        return Suggestion(
            edge=suggestion.edge,
            node_id=suggestion.node_id,
            sentence=suggestion.sentence,
            params=params,
            resolution=found,
        )

    def glance(self) -> Glance:
        if self.on_glance:
            self.on_glance(self)
        state = self.observe()
        return Glance(frame=state.frame, window=state.window)

    def what_changed(
        self, suggestion: Suggestion, then: Any, now: Any, *, strict: bool = True, whole: bool = False
    ) -> str:
        return "" if then.frame.digest == now.frame.digest else "Something else is there."

    def put_problem(self, edge: EdgeSpec, state: ScreenState) -> str:
        return ""

    def check_before(self, edge: EdgeSpec, state: ScreenState) -> Verification:
        if edge.identity and self.shown != edge.identity[0].value:
            return Verification(answer=Answer.NO, message=f"another value than {edge.identity[0].value} is shown")
        if edge.before and not {self.node, *self.texts} & set(edge.before.texts):
            return Verification(answer=Answer.NO, message=f"{edge.before.texts[0]} is not seen")
        return Verification(answer=Answer.YES)

    def look_again(self, state: ScreenState, *, until: float, hold: Hold) -> ScreenState | None:
        hold.check()
        return None if time.monotonic() >= until else self.observe()

    def declared_popup(self, state: ScreenState, match: Match | None, known: ScreenState | None) -> Closable | None:
        spec = next((p for p in self.graph.popups if p.name == self.popup), None)
        return Closable(spec=spec, box=Box(0, 0, 9, 9), point=None) if spec else None

    def popup_gone(self, popup: PopupSpec, state: ScreenState) -> bool:
        return self.popup != popup.name

    def dialog_over(self, state: ScreenState, known: ScreenState | None) -> Dialog | None:
        if not self.dialog or known is None:
            return None
        buttons = tuple(Element(box=Box(1, 1, 4, 4), role=ElementRole.BUTTON, text=text) for text in self.buttons)
        return Dialog(title=self.dialog, texts=self._texts, box=Box(0, 0, 9, 9), buttons=buttons)

    @property
    def _texts(self) -> tuple[str, ...]:
        return (self.dialog, *self.buttons) if self.buttons else ("OK",)

    def chosen_button(self, chosen: Chosen, state: ScreenState, known: ScreenState | None) -> Element | None:
        over = self.dialog_over(state, known or state)
        stands = over is not None and self.chosen_dialog_stays(chosen, state)
        return next((b for b in over.buttons if b.text == chosen.button), None) if over and stands else None

    def chosen_dialog_stays(self, chosen: Chosen, state: ScreenState) -> bool:
        return bool(self.dialog) and chosen.texts == self._texts

    def dialog_over_recognised(self, state: ScreenState, match: Match, known: ScreenState | None) -> Dialog | None:
        return self.dialog_over(state, known or state)  # before any screen is known its taught picture tells

    def scroll_search(self, target: TargetSpec, state: ScreenState) -> World:
        return self

    def next_scroll(self) -> World | None:
        return self if self.scrolls_left else None

    @property
    def point(self) -> Point:
        return Point(3, 3)

    dy = 4

    def scroll(self, point: Point, dy: int) -> None:
        self.scrolls_left -= 1
        self.acts.append(f"scroll {dy}")
        if self.slow:
            self._turned = (self.slow, dy)
        else:
            self._moves(dy)
        if self.on_scroll:
            self.on_scroll(self)

    def _moves(self, dy: int) -> None:
        if self.further and dy > 0:
            came, self.further = self.further[:dy], self.further[dy:]
            self.lists = {edge_id: [*rows, *came][len(came) :] for edge_id, rows in self.lists.items()}

    def moved(self, state: ScreenState) -> bool:
        return True

    def saw(self, state: ScreenState) -> None:
        """A search that needs no memory."""

    def found(self, box: Box) -> bool:
        return True

    places = ()

    def still_the_same(self, before: ScreenState, after: ScreenState) -> bool:
        return before.frame.digest == after.frame.digest

    def take_pointer_off(self, point: Point, state: ScreenState) -> bool:
        off, self.tip = self.tip, ""
        self.dialog = "" if off == self.dialog else self.dialog
        return bool(off)

    def act(self, suggestion: Suggestion, hold: Hold) -> ActionResult:
        edge = suggestion.edge
        if edge.action_type == CLOSE:
            self.acts.append(suggestion.sentence)
            if not self.stubborn:
                self.popup, self.node, self._seen = "", self.node or edge.source, 0
            return ActionResult(status=ActionStatus.DONE)
        if edge.action_type == PRESS:
            self.acts.append(suggestion.sentence)
            if self.closes:
                self.dialog, self.node = "", self.node or edge.source
            return ActionResult(status=ActionStatus.DONE)
        self.acts.append(edge.edge_id)
        if self.on_act:
            self.on_act(edge.edge_id)
        effect = (self.effects.get(edge.edge_id) or ["done"]).pop(0)
        if effect == "done":
            self.node = edge.leads_to[0]
        if effect == "late":
            self._late, self._looks = edge.leads_to[0], 0
        if effect == "refused":
            return ActionResult(status=ActionStatus.FAILED, message="There is no such key.")
        if effect == "lost":
            return ActionResult(status=ActionStatus.UNCERTAIN, message="The display is gone.")
        self._seen = {"unclear": 1}.get(effect, 0)
        return ActionResult(status=ActionStatus.DONE, act_ms=1.0, output=self._read(edge))

    def _read(self, edge: EdgeSpec) -> Output | None:
        if edge.action_type != "read_value":
            return None
        name, text = edge.params["name"], self.reads[edge.edge_id].pop(0)
        self.variables = {**self.variables, name: text}
        return Output(name=name, kind=edge.params["kind"], text=text, value=text.replace(",", ""))

    def verify(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState
    ) -> tuple[Verification, ScreenState]:
        return self.judge(suggestion, before, after), after

    def judge(
        self, suggestion: Suggestion, before: ScreenState, after: ScreenState, *, between: Sequence[ScreenState] = ()
    ) -> Verification:
        if self._seen:
            return Verification(answer=Answer.CANNOT_TELL, message="It does not show.", said=self.said)
        if self.node in suggestion.edge.leads_to:
            return Verification(answer=Answer.YES, message="Seen.")
        return Verification(answer=Answer.NO, message="Not seen.", said=self.said, untouched=self.untouched)

    def remember(self, pixels: np.ndarray, screen: Mapping[str, Any]) -> ScreenState:
        frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
        return ScreenState(frame=frame)

    def recall_put(self, done: Iterable[Suggestion]) -> None:
        self.put = [suggestion.edge.edge_id for suggestion in done]

    def recall(self, edge: EdgeSpec, kept: Mapping[str, Any], size: Any) -> Suggestion:
        none = Resolution(status=ResolveStatus.NOT_NEEDED)
        return Suggestion(edge=edge, node_id=edge.source, sentence=kept.get("sentence", ""), params={}, resolution=none)
