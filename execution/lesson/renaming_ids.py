"""Ids are made of words; one that was made of what is said to be secret later is made anew (S10.4).

What a program or a frozen version knows by the old id is not followed: it was seen before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models

from execution.lesson.drafting import LONGEST_ID, id_words, new_id
from workflows.models import Edge, Node, Target, Workflow

_SHORT = 4  # letters: so few of them stand in many a word, and are meant only as one of their own


def ids_without(workflow: Workflow, secret: str) -> dict[str, str]:
    """By the old id the new one, of each screen, step and target whose id tells of `secret`; the rows have it then.

    Their names are concealed by now: the new id is made of those, where they do not tell of it themselves.
    """
    told = id_words(secret)
    if not told:
        return {}
    found: dict[str, str] = {}
    for row, field, called, else_, prefix in _named(workflow):
        was = getattr(row, field)
        if not _tells(was, told):
            continue
        taken = set(type(row)._default_manager.filter(workflow=workflow).values_list(field, flat=True))
        now = new_id("" if _tells(id_words(called), told) else called, taken, else_=else_, prefix=prefix)
        setattr(row, field, now)
        row.save(update_fields=[field])
        found[was] = now
    return found


def put_ids(row: models.Model, ids: Mapping[str, str]) -> None:
    """The new ids wherever one of the old ones stands in the row by itself: a value, or a key."""
    changed = []
    for field in row._meta.concrete_fields:
        if not isinstance(field, models.CharField | models.TextField | models.JSONField):
            continue
        was = getattr(row, field.name)
        now = _put(was, ids)
        if now != was:
            setattr(row, field.name, now)
            changed.append(field.name)
    if changed:
        row.save(update_fields=changed)


def _named(workflow: Workflow) -> Iterable[tuple[Node | Edge | Target, str, str, str, str]]:
    """Each row with an id: its field, what the row is called, and what the id is else."""
    yield from ((node, "node_id", node.name, "screen", "") for node in workflow.nodes.all())
    yield from ((edge, "edge_id", edge.action_type, "step", "") for edge in workflow.edges.all())
    yield from ((target, "target_id", target.label, "target", "t_") for target in workflow.targets.all())


def _tells(name: str, told: str) -> bool:
    """Whether the id tells of it: as its words, or as their beginning where the id was cut off."""
    if len(told) < _SHORT:
        return f"_{told}_" in f"_{name}_"
    parts = (told[:n] for n in range(_SHORT, len(told)))
    return told in name or (len(name) >= LONGEST_ID - 1 and any(name.endswith(part.strip("_")) for part in parts))


def _put(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, dict):
        return {ids.get(key, key): _put(inner, ids) for key, inner in value.items()}
    return [_put(inner, ids) for inner in value] if isinstance(value, list) else value
