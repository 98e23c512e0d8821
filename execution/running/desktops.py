"""The desktop of a name, with what the vault keeps for those elsewhere."""

from __future__ import annotations

from django.db import DatabaseError, InterfaceError

from execution.desktop.base import Desktop, DesktopRefused, DesktopUnavailable
from execution.desktop.elsewhere.address import Address
from execution.desktop.local import open_desktop
from sentences.said import cause, told_by
from workflows.availability import is_away
from workflows.secret import Login, VaultError
from workflows.vault import open_credential


def open_named(name: str | None = None) -> Desktop:
    """Raises DesktopUnavailable, and DesktopRefused where trying again would not help."""
    return open_desktop(name, login=_login)


def _login(address: Address) -> Login:
    try:
        return open_credential(address.credential, reason=address.name)
    except VaultError as error:
        raise DesktopRefused(told_by(error)) from error
    except (DatabaseError, InterfaceError) as error:
        if not is_away(error):
            raise
        raise DesktopUnavailable(cause(error)) from error
