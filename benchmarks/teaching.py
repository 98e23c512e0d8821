"""How fast a lesson is: `python -m benchmarks.teaching`.

A real web process, a real run loop, a real program on Xvfb, and a teacher at the end of the real WebSocket: from a
click there until it is done on the desktop, and until its picture is back, on screens that were read.
"""

from __future__ import annotations

import io
import os
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from benchmarks.timing import Row, figures, row
from execution.desktop.x11 import X11Desktop
from execution.types import Point
from tests.support.product import Product, product

if TYPE_CHECKING:
    from tests.support.teaching import Teacher

CLICKS, MOVING_S = 40, 8.0
ACT_MS, PICTURE_MS = 60, 150
SWATCH = Point(180, 150)  # a place of the program whose colour each click changes
# What is clicked: a window of labelled buttons, the first of which changes its colour; it says when it was pressed.
PROGRAM = """
import os, sys, time, tkinter
root = tkinter.Tk(); root.title("Colours"); root.geometry("800x600+60+60")
tkinter.Label(root, text="Choose a colour", font=("DejaVu Sans", 16)).place(x=20, y=10)
def press(event):
    print(time.time(), flush=True)
    button.configure(bg="#ffd040" if button.cget("bg") == "#40a0ff" else "#40a0ff")
button = tkinter.Label(root, text="Change", bg="#40a0ff", font=("DejaVu Sans", 13), width=20, height=3)
button.place(x=20, y=60); button.bind("<Button-1>", press)
for n, name in enumerate(("Quantity", "Delivery", "Invoice", "Discount", "Country", "Contact")):
    tkinter.Label(root, text=name, font=("DejaVu Sans", 12)).place(x=20, y=180 + 50 * n)
    tkinter.Entry(root, width=40).place(x=200, y=180 + 50 * n)
moving = tkinter.Label(root, text="", bg="#d03030", width=4, height=2); moving.place(x=20, y=520)
def move(at=0):
    if os.path.exists({flag!r}):
        moving.place(x=20 + at % 600, y=520)
    root.after(30, move, at + 7)
move()
root.mainloop()
"""
BEGIN = """
from django.contrib.auth.models import User
from execution.actions.teach import open_lesson
from execution.models import Robot
from workflows.models import Workflow
workflow = Workflow.objects.create(workflow_id="wf_bench", name="Bench")
user = User.objects.get(username="dora")
print(open_lesson(workflow=workflow, robot=Robot.objects.alive().get(), user=user).lesson_id)
"""


def run() -> list[Row]:
    """The figures, each with its goal."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    with tempfile.TemporaryDirectory() as folder, product(Path(folder)) as world:
        program = world.screen.folder / "colours.py"
        program.write_text(PROGRAM.replace("{flag!r}", repr(str(world.screen.folder / "pressed.flag"))))
        log = (world.screen.folder / "pressed.log").open("wb+")
        with closing(X11Desktop(world.screen.display)):
            world.screen.spawn([sys.executable, "-u", "-c", _logged(program, log.name)])
            world.screen.wait_for_window("Colours")
            world.start_runloop()
            lesson_id = world.manage("shell", "-v0", "-c", BEGIN).stdout.split()[-1]
            return _measured(world, lesson_id, Path(log.name))


def _logged(program: Path, log: str) -> str:
    return f"import sys; sys.stdout = open({log!r}, 'w'); exec(open({str(program)!r}).read())"


def _measured(world: Product, lesson_id: str, log: Path) -> list[Row]:
    from tests.support.teaching import teacher_in_browser

    with closing(world.client("dora")) as dora:
        cookies = "; ".join(f"{name}={value}" for name, value in dora.cookies.items())
        with teacher_in_browser(world.url, lesson_id, cookies) as teacher:
            teacher.until(lambda: teacher.screen.get("node_id"), what="the first screen")
            pressed, answered, shown, sizes = [], [], [], []
            for _ in range(CLICKS):
                _until_read(teacher)
                before, seen = _colour(teacher), len(teacher.pictures)
                began, clock = time.perf_counter(), time.time()
                assert teacher.do(type="act", act="click", x=SWATCH.x, y=SWATCH.y)["state"] == "done"
                answered.append(1000 * (time.perf_counter() - began))
                teacher.until(lambda before=before: _differs(_colour(teacher), before), what="its picture")
                shown.append(1000 * (time.perf_counter() - began))
                sizes += [len(jpeg) for _number, _at, jpeg in teacher.pictures[seen:]]
                pressed.append(1000 * (float(log.read_text().split()[-1]) - clock))
            moving = _pictures_while_moving(teacher, log.with_suffix(".flag"))
    return [
        *figures("click in the browser to the program, on a screen that was read", pressed, goal=ACT_MS),
        *figures("click in the browser to its answer", answered),
        *figures("click in the browser to its picture", shown, goal=PICTURE_MS),
        row("a picture of 1280 × 800", statistics.median(sizes) / 1024, unit="KiB"),
        row("pictures while something moves", moving, unit="a second"),
    ]


def _until_read(teacher: Teacher) -> None:
    """As a person moves the pointer there, until it is said what would be kept."""

    def told() -> bool:
        return bool(teacher.told and any(m["type"] == "hover" and m["box"] for m in teacher.told[asked:]))

    until = time.monotonic() + 30
    asked = len(teacher.told)
    while not told():
        assert time.monotonic() < until, "the screen was not read"
        teacher.send(type="pointer", x=SWATCH.x, y=SWATCH.y)
        time.sleep(0.1)


def _pictures_while_moving(teacher: Teacher, flag: Path) -> float:
    """Pictures a second while the program moves something all the time."""
    flag.touch()
    began, first = time.perf_counter(), len(teacher.pictures)
    time.sleep(MOVING_S)
    return (len(teacher.pictures) - first) / (time.perf_counter() - began)


def _colour(teacher: Teacher) -> np.ndarray:
    with Image.open(io.BytesIO(teacher.pictures[-1][2])) as picture:
        return np.asarray(picture.convert("RGB"))[SWATCH.y + 14, SWATCH.x + 60].astype(int)


def _differs(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.abs(one - other).max() > 60)


if __name__ == "__main__":
    for one in run():
        print(one)
