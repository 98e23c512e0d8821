"""What people ask of the GPU from the pages: begun at once, its outcome kept for a while for whoever asks after it.

Beside this the rows tell everybody what happens (`gpu.models.owner`); here is only the answer to the one who asked.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from gpu.exceptions import GPUError
from gpu.types import Request
from gpu.wiring import get_gpu_resource_manager
from sentences.said import say

KEPT = 200


@dataclass(frozen=True, slots=True)
class Operation:
    """One request of a person; `outcome` is empty while it is being done."""

    id: uuid.UUID
    request: Request
    asked_at: datetime
    outcome: Future[Any]

    @property
    def is_over(self) -> bool:
        return self.outcome.done()

    def wait(self, seconds: float) -> bool:
        try:
            self.outcome.exception(seconds)
        except (NotYet, CancelledError):
            return self.is_over
        return True

    def error(self) -> BaseException | None:
        """What it ended with; None while it lasts, and when all went well."""
        if not self.is_over:
            return None
        if self.outcome.cancelled():
            return GPUError(say("gpu.web_ended"))
        return self.outcome.exception()


class Operations:
    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[uuid.UUID, Operation] = OrderedDict()

    def make(self, request: Request) -> Operation:
        """Have it begun in the loop of the GPU's manager."""
        manager = get_gpu_resource_manager()
        return self.keep(request, manager.runtime.submit(manager.carry_out(request)))

    def keep(self, request: Request, outcome: Future[Any]) -> Operation:
        operation = Operation(uuid.uuid4(), request, datetime.now(UTC), outcome)
        with self._lock:
            self._kept[operation.id] = operation
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return operation

    def find(self, number: uuid.UUID) -> Operation | None:
        with self._lock:
            return self._kept.get(number)


operations = Operations()
