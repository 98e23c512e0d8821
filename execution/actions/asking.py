"""Who asks, and from where; every wish is kept with it and told in the stream (S1.24)."""

from __future__ import annotations

import getpass
from typing import Any

from audit.recording import record
from execution.choices import EventKind, Origin, Verb
from execution.models import Execution, WishRecord
from execution.record.events import emit
from execution.record.payloads import wish_payload

NAMELESS = frozenset({Origin.COMMAND, Origin.PROGRAM})  # nobody logs in there: it is the account of the machine


def name_of(user: Any, origin: Origin) -> str:
    """The person's name, or the machine's account where nobody logged in; empty where neither is known."""
    if user is not None:
        return str(user.get_username())
    if origin not in NAMELESS:
        return ""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user need not have a name
        return ""


def record_wish(execution: Execution, verb: Verb, *, user: Any, origin: Origin, **detail: Any) -> WishRecord:
    """Keep what was asked, and tell of it; call inside the transaction that does what was asked.

    What stood on a button of a dialog is the run's, and goes with its texts; that one was pressed is on record.
    """
    wish = WishRecord.objects.create(
        execution=execution, verb=verb, user=user, name=name_of(user, origin), origin=origin, detail=detail
    )
    told = {**detail, "press": True} if detail.get("press") else detail
    record(verb, user=user, who=wish.name, origin=origin, kind="run", about=execution.execution_id, **told)
    if verb is not Verb.START:  # a run that is started tells of itself
        emit(execution, EventKind.WISH, wish_payload(wish))
    return wish
