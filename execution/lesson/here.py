"""Where a lesson stands: which screen shows, which node it is, and which step led there."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from execution.lesson.drafting import Draft, variable_name
from execution.lesson.screens import (
    MOST_LOOKS,
    Known,
    Look,
    Placed,
    forbidden,
    place,
    proposed_name,
    proposed_texts,
    set_aside,
    shared_pattern,
)
from execution.matching.references import Reading, maker_of
from execution.models import Lesson, LessonStep
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.redaction import Redaction
from execution.record.reference_store import DatabaseReferences
from execution.teaching.expectations import expectation_of
from execution.types import ScreenState
from sentences.said import say, to_json
from workflows.models import Edge, Node
from workflows.secret_names import holds_secret
from workflows.specs import variable_spec
from workflows.text import sole_name

LATE_S = 5.0  # after a screen that an act led to stood still


@dataclass(slots=True, kw_only=True)
class Pending:
    """The last step that was kept: the screens that come now are where it leads, until something else is done."""

    step: LessonStep
    edge: Edge
    before: ScreenState | None  # as it may be kept
    typed: str = ""
    settled_at: float = 0.0  # when the screen that it leads to was seen last
    made: Node | None = None  # the node that was made for where it leads
    after: Pending | None = None  # the step that came right before it


class Here:
    """The screens of one lesson. All that it keeps of them has gone through `redaction`."""

    def __init__(self, lesson: Lesson, draft: Draft, analyzer: ScreenAnalyzer, redaction: Redaction) -> None:
        self.lesson, self.draft, self.analyzer, self.redaction = lesson, draft, analyzer, redaction
        self.cursor: Node | None = lesson.cursor
        self.pending: Pending | None = None
        self.known = Known()
        self.why: str = ""
        self._ends = {pk for step in lesson.steps.kept() for pk in step.made.get("nodes") or []}  # unless left again
        self._typed: list[str] = []
        self._typed_by: dict[int, str] = {}  # by the key of the step
        self._looks: dict[int, list[Look]] = {}
        self._raw: ScreenState | None = None  # read last
        self._now: ScreenState | None = None  # the same as it may be kept
        self._placed: Placed | None = None
        self._shown: tuple[ScreenState, ScreenState] | None = None
        self._pictures: dict[int, tuple[ScreenState, str]] = {}
        self._index = lesson.next_index()
        self._stands = False  # whether the cursor is the node of what shows now
        self._came_by_hand = False  # something was done since that is no step
        self._lock = threading.Lock()

    def begin(self) -> None:
        """What the draft holds by now, with what was read of its pictures; also after somebody has edited it."""
        self.lesson.workflow.refresh_from_db()
        self._take_up_pending()
        nodes = self.draft.nodes()
        self.learn_values()
        kept = DatabaseReferences().readings(
            {p.digest for n in nodes for p in (*([n.reference] if n.reference else []), *n.looks.all())},
            maker_of(self.analyzer),
        )
        alive = {node.pk for node in nodes}
        self._looks = {pk: looks for pk, looks in self._looks.items() if pk in alive}
        for node in nodes:
            if node.pk in self._looks:
                continue
            pictures = [p.digest for p in (*([node.reference] if node.reference else []), *node.looks.all())]
            self._looks[node.pk] = [Look.of_reading(kept[p], node.window_title) for p in pictures if p in kept]
        if self.cursor is not None:
            self.cursor = next((node for node in nodes if node.pk == self.cursor.pk), None)

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

    def learn_values(self) -> None:
        """The values that the variables have here: those of the lesson, else what they are offered with."""
        self.lesson.refresh_from_db(fields=["values"])
        variables = list(self.draft.workflow.variables.all())
        told = {v.name: self.lesson.values.get(v.name) or v.example or v.default for v in variables}
        secret = {v.name for v in variables if holds_secret(variable_spec(v))}
        read = {name: value for name, value in self.lesson.values.items() if name not in told}
        values = {name: str(value) for name, value in {**told, **read}.items() if value and name not in secret}
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

    def has_seen(self, state: ScreenState) -> bool:
        return state is self._raw

    def before(self) -> ScreenState | None:
        return self._now

    def seen(self, state: ScreenState) -> None:
        """A screen was read: which node it is, and where the last step led."""
        self.redaction.seen(state)
        shown = self.shown(state)
        pending = self.pending
        nodes = self._in_order()
        # What lay over the screen before the last act may be gone, and what is there now is another look of it.
        placed = place(shown, nodes, before=pending.before if pending else self._now, known=self.known)
        self._raw, self._now, self._placed, self.why = state, shown, placed, placed.why
        self._stands = False
        if pending is not None and _is_over(pending) and (placed.node is None or placed.node != self.cursor):
            self.pending = pending = None  # what comes so late is no effect of it
        if pending is not None:
            pending.settled_at = time.monotonic()
            with transaction.atomic():
                self._lead(pending, shown, placed)
        elif placed.node is not None or not nodes:
            with transaction.atomic():
                self._stand(self._node_for(shown, placed, None))

    def source(self) -> Node:
        """The node of what shows now; made where it came by itself, with the step that waits for it.

        Raises LookupError where no screen was read yet.
        """
        if self._now is None or self._placed is None:
            raise LookupError("no screen was read")
        if self._stands and self.cursor is not None:
            return self.cursor
        came_from, by_hand = self.cursor, self._came_by_hand
        node = self._node_for(self._now, self._placed, None)
        self._stand(node)
        if came_from is not None and came_from != node and not by_hand:
            self.draft.add_edge(came_from, node, action_type="wait", params={}, called=node.name)
        self._came_by_hand = False
        return node

    def led_by(self, pending: Pending) -> None:
        """A step was kept: the next screen is where it leads."""
        pending.after = replace(self.pending, after=None) if self.pending is not None else None
        self.pending, self._came_by_hand = pending, False
        self._index = max(self._index, pending.step.index + 1)
        self._mark_ends()

    def left_unkept(self) -> None:
        """Something was done that is no step: where it leads nobody keeps."""
        self.pending, self._came_by_hand = None, True

    def typed(self, text: str, step: LessonStep, *, fixed: bool) -> None:
        """A text that was typed: where it stands on a screen it is data. It may be said to be secret later."""
        self._typed_by[step.pk] = text
        if fixed and len(text.strip()) > 1:
            self._typed.append(text.strip())
            self.known = Known(values=self.known.values, typed=tuple(self._typed))

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
            self.cursor.save(update_fields=["reference"])
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
            if self.pending is not None:
                self._lead(self.pending, self._now, placed)
            else:
                self._stand(self._node_for(self._now, placed, None))

    def taken_back(self) -> None:
        """Steps were taken out of the draft: what shows now is looked up anew, and nothing leads there."""
        self.pending, self._came_by_hand, self._stands = None, True, False
        alive = {node.pk for node in self.draft.nodes()}
        self._looks = {pk: looks for pk, looks in self._looks.items() if pk in alive}
        if self.cursor is not None and self.cursor.pk not in alive:
            self.cursor = None
        self._mark_ends()
        if self._raw is not None:
            self.seen(self._raw)

    # --- variables --------------------------------------------------------------------------------------------------
    def make_variable(self, name: str, value: str, *, kind: str = "text", counted: bool = False) -> str:
        """A variable with that value here, put where the value was typed as it stands; its name."""
        taken = list(self.draft.workflow.variables.values_list("name", flat=True))
        name = name or variable_name("value", taken)
        self.draft.add_variable(name, kind=kind, example=value)
        self.lesson.values = {**self.lesson.values, name: value}
        self.lesson.save(update_fields=["values"])
        if not counted:
            for edge in self.draft.workflow.edges.filter(action_type="type_text"):
                if edge.params.get("text") == value:
                    edge.params = {**edge.params, "text": "{{" + name + "}}"}
                    edge.save(update_fields=["params"])
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
        """The step leads to this screen, whatever it seemed to lead to a moment ago."""
        if placed.node is None and pending.made is not None:
            self._forget(pending.made)  # what showed on the way: a page that was loading
            pending.made = None
        node = self._node_for(shown, placed, pending.step)
        if placed.node is None:
            pending.made = node
            self._ends.add(node.pk)
            self._mark_ends()
        elif pending.made is not None and node != pending.made:
            self._forget(pending.made)
            pending.made = None
        self.draft.lead(pending.edge, node)
        if pending.before is not None:
            first, then = expectation_of(
                pending.before, shown, action_type=pending.edge.action_type, typed=pending.typed,
                variables=self.known.values,
            )  # fmt: skip
            self.draft.expect(pending.edge, first, then)
            pending.step.screen = {**pending.step.screen, "after": list(then.texts)}
        pending.step.picture_after = self.picture_of(shown)
        pending.step.made = {**pending.step.made, "nodes": [pending.made.pk] if pending.made else []}
        pending.step.save()
        self._stand(node)

    def _mark_ends(self) -> None:
        """Of the screens that this lesson made those are ends where nothing more was done."""
        made = self.draft.workflow.nodes.filter(pk__in=self._ends)
        made.filter(outgoing__isnull=True).update(is_end=True)
        made.filter(outgoing__isnull=False).update(is_end=False)

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
        )
        self._looks[node.pk] = [look]
        self._keep_reading(look)
        self._tell_apart(node, look)
        return node

    def _another_look(self, node: Node, shown: ScreenState, *, is_changed: bool) -> None:
        title = shared_pattern(node.window_title, shown, self.known)
        if title != node.window_title:
            node.window_title = title
            node.save(update_fields=["window_title"])
        looks = self._looks.setdefault(node.pk, [])
        if is_changed and len(looks) < MOST_LOOKS:
            look = Look.of_state(shown, self.picture_of(shown))
            self.draft.add_look(node, look.picture)
            looks.append(look)
            self._keep_reading(look)

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

    def _forget(self, node: Node) -> None:
        if not node.outgoing.exclude(destination=node).exists():
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


def _is_over(pending: Pending) -> bool:
    return bool(pending.settled_at) and time.monotonic() - pending.settled_at > LATE_S
