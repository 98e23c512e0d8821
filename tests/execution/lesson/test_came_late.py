"""What comes so long after an act that it is no effect of it (S6.1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from execution.lesson.here import LATE_S, comes_too_late
from tests.execution.perception.drawing import Canvas

READ_AT = 1_000_000.0  # when the screen that the act led to was read


@pytest.mark.parametrize(("after", "late"), [(0.2, False), (LATE_S + 1, True)], ids=["at once", "later"])
def test_a_screen_comes_when_its_picture_was_taken_however_long_it_is_read(after: float, late: bool) -> None:
    """On a busy machine a list that closes at once is read seconds later."""
    state = Canvas(40, 40).state()
    taken = datetime.fromtimestamp(READ_AT + after, UTC)
    pending: Any = SimpleNamespace(settled_at=READ_AT)
    assert comes_too_late(pending, replace(state, frame=replace(state.frame, taken_at=taken))) is late
