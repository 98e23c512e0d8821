"""What tests of the whole product on a page share: the site that the page comes from, and hears what it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.site import Site, site


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with site() as one:
        yield one
