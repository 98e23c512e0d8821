"""Beside the worker's tasks: what is wanted is found by its row, and the clock is looked at for lists (S12.9)."""

from __future__ import annotations

import itertools
import threading

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
