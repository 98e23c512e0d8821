"""What every page's frame shows."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from execution.models import Execution, Robot, WorkItem
from gpu.pages.board import banner_now
from rpa_site.roles import role_of


def chrome(request: HttpRequest) -> dict[str, Any]:
    """What needs a person, who is alive, trouble with the models, and the role; asked only where a page shows it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "attention": SimpleLazyObject(lambda: Execution.objects.needing_a_person().for_person(user).count()),
        "lists_wait": SimpleLazyObject(lambda: WorkItem.objects.waiting_for_people().count()),
        "gpu_banner": SimpleLazyObject(banner_now),
        "robots_alive": SimpleLazyObject(Robot.objects.alive().count),
        "role": SimpleLazyObject(lambda: role_of(user)),
    }
