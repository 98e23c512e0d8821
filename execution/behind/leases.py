"""Who is at a piece of work, and until when: one at a time, and another one goes on after a death."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from execution.models.work import InPieces, WorkState

LEASE = timedelta(minutes=5)  # prolonged with every piece


class Taken(Exception):
    """Somebody else is at it, or it is at its end."""


def take(row: InPieces) -> None:
    """Be at it from now on. Raises Taken."""
    now, rows = timezone.now(), _rows(row)
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    if not rows.left().filter(free).update(state=WorkState.RUNNING, lease_until=now + LEASE):
        raise Taken(str(row))
    rows.filter(started_at=None).update(started_at=now)
    row.refresh_from_db()


def locked(row: InPieces) -> Any:
    """The row as it is now, locked for a transaction that keeps a piece; None where it was stopped or is another's."""
    found = _rows(row).select_for_update().get()
    return found if found.state == WorkState.RUNNING and found.lease_until == row.lease_until else None


def leave(row: InPieces) -> None:
    """For whoever comes next."""
    _rows(row).filter(state=WorkState.RUNNING, lease_until=row.lease_until).update(lease_until=None)


def end(row: InPieces, state: str, problem: str = "") -> None:
    """Unless it was stopped meanwhile, or is another's."""
    mine = _rows(row).filter(state=WorkState.RUNNING, lease_until=row.lease_until)
    mine.update(state=state, problem=problem, ended_at=timezone.now(), lease_until=None)
    row.refresh_from_db()


def stop(row: InPieces) -> bool:
    """Whoever is at it keeps nothing more. False where it was at its end."""
    return bool(_rows(row).left().update(state=WorkState.STOPPED, ended_at=timezone.now()))


def _rows(row: InPieces) -> Any:
    return type(row).objects.filter(pk=row.pk)  # type: ignore[attr-defined]


# Long work as pieces: what one reads is read before, what it writes is written in one transaction.

Place = dict[str, Any]


def _nothing() -> Place:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """`done`: how far it is with it. `write` gives the place to go on from, of which what it does not name stays."""

    done: int
    write: Callable[[], Place] = _nothing


def through(pieces: Iterable[Piece]) -> Place:
    """All of them at once, without a row; gives where it ended."""
    place: Place = {}
    for piece in pieces:
        with transaction.atomic():
            place |= piece.write()
    return place
