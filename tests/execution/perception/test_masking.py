"""What must not be seen does not reach a model (S10.4)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from execution.perception.masking import painted_over

PART = st.floats(0, 1, allow_nan=False)


def test_without_masks_it_is_the_same_picture() -> None:
    pixels = np.zeros((4, 4, 3), np.uint8)
    assert painted_over(pixels, ()) is pixels


@given(mask=st.tuples(PART, PART, PART, PART))
def test_no_pixel_under_a_mask_is_left_and_the_picture_itself_is_not_touched(
    mask: tuple[float, float, float, float],
) -> None:
    pixels = np.full((30, 40, 3), 255, np.uint8)
    x, y, w, h = mask
    shown = painted_over(pixels, [mask])
    rows = slice(int(y * 30), int(np.ceil(min(1.0, y + h) * 30)) if h else int(y * 30))
    columns = slice(int(x * 40), int(np.ceil(min(1.0, x + w) * 40)) if w else int(x * 40))
    assert (shown[rows, columns] == 128).all() and (pixels == 255).all()
