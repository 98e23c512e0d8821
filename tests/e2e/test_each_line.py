"""A list of letters in a real browser, each opened, signed and closed by the product as it is run (S6.13, S9.2)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.e2e.letters_page import NAMES, STORY, page, shown_as
from tests.e2e.test_wrong_place import running
from tests.support.lone_runs import STANDING, dying, latest, stands, tail
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product, product
from tests.support.site import Site

STARTED = "from execution.actions.start import start; start(workflow_id='wf_letters', mode='automatic')"

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    """An installation to which the first letter was shown, and said that it is done for each line."""
    with product(tmp_path_factory.mktemp("product")) as one:
        with shown_as(one.screen, web, page()):
            one.teach(STORY)
            assert web.done == [*each(NAMES[0]), "closed"]
        yield one


def each(*names: str) -> list[str]:
    return [f"{what} {name}" for name in names for what in ("opened", "signed")]


@pytest.mark.parametrize(
    "names",
    [pytest.param(NAMES, marks=pytest.mark.core), ("Dupont, Léa", "Dupond, Léa", "Durand, Noé", "Evans, Rose")],
    ids=len,
)
def test_each_letter_is_signed_once_in_its_order_and_then_the_day_is_closed(
    taught: Product, web: Site, names: tuple[str, ...]
) -> None:
    """S6.13: also other ones and more of them than were there when it was taught."""
    with shown_as(taught.screen, web, page(names)), running(taught, "wf_letters"):
        assert stands(taught).state == "completed", tail(taught)
        assert web.done == [*each(*names), "closed"]


@pytest.mark.parametrize("empty", ["", "No letter is waiting."])
def test_letters_that_leave_the_list_once_they_are_signed_are_signed_to_the_last(
    taught: Product, web: Site, empty: str
) -> None:
    """S6.13: the next one stands where the one before it stood, and with the last one the list is over."""
    with shown_as(taught.screen, web, page(goes=True, empty=empty)), running(taught, "wf_letters"):
        asks = stands(taught)
        assert asks.state == "completed", asks.question or tail(taught)
        assert web.done == [*each(*NAMES), "closed"]


@pytest.mark.parametrize("goes", [True, False])
def test_letters_out_of_sight_come_up_and_are_signed(taught: Product, web: Site, goes: bool) -> None:
    """S6.13: of a list that shows six, whether one that is signed leaves it or stays."""
    names = (*NAMES, "Dupont, Léa", "Evans, Rose", "Fischer, Jan", "Girard, Zoé", "Hugo, Victor", "Ibsen, Karl")
    with shown_as(taught.screen, web, page(names, goes=goes, pane=True)), running(taught, "wf_letters"):
        asks = stands(taught)
        assert asks.state == "completed", (asks.question, tail(taught), web.done)
        assert web.done == [*each(*names), "closed"]


def test_a_button_that_stands_like_a_line_below_the_list_is_not_pressed_for_one(taught: Product, web: Site) -> None:
    """S6.13: else the day would be closed as the fourth letter."""
    with shown_as(taught.screen, web, page(below=True)), running(taught, "wf_letters"):
        stands(taught)
        assert "closed" not in web.done or latest(taught).state == "completed", latest(taught)
        assert web.done[: 2 * len(NAMES)] == each(*NAMES)[: len(web.done)]


@pytest.mark.parametrize("goes", [False, True])
def test_a_run_loop_that_is_killed_after_every_third_click_signs_each_letter_once(
    taught: Product, web: Site, goes: bool
) -> None:
    """S9.2: killed after the click and before its result is kept; the line is told from the steps."""
    with shown_as(taught.screen, web, page(goes=goes)):
        taught.manage("shell", "-c", STARTED)
        deaths, process = 0, dying(taught, 3)
        try:
            while stands(taught, process).state not in STANDING:
                deaths += 1
                process = dying(taught, 3)
            assert latest(taught).state == "completed", tail(taught)
            assert web.done == [*each(*NAMES), "closed"]
            assert deaths >= 3
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(60)
