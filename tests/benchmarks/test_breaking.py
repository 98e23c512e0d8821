"""A mutant takes the place of an imported module for everybody who holds a part of it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks.mutation.breaking import Mutant, NotBreakable, break_module

SOURCE = """
from functools import wraps

LIMIT = 3
NAMES = frozenset({"a", "b"})


def twice(function):
    @wraps(function)
    def again(*args):
        return function(*args) * 2
    return again


@twice
def size(number, plus=1):
    return number + plus


class Box:
    kind = "box"

    @property
    def area(self):
        return 6

    @twice
    def weight(self):
        return 4


def over(number):
    return [n for n in number if n > LIMIT]
"""


@pytest.fixture
def victim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "victim.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("victim")
    del sys.modules["victim"]


def broken(module: ModuleType, old: str, new: str) -> None:
    assert SOURCE.count(old) == 1
    break_module(module, Mutant("by hand", 1, old, new, SOURCE.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "expression", "before", "after"),
    [
        ("number + plus", "number - plus", "size(5)", 12, 8),
        ("plus=1", "plus=2", "size(5)", 12, 14),
        ("* 2", "* 3", "size(5)", 12, 18),
        ("return 6", "return 7", "box.area", 6, 7),
        ("return 4", "return 5", "box.weight()", 8, 10),
        ('kind = "box"', 'kind = "bag"', "box.kind", "box", "bag"),
        ("LIMIT = 3", "LIMIT = 4", "over([4, 5])", [4, 5], [5]),
        ("n > LIMIT", "n >= LIMIT", "over([3, 4])", [4], [3, 4]),
        ('"a", "b"', '"a"', "sorted(NAMES)", ["a", "b"], ["a"]),
        ("    @twice\n    def weight", "    def weight", "box.weight()", 8, 4),
    ],
)
def test_what_was_imported_before_runs_the_mutant(
    victim: ModuleType, old: str, new: str, expression: str, before: Any, after: Any
) -> None:
    held = {"size": victim.size, "over": victim.over, "box": victim.Box(), "NAMES": victim.NAMES}
    assert eval(expression, held) == before
    broken(victim, old, new)
    if expression == "sorted(NAMES)":
        held["NAMES"] = victim.NAMES  # a value that somebody else holds under that name is found in modules only
    assert eval(expression, held) == after


def test_a_body_that_cannot_be_made_anew_is_said_so(victim: ModuleType) -> None:
    with pytest.raises(NotBreakable, match="ZeroDivisionError"):
        broken(victim, "LIMIT = 3", "LIMIT = 3 / 0")
