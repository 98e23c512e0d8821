"""One list that many robots work off, while run loops are killed and its pages are looked at.

What was done is counted from the desks' own files. A list that is not worked off in the time given is paused: what it
says of the rows left must be as true as of the others.
"""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Self

import httpx

from benchmarks.crowd.desk import NUMBER, WORKFLOW, done_at
from benchmarks.crowd.house import Account, House, load_of_machine
from benchmarks.crowd.people import Operator
from benchmarks.crowd.troubles import kill_in_the_middle
from tests.support.display import wait_until

FIRST = 500_000  # the first row's number
LOOK_EVERY_S = 2.0
ENDS_WITHIN_S = 600.0  # what was begun when the list was paused
DONE, OPEN = "done", ("new",)


@dataclass
class Story(Account):
    """`lost`: told as done, and never saved. `untrue`: told as not begun, and saved. Both in numbers of rows."""

    rows: int
    robots: int
    states: Counter[str] = field(default_factory=Counter)
    saved: int = 0
    twice: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)
    uncounted: int = 0
    killed: int = 0
    died: list[int] = field(default_factory=list)
    questions: Counter[str] = field(default_factory=Counter)
    came_in_s: float = 0.0
    took_s: float = 0.0
    rows_a_minute: float = 0.0
    by_robot: list[int] = field(default_factory=list)  # rows, from the robot with the fewest on
    pages_ms: dict[str, list[float]] = field(default_factory=dict)  # by page: median, 95th of 100, how many
    load: list[str] = field(default_factory=list)


class Visitor:
    """Somebody who looks at the pages of a list again and again."""

    def __init__(self, house: House, list_id: str) -> None:
        self.pages = {
            "the list": f"/lists/{list_id}",
            "its rows that are done": f"/lists/{list_id}?state={DONE}",
            "all lists": "/lists",
            "runs": "/",
        }
        self.took_ms: dict[str, list[float]] = {name: [] for name in self.pages}
        self._client = house.one.client("vera")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="visitor")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()
        self._client.close()

    def _look(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            for name, path in self.pages.items():
                began = time.monotonic()
                try:
                    self._client.get(path, follow_redirects=True).raise_for_status()
                except httpx.TransportError:
                    continue
                self.took_ms[name].append(1000 * (time.monotonic() - began))


def worked_off(house: House, *, rows: int, robots: int, minutes: float) -> Story:
    """The list from its first row until it is worked off, or the time is over."""
    story = Story(rows=rows, robots=robots, load=[load_of_machine()])
    list_id = _list_of(house, rows, story)
    for number in range(1, robots + 1):
        house.start_loop(number)
    wait_until(house.are_all_up, timeout=ENDS_WITHIN_S, what=f"{robots} robots")
    house.one.manage("worklist", "start", list_id)
    began, dice, kills = time.monotonic(), random.Random(rows), 0
    with Operator(house) as operator, Visitor(house, list_id) as visitor:
        while time.monotonic() - began < 60 * minutes and _left(house):
            time.sleep(LOOK_EVERY_S)
            if len(done_at(house.desks).saved) >= (kills + 1) * 50:
                kill_in_the_middle(house, dice)
                kills += 1
        story.load.append(load_of_machine())
        story.took_s = round(time.monotonic() - began, 1)
        if _left(house):
            house.one.manage("worklist", "stop", list_id)
        wait_until(lambda: house.left() == 0, timeout=ENDS_WITHIN_S, what="the end of what was begun")
        time.sleep(3)  # a run loop that would do something more does it now
    _account(house, story)
    story.questions, story.killed, story.died = operator.asked, house.killed, house.died
    story.pages_ms = {name: _of(took) for name, took in visitor.took_ms.items()}
    return story


def _list_of(house: House, rows: int, story: Story) -> str:
    """Its number; all rows come in by one file."""
    file = house.one.data / "numbers.csv"
    file.write_text("\n".join(["Number", *(str(FIRST + n) for n in range(rows))]) + "\n")
    asked = ("--workflow", WORKFLOW, "--columns", "Number", "--key", "Number", "--map", f"{NUMBER}=Number")
    made = house.one.manage("worklist", "create", "Numbers", *asked, "--mode", "automatic", "--patience", "60")
    list_id, began = made.split()[-1], time.monotonic()
    house.one.manage("worklist", "import", list_id, str(file))
    story.came_in_s = round(time.monotonic() - began, 1)
    return list_id


def _left(house: House) -> bool:
    return bool(house.asked("select 1 from execution_workitem where state in ('new', 'running') limit 1"))


def _account(house: House, story: Story) -> None:
    done = done_at(house.desks)
    told = {str(ref): str(state) for ref, state in house.asked("select reference, state from execution_workitem")}
    story.states, story.saved, story.twice = Counter(told.values()), len(done.saved), done.twice
    story.lost = [ref for ref, state in told.items() if state == DONE and ref not in done.saved]
    story.untrue = [ref for ref, state in told.items() if state in OPEN and ref in done.saved]
    story.uncounted = story.rows - len(told)
    took = house.asked(
        "select count(*) from execution_workitem i join execution_execution e on e.id = i.execution_id"
        " where i.state = 'done' group by e.robot_id order by 1"
    )
    story.by_robot = [int(str(count)) for (count,) in took]
    story.rows_a_minute = round(60 * story.states[DONE] / max(1.0, story.took_s), 1)


def _of(took_ms: list[float]) -> list[float]:
    if not took_ms:
        return []
    return [round(statistics.median(took_ms)), round(sorted(took_ms)[int(0.95 * len(took_ms))]), len(took_ms)]
