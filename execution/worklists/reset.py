"""The way back to the start (S12.8): a workflow that closes what a row left open, before the next one begins."""

from __future__ import annotations

from execution.actions.start import start
from execution.choices import ExecutionMode, Origin
from execution.models import WorkRun
from execution.models.worklist import WorkRunKind
from workflows.choices import Priority


def begin(work: WorkRun) -> None:
    """Queue the list's reset for the desktop that the row's run was on; inside the caller's transaction.

    It is taken before any row: a robot takes what waits for it first, and rows wait while it is open.
    """
    worklist, desktop = work.item.worklist, work.execution.desktop
    if worklist.reset is None or not desktop:
        return
    execution = start(
        workflow_id=worklist.reset.workflow_id,
        mode=ExecutionMode.AUTOMATIC,
        desktop=desktop,
        priority=Priority.HIGH,
        origin=Origin.LIST,
    )
    WorkRun.objects.create(item=work.item, execution=execution, kind=WorkRunKind.RESET, attempt=work.attempt)


def is_open_on(desktop: str) -> bool:
    """True if a way back to the start is still to be gone on this desktop."""
    return WorkRun.objects.filter(is_open=True, kind=WorkRunKind.RESET, execution__desktop=desktop).exists()
