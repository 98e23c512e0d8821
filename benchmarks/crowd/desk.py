"""A desk whose program outlives its run loop: what is done there is a line of its own file, written in one call.

A record is filled in: New, its number, Save. `python -m benchmarks.crowd.desk NUMBER FOLDER` is a run loop for the desk
of that number: the product's own, of which only the reader knows the screen. It can be killed at any moment, and the
next one finds the program as it was left. Whoever wants to know what was done reads the files, and no row of the
product's.

"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from execution.desktop.acts import Act
from execution.types import Box, Point, pixels_digest
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, Field, Goto, ScriptedScreen, TextLabel, View, hit

if TYPE_CHECKING:
    from tests.support.scripted import KnownReader

WORKFLOW = "wf_records"
NUMBER = "number"  # the one field, and the variable that goes into it
NEW = Box(400, 400, 160, 48)
ENTRY = Box(400, 200, 320, 36)
SAVE = Box(400, 300, 160, 48)
DONE = {"new": "new", "save": "saved"}  # what a button does, wherever it stands
HOLD_A_NUMBER = frozenset({"record", "written"})
ORDER = ("new", "typed", "saved")


def screens() -> list[ScriptedScreen]:
    """The program's: a menu, an empty record, one that holds a number, and the word that it is saved.

    Whoever clicks a second time at the same place does it a second time.
    """
    entry = Field(name=NUMBER, box=ENTRY, label="Number")
    save = Button(name="save", text="Save", box=SAVE)
    new = Button(name="new", text="New", box=NEW)
    empty = Goto(screen="record", remember={NUMBER: ""})

    def saved(memory: Any) -> Goto:
        return Goto(screen="saved", remember={"kept": memory.get(NUMBER, "")})

    return [
        ScriptedScreen(
            name="menu",
            title="Menu - Records",
            widgets=[TextLabel(text="All records", at=Point(60, 90)), new],
            on={"new": empty},
        ),
        ScriptedScreen(
            name="record",
            title="Empty record - Records",
            widgets=[TextLabel(text="A new record", at=Point(60, 90)), entry, new],
            on={"new": empty},
        ),
        ScriptedScreen(
            name="written",
            title="Record - Records",
            widgets=[TextLabel(text="A new record", at=Point(60, 90)), entry, save],
            on={"save": saved},
        ),
        ScriptedScreen(
            name="saved",
            title="Saved - Records",
            widgets=[TextLabel(text="The record is saved", at=Point(60, 90)), replace(save, text="Save again")],
            on={"save": saved},
        ),
    ]


class Desk(ScriptedDesktop):
    """`hand_ms`: how long an act takes; its hand is seen at the beginning of it, and it is done at the end."""

    def __init__(self, number: int, folder: Path, *, hand_ms: float = 30.0) -> None:
        self.path, self._pictures = file_of(folder, number), pictures_of(folder, number)
        self.hand_ms = hand_ms
        self.drawn_as: dict[str, View] = {}  # by the digest of the picture, whichever process drew it
        super().__init__(screens(), name=f"desk-{number}")
        self._run = ""
        for line in lines_of(self._pictures):
            self.drawn_as[line["digest"]] = View(screen=self._screens[line["screen"]], memory=line["memory"])
        for line in lines_of(self.path):
            if line["what"] != "hand":
                self._run, self.memory = line["run"], line["memory"]
                self._screen = self._screens[line["screen"]]
        self._focus = NUMBER if self.screen in HOLD_A_NUMBER else ""
        self._shown = self._view()

    def begin(self, execution_id: str) -> None:
        """Somebody has opened the menu before the run begins; one that is taken over finds what it left."""
        with self._lock:
            if execution_id == self._run:
                return
            self._run, self._screen, self._focus = execution_id, self._screens["menu"], ""
            self.memory = {}
            self._shown = self._view()
            self._put_down("begin")

    def _picture(self) -> tuple[np.ndarray, str]:
        (pixels, digest), shown = super()._picture(), self._shown
        if digest not in self.drawn_as:
            self.drawn_as[digest] = shown
            _append(self._pictures, {"digest": digest, "screen": shown.screen.name, "memory": dict(shown.memory)})
        return pixels, digest

    def _take(self, act: Act) -> None:
        if act.changes:
            self._put_down("hand")
            time.sleep(self.hand_ms / 1000)
        what = self._what(act)
        super()._take(act)
        if what == "typed":
            self._screen = self._screens["written"]
        self._focus = NUMBER if self.screen in HOLD_A_NUMBER else ""
        if what:
            self._put_down(what)

    def _what(self, act: Act) -> str:
        """What the program takes the act for; nothing where it misses."""
        if act.kind == "type_text":
            return "typed" if self.screen in HOLD_A_NUMBER else ""
        widget = hit(self._screen, act.point) if act.kind == "click" and act.point else None
        return DONE[widget] if widget in self._screen.on else ""

    def _put_down(self, what: str) -> None:
        line = {"what": what, "run": self._run, "at": time.time(), "pid": os.getpid()}
        _append(self.path, line | {"screen": self.screen, "memory": self.memory})


def _append(path: Path, line: dict[str, Any]) -> None:
    """One write to the kernel, which keeps it whole whatever becomes of this process."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, json.dumps(line).encode() + b"\n")
    finally:
        os.close(handle)


