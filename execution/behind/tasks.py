"""Jobs behind Django's task interface: done a while at a time, so that whoever does them can stop."""

from __future__ import annotations

import time

from django_tasks import task

from execution.behind.jobs import go_on
from execution.behind.leases import Taken
from execution.behind.waking import is_held, wake
from execution.models import Job

SLICE_S = 20.0


@task()
def do_job(job_id: str) -> str:
    """Go on with it for a while, and leave the rest to another task; gives the state it is in."""
    job = Job.objects.get(job_id=job_id)
    until = time.monotonic() + SLICE_S
    try:
        go_on(job, leave_now=lambda: time.monotonic() > until)
    except Taken:
        job.refresh_from_db()
        return str(job.state)
    if not job.is_final:
        wake(job, do_job, job_id)
    return str(job.state)


def take_up() -> int:
    """Every job that is wanted and that nobody holds has a task again; gives how many."""
    left = [job for job in Job.objects.left() if not is_held(job)]
    for job in left:
        wake(job, do_job, job.job_id)
    return len(left)
