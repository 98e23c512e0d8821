"""Whatever reads the settings, as every process of the product does, has Python look seldom for what nobody holds."""

from __future__ import annotations

import gc

from rpa_site.garbage import MOST_NEW, MOST_WALKS


def test_it_is_looked_for_seldom_in_this_process_too() -> None:
    assert gc.isenabled()
    assert gc.get_threshold() == (MOST_NEW, MOST_WALKS, MOST_WALKS)
