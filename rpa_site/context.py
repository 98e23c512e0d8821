"""What every page's frame shows."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from execution.models import Execution, Robot
from rpa_site.roles import role_of


def chrome(request: HttpRequest) -> dict[str, Any]:
    """The number of runs that need a person, the robots alive, and the role; asked for only where a page shows it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "attention": SimpleLazyObject(Execution.objects.needing_a_person().count),
        "robots_alive": SimpleLazyObject(Robot.objects.alive().count),
        "role": SimpleLazyObject(lambda: role_of(user)),
    }
