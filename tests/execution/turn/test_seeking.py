"""When the wheel is turned to find what is not on the screen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from execution.turn.seeking import worth_scrolling
from execution.types import Resolution, ResolveStatus
from workflows.graph import TargetSpec

LIST = TargetSpec(target_id="t", label="Open", scroll_box=(0, 0, 1, 1))


def suggestion(target: TargetSpec | None, status: ResolveStatus = ResolveStatus.NOT_FOUND) -> SimpleNamespace:
    return SimpleNamespace(edge=SimpleNamespace(target=target), resolution=Resolution(status=status, message=""))


@pytest.mark.parametrize(
    ("target", "status", "worth"),
    [
        (LIST, ResolveStatus.NOT_FOUND, True),
        (LIST, ResolveStatus.AMBIGUOUS, False),
        (None, ResolveStatus.NOT_FOUND, False),
        (TargetSpec(target_id="t", label="Open"), ResolveStatus.NOT_FOUND, False),
        # the third row of what was scrolled is not the third row of the list
        (TargetSpec(target_id="t", label="Open", number="{{n}}", scroll_box=(0, 0, 1, 1)),
         ResolveStatus.NOT_FOUND, False),
    ],
)  # fmt: skip
def test_what_is_hidden_in_a_list_is_scrolled_to_unless_it_is_counted(
    target: TargetSpec | None, status: ResolveStatus, worth: bool
) -> None:
    assert worth_scrolling(suggestion(target, status)) is worth  # type: ignore[arg-type]
