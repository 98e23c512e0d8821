"""What goes wrong in the house while the list is worked off, each at its share of the rows."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

from benchmarks.night.house import House

LOOK_S = 0.25
GO_ON_S = 60.0  # after the list has stood for so long a person lets it go on, and is counted
LOCKED_S = 60.0
AT_REST = ("finished", "ready")


@dataclass(slots=True)
class Course:
    """What happened in the course of the night: the moment in seconds, and what."""

    began: float = field(default_factory=time.monotonic)
    told: list[str] = field(default_factory=list)
    stood: list[str] = field(default_factory=list)  # why the list stood: a person let it go on each time
    kills: int = 0

    def say(self, what: str) -> None:
        self.told.append(f"{time.monotonic() - self.began:7.1f} s  {what}")
        print(self.told[-1], flush=True)


def worked_off(house: House, *, seed: int, kills: int, timeout_s: float) -> Course:
    """From the list's begin to its end, with everything that goes wrong."""
    course, chance = Course(), random.Random(seed)
    coming = sorted(_coming(house, course, chance, kills), key=lambda one: one[0])
    until, stands_since = time.monotonic() + timeout_s, 0.0
    while (state := house.state())[0] not in AT_REST or not _ended(house):
        house.keep_alive()
        counts = house.counts()
        open_rows = counts.get("new", 0) + counts.get("running", 0)
        while coming and 1 - open_rows / max(1, sum(counts.values())) >= coming[0][0]:
            coming.pop(0)[1]()
        if state[0] != "stands":
            stands_since = 0.0
        elif not stands_since:
            stands_since = time.monotonic()
            course.stood.append(state[1])
            course.say(f"the list stands: {state[1]}")
        elif time.monotonic() - stands_since > GO_ON_S:
            house.one.manage("worklist", "start", house.list_id)
        if time.monotonic() > until:
            course.say(f"not over in time: {counts}")
            break
        time.sleep(LOOK_S)
    course.say(f"the list is {house.state()[0]}: {house.counts()}")
    return course


def _ended(house: House) -> bool:
    """Whether it has begun at all: before, it is at rest as well."""
    return bool(house.one.rows("SELECT 1 FROM execution_worklist WHERE ended_at IS NOT NULL"))


def _coming(
    house: House, course: Course, chance: random.Random, kills: int
) -> Iterator[tuple[float, Callable[[], None]]]:
    for number in range(kills):
        yield 0.12 + 0.8 * number / kills, lambda number=number: _kill(house, course, chance, number)  # type: ignore[misc]
    yield 0.35, lambda: _behind(lambda: _restart_web(house, course))
    yield 0.5, lambda: _behind(lambda: _lock(house, course))


def _behind(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


def _kill(house: House, course: Course, chance: random.Random, number: int) -> None:
    """Somewhere in the middle of a row, by kill -9."""
    robot = house.robots[number % len(house.robots)]

    def kill() -> None:
        time.sleep(chance.uniform(0, 8))
        if robot.loop.kill():
            course.kills += 1
            course.say(f"run loop of {robot.screen.display} killed")
        else:
            course.say("the run loop that was to be killed had ended by itself")

    _behind(kill)


def _restart_web(house: House, course: Course) -> None:
    house.restart_web()
    course.say("web process restarted")


def _lock(house: House, course: Course) -> None:
    """Somebody's tool holds the database, as a backup that hangs would."""
    with closing(sqlite3.connect(house.one.data / "surehand.sqlite3", timeout=60, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        course.say(f"database locked for {LOCKED_S:g} s")
        time.sleep(LOCKED_S)
        database.execute("ROLLBACK")
    course.say("database unlocked")
