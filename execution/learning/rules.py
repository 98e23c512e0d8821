"""What of corrected parameters may hold in every run (S1.10, S6.3)."""

from __future__ import annotations

from typing import Any

from workflows.graph import EdgeSpec
from workflows.secret_names import is_secret
from workflows.text import names


def is_of_one_run(edge: EdgeSpec, name: str, value: Any) -> bool:
    """Whether it would say one run's data in all: where a variable was taught, a text without that variable is data,
    and what is typed where a secret goes is one."""
    label = edge.target.label if edge.target else ""
    return bool(names(edge.params.get(name)) - names(value)) or (edge.action_type == "type_text" and is_secret(label))
