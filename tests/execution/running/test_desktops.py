"""The connection to a desktop elsewhere: told on the robots page, tried again, given up where that would do harm."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from execution.choices import ExecutionState, PauseReason
from execution.desktop.base import Desktop, DesktopIdentity, DesktopLost, DesktopRefused, DesktopUnavailable
from execution.models import Execution, Robot
from execution.running import desktops, runner
from execution.running.runner import Hooks, Runner
from execution.types import Size
from sentences.said import say
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import analyzer, publish_line, queue, screens

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

NAMES = ("one", "two", "three")
FAR = "vnc://er-12.example:5901"
CUT = say("desktop.elsewhere_ended", name=FAR)


class FarDesktop(ScriptedDesktop):
    """A scripted one that says it is elsewhere; `cut` ends its connection before the next thing it is asked."""

    def __init__(self) -> None:
        super().__init__(screens(*NAMES))
        self.name = FAR
        self.cut = False
        self.says: Size | None = None

    def grab(self) -> Any:
        if self.cut:
            raise DesktopLost(CUT)
        return super().grab()

    def identity(self) -> DesktopIdentity:
        return DesktopIdentity(
            name=FAR,
            host="vm",
            boot_id="",
            session="",
            user="marie",
            size=self.says or super().identity().size,
            mark="m",
        )


class Opening:
    """Gives one desktop after the other, and raises what is an error; `seen` is the robot's row at each opening."""

    def __init__(self, *given: FarDesktop | Exception) -> None:
        self.given = list(given)
        self.seen: list[dict[str, Any]] = []

    def __call__(self, name: str | None) -> Desktop:
        assert name == FAR
        self.seen += [dict(robot.connection) for robot in Robot.objects.all()]
        one = self.given.pop(0)
        if isinstance(one, Exception):
            raise one
        one.cut = False
        return one


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desktops, "_PAUSES_S", ())
    monkeypatch.setattr(desktops, "_LONGEST_S", 0.01)


def run(opening: Opening, first: FarDesktop, *, on_step: Callable[[Any], None], **hooks: Any) -> list[str]:
    lines: list[str] = []
    hooks = {"on_begin": lambda journal: journal.on_step.append(on_step), **hooks}
    made = Runner(
        desktop_name=FAR,
        analyzer=analyzer(first),
        once=True,
        out=lines.append,
        leave=threading.Event(),
        hooks=Hooks(open_desktop=opening, **hooks),
    )
    made.run()
    return lines


def test_a_run_goes_on_by_itself_once_it_is_connected_again_and_the_page_tells_each_step(
    client: Client, make_user
) -> None:
    """S9.2: nobody says that the desktop is back; what is seen of it says where the run stands."""
    execution = queue(publish_line(*NAMES))
    far = FarDesktop()
    cuts = iter((True,))  # after the first step alone
    away = DesktopUnavailable(say("desktop.elsewhere_not_connected", name=FAR))
    opening = Opening(far, away, away, far)
    lines = run(opening, far, on_step=lambda step: setattr(far, "cut", next(cuts, False)))
    assert Execution.objects.by_id(execution.execution_id).state == ExecutionState.COMPLETED, lines
    assert [act.kind for act in far.log if act.kind == "click"] == ["click"] * 2
    lost, trying, still = opening.seen
    assert (lost["state"], lost["why"]["code"], lost["cuts"]) == ("lost", "desktop.elsewhere_ended", 1)
    assert (trying["state"], trying["why"]["code"], trying["tries"]) == ("trying", "desktop.elsewhere_not_connected", 1)
    assert (still["tries"], still["since"]) == (2, lost["since"])
    robot = Robot.objects.get()
    assert robot.connection == {}  # the loop has left
    client.force_login(make_user("viewer", "viewer"))
    Robot.objects.update(connection=still)
    page = client.get(reverse("robots")).content.decode()
    assert "connection lost, trying again" in page and FAR in page
    Robot.objects.update(connection={**still, "state": "connected"}, stopped_at=None)
    page = client.get(reverse("robots")).content.decode()
    assert "Connected" in page and "1 cut" in page


def test_a_login_that_is_refused_is_not_tried_again() -> None:
    """Trying again would lock the account."""
    queue(publish_line(*NAMES))
    first = FarDesktop()
    opening = Opening(first, DesktopRefused(say("desktop.elsewhere_refused", name=FAR)), FarDesktop())
    with pytest.raises(DesktopRefused):
        run(opening, first, on_step=lambda step: setattr(first, "cut", True))
    assert len(opening.given) == 1
    assert Robot.objects.get().connection["state"] == "refused"


def test_a_desktop_of_another_size_leaves_the_run_to_a_person() -> None:
    """S9.2: what is connected again may be another desktop."""
    execution = queue(publish_line(*NAMES))
    far, other, leave = FarDesktop(), FarDesktop(), threading.Event()
    other.says = Size(640, 400)
    opening = Opening(far, other)

    def begun(journal: Any) -> None:
        if opening.given:
            journal.on_step.append(lambda step: setattr(far, "cut", True))
        else:
            journal.on_state.append(lambda run: pytest.fail(f"it went on: {run.state}"))
            leave.set()

    made = Runner(
        desktop_name=FAR,
        analyzer=analyzer(far),
        once=True,
        leave=leave,
        hooks=Hooks(open_desktop=opening, on_begin=begun),
    )
    made.run()
    paused = Execution.objects.by_id(execution.execution_id)
    assert (paused.state, paused.pause_reason) == (ExecutionState.PAUSED, PauseReason.DESKTOP_LOST)
    assert paused.wish == ""
    assert [act.kind for one in (far, other) for act in one.log if act.kind == "click"] == ["click"]


def test_a_display_of_this_machine_is_looked_for_as_before_and_has_no_connection() -> None:
    assert [next(desktops.pauses_s(":1", otherwise=runner.RECONNECT_EVERY_S)) for _ in range(2)] == [1.0, 1.0]
    queue(publish_line(*NAMES))
    desktop = ScriptedDesktop(screens(*NAMES))
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True).run()
    assert Robot.objects.get().connection == {}
