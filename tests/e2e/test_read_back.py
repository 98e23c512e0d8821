"""S5.9: what was saved is read back in the list of a program in a real browser, and “saved” alone is not believed.

The page tells its server of what is done, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.saving_page import LOOK, OLD, TAUGHT, WRITE, Letter, page, shown_as
from tests.support.lone_runs import begun, latest, stands, stop, tail
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product, product
from tests.support.site import Site

MADE: Letter = ("Durand, Zoe", "23/11/2026", "Ward 7")  # none that anything was taught with

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    """First the way to the list and back is published; then a letter is written, whose saving is proved by that."""
    with product(tmp_path_factory.mktemp("product")) as one:
        with shown_as(one.screen, web, page((*OLD, TAUGHT), saved=True), "A letter"):
            one.teach(LOOK)
            assert web.done == ["looked"]
        with shown_as(one.screen, web, page()):
            one.teach(WRITE)
            assert web.done == [f"saved {TAUGHT[0]} {TAUGHT[1]}", "closed"]
        yield one


def step(one: Product, edge: str) -> dict[str, Any]:
    rows = one.rows(
        "SELECT outcome, verified, verification FROM execution_step WHERE edge_id = ? "
        "AND execution_id = (SELECT MAX(id) FROM execution_execution)",
        edge,
    )
    [(outcome, verified, verification)] = rows
    return {"outcome": outcome, "verified": verified, "read_back": json.loads(verification).get("read_back")}


SAVED = f"saved {MADE[0]} {MADE[1]}"


def test_a_letter_that_was_saved_is_read_back_and_counts_as_verified(taught: Product, web: Site) -> None:
    with shown_as(taught.screen, web, page()):
        process = begun(taught, "wf_write", patient=MADE[0], day=MADE[1])
        try:
            assert stands(taught).state == "completed", (latest(taught), tail(taught))
            assert web.done == [SAVED, "looked", "closed"]
            assert step(taught, "save") == {"outcome": "succeeded", "verified": "yes", "read_back": "held"}
        finally:
            stop(taught, process)


@pytest.mark.parametrize(
    ("letters", "why"),
    [
        (OLD, "turn.no_row_has"),
        ((*OLD, (MADE[0], OLD[0][1], "Ward 7"), ("Evans, Rose", *MADE[1:])), "turn.no_row_has"),
        ((*OLD, MADE), "turn.row_stood_before"),
    ],
    ids=["nothing there", "of others", "there before"],
)
def test_a_save_that_did_nothing_is_found_out_although_it_says_saved(
    taught: Product, web: Site, letters: tuple[Letter, ...], why: str
) -> None:
    """The day is not closed, and nothing is saved again, before a person has said what came of it."""
    with shown_as(taught.screen, web, page(letters, keeps=False)):
        process = begun(taught, "wf_write", patient=MADE[0], day=MADE[1])
        try:
            asks = stands(taught)
            assert (asks.state in ("waiting", "coaching"), asks.kind) == (True, "in_doubt"), (asks, tail(taught))
            assert why in asks.question
            assert web.done == [SAVED, "looked"]
            assert step(taught, "save") == {"outcome": "succeeded", "verified": "cannot_tell", "read_back": "open"}
        finally:
            stop(taught, process)
    assert web.done == [SAVED, "looked"]
    assert step(taught, "save")["verified"] == "cannot_tell"
