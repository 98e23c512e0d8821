"""Which column is which variable: proposed by their names, chosen by a person."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from execution.worklists.intake.heads import Column
from workflows.graph import VariableSpec
from workflows.secret_names import holds_secret

_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+")
_SMALL = frozenset({"a", "an", "d", "de", "des", "du", "l", "la", "le", "les", "no", "of", "the"})


def proposed(
    columns: Sequence[Column], variables: Sequence[VariableSpec], remembered: Mapping[str, str] | None = None
) -> dict[int, str]:
    """The variable of each column that has one, by the column's index.

    `remembered` are heads with their variables from an earlier file. Otherwise the names are the same, or all words of
    one are in the other; where two would fit, none is proposed. A secret is never a column (S12.4), and what is hidden
    or there twice is for a person to choose.
    """
    open_columns = [column for column in columns if column.head and not column.is_hidden and not column.is_repeated]
    takes = {variable.name: variable for variable in variables if not holds_secret(variable)}
    found: dict[int, str] = {}
    for column in open_columns:
        name = (remembered or {}).get(column.head, "")
        if name in takes and name not in found.values():
            found[column.index] = name
    for same in (_is_same, _is_within):
        left = [column for column in open_columns if column.index not in found]
        free = [variable for variable in takes.values() if variable.name not in found.values()]
        fits = [(column, variable) for column in left for variable in free if same(column.head, variable)]
        for column, variable in fits:
            if sum(one is column or other is variable for one, other in fits) == 1:
                found[column.index] = variable.name
    return found


def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", _SEAM.sub(" ", text).casefold())
    return tuple("".join(letter for letter in plain if not unicodedata.combining(letter)).split())


def _is_same(head: str, variable: VariableSpec) -> bool:
    words = _words(head)
    return bool(words) and words in (_words(variable.name), _words(variable.label))


def _is_within(head: str, variable: VariableSpec) -> bool:
    """All words of one name, small ones aside, are in the other."""
    words = frozenset(_words(head)) - _SMALL
    for name in (variable.name, variable.label):
        others = frozenset(_words(name)) - _SMALL
        if words and others and (words <= others or others <= words):
            return True
    return False
