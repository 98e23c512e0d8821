"""A task for what a row says is wanted. The queue only wakes: what it loses is found by its row and given again."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django_tasks import default_task_backend
from django_tasks.base import Task, TaskResultStatus
from django_tasks.exceptions import TaskResultDoesNotExist

log = logging.getLogger(__name__)

WANTED = "wanted"  # the id of a task that no queue has taken yet
AGAIN = timedelta(hours=1)  # what failed without a lease is tried again
LONGEST = timedelta(minutes=15)  # of a task without a lease: whoever took it earlier is dead


def wake(row: Any, task: Task[..., Any], *args: Any) -> None:
    """Give a queue a task for a row with a `task_id`; for after the commit. A queue that is away loses nothing."""
    rows = type(row)._base_manager.filter(pk=row.pk)
    rows.update(task_id=WANTED)
    try:
        result = task.enqueue(*args)
    except Exception as error:  # noqa: BLE001  each queue has its own
        log.warning("The queue is away (%s): %s is done once it is back.", type(error).__name__, row)
        return
    rows.filter(task_id=WANTED).update(task_id=result.id)


def is_held(row: Any) -> bool:
    """Whether somebody is at it, or a queue still has its task."""
    lease = getattr(row, "lease_until", None)
    if lease is not None and lease > timezone.now():
        return True
    if row.task_id in ("", WANTED):
        return False
    try:
        result = default_task_backend.get_result(row.task_id)
    except TaskResultDoesNotExist:
        return False
    except Exception as error:  # noqa: BLE001  whether it is lost is told once the queue is back
        log.info("The queue is away (%s): it is not known whether it has %s.", type(error).__name__, row)
        return True
    if result.status == TaskResultStatus.RUNNING:
        return lease is None and result.started_at is not None and timezone.now() - result.started_at < LONGEST
    if result.status == TaskResultStatus.FAILED and lease is None and result.finished_at is not None:
        return timezone.now() - result.finished_at < AGAIN  # it would fail as it did
    return not result.is_finished
