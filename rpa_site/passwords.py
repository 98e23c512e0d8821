"""What a password must not be, and what a new one ends; Django calls these as password validators."""

from __future__ import annotations

from typing import Any

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
    """A new password ends the tokens of its person: whoever knew the old one may have made some."""

    def validate(self, password: str, user: Any = None) -> None:
        """Nothing is asked of the password itself."""

    def get_help_text(self) -> str:
        return _("A new password ends your tokens for programs.")

    @transaction.atomic
    def password_changed(self, password: str, user: Any) -> None:
        for token in ApiToken.objects.filter(user_id=user.pk):
            token.delete()
            record(Verb.TOKEN_REVOKED, kind="token", about=str(token), of=user.get_username(), fields=["password"])


def _names(user: Any) -> set[str]:
    known = (str(getattr(user, name, "") or "") for name in ("username", "first_name", "last_name", "email"))
    return {name.partition("@")[0].casefold() for name in known if len(name.partition("@")[0]) >= SHORTEST}
