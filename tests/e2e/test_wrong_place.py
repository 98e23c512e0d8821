"""The right place or no click: a real browser whose page is not any more what was taught (S5.3, S9.6).

The page tells its server of every click, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.record_page import Site, as_taught, covered, removed, renamed, shown_as, site
from tests.support import lesson
from tests.support.display import missing_programs, wait_until
from tests.support.product import Product, product

RUN_S = 90

pytestmark = [
    pytest.mark.display,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_programs("chromium")), reason="Xvfb, openbox and chromium are needed"),
]


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with site() as one:
        yield one


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site) -> Iterator[Product]:
    """An installation to which “click Archive” was shown once, on the page as it was."""
    pictures = tmp_path_factory.mktemp("lesson")
    with product(tmp_path_factory.mktemp("product")) as one:
        with shown_as(one.screen, web, as_taught()):
            lesson.teach(one.screen, "tests.e2e.record_page", pictures, env=one.env)
            assert web.clicked == ["Archive"]
        yield one


def run(one: Product) -> subprocess.Popen[bytes]:
    """An automatic run by a run loop process."""
    command = ("manage.py", "runloop", "--desktop", one.screen.display, "--workflow", "wf_archive")
    return one.start_runloop(*command, "--mode", "automatic", "--once")


def stop(one: Product, process: subprocess.Popen[bytes]) -> None:
    """The run gives its desktop back, so that the next one can have it."""
    [(execution_id,)] = one.rows("SELECT execution_id FROM execution_execution ORDER BY id DESC LIMIT 1")
    one.manage("execution", "stop", execution_id, check=False)
    try:
        process.wait(30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def latest(one: Product) -> tuple[str, str, str]:
    """State, why it is paused, and the kind of the open prompt of the run that was started last."""
    rows = one.rows(
        "SELECT e.state, e.pause_reason, COALESCE(p.kind, '') FROM execution_execution e "
        "LEFT JOIN execution_prompt p ON p.execution_id = e.id AND p.state = 'open' ORDER BY e.id DESC LIMIT 1"
    )
    return rows[0]


def test_the_page_as_it_was_taught_is_worked_on(taught: Product, web: Site) -> None:
    """S5.3: else the other tests would say nothing."""
    with shown_as(taught.screen, web, as_taught()):
        process = run(taught)
        wait_until(lambda: process.poll() is not None, timeout=RUN_S, what=taught.log("runloop").read_text()[-800:])
        assert latest(taught)[0] == "completed"
        assert web.clicked == ["Archive"]


@pytest.mark.parametrize("page", [removed, renamed, covered], ids=lambda page: page.__name__)
def test_a_target_that_is_not_there_any_more_is_asked_about_and_nothing_is_clicked(
    taught: Product, web: Site, page: Callable[[], str]
) -> None:
    """S5.3, S9.6: in its place stands its neighbour, another button, or a notice."""
    with shown_as(taught.screen, web, page()):
        process = run(taught)
        try:
            wait_until(
                lambda: latest(taught)[0] in ("paused", "waiting", "coaching", "completed", "failed"),
                timeout=RUN_S,
                what="the question",
            )
            state, reason, kind = latest(taught)
            assert web.clicked == []
            assert (state in ("waiting", "coaching") and kind == "target") or (state, reason) in (
                ("paused", "target"),
                ("paused", "no_match"),
            ), (state, reason, kind)
        finally:
            stop(taught, process)
