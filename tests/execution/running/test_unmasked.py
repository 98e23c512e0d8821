"""The live picture as it is, by right: from the run loop to the browser, and in no file (S10.1, S10.3, S10.4)."""

from __future__ import annotations

import socket
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from django.contrib.auth.models import Group

from execution.actions import control
from execution.choices import ExecutionState
from execution.models import Execution, Robot
from execution.record.hidden import Hidden
from execution.record.redaction import NothingShown, Redaction
from execution.record.typed_places import TypedPlace
from execution.running import live_picture, unmasked
from execution.running.runner import Runner
from execution.running.shown_capture import ShownCapture
from execution.running.unmasked import UnmaskedPicture
from execution.types import Box, Frame, ScreenState, TextLine
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.pages.test_pictures import make_robot, on_desktop
from tests.factories import make_execution, make_published
from tests.support.display import wait_until
from tests.support.scripted import analyzer, queue, screens
from workflows.mask_patterns import Patterns

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.security]

MASK = (0.5, 0.0, 0.5, 1.0)  # the right half
INK = 200


@pytest.fixture(autouse=True)
def switched_on(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR, settings.RPA_LIVE_UNMASKED = tmp_path, True


def frame(ink: int = INK) -> Frame:
    return Frame(
        pixels=np.full((80, 120, 3), ink, np.uint8), taken_at=datetime(2026, 11, 22, 8, 0, 3, 250_000, tzinfo=UTC)
    )


def masked(**more: Any) -> Redaction:
    return Redaction(Hidden(more.pop("values", ())), regions=[MASK], **more)


def right_half(jpeg: bytes) -> float:
    """How bright it is: 200 as it is, 128 where it is masked."""
    pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    return float(pixels[:, 70:].mean())


class Desk:
    """A robot's desktop as its run loop shows it: the masked file, and the socket."""

    def __init__(self, robot: Robot, redaction: Redaction) -> None:
        self.capture = ShownCapture(ScriptedDesktop(screens("one")), robot)
        self.capture.redaction, self.capture.in_hand = redaction, True
        self.picture = UnmaskedPicture(robot.name, self.capture.unmasked)
        self.robot = robot

    def shows(self, one: Frame) -> None:
        self.capture._show(one)


@pytest.fixture
def desk() -> Iterator[Desk]:
    one = Desk(make_robot(), masked())
    one.picture.start()
    one.shows(frame())
    yield one
    one.picture.stop()


def test_who_has_the_right_sees_it_and_nobody_else(client_of, operator, admin, viewer, desk: Desk) -> None:
    """S10.1, S10.4: masked is what everybody else gets."""
    url = f"/runs/{on_desktop(desk.robot).execution_id}/frame"
    for person in (viewer, operator):
        assert right_half(client_of(person).get(url).content) == pytest.approx(128, abs=3)
    seen = client_of(admin).get(url)
    assert right_half(seen.content) == pytest.approx(INK, abs=3)
    assert (seen.headers["Cache-Control"], seen.headers["Content-Type"]) == ("no-store", "image/jpeg")
    assert seen.headers["X-Taken-At"].startswith("2026-11-22T08:00:03.25")
    again = client_of(admin).get(url, headers={"If-None-Match": seen.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    operator.groups.add(Group.objects.get(name="unmasked live picture"))
    operator = type(operator).objects.get(pk=operator.pk)
    assert right_half(client_of(operator).get(url).content) == pytest.approx(INK, abs=3)


def test_switched_off_there_is_neither_a_socket_nor_anything_to_see(client_of, admin, settings: Any) -> None:
    settings.RPA_LIVE_UNMASKED = False
    off = Desk(make_robot(), masked())
    off.picture.start()
    off.shows(frame())
    assert list((settings.DATA_DIR / "live").iterdir()) == [live_picture.path_of(off.robot.name)]
    url = f"/runs/{on_desktop(off.robot).execution_id}/frame"
    assert right_half(client_of(admin).get(url).content) == pytest.approx(128, abs=3)
    off.picture.stop()


def test_a_web_process_without_the_switch_shows_it_masked(client_of, admin, desk: Desk, settings: Any) -> None:
    settings.RPA_LIVE_UNMASKED = False
    url = f"/runs/{on_desktop(desk.robot).execution_id}/frame"
    assert right_half(client_of(admin).get(url).content) == pytest.approx(128, abs=3)


def test_on_the_robots_page_and_between_runs_it_is_masked_for_all(client_of, admin, desk: Desk) -> None:
    """Only the run that hides something can be looked at so."""
    assert right_half(client_of(admin).get(f"/robots/{desk.robot.name}/frame").content) == pytest.approx(128, abs=3)
    desk.capture.in_hand = False
    assert unmasked.ask(desk.robot.name) is None
    url = f"/runs/{on_desktop(desk.robot).execution_id}/frame"
    assert right_half(client_of(admin).get(url).content) == pytest.approx(128, abs=3)


def test_it_is_in_no_file_and_in_no_log(
    client_of, admin, desk: Desk, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """What is written down is masked before; who looked is told, not what they saw."""
    caplog.set_level("INFO")
    execution = on_desktop(desk.robot)
    answer = client_of(admin).get(f"/runs/{execution.execution_id}/frame")
    files = [path for path in settings.DATA_DIR.rglob("*") if path.is_file()]
    assert [path.suffix for path in files] == [".jpg"]
    assert right_half(files[0].read_bytes()) == pytest.approx(128, abs=3)
    assert answer.content not in files[0].read_bytes()
    assert client_of(admin).get(f"/runs/{execution.execution_id}/frame").status_code == 200
    assert caplog.text.count(f"{execution.execution_id} is seen unmasked by {admin.get_username()}") == 1
    assert len(caplog.text) < 5_000
    address = unmasked.socket_of(desk.robot.name)
    assert stat.S_IMODE(address.stat().st_mode) == 0o600


def test_the_page_says_that_it_is_unmasked_for_whoever_sees_it_so(client_of, operator, admin, desk: Desk) -> None:
    """U3, S10.4: a picture says what it is."""
    version = make_published(masks=[list(MASK)])
    execution = make_execution(version=version)
    for person, sees in ((admin, True), (operator, False)):
        page = client_of(person).get(f"/runs/{execution.execution_id}")
        assert page.context["page_data"]["me"]["sees_unmasked"] is sees
    plain = client_of(admin).get(f"/runs/{on_desktop(desk.robot).execution_id}")
    assert plain.context["page_data"]["me"]["sees_unmasked"] is False


def test_a_socket_that_its_run_loop_left_behind_costs_nothing(client_of, admin, desk: Desk) -> None:
    """S1.21: a run loop that was killed; the next one takes its place."""
    address = unmasked.socket_of(desk.robot.name)
    listener, desk.picture._listener = desk.picture._listener, None
    assert listener is not None
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    assert address.exists()
    url = f"/runs/{on_desktop(desk.robot).execution_id}/frame"
    assert right_half(client_of(admin).get(url).content) == pytest.approx(128, abs=3)
    following = UnmaskedPicture(desk.robot.name, desk.capture.unmasked)
    following.start()
    assert right_half(client_of(admin).get(url).content) == pytest.approx(INK, abs=3)
    following.stop()
    assert not address.exists()


def test_what_the_run_types_secretly_stays_hidden(desk: Desk) -> None:
    """S10.3: in its field, and wherever the screen repeats it."""
    hiding = masked(values=("Xk7-very-secret",), patterns=Patterns(["email"]))
    hiding.typed_secret(TypedPlace((0.0, 0.0, 0.25, 1.0)))
    line = TextLine(text="It is Xk7-very-secret", box=Box(70, 60, 40, 12))
    hiding.seen(ScreenState(frame=frame(), texts=(line,), text_method="known"))
    pixels = hiding.unmasked(frame())
    assert (pixels[:, :30] == 128).all() and (pixels[60:72, 70:110] == 128).all()
    assert (pixels[:50, 70:] == INK).all()


def test_where_nobody_can_say_what_is_secret_nothing_is_shown() -> None:
    assert (NothingShown().unmasked(frame()) == 128).all()


def test_while_a_run_loop_works_it_is_there_and_gone_with_the_run(settings: Any) -> None:
    """The run loop's own order: its socket, its run in hand, and none of it between runs."""
    nodes = [
        {"node_id": "one", "name": "One", "texts": ["Page one"], "window_title": "One - Forms", "is_entry": True},
        {"node_id": "two", "name": "Two", "texts": ["Page two"], "is_end": True},
    ]
    wait = {"edge_id": "wait", "source": "one", "destination": "two", "action_type": "wait", "params": {}}
    version = make_published(nodes=nodes, edges=[wait], variables=[], masks=[list(MASK)])
    execution = queue(version, mode="coaching")
    desktop = ScriptedDesktop(screens("one", "two"))
    runner = Runner(desktop=desktop, analyzer=analyzer(desktop), once=True)
    seen: list[Any] = []

    def looks() -> None:
        row = Execution.objects.get(pk=execution.pk)
        name = row.robot.name if row.robot else ""
        wait_until(lambda: unmasked.ask(name), what="the picture")
        seen.append(unmasked.ask(name))
        control.stop(execution_id=execution.execution_id)

    runner.hooks = type(runner.hooks)(on_prompt=lambda prompt: looks())
    runner.run()
    assert Execution.objects.get(pk=execution.pk).state == ExecutionState.STOPPED
    picture = cv2.imdecode(np.frombuffer(seen[0].jpeg, np.uint8), cv2.IMREAD_COLOR)
    shown = cv2.resize(desktop.grab().pixels, picture.shape[1::-1])
    assert np.abs(picture.astype(int) - shown).mean() < 4
    robot = Robot.objects.get()
    assert unmasked.ask(robot.name) is None
    assert not unmasked.socket_of(robot.name).exists()
