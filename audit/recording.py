"""The one way into the record of what people do: called where each thing happens, in its transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from audit.models import Entry, Verb

LOOKED_FOR = timedelta(hours=1)  # whoever looks at the same run again within it is not told anew
MOST_LOOKS = 10_000
_LOOKS: dict[tuple[Any, str, bool], datetime] = {}


def record(
    verb: str,
    *,
    user: Any = None,
    who: str = "",
    origin: str = "",
    address: str | None = None,
    kind: str = "",
    about: str = "",
    **detail: Any,
) -> Entry:
    """Keep that `user`, or whoever is named, did that. Never hand it what is secret or what stood on a screen."""
    name = who or (str(user.get_username()) if user is not None else "")
    return Entry.objects.create(
        verb=Verb(verb),
        who=name[:150],
        user_pk=getattr(user, "pk", None),
        origin=str(origin)[:20],
        address=address,
        kind=kind,
        about=about[:200],
        detail={key: value for key, value in detail.items() if value not in (None, "", [], {})},
    )


def record_look(*, user: Any, execution_id: str, origin: str, unmasked: bool = False) -> None:
    """That somebody looked at a run's pictures, once an hour; at what is masked in them is another thing.

    What this process has told is remembered here: a page that is looked at again costs nothing.
    """
    look, now = (user.pk, execution_id, unmasked), timezone.now()
    if (told := _LOOKS.get(look)) is not None and told > now - LOOKED_FOR:
        return
    if len(_LOOKS) >= MOST_LOOKS:
        _LOOKS.clear()
    record(Verb.LOOK, user=user, origin=origin, kind="run", about=execution_id, unmasked=unmasked or None)
    _LOOKS[look] = now
