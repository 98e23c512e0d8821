"""What is broken on purpose is there, and the tests that speak for it: a module that moves takes its line along."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.mutation.modules import MODULES, SAFETY

PAIRS = [(path, test) for table in (MODULES, SAFETY) for path, tests in table.items() for test in tests]


@pytest.mark.parametrize("path", sorted({*MODULES, *SAFETY}))
def test_each_module_is_there(path: str) -> None:
    assert Path(path).is_file()


@pytest.mark.parametrize("test", sorted({test for _, test in PAIRS}))
def test_each_test_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    assert Path(file).exists()
    assert not name or f"def {name}(" in Path(file).read_text(encoding="utf-8")
