"""What a variable takes, asked in one way wherever a value comes from: a form, the API, a file, a call."""

from __future__ import annotations

from collections.abc import Container
from datetime import date
from unicodedata import category

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from sentences.said import say
from workflows.choices import VariableKind
from workflows.graph import VariableSpec
from workflows.parsing import finite_number
from workflows.text import is_ordinal

# Kinds whose blanks mean nothing; of a text they are typed as they stand.
TRIMMED = frozenset({VariableKind.DATE, VariableKind.EMAIL, VariableKind.NUMBER})
_CONTROLS = frozenset({"Cc", "Zl", "Zp"})  # Unicode categories of what is no character of a text


def as_taken(variable: VariableSpec, value: str) -> str:
    """The value as the run gets it."""
    return value.strip() if variable.kind in TRIMMED else value


def is_missing(variable: VariableSpec, value: str) -> bool:
    """True if the variable needs a value and this is none."""
    return variable.required and not value.strip()


def value_problem(variable: VariableSpec, value: str, counting: Container[str]) -> str:
    """What is wrong with `value` for this variable, as a sentence; empty when nothing is.

    `counting` are the graph's variables that say which of several is meant.
    """
    if variable.choices and value not in variable.choices:
        return say("variables.not_allowed", value=value, known=variable.choices)
    if problem := _moving(value, several_lines=variable.kind == VariableKind.LINES):
        return problem
    if variable.name in counting and not is_ordinal(value):
        return say("variables.no_ordinal")
    try:
        if variable.kind == VariableKind.DATE:
            date.fromisoformat(value)
        elif variable.kind == VariableKind.EMAIL:
            validate_email(value)
        elif variable.kind == VariableKind.NUMBER and finite_number(value.replace(",", ".")) is None:
            return say("variables.no_number", value=value)
    except ValidationError:
        return say("variables.no_email", value=value)
    except ValueError:
        return say("variables.no_date", value=value)
    return ""


def _moving(value: str, *, several_lines: bool) -> str:
    """Why a value would do more than stand in its field: a tab goes to the next one, a line break may confirm."""
    if value.isprintable():
        return ""
    control = next((c for c in value if category(c) in _CONTROLS and not (several_lines and c == "\n")), "")
    if not control:
        return ""
    if control == "\n":
        return say("variables.line_break")
    if control == "\t":
        return say("variables.tab")
    return say("variables.control", character=f"U+{ord(control):04X}")
