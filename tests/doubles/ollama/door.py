"""Where clients come in: an event loop in a thread, a port on loopback, the connections that are open."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from tests.doubles.ollama.wire import Connection, Exchange

LIMIT_S = 10.0  # for the loop to do what it is asked; it is a failure of the double when it is reached


class Door:
    """Can be shut and opened again on the same port, as a server that is killed and started."""

    def __init__(self, serve: Callable[[Exchange], None], hung_up: Callable[[Exchange], None]) -> None:
        self.loop = asyncio.new_event_loop()
        self._serve = serve
        self._hung_up = hung_up
        self._connections: set[Connection] = set()
        self._listening: asyncio.Server | None = None
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def open(self, port: int) -> int:
        """Listen there (0: on a free port); the port it became."""
        return self._call(self._open(port))

    def shut(self) -> None:
        """Refuse new connections and reset those that are open."""
        self._call(self._shut())

    def close(self) -> None:
        self.shut()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    async def _open(self, port: int) -> int:
        def connection() -> Connection:
            made = Connection(self._serve, self._hung_up, self._connections)
            self._connections.add(made)
            return made

        self._listening = await self.loop.create_server(connection, "127.0.0.1", port)
        return int(self._listening.sockets[0].getsockname()[1])

    async def _shut(self) -> None:
        listening, self._listening = self._listening, None
        if listening is not None:
            while accepting := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(accepting)  # a client that came at the last moment is let in before the door shuts
            listening.close()
        for connection in list(self._connections):
            connection.reset()
        if listening is not None:
            await listening.wait_closed()
        await asyncio.sleep(0)  # the resets above are carried out in the next round of the loop

    def _call(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(LIMIT_S)
