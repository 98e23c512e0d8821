"""S6.4 on a real desktop: a coach shows once what became of a button, and later runs find it.

The page tells its server of every click, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.record_page import STORY, as_taught, called, shown_as
from tests.support.display import wait_until
from tests.support.lone_runs import RUN_S, begun, latest, stop
from tests.support.on_a_page import IN_CHROMIUM
from tests.support.product import Product, product
from tests.support.site import Site, site

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(900)]

CORRECT = ("correct", "--correction")


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Site]]:
    """An installation to which “click Archive” was shown once, on the page as it was."""
    story = tmp_path_factory.mktemp("lesson") / "archive.yaml"
    story.write_text(STORY)
    with site() as web, product(tmp_path_factory.mktemp("product")) as one:
        with shown_as(one.screen, web, as_taught()):
            told = ("--story", str(story), "--user", "dora", "--desktop", one.screen.display)
            one.manage("teach", *told, "--publish")
        yield one, web


@contextmanager
def running(one: Product) -> Iterator[subprocess.Popen[bytes]]:
    """An automatic run by a run loop process, which is over afterwards."""
    process = begun(one, "wf_archive")
    try:
        yield process
    finally:
        stop(one, process)


def run(one: Product, *answers: tuple[str, ...]) -> list[str]:
    """One run with those answers to its questions; what it asked. Which screen it is, is the record's."""
    asked, left = list[str](), list(answers)
    with running(one) as process:
        while True:

            def asks() -> bool:
                seen = latest(one)
                return process.poll() is not None or bool(seen.kind) or seen.state == "paused"

            wait_until(asks, timeout=RUN_S, what="a question, or the end")
            now = latest(one)
            if process.poll() is not None or not (now.kind or now.state == "paused"):
                return asked
            asked.append(now.kind or "which screen")
            if now.kind and not left:
                return asked
            if now.kind:
                one.manage("execution", "decide", now.execution_id, *left.pop(0))
            else:
                [(node_id,), *_] = one.rows(
                    "SELECT n.node_id FROM workflows_node n JOIN workflows_workflow w ON w.id = n.workflow_id "
                    "WHERE n.is_entry AND w.workflow_id = 'wf_archive'"
                )
                one.manage("execution", "resume", now.execution_id, "--node", node_id)
            wait_until(lambda now=now: process.poll() is not None or latest(one) != now, timeout=RUN_S, what="the next")


def learned(one: Product) -> list[str]:
    return [state for (state,) in one.rows("SELECT state FROM execution_learnedcorrection ORDER BY id")]


def shows(name: str) -> tuple[str, ...]:
    return (*CORRECT, json.dumps({"target": {"text": name}}))


def test_shown_once_it_is_found_again(taught: tuple[Product, Site]) -> None:
    one, web = taught
    with shown_as(one.screen, web, called("Put away")):
        assert run(one, shows("Put away")) == ["which screen", "target"], "it was known by that button, too"
        assert web.done == ["Put away"]
    assert learned(one) == ["on_trial", "on_trial"]
    for _ in range(2):
        with shown_as(one.screen, web, called("Put away")):
            assert run(one, ("accept",)) == ["confirmation"]
            assert web.done == ["Put away"]
    streaks = one.rows("SELECT streak FROM execution_learnedcorrection")
    assert streaks == [(2,), (2,)], "proved right; trusted once it was tried on what was right before"
