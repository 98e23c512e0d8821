"""What every page's frame shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.db.models import CharField, Count, Value
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from execution.models import Execution, Robot, WorkItem
from execution.permissions import OPERATE
from execution.worklists.looking import counted, missing, summed, worker_missing
from gpu.pages.board import banner_now
from rpa_site.roles import role_of
from sentences.said import worded

RUN, ROW = "run", "row"


def chrome(request: HttpRequest) -> dict[str, Any]:
    """What needs a person, who is alive, trouble with the models, and the role; asked only where a page shows it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    waiting = cast(Mapping[str, int], SimpleLazyObject(lambda: waiting_for(user)))
    return {
        "attention": SimpleLazyObject(lambda: waiting[RUN]),
        "lists_wait": SimpleLazyObject(lambda: waiting[ROW]),
        "worker_missing": SimpleLazyObject(lambda: worded(missing(waiting) if _may_wait(user) else worker_missing())),
        "gpu_banner": SimpleLazyObject(banner_now),
        "robots_alive": SimpleLazyObject(Robot.objects.alive().count),
        "role": SimpleLazyObject(lambda: role_of(user)),
    }


def waiting_for(user: Any) -> dict[str, int]:
    """How many runs and how many rows of lists wait for this person, and whether a worker looks after lists, in one
    question."""
    kind = {name: Value(name, output_field=CharField()) for name in (RUN, ROW)}
    runs = Execution.objects.needing_a_person().for_person(user).order_by().annotate(kind=kind[RUN]).values("kind")
    rows = WorkItem.objects.waiting_for_people().for_person(user).order_by().annotate(kind=kind[ROW]).values("kind")
    n = Count("pk", distinct=True)
    others = [rows.annotate(n=n).values_list("kind", "n"), *(counted() if _may_wait(user) else ())]
    return {RUN: 0, ROW: 0, **summed(runs.annotate(n=n).values_list("kind", "n").union(*others, all=True))}


def _may_wait(user: Any) -> bool:
    """Whether anything can wait for this person: where nothing can, nothing is asked on every page."""
    return bool(user.has_perm(OPERATE))
