"""`manage.py smoke`: what is asked after a deploy, and what is said to do (S5.7)."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from types import ModuleType
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone

from execution import navigation
from execution.models import Robot
from rpa_site import smoke
from rpa_site.smoke import ExitCode, SmokeCheck, verdict_of
from workflows import catalogue

WELL = {"status": "ok", "database": "ok", "pending_migrations": 0, "run_loops_alive": 1}


@contextmanager
def answering(body: bytes, *, status: int = 200) -> Iterator[tuple[int, list[dict[str, str]]]]:
    """A server that answers everything alike; gives its port and the headers of each question."""
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(dict(self.headers.items()) | {"path": self.path})
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            return None

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port, asked
        finally:
            server.shutdown()
            thread.join()


def alive(name: str = "desk:1", **fields: Any) -> Robot:
    return Robot.objects.create(name=name, desktop=name, host="desk", pid=1, **fields)


def run(**options: Any) -> tuple[int, str]:
    """The exit code and what was printed."""
    out = StringIO()
    try:
        call_command("smoke", stdout=out, **{"timeout": 0, **options})
    except SystemExit as left:
        return int(left.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def navigate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that holds the handler, with one that can be called."""
    module = ModuleType("execution.navigation")
    module.__path__ = navigation.__path__  # its own modules are imported as ever
    module.handle_navigate_action = lambda *_: None
    monkeypatch.setitem(sys.modules, "execution.navigation", module)
    return module


@pytest.mark.django_db
@pytest.mark.usefixtures("navigate")
def test_a_deploy_that_is_well_is_kept(settings: Any) -> None:
    """S5.7: exit 0, one line for each of the seven checks."""
    alive()
    with answering(json.dumps(WELL).encode()) as (port, _asked):
        settings.PORT = port
        code, said = run()
    assert (code, said.count("✓"), said.count("✗")) == (0, 7, 0)
    assert said.rstrip().endswith("Keep it.")


@pytest.mark.django_db
@pytest.mark.usefixtures("navigate")
def test_what_is_not_up_is_to_be_restarted_and_its_log_read(settings: Any) -> None:
    """S5.7: exit 2."""
    with answering(b"") as (port, _asked):
        settings.PORT = port  # free again below
    code, said = run()
    assert code == 2
    assert "systemctl restart 'surehand-runloop@*'" in said
    assert "journalctl -u 'surehand-web@*'" in said
    assert "Nothing answers" in said


@pytest.mark.django_db
def test_rolling_back_outweighs_looking(navigate: ModuleType, settings: Any) -> None:
    """S5.7: exit 1 although the processes are down as well, and every failure is told."""
    del navigate.handle_navigate_action
    settings.PORT = 1
    code, said = run()
    assert code == 1
    assert "execution.navigation has no function handle_navigate_action" in said
    assert "Roll back to the version before; the data stays as it is." in said
    assert "systemctl restart" in said


def test_the_own_handler_of_navigate_is_there() -> None:
    """S5.4, S5.7: as delivered."""
    assert smoke.navigate_handler().verdict is ExitCode.KEEP
    assert smoke.navigate_types().verdict is ExitCode.KEEP


