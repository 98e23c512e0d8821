"""Pictures by digest, live pictures of desktops, and what was read on a step's screen."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from django.utils import timezone

from execution.choices import ExecutionState, StepPhase
from execution.models import Execution, Robot, Step
from execution.record.hidden import Hidden
from execution.record.redaction import Redaction
from execution.running import live_picture
from execution.types import Frame
from tests.factories import make_execution, make_picture

pytestmark = pytest.mark.django_db


def make_robot(name: str = "desk:7") -> Robot:
    return Robot.objects.create(name=name, desktop=name, host="desk", pid=1)


def on_desktop(robot: Robot) -> Execution:
    execution = make_execution()
    Execution.objects.filter(pk=execution.pk).update(state=ExecutionState.RUNNING, robot=robot, desktop=robot.desktop)
    return execution


def show(robot: Robot, grey: int = 200) -> None:
    pixels = np.full((40, 60, 3), grey, np.uint8)
    frame = Frame(pixels=pixels, taken_at=datetime(2026, 11, 21, 8, 0, grey % 60, tzinfo=UTC))
    live_picture.write(robot.name, frame, Redaction(Hidden(())))


def test_a_stored_picture_is_sent_once_and_kept_by_the_browser(client_of, viewer) -> None:
    digest = make_picture().digest
    client = client_of(viewer)
    answer = client.get(f"/pictures/{digest}.png")
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")
    assert answer.headers["Cache-Control"] == "no-store"
    again = client.get(f"/pictures/{digest}.png", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["0" * 64, "..%2f..%2fsecret_key", "0" * 63 + "Z"])
def test_what_is_not_in_the_store_is_refused_in_words(client_of, viewer, name: str) -> None:
    answer = client_of(viewer).get(f"/pictures/{name}.png")
    assert answer.status_code == 404
    assert b"secret" not in answer.content or b"There is nothing here" in answer.content


def test_the_live_picture_is_sent_only_when_it_is_new(client_of, viewer) -> None:
    """D2"""
    robot = make_robot()
    url = f"/runs/{on_desktop(robot).execution_id}/frame"
    show(robot)
    client = client_of(viewer)
    first = client.get(url)
    assert first.status_code == 200
    assert first.headers["Content-Type"].startswith("image/")
    assert first.headers["Cache-Control"] == "no-store"
    assert datetime.fromisoformat(first.headers["X-Taken-At"]).year == 2026
    assert client.get(url, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    show(robot, grey=90)
    newer = client.get(url, headers={"If-None-Match": first.headers["ETag"]})
    assert newer.status_code == 200
    assert newer.content != first.content


def test_without_a_live_picture_a_sentence_says_so(client_of, viewer) -> None:
    client = client_of(viewer)
    queued = client.get(f"/runs/{make_execution().execution_id}/frame")
    assert queued.status_code == 404
    assert b"on no desktop" in queued.content
    assert queued.headers["Cache-Control"] == "no-store"
    fresh = client.get(f"/robots/{make_robot('desk:8').name}/frame")
    assert fresh.status_code == 404
    assert b"no live picture" in fresh.content


def test_a_robot_whose_name_looks_like_a_path_reaches_no_other_file(client_of, viewer) -> None:
    """T11: the name becomes a file's name inside the folder of live pictures, never a way out of it."""
    robot = make_robot("../../secret_key")
    assert live_picture.path_of(robot.name).parent.name == "live"
    assert client_of(viewer).get(f"/robots/{robot.name}/frame").status_code == 404


def test_what_was_read_on_a_step_is_fetched_apart(client_of, viewer) -> None:
    """S2.4, S11.6: the layers of text and elements come when somebody switches them on."""
    execution = make_execution()
    screen = {"perception": {"detected_text": ["<b>Save</b>"], "text_boxes": [[0, 0, 0.1, 0.1]]}, "ui_elements": []}
    Step.objects.create(execution=execution, index=1, epoch=1, mode="coaching", screen=screen, phase=StepPhase.PLANNED)
    client = client_of(viewer)
    answer = client.get(f"/runs/{execution.execution_id}/steps/1/screen")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == screen
    assert client.get(f"/runs/{execution.execution_id}/steps/2/screen").status_code == 404


def test_robots_are_shown_alive_or_with_what_became_of_them(client_of, viewer) -> None:
    alive = make_robot("desk:1")
    on_desktop(alive)
    Robot.objects.create(name="gone:1", desktop="gone:1", host="gone", pid=2, stopped_at=timezone.now())
    lost = make_robot("lost:1")
    Robot.objects.filter(pk=lost.pk).update(heartbeat_at=datetime(2026, 1, 1, tzinfo=UTC))
    page = client_of(viewer).get("/robots").content.decode()
    assert page.index("desk:1") < page.index("Not running") < page.index("gone:1")
    assert "It was told to leave." in page
    assert "not heard of" in page
    assert "running" in page


@pytest.mark.parametrize(
    "query",
    (
        "box=nan,0,1,1 box=0,0,inf,1 box=0.5,0.5,0,0 box=1,1,0.1,0.1 box=a,b box=0,0,1 box=0,0,1,1,1 "
        f"width=² width=x width=-1 width={'9' * 5000}"
    ).split(),
)
def test_a_part_that_is_none_is_refused_in_words(client_of, viewer, query: str) -> None:
    answer = client_of(viewer).get(
        f"/pictures/{make_picture().digest}/part?{query}", headers={"accept": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_parameter")
    assert answer.json()["detail"].startswith(f"Write {query.partition('=')[0]} as ")


@pytest.mark.parametrize("query", ["", "box=&width=", "width=7", "box=-0.2,0,1.5,1&width=99999"])
def test_a_part_is_cut_to_the_picture_and_to_sensible_widths(client_of, viewer, query: str) -> None:
    assert client_of(viewer).get(f"/pictures/{make_picture().digest}/part?{query}").status_code == 200
