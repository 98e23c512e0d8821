"""Signing a letter is a workflow of its own, done for each letter of a list in a browser (S6.12, S6.13, S9.2).

Its screens are the list's as well: a letter and its signed page are taught in both. The page tells its server of what
is done, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.e2e.letters_page import NAMES, page, shown_as
from tests.e2e.test_each_line import STARTED, each
from tests.support.lone_runs import STANDING, begun, dying, latest, stands, stop, tail
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product, product
from tests.support.site import Site, shown_anew

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(900)]
STEPS = (
    "SELECT s.node_id, s.edge_id FROM execution_step s JOIN execution_execution e ON e.id = s.execution_id "
    "WHERE s.outcome = 'succeeded' AND e.id = (SELECT MAX(id) FROM execution_execution) ORDER BY s.\"index\""
)


SIGN = f"""
workflow: Sign
begins_on: Letter
steps:
  - click: Sign this letter
    id: sign
    expect: This letter is signed
    screen: Signed
screens:
  Letter:
    data: ["{NAMES[0]}"]
"""
LETTERS = f"""
workflow: Letters
begins_on: Letters
steps:
  - click: {NAMES[0]}
    id: open
    each: {{line: n, at_most: 20}}
    expect: Sign this letter
    screen: Letter
  - do: wf_sign
    id: sign
    by_hand:
      - click: Sign this letter
        expect: This letter is signed
    screen: Signed
  - click: Back to the list
    id: back
    expect: Close the day
    screen: Letters
  - click: Close the day
    id: close
    expect: The day is over
    screen: Closed
"""


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("product")) as one:
        with shown_anew(one.screen, web, page(opened=True), "One letter"):
            one.teach(SIGN)
            assert web.done == each(NAMES[0])
        with shown_as(one.screen, web, page()):
            one.teach(LETTERS)
            assert web.done == [*each(NAMES[0]), "closed"]
        yield one


def test_each_letter_is_signed_once_by_the_workflow_that_signs(taught: Product, web: Site) -> None:
    with shown_as(taught.screen, web, page()):
        process = begun(taught, "wf_letters")
        try:
            assert stands(taught).state == "completed", tail(taught)
            assert web.done == [*each(*NAMES), "closed"]
        finally:
            stop(taught, process)
    one_letter = [
        ("letters", "open"),
        ("letter", "sign"),
        ("sign/letter", "sign/sign"),
        ("sign/signed", "sign/end/1"),
        ("signed", "back"),
    ]
    assert taught.rows(STEPS) == [*one_letter * len(NAMES), ("letters", "close")]


def test_a_run_loop_that_is_killed_inside_of_it_signs_each_letter_once(taught: Product, web: Site) -> None:
    """S9.2: by kill -9, right after the click and before its result is kept."""
    with shown_as(taught.screen, web, page()):
        taught.manage("shell", "-c", STARTED)
        deaths = 0
        process = dying(taught, 2)  # on a letter, then on what signs it
        try:
            while stands(taught, process).state not in STANDING:
                deaths += 1
                process = dying(taught, 2)
            assert latest(taught).state == "completed", (latest(taught), tail(taught))
            assert web.done == [*each(*NAMES), "closed"]
            assert deaths >= 3
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(60)
    inside = "SELECT COUNT(*) FROM execution_step WHERE in_doubt AND edge_id = 'sign/sign'"
    assert taught.rows(inside)[0][0] >= 1, "it was killed where the other workflow was done"
