"""What a mend changed of the draft, as it was before: kept with its step, so that Undo puts it back (S6.9, S6.14).

Pictures are kept by their digests: one that has been given up since is not brought back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models

from workflows.models import Edge, Node, Picture, Target, Workflow

_KINDS: dict[str, type[Node | Target]] = {"node": Node, "target": Target}
_SAYS: dict[str, tuple[type[Node | Edge | Target], tuple[str, ...]]] = {
    "node": (Node, ("texts", "aside", "window_title", "regions", "absent")),
    "edge": (Edge, ("before", "expect")),
    "target": (Target, ("evidence",)),
}
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


def said_by(workflow: Workflow) -> Rows:
    """What screens are known by, steps are seen by and targets are found by; read anew."""
    return {
        f"{kind} {row.pk}": {name: getattr(row, name) for name in columns}
        for kind, (model, columns) in _SAYS.items()
        for row in model._default_manager.filter(workflow=workflow)
    }


def dropped(was: Rows, now: Rows) -> Rows:
    """Of the rows that are in both, each column that is another: as it was, and as it became."""
    found = {
        key: {name: [value, now[key][name]] for name, value in was[key].items() if value != now[key][name]}
        for key in was.keys() & now.keys()
    }
    return {key: columns for key, columns in found.items() if columns}


def give_back(workflow: Workflow, gone: Rows) -> None:
    """What was dropped, but where somebody has changed it since."""
    for key, columns in gone.items():
        kind, pk = key.split()
        model, _names = _SAYS[kind]
        for row in model._default_manager.filter(workflow=workflow, pk=int(pk)):
            names = [name for name, (_was, became) in columns.items() if getattr(row, name) == became]
            for name in names:
                setattr(row, name, columns[name][0])
            row.save(update_fields=names)


def allow_again(absent: Iterable[Sequence[Any]]) -> None:
    """Texts that must not be on a screen, by its key, may: the one that they told it from is gone."""
    for key, text in absent:
        node = Node.objects.filter(pk=key).first()
        if node is not None and text in node.absent:
            node.absent = [one for one in node.absent if one != text]
            node.save(update_fields=["absent"])


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
