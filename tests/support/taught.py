"""A robot's end of a lesson's socket, in a browser of a test: it hears what the page sends and says what it is told to.

The page, the server and the rows are real; only the socket ends here instead of in a run loop.
"""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from django.utils import timezone

from execution.lesson.holding import question_of
from execution.lesson.screens import Known
from execution.lesson.telling import draft_told
from execution.lesson.understanding import understand
from execution.models import Lesson, LessonStep, Robot
from execution.types import Box, Element, ElementRole, Frame, ScreenState, TextLine
from sentences.said import in_words
from workflows.models import Edge, Node, Picture, Target, Variable, Workflow
from workflows.pictures import PictureStore

SIZE = (1280, 800)
ROWS = ("BERNARD Chloé", "LEFÈVRE Marie", "LEFEBVRE Marie", "NGUYEN Paul", "ROSSI Anna", "DIALLO Ibrahim")
TOP, HIGH = 300, 45


def open_box(row: int) -> list[int]:
    return [1010, TOP + row * HIGH - 14, 80, 26]


def name_box(row: int) -> list[int]:
    return [180, TOP + row * HIGH - 10, 160, 20]


def desktop(*, marked: bool = False) -> np.ndarray:
    """A list of patients with a button in every row, as BGR; `marked` where something was done on it."""
    pixels = np.full((SIZE[1], SIZE[0], 3), (64, 48, 34), np.uint8)
    cv2.rectangle(pixels, (80, 60), (1200, 760), (242, 240, 236), -1)
    cv2.rectangle(pixels, (80, 60), (1200, 86), (140, 92, 62), -1)
    write(pixels, "Urgences - File active", (92, 79), (255, 255, 255))
    write(pixels, "File active" + (" *" if marked else ""), (100, 140), (90, 60, 30), 0.8)
    write(pixels, "Rechercher", (100, 190))
    cv2.rectangle(pixels, (210, 172), (480, 200), (255, 255, 255), -1)
    for row, name in enumerate(ROWS):
        middle = TOP + row * HIGH
        cv2.line(pixels, (100, middle + 22), (1180, middle + 22), (205, 205, 205), 1)
        write(pixels, str(row + 1), (110, middle + 5))
        write(pixels, name, (180, middle + 5))
        x, y, w, h = open_box(row)
        cv2.rectangle(pixels, (x, y), (x + w, y + h), (170, 170, 170), 1)
        write(pixels, "Ouvrir", (x + 14, y + 18))
    return pixels


