"""Runs while run loops, a web process and Redis are killed and PostgreSQL is restarted, and the account of them.

What was done is counted from the desks' own files; the product's rows say only what it tells of it.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field

import psycopg

from benchmarks.crowd.desk import done_at, file_of, lines_of
from benchmarks.crowd.house import Account, House, load_of_machine
from benchmarks.crowd.people import Operator
from tests.support import servers

LOOK_EVERY_S = 0.2
STILL_S = 300.0  # nothing was saved for so long: it stands still; fifty run loops that start at once take two minutes
REDIS_AWAY_S = 5.0


@dataclass
class Troubled(Account):
    """In numbers of runs, but for `back_s`: how long after each trouble something was saved again."""

    asked_for: int
    saved: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    orphaned: list[tuple[object, ...]] = field(default_factory=list)
    told_done_undone: list[str] = field(default_factory=list)
    stood: list[tuple[object, ...]] = field(default_factory=list)  # what those that did not complete said last
    states: Counter[str] = field(default_factory=Counter)
    questions: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    killed: int = 0
    died: list[int] = field(default_factory=list)
    robots: int = 0
    robots_back: int = 0
    took_s: float = 0.0
    back_s: dict[str, float] = field(default_factory=dict)
    load: list[str] = field(default_factory=list)


def troubled(house: House, *, runs: int, robots: int) -> Troubled:
    """All runs, from the first robot's start to the last one's end."""
    load_before, numbers = load_of_machine(), house.queue(runs)
    for number in range(1, robots + 1):
        house.start_loop(number)
    troubles = Troubles(house, runs)
    began = time.monotonic()
    with Operator(house) as operator:
        troubles.go_on_until_done()
        took_s = time.monotonic() - began
        time.sleep(3)  # a run loop that would do something more does it now
        back = house.asked("select count(*) from execution_robot where heartbeat_at > now() - interval '15 s'")
    done = done_at(house.desks)
    account = Troubled(asked_for=runs, robots=robots, took_s=round(took_s, 1))
    account.saved = sum(number in done.saved for number in numbers)
    account.lost = [number for number in numbers if number not in done.saved]
    account.twice = done.twice
    account.orphaned = house.asked(
        "select execution_id, state, pause_reason from execution_execution"
        " where state not in ('completed', 'failed', 'stopped')"
    )
    account.stood = house.asked(
        "select * from (select e.execution_id, v.seq, v.kind, v.payload::text,"
        " row_number() over (partition by e.id order by v.seq desc) as back from execution_execution e"
        " join execution_executionevent v on v.execution_id = e.id"
        " where e.state <> 'completed') said where back <= 40 order by execution_id, seq"
    )
    completed = house.asked("select execution_id from execution_execution where state = 'completed'")
    account.told_done_undone = [run for (run,) in completed if "saved" not in done.acts.get(str(run), ())]  # type: ignore
    states = house.asked("select state, count(*) from execution_execution group by state")
    account.states = Counter({str(state): int(str(count)) for state, count in states})
    account.questions, account.answers = operator.asked, operator.answered
    account.killed, account.died = house.killed, house.died
    account.robots_back = int(str(back[0][0]))
    account.back_s = troubles.back_s
    account.load = [load_before, load_of_machine()]
    return account


class Troubles:
    """One after the other, by how much has been saved; run loops all the way."""

    def __init__(self, house: House, runs: int) -> None:
        self.house, self.runs = house, runs
        self.dice = random.Random(runs)
        self.back_s: dict[str, float] = {}
        self._waited_for: tuple[str, float, int] | None = None
        kills = max(2, runs // 40)
        plan = [(runs * (0.05 + 0.9 * n / kills), self.kill_in_the_middle) for n in range(kills)]
        plan += [(runs * 0.30, self.kill_web), (runs * 0.42, self.kill_redis), (runs * 0.48, self.start_redis)]
        plan += [(runs * 0.60, self.restart_database), (runs * 0.78, self.crash_database)]
        self.plan = sorted(plan, key=lambda one: one[0])

    def go_on_until_done(self) -> None:
        saved, since = 0, time.monotonic()
        while not self._are_over():
            now = len(done_at(self.house.desks).saved)
            if now > saved:
                saved, since = now, time.monotonic()
            elif time.monotonic() - since > STILL_S:
                print(f"nothing was saved for {STILL_S:.0f} s")
                return
            while self.plan and saved >= self.plan[0][0]:
                name = self.plan[0][1].__name__
                self.plan.pop(0)[1]()
                if name != "kill_in_the_middle":
                    print(f"{saved} saved: {name}", flush=True)
                    self._wait_for_next(name)
            time.sleep(LOOK_EVERY_S)

    def _are_over(self) -> bool:
        try:
            return self.house.left() == 0
        except psycopg.OperationalError:  # it is being restarted
            return False

    def _wait_for_next(self, name: str) -> None:
        """Until something is saved again."""
        began, saved = time.monotonic(), len(done_at(self.house.desks).saved)
        while len(done_at(self.house.desks).saved) == saved and time.monotonic() - began < STILL_S:
            time.sleep(0.05)
        self.back_s[name] = round(time.monotonic() - began, 2)

    def kill_in_the_middle(self) -> None:
        kill_in_the_middle(self.house, self.dice)

    def kill_web(self) -> None:
        self.house.one.kill_web(self.house.one.webs[0])
        self.house.one.start_web(self.house.one.webs[0])

    def kill_redis(self) -> None:
        self.house.one.redis.kill()

    def start_redis(self) -> None:
        self.house.one.redis.start()

    def restart_database(self) -> None:
        servers.restart_postgresql(self.house.database)

    def crash_database(self) -> None:
        servers.restart_postgresql(self.house.database, mode="immediate")


def kill_in_the_middle(house: House, dice: random.Random) -> None:
    """End a run loop whose hand is at its desk: between its intent and its result."""
    victim = dice.choice(sorted(house.loops))
    path, length = file_of(house.desks, victim), house.hand_of(victim)
    late = time.monotonic() + 10
    while time.monotonic() < late:
        if house.hand_of(victim) > length:
            *_, last = lines_of(path)
            length = house.hand_of(victim)
            if last["what"] != "begin" and dice.random() < 0.4:  # a hand, or what it did
                break
        time.sleep(0.002)
    house.kill_loop(victim)
