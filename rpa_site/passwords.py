"""What a password must not be, as Django's password validators, and what a new one ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.hashers import get_hasher, is_password_usable
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from rpa_site.models import ApiToken

SHORTEST = 3  # letters of a name that is looked for


class NameTwice:
    """Refuses a name that is written twice, which Django's measure of likeness lets pass."""

    def validate(self, password: str, user: Any = None) -> None:
        if any(password.casefold().count(name) > 1 for name in _names(user)):
            raise ValidationError(self.get_help_text(), code="password_name_twice")

    def get_help_text(self) -> str:
        return _("Your password can’t hold your name twice.")


class EndsTokens:
    """Says that a new password ends the tokens of its person (`ending_tokens`)."""

    def validate(self, password: str, user: Any = None) -> None:
        """Nothing is asked of the password itself."""

    def get_help_text(self) -> str:
        return _("A new password ends your tokens for programs.")


def ending_tokens(save: Callable[..., None]) -> Callable[..., None]:
    """Return Django's `User.save`, with which another password ends the tokens: whoever knew the old one may have made
    some. Both are kept, or neither, however and by whom it is saved."""

    @wraps(save)
    def saved(user: Any, *args: Any, **kwargs: Any) -> None:
        fields = kwargs.get("update_fields")
        if fields is not None and "password" not in fields:
            save(user, *args, **kwargs)
            return
        with transaction.atomic():
            stored = type(user).objects.filter(pk=user.pk).values_list("password", flat=True)
            was = stored.select_for_update().first()
            is_renewed = fields is not None and set(fields) == {"password"} and _is_renewed(user, was or "")
            save(user, *args, **kwargs)
            if was not in (None, user.password) and not is_renewed:
                _end_tokens(user)

    return saved


def _is_renewed(user: Any, was: str) -> bool:
    """Whether Django keeps the same password hashed otherwise, as at a login whose hash is out of date."""
    preferred = get_hasher()
    is_outdated = is_password_usable(was) and (
        was.partition("$")[0] != preferred.algorithm or preferred.must_update(was)
    )
    return is_outdated and user.has_usable_password() and user._password is None


def _end_tokens(user: Any) -> None:
    for token in ApiToken.objects.filter(user_id=user.pk):
        token.delete()
        record(Verb.TOKEN_REVOKED, kind="token", about=str(token), of=user.get_username(), fields=["password"])


def _names(user: Any) -> set[str]:
    known = (str(getattr(user, name, "") or "") for name in ("username", "first_name", "last_name", "email"))
    return {name.partition("@")[0].casefold() for name in known if len(name.partition("@")[0]) >= SHORTEST}
