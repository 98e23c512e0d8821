"""Save and resume: the mended draft is published, and the run that stands still goes on with it if it can (S6.14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from execution.actions.control import change_version
from execution.choices import Origin
from execution.exceptions import ExecutionError
from execution.models import Execution, Lesson
from execution.turn.versions import why_not
from sentences.said import told_by
from workflows.actions.publish import publish
from workflows.models import WorkflowVersion


@dataclass(frozen=True, slots=True)
class Saved:
    """The version that was published, and why the run does not go on with it; "" where it does."""

    version: WorkflowVersion
    why: str = ""


def save_and_resume(lesson: Lesson, *, user: Any, note: str = "", origin: Origin = Origin.PAGE) -> Saved:
    """Raises InvalidWorkflow, then nothing is published; PermissionDenied where `user` may not operate runs.

    Whether `user` may publish is the caller's to check. The run's loop looks once more, when it takes the version.
    """
    assert lesson.execution is not None
    version = publish(workflow=lesson.workflow, user=user, note=note)
    run = Execution.objects.by_id(lesson.execution.execution_id)
    if why := why_not(run, run.version.spec(), version.spec()):
        return Saved(version, why)
    try:
        change_version(execution_id=run.execution_id, version=version, user=user, origin=origin)
    except ExecutionError as error:
        return Saved(version, told_by(error))
    return Saved(version)
