"""The references of taught pictures in the database, and how a run comes by those of its workflow (S2.10)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from django.db import DatabaseError
from django.utils.translation import gettext as _

from execution.matching.references import Reading, Reference, prepare
from execution.models import ReferenceReading, ReferenceVector
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.pictures import PictureSource
from execution.record.journal import Journal
from execution.record.prototypes import by_prototypes
from execution.types import Embedding
from sentences.said import cause, say
from workflows.graph import GraphSpec, NodeSpec

log = logging.getLogger(__name__)

_TOLD_EVERY = 10  # pictures
_AT_ONCE = 500  # pictures asked for in one query: SQLite takes a limited number of parameters
_FLOATS = "<f4"


class DatabaseReferences:
    """A ReferenceStore that lasts. What is kept and cannot be used is taken for missing, and so made again."""

    def readings(self, pictures: Iterable[str], maker: str) -> dict[str, Reading]:
        found = {}
        for some in _pieces(pictures):
            rows = ReferenceReading.objects.filter(picture__in=some, maker=maker)
            for picture, data in rows.values_list("picture", "reading"):
                try:
                    found[picture] = Reading.from_json(data)
                except ValueError as error:
                    log.warning("the reading of picture %s is not used: %s", picture[:8], error)
        return found

    def embeddings(self, pictures: Iterable[str], model: str) -> dict[str, Embedding]:
        found = {}
        for some in _pieces(pictures):
            rows = ReferenceVector.objects.filter(picture__in=some, model=model)
            for picture, data in rows.values_list("picture", "vector"):
                vector = np.frombuffer(bytes(data), _FLOATS).astype(np.float32)
                found[picture] = Embedding(model=model, vector=vector)
        return found

    def keep_reading(self, reading: Reading) -> None:
        self._keep(ReferenceReading, reading.picture, maker=reading.maker, defaults={"reading": reading.to_json()})

    def keep_embedding(self, picture: str, embedding: Embedding) -> None:
        vector = embedding.vector.astype(_FLOATS).tobytes()
        self._keep(ReferenceVector, picture, model=embedding.model, defaults={"vector": vector})

    def _keep(self, rows: type[ReferenceReading] | type[ReferenceVector], picture: str, **values: Any) -> None:
        """What cannot be kept is made again for the next run; this one has it."""
        try:
            rows.objects.update_or_create(picture=picture, **values)
        except DatabaseError as error:
            log.warning("what was seen on picture %s could not be kept: %s", picture[:8], error)


def taught_texts(node: NodeSpec | None) -> list[str]:
    """All that was read on the taught pictures of a screen, and what it is known by."""
    if node is None:
        return []
    texts = list(node.texts)
    pictures = [picture for picture in (node.picture, *node.looks) if picture]
    for data in ReferenceReading.objects.filter(picture__in=pictures).values_list("reading", flat=True):
        try:
            texts += [line.text for line in Reading.from_json(data).texts]
        except ValueError as error:
            log.warning("a reading of the screen %s is not used: %s", node.node_id, error)
    return texts


def references_for(
    journal: Journal,
    *,
    analyzer: ScreenAnalyzer,
    pictures: PictureSource,
    tell: Callable[[str], None],
    leave: Callable[[], bool],
    graph: GraphSpec | None = None,
) -> dict[str, Reference]:
    """The references of the run's nodes, or of `graph`, its own with what coaches have shown since.

    `tell` hears when pictures must be read first, which takes a second each.

    It is given up where the loop must leave or the run was ended meanwhile.
    """

    def progress(done: int, total: int) -> None:
        if done % _TOLD_EVERY == 0 or done == total:
            tell(_("Reading the taught screens: %(done)d of %(total)d") % {"done": done, "total": total})

    references = prepare(
        graph or journal.graph,
        analyzer=analyzer,
        pictures=pictures,
        store=DatabaseReferences(),
        read=journal.execution.enable_ocr,
        progress=progress,
        stop=lambda: leave() or journal.refresh().is_final,
    )
    problems = [reference.problem for reference in references.values() if reference.problem]
    if problems:
        counts = {"count": len(problems), "total": len(references)}
        journal.warn("references", say("perception.references_lack", **counts, why=problems[0]))
    try:
        return by_prototypes(references, journal.execution.version.workflow)
    except (DatabaseError, ValueError) as error:
        journal.warn("learning", cause(error))
        return references


def _pieces(pictures: Iterable[str]) -> Iterator[Sequence[str]]:
    some = list(pictures)
    for start in range(0, len(some), _AT_ONCE):
        yield some[start : start + _AT_ONCE]
