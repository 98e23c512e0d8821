"""Asking for a job: however often somebody clicks, one is wanted at a time."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from audit.models import Verb
from audit.recording import record
from execution.behind.jobs import KINDS, go_on
from execution.behind.tasks import do_job
from execution.behind.waking import wake
from execution.models import Job
from execution.models.work import LEFT


def ask(kind: str, *, about: str = "", user: Any = None, origin: str = "") -> Job:
    """One that is wanted already, or a new one, which is told of and left to a worker. Who may is for the caller."""
    with transaction.atomic():
        job, is_new = _wanted(kind, about, user)
        if is_new:
            record(Verb.ADDED, user=user, origin=origin, kind="job", about=job.job_id, what=kind, of=about)
            transaction.on_commit(lambda: wake(job, do_job, job.job_id), robust=True)
    return job


def do(kind: str, *, about: str = "") -> Job:
    """The same at once, here, to its end. Raises Taken where a worker is at it, and what it fails with."""
    return go_on(_wanted(kind, about, None)[0])


def _wanted(kind: str, about: str, user: Any) -> tuple[Job, bool]:
    of = {"kind": KINDS[kind].name, "about": about}
    return Job.objects.get_or_create(**of, state__in=LEFT, defaults={"asked_by": user})
