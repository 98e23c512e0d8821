"""Work that many wait for, and that nobody takes from the others by giving up (S3.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from gpu.exceptions import DeadlinePassed

T = TypeVar("T")


@dataclass(eq=False)
class Job(Generic[T]):
    task: asyncio.Task[T] = field(init=False)
    begun: bool = False  # it has its turn, and is brought to its end from then on
    waiting: int = 0


class SharedWork(Generic[T]):
    """Jobs by their keys, in one loop. A job that nobody waits for any more, and that has not begun, never runs."""

    def __init__(self) -> None:
        self._jobs: dict[Hashable, Job[T]] = {}

    async def join(
        self,
        key: Hashable,
        work: Callable[[Job[T]], Coroutine[Any, Any, T]],
        *,
        deadline: float,
        late: bool = True,
        lasting: bool = False,
    ) -> T:
        """What the work gives; DeadlinePassed for this caller alone.

        `late`: one that has begun may be joined; `lasting`: it is done in any case, whoever gives up.
        """
        job = self._jobs.get(key)
        if job is None or job.task.done() or (job.begun and not late):
            job = self._jobs[key] = self._begin(key, work)
        job.waiting += 1
        try:
            async with asyncio.timeout_at(deadline) as limit:
                return await asyncio.shield(job.task)
        except TimeoutError:
            if not limit.expired():
                raise
            done = "is being done" if job.begun else "is done as soon as it can be" if lasting else "was not done"
            raise DeadlinePassed(f"The time of the request is over; what it asked for {done}.") from None
        finally:
            job.waiting -= 1
            if not job.waiting and not job.begun and not lasting:
                job.task.cancel()

    def _begin(self, key: Hashable, work: Callable[[Job[T]], Coroutine[Any, Any, T]]) -> Job[T]:
        job: Job[T] = Job()
        job.task = asyncio.get_running_loop().create_task(work(job))

        def over(task: asyncio.Task[T]) -> None:
            if self._jobs.get(key) is job:
                del self._jobs[key]
            if not task.cancelled():
                task.exception()  # nobody may be left to hear it

        job.task.add_done_callback(over)
        return job
