"""As what a thing was taught when a correction was learned of it: what was taught anew since is another thing (S6.4).

Ids stay when a target is drawn anew, so that they say nothing of what it is. What a correction itself adds to the
workflow, once it is part of it, is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

from execution.choices import CorrectionKind
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, TargetSpec


def taught_as(kind: str, graph: GraphSpec, *, edge_id: str, node_id: str) -> str:
    """The digest of what a correction of that kind is of, as that graph has it; "" where it has no such thing.

    A place is of its target, a parameter of its act and the place it is done at, a look of its screen.
    """
    if kind == CorrectionKind.NODE:
        node = graph.node(node_id)
        return of_screen(node) if node else ""
    edge = graph.edge(edge_id)
    if edge is None:
        return ""
    if kind != CorrectionKind.TARGET:
        return of_act(edge)
    return of_target(edge.target) if edge.target else ""


def of_target(target: TargetSpec) -> str:
    """What it is found by: its pictures, its texts with their variables, what stands beside it, where it was."""
    return _digest(_evidence(target))


def of_act(edge: EdgeSpec) -> str:
    return _digest({"act": edge.action_type, "at": _evidence(edge.target) if edge.target else None})


def of_screen(node: NodeSpec) -> str:
    """What it is known by; its name is not, nor what may follow it."""
    known = ("picture", "texts", "absent", "window_title", "app_name", "regions")
    told = _told(node)
    return _digest({name: told[name] for name in known if name in told})


def _evidence(target: TargetSpec) -> Any:
    """Its name counts only where it is all that it is looked for by."""
    nameless = bool(target.text or target.picture or target.context or target.named_by)
    return _told(replace(target, target_id="", label="" if nameless else target.label, also=()))


def _told(value: Any) -> Any:
    """What is not as it is by default: what later versions know besides changes no digest."""
    if is_dataclass(value) and not isinstance(value, type):
        told = {one.name: (getattr(value, one.name), one.default) for one in fields(value)}
        return {name: _told(own) for name, (own, default) in told.items() if default is MISSING or own != default}
    if isinstance(value, Mapping):
        return {str(key): _told(one) for key, one in value.items()}
    return [_told(one) for one in value] if isinstance(value, list | tuple) else value


def _digest(told: Any) -> str:
    data = json.dumps(told, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(data.encode(), digest_size=16).hexdigest()
