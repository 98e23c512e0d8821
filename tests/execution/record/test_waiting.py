"""Why a run waits, and behind whom: on its page, in the list, over REST (S9.4, S7.3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation

from execution.actions.teach import open_lesson
from execution.models import Execution, Robot
from execution.record.claims import claim
from execution.record.waiting import Flow, Place, Waiter, Waiting, told, waiting, waiting_of
from sentences.said import worded
from tests.execution.record.test_places import calling, end, identity, queued, robot, workflow
from tests.factories import make_user
from workflows.needs import RobotNeeds

pytestmark = pytest.mark.django_db

SCREEN = {"width": 1280, "height": 800}


def place(name: str, **fields: Any) -> Place:
    return Place(**{"name": name, "desktops": {name, name.removeprefix("here")}, **SCREEN, **fields})


def why(pk: int, line: list[Waiter], places: list[Place], **flows: Flow | list[Flow]) -> Waiting:
    does = {int(key[1:]): flow if isinstance(flow, list) else [flow] for key, flow in flows.items()}
    found = told(line, places, does)(pk)
    assert found is not None
    return found


# --- the reasons ------------------------------------------------------------------------------------------------------
NOTE = Flow(name="Note")


def test_no_robot_at_all() -> None:
    assert why(1, [Waiter(1, 1)], [], w1=NOTE).message == "No robot is alive. It begins when a run loop starts."


def test_none_on_the_desktop_that_was_asked_for() -> None:
    found = why(1, [Waiter(1, 1, ":9")], [place("here:1")], w1=NOTE)
    assert found.message == "It is for the desktop :9, and no robot is alive there."


def test_what_each_robot_lacks_the_nearest_first() -> None:
    needs = RobotNeeds(tags=("lab",), programs=("notes",), smallest_width=1920, smallest_height=1080)
    places = [place("here:1"), place("here:2", tags=frozenset({"lab"}), width=1920, height=1080)]
    found = why(1, [Waiter(1, 1)], places, w1=Flow(name="Note", needs=needs))
    assert found.message == (
        "No robot that is alive has all that it needs: here:2 lacks the program “notes”, "
        "here:1 lacks the tag “lab”, the program “notes”, a screen of 1920 × 1080."
    )
    assert not found.behind


def test_all_that_fit_are_in_maintenance() -> None:
    found = why(1, [Waiter(1, 1)], [place("here:1", takes=False)], w1=NOTE)
    assert found.message == "Each robot that fits is in maintenance and takes nothing new: here:1."


def test_so_many_are_at_work_already() -> None:
    full = Flow(name="Note", most_at_once=2, at_work=(7, 8))
    found = why(2, [Waiter(1, 1), Waiter(2, 1)], [place("here:1")], w1=full)
    assert found.message == "At most 2 runs of “Note” are at work at once, and so many are. 1 run goes before it."
    assert (found.behind, found.ahead) == ((7, 8, 1), 1)


def test_all_that_fit_are_busy_and_with_what() -> None:
    line = [Waiter(1, 1), Waiter(2, 1), Waiter(3, 1)]
    found = why(3, line, [place("here:1", run=7), place("here:2", lesson=5)], w1=NOTE)
    assert found.message == "Each robot that fits is busy: here:1, here:2. 2 runs go before it."
    assert (found.behind, found.lessons, found.ahead) == ((7, 1, 2), (5,), 2)


def test_it_is_next() -> None:
    assert why(1, [Waiter(1, 1)], [place("here:1"), place("here:2", run=3)], w1=NOTE).behind == ()


def test_only_runs_that_want_the_same_robot_go_before_it() -> None:
    lab = Flow(name="Lab", needs=RobotNeeds(tags=("lab",)))
    full = Flow(name="Full", most_at_once=1, at_work=(9,))
    places = [place("here:1", run=7), place("here:2", tags=frozenset({"lab"}), run=8)]
    line = [Waiter(1, 2), Waiter(2, 1, ":1"), Waiter(3, 3), Waiter(4, 1, ":1"), Waiter(5, 2)]
    flows = {"w1": NOTE, "w2": lab, "w3": full}
    assert why(4, line, places, **flows).behind == (7, 2)
    assert why(5, line, places, **flows).behind == (8, 1)


def test_what_is_done_inside_needs_and_holds_up_the_same() -> None:
    inner = Flow(name="Inner", needs=RobotNeeds(tags=("lab",)), most_at_once=1, at_work=(9,))
    note, other = Flow(name="Note", needs=RobotNeeds(smallest_width=800)), Flow(name="Other")
    lacking = why(1, [Waiter(1, 1)], [place("here:1", width=640)], w1=[note, inner]).message
    assert "here:1 lacks the tag “lab”, a screen of 800 × 0" in lacking
    flows = {"w1": [note, inner], "w2": [other], "w3": inner}
    line = [Waiter(1, 1), Waiter(2, 2), Waiter(3, 3), Waiter(4, 1)]
    at = [place("here:1", tags=frozenset({"lab"}))]
    found = why(4, line, at, **flows)
    begins = "It does “Inner” inside, which at most 1 run may do at once, and one does."
    assert found.message == f"{begins} 3 runs go before it."
    assert found.behind == (9, 1, 2, 3)
    assert why(2, line, at, **flows).behind == ()  # what waits for room goes before none that does not
    assert why(3, line, at, **flows).message.startswith("At most 1 run of “Inner” is at work at once, and one is.")


# --- from the rows ----------------------------------------------------------------------------------------------------
def test_a_robot_is_known_by_its_name_and_by_its_display() -> None:
    run = queued(workflow(), desktop=":7")
    robot("here:8")
    assert "no robot is alive there" in waiting_of(run)["message"]
    robot("here:7")
    assert "takes it in a moment" in waiting_of(run)["message"]
    assert claim(Robot.objects.get(name="here:7"), identity()) is not None


def test_of_a_run_that_is_not_queued_there_is_nothing_to_tell() -> None:
    run = queued(workflow())
    assert claim(robot(), identity()) is not None
    assert waiting_of(run) is None  # as it was read, before the robot took it
    run.refresh_from_db()
    assert waiting_of(run) is None


def test_the_robot_that_somebody_is_taught_on_is_busy_with_that_lesson() -> None:
    one, run = robot(), queued(workflow())
    lesson = open_lesson(workflow=workflow(), robot=one, user=make_user("designer", "dora"))
    waits = waiting_of(run)
    name = lesson.workflow.name
    assert f"is busy: here:7 with a lesson of “{name}”, given by dora." in waits["message"]
    assert waits["lessons"] == [{"lesson_id": lesson.lesson_id, "workflow_name": name, "teacher": "dora"}]


@pytest.mark.parametrize(
    ("state", "words"),
    [("running", "."), ("paused", ", which is paused."), ("coaching", ", which waits for a person.")],
)
def test_the_run_that_holds_the_only_desktop_is_named_with_what_it_does(state: str, words: str) -> None:
    """S9.4: a run that asks, or is paused, may hold it all night."""
    first, run = queued(flow := workflow()), queued(flow)
    assert claim(robot(), identity()) is not None
    Execution.objects.filter(pk=first.pk).update(state=state)
    waits = waiting_of(run)
    assert waits["message"] == f"Each robot that fits is busy: here:7 with run {first.pk} of “{flow.name}”{words}"
    assert [(one["execution_id"], one["state"]) for one in waits["behind"]] == [(first.execution_id, state)]


def test_each_place_that_tells_it_tells_the_same(client: Client) -> None:
    flow = workflow(most_at_once=1)
    first, second = queued(flow), queued(flow)
    assert claim(robot(), identity()) is not None
    robot("here:8")
    client.force_login(make_user("viewer"))
    found = client.get(f"/api/executions/{second.execution_id}/waiting/").json()
    words = f"At most 1 run of “{flow.name}” is at work at once, and one is."
    assert (found["message"], found["code"], found["ahead"]) == (words, "waiting.full", 0)
    assert [(one["execution_id"], one["state"]) for one in found["behind"]] == [(first.execution_id, "running")]
    assert client.get(f"/api/executions/{first.execution_id}/waiting/").json() is None
    page = client.get(f"/runs/{second.execution_id}")
    assert page.context["page_data"]["snapshot"]["waiting"]["message"] == words
    assert words in client.get("/").content.decode()
    with translation.override("fr"):
        assert worded(waiting()(second.pk).message) != words  # type: ignore[union-attr]
    end(first.execution_id)
    assert "takes it in a moment" in client.get("/").content.decode()


def test_a_run_says_for_what_inside_of_it_it_waits() -> None:
    outer = calling(inner := workflow(most_at_once=1, tags=["lab"]))
    one, two = robot("here:7"), robot("here:8", tags=["lab"])
    run = queued(outer)
    assert claim(one, identity()) is None
    Robot.objects.filter(pk=two.pk).update(heartbeat_at=timezone.now() - timedelta(days=1))
    assert "here:7 lacks the tag “lab”" in worded(waiting_of(run)["message"])
    Robot.objects.filter(pk=two.pk).update(heartbeat_at=timezone.now())
    first = queued(calling(inner), desktop="here:8")
    Execution.objects.filter(pk=first.pk).update(in_line_at=timezone.now() - timedelta(days=1))
    assert claim(two, identity()).execution.pk == first.pk  # type: ignore[union-attr]
    told_of = waiting_of(run)
    assert f"It does “{inner.name}” inside" in told_of["message"]
    assert [one["execution_id"] for one in told_of["behind"]] == [first.execution_id]


def test_a_long_queue_is_told_of_with_as_many_queries_as_one_run(django_assert_num_queries: Any) -> None:
    robot(tags=["lab"])
    for n in range(12):
        run = queued(workflow(tags=["lab"] if n % 2 else []))
    with django_assert_num_queries(8):
        assert waiting()(run.pk).ahead == 11  # type: ignore[union-attr]
