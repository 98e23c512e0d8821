"""How often one may try to log in, so that guessing does not pay and nobody can lock a whole ward out.

What is counted, within a window, before any password is looked at:

- an unknown browser: the attempts at this name from its address, and at this name from anywhere;
- a browser on which this person has logged in before (a signed cookie says so): its own attempts alone. Whoever guesses
  elsewhere, even behind the same address, does not shut it out;
- all unknown browsers of one address together, generously: a ward shares one.

An attempt is written before it is judged, so that many at once count as many.
"""

from __future__ import annotations

import logging
import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.validators import validate_ipv46_address
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from rpa_site.models import FailedLogin

log = logging.getLogger(__name__)

WINDOW = timedelta(minutes=15)
MOST_OF_A_DEVICE = 10
MOST_AT_A_NAME_FROM_AN_ADDRESS = 5
MOST_AT_A_NAME = 30
MOST_FROM_AN_ADDRESS = 100
DEVICE_VALID = timedelta(days=90)
SALT = "rpa_site.throttle"


class TooManyAttempts(Exception):
    """The password was not looked at; `minutes` from now it will be again."""

    def __init__(self) -> None:
        self.minutes = int(WINDOW.total_seconds() // 60)
        super().__init__(f"again in {self.minutes} min")


def checked_login(request: HttpRequest, username: str, password: str, *, device: str | None = None) -> Any:
    """The person with that name and password, or None; raises TooManyAttempts without looking at the password.

    `device` names the browser where something else than the cookie tells that this person has logged in on it.
    """
    name, address = _digest(username), address_of(request)
    device = known_device(request, username) if device is None else device
    with transaction.atomic():
        _one_after_the_other()
        FailedLogin.objects.filter(at__lt=timezone.now() - WINDOW).delete()
        if _too_many(name, address, device):
            log.warning("log-in refused: too many attempts", extra={"address": address})
            raise TooManyAttempts
        attempt = FailedLogin.objects.create(name=name, address=address, device=device)
    user = authenticate(request, username=username, password=password)
    if user is None:
        log.warning("log-in failed", extra={"address": address})
        return None
    mine = FailedLogin.objects.filter(name=name, device=device)
    (mine if device else mine.filter(address=address)).delete()
    attempt.delete()
    return user


def _one_after_the_other() -> None:
    """Until the transaction ends nobody else counts: SQLite has one writer, elsewhere many would each count too few."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f'LOCK TABLE "{FailedLogin._meta.db_table}" IN SHARE ROW EXCLUSIVE MODE')


def _too_many(name: str, address: str | None, device: str) -> bool:
    tried = FailedLogin.objects.filter(at__gte=timezone.now() - WINDOW)
    if device:
        return tried.filter(name=name, device=device).count() >= MOST_OF_A_DEVICE
    unknown = tried.filter(device="")
    return (
        unknown.filter(name=name, address=address).count() >= MOST_AT_A_NAME_FROM_AN_ADDRESS
        or unknown.filter(name=name).count() >= MOST_AT_A_NAME
        or unknown.filter(address=address).count() >= MOST_FROM_AN_ADDRESS
    )


def address_of(request: HttpRequest) -> str | None:
    """Where the request comes from. Only as many proxies as are set are believed: anybody can write that header."""
    seen = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
    hops = settings.RPA_PROXIES
    if hops and len(seen) >= hops:
        return _plain(seen[-hops])
    return _plain(request.META.get("REMOTE_ADDR", ""))


def _plain(address: str) -> str | None:
    try:
        validate_ipv46_address(address)
    except ValidationError:
        return None
    return address


def checked_again(request: HttpRequest, password: str) -> bool:
    """Whether it is the password of the person who is logged in; raises TooManyAttempts.

    Their session is counted by itself: whoever guesses at their name elsewhere does not shut them out.
    """
    session = _digest(request.session.session_key or "")
    return checked_login(request, request.user.get_username(), password, device=session) is not None


# --- browsers that are known -----------------------------------------------------------------------------------------
def known_device(request: HttpRequest, username: str) -> str:
    """What names this browser, if this person has logged in on it before; else nothing."""
    try:
        sealed = signing.loads(request.COOKIES.get(_cookie(username), ""), salt=SALT, max_age=DEVICE_VALID)
    except signing.BadSignature:
        return ""
    known = isinstance(sealed, dict) and sealed.get("name") == _digest(username)
    return str(sealed["device"])[:64] if known else ""


def remember_device(response: HttpResponse, username: str) -> None:
    """This person has logged in on this browser; it is of no other use than to be counted by itself."""
    response.set_cookie(
        _cookie(username),
        signing.dumps({"name": _digest(username), "device": secrets.token_hex(16)}, salt=SALT),
        max_age=int(DEVICE_VALID.total_seconds()),
        path="/login",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )


def _cookie(username: str) -> str:
    return f"device_{_digest(username)[:12]}"


def _digest(username: str) -> str:
    return salted_hmac(SALT, username.casefold(), algorithm="sha256").hexdigest()
