"""Connections of threads that ask the database all the time."""

from __future__ import annotations

import pytest
from django.db import connection

from execution.models import Robot
from execution.record.connections import let_go_of_broken

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_session_outlasts_the_looks_of_a_loop() -> None:
    """On SQLite a file that was put in the place of the old one is opened, else it was never seen."""
    assert not Robot.objects.exists()
    session = connection.connection
    let_go_of_broken()
    assert not Robot.objects.exists()
    assert (connection.connection is session) is (connection.vendor != "sqlite")


def test_a_connection_that_failed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Robot.objects.exists()
    session, connection.errors_occurred = connection.connection, True
    monkeypatch.setattr(connection, "is_usable", lambda: False)
    let_go_of_broken()
    assert not Robot.objects.exists()
    assert connection.connection is not session
