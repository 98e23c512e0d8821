"""The stream as it is served: a web process, a writer process, browsers over TCP (S8.2, S9.5). Small; the benchmark
measures (tests/benchmarks/stream.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import psutil
import pytest

from tests.benchmarks.stream import measure_dead_client, measure_latency, measure_reconnects
from tests.support.streaming import Follower, Web, answer_of, web

pytestmark = pytest.mark.asyncio


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as server:
        yield server


async def test_fifty_browsers_get_every_event_of_another_process_in_order(server):
    """S8.2, S9.5"""
    told = await measure_latency(server, 50, 40, pause_ms=20)
    assert told["faults"] == 0
    assert told["p50_ms"] < 2000  # that it is live at all; the benchmark says how fast


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
    """Whoever breaks off without a word leaves neither a socket nor the stream's threads behind."""
    assert server.process is not None
    process = psutil.Process(server.process.pid)

    def stream_threads() -> int:
        names = (f"/proc/{process.pid}/task/{thread.id}/comm" for thread in process.threads())
        return sum("stream" in open(name).read() for name in names)

    async with asyncio.timeout(30):
        async with server.watch(server.run_path()) as connection:
            await Follower().take(connection)
            before = process.net_connections("tcp")
            connection.transport.abort()
        while len(process.net_connections("tcp")) >= len(before):
            await asyncio.sleep(0.02)
        while stream_threads():
            await asyncio.sleep(0.02)
        async with server.watch(server.run_path(after=0)) as connection:
            writer = server.write(3)
            follower = Follower(cursor=0)
            await follower.follow(connection, 3)
            await asyncio.to_thread(answer_of, writer)
    assert follower.seqs == [1, 2, 3]
