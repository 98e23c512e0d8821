"""What robots cost: what a machine does for them while they wait and while they work, and what limits how many.

Work is counted in seconds of a processor, which others that are busy on the machine do not change; what is measured by
the clock is only as good as the machine was free, so its load stands beside it.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import psutil
import psycopg
from websockets.asyncio.client import connect

from benchmarks.crowd.desk import done_at
from benchmarks.crowd.house import House, load_of_machine
from benchmarks.timing import Row, row
from tests.support import servers
from tests.support.display import wait_until
from tests.support.streaming import Follower, answer_of

STEPS = (1, 2, 5, 10, 25, 50)
IDLE_S = 20.0
BUSY_S = 30.0
BROWSERS = 100
EVENTS = 200
PAUSE_MS = 100.0
UP_WITHIN_S = 600.0
AT_WORK = """
from execution.models import Robot
from tests.factories import make_execution
from workflows.models import WorkflowVersion
robot = Robot.objects.create(name="bench:{n}", desktop="bench:{n}", host="bench", pid=1)
version = WorkflowVersion.objects.latest("pk")
print(make_execution(version=version, state="running", desktop="bench:{n}", robot=robot).execution_id)
"""


@dataclass
class Work:
    """What has been done up to now; the difference of two is what was done between them."""

    at: float
    loops_s: float
    database_s: float
    webs_s: float
    queries: int
    log_bytes: int
    pictures_bytes: int
    saved: int

    def since(self, other: Work) -> Work:
        return Work(**{name: value - getattr(other, name) for name, value in vars(self).items()})


def work(house: House) -> Work:
    postmaster = psutil.Process(servers.pid_of_postgresql(house.database))
    gone = postmaster.cpu_times()
    with psycopg.connect(house.database, autocommit=True) as connection:
        asked = connection.execute(
            "SELECT (SELECT coalesce(sum(calls), 0) FROM pg_stat_statements), pg_current_wal_lsn() - '0/0'::pg_lsn"
        ).fetchone()
    assert asked is not None
    pictures = sum(file.stat().st_size for file in (house.one.data / "pictures").rglob("*") if file.is_file())
    return Work(
        at=time.monotonic(),
        loops_s=sum(_spent(psutil.Process(one.pid)) for one in house.loops.values()),
        database_s=gone.children_user + gone.children_system + sum(_spent(p) for p in postmaster.children()),
        webs_s=sum(_spent(psutil.Process(house.one.processes[f"web-{port}"].pid)) for port in house.one.webs),
        queries=int(asked[0]),
        log_bytes=int(asked[1]),
        pictures_bytes=pictures,
        saved=sum(done_at(house.desks).saved.values()),
    )


def costs(house: House, robots: int, *, steps: Sequence[int] = STEPS) -> list[Row]:
    """From one robot to all of them: busy at each number of them, then all of them waiting."""
    rows = []
    for number in [*(n for n in steps if n < robots), robots]:
        rows += _said(_busy(house, number, last=number == robots))
    rows += _said(_idle(house))
    return rows + _said(_followed(house, f"{robots} robots waiting, {BROWSERS} browsers"))


def _said(rows: list[Row]) -> list[Row]:
    """Told at once: the next ones may take long, and may not come."""
    for one in rows:
        print(one["figure"], one["value"], one["unit"], flush=True)
    return rows


def _up_to(house: House, robots: int) -> None:
    for number in range(len(house.loops) + 1, robots + 1):
        house.start_loop(number)
    wait_until(house.are_all_up, timeout=UP_WITHIN_S, what=f"{robots} robots")


def _busy(house: House, robots: int, *, last: bool) -> list[Row]:
    house.queue(50 + 8 * robots)  # before so many are busy beside it
    _up_to(house, robots)
    begun = sum(done_at(house.desks).saved.values())
    wait_until(
        lambda: sum(done_at(house.desks).saved.values()) >= begun + robots, timeout=UP_WITHIN_S, what="the first runs"
    )
    with_load = load_of_machine()
    psutil.cpu_percent()
    before = work(house)
    if last:
        followed = _followed(house, f"{robots} robots at work, {BROWSERS} browsers")
    else:
        time.sleep(BUSY_S)  # what is measured
        followed = []
    done, cpu = work(house).since(before), psutil.cpu_percent()
    house.one.manage("shell", "-v0", "-c", EMPTY)
    wait_until(lambda: house.left() == 0, timeout=UP_WITHIN_S, what="the end of what was begun")
    runs, name = max(1, done.saved), f"{robots} robots at work"
    return [
        row(
            f"{name}: runs a minute (load {with_load}, processors {cpu:.0f} % busy)", 60 * done.saved / done.at, unit=""
        ),
        row(f"{name}: processor of run loops, a run", done.loops_s / runs, unit="s"),
        row(f"{name}: processor of PostgreSQL, a run", done.database_s / runs, unit="s"),
        row(f"{name}: statements a run", done.queries / runs, unit=""),
        row(f"{name}: PostgreSQL's log, a run", done.log_bytes / runs / 1024, unit="KiB"),
        row(f"{name}: pictures, a run", done.pictures_bytes / runs / 1024, unit="KiB"),
        *followed,
    ]


EMPTY = """
from execution.models import Execution
from execution.choices import ExecutionState
from execution.exceptions import IllegalMove
for run in Execution.objects.filter(state="queued"):
    try:
        run.move(ExecutionState.STOPPED)
    except IllegalMove:  # a robot has just taken it, and does it to its end
        continue
