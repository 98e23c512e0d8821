"""Who may ask anything of a list, and the record of what they asked."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.choices import Origin
from execution.models import Worklist
from execution.permissions import OPERATE

LIST = "list"  # what the record of what people do calls it


def may_operate(user: Any) -> None:
    """Raises PermissionDenied; without a user it is the server's own process, or its command line."""
    if user is not None and not user.has_perm(OPERATE):
        raise PermissionDenied(OPERATE)


def record_of(verb: Verb, worklist: Worklist, user: Any, origin: Origin, **detail: Any) -> None:
    """Keep that it was asked; call inside the transaction that does it. Never hand it what stands in a row."""
    who = name_of(user, origin)
    record(verb, user=user, who=who, origin=origin, kind=LIST, about=worklist.worklist_id, **detail)
