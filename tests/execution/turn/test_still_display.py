"""A display that stands still is told of on the terminal and the robots page, once, and so is its return (S9.4)."""

from __future__ import annotations

import pytest

from execution.desktop.x11_connection import TOLD_AFTER_S
from execution.models import Robot
from execution.running.robots import StillDisplay
from sentences.said import from_json
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import screens

pytestmark = pytest.mark.django_db


class Stopped(ScriptedDesktop):
    silent = 0.0

    def silent_s(self) -> float:
        return self.silent


def test_a_display_that_stands_still_is_told_of_once_and_so_is_its_return() -> None:
    robot = Robot.objects.create(name="r", desktop="r", host="h", pid=1)
    desktop, said = Stopped(screens("one")), list[str]()
    watch = StillDisplay(desktop, robot, said.append)
    for silent in (0.0, TOLD_AFTER_S, TOLD_AFTER_S + 3, TOLD_AFTER_S + 6):
        desktop.silent = silent
        watch.look()
    assert said == ["The display scripted has not answered for 8 s. It is waited for, for 120 s."]
    assert from_json(Robot.objects.get().warnings["display"]["message"]) == said[0]
    desktop.silent = 0.0
    watch.look()
    assert said[1:] == ["The display scripted answers again."]
    assert from_json(Robot.objects.get().warnings["display"]["message"]) == said[1]


def test_a_desktop_that_cannot_tell_is_not_told_of() -> None:
    robot = Robot.objects.create(name="r", desktop="r", host="h", pid=1)
    said: list[str] = []
    StillDisplay(ScriptedDesktop(screens("one")), robot, said.append).look()
    assert said == []
