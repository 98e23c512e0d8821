"""Python's collector walks through what lives to find what nobody holds: in this product nearly all of it stays."""

from __future__ import annotations

import gc

# Python's own are 700, 10, 10: it walked 460 times through what was only being imported, an eighth of each start.
MOST_NEW, MOST_WALKS = 20_000, 20


def looked_for_seldom() -> None:
    """From now on, in this process."""
    gc.set_threshold(MOST_NEW, MOST_WALKS, MOST_WALKS)
