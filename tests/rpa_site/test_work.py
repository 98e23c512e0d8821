"""Beside the worker's tasks: what is wanted is found by its row, and the clock is looked at for lists (S12.9)."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError

from rpa_site.management.commands import work

WITHIN_S = 20


def test_both_looks_go_on_though_one_of_them_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, clock = threading.Event(), threading.Semaphore(0)

    fails = itertools.cycle([OperationalError("the database is locked"), ValueError("a bad row")])

    def look() -> None:
        clock.release()
        raise next(fails)

    monkeypatch.setattr(work, "LOOK_S", 0.01)
    monkeypatch.setattr(work, "take_up", wanted.set)
    monkeypatch.setattr(work.nights, "look", look)
    monkeypatch.setattr(work.telling, "tell", lambda: None)
    with work.looking():
        assert wanted.wait(WITHIN_S)
        assert clock.acquire(timeout=WITHIN_S)
        for _n in range(3):
            assert clock.acquire(timeout=WITHIN_S), "it looked once, and not again"
    assert {one.name for one in threading.enumerate()}.isdisjoint(
        {"looking at the clock", "looking for what is wanted"}
    )


def failing_with(*errors: Exception) -> Callable[..., None]:
    """A queue's worker that fails with each of them in turn, and then has nothing left to do."""
    left = list(errors)

    def command(*args: Any, **options: Any) -> None:
        if left:
            raise left.pop(0)

    return command


def test_a_locked_database_ends_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The looks that begin lists and tell people live as long as it does."""
    locked = [OperationalError("database is locked") for _n in range(3)]
    monkeypatch.setattr(work, "_POLL_S", 0)
    monkeypatch.setattr(work, "call_command", failing_with(*locked))
    work._work_in_rows(once=False)


@pytest.mark.parametrize(("once", "said"), [(True, "database is locked"), (False, "no such table: queue")])
def test_what_waiting_does_not_mend_ends_it(monkeypatch: pytest.MonkeyPatch, once: bool, said: str) -> None:
    monkeypatch.setattr(work, "_POLL_S", 0)
    monkeypatch.setattr(work, "call_command", failing_with(OperationalError(said)))
    with pytest.raises(OperationalError, match=said):
        work._work_in_rows(once=once)
