"""Tokens for programs: made once, kept as a digest, with an end, and never farther-reaching than their person."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, BasicAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from rpa_site.models import ApiToken, TokenScope, TokenUser
from rpa_site.roles import Role, permissions_of
from rpa_site.throttle import TooManyAttempts, checked_login

KEYWORD = "Bearer"
MARK = "shd_"  # so that a token is recognised wherever it was left by mistake
DAYS = (1, 7, 30, 90, 365)
USED_EVERY = timedelta(minutes=1)


def make_token(user: Any, *, name: str, scope: TokenScope, days: int) -> tuple[ApiToken, str]:
    """A new token and its row; the token itself can be read here and never again."""
    token = MARK + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        user=user,
        name=name,
        start=token[: len(MARK) + 5],
        digest=digest_of(token),
        scope=scope,
        expires_at=timezone.now() + timedelta(days=days),
    )
    return row, token


def digest_of(token: str) -> str:
    """Of 256 random bits: a plain digest cannot be searched through."""
    return hashlib.sha256(token.encode()).hexdigest()


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer shd_…`"""

    def authenticate(self, request: Request) -> tuple[TokenUser, ApiToken] | None:
        keyword, _space, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if keyword.lower() != KEYWORD.lower():
            return None
        row = ApiToken.objects.filter(digest=digest_of(token.strip())).first()
        user = TokenUser.objects.filter(pk=row.user_id, is_active=True).first() if row else None
        if row is None or user is None:
            raise AuthenticationFailed(_("This token is not known here. It may have been revoked."))
        if row.is_expired:
            raise AuthenticationFailed(_("This token has expired. Make a new one on the page of your account."))
        user.scope = permissions_of(Role(row.scope))
        now = timezone.now()
        long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_EVERY)
        ApiToken.objects.filter(long_ago, pk=row.pk).update(last_used_at=now)
        return user, row

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class ThrottledBasicAuthentication(BasicAuthentication):
    """Name and password with each request, where a deployment turns it on; counted like the page to log in."""

    def authenticate_credentials(self, userid: str, password: str, request: Any = None) -> tuple[Any, None]:
        try:
            user = checked_login(request, userid, password)
        except TooManyAttempts as error:
            raise Throttled(wait=error.minutes * 60) from error
        if user is None:
            raise AuthenticationFailed(_("Name or password are wrong."))
        return user, None
