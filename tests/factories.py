"""Rows for tests: plain functions, each with defaults that make a valid whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
from django.contrib.auth.models import Group, User

from workflows.actions.publish import publish
from workflows.models import Edge, Node, Picture, Target, Variable, Workflow, WorkflowVersion
from workflows.pictures import PictureStore

_numbers = count(1)

PASSWORD = "correct horse battery"

NODES: tuple[dict[str, Any], ...] = (
    {
        "node_id": "empty_note",
        "name": "Empty note",
        "texts": ["File", "Edit", "View"],
        "window_title": "Untitled - Notes",
        "is_entry": True,
    },
    {
        "node_id": "written_note",
        "name": "Note with text",
        "texts": ["{{patient}}"],
        "window_title": "*Untitled - Notes",
    },
    {"node_id": "save_dialog", "name": "Save dialog", "texts": ["Save As", "Cancel"], "window_title": "Save As"},
    {
        "node_id": "saved",
        "name": "Note saved",
        "texts": ["{{patient}}"],
        "window_title": "note.txt - Notes",
        "is_end": True,
    },
)
EDGES: tuple[dict[str, Any], ...] = (
    {
        "edge_id": "type_patient",
        "source": "empty_note",
        "destination": "written_note",
        "action_type": "type_text",
        "params": {"text": "{{patient}}"},
        "expect": {"texts": ["{{patient}}"]},
    },
    {
        "edge_id": "open_save",
        "source": "written_note",
        "destination": "save_dialog",
        "action_type": "press_keys",
        "params": {"keys": "ctrl+s"},
        "expect": {"window_title": "Save As"},
    },
    {
        "edge_id": "click_save",
        "source": "save_dialog",
        "destination": "saved",
        "action_type": "click",
        "target": {"target_id": "save_button", "label": "Save", "text": "Save", "role": "button"},
        "expect": {"window_title": "note.txt - Notes"},
    },
)
VARIABLES: tuple[dict[str, Any], ...] = (
    {"name": "patient", "label": "Patient", "default": "Ada Martin", "example": "Ada Martin"},
)


def make_user(role: str | None = None, username: str | None = None, **fields: Any) -> User:
    """A person with a role ("viewer", "operator", "designer", "admin"), or with none; the password is PASSWORD."""
    user = User.objects.create_user(username or f"{role or 'stranger'}{next(_numbers)}", password=PASSWORD, **fields)
    if role:
        user.groups.add(Group.objects.get(name=role))
    return user


def make_workflow(
    *,
    nodes: Sequence[Mapping[str, Any]] = NODES,
    edges: Sequence[Mapping[str, Any]] = EDGES,
    variables: Sequence[Mapping[str, Any]] = VARIABLES,
    **fields: Any,
) -> Workflow:
    """A draft; by default four screens in a line, entry to end, and one variable with a default.

    Nodes, edges and variables are the fields of their rows. An edge names its source and destination by node id; its
    `target` is the fields of a Target, made once per target id. A node's `picture` and a target's `picture` and
    `context` are digests (see make_picture).
    """
    number = next(_numbers)
    workflow = Workflow.objects.create(
        **{"workflow_id": f"wf_notes_{number}", "name": f"Patient note {number}", **fields}
    )
    rows = {row.node_id: row for row in Node.objects.bulk_create([_node(workflow, n) for n in nodes])}
    taught: dict[str, Mapping[str, Any]] = {}
    for edge in edges:
        if edge.get("target"):
            taught.setdefault(edge["target"]["target_id"], edge["target"])
    targets = Target.objects.bulk_create([_target(workflow, one) for one in taught.values()])
    target_of = {target.target_id: target for target in targets}
    acts = []
    for order, edge in enumerate(edges):
        ends = {"source": rows[edge["source"]], "destination": rows[edge["destination"]]}
        target = target_of[edge["target"]["target_id"]] if edge.get("target") else None
        acts.append(Edge(workflow=workflow, **{"order": order, **edge, **ends, "target": target}))
    Edge.objects.bulk_create(acts)
    said = str([list(nodes), list(edges)])
    asked = []
    for order, variable in enumerate(variables):
        is_used = "{{" + variable["name"] + "}}" in said  # what nothing uses cannot be asked for
        asked.append(Variable(workflow=workflow, **{"order": order, "required": is_used, **variable}))
    Variable.objects.bulk_create(asked)
    return workflow


def make_published(**fields: Any) -> WorkflowVersion:
    """A published version of `make_workflow(**fields)`; `note` and `user` go to the version."""
    user, note = fields.pop("user", None), fields.pop("note", "")
    return publish(workflow=make_workflow(**fields), user=user, note=note)


def make_execution(**fields: Any) -> Any:
    """A run that nobody has asked to start yet, of a new published workflow unless `version` is given."""
    from execution.actions.start import new_execution_id
    from execution.choices import ExecutionMode
    from execution.models import Execution

    version = fields.pop("version", None) or make_published()
    defaults = {
        "execution_id": new_execution_id(),
        "mode": ExecutionMode.COACHING,
        "start_node_id": next(iter(version.spec().entry_nodes), ""),
        "variables": {v.name: v.default for v in version.spec().variables},
    }
    return Execution.objects.create(version=version, **{**defaults, **fields})


def make_picture(*, width: int = 64, height: int = 48, seed: int | None = None) -> Picture:
    """A picture in the store and its row; each one different unless `seed` is given."""
    random = np.random.default_rng(next(_numbers) if seed is None else seed)
    pixels = random.integers(0, 255, (height, width, 3), dtype=np.uint8)
    digest = PictureStore().put(pixels)
    return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]


def _node(workflow: Workflow, fields: Mapping[str, Any]) -> Node:
    values = dict(fields)
    return Node(workflow=workflow, reference=_picture(values.pop("picture", "")), **values)


def _target(workflow: Workflow, fields: Mapping[str, Any]) -> Target:
    values = dict(fields)
    pictures = {name: _picture(values.pop(name, "")) for name in ("picture", "context")}
    return Target(workflow=workflow, **values, **pictures)


def _picture(digest: str) -> Picture | None:
    return Picture.objects.get(digest=digest) if digest else None
