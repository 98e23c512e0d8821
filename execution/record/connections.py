"""Connections to the database of threads that ask it again and again, for as long as a run loop lives."""

from __future__ import annotations

from django.db import connections


def let_go_of_broken() -> None:
    """What `close_old_connections` does between requests, for a thread that has none: what failed is closed.

    A session of PostgreSQL costs more to begin than what is asked in it, and CONN_MAX_AGE is about requests; so it
    stays. A file of SQLite is opened anew: another one may have been put in its place.
    """
    for connection in connections.all(initialized_only=True):
        if connection.vendor != "sqlite":
            connection.close_at = None
        connection.close_if_unusable_or_obsolete()
