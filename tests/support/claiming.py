"""Robots that look for a run at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from django.db import connections

from execution.desktop.base import DesktopIdentity
from execution.models import Robot
from execution.record.claims import Claim, claim


def claimed_at_once(robots: Sequence[Robot], identity: DesktopIdentity) -> list[Claim]:
    """What they got, each in a thread and with a connection of its own; an error in any of them is raised."""
    gate, got, failures = threading.Barrier(len(robots)), list[Claim](), list[Exception]()

    def take(one: Robot) -> None:
        try:
            gate.wait(60)
            if claimed := claim(one, identity):
                got.append(claimed)
        except Exception as error:
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take, args=(one,)) for one in robots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if failures:
        raise ExceptionGroup("of robots that claim at once", failures)
    return got
