from __future__ import annotations

import logging
import os
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError, InterfaceError, connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.behind import tasks as jobs
from execution.replay import tasks as replays
from execution.worklists import nights, telling
from rpa_site.data_lock import share
from rpa_site.reading import RQ
from workflows.availability import is_away

log = logging.getLogger(__name__)

DATABASE = "django_tasks_db.DatabaseBackend"
_POLL_S = 2
LOOK_S = 15.0  # for what is wanted and no queue holds, and at the clock for lists
_NICE = 10  # a run on the same machine comes first


class Command(BaseCommand):
    help = "Do what is asked for behind the scenes, such as looking at stored steps again, until told to stop."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what there is, then leave")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["once"]:
            os.nice(_NICE)
        lock = share(settings.DATA_DIR)
        try:
            self._work(once=options["once"])
        finally:
            if lock is not None:
                os.close(lock)

    def _work(self, *, once: bool) -> None:
        if found := replays.see_what_changed():
            words = ngettext(
                "The eyes have changed: the runs of %(n)d workflow are looked at again.",
                "The eyes have changed: the runs of %(n)d workflows are looked at again.",
                len(found),
            )
            self.stdout.write(words % {"n": len(found)})
        take_up()
        by = settings.TASKS["default"]["BACKEND"]
        if by not in (DATABASE, RQ):
            self.stdout.write(_("Tasks go to a queue of their own (RPA_TASKS_BACKEND); nothing is done here."))
            return
        with nullcontext() if once else looking():
            (_work_in_rq if by == RQ else _work_in_rows)(once=once)


def _work_in_rows(*, once: bool) -> None:
    """A database that is locked for longer than one waits ends no worker: the looks beside it begin lists and tell
    people, and would end with it."""
    while True:
        try:
            call_command("db_worker", interval=_POLL_S, verbosity=1, batch=once, reload=False, startup_delay=False)
        except (DatabaseError, InterfaceError) as error:
            if once or not is_away(error):
                raise
            log.warning("waiting for the database: %s", error)
            connection.close()
            time.sleep(_POLL_S)
        else:
            return


def _work_in_rq(*, once: bool) -> None:
    """In this process, not in a child for each task: the eyes stay loaded."""
    more = {"job_class": "django_tasks_rq.Job", "worker_class": "rq.SimpleWorker", "serializer": "json"}
    call_command("rqworker", "default", burst=once, verbosity=1, **more)


def take_up() -> None:
    """What is wanted and nobody holds is given to the queue again."""
    jobs.take_up()
    replays.take_up()


@contextmanager
def looking() -> Iterator[None]:
    """Beside the worker: what a queue lost, or a worker died of, is found by its row (`take_up`), lists begin at
    their times, and people are told. Each in a thread of its own, as none may wait for another: a mail server that does
    not answer keeps no list from beginning."""
    leave = threading.Event()
    looks = {"looking for what is wanted": take_up, "looking at the clock": nights.look, "telling people": telling.tell}
    threads = [
        threading.Thread(target=_keep_looking, args=(look, leave), name=name, daemon=True)
        for name, look in looks.items()
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        leave.set()
        for thread in threads:
            thread.join()


def _keep_looking(look: Callable[[], object], leave: threading.Event) -> None:
    while not leave.wait(LOOK_S):
        try:
            look()
        except (DatabaseError, InterfaceError) as error:
            log.warning("%s: %s", threading.current_thread().name, error)
        except (
            Exception
        ):  # whatever one look fails with, there is a next one: nothing else begins lists or tells people
            log.exception("%s failed", threading.current_thread().name)
        finally:
            connection.close()
