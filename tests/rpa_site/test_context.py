from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from execution.choices import ExecutionState
from execution.models import Robot
from execution.models.worklist import ItemState
from rpa_site.context import chrome
from rpa_site.roles import Role
from tests.factories import make_execution
from tests.support.lists import new_list

pytestmark = pytest.mark.django_db


def frame(rf: RequestFactory, user: Any) -> dict[str, Any]:
    request = rf.get("/")
    request.user = user
    return chrome(request)


def test_the_frame_counts_the_runs_that_need_this_person_and_the_robots_alive(
    rf: RequestFactory, viewer: Any, operator: Any
) -> None:
    """UI: what needs a person is told to those who may answer."""
    for number, state in enumerate((ExecutionState.PAUSED, ExecutionState.PAUSED, ExecutionState.RUNNING)):
        make_execution(state=state, desktop=f"host:{number}")
    Robot.objects.create(name="r", desktop="r", host="h", pid=1)
    shown = frame(rf, operator)
    assert (shown["attention"], shown["robots_alive"]) == (2, 1)
    assert shown["role"] == Role.OPERATOR
    assert frame(rf, viewer)["attention"] == 0


def test_the_frame_counts_the_rows_that_wait_to_those_who_may_decide_on_them(
    rf: RequestFactory, viewer: Any, operator: Any
) -> None:
    worklist = new_list("Ada", "Bea", "Cy", "Di")
    worklist.items.filter(number__lt=4).update(state=ItemState.SET_ASIDE)
    make_execution(state=ExecutionState.PAUSED, desktop="host:1")
    shown, looked = frame(rf, operator), frame(rf, viewer)
    assert (shown["attention"], shown["lists_wait"]) == (1, 3)
    assert (looked["attention"], looked["lists_wait"]) == (0, 0)


def test_nothing_is_asked_of_the_database_until_a_page_shows_it(
    rf: RequestFactory, operator: Any, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        shown = frame(rf, operator)
    with django_assert_num_queries(3):  # the person's permissions, twice, and the count
        assert str(shown["attention"]) == "0"
        assert not shown["attention"]


def test_whoever_is_not_logged_in_sees_no_figures(rf: RequestFactory) -> None:
    """S10.1"""
    assert frame(rf, AnonymousUser()) == {}


def test_a_request_that_has_no_user_yet_has_a_frame(rf: RequestFactory) -> None:
    """An error page may be made before anybody knew who asks."""
    assert chrome(rf.get("/")) == {}
