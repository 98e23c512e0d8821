"""What a mend changed of the draft, as it was before: kept with its step, so that Undo puts it back (S6.9, S6.14).

Pictures are kept by their digests: one that has been given up since is not brought back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import models

from workflows.models import Node, Picture, Target, Workflow

_KINDS: dict[str, type[Node | Target]] = {"node": Node, "target": Target}
_LOOKS, _POPUPS = "looks", "popups"

Rows = dict[str, Any]  # "popups", and by "node 7" the columns of that row


def rows_of(workflow: Workflow) -> Rows:
    """Whatever a mend may change; read anew."""
    rows: Rows = {_POPUPS: Workflow.objects.values_list("popups", flat=True).get(pk=workflow.pk)}
    for kind, model in _KINDS.items():
        for row in model._default_manager.filter(workflow=workflow):
            rows[f"{kind} {row.pk}"] = _columns(row)
    return rows


def changed(was: Rows, now: Rows) -> dict[str, Any]:
    """For a step's `made`: what was another before, and which screens are new."""
    new = [int(key.split()[1]) for key in now if key.startswith("node ") and key not in was]
    return {"nodes": new, "was": {key: value for key, value in was.items() if now.get(key) != value}}


def put_back(workflow: Workflow, was: Rows) -> None:
    """The rows as they were; one that has been taken out since stays out. Call inside a transaction."""
    for key, value in was.items():
        if key == _POPUPS:
            Workflow.objects.filter(pk=workflow.pk).update(popups=value)
            continue
        kind, pk = key.split()
        row = _KINDS[kind]._default_manager.filter(pk=int(pk)).first()
        if row is not None:
            _set(row, value)


def without_pictures(was: Rows, digests: set[str]) -> Rows:
    """The same without pictures that are kept no more."""
    return {key: _forgetting(value, digests) for key, value in was.items()}


def _columns(row: Node | Target) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        if field.name not in ("id", "workflow"):
            value = getattr(row, field.name)
            told[field.name] = value.digest if isinstance(value, Picture) else value
    if isinstance(row, Node):
        told[_LOOKS] = sorted(row.looks.values_list("digest", flat=True))
    return told


def _set(row: Node | Target, columns: dict[str, Any]) -> None:
    for name, value in columns.items():
        if name == _LOOKS:
            assert isinstance(row, Node)
            row.looks.set(_pictures(value))
        elif isinstance(row._meta.get_field(name), models.ForeignKey):
            setattr(row, name, _pictures([value]).first())
        else:
            setattr(row, name, value)
    row.save()


def _pictures(digests: Iterable[str | None]) -> models.QuerySet[Picture]:
    return Picture.objects.filter(digest__in=[digest for digest in digests if digest])


def _forgetting(value: Any, digests: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _forgetting(inner, digests) for key, inner in value.items()}
    if isinstance(value, list):
        return [_forgetting(inner, digests) for inner in value if not (isinstance(inner, str) and inner in digests)]
    return None if isinstance(value, str) and value in digests else value
