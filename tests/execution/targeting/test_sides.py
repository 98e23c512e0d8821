"""What stands on each side of a control, by which it is named (S5.2)."""

from __future__ import annotations

import numpy as np
import pytest

from execution.targeting.sides import labels

FIELD = (236, 383, 875, 262)  # of several rows
NOTES, ASIDE = (173, 385, 44, 13), (45, 493, 67, 16)


@pytest.mark.parametrize(
    ("lines", "left"),
    [({"notes": NOTES}, "notes"), ({"notes": NOTES, "aside": ASIDE}, "notes"), ({"aside": ASIDE}, "aside")],
    ids=["beside its first row", "and another beside its middle", "beside its middle alone"],
)
def test_the_label_of_a_high_field_stands_beside_its_first_row_or_its_middle(
    lines: dict[str, tuple[int, int, int, int]], left: str
) -> None:
    found = labels(np.array([FIELD], float), [None], np.array(list(lines.values()), float), list(lines))
    assert found[0] == [left]


def test_what_stands_beside_another_row_names_nothing() -> None:
    below = (173, 600, 44, 13)
    assert labels(np.array([FIELD], float), [None], np.array([below], float), ["below"])[0] == [""]
