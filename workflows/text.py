"""{{variables}} in texts and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workflows.parsing import whole_number

VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
VARIABLE = re.compile(rf"\{{\{{\s*({VARIABLE_NAME.pattern})\s*\}}\}}")


def names(value: Any) -> frozenset[str]:
    """The variables that a text, or any text inside lists and dicts, refers to."""
    if isinstance(value, str):
        return frozenset(VARIABLE.findall(value))
    if isinstance(value, Mapping):
        return frozenset().union(*(names(v) for v in value.values()))
    if isinstance(value, list | tuple):
        return frozenset().union(*(names(v) for v in value))
    return frozenset()


def sole_name(text: str) -> str:
    """The variable that a text is and nothing else; "" where it is not."""
    found = VARIABLE.fullmatch(text.strip())
    return found[1] if found else ""


def is_ordinal(text: str) -> bool:
    """Whether a value says which of several is meant: a whole number from 1, in figures."""
    return bool(whole_number(text.strip()))


def default_of(default: str, now: datetime) -> str:
    """A variable's default as it is offered: {{today}} and {{now}} are the moment, so that a file name can be new."""
    return fill_known(default, {"today": f"{now:%Y-%m-%d}", "now": f"{now:%Y%m%d-%H%M%S}"})


def fill_known(text: str, values: Mapping[str, str]) -> str:
    """The text with those of its variables put in that are given; the others stay."""
    return VARIABLE.sub(lambda m: values.get(m[1], m[0]), text)


def told(text: str, values: Mapping[str, Any]) -> str:
    """The text as people read it: with its variables put in, and “…” for those that have no value."""
    return VARIABLE.sub(lambda m: str(values.get(m[1], "…")), text)


def fill(value: Any, variables: Mapping[str, str]) -> Any:
    """`value` with its variables put in; KeyError names one that is missing."""
    if isinstance(value, str):
        return VARIABLE.sub(lambda m: str(variables[m[1]]), value)
    if isinstance(value, Mapping):
        return {k: fill(v, variables) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [fill(v, variables) for v in value]
    return value
