"""What lessons on scripted desktops share: pages gone through, and a queue of people with a button for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from execution.types import Box, Point
from tests.doubles.widgets import Button, ScriptedScreen, TextLabel
from tests.support.scripted import BUTTON
from tests.support.teaching import Teacher

PEOPLE = ("LEFEVRE Marie", "LEFEBVRE Marie", "ROSSI Anna")
FIRST, SECOND = Box(500, 192, 100, 36), Box(500, 252, 100, 36)  # the buttons of the first two


def goes_on(teacher: Teacher, *counts: int) -> None:
    """On to the next page, by a click; there are so many screens in the draft then, each time."""
    for count in counts or (2,):
        assert teacher.click(BUTTON)["state"] == "done"
        teacher.until(lambda count=count: len(teacher.lesson["screens"]) == count, what=f"{count} screens")


def question_of(teacher: Teacher) -> dict[str, Any]:
    question: dict[str, Any] = teacher.until(lambda: teacher.lesson.get("question"), what="a question")
    return question


def answers(teacher: Teacher, choice: str, **values: Any) -> None:
    teacher.send(type="answer", question=question_of(teacher)["id"], choice=choice, values=values)


def queue_of(*people: str, to: Mapping[str, str], name: str = "queue", head: str = "Waiting queue") -> ScriptedScreen:
    rows: list[Any] = []
    for number, person in enumerate(people):
        y = 200 + 60 * number
        rows += [
            TextLabel(text=person, at=Point(60, y), name=f"person{number}"),
            Button(name=f"open{number}", text="Open", box=Box(500, y - 8, 100, 36)),
        ]
    label = TextLabel(text=head, at=Point(60, 60))
    return ScriptedScreen(name=name, title="Queue", widgets=[label, *rows], on=dict(to))


def record(name: str = "record") -> ScriptedScreen:
    sheet = TextLabel(text="Record sheet", at=Point(60, 90))
    return ScriptedScreen(name=name, title="Record", widgets=[sheet])
