"""Tasks in RQ's queue on Redis, for many machines (docs/many.md): what lies there is JSON and no code."""

from __future__ import annotations

from typing import Any

import django_rq
from django_tasks_rq import Job
from django_tasks_rq import RQBackend as LibrarysBackend
from rq.exceptions import NoSuchJobError

SERIALIZER = "rq.serializers.JSONSerializer"


class RQBackend(LibrarysBackend):
    """The library's, which reads results as pickles alone."""

    def _get_job(self, result_id: str) -> Any:
        try:
            return Job.fetch(result_id, connection=django_rq.get_connection(), serializer=SERIALIZER)
        except NoSuchJobError:
            return None
