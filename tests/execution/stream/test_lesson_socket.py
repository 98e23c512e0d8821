"""The socket of a lesson: who may open it, who may no longer, and that everything is handed on (S6.1, S10.1)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from execution.actions.teach import open_lesson
from execution.choices import LessonState
from execution.models import Lesson, Robot
from execution.stream import handing_on
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import BUTTON, screens
from tests.support.sockets import PATIENCE_S, Socket, in_thread, session_of
from tests.support.teaching import taught_on
from workflows.models import Workflow

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def lesson(designer: Any) -> Lesson:
    robot = Robot.objects.create(name="host:1", desktop="host:1", host="host", pid=1)
    workflow = Workflow.objects.create(workflow_id="wf_one", name="One")
    return open_lesson(workflow=workflow, robot=robot, user=designer)


def path_of(lesson: Lesson) -> str:
    return f"/ws/teach/{lesson.lesson_id}/"


async def test_a_lesson_that_there_is_not(lesson, designer):
    key = await in_thread(session_of, designer)
    async with Socket("/ws/teach/ls_none/", session_key=key) as socket:
        assert await socket.close_code() == 4404


async def test_a_right_that_is_taken_away_closes_the_open_socket(lesson, designer, monkeypatch):
    """S10.1"""
    monkeypatch.setattr(handing_on, "CHECK_EVERY_S", 0.05)
    key = await in_thread(session_of, designer)
    async with Socket(path_of(lesson), session_key=key) as socket:
        await in_thread(lambda: User.objects.get(pk=designer.pk).groups.set([Group.objects.get(name="operator")]))
        assert await socket.close_code() == 4403


async def test_a_teacher_who_was_away_has_the_lesson_wait_for_its_desktop_again(lesson, designer):
    await in_thread(Lesson.objects.filter(pk=lesson.pk).update, state=LessonState.AWAY)
    key = await in_thread(session_of, designer)
    async with Socket(path_of(lesson), session_key=key), asyncio.timeout(PATIENCE_S):
        while await in_thread(lambda: Lesson.objects.get(pk=lesson.pk).state) != LessonState.WAITING:
            await asyncio.sleep(0.02)


async def heard(socket: Socket, condition: Callable[[Any], Any]) -> Any:
    """The first message or picture that fits; pictures are acknowledged."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            output = await socket.receive_output(timeout=PATIENCE_S)
            message = output["bytes"] if output.get("bytes") else json.loads(output["text"])
            if isinstance(message, bytes):
                number = int.from_bytes(message[:4], "big")
                await socket.send_json_to({"type": "picture_ack", "number": number})
            if condition(message):
                return message


async def test_acts_go_to_the_desktop_and_pictures_and_the_draft_come_back(designer):
    """S6.1"""
    desktop = ScriptedDesktop(screens("one", "two"))
    workflow = await in_thread(Workflow.objects.create, workflow_id="wf_pages", name="Pages")
    given = taught_on(desktop, user=designer, workflow=workflow)
    lesson = await in_thread(given.__enter__)
    try:
        key = await in_thread(session_of, designer)
        async with Socket(path_of(lesson), session_key=key, language="fr") as socket:
            picture = await heard(socket, lambda m: isinstance(m, bytes))
            assert picture[12:14] == b"\xff\xd8"
            screen = await heard(socket, lambda m: isinstance(m, dict) and m.get("node_id"))
            assert screen["why"] == "Cet écran n’était pas encore là."
            click = {"type": "act", "id": "a", "act": "click", "x": BUTTON.center.x, "y": BUTTON.center.y}
            await socket.send_json_to(click)
            acted = await heard(socket, lambda m: isinstance(m, dict) and m["type"] == "acted")
            assert (acted["id"], acted["state"]) == ("a", "done")
            told = await heard(
                socket, lambda m: isinstance(m, dict) and m["type"] == "lesson" and len(m["lesson"]["screens"]) == 2
            )
            assert told["lesson"]["steps"][0]["sentence"] == "Cliquer «\N{NO-BREAK SPACE}Go on\N{NO-BREAK SPACE}»"
        assert desktop.screen == "two"
    finally:
        await in_thread(given.__exit__, None, None, None)


async def test_a_run_loop_that_leaves_has_the_browser_come_again(designer):
    """S9.2"""
    desktop = ScriptedDesktop(screens("one", "two"))
    workflow = await in_thread(Workflow.objects.create, workflow_id="wf_pages", name="Pages")
    given = taught_on(desktop, user=designer, workflow=workflow)
    lesson = await in_thread(given.__enter__)
    key = await in_thread(session_of, designer)
    async with Socket(path_of(lesson), session_key=key) as socket:
        await heard(socket, lambda m: isinstance(m, dict) and m.get("node_id"))
        await in_thread(given.__exit__, None, None, None)
        async with asyncio.timeout(PATIENCE_S):
            while (output := await socket.receive_output(timeout=PATIENCE_S))["type"] != "websocket.close":
                pass
        assert output["code"] == 4500
