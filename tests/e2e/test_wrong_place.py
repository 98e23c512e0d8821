"""The right place or no click: a real browser whose page is not any more what was taught (S5.3, S9.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.record_page import STORY, as_taught, covered, removed, renamed, shown_as
from tests.support.lone_runs import begun, stands, stop, tail
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product, product
from tests.support.site import Site

pytestmark = IN_CHROMIUM


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    """An installation to which “click Archive” was shown once, on the page as it was."""
    with product(tmp_path_factory.mktemp("product")) as one:
        with shown_as(one.screen, web, as_taught()):
            one.teach(STORY)
            assert web.done == ["Archive"]
        yield one


@contextmanager
def running(one: Product, workflow_id: str) -> Iterator[None]:
    """An automatic run by a run loop of its own, which is over afterwards."""
    process = begun(one, workflow_id)
    try:
        yield
    finally:
        stop(one, process)


def test_the_page_as_it_was_taught_is_worked_on(taught: Product, web: Site) -> None:
    """S5.3: else the other tests would say nothing."""
    with shown_as(taught.screen, web, as_taught()), running(taught, "wf_archive"):
        assert stands(taught).state == "completed", tail(taught)
        assert web.done == ["Archive"]


@pytest.mark.parametrize("page", [removed, renamed, covered], ids=lambda page: page.__name__)
def test_a_target_that_is_not_there_any_more_is_asked_about_and_nothing_is_clicked(
    taught: Product, web: Site, page: Callable[[], str]
) -> None:
    """S5.3, S9.6: in its place stands its neighbour, another button, or a notice."""
    with shown_as(taught.screen, web, page()), running(taught, "wf_archive"):
        asks = stands(taught)
        assert web.done == []
        assert (asks.state in ("waiting", "coaching") and asks.kind == "target") or (asks.state, asks.reason) in (
            ("paused", "target"),
            ("paused", "no_match"),
        ), asks
