"""What PostgreSQL says of itself, by a real server: away, or a fault of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import InternalError, OperationalError, ProgrammingError

from tests.support import servers
from workflows.availability import is_away, kind_of_trouble


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with servers.postgresql() as address:
        yield address


def kind_of(work: Callable[[], Any]) -> str:
    """What is said of the error that `work` ends with, as Django hands it on."""
    import psycopg

    kinds = {psycopg.OperationalError: OperationalError, psycopg.ProgrammingError: ProgrammingError}
    with pytest.raises(psycopg.Error) as raised:
        work()
    kind = next((ours for theirs, ours in kinds.items() if isinstance(raised.value, theirs)), InternalError)
    error = kind(str(raised.value))
    error.__cause__ = raised.value
    assert is_away(error) == bool(kind_of_trouble(error))
    return kind_of_trouble(error)


def test_a_server_that_is_restarted_is_away_on_lines_that_were_open_and_on_new_ones(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as one, psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [one.info.backend_pid])
        assert kind_of(lambda: one.execute("SELECT 1")) == "gone"
        assert kind_of(lambda: one.execute("SELECT 1")) == "gone"
        servers.restart_postgresql(url, mode="immediate")
        assert kind_of(lambda: other.execute("SELECT 1")) == "gone"
    folder = url.partition("host=")[2]
    assert kind_of(lambda: psycopg.connect(url.replace(folder, f"{folder}-away"))) == "gone", (
        "No such file or directory"
    )
    assert kind_of(lambda: psycopg.connect("postgres://127.0.0.1:1/surehand")) == "gone"


def test_what_a_wait_mends_and_what_not(url: str) -> None:
    import psycopg

    assert kind_of(lambda: psycopg.connect(url.replace("/surehand?", "/other?"))) == ""
    assert kind_of(lambda: psycopg.connect(url.replace("surehand@", "nobody@"))) == ""
    with psycopg.connect(url) as one, psycopg.connect(url, autocommit=True) as other:
        assert kind_of(lambda: other.execute("SELECT 1 FROM there_is_none")) == ""
        other.execute("CREATE TABLE t (x int)")
        other.execute("SET lock_timeout = 1")
        one.execute("LOCK TABLE t")
        assert kind_of(lambda: other.execute("SELECT 1 FROM t")) == "locked"
        one.rollback()
        other.execute("SET default_transaction_read_only = on")
        assert kind_of(lambda: other.execute("INSERT INTO t VALUES (1)")) == "read only"