def file_of(folder: Path, number: int) -> Path:
    return folder / f"desk-{number}.jsonl"


def pictures_of(folder: Path, number: int) -> Path:
    """What its pictures show: a run loop may read one that another process has seen."""
    return folder / f"pictures-{number}.jsonl"


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """What was put down there so far."""
    if path.exists():
        yield from (json.loads(line) for line in path.read_text().splitlines())


@dataclass
class DoneAtDesks:
    """What the desks say was done: of each run its acts in their order, and how often each number was saved."""

    acts: dict[str, list[str]] = field(default_factory=dict)
    saved: dict[str, int] = field(default_factory=dict)

    @property
    def twice(self) -> list[str]:
        """Runs of which an act was done more than once."""
        again = {run for run, acts in self.acts.items() if len(set(acts)) < len(acts)}
        return sorted(again | {number for number, times in self.saved.items() if times > 1})


def done_at(folder: Path) -> DoneAtDesks:
    done = DoneAtDesks()
    for path in folder.glob("desk-*.jsonl"):
        for line in lines_of(path):
            if line["what"] in ORDER:
                done.acts.setdefault(line["run"], []).append(line["what"])
            if line["what"] == "saved":
                number = line["memory"]["kept"]
                done.saved[number] = done.saved.get(number, 0) + 1
    return done


def publish_records() -> None:
    """The workflow that fills in a record."""
    from tests.factories import make_published

    nodes = [
        {"node_id": "menu", "name": "Menu", "texts": ["All records"], "is_entry": True},
        {"node_id": "record", "name": "Empty record", "texts": ["A new record"]},
        {"node_id": "written", "name": "Record", "texts": ["A new record", "{{number}}"]},
        {"node_id": "saved", "name": "Saved", "texts": ["The record is saved"], "is_end": True},
    ]
    titles = {one.name: one.title for one in screens()}
    for node in nodes:
        node["window_title"] = titles[node["node_id"]]
    soon = {"settle_ms": 20, "settle_timeout_ms": 2000, "retry_backoff_ms": 0}

    def button(text: str) -> dict[str, str]:
        return {"target_id": f"button_{text.lower()}", "label": text, "text": text, "role": "button"}

    def edge(source: str, destination: str, **more: Any) -> dict[str, Any]:
        ends = {"edge_id": f"{source}_{destination}", "source": source, "destination": destination}
        return {**ends, "expect": {"window_title": titles[destination]}, **soon, **more}

    typed = {"action_type": "type_text", "params": {"text": "{{number}}"}}
    make_published(
        workflow_id=WORKFLOW,
        name="Records",
        nodes=nodes,
        edges=[
            edge("menu", "record", action_type="click", target=button("New")),
            edge("record", "written", **typed),
            edge("written", "saved", action_type="click", target=button("Save")),
        ],
        variables=[{"name": NUMBER, "label": "Number", "example": "123456"}],
    )


def reader_of(desk: Desk) -> KnownReader:
    """Reads what fields hold as well, and of a picture what it shows, though the desk may show another by now.

    On what the desk never drew, such as a part of a picture, it reads nothing.
    """
    from tests.support.scripted import KnownReader

    nothing = View(screen=ScriptedScreen(name="", title=""), memory={})

    class Reader(KnownReader):
        def shown_on(self, pixels: np.ndarray) -> View:
            return desk.drawn_as.get(pixels_digest(pixels), nothing)

        def said_by(self, widget: Any, view: View) -> str:
            return super().said_by(widget, view) or str(view.memory.get(getattr(widget, "name", ""), ""))

    return Reader(desk)


def main(number: int, folder: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    from execution.management.commands.runloop import leaving_on_signals
    from execution.perception.analyzer import ScreenAnalyzer
    from execution.running.runner import Hooks, Runner

    desk, leave = Desk(number, folder), threading.Event()
    runner = Runner(
        desktop_name=desk.name,
        analyzer=ScreenAnalyzer(reader_of(desk), None, None),
        hooks=Hooks(
            open_desktop=lambda name: desk,
            on_begin=lambda journal: desk.begin(journal.execution.execution_id),
        ),
        leave=leave,
        out=lambda line: print(line, flush=True),
    )
    with leaving_on_signals(leave):
        runner.run()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
