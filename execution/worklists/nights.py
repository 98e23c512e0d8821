"""What the clock does for lists at each look: windows close, nights end, results are written, lists begin
(S12.9).

The worker calls it, four times a minute. All of it is asked of rows and kept by compare-and-set, so that several
workers do nothing twice, and one that was away misses nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import DatabaseError, InterfaceError
from django.utils import timezone

from execution.models import ClockLook
from execution.worklists.beginning import begin_due
from execution.worklists.closing import close_windows, end_nights
from execution.worklists.taking import watch
from execution.worklists.writing import write_results

log = logging.getLogger(__name__)

_IN_ORDER: tuple[Callable[[datetime], object], ...] = (close_windows, end_nights, write_results, begin_due, watch)


def look(now: datetime | None = None) -> None:
    """Each part by itself: what one of them fails with does not keep the others from being done."""
    now = now or timezone.now()
    ClockLook.keep(now)
    for part in _IN_ORDER:
        try:
            part(now)
        except (DatabaseError, InterfaceError):
            raise  # it concerns them all, and the caller looks again
        except Exception:  # one list's own trouble must not keep the others from beginning
            log.exception("%s failed", part.__name__)
