"""Trying what was taught on all stored pictures, beside the lesson and while nothing else is done (S6.11)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError, InterfaceError, connections

from execution.lesson.beginnings import begins_on
from execution.lesson.here import Here
from execution.lesson.proving import Trial, proved, told_apart
from execution.models import Lesson, LessonStep
from execution.turn.rounds import counted
from workflows.catalogue import effect_class_of
from workflows.exceptions import PictureAway
from workflows.graph import CALL
from workflows.specs import edge_spec, graph_of

log = logging.getLogger(__name__)


class Proofs:
    """Works in a thread of its own; what it found is handed over by `found`, as a function for the lesson's thread."""

    def __init__(self, lesson: Lesson, here: Here, *, found: Callable[[Callable[[], None]], None]) -> None:
        self._lesson, self._here, self._found = lesson, here, found
        self._asked = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lesson-proofs", daemon=True)
        self._done: dict[int, Any] = {}  # of which evidence on which pictures a step's proof is

    def start(self) -> None:
        self._thread.start()

    def ask(self) -> None:
        """Something is new: try it when there is time."""
        self._asked.set()

    def stop(self) -> None:
        self._stop.set()
        self._asked.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while True:
                self._asked.wait()
                self._asked.clear()
                if self._stop.is_set():
                    return
                try:
                    self._prove()
                except (
                    DatabaseError,
                    InterfaceError,
                    PictureAway,
                ) as error:  # a helper: it is tried again with the next change
                    log.warning("what was taught was not tried: %s", error)
        finally:
            connections.close_all()

    def _prove(self) -> None:
        here, pictures = self._here, self._here.draft.store
        graph, looks = graph_of(self._lesson.workflow), here.looks()
        values = {**here.known.values, **counted(graph, ())}  # of a list its first line was shown
        apart = told_apart(graph, looks, pictures=pictures, values=values)
        self._found(lambda: self._keep_apart(apart))
        for step in self._lesson.steps.of_draft().filter(edge__action_type=CALL).select_related("edge__source"):
            if step.edge is not None:
                begins = begins_on(edge_spec(step.edge), looks.get(step.edge.source.node_id, []), here, pictures)
                self._found(lambda pk=step.pk, begins=begins: self._keep(pk, begins=begins))  # type: ignore[misc]
        for step in self._lesson.steps.of_draft().filter(edge__target__isnull=False).select_related("edge"):
            edge = graph.edge(step.edge.edge_id) if step.edge else None
            if self._stop.is_set() or self._asked.is_set():
                return
            if edge is None or edge.target is None:
                continue
            own = looks.get(edge.source, [])
            others_looks = [look for name, some in looks.items() if name != edge.source for look in some[:1]]
            key = (edge.target, tuple(look.picture for look in (*own, *others_looks)))
            if self._done.get(step.pk) == key:
                continue
            effect = effect_class_of(edge.action_type, edge.params, edge.effect_class, expects=bool(edge.expect))
            trial = Trial(target=edge.target, effect=effect, own=own, others=others_looks, values=values)
            proof = proved(trial, pictures=pictures)
            self._done[step.pk] = key
            self._found(lambda pk=step.pk, proof=proof: self._keep(pk, proof=proof))  # type: ignore[misc]

    def _keep_apart(self, apart: dict[str, Any]) -> None:
        if apart != self._lesson.told_apart:
            self._lesson.told_apart = apart
            self._lesson.save(update_fields=["told_apart"])

    def _keep(self, pk: int, **told: Any) -> None:
        pending = self._here.pending
        step = pending.step if pending and pending.step.pk == pk else LessonStep.objects.filter(pk=pk).first()
        if step is not None:
            step.note(**told)
