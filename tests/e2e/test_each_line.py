"""A list of letters in a real browser, each opened, signed and closed by the product as it is run (S6.13, S9.2).

The page tells its server of what is done, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.e2e.letters_page import NAMES, Site, page, shown_as, site
from tests.support import lesson
from tests.support.display import missing_programs, wait_until
from tests.support.product import Product, product

RUN_S = 300
STARTED = "from execution.actions.start import start; start(workflow_id='wf_letters', mode='automatic')"

pytestmark = [
    pytest.mark.display,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(missing_programs("chromium")), reason="Xvfb, openbox and chromium are needed"),
]


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with site() as one:
        yield one


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    """An installation to which the first letter was shown, and said that it is done for each line."""
    pictures = tmp_path_factory.mktemp("lesson")
    with product(tmp_path_factory.mktemp("product")) as one:
        with shown_as(one.screen, web, page()):
            lesson.teach(one.screen, "tests.e2e.letters_page", pictures, env=one.env)
        yield one


def each(*names: str) -> list[str]:
    return [f"{what} {name}" for name in names for what in ("opened", "signed")]


def run(one: Product) -> subprocess.Popen[bytes]:
    command = ("manage.py", "runloop", "--desktop", one.screen.display, "--workflow", "wf_letters")
    return one.start_runloop(*command, "--mode", "automatic", "--once")


def latest(one: Product) -> tuple[str, str, str]:
    """State, why it is paused, and the open question of the run that was started last."""
    rows = one.rows(
        "SELECT e.state, e.pause_reason, COALESCE(p.message, '') FROM execution_execution e "
        "LEFT JOIN execution_prompt p ON p.execution_id = e.id AND p.state = 'open' ORDER BY e.id DESC LIMIT 1"
    )
    return rows[0]


def wait_until_it_stands(one: Product) -> tuple[str, str, str]:
    standing = ("paused", "waiting", "coaching", "completed", "failed")
    wait_until(lambda: latest(one)[0] in standing, timeout=RUN_S, what=one.log("runloop").read_text()[-1500:])
    return latest(one)


def stop(one: Product, process: subprocess.Popen[bytes]) -> None:
    """The run gives its desktop back, so that the next one can have it."""
    [(execution_id,)] = one.rows("SELECT execution_id FROM execution_execution ORDER BY id DESC LIMIT 1")
    one.manage("execution", "stop", execution_id, check=False)
    try:
        process.wait(30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def dying(one: Product) -> subprocess.Popen[bytes]:
    """A run loop that does not live longer than three clicks."""
    return one.start_runloop("-m", "tests.support.crashing_runloop", one.screen.display, "3")


def has_ended(one: Product, process: subprocess.Popen[bytes]) -> bool:
    """Wait for the end of the run, a question, or the death of its loop."""
    standing = ("paused", "waiting", "coaching", "completed", "failed")
    wait_until(
        lambda: process.poll() is not None or latest(one)[0] in standing,
        timeout=RUN_S,
        what=one.log("runloop").read_text()[-1500:],
    )
    return latest(one)[0] in standing


@pytest.mark.parametrize("names", [NAMES, ("Dupont, Léa", "Dupond, Léa", "Durand, Noé", "Evans, Rose")], ids=len)
def test_each_letter_is_signed_once_in_its_order_and_then_the_day_is_closed(
    taught: Product, web: Site, names: tuple[str, ...]
) -> None:
    """S6.13: also other ones and more of them than were there when it was taught."""
    with shown_as(taught.screen, web, page(names)):
        process = run(taught)
        try:
            assert wait_until_it_stands(taught)[0] == "completed", taught.log("runloop").read_text()[-3000:]
            assert web.done == [*each(*names), "closed"]
        finally:
            stop(taught, process)


def test_a_letter_that_leaves_the_list_makes_a_question_before_another_one_is_left_out(
    taught: Product, web: Site
) -> None:
    """S6.13: line 2 is not the one that was line 2."""
    with shown_as(taught.screen, web, page(goes=True)):
        process = run(taught)
        try:
            state, _reason, question = wait_until_it_stands(taught)
            assert state in ("waiting", "coaching"), taught.log("runloop").read_text()[-3000:]  # or its place is asked
            assert web.done == each(NAMES[0])
            assert "turn.list_changed" in question
            assert "Brown" in question
        finally:
            stop(taught, process)


def test_a_button_that_stands_like_a_line_below_the_list_is_not_pressed_for_one(taught: Product, web: Site) -> None:
    """S6.13: else the day would be closed as the fourth letter."""
    with shown_as(taught.screen, web, page(below=True)):
        process = run(taught)
        try:
            wait_until_it_stands(taught)
            assert "closed" not in web.done or latest(taught)[0] == "completed", latest(taught)
            assert web.done[: 2 * len(NAMES)] == each(*NAMES)[: len(web.done)]
        finally:
            stop(taught, process)


def test_a_run_loop_that_is_killed_after_every_third_click_signs_each_letter_once(taught: Product, web: Site) -> None:
    """S9.2: killed after the click and before its result is kept; the line is told from the steps."""
    with shown_as(taught.screen, web, page()):
        taught.manage("shell", "-c", STARTED)
        deaths = 0
        process = dying(taught)
        try:
            while not has_ended(taught, process):
                deaths += 1
                process = dying(taught)
            assert latest(taught)[0] == "completed", taught.log("runloop").read_text()[-3000:]
            assert web.done == [*each(*NAMES), "closed"]
            assert deaths >= 3
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(30)
