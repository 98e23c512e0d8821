"""Fixtures of the loop's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.doubles.stage import Stage


@pytest.fixture
def stage() -> Iterator[Callable[..., Stage]]:
    """Makes claimed runs; their loops are told to leave at the end."""
    from tests.doubles.stage import EDGES, Stage  # models, which are not there yet when this file is read

    made: list[Stage] = []

    def make(mode: str = "automatic", edges: list[dict[str, Any]] | None = None, **fields: Any) -> Stage:
        made.append(Stage(EDGES if edges is None else edges, mode, **fields))
        return made[-1]

    yield make
    for one in made:
        one.leave.set()
