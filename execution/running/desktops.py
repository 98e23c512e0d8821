"""The desktop of a name, with what the vault keeps for those elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.utils import timezone

from execution.desktop.base import Desktop, DesktopRefused, DesktopUnavailable
from execution.desktop.elsewhere.address import Address, is_elsewhere
from execution.desktop.local import open_desktop
from execution.models import Robot
from execution.models.robot import Connection
from sentences.said import cause, to_json, told_by
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


# How the connection to a desktop elsewhere is, on the robots page; and how often it is tried again.

log = logging.getLogger(__name__)

# Each time a client is started and logs in: a machine that starts anew, or a network that is being mended, is not
# helped by a login each second.
_PAUSES_S = (1.0, 2.0, 4.0, 8.0, 15.0)
_LONGEST_S = 30.0


def pauses_s(name: str | None, *, otherwise: float) -> Iterator[float]:
    """How long to wait before each look whether a desktop is back; `otherwise` for one of this machine."""
    return chain(_PAUSES_S, repeat(_LONGEST_S)) if is_elsewhere(name) else repeat(otherwise)


class ConnectionTold:
    """Keeps it in the robot's row; of a desktop of this machine nothing is kept."""

    def __init__(self) -> None:
        self._robot: Robot | None = None
        self._cuts = 0

    def is_there(self, robot: Robot, desktop_name: str) -> None:
        self._robot = robot if is_elsewhere(desktop_name) else None
        self._keep(Connection.CONNECTED, since=timezone.now().isoformat())

    def is_cut(self, why: str) -> None:
        """Why, and since when; it is tried from now on."""
        self._cuts += 1
        self._keep(Connection.LOST, since=timezone.now().isoformat(), why=to_json(why))

    def is_still_cut(self, why: str, *, tries: int) -> None:
        self._keep(Connection.TRYING, why=to_json(why), tries=tries)

    def is_given_up(self, why: str) -> None:
        self._keep(Connection.REFUSED, why=to_json(why))

    def is_over(self) -> None:
        """The loop leaves, and tries no more; that it was not let in stays told."""
        if self._robot is not None:
            try:
                rows = Robot.objects.filter(pk=self._robot.pk).exclude(connection__state=Connection.REFUSED)
                rows.update(connection={})
            except DatabaseError as error:
                log.warning("not kept: %s", error, extra={"kind": "connection"})

    def _keep(self, state: Connection, **told: Any) -> None:
        if self._robot is None:
            return
        rows = Robot.objects.filter(pk=self._robot.pk)
        try:
            known = rows.values_list("connection", flat=True).first() or {}
            rows.update(connection={"since": known.get("since"), "cuts": self._cuts, "state": state, **told})
        except DatabaseError as error:
            log.warning("not kept: %s", error, extra={"kind": "connection"})