@pytest.mark.parametrize("name", ["ALLOWED_ACTION_TYPES", "SERVER_SIDE_ACTION_TYPES"])
def test_navigate_must_stand_in_both_sets(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """S5.7"""
    monkeypatch.setattr(catalogue, name, getattr(catalogue, name) - {"navigate"})
    finding = smoke.navigate_types()
    assert finding.verdict is ExitCode.ROLL_BACK
    assert name in finding.why


def test_an_application_that_cannot_be_imported_is_rolled_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5.7"""
    monkeypatch.setitem(sys.modules, "rpa_site.asgi", None)
    finding = smoke.web_application()
    assert finding.verdict is ExitCode.ROLL_BACK
    assert "ModuleNotFoundError" in finding.why


def test_a_handler_whose_module_breaks_is_rolled_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5.7"""
    monkeypatch.setitem(sys.modules, "execution.navigation", None)
    assert smoke.navigate_handler().verdict is ExitCode.ROLL_BACK


@pytest.mark.django_db
def test_migrations_that_are_not_applied_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5.7: they are to be applied; that is no reason to roll back."""
    plan = [(type("M", (), {"app_label": "execution", "name": f"000{n}_new"}), False) for n in range(6)]
    monkeypatch.setattr(smoke.MigrationExecutor, "migration_plan", lambda self, targets: plan)
    finding = smoke.migrations()
    assert finding.verdict is ExitCode.LOOK
    assert finding.why == (
        "6 are not: execution.0000_new, execution.0001_new, execution.0002_new, execution.0003_new, …."
    )
    assert "manage.py migrate" in finding.to_do


@pytest.mark.django_db
def test_a_database_of_a_newer_version_is_told_after_a_roll_back() -> None:
    """S5.7, S5.8: the code went back, the database did not."""
    from django.db.migrations.recorder import MigrationRecorder

    MigrationRecorder.Migration.objects.create(app="execution", name="0999_of_next_year")
    finding = smoke.migrations()
    assert finding.verdict is ExitCode.LOOK
    assert "execution.0999_of_next_year" in finding.why
    assert "manage.py restore" in finding.to_do


def test_a_database_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("could not connect")

    monkeypatch.setattr(smoke, "MigrationExecutor", away)
    finding = smoke.migrations()
    assert (finding.verdict, "DATABASE_URL" in finding.to_do) == (ExitCode.LOOK, True)


@pytest.mark.django_db
def test_a_run_loop_that_fell_silent_is_not_alive(settings: Any) -> None:
    """S5.7"""
    alive(heartbeat_at=timezone.now() - timedelta(seconds=settings.RPA_LEASE_S + 5))
    finding = smoke.run_loop(until=0)
    assert finding.verdict is ExitCode.LOOK
    assert "desk:1" in finding.why


def test_what_comes_up_within_the_time_out_is_waited_for() -> None:
    """S5.7: a deploy has just restarted it."""
    answers = iter([False, False, True])
    assert smoke._wait(lambda: next(answers), until=smoke.time.monotonic() + 30)


WRONG: list[tuple[bytes, int, str]] = [
    (b"<html>It works!</html>", 200, "Something else answers there"),
    (b"[1]", 200, "Something else answers there"),
    (b"", 404, "status 404"),
    (json.dumps(WELL | {"status": "failing", "database": "OperationalError"}).encode(), 503, "OperationalError"),
    (json.dumps(WELL | {"status": "failing", "pending_migrations": 2}).encode(), 503, "2 migrations pending"),
    (b"[" * 100_000, 200, "Something else answers there"),
]


@pytest.mark.parametrize(("body", "status", "why"), WRONG, ids=[str(n) for n in range(len(WRONG))])
def test_whatever_else_answers_at_the_port_is_no_health(settings: Any, body: bytes, status: int, why: str) -> None:
    """S5.7"""
    with answering(body, status=status) as (port, _asked):
        settings.PORT = port
        finding = smoke.health(until=0)
    assert (finding.verdict, why in finding.why) == (ExitCode.LOOK, True), finding.why


def test_a_site_behind_tls_that_answers_to_its_name_alone_is_asked_by_that_name(settings: Any) -> None:
    """S5.7: no redirect to TLS and no refused host on the machine itself."""
    settings.ALLOWED_HOSTS = [".surehand.example.org"]
    with answering(json.dumps(WELL).encode()) as (port, asked):
        settings.PORT = port
        assert smoke.health(until=0).verdict is ExitCode.KEEP
    assert (asked[0]["Host"], asked[0]["X-Forwarded-Proto"]) == ("surehand.example.org", "https")
    assert (asked[0]["path"], "Cookie" in asked[0], "Authorization" in asked[0]) == ("/health", False, False)


@pytest.mark.parametrize("timeout", [-1, 1e9, float("nan")])
def test_a_time_out_that_is_none_is_refused(timeout: float) -> None:
    with pytest.raises(CommandError, match="--timeout takes seconds"):
        run(timeout=timeout)


def test_nothing_found_is_kept_and_the_worst_counts() -> None:
    def one(verdict: ExitCode) -> SmokeCheck:
        return SmokeCheck(what="x", verdict=verdict)

    assert verdict_of([]) is ExitCode.KEEP
    assert verdict_of([one(ExitCode.LOOK), one(ExitCode.ROLL_BACK), one(ExitCode.KEEP)]) is ExitCode.ROLL_BACK
    assert verdict_of([one(ExitCode.LOOK), one(ExitCode.KEEP)]) is ExitCode.LOOK
