"""Where a lesson stands: which screen shows, which node it is, and which step led there."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.db import transaction

from execution.choices import LessonStepState
from execution.lesson.as_it_was import allow_again, changed, rows_of
from execution.lesson.came_over import may_be_closed
from execution.lesson.drafting import Draft, variable_name
from execution.lesson.screens import (
    MOST_LOOKS,
    Known,
    Look,
    Placed,
    differs_in_fields_alone,
    forbidden,
    place,
    proposed_name,
    proposed_texts,
    set_aside,
    shared_pattern,
)
from execution.lesson.step_order import insert_after
from execution.lesson.ways import proposed_record
from execution.matching.references import Reading, maker_of
from execution.models import MEND, Lesson, LessonStep
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.redaction import Redaction
from execution.record.reference_store import DatabaseReferences
from execution.teaching.expectations import Told, expectation_of
from execution.types import Box, Point, ScreenState
from sentences.said import say, to_json
from workflows.catalogue import SETTING_ACTION_TYPES
from workflows.graph import ExpectSpec, GraphSpec
from workflows.models import Edge, Node
from workflows.secret_names import holds_secret
from workflows.specs import graph_of, variable_spec
from workflows.text import sole_name

LATE_S = 5.0  # after a screen that an act led to stood still


@dataclass(slots=True, kw_only=True)
class Pending:
    """The last step that was kept: the screens that come now are where it leads, until something else is done."""

    step: LessonStep
    edge: Edge
    before: ScreenState | None  # as it may be kept
    typed: str = ""
    within: Box | None = None  # where a control shows what it was brought to: what changes there is no other screen
    settled_at: float = 0.0  # when the screen that it leads to was read last, as pictures are timed
    made: Node | None = None  # the node that was made for where it leads
    after: Pending | None = None  # the step that came right before it


@dataclass(frozen=True, slots=True)
class _Came:
    """Keys of what was made of screens that came by themselves."""

    nodes: list[int] = field(default_factory=list)
    waits: list[int] = field(default_factory=list)
    absent: list[tuple[int, str]] = field(default_factory=list)  # texts that must not be on other screens since


def clicked_at(pending: Pending) -> Point:
    """Where a step clicked; beside the screen where it did not."""
    params = pending.step.params
    return Point(int(params.get("x", -1)), int(params.get("y", -1)))


class Here:
    """The screens of one lesson. All that it keeps of them has gone through `redaction`."""

    def __init__(self, lesson: Lesson, draft: Draft, analyzer: ScreenAnalyzer, redaction: Redaction) -> None:
        self.lesson, self.draft, self.analyzer, self.redaction = lesson, draft, analyzer, redaction
        self.cursor: Node | None = lesson.cursor
        self.pending: Pending | None = None
        self.known = Known()
        self.shown_with: dict[str, str] = {}  # the values of the variables when the draft was shown
        self.why: str = ""
        self._ends = _made_in(lesson)  # unless left again
        self._typed: list[str] = []
        self._typed_by: dict[int, str] = {}  # by the key of the step
        self._looks: dict[int, list[Look]] = {}
        self._raw: ScreenState | None = None  # read last
        self._now: ScreenState | None = None  # the same as it may be kept
        self._placed: Placed | None = None
        self._shown: tuple[ScreenState, ScreenState] | None = None
        self._pictures: dict[int, tuple[ScreenState, str]] = {}
        self._index = lesson.next_index()
        self._kept: set[int] = set()  # the steps that the draft is known to have
        self._came = _Came()
        self._absent: list[tuple[int, str]] = []
        self._stands = False  # whether the cursor is the node of what shows now
        self._came_by_hand = False  # something was done since that is no step
        self._inserts: list[int] = []  # keys of the edges behind which the next one is put; empty: it is the last one
        self._taken_for: list[tuple[Node, str, Look | None]] = []  # since the last act: its title before, a look more
        self._lock = threading.Lock()

    def begin(self) -> None:
        """What the draft holds by now, with what was read of its pictures; also after somebody has edited it."""
        self.lesson.workflow.refresh_from_db()
        self._take_up_pending()
        nodes = self.draft.nodes()
        self.learn_values()
        kept = DatabaseReferences().readings({p for n in nodes for p in _pictures_of(n)}, maker_of(self.analyzer))
        alive = {node.pk for node in nodes}
        self._looks = {pk: looks for pk, looks in self._looks.items() if pk in alive}
        for node in nodes:
            if node.pk in self._looks:
                continue
            pictures = _pictures_of(node)
            self._looks[node.pk] = [Look.of_reading(kept[p], node.window_title) for p in pictures if p in kept]
        if self.cursor is not None:
            self.cursor = next((node for node in nodes if node.pk == self.cursor.pk), self.cursor)
        self.where()
        steps = set(self.lesson.steps.kept().values_list("pk", flat=True))
        if self._kept - steps:  # somebody has deleted one
            self.mark_ends()
        self._kept = steps

    def _take_up_pending(self) -> None:
        """The last step as it is in the draft now; none where somebody took it out."""
        pending = self.pending
        if pending is None:
            return
        try:
            pending.step.refresh_from_db()
            pending.edge.refresh_from_db()
        except (LessonStep.DoesNotExist, Edge.DoesNotExist):
            self.pending = None
            return
        if pending.edge.action_type in SETTING_ACTION_TYPES and pending.within is None:
            self._is_set_now(pending)

    def _is_set_now(self, pending: Pending) -> None:
        """What was a click is what sets a control: seen from before its list was opened, and on the control alone."""
        opener = pending.after
        box = pending.step.screen.get("box")
        if opener is not None and not LessonStep.objects.kept().filter(pk=opener.step.pk).exists():
            pending.before, pending.after = opener.before, None
        if pending.before is not None and box:
            pending.within = Box.from_normalised(tuple(box), pending.before.frame.size)
        if pending.made is not None and not Node.objects.filter(pk=pending.made.pk).exists():
            pending.made = None

    def learn_values(self) -> None:
        """The values that the variables have here: those of the lesson, else what they are offered with."""
        self.lesson.refresh_from_db(fields=["values"])
        variables = list(self.draft.workflow.variables.all())
        told = {v.name: self.lesson.values.get(v.name) or v.example or v.default for v in variables}
        secret = {v.name for v in variables if holds_secret(variable_spec(v))}
        others = {name: value for name, value in self.lesson.values.items() if name not in told}
        kinds = self.draft.graph().kinds if others else {}  # a value that is read no more is none
        read = {name: value for name, value in others.items() if name in kinds}
        values = {name: str(value) for name, value in {**told, **read}.items() if value and name not in secret}
        self.shown_with = {**values, **{v.name: v.example for v in variables if v.example and v.name not in secret}}
        self.known = Known(values=values, typed=tuple(self._typed))

    # --- screens ----------------------------------------------------------------------------------------------------
    def shown(self, state: ScreenState) -> ScreenState:
        """A screen as it may be kept; the same value for the same screen."""
        with self._lock:
            if self._shown is not None and self._shown[0] is state:
                return self._shown[1]
        shown = self.redaction.shown(state).state
        with self._lock:
            if self._shown is None or self._shown[0] is not state:
                self._shown = (state, shown)
            return self._shown[1]

    def node(self) -> Node | None:
        """The node of what shows now; None where it is none of the draft, or not read."""
        return self.cursor if self._stands else None

    def looks_again(self, before: ScreenState) -> None:
        """What was read since `before` is where the last step leads."""
        if self._raw is not None and self._raw is not before:
            self.seen(self._raw)

    def has_seen(self, state: ScreenState) -> bool:
        return state is self._raw

    def before(self) -> ScreenState | None:
        return self._now

    def seen(self, state: ScreenState) -> None:
        """A screen was read: which node it is, and where the last step led."""
        self.redaction.seen(state)
        shown = self.shown(state)
        self._take_up_pending()  # somebody may have edited it a moment ago
        pending = self.pending
        nodes = self._in_order()
        # What lay over the screen before the last act may be gone, and what is there now is another look of it.
        placed = self._placed_of(shown, nodes, pending)
        self._raw, self._now, self._placed, self.why = state, shown, placed, placed.why
        self._stands = False
        goes_on = placed.node is not None and placed.node == self.cursor
        if pending is not None and not goes_on and comes_too_late(pending, shown):
            self.pending = pending = None  # it is no effect of it
        if pending is not None:
            pending.settled_at = time.time()
            with transaction.atomic():
                self._lead(pending, shown, placed)
        elif placed.node is not None or not nodes:
            with transaction.atomic():
                self._stand(self._node_for(shown, placed, None))

    def _placed_of(
        self, shown: ScreenState, nodes: Sequence[tuple[Node, Sequence[Look]]], pending: Pending | None
    ) -> Placed:
        if pending is None or pending.within is None or pending.before is None:
            return place(shown, nodes, before=pending.before if pending else self._now, known=self.known)
        if differs_in_fields_alone(pending.before, shown, pending.within):
            source = pending.edge.source
            return Placed(node=source, why=say("lesson.same_screen", node=source.name), is_changed=True)
        return place(shown, nodes, before=None, known=self.known)  # the control itself is nothing that came over it

    def where(self) -> Node | None:
        """The screen on which it stands, whether it shows or not; None as well where somebody has deleted it."""
        if self.cursor is not None and not Node.objects.filter(pk=self.cursor.pk).exists():
            self.cursor, self._stands = None, False
            if self._raw is not None:
                self.seen(self._raw)  # it is another one's
        return self.cursor

    def source(self) -> Node:
        """The node of what shows now; made where it came by itself, with the step that waits for it.

        Raises LookupError where no screen was read yet.
        """
        if self._now is None or self._placed is None:
            raise LookupError("no screen was read")
        came_from, by_hand = self.where(), self._came_by_hand
        if self._stands and came_from is not None:
            if self._came_by_hand:
                self._came_by_hand = False
                self._another_look(came_from, self._now, is_changed=self._placed.is_changed)
            return came_from
        node = self._node_for(self._now, self._placed, None)
        if self._placed.node is None:
            self._came.nodes.append(node.pk)
            self._came.absent.extend(self._told_apart())
        self._stand(node)
        if came_from is not None and came_from != node and not by_hand:
            wait = self.draft.add_edge(came_from, node, action_type="wait", params={}, called=node.name)
            self._came.waits.append(wait.pk)
        self._came_by_hand = False
        return node

    def came_with(self) -> dict[str, list[int]]:
        """The screens that came by themselves and were made for the step that is kept now, and how they are waited for;
        told once."""
        came, self._came = self._came, _Came()
        return asdict(came) if came.nodes or came.waits else {}

    def led_by(self, pending: Pending) -> None:
        """A step was kept: the next screen is where it leads."""
        pending.after = replace(self.pending, after=None) if self.pending is not None else None
        self.pending, self._came_by_hand, self._taken_for = pending, False, []
        self._index = max(self._index, pending.step.index + 1)
        self._kept.add(pending.step.pk)
        self.mark_ends()

    def insert_after(self, edge: Edge | None) -> None:
        """What is done from now on is put behind that step; None: behind all of its screen, as usual."""
        self._inserts = [edge.pk] if edge else []

    @property
    def inserts_after(self) -> Edge | None:
        """The step that the next one is put behind, as long as it is in the draft."""
        known = Edge.objects.filter(pk__in=self._inserts).in_bulk()
        return next((known[pk] for pk in reversed(self._inserts) if pk in known), None)

    def put_in_place(self, edge: Edge) -> None:
        """A step was kept: where steps are inserted, on the screen that the one before leads to, it is one of them."""
        before = self.inserts_after
        if before is not None and before != edge and before.destination_id == edge.source_id:
            insert_after(edge, before)
            self._inserts = [*(pk for pk in self._inserts if pk != edge.pk), edge.pk]

    def left_unkept(self) -> None:
        """Something was done that is no step: where it leads nobody keeps."""
        self.pending, self._came_by_hand, self._taken_for = None, True, []

    def sets_there(self, node: Node) -> None:
        """What was clicked is what sets a control of that screen: the list that was opened for it is none."""
        self.cursor, self._stands = node, False
        self.begin()

    def typed(self, text: str, step: LessonStep, *, fixed: bool) -> None:
        """A text that was typed: where it stands on a screen it is data. It may be said to be secret later."""
        self._typed_by[step.pk] = text
        if fixed and len(text.strip()) > 1:
            self._typed.append(text.strip())
            self.known = Known(values=self.known.values, typed=tuple(self._typed))

    def is_data(self, text: str) -> None:
        """A text that a control of this screen shows as its value, another one in each run: it tells no screen."""
        if not text.strip():
            return
        self._typed.append(text.strip())
        self.known = Known(values=self.known.values, typed=tuple(self._typed))
        node = self.cursor
        if node is not None and text in node.texts:
            node.texts = [known for known in node.texts if known != text]
            node.aside = [*node.aside, {"text": text, "kind": Told.DATA.value}]
            node.save(update_fields=["texts", "aside"])

    def concealed(self) -> dict[str, str]:
        """By the variable's name what was typed and has been said to be secret since; forgotten with the answer."""
        secret = {v.name for v in self.draft.workflow.variables.all() if holds_secret(variable_spec(v))}
        found = {}
        for step in LessonStep.objects.filter(pk__in=self._typed_by):
            name = sole_name(str(step.params.get("text", "")))
            if name in secret:
                found[name] = self._typed_by.pop(step.pk)
        if found:
            hidden = {text.strip() for text in found.values()}
            self._typed = [text for text in self._typed if text not in hidden]
        return found

    def show_anew(self) -> None:
        """Other things are hidden than a moment ago, and nothing of them was kept yet."""
        with self._lock:
            self._shown = None
        self._pictures = {}

    def look_anew(self) -> None:
        """Other things are hidden than before: what is remembered of screens is what may be kept of them now."""
        self._shown, self._pictures, self._looks = None, {}, {}
        if self.pending is not None:
            self.pending.before, self.pending.typed = None, ""
        if self._raw is not None:
            self._now = self.shown(self._raw)
        self.begin()
        if self.cursor is not None and self._now is not None and not self._looks.get(self.cursor.pk):
            look = Look.of_state(self._now, self.picture_of(self._now))
            self._looks[self.cursor.pk] = [look]
            self.cursor.reference = self.draft.picture(look.picture)
            self.cursor.window_box = look.window_box
            self.cursor.save(update_fields=["reference", "window_box"])
            self._keep_reading(look)

    def next_index(self) -> int:
        index, self._index = self._index, self._index + 1
        return index

    def picture_of(self, shown: ScreenState) -> str:
        """The digest of the screen's picture, stored once."""
        known = self._pictures.get(id(shown))
        if known is None or known[0] is not shown:
            self._pictures = {id(shown): (shown, self.draft.store.put(shown.frame.pixels))}
        return self._pictures[id(shown)][1]

    def looks(self) -> dict[str, list[Look]]:
        """By node id what each screen was seen as."""
        return {node.node_id: list(self._looks.get(node.pk, [])) for node in self.draft.nodes()}

    def is_screen(self, node: Node | None) -> None:
        """A person says which node shows; None for a new one."""
        if self._now is None:
            return
        why = say("lesson.is_screen", node=node.name) if node else say("lesson.new_screen")
        placed = Placed(node=node, why=why, is_changed=node is not None)
        self._placed, self.why = placed, why
        with transaction.atomic():
            self._take_back_looks(node)
            if node is not None:
                self._move_stay(node)
            if self.pending is not None:
                self._lead(self.pending, self._now, placed)
            else:
                by_hand, self._came_by_hand = self._came_by_hand, False  # the teacher says which it is
                with self._kept_as_mend(self._now) if node is None else nullcontext():
                    self._stand(self._node_for(self._now, placed, None))
                    self.mark_ends()
                self._came_by_hand = by_hand

    def _move_stay(self, node: Node) -> None:
        """The screen that shows was made by the step that led to it, and is that node by a person's word: the step
        leads there, and what was done since on the one screen was done on the other."""
        stray, steps = self.cursor, list(self.lesson.steps.kept().select_related("edge"))
        if stray is None or stray == node:
            return
        first = next((n for n, step in enumerate(steps) if stray.pk in (step.made or {}).get("nodes", [])), None)
        if first is None or (maker := steps[first]).edge is None or maker.edge.destination_id != stray.pk:
            return
        edges = [step.edge for step in steps[first + 1 :] if step.edge is not None]
        if not edges or any({edge.source_id, edge.destination_id} != {stray.pk} for edge in edges):
            return  # it was left since; the last step alone is moved with what it led to
        self.draft.lead(maker.edge, node)
        self.draft.workflow.edges.filter(pk__in=[edge.pk for edge in edges]).update(source=node, destination=node)
        self.cursor = node
        self._take_up_pending()
        self._forget(stray, maker)
        maker.made = {**maker.made, "nodes": [pk for pk in maker.made["nodes"] if pk != stray.pk]}
        maker.save(update_fields=["made"])

    @contextmanager
    def _kept_as_mend(self, now: ScreenState) -> Iterator[None]:
        """A screen that is made without an act is a step of its own, so that it can be taken back."""
        was = rows_of(self.draft.workflow)
        yield
        assert self.cursor is not None
        LessonStep.objects.create(
            lesson=self.lesson,
            index=self.next_index(),
            act=MEND,
            params={"what": "new_screen"},
            state=LessonStepState.DONE,
            node=self.cursor,
            made=changed(was, rows_of(self.draft.workflow)),
            picture_before=self.picture_of(now),
            screen={"said": to_json(say("lesson.mend_new", node=self.cursor.name, texts=list(self.cursor.texts)))},
        )

    def taken_back(self) -> None:
        """Steps were taken out of the draft: what shows now is looked up anew, and nothing leads there."""
        self.pending, self._came_by_hand, self._stands, self._taken_for = None, True, False, []
        self.lesson.workflow.refresh_from_db()
        self._looks = {
            node.pk: [look for look in self._looks[node.pk] if look.picture in _pictures_of(node)]
            for node in self.draft.nodes()
            if node.pk in self._looks
        }
        self.begin()
        self.mark_ends()
        if self._raw is not None:
            self.seen(self._raw)

    def mended(self, now: ScreenState) -> None:
        """The draft was changed by what a teacher said of this screen: all of it is taken up anew."""
        self._keep_reading(Look.of_state(now, self.picture_of(now)))
        self._looks = {}
        self.begin()
        if self._raw is not None:
            self.seen(self._raw)

    # --- variables --------------------------------------------------------------------------------------------------
    def make_variable(self, name: str, value: str, *, kind: str = "text", counted: bool = False) -> str:
        """A variable with that value here, put where the value was typed as it stands; its name."""
        name = name or variable_name("value", list(self.draft.graph().kinds))
        self.draft.add_variable_of_step(name, kind=kind, example=value)
        self.lesson.values = {**self.lesson.values, name: value}
        self.lesson.save(update_fields=["values"])
        if not counted:
            self.draft.put(name, value)
            self._typed = [typed for typed in self._typed if typed != value]
        self.learn_values()
        return name

    def remember(self, name: str, value: str) -> None:
        """A value that was read is known by its name from now on."""
        self.lesson.values = {**self.lesson.values, name: value}
        self.lesson.save(update_fields=["values"])
        self.learn_values()

    # --- how --------------------------------------------------------------------------------------------------------
    def _in_order(self) -> list[tuple[Node, Sequence[Look]]]:
        """The nodes with their pictures, the one where it stands first."""
        nodes = {node.pk: node for node in self.draft.nodes()}
        first = [self.cursor.pk] if self.cursor is not None and self.cursor.pk in nodes else []
        order = [*first, *(pk for pk in nodes if pk not in first)]
        return [(nodes[pk], self._looks.get(pk, [])) for pk in order]

    def _lead(self, pending: Pending, shown: ScreenState, placed: Placed) -> None:
        """The step leads to this screen, whatever it seemed to lead to a moment ago.

        What it is by now is read first: while the screen was looked at somebody may have edited it.
        """
        within = pending.within
        self._take_up_pending()
        if self.pending is None:  # it was taken out
            if placed.node is not None:
                self._stand(placed.node)
            return
        if pending.within != within:
            placed = self._placed_of(shown, self._in_order(), pending)
            self._placed, self.why = placed, placed.why
        if placed.node is None and pending.made is not None:
            self._forget(pending.made, pending.step)  # what showed on the way: a page that was loading
            pending.made = None
        node = self._node_for(shown, placed, pending.step)
        if placed.node is None:
            pending.made = node
            pending.step.made = {**pending.step.made, "absent": self._told_apart()}
        elif pending.made is not None and node != pending.made:
            self._forget(pending.made, pending.step)
            pending.made = None
        led_elsewhere = pending.edge.destination_id != node.pk
        self.draft.lead(pending.edge, node)
        self._goes_on_from_end(pending, node)
        self.mark_ends()
        is_set = pending.edge.action_type in SETTING_ACTION_TYPES and node == pending.edge.source
        if is_set and led_elsewhere:  # the list that was still open, where the program was slow to close it
            self.draft.expect(pending.edge, ExpectSpec(), ExpectSpec())
            pending.step.screen = {**pending.step.screen, "after": []}
        if pending.before is not None and not is_set:  # what a control was brought to is seen on the control
            first, then = expectation_of(
                pending.before, shown, action_type=pending.edge.action_type, typed=pending.typed,
                variables=self.known.values,
            )  # fmt: skip
            self.draft.expect(pending.edge, first, then)
            pending.step.screen = {**pending.step.screen, "after": list(then.texts)}
        self._propose_record(pending, shown, node)
        pending.step.picture_after = self.picture_of(shown)
        nodes = [pending.made.pk] if pending.made else []
        pending.step.made = {**pending.step.made, "nodes": nodes}
        pending.step.save()
        self._stand(node)

    def _goes_on_from_end(self, pending: Pending, node: Node) -> None:
        """An end that a step leads on from is none any more; the step says so, and taken back it is one again.

        Where this lesson made it, it was an end for as long as nothing more was shown.
        """
        source = Node.objects.get(pk=pending.edge.source_id)
        if source == node or not source.is_end or source.ends_too or source.pk in self._ends:
            return
        self._ends.add(source.pk)
        pending.step.made = {**pending.step.made, "ended": source.pk}

    def _propose_record(self, pending: Pending, shown: ScreenState, node: Node) -> None:
        """Whose record it seems to be that a line led to; asked for by the steps there once somebody agrees."""
        known = pending.step.screen.get("record") or {}
        identity = []
        if node != pending.edge.source:
            identity = proposed_record(pending.edge, shown, self.known.values, before=pending.before)
        if identity != known.get("identity", []) and "accepted" not in known:
            screen = {key: value for key, value in pending.step.screen.items() if key != "record"}
            pending.step.screen = {**screen, **({"record": {"identity": identity}} if identity else {})}

    def mark_ends(self) -> None:
        """Of the screens that this lesson made, or goes on from, nothing leads on from an end, but for what is done for
        each line of its list.

        Unless a teacher says so; the first is one once it has steps.
        """
        if not self._ends:
            return
        nodes = self.draft.nodes()
        graph = graph_of(self.draft.workflow, nodes)
        for node in nodes:
            if node.pk in self._ends and (is_end := _is_end(node, graph)) is not node.is_end:
                Node.objects.filter(pk=node.pk).update(is_end=is_end)

    def _stand(self, node: Node) -> None:
        self.cursor, self._stands = node, True
        Lesson.objects.filter(pk=self.lesson.pk).update(cursor=node)

    def _node_for(self, shown: ScreenState, placed: Placed, step: LessonStep | None) -> Node:
        """The node that it is, with one look more where it looks otherwise; or a new one."""
        if placed.node is not None:
            self._another_look(placed.node, shown, is_changed=placed.is_changed)
            return placed.node
        digest = self.picture_of(shown)
        look = Look.of_state(shown, digest)
        others = [one for looks in self._looks.values() for one in looks]
        taken = list(self.draft.workflow.nodes.values_list("name", flat=True))
        node = self.draft.add_node(
            name=proposed_name(shown, placed, self.known, taken),
            picture=digest,
            texts=list(proposed_texts(shown, self.known, others)),
            aside=set_aside(shown, self.known),
            window_title=shared_pattern("", shown, self.known),
            window_box=look.window_box,
        )
        self._ends.add(node.pk)
        self._looks[node.pk] = [look]
        self._keep_reading(look)
        self._tell_apart(node, look)
        return node

    def _another_look(self, node: Node, shown: ScreenState, *, is_changed: bool) -> None:
        if self.lesson.step_index is not None and self.pending is None:
            return  # a run's picture that is mended with: the teacher says what it is
        if self._came_by_hand and self.pending is None:
            return  # on the way to where something is kept: nobody says that it is this screen
        was, title, more = node.window_title, shared_pattern(node.window_title, shown, self.known), None
        if title != was:
            node.window_title = title
            node.save(update_fields=["window_title"])
        looks = self._looks.setdefault(node.pk, [])
        if is_changed and len(looks) < MOST_LOOKS:
            look = Look.of_state(shown, self.picture_of(shown))
            self.draft.add_look(node, look.picture)
            more = look if all(look.picture != known.picture for known in looks) else None
            looks.append(look)
            self._keep_reading(look)
        self._taken_for.append((node, was, more))

    def _take_back_looks(self, said: Node | None) -> None:
        """What was kept of a screen that this one was taken for since the last act, and is not."""
        for node, title, look in reversed(self._taken_for):
            if said is not None and node.pk == said.pk:
                continue
            Node.objects.filter(pk=node.pk).update(window_title=title)
            if look is not None:
                node.looks.remove(*node.looks.filter(digest=look.picture))
                self._looks[node.pk] = [one for one in self._looks.get(node.pk, []) if one is not look]
        self._taken_for = []

    def _tell_apart(self, node: Node, look: Look) -> None:
        """Where all that one screen is known by stands on another, a text of that one must not be on it."""
        for other in self.draft.nodes():
            if other.pk == node.pk:
                continue
            for theirs in self._looks.get(other.pk, [])[:1]:
                for one, here, two, there in ((other, theirs, node, look), (node, look, other, theirs)):
                    text = forbidden(here, one.texts, there, two.texts)
                    if text and text not in one.absent:
                        one.absent = [*one.absent, text]
                        one.save(update_fields=["absent"])
                        self._absent += [(one.pk, text)] if one is other else []

    def _told_apart(self) -> list[tuple[int, str]]:
        """What must not be on other screens since one was made, by their keys; told once."""
        absent, self._absent = self._absent, []
        return absent

    def _forget(self, node: Node, step: LessonStep) -> None:
        if not node.outgoing.exclude(destination=node).exists():
            allow_again(step.made.get("absent") or ())
            node.incoming.update(destination=self.pending.edge.source if self.pending else node)
            self._looks.pop(node.pk, None)
            node.delete()

    def _keep_reading(self, look: Look) -> None:
        """So that no run has to read the picture again."""
        DatabaseReferences().keep_reading(
            Reading(
                picture=look.picture, maker=maker_of(self.analyzer), size=look.state.frame.size,
                texts=look.texts, elements=look.state.elements,
            )
        )  # fmt: skip

    def dialog(self) -> dict[str, Any] | None:
        """What lies over the screen that showed before the last act and may be closed; None for nothing."""
        over, now = self._placed.dialog if self._placed is not None else None, self._now
        if over is None or now is None:
            return None
        opener = self.pending if self.pending and self.pending.edge.action_type == "click" else None
        before, clicked = (opener.before, clicked_at(opener)) if opener else (None, None)
        if not may_be_closed(over, now, before=before, clicked=clicked):
            return None
        return over.to_json(now)

    def awaits_anew(self) -> None:
        """What came was closed and is no screen: the last step leads to what shows now."""
        if self.pending is not None:
            self.pending.settled_at = 0.0

    def window_box(self) -> list[int] | None:
        """Where the window lies that has the focus; None where nobody can tell."""
        window = self._now.window if self._now is not None else None
        return list(window.box) if window is not None and window.box is not None else None

    def told(self) -> dict[str, Any]:
        """What is looked at now, for the page; `why` is a sentence as JSON."""
        if self._now is None or self._placed is None:
            return {"node_id": None, "name": "", "why": to_json(say("lesson.reading")), "state": "reading"}
        node = self.cursor if self._stands else None
        is_new = self._placed.node is None
        return {
            "node_id": node.node_id if node else None,
            "name": node.name if node else "",
            "why": to_json(self.why),
            "state": "new" if is_new else "known",
        }


def _is_end(node: Node, graph: GraphSpec) -> bool:
    if not graph.outgoing(node.node_id):
        return node.ends_too or not node.is_entry
    return node.ends_too or bool(graph.done_at_end(node.node_id))


def comes_too_late(pending: Pending, shown: ScreenState) -> bool:
    """By when the picture was taken: how long it was read is the machine's matter."""
    return bool(pending.settled_at) and shown.frame.taken_at.timestamp() - pending.settled_at > LATE_S


def _pictures_of(node: Node) -> list[str]:
    return [p.digest for p in (*([node.reference] if node.reference else []), *node.looks.all())]


def _made_in(lesson: Lesson) -> set[int]:
    """The screens that a lesson made: all, where nothing was published yet; else those that its steps led to, and the
    ends that they went on from."""
    if not lesson.workflow.versions.exists():
        return set(lesson.workflow.nodes.values_list("pk", flat=True))
    made = [step.made for step in lesson.steps.kept()]
    return {pk for one in made for pk in (*(one.get("nodes") or []), *([one["ended"]] if "ended" in one else []))}
