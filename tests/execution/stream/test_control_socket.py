"""The socket of whoever has control of a run's desktop: who may open it, and who may no longer (S6.15, S10.1)."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from execution.actions import control
from execution.choices import Wish
from execution.models import Execution, Robot
from execution.stream import handing_on
from tests.factories import make_execution
from tests.support.sockets import Socket, in_thread, session_of

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def operator(make_user: Any) -> Any:
    return make_user("olga", "operator")


@pytest.fixture
def run(operator: Any) -> Execution:
    robot = Robot.objects.create(name="host:1", desktop="host:1", host="host", pid=1)
    execution = make_execution(state="running", desktop="host:1", robot=robot)
    return control.take_control(execution_id=execution.execution_id, user=operator)


def path_of(run: Execution) -> str:
    return f"/ws/control/{run.execution_id}/"


async def test_nobody_who_is_not_logged_in_has_control(run):
    async with Socket(path_of(run)) as socket:
        assert await socket.close_code() == 4401


async def test_a_viewer_is_refused(run, make_user):
    """S10.1"""
    key = await in_thread(lambda: session_of(make_user("vera", "viewer")))
    async with Socket(path_of(run), session_key=key) as socket:
        assert await socket.close_code() == 4403


async def test_another_operator_is_told_that_it_is_taken(run, make_user):
    key = await in_thread(lambda: session_of(make_user("otto", "operator")))
    async with Socket(path_of(run), session_key=key) as socket:
        assert await socket.close_code() == 4409


async def test_a_run_that_there_is_not(run, operator):
    key = await in_thread(session_of, operator)
    async with Socket("/ws/control/exec_none/", session_key=key) as socket:
        assert await socket.close_code() == 4404


async def test_a_right_that_is_taken_away_closes_the_open_socket(run, operator, monkeypatch):
    """S10.1"""
    monkeypatch.setattr(handing_on, "CHECK_EVERY_S", 0.05)
    key = await in_thread(session_of, operator)
    async with Socket(path_of(run), session_key=key) as socket:
        await in_thread(lambda: User.objects.get(pk=operator.pk).groups.clear())
        assert await socket.close_code() == 4403


async def test_control_that_was_given_back_closes_the_open_socket(run, operator, monkeypatch):
    monkeypatch.setattr(handing_on, "CHECK_EVERY_S", 0.05)
    key = await in_thread(session_of, operator)
    async with Socket(path_of(run), session_key=key) as socket:
        await in_thread(Execution.objects.filter(pk=run.pk).update, controller=None, wish=Wish.NONE)
        assert await socket.close_code() == 4409
