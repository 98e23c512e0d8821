"""The server of a ward at night: the product with its web process, its worker and its robots, each with the record
program on a desktop of its own. What ends is started again, as systemd and a kiosk do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks.night.page import served
from benchmarks.night.records import Store, made
from benchmarks.night.rows import Night, put_into, write_file
from benchmarks.night.teaching import MESSAGES, NOT_POSSIBLE, ORDER, TAUGHT, TOLD, UNKNOWN, WAYS_BACK
from execution.desktop import backdrop
from tests.support.display import VirtualDesktop, virtual_desktop
from tests.support.post import SECRET, Caught, catching
from tests.support.product import Product, product
from tests.support.site import CHROMIUM

PROGRAM = str(Path(__file__).with_name("records.py"))
SIZE = {"width": 1024, "height": 640}
AFTER_S = 2.0  # RestartSec= of a run loop's unit
KIOSK_S = 5.0  # until a program that ended is there again
PATIENCE_S = 45  # how long a question waits; ten minutes in a real night


@dataclass
class Kept:
    """A process that is begun again by `begin`, so long after it has ended."""

    begin: Callable[[], subprocess.Popen[bytes]]
    after_s: float
    process: subprocess.Popen[bytes] | None = None
    ended_at: float | None = None

    def look(self) -> None:
        """Begin it, for the first time or again."""
        now = time.monotonic()
        if self.process is not None and self.process.poll() is None:
            return
        if self.process is not None and self.ended_at is None:
            self.ended_at = now
        elif self.ended_at is None or now - self.ended_at >= self.after_s:
            self.process, self.ended_at = self.begin(), None

    def kill(self) -> bool:
        """Whether it was alive."""
        if self.process is None or self.process.poll() is not None:
            return False
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)
        return True


@dataclass
class Robot:
    """A run loop with its desktop, and the record program on it."""

    one: Product
    records: Kept
    loop: Kept

    @property
    def screen(self) -> VirtualDesktop:
        return self.one.screen


@dataclass
class House:
    one: Product
    store: Store
    caught: Caught
    robots: list[Robot]
    worker: Kept
    list_id: str = ""

    @property
    def web(self) -> subprocess.Popen[bytes]:
        return [process for name, process in self.one.processes.items() if name.startswith("web")][-1]

    def keep_alive(self) -> None:
        for kept in (self.worker, *(one for robot in self.robots for one in (robot.records, robot.loop))):
            kept.look()

    def restart_web(self) -> None:
        os.killpg(self.web.pid, signal.SIGTERM)
        self.web.wait(60)
        self.one.start_web()

    def state(self) -> tuple[str, str]:
        """Of the list, and why."""
        (found,) = self.one.rows("SELECT state, reason FROM execution_worklist WHERE worklist_id = ?", self.list_id)
        return found

    def counts(self) -> dict[str, int]:
        return dict(self.one.rows("SELECT state, COUNT(*) FROM execution_workitem GROUP BY state"))

    def teach(self, program: str) -> None:
        """The order on the program as it stands, and the way back after a number that it does not know."""
        back, more = WAYS_BACK[program]
        self.store.ask("INSERT INTO stays VALUES (?, ?)", *TAUGHT[:2])
        screen = self.robots[0].screen
        self.one.teach(ORDER)
        screen.run(["xdotool", "type", UNKNOWN])
        screen.run(["xdotool", "key", "Return"])
        self.one.teach(back)
        self.one.manage("shell", "-v0", "-c", NOT_POSSIBLE.format(more=more))
        self.store.ask("DELETE FROM orders")

    def plan(self, night: Night) -> datetime:
        """The list, its schedule, its rule of telling and the file in its folder; when it begins."""
        put_into(night, self.store)
        asked = ("--workflow", "wf_order_a_meal", "--columns", "Stay,Patient,Diet", "--key", "Stay")
        more = ("--mode", "automatic", "--reset", "wf_back_to_the_search", "--patience", str(PATIENCE_S))
        made_list = self.one.manage("worklist", "create", "Meals", *asked, *more, "--writes", "xlsx", "--take-good")
        self.list_id = made_list.stdout.split()[-1]
        begins = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(minutes=2)
        when = ("--daily", "--at", f"{begins:%H:%M}", "--zone", "UTC", "--files", "--reason", "tried by hand")
        self.one.manage("schedule", "add", self.list_id, *when)
        told = TOLD.format(port=self.caught.server_port, secret=SECRET, abouts=list(MESSAGES))
        self.one.manage("shell", "-v0", "-c", told)
        place = self.one.data / "in" / "meals"
        place.mkdir(parents=True, exist_ok=True)
        write_file(night, place / "meals.xlsx")
        return begins


@contextmanager
def house(folder: Path, *, robots: int, program: str) -> Iterator[House]:
    """A house with that many robots, the record program open on each desktop, in Tk or as a page in a browser; nothing
    is taught and nobody works."""
    with ExitStack() as stack:
        one = stack.enter_context(product(folder, **SIZE))
        caught = stack.enter_context(catching())
        screens = [one.screen, *(stack.enter_context(virtual_desktop(**SIZE)) for _ in range(robots - 1))]
        store, made_robots = made(str(folder / "ward.sqlite3")), list[Robot]()
        for screen in screens:
            backdrop.paint(screen.display)
            on_screen = replace(one, screen=screen, env=_env_on(screen, one), processes={})
            shown = _page_on(screen, store, stack) if program == "web" else _window_on(screen, store)
            robot = _robot(on_screen, shown)
            stack.callback(robot.one.stop)
            robot.records.look()
            screen.wait_for_window("Ward records")
            made_robots.append(robot)
        worker = Kept(begin=lambda: one.start("work", [sys.executable, "manage.py", "work"]), after_s=AFTER_S)
        yield House(one=one, store=store, caught=caught, robots=made_robots, worker=worker)


def _robot(one: Product, records: Kept) -> Robot:
    loop = [sys.executable, "manage.py", "runloop", "--desktop", one.screen.display]
    begin = partial(one.start, f"runloop{one.screen.display}", loop)
    return Robot(one=one, records=records, loop=Kept(begin=begin, after_s=AFTER_S))


def _window_on(screen: VirtualDesktop, store: Store) -> Kept:
    return Kept(begin=partial(screen.spawn, [sys.executable, PROGRAM, store.file]), after_s=KIOSK_S)


def _page_on(screen: VirtualDesktop, store: Store, stack: ExitStack) -> Kept:
    """A browser with nothing of the one before it, which a crash ends."""

    def begin() -> subprocess.Popen[bytes]:
        profile = screen.folder / f"profile-{len(screen.processes)}"
        place = ["--window-size=800,540", "--window-position=40,40", f"--user-data-dir={profile}"]
        return screen.spawn([*CHROMIUM, *place, f"--app=http://127.0.0.1:{port}/"])

    kept = Kept(begin=begin, after_s=KIOSK_S)
    port = stack.enter_context(served(store, screen.display, kept.kill))
    return kept


def _env_on(screen: VirtualDesktop, one: Product) -> dict[str, str]:
    """That of the product, with what programs need to be shown on that desktop."""
    return {**screen.env, **{name: value for name, value in one.env.items() if name.startswith(("RPA_", "DJANGO_"))}}
