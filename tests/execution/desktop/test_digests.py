"""A frame's digest says whether two pictures are the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from execution.desktop.digests import Digests
from execution.types import pixels_digest


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 255)), min_size=1, max_size=8))
def test_digests_of_pictures_in_a_row_are_those_of_each_alone(pictures):
    digests = Digests()
    for width, level in pictures:
        pixels = np.full((4, 3 + width, 3), level, np.uint8)
        assert digests.of(pixels) == pixels_digest(pixels)