def write(pixels: np.ndarray, text: str, at: tuple[int, int], colour: Any = (40, 30, 30), size: float = 0.5) -> None:
    plain = text.replace("É", "E").replace("È", "E").replace("é", "e")
    cv2.putText(pixels, plain, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def jpeg(pixels: np.ndarray, number: int) -> bytes:
    """As a robot sends it: number, when it was taken, JPEG."""
    return struct.pack("!Id", number, time.time()) + cv2.imencode(".jpg", pixels)[1].tobytes()


def make_lesson(teacher: Any, *, steps: bool = True, **fields: Any) -> Lesson:
    """A lesson that is being given; with `steps`, three were taught: click a field, type a name, press Return."""
    workflow = Workflow.objects.create(workflow_id="wf_open_record", name="Open a record")
    robot = Robot.objects.create(
        name="host:1", desktop="host:1", host="host", pid=1, screen_width=SIZE[0], screen_height=SIZE[1]
    )
    lesson = Lesson.objects.create(
        **{"workflow": workflow, "robot": robot, "teacher": teacher, "state": "live", **fields}
    )
    if steps:
        _teach(lesson)
    return lesson


def _teach(lesson: Lesson) -> None:
    workflow = lesson.workflow
    pixels = desktop()
    digest = PictureStore().put(pixels)
    shown = Picture.objects.create(digest=digest, width=SIZE[0], height=SIZE[1])
    crop = PictureStore().put(np.ascontiguousarray(pixels[165:210, 90:490]))
    field_picture = Picture.objects.create(digest=crop, width=400, height=45)
    Variable.objects.create(workflow=workflow, name="patient", label="Patient", example="LEFÈVRE Marie")
    queue = Node.objects.create(
        workflow=workflow, node_id="queue", name="Queue", reference=shown, is_entry=True,
        texts=["File active", "Rechercher"], aside=[{"text": "BERNARD Chloé", "kind": "data"}],
        regions=[{"box": [0.08, 0.33, 0.85, 0.4], "kind": "ignore"}],
    )  # fmt: skip
    target = Target.objects.create(
        workflow=workflow, target_id="t_rechercher", label="Rechercher", role="field", picture=field_picture,
        evidence={
            "box": [0.16, 0.21, 0.21, 0.04],
            "named_by": {"text": "Rechercher", "dx": -180, "dy": 0},
            "neighbours": [{"text": "File active", "dx": -180, "dy": -50}],
        },
    )  # fmt: skip
    common = {"workflow": workflow, "source": queue, "destination": queue}
    edges = [
        Edge.objects.create(**common, edge_id="click_search", action_type="click", target=target, order=0),
        Edge.objects.create(
            **common, edge_id="type_patient", action_type="type_text", params={"text": "{{patient}}"}, order=1,
            expect={"texts": ["{{patient}}"]}, identity=[{"value": "{{patient}}"}],
        ),
        Edge.objects.create(
            **common, edge_id="press_return", action_type="press_keys", params={"keys": "enter"}, order=2
        ),
    ]  # fmt: skip
    screens: list[dict[str, Any]] = [
        {
            "counts": {"picture": 1},
            "proof": {"found": 14, "of": 14, "elsewhere": 0, "ms": 210, "failed": [], "pictures": [digest]},
        },
        {"typed": "LEFÈVRE Marie", "after": ["Note médicale"]},
        {},
    ]
    for number, (edge, screen) in enumerate(zip(edges, screens, strict=True), start=1):
        LessonStep.objects.create(
            lesson=lesson, index=number, act=edge.action_type, state="done", edge=edge, node=queue, screen=screen,
            at=timezone.now(),
        )  # fmt: skip


def question(row: int = 1) -> dict[str, Any]:
    """Which of six: as a recorder asks it."""
    frame = Frame(pixels=desktop(), taken_at=timezone.now())
    texts = [TextLine(text="Patient", box=Box(180, 240, 80, 20))]
    texts += [TextLine(text=name, box=Box(*name_box(number))) for number, name in enumerate(ROWS)]
    texts += [TextLine(text="Ouvrir", box=Box(*open_box(number))) for number in range(len(ROWS))]
    buttons = [Element(role=ElementRole.BUTTON, box=Box(*open_box(number))) for number in range(len(ROWS))]
    state = ScreenState(frame=frame, texts=tuple(texts), elements=tuple(buttons), text_method="t")
    known = Known(values={"patient": ROWS[row]})
    found = understand(state, Box(*open_box(row)).center, known=known)
    return {"id": "4", **in_words(question_of(found, known.values, done=False))}


def held_step() -> dict[str, Any]:
    return {
        "index": 4, "node_id": "queue", "act": "click", "sentence": "Click “Ouvrir”", "detail": "", "state": "held",
        "at": timezone.now().isoformat(), "edge_id": "",
    }  # fmt: skip


@dataclass
class RobotEnd:
    """The robot's end, once the page has opened its socket. `heard` are all messages, in order."""

    lesson: Lesson
    heard: list[dict[str, Any]] = field(default_factory=list)
    opened: int = 0
    route: Any = None
    on_open: Callable[[RobotEnd], None] | None = None
    refuses: int = 0  # a close code for whoever comes

    def serve(self, route: Any) -> None:
        """A handler for Playwright's `page.route_web_socket`."""
        self.route = route
        self.opened += 1
        route.on_message(lambda message: self.heard.append(json.loads(message)))
        if self.refuses:
            route.close(code=self.refuses)
        elif self.on_open:
            self.on_open(self)

    def say(self, **message: Any) -> None:
        self.route.send(json.dumps(message))

    def show(self, pixels: np.ndarray, number: int = 1) -> None:
        self.route.send(jpeg(pixels, number))

    def tell(self, rev: int = 1, **changes: Any) -> None:
        """The draft as its rows are now, with `changes`."""
        self.say(type="lesson", rev=rev, lesson={**draft_told(Lesson.objects.get(pk=self.lesson.pk)), **changes})

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.heard if message["type"] == kind]


def at_work(robot: RobotEnd) -> None:
    """What a robot says first: the draft, the picture, which screen it is."""
    robot.tell()
    robot.show(desktop())
    robot.say(type="screen", node_id="queue", name="Queue", why="It is “Queue”, as before.", state="known")


__all__ = [
    "RobotEnd", "at_work", "desktop", "held_step", "jpeg", "make_lesson", "name_box", "open_box",
    "question",
]  # fmt: skip
