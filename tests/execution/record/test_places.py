"""Which robot takes which run, and when: what it has and what is needed, priorities, at most n at once (S9.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from execution.actions.start import start
from execution.choices import ExecutionState
from execution.desktop import programs
from execution.desktop.base import DesktopIdentity
from execution.models import Ability, AbilityOrigin, Execution, Robot
from execution.models.execution import place_in_line
from execution.record.claims import claim
from execution.running.robots import sign_on
from execution.types import Size
from tests.factories import NODES, make_published
from tests.support.claiming import claimed_at_once
from workflows.choices import AbilityKind, Priority
from workflows.models import Need, Workflow

pytestmark = pytest.mark.django_db(transaction=True)

TAGS, PROGRAMS = ("er", "lab", "x-ray"), ("notepad", "calc")
LEAD = timedelta(seconds=settings.RPA_PRIORITY_LEAD_S)


def identity(display: str = ":7") -> DesktopIdentity:
    return DesktopIdentity(name=display, host="here", boot_id="b", session="s", user="u", size=Size(60, 40))


def robot(name: str = "here:7", *, tags: Sequence[str] = (), programs: Sequence[str] = (), **fields: Any) -> Robot:
    made = Robot.objects.create(**{"name": name, "desktop": name, "host": "here", "pid": 1, **fields})
    Ability.objects.say(made, AbilityKind.TAG, tags, origin=AbilityOrigin.PAGE)
    Ability.objects.say(made, AbilityKind.PROGRAM, programs, origin=AbilityOrigin.FOUND)
    return made


def workflow(*, tags: Sequence[str] = (), programs: Sequence[str] = (), **fields: Any) -> Workflow:
    made = make_published().workflow
    Workflow.objects.filter(pk=made.pk).update(**fields)
    for kind, names in ((AbilityKind.TAG, tags), (AbilityKind.PROGRAM, programs)):
        for name in names:
            Need.objects.create(workflow=made, kind=kind, name=name)
    made.refresh_from_db()
    return made


def calling(inner: Workflow, **fields: Any) -> Workflow:
    """A workflow that does that one inside, and needs nothing itself."""
    call = {"action_type": "call_workflow", "params": {"workflow": inner.workflow_id, "version": 1}}
    nodes = [{**NODES[0], "node_id": "a"}, {**NODES[3], "node_id": "z"}]
    edges = [{"edge_id": "call", "source": "a", "destination": "z", **call}]
    made = make_published(nodes=nodes, edges=edges, already_at_end_is_fine=True).workflow
    Workflow.objects.filter(pk=made.pk).update(**fields)
    made.refresh_from_db()
    return made


def queued(one: Workflow, **more: Any) -> Execution:
    return start(workflow_id=one.workflow_id, **more)


def taken(by: Robot) -> str | None:
    claimed = claim(by, identity())
    return claimed.execution.execution_id if claimed else None


def end(execution_id: str) -> None:
    Execution.objects.by_id(execution_id).move(ExecutionState.COMPLETED)


# --- what it needs ------------------------------------------------------------------------------------------------
def test_a_run_waits_for_a_robot_that_has_every_tag_and_program() -> None:
    run = queued(workflow(tags=["ER"], programs=["Notepad"]))
    assert taken(robot("here:1", tags=["er"])) is None
    assert taken(robot("here:2", programs=["notepad"])) is None
    assert taken(robot("here:3", tags=["notepad", "er"])) is None  # a tag is no program
    assert taken(robot("here:4", tags=["  Er "], programs=["NOTEPAD", "calc"])) == run.execution_id


@pytest.mark.parametrize(("width", "height", "fits"), [(1920, 1080, True), (1919, 1080, False), (1920, 1079, False)])
def test_a_run_waits_for_a_screen_that_is_large_enough(width: int, height: int, fits: bool) -> None:
    queued(workflow(smallest_width=1920, smallest_height=1080))
    assert bool(taken(robot(screen_width=width, screen_height=height))) is fits


def test_a_run_that_does_not_fit_does_not_keep_the_next_one_waiting() -> None:
    queued(workflow(tags=["lab"]))
    second = queued(workflow())
    assert taken(robot()) == second.execution_id


def test_a_tag_that_is_given_later_holds_at_once() -> None:
    run, one = queued(workflow(tags=["lab"])), robot()
    assert taken(one) is None
    Ability.objects.say(one, AbilityKind.TAG, ["lab"], origin=AbilityOrigin.PAGE)
    assert taken(one) == run.execution_id


def test_what_the_page_says_and_what_the_setting_says_do_not_undo_each_other() -> None:
    one = robot(tags=["lab"])
    Ability.objects.say(one, AbilityKind.TAG, ["lab", "er"], origin=AbilityOrigin.SETTING)
    Ability.objects.say(one, AbilityKind.TAG, [], origin=AbilityOrigin.PAGE)
    assert one.abilities.of(AbilityKind.TAG) == ["er", "lab"]  # type: ignore[attr-defined]


# --- maintenance --------------------------------------------------------------------------------------------------
def test_in_maintenance_a_robot_finishes_what_it_has_and_takes_nothing_new() -> None:
    """Also where its process ended meanwhile: the run that was left on the desktop is what it has."""
    one = robot()
    first, second = queued(workflow()), queued(workflow())
    assert taken(one) == first.execution_id
    Robot.objects.update(maintenance_at=timezone.now())
    again = claim(one, identity())
    assert again is not None
    assert (again.execution.execution_id, again.taken_over) == (first.execution_id, True)
    end(first.execution_id)
    assert taken(one) is None
    Robot.objects.update(maintenance_at=None)
    assert taken(one) == second.execution_id


# --- order --------------------------------------------------------------------------------------------------------
def test_a_higher_priority_goes_first_and_the_workflow_says_which() -> None:
    one, usual, urgent = robot(), workflow(), workflow(priority=Priority.HIGH)
    runs = {name: queued(flow, **more).execution_id for name, flow, more in (
        ("low", usual, {"priority": Priority.LOW}),
        ("usual", usual, {}),
        ("urgent", urgent, {}),
        ("as usual", urgent, {"priority": Priority.NORMAL}),
    )}  # fmt: skip
    order = []
    while run := taken(one):
        order.append(run)
        end(run)
    assert order == [runs["urgent"], runs["usual"], runs["as usual"], runs["low"]]


def test_what_has_waited_for_long_is_passed_by_no_priority() -> None:
    one, flow = robot(), workflow()
    with time_machine.travel(timezone.now() - LEAD - timedelta(seconds=5)):
        old = queued(flow)
    queued(flow, priority=Priority.HIGH)
    assert taken(one) == old.execution_id


# --- at most n ----------------------------------------------------------------------------------------------------
def test_at_most_n_runs_of_a_workflow_are_at_work() -> None:
    few, other = workflow(most_at_once=2), workflow()
    first, second, third = (queued(few) for _ in range(3))
    fourth = queued(other)
    assert [taken(robot(f"here:{n}")) for n in range(4)] == [
        first.execution_id, second.execution_id, fourth.execution_id, None,
    ]  # fmt: skip
    Execution.objects.by_id(first.execution_id).move(ExecutionState.PAUSED)
    assert taken(robot("here:5")) is None  # a paused run has its program open still
    end(first.execution_id)
    assert taken(robot("here:6")) == third.execution_id


def test_of_robots_that_look_at_once_no_more_than_n_begin() -> None:
    """Each would see room for its own run; eight robots, eight runs, room for two, ten times over."""
    few = workflow(most_at_once=2)
    robots = [robot(f"here:{n}") for n in range(8)]
    for _ in range(80):
        queued(few)
    for _ in range(10):
        assert 1 <= len(claimed_at_once(robots, identity())) <= 2
        held = Execution.objects.filter(state=ExecutionState.RUNNING)
        assert held.count() <= 2
        for run in held:
            end(run.execution_id)


# --- done inside --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("deep", [1, 3])
def test_what_is_done_inside_needs_the_same_of_a_robot(deep: int) -> None:
    """However deep it lies: a tag, a program, both sides of the screen."""
    outer = workflow(tags=["er"], programs=["notepad"], smallest_width=800, smallest_height=600)
    for _ in range(deep):
        outer = calling(outer)
    run = queued(outer)
    everything: dict[str, Any] = {
        "tags": ["er"], "programs": ["notepad"], "screen_width": 800, "screen_height": 600,
    }  # fmt: skip
    for n, (name, less) in enumerate({"tags": [], "programs": [], "screen_width": 799, "screen_height": 599}.items()):
        assert taken(robot(f"here:{n}", **{**everything, name: less})) is None
    assert taken(robot("here:9", **everything)) == run.execution_id


def test_what_is_done_inside_is_at_work_as_often_as_it_may_be() -> None:
    """Whoever does it: runs of its own, and of two workflows that do it inside."""
    inner = workflow(most_at_once=2)
    one, other = calling(inner, most_at_once=2), calling(calling(inner, most_at_once=2))
    first, second, third, fourth = queued(one), queued(inner), queued(other), queued(one)
    free = queued(workflow())
    assert [taken(robot(f"here:{n}")) for n in range(4)] == [
        first.execution_id, second.execution_id, free.execution_id, None,
    ]  # fmt: skip
    end(second.execution_id)
    assert [taken(robot(f"here:{n}")) for n in (5, 6)] == [third.execution_id, None]
    end(first.execution_id)
    assert taken(robot("here:7")) == fourth.execution_id


@pytest.mark.slow
def test_of_robots_that_look_at_once_no_more_than_n_do_it_inside() -> None:
    """Both kinds stand for the same two turnstiles, in whatever order they do the two inside."""
    inner = workflow(most_at_once=2)
    flows = [inner, calling(inner, most_at_once=3), calling(calling(inner, most_at_once=2))]
    robots = [robot(f"here:{n}") for n in range(8)]
    for n in range(60):
        queued(flows[n % 3])
    for _ in range(10):
        assert 1 <= len(claimed_at_once(robots, identity())) <= 2
        held = Execution.objects.filter(state=ExecutionState.RUNNING)
        assert held.count() <= 2
        for run in held:
            end(run.execution_id)


# --- by chance ----------------------------------------------------------------------------------------------------


flows = st.fixed_dictionaries({
    "tags": st.sets(st.sampled_from(TAGS), max_size=2),
    "programs": st.sets(st.sampled_from(PROGRAMS), max_size=1),
    "smallest_width": st.sampled_from([0, 0, 800]),
    "most_at_once": st.sampled_from([None, None, 1, 2]),
})  # fmt: skip
hosts = st.fixed_dictionaries({
    "tags": st.sets(st.sampled_from(TAGS)),
    "programs": st.sets(st.sampled_from(PROGRAMS)),
    "screen_width": st.sampled_from([640, 800, 1920]),
    "maintenance": st.sampled_from([False, False, False, True]),
})  # fmt: skip
runs_of = st.tuples(st.integers(0, 2), st.sampled_from(Priority.values), st.integers(0, 3))


class Rollback(Exception):
    pass


def fits(host: Mapping[str, Any], flow: Mapping[str, Any]) -> bool:
    """The rule in Python, beside the statement that takes a run."""
    return (
        not host["maintenance"]
        and flow["tags"] <= host["tags"]
        and flow["programs"] <= host["programs"]
        and flow["smallest_width"] <= host["screen_width"]
    )


@hypothesis_settings(max_examples=25, deadline=None)
@given(
    given_flows=st.lists(flows, min_size=3, max_size=3),
    given_hosts=st.lists(hosts, min_size=1, max_size=3),
    given_runs=st.lists(runs_of, min_size=1, max_size=9),
    turns=st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=12),
)
@pytest.mark.django_db(transaction=False)
@pytest.mark.slow
def test_who_takes_what_by_chance(
    given_flows: list[dict[str, Any]],
    given_hosts: list[dict[str, Any]],
    given_runs: list[tuple[int, int, int]],
    turns: list[tuple[int, bool]],
) -> None:
    """Each robot that looks gets the first in line of those that fit and have room, or none where there is none; and
    once what is at work ends, all that fit anywhere are taken: none starves."""
    try:
        with transaction.atomic():
            play(given_flows, given_hosts, given_runs, turns)
            raise Rollback
    except Rollback:
        pass


def play(
    given_flows: list[dict[str, Any]],
    given_hosts: list[dict[str, Any]],
    given_runs: list[tuple[int, int, int]],
    turns: list[tuple[int, bool]],
) -> None:
    made = [workflow(**flow) for flow in given_flows]
    robots = [
        robot(
            f"here:{n}",
            tags=sorted(host["tags"]),
            programs=sorted(host["programs"]),
            screen_width=host["screen_width"],
            maintenance_at=timezone.now() if host["maintenance"] else None,
        )
        for n, host in enumerate(given_hosts)
    ]
    begin = timezone.now() - timedelta(days=1)
    line: list[tuple[datetime, int, int, str]] = []  # place, key, flow, id
    for flow, priority, halves in given_runs:
        at = begin + halves * LEAD / 2
        with time_machine.travel(at, tick=False):
            run = queued(made[flow], priority=priority)
        line.append((place_in_line(run.created_at, priority), run.pk, flow, run.execution_id))
    line.sort()
    held: dict[int, tuple[int, str]] = {}  # by robot: flow and run

    def look(n: int) -> bool:
        def has_room(flow: int) -> bool:
            most = given_flows[flow]["most_at_once"]
            return most is None or sum(f == flow for f, _run in held.values()) < most

        expected = next((r for r in line if fits(given_hosts[n], given_flows[r[2]]) and has_room(r[2])), None)
        assert taken(robots[n]) == (expected and expected[3])
        if expected:
            line.remove(expected)
            held[n] = expected[2], expected[3]
        return expected is not None

    for which, ends in turns:
        n = which % len(robots)
        if n in held:
            if ends:
                end(held.pop(n)[1])
        else:
            look(n)
    for _ in range(2 * len(given_runs) + 2):
        for n in list(held):
            end(held.pop(n)[1])
        for n in range(len(robots)):
            look(n)
    left = {run[3] for run in line}
    homeless = {r[3] for r in line if not any(fits(host, given_flows[r[2]]) for host in given_hosts)}
    assert left == homeless


@pytest.mark.parametrize(("name", "has"), [(":7", ["notes"]), ("vnc://ward-pc:5901", [])])
def test_a_robot_says_what_it_has_when_it_begins(name: str, has: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of a machine are not those of a desktop elsewhere that is seen from it."""
    monkeypatch.setattr(programs, "found", lambda: ["Notes"])
    monkeypatch.setattr(settings, "RPA_ROBOT_TAGS", ["Ward"])
    made = sign_on(identity(name))
    assert (made.abilities.of(AbilityKind.PROGRAM), made.abilities.of(AbilityKind.TAG)) == (has, ["ward"])  # type: ignore[attr-defined]
    assert name in made.known_as
    assert taken(made) is None
    run = queued(workflow(tags=["ward"]), desktop=name)
    assert claim(made, identity(name)) is not None
    assert Execution.objects.by_id(run.execution_id).robot == made
