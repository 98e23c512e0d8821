"""A run loop on a machine of its own: the database and a store of pictures are all that it has with the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from execution.choices import FINAL
from tests.support.display import wait_until
from tests.support.many import Many, many
from tests.support.s3 import S3Server, s3

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PREPARE = """
import json
from tests.support.scripted import publish_line, queue
print(json.dumps(queue(publish_line("one", "two", "three"), mode="coaching").execution_id))
"""
SHOWN = re.compile(r"\b[0-9a-f]{64}\b")


@pytest.fixture
def store() -> Iterator[S3Server]:
    with s3() as one:
        yield one


@pytest.fixture
def world(store: S3Server) -> Iterator[Many]:
    with many(**store.env, RPA_SECRET_KEY="of all machines " * 4, RPA_COACHING_TIMEOUT_S="600") as one:
        yield one


def test_what_a_robot_elsewhere_sees_is_shown_here_and_what_is_said_here_it_does(
    world: Many, store: S3Server, tmp_path: Path
) -> None:
    run = json.loads(world.manage("shell", "-v0", "-c", PREPARE))
    (tmp_path / "there").mkdir()
    world.start_runloop("scripted:tests.support.scripted.three_pages", RPA_DATA_DIR=str(tmp_path / "there"))
    with closing(world.client("otto")) as otto:
        asked: set[int] = set()

        def is_over() -> bool:
            answer_new(otto, run, asked)
            return otto.get(f"/api/executions/{run}/").json()["state"] in FINAL

        wait_until(is_over, timeout=120, what="its end")
        said = otto.get(f"/api/executions/{run}/").json()
        assert said["state"] == "completed", said
        assert len(asked) == 2
        shown = set(SHOWN.findall(otto.get(f"/api/executions/{run}/steps/").text))
        assert shown
        for digest in shown:
            answer = otto.get(f"/pictures/{digest}.png")
            assert (answer.status_code, answer.content[:4]) == (200, b"\x89PNG")
    assert len(store.lying()) >= len(shown)
    assert not [path for folder in (world.data, tmp_path / "there") for path in (folder / "pictures").rglob("*.png")]


def answer_new(client: httpx.Client, run: str, asked: set[int]) -> None:
    """Accept what is asked and was not answered yet."""
    answer = client.get(f"/api/executions/{run}/prompt/")
    prompt = answer.json() if answer.status_code == 200 else None
    if prompt and prompt["state"] == "open" and prompt["prompt_id"] not in asked:
        said = {"prompt_id": prompt["prompt_id"], "choice": "accept"}
        assert client.post(f"/api/executions/{run}/decide/", json=said).status_code < 300
        asked.add(prompt["prompt_id"])
