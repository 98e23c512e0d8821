"""Texts of a run's screen and of people without the run's data: where a value stands there is its variable (S6.3).

A value in another form still is that value; what holds one that cannot be told by a variable, or a part of one, is left
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from execution.language.fuzzy import similarity
from execution.language.value_forms import is_glued_in, places
from workflows.graph import GraphSpec
from workflows.renaming import in_texts
from workflows.secret_names import holds_secret, is_secret
from workflows.text import VARIABLE

T = TypeVar("T")
Values = Mapping[str, str | Sequence[str]]  # of a name one value, or all that it had in the run


def together(values: Values, never: Values) -> Values:
    """Those that variables tell, and those that nothing may tell, under names of their own."""
    return {**values, **{f"secret {name}": value for name, value in never.items()}}


def put_back(text: str, values: Values, *, parts: bool = False) -> str:
    """The text with each value that stands in it as {{its variable}}, the longest first; variables in it stay.

    `parts`: so with what is but a part of one, which only a person who reads it may take for the whole.
    """
    known = sorted(_pairs(values), key=lambda pair: -len(pair[1]))
    if not VARIABLE.search(text):
        for name, value in known:
            if similarity(text, value, strict=True):
                return "{{" + name + "}}"
    for whole in (True, False) if parts else (True,):
        for name, value in known:
            text = "".join(
                part if VARIABLE.fullmatch(part) else _replaced(part, name, value, whole=whole) for part in _parts(text)
            )
    return text


def holds_value(text: str, values: Values) -> bool:
    """Whether any of the values, or a part of one, stands in it, outside of its variables; as a reader may have read
    it, too."""
    said = VARIABLE.sub("\n", text)
    return any(places(value, said) or is_glued_in(value, said) for _name, value in _pairs(values))


def without_values(value: T, values: Values, *, secret: Values | None = None, prose: bool = False) -> T:
    """`value` with the values in all of its texts put back; a text that still holds one, or a `secret`, is empty.

    `prose`: people wrote it for people, so that a part of a value is its variable, too.
    """
    every = together(values, secret or {})

    def clean(text: str) -> str:
        said = put_back(text, values, parts=prose)
        return "" if holds_value(said, every) else said

    return in_texts(value, clean)


def told_values(graph: GraphSpec, variables: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The run's values that a variable of the workflow tells, and those that nothing may tell: secrets, a program's."""
    telling = {v.name for v in graph.variables if not holds_secret(v)} | graph.outputs.keys() | graph.counters
    known = {name: value for name, value in variables.items() if name in telling and not is_secret(name)}
    return known, {name: value for name, value in variables.items() if name not in known}


def _pairs(values: Values) -> Iterator[tuple[str, str]]:
    """Each value with its name; those that say nothing are left out."""
    for name, given in values.items():
        for value in given if isinstance(given, list | tuple) else (given,):
            if said := str(value).strip():
                yield name, said


def _replaced(text: str, name: str, value: str, *, whole: bool) -> str:
    for place in reversed(places(value, text)):
        if place.whole or not whole:
            text = text[: place.start] + "{{" + name + "}}" + text[place.end :]
    return text


def _parts(text: str) -> list[str]:
    """The text cut at its variables, which are parts of their own."""
    parts, last = [], 0
    for found in VARIABLE.finditer(text):
        parts += [text[last : found.start()], found[0]]
        last = found.end()
    return [*parts, text[last:]]