"""


def _idle(house: House) -> list[Row]:
    robots, with_load = len(house.loops), load_of_machine()
    before = work(house)
    time.sleep(IDLE_S)  # what is measured
    done = work(house).since(before)
    sessions = house.asked("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")[0][0]
    events = house.asked(
        "SELECT avg(n), avg(b) FROM (SELECT count(*) AS n, sum(pg_column_size(e.*)) AS b FROM"
        " execution_executionevent e GROUP BY execution_id HAVING count(*) > 5) AS told"
    )[0]
    held = statistics.mean(psutil.Process(one.pid).memory_full_info().pss for one in house.loops.values()) / 2**20
    each, name = robots * done.at, f"{robots} robots waiting (load {with_load}), each"
    return [
        row(f"{name}: statements a second", done.queries / each, unit=""),
        row(f"{name}: PostgreSQL's log a second", done.log_bytes / each, unit="B"),
        row(f"{name}: processor of its run loop", 100 * done.loops_s / each, unit="%"),
        row(f"{name}: processor of PostgreSQL", 100 * done.database_s / each, unit="%"),
        row(f"{name}: sessions of PostgreSQL, web processes' with them", int(str(sessions)) / robots, unit=""),
        row(f"{name}: memory, its share of what is shared with it", held, unit="MiB"),
        row("events of a run", float(str(events[0] or 0)), unit=""),
        row("events of a run, in bytes of their rows", float(str(events[1] or 0)), unit="B"),
    ]


def _followed(house: House, name: str) -> list[Row]:
    """From just before a writer's transaction to the parsed message in each browser, over all web processes."""
    house.watched += 1
    execution_id = house.one.manage("shell", "-v0", "-c", AT_WORK.format(n=house.watched)).split()[-1]
    with closing(house.one.client("vera")) as vera:
        key = vera.cookies["sessionid"]
    with_load = load_of_machine()
    followers = asyncio.run(_follow(house, execution_id, key))
    house.one.manage("shell", "-v0", "-c", END.format(run=execution_id))
    delays = sorted(delay for one in followers for delay in one.delays_ms[20:])
    faults = sum(one.faults + abs(len(one.seqs) - EVENTS) for one in followers)
    return [
        row(f"{name}: worker to browser, p50 (load {with_load})", statistics.median(delays), goal=40),
        row(f"{name}: worker to browser, p99", delays[int(len(delays) * 0.99)], goal=200),
        row(f"{name}: events lost, doubled or out of order", faults, unit="", goal=0),
    ]


END = """
from execution.models import Execution
from execution.choices import ExecutionState
Execution.objects.get(execution_id="{run}").move(ExecutionState.STOPPED)
"""


async def _follow(house: House, execution_id: str, key: str) -> list[Follower]:
    followers = [Follower(cursor=0) for _ in range(BROWSERS)]
    ready = asyncio.Barrier(BROWSERS + 1)

    async def browse(follower: Follower) -> None:
        async with connect(
            f"ws://127.0.0.1:{house.one.port}/ws/executions/{execution_id}/?after=0",
            origin=f"http://127.0.0.1:{house.one.port}",  # type: ignore[arg-type]
            additional_headers={"Cookie": f"sessionid={key}"},
            proxy=None,
            open_timeout=60,
        ) as connection:
            await ready.wait()
            await follower.follow(connection, EVENTS)

    async with asyncio.timeout(300), asyncio.TaskGroup() as tasks:
        for follower in followers:
            tasks.create_task(browse(follower))
        await ready.wait()
        writer = house.one.worker("write", execution_id, str(EVENTS), "2000", str(PAUSE_MS), "0")
        await asyncio.to_thread(answer_of, writer, 250)
    return followers


def _spent(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)
