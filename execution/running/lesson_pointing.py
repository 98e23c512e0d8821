"""What a browser's pointer is over in a lesson, answered aside from all else, in a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from django.db import connections
from django.utils import translation

from execution.lesson.understanding import Understood, hover_json
from execution.running.teach_clients import Client
from execution.types import Point
from sentences.said import worded


class Pointing:
    """`hover` says what a click there would be kept as."""

    def __init__(self, hover: Callable[[Point], Understood | None]) -> None:
        self._hover = hover
        self._asked: queue.Queue[tuple[Client, Point] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._serve, name="lesson-hover", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Nothing more is answered after what is asked by now."""
        self._asked.put(None)

    def join(self) -> None:
        self._thread.join()

    def ask(self, client: Client, point: Point) -> None:
        self._asked.put((client, point))

    def _serve(self) -> None:
        """The newest place of the pointer is answered; those before it are passed over."""
        try:
            while (asked := self._asked.get()) is not None:
                while not self._asked.empty() and asked is not None:
                    asked = self._asked.get()
                if asked is None:
                    return
                self._answer(*asked)
        finally:
            connections.close_all()

    def _answer(self, client: Client, point: Point) -> None:
        with translation.override(client.language):
            found = self._hover(point)
            told = hover_json(found) | {"sentence": worded(found.said)} if found else {"box": None}
            client.send({"type": "hover", "x": point.x, "y": point.y, **told})
