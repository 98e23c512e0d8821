"""What follows from logging in and out: how long a session lasts, and what the audit keeps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from audit.models import Verb
from audit.recording import record
from rpa_site.throttle import address_of


def end_after_a_working_day(sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
    """A session ends at a time that is set when it begins, whatever is done meanwhile."""
    if request is not None and hasattr(request, "session"):
        request.session.set_expiry(timezone.now() + timedelta(hours=settings.RPA_SESSION_HOURS))


def tell_of_login(sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
    record(Verb.LOGIN, user=user, origin="page", address=_address(request), kind="person", about=user.get_username())


def tell_of_logout(sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
    if user is not None:  # a session that had ended knows nobody
        name = user.get_username()
        record(Verb.LOGOUT, user=user, origin="page", address=_address(request), kind="person", about=name)


def tell_of_failure(sender: Any, credentials: Any, request: Any = None, **kwargs: Any) -> None:
    """A name is kept only where somebody is called so: people type their password where their name belongs."""
    typed = str(credentials.get("username", ""))[:150]
    known = get_user_model().objects.filter(username=typed).values_list("username", flat=True).first() or ""
    record(Verb.LOGIN_FAILED, who=known, origin="page", address=_address(request), kind="person", about=known)


def _address(request: Any) -> str | None:
    return address_of(request) if request is not None else None
