"""What jobs leave behind, and until when: files that were made to be taken away, and the rows themselves."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.files.storage import Storage, storages
from django.core.management import call_command
from django_tasks import DEFAULT_TASK_BACKEND_ALIAS, task_backends

from execution.models import Job, StartKey
from execution.models.execution import START_KEYS_KEPT
from execution.models.work import WorkState

FILES = "exports"  # of STORAGES: where all web processes and workers reach it
FILES_KEPT = timedelta(days=1)  # they show screens
ROWS_KEPT = timedelta(days=30)


def files() -> Storage:
    return storages[FILES]


def file_of(job: Job) -> str:
    """The name of the file that came of it; empty where there is none."""
    return str(job.place.get("file", "")) if job.state == WorkState.DONE else ""


def forget_old(now: datetime) -> None:
    """Files and start keys after a day, rows after a month, and what the database's queue remembers of its tasks."""
    there = files().listdir("")[1] if files().exists("") else []  # first: what is made from now on is not in it
    at_work = tuple(Job.objects.left().values_list("job_id", flat=True))
    kept = {file_of(job) for job in Job.objects.filter(state=WorkState.DONE, ended_at__gt=now - FILES_KEPT)}
    for name in there:
        if name not in kept and not name.startswith(at_work):
            files().delete(name)
    for job in Job.objects.filter(place__has_key="file", ended_at__lte=now - FILES_KEPT):
        del job.place["file"]
        job.save(update_fields=["place"])
    Job.objects.filter(ended_at__lt=now - ROWS_KEPT).delete()
    StartKey.objects.filter(created_at__lt=now - START_KEYS_KEPT).delete()
    if type(task_backends[DEFAULT_TASK_BACKEND_ALIAS]).__name__ == "DatabaseBackend":
        call_command("prune_db_task_results", verbosity=0)
