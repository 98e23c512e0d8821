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
from tests.support.sockets import PATIENCE_S, Socket, in_thread, session_of

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


@pytest.mark.parametrize("text", ["nonsense", "[]", '{"type": "act", "x": NaN}', '{"x": 1e999}', "9" * 5000])
async def test_what_is_no_message_is_answered_and_nothing_ends(run, operator, text):
    key = await in_thread(session_of, operator)
    async with Socket(path_of(run), session_key=key, language="fr") as socket:
        await socket.send_to(text_data=text)
        said = "La page a envoyé quelque chose qui n’est pas un acte."
        assert await socket.hear() == {"type": "trouble", "text": said}
        assert await socket.receive_nothing()


async def test_a_message_that_is_too_long_closes_the_socket(run, operator):
    key = await in_thread(session_of, operator)
    async with Socket(path_of(run), session_key=key) as socket:
        await socket.send_json_to({"type": "type", "text": "x" * handing_on.LARGEST})
        assert (await socket.hear())["text"].startswith("The page sent more than 256 kB")
        closed = await socket.receive_output(timeout=PATIENCE_S)
        assert (closed["code"], closed["reason"]) == (4413, "message too long")


async def test_messages_that_nobody_takes_close_the_socket(run, operator):
    """No run loop listens here: what is sent waits, and not without bound."""
    key = await in_thread(session_of, operator)
    async with Socket(path_of(run), session_key=key) as socket:
        for _ in range(handing_on.MOST_WAITING + 1):
            await socket.send_json_to({"type": "act"})
        assert (await socket.hear())["text"].startswith("The page sent more than the robot can keep up with")
        closed = await socket.receive_output(timeout=PATIENCE_S)
        assert (closed["code"], closed["reason"]) == (4429, "too many messages wait")
