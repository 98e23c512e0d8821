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

from gpu.exceptions import ClipUnavailable, GPUError
from gpu.manager import GPUResourceManager
from gpu.types import Request, RequestKind
from gpu.wiring import get_gpu_resource_manager

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
        """Whether it is over by then."""
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
            return GPUError("It was given up, because the web process ended.")
        return self.outcome.exception()


class Operations:
    """The last ones, by their number; of this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[uuid.UUID, Operation] = OrderedDict()

    def make(self, request: Request) -> Operation:
        """Have it begun in the loop of the GPU's manager."""
        manager = get_gpu_resource_manager()
        return self.keep(request, manager.runtime.submit(carried_out(manager, request)))

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


async def carried_out(manager: GPUResourceManager, request: Request) -> None:
    """Do it, or have the owner of the GPU do it. Raises GPUError."""
    match request.kind:
        case RequestKind.MODE if request.mode is not None:
            await manager.set_execution_mode(request.mode, asked_by=request.asked_by)
        case RequestKind.LOAD:
            await manager.load_model(request.model, asked_by=request.asked_by)
        case RequestKind.UNLOAD:
            await manager.unload_model(request.model, asked_by=request.asked_by)
        case RequestKind.CLIP_TO_GPU:
            if not await manager.migrate_clip_to_gpu(asked_by=request.asked_by):
                raise ClipUnavailable("There is no GPU for it, too little memory is free, or no CLIP is set up.")
        case RequestKind.CLIP_TO_CPU:
            if not await manager.migrate_clip_to_cpu(asked_by=request.asked_by):
                raise ClipUnavailable("No CLIP is set up.")
        case _:
            raise GPUError(f"“{request.kind}” cannot be asked from a page.")


operations = Operations()
