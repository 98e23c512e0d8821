"""The permissions that pages and API ask for. Roles (rpa_site.roles) are groups that hold them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

VIEW = "workflows.view_workflow"
DESIGN = "workflows.change_workflow"
PUBLISH = "workflows.publish_workflow"


R = TypeVar("R", bound=HttpResponseBase)


def require(user: Any, permission: str) -> None:
    """Raises PermissionDenied with its name where a person does not hold it; None is the machine itself."""
    if user is not None and not user.has_perm(permission):
        raise PermissionDenied(permission)


def permitted(permission: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """A view for those who hold `permission`; the refusal carries its name, for the page to say which role has it."""

    def decorate(view: Callable[..., R]) -> Callable[..., R]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> R:
            if not request.user.has_perm(permission):
                raise PermissionDenied(permission)
            return view(request, *args, **kwargs)

        return guarded

    return decorate
