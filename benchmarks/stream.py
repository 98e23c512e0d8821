"""How fast and how faithful the stream is: `python -m benchmarks.stream`.

A real web process, a writer in a process of its own, and browsers over TCP in a third; SQLite as it is by default.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

from tests.support.streaming import Follower, Web, answer_of, dead_client, web

Row = dict[str, Any]

SUBSCRIBERS = 50
LATENCY_EVENTS = 400
LATENCY_PAUSE_MS = 50
BIG = 64 * 1024
BIG_EVENTS = 2000
DROPS = 200
DROP_EVENTS = 2000
DROP_PAUSE_MS = 10


def run() -> list[Row]:
    """All figures of the stream, each with its goal and what others reach."""
    with web() as server:
        latency = asyncio.run(measure_latency(server, SUBSCRIBERS, LATENCY_EVENTS, pause_ms=LATENCY_PAUSE_MS))
    with web() as server:
        dead = asyncio.run(measure_dead_client(server, BIG_EVENTS, size=BIG))
    with web() as server:
        drops = asyncio.run(measure_reconnects(server, DROPS, DROP_EVENTS, pause_ms=DROP_PAUSE_MS))
    polled = "polling every 0.25 s: p50 151 ms, p95 245 ms"
    return [
        row("worker to browser, p50", latency["p50_ms"], "ms", 60, polled),
        row("worker to browser, p99", latency["p99_ms"], "ms", 300, polled),
        row("events lost, doubled or out of order, 50 browsers", latency["faults"], "", 0),
        row("growth of the server by a client that never reads", dead["growth_mb"], "MB", 20, "daphne alone: 752 MB"),
        row("events lost or doubled by a browser beside it", dead["faults"], "", 0),
        row("events lost or doubled in 200 reconnects", drops["faults"], "", 0),
    ]


def row(figure: str, value: float, unit: str, goal: float, peers: str = "") -> Row:
    met = value <= goal
    return {"figure": figure, "value": round(value, 1), "unit": unit, "goal": goal, "met": met, "peers": peers}


async def measure_latency(server: Web, browsers: int, events: int, *, pause_ms: float) -> dict[str, float]:
    """From just before a writer's transaction to the parsed message in each browser."""
    followers = [Follower(cursor=0) for _ in range(browsers)]
    ready = asyncio.Barrier(browsers + 1)

    async def browse(follower: Follower) -> None:
        async with server.watch(server.run_path(after=0)) as connection:
            await ready.wait()
            await follower.follow(connection, events)

    async with asyncio.timeout(60 + events * pause_ms / 1000), asyncio.TaskGroup() as tasks:
        for follower in followers:
            tasks.create_task(browse(follower))
        await ready.wait()
        writer = server.write(events, size=2000, pause_ms=pause_ms, pictures=True)
        await asyncio.to_thread(answer_of, writer)
    delays = sorted(delay for follower in followers for delay in follower.delays_ms)
    return {
        "p50_ms": statistics.median(delays),
        "p99_ms": delays[int(len(delays) * 0.99)],
        "worst_ms": delays[-1],
        "faults": sum(follower.faults + abs(len(follower.seqs) - events) for follower in followers),
    }


async def measure_dead_client(server: Web, events: int, *, size: int) -> dict[str, float]:
    """How much more the server holds at most while a client that never reads is connected than before it came."""
    follower = Follower(cursor=0)
    warm_up = max(50, events // 10)
    async with asyncio.timeout(180), server.watch(server.run_path(after=0)) as connection:
        writer = server.write(warm_up, size=size, pictures=True)
        await follower.follow(connection, warm_up)
        await asyncio.to_thread(answer_of, writer)
        before = server.memory()
        async with dead_client(server, server.run_path(after=0)):
            writer = server.write(events, size=size, pictures=True)
            most = asyncio.create_task(_peak_memory(server))
            await follower.follow(connection, warm_up + events)
            await asyncio.to_thread(answer_of, writer)
            most.cancel()
            peak = max(await asyncio.gather(most), default=0)
    return {
        "growth_mb": max(0.0, peak - before),
        "before_mb": before,
        "frames": follower.frames,
        "faults": follower.faults + abs(len(follower.seqs) - warm_up - events) + follower.snapshots,
    }


async def _peak_memory(server: Web) -> float:
    """The most that the server held until this was cancelled."""
    peak = 0.0
    try:
        while True:
            peak = max(peak, server.memory())
            await asyncio.sleep(0.05)
    except asyncio.CancelledError:
        return max(peak, server.memory())


async def measure_reconnects(server: Web, drops: int, events: int, *, pause_ms: float) -> dict[str, float]:
    """A browser whose connection breaks again and again while events come, and once the server with it."""
    dice = random.Random(drops)  # the same dice each time
    follower = Follower(cursor=0)
    started = time.monotonic()
    writer = server.write(events, pause_ms=pause_ms)
    async with asyncio.timeout(120 + events * pause_ms / 1000):
        for drop in range(drops):
            await _follow_a_while(server, follower, dice)
            if drop == drops // 2:
                await asyncio.to_thread(_restart, server)
        async with server.watch(server.run_path(follower.cursor)) as connection:
            await follower.follow(connection, events)
    await asyncio.to_thread(answer_of, writer)
    faults = follower.faults + abs(len(follower.seqs) - events) + follower.snapshots
    return {"faults": faults, "drops": drops, "seconds": time.monotonic() - started}


def _restart(server: Web) -> None:
    server.stop()
    server.start()


async def _follow_a_while(server: Web, follower: Follower, dice: random.Random) -> None:
    """Connect, follow for a moment, and break off: without a word, with half of the messages unread, or politely."""
    async with server.watch(server.run_path(follower.cursor)) as connection:
        try:
            async with asyncio.timeout(dice.uniform(0, 0.1)):
                while True:
                    await follower.take(connection)
        except TimeoutError:
            pass
        if dice.random() < 0.7:
            connection.transport.abort()


def table(rows: Sequence[Row]) -> str:
    lines = [f"{'figure':<52}{'value':>10} {'unit':<4}{'goal':>8}  {'met':<5}peers"]
    for r in rows:
        met = "yes" if r["met"] else "NO"
        lines.append(f"{r['figure']:<52}{r['value']:>10} {r['unit']:<4}{r['goal']:>8}  {met:<5}{r['peers']}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(run()))
