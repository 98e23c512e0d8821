"""Prototypes in the database: moved after what was verified, held near what was taught, reset by people (S6.6).

A prototype takes the place of its taught picture's vector alone, where one is compared: what is declared of a screen
and what is read on it decide as before, and cap what a look can make certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from django.db import transaction
from django.db.models import Max

from execution.learning.prototypes import angle, held, moved, unit
from execution.matching.references import Reference
from execution.models import Prototype, ReferenceVector, Step
from execution.types import Embedding
from workflows.graph import GraphSpec, NodeSpec
from workflows.models import Workflow

KEPT = 50  # versions of each: enough to go back, and to see how it wandered
_FLOATS = "<f4"


def by_prototypes(references: Mapping[str, Reference], workflow: Workflow) -> dict[str, Reference]:
    """The references with the vectors that their screens have by now; each is still within its bounds."""
    kept = current(workflow)
    if not kept:
        return dict(references)
    taught = {name: [look.embedding for look in (one, *one.looks)] for name, one in references.items()}

    def now(node_id: str, look: Reference) -> Reference:
        embedding = look.embedding
        if embedding is None or (row := kept.get((node_id, look.picture, embedding.model))) is None:
            return look
        others = [
            e.vector
            for name, some in taught.items()
            if name != node_id
            for e in some
            if e and e.model == row.model and e.vector.any()  # an empty screen has no direction
        ]
        vector = held(_vector(row), taught=embedding.vector, others=others)
        return replace(look, embedding=Embedding(model=row.model, vector=vector.astype(np.float32)))

    return {
        name: replace(now(name, one), looks=tuple(now(name, look) for look in one.looks))
        for name, one in references.items()
    }


def move(
    workflow: Workflow,
    graph: GraphSpec,
    node_id: str,
    seen: Embedding,
    *,
    execution_id: str = "",
    step: int = 0,
) -> Prototype | None:
    """After a verified success on that screen: the picture of it that is most alike moves towards what was seen.

    None where nothing of it was taught with that model, or where it stays where it is.
    """
    node = graph.node(node_id)
    if node is None:
        return None
    mine, others = _taught(graph, node, seen.model)
    if not mine or not seen.vector.any() or seen.vector.shape != next(iter(mine.values())).shape:
        return None
    with transaction.atomic():
        Workflow.objects.select_for_update().get(pk=workflow.pk)  # of two robots one after the other
        kept = current(workflow, node_id=node_id)
        now = {picture: kept.get((node_id, picture, seen.model)) for picture in mine}
        here = {picture: _vector(row) if row else mine[picture] for picture, row in now.items()}
        picture = min(here, key=lambda one: angle(unit(here[one]), unit(seen.vector)))
        taught = mine[picture]
        later = moved(here[picture], seen.vector, taught=taught, others=others)
        if angle(later, unit(here[picture])) < 1e-6:
            return None
        number = (now[picture].number if now[picture] else 0) + 1  # type: ignore[union-attr]
        return _keep(
            workflow, node_id, picture, seen.model, number, later, taught, execution_id=execution_id, step=step
        )


def reset(workflow: Workflow, node_id: str, *, picture: str = "", name: str = "") -> int:
    """Every picture of that screen, or that one, looks as it was taught again; how many did not."""
    which = {"node_id": node_id, **({"picture": picture} if picture else {})}
    with transaction.atomic():
        moved_away = [row for row in current(workflow, **which).values() if not row.is_reset]
        for row in moved_away:
            taught = _vectors([row.picture], row.model).get(row.picture)
            vector = taught if taught is not None else _vector(row)
            _keep(workflow, node_id, row.picture, row.model, row.number + 1, vector, vector, is_reset=True, name=name)
    return len(moved_away)


def take_back(step: Step, *, name: str = "") -> int:
    """A step was wrong after all: the screens that it moved look as they were taught again."""
    rows = Prototype.objects.filter(
        workflow=step.execution.version.workflow, execution_id=step.execution.execution_id, step=step.index
    )
    nodes = set(rows.values_list("node_id", flat=True))
    return sum(reset(step.execution.version.workflow, node_id, name=name) for node_id in nodes)


def seen_at(step: Step) -> Embedding | None:
    """What a model made of the screen that the step began with."""
    name = ((step.screen.get("perception") or {}).get("embedding") or {}).get("provider")
    row = ReferenceVector.objects.filter(picture=step.picture_before, model=name).first() if name else None
    return Embedding(model=row.model, vector=np.frombuffer(bytes(row.vector), _FLOATS)) if row else None


def _keep(
    workflow: Workflow,
    node_id: str,
    picture: str,
    model: str,
    number: int,
    vector: np.ndarray,
    taught: np.ndarray,
    **more: object,
) -> Prototype:
    row = Prototype.objects.create(
        workflow=workflow,
        node_id=node_id,
        picture=picture,
        model=model,
        number=number,
        vector=unit(vector).astype(_FLOATS).tobytes(),
        away=angle(unit(vector), unit(taught)),
        **more,
    )
    of = Prototype.objects.filter(workflow=workflow, node_id=node_id, picture=picture, model=model)
    of.filter(number__lte=number - KEPT).delete()
    return row


def current(workflow: Workflow, **which: str) -> dict[tuple[str, str, str], Prototype]:
    """What each taught picture looks like by now to each model: by screen, picture and model."""
    key = ("node_id", "picture", "model")
    of = Prototype.objects.filter(workflow=workflow, **which)
    newest = {tuple(row[name] for name in key): row["last"] for row in of.values(*key).annotate(last=Max("number"))}
    rows = of.filter(number__in=set(newest.values()))
    return {k: row for row in rows if newest[k := (row.node_id, row.picture, row.model)] == row.number}


def _taught(graph: GraphSpec, node: NodeSpec, model: str) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """The taught vectors of a screen's pictures, and those of all others."""
    mine = [picture for picture in (node.picture, *node.looks) if picture]
    theirs = {picture for other in graph.nodes if other.node_id != node.node_id
              for picture in (other.picture, *other.looks) if picture}  # fmt: skip
    vectors = _vectors([*mine, *theirs], model)
    return {p: vectors[p] for p in mine if p in vectors}, [vectors[p] for p in sorted(theirs) if p in vectors]


def _vectors(pictures: Iterable[str], model: str) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    names = list(dict.fromkeys(pictures))
    for start in range(0, len(names), 500):
        rows = ReferenceVector.objects.filter(picture__in=names[start : start + 500], model=model)
        found |= {picture: np.frombuffer(bytes(v), _FLOATS) for picture, v in rows.values_list("picture", "vector")}
    return {picture: vector for picture, vector in found.items() if vector.any()}


def _vector(row: Prototype) -> np.ndarray:
    return np.frombuffer(bytes(row.vector), _FLOATS)
