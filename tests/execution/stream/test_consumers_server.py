"""The stream as it is served: a web process, a writer process, browsers over TCP (S8.2, S9.5). Small; the benchmark
measures (benchmarks/stream.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import psutil
import pytest

from benchmarks.stream import measure_dead_client, measure_latency, measure_reconnects
from tests.support.streaming import Follower, Web, answer_of, web

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as server:
        yield server


@pytest.mark.core
async def test_fifty_browsers_get_every_event_of_another_process_in_order(server):
    """S8.2, S9.5"""
    told = await measure_latency(server, 50, 40, pause_ms=20)
    assert told["faults"] == 0


async def test_a_client_that_never_reads_costs_little_and_hides_nothing_from_the_others(server):
    """S8.2: 300 events of 64 KiB are 20 MB, and more with what a server adds to each."""
    told = await measure_dead_client(server, 300, size=64 * 1024)
    assert told["faults"] == 0
    assert told["growth_mb"] < 20


async def test_connections_that_break_and_a_server_that_restarts_lose_and_double_nothing(server):
    """S8.2"""
    told = await measure_reconnects(server, 20, 200, pause_ms=10)
    assert told["faults"] == 0


async def test_a_connection_that_died_is_given_up_and_all_that_was_held_for_it(server):
    """Whoever breaks off without a word leaves neither an open file nor one of the stream's threads behind."""
    assert server.process is not None
    process = psutil.Process(server.process.pid)
    async with asyncio.timeout(60):
        for _ in range(2):  # what the first one leaves may be kept for all that follow
            async with server.watch(server.run_path()) as connection:
                await Follower().take(connection)
            at_rest = await resting(process)
        async with server.watch(server.run_path()) as connection:
            await Follower().take(connection)
            threads, files = process.num_threads(), process.num_fds()
            assert threads >= at_rest[0] + 3
            assert files >= at_rest[1] + 2
            connection.transport.abort()
        while process.num_threads() > at_rest[0] or process.num_fds() > at_rest[1]:
            await asyncio.sleep(0.02)
        async with server.watch(server.run_path(after=0)) as connection:
            writer = server.write(3)
            follower = Follower(cursor=0)
            await follower.follow(connection, 3)
            await asyncio.to_thread(answer_of, writer)
    assert follower.seqs == [1, 2, 3]


async def resting(process: psutil.Process) -> tuple[int, int]:
    """Threads and open files, once they no longer become fewer."""
    seen, since = (process.num_threads(), process.num_fds()), 0
    while since < 20:
        await asyncio.sleep(0.02)
        now = (process.num_threads(), process.num_fds())
        seen, since = (now, 0) if now != seen else (seen, since + 1)
    return seen
