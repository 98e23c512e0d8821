"""After a deploy: is what runs here to be kept? Each check says what is wrong and what to do (S5.7).

Nothing here logs in, and nothing changes anything.
"""

from __future__ import annotations

import http.client
import importlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.exceptions import BadMigrationError, InconsistentMigrationHistory
from django.db.migrations.executor import MigrationExecutor
from django.urls import get_resolver
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.models import Robot
from rpa_site.migration_names import named
from rpa_site.static_files import stale
from workflows import catalogue

NAVIGATE = "navigate"
HANDLER = ("execution.navigation", "handle_navigate_action")
POLL_S = 0.2
ANSWER_WITHIN_S = 5.0  # one question; the whole has the time-out that the command is given
NAMED = 5  # of the files that are not this version's
MOST_BYTES = 65_536  # /health is far shorter; another program at that port may answer anything


class ExitCode(IntEnum):
    """The exit codes of `manage.py smoke`."""

    KEEP = 0
    ROLL_BACK = 1
    LOOK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeCheck:
    """One check: what was looked at, and where it failed why, and what to do."""

    what: str
    verdict: ExitCode = ExitCode.KEEP
    why: str = ""
    to_do: str = ""


def findings(*, timeout_s: float) -> Iterator[SmokeCheck]:
    """All checks, one after the other; the ones that need running processes wait for them `timeout_s` in all."""
    until = time.monotonic() + timeout_s
    yield web_application()
    yield navigate_types()
    yield navigate_handler()
    yield migrations()
    yield static_files()
    yield run_loop(until=until)
    yield health(until=until)


def verdict_of(found: list[SmokeCheck]) -> ExitCode:
    """Rolling back outweighs looking: what cannot be imported is not mended by a restart."""
    verdicts = {finding.verdict for finding in found}
    return next((v for v in (ExitCode.ROLL_BACK, ExitCode.LOOK) if v in verdicts), ExitCode.KEEP)


def web_application() -> SmokeCheck:
    what = _("the web application imports")
    try:
        application = importlib.import_module("rpa_site.asgi").application
        routes = get_resolver().url_patterns
    except Exception as error:  # noqa: BLE001  whatever a broken module raises, the answer is the same
        return _roll_back(what, _("%(error)s.") % {"error": _told(error)})
    if not callable(application) or not routes:
        return _roll_back(what, _("rpa_site.asgi has no application, or it has no routes."))
    return SmokeCheck(what=what)


def navigate_types() -> SmokeCheck:
    what = _("“navigate” stands among the action types and among those of the server")
    sets = ("ALLOWED_ACTION_TYPES", "SERVER_SIDE_ACTION_TYPES")
    lacking = [name for name in sets if NAVIGATE not in getattr(catalogue, name, ())]
    if lacking:
        return _roll_back(what, _("It is missing in workflows.catalogue.%(sets)s.") % {"sets": ", ".join(lacking)})
    return SmokeCheck(what=what)


def navigate_handler() -> SmokeCheck:
    what = _("the handler of “navigate” can be called")
    module, name = HANDLER
    try:
        handler = getattr(importlib.import_module(module), name, None)
    except Exception as error:  # noqa: BLE001  as above
        return _roll_back(what, _("%(error)s.") % {"error": _told(error)})
    if not callable(handler):
        return _roll_back(what, _("%(module)s has no function %(name)s.") % {"module": module, "name": name})
    return SmokeCheck(what=what)


def migrations() -> SmokeCheck:
    """Those that are not applied, and those that a newer version has applied."""
    what = _("the migrations are applied")
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (InconsistentMigrationHistory, BadMigrationError) as error:
        return _roll_back(what, _("%(error)s.") % {"error": _told(error)})
    except DatabaseError as error:
        return _look(
            what,
            _("The database does not answer: %(error)s.") % {"error": _told(error)},
            _("Look at DATABASE_URL and RPA_DATA_DIR, and whether the database runs."),
        )
    if newer := sorted(executor.loader.applied_migrations.keys() - executor.loader.disk_migrations.keys()):
        return _look(
            what,
            _("The database was migrated by a newer version: %(names)s.") % {"names": named(newer)},
            _("Deploy that version again, or `manage.py restore` the backup that was made before it."),
        )
    if pending:
        names = named([(migration.app_label, migration.name) for migration, _backwards in pending])
        return _look(
            what,
            ngettext("%(count)d is not: %(names)s.", "%(count)d are not: %(names)s.", len(pending))
            % {"count": len(pending), "names": names},
            _("Run `manage.py migrate`, then this again."),
        )
    return SmokeCheck(what=what)


def static_files() -> SmokeCheck:
    """Collected ones of another version: pages would come with its scripts and styles."""
    what = _("the static files are those of this version")
    if others := stale():
        why = ngettext("%(count)d is not: %(names)s.", "%(count)d are not: %(names)s.", len(others)) % {
            "count": len(others),
            "names": ", ".join(others[:NAMED]) + (", …" if len(others) > NAMED else ""),
        }
        return _look(what, why, _("Run `manage.py collectstatic --noinput`, and restart the web process."))
    return SmokeCheck(what=what)


def run_loop(*, until: float) -> SmokeCheck:
    what = _("a run loop is alive")
    try:
        if _wait(lambda: Robot.objects.alive().exists(), until):
            return SmokeCheck(what=what)
        last = Robot.objects.order_by("-heartbeat_at").first()
    except DatabaseError as error:
        return _look(what, _("The database does not tell: %(error)s.") % {"error": _told(error)}, _restart("runloop"))
    if last is None:
        return _look(what, _("None has ever signed on."), _restart("runloop"))
    seen = last.heartbeat_at.isoformat(sep=" ", timespec="seconds")
    return _look(
        what, _("The last one, %(name)s, was heard at %(seen)s.") % {"name": last, "seen": seen}, _restart("runloop")
    )


def health(*, until: float) -> SmokeCheck:
    what = _("GET /health answers on port %(port)d") % {"port": settings.PORT}
    why = ""

    def asked() -> bool:
        nonlocal why
        why = _what_is_wrong_at_health(max(0.5, min(ANSWER_WITHIN_S, until - time.monotonic())))
        return not why

    return SmokeCheck(what=what) if _wait(asked, until) else _look(what, why, _restart("web"))


def _what_is_wrong_at_health(timeout_s: float) -> str:
    """Ask the web process on this machine; empty when it is well. No proxy, and no redirect to TLS."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{settings.PORT}/health", headers={"Host": _host(), "X-Forwarded-Proto": "https"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout_s) as answer:
            status, said = answer.status, _report(answer.read(MOST_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            status, said = error.code, _report(error.read(MOST_BYTES))
    except http.client.HTTPException as error:
        return _("What answers there speaks no HTTP: %(error)s.") % {"error": _told(error)}
    except OSError as error:
        return _("Nothing answers: %(error)s.") % {"error": getattr(error, "reason", None) or _told(error)}
    if "run_loops_alive" not in said:
        return _("Something else answers there, with status %(status)d.") % {"status": status}
    if status != 200 or said.get("status") != "ok":
        return _("It says %(status)s: database %(database)s, %(pending)s migrations pending.") % {
            "status": said.get("status"),
            "database": said.get("database"),
            "pending": said.get("pending_migrations"),
        }
    return ""


def _report(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _host() -> str:
    """A name that the web process answers to: 127.0.0.1 is refused where only a site's name is allowed."""
    names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name.strip(".*")]
    return "127.0.0.1" if not names or "127.0.0.1" in names else names[0]


def _wait(condition: Callable[[], bool], until: float) -> bool:
    """Whether the condition holds before `until` (monotonic); it is asked at least once."""
    while not condition():
        if time.monotonic() + POLL_S > until:
            return False
        time.sleep(POLL_S)
    return True


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _restart(unit: str) -> str:
    return _(
        "Restart it (`systemctl restart 'surehand-%(unit)s@*'`) and read its log "
        "(`journalctl -u 'surehand-%(unit)s@*'`)."
    ) % {"unit": unit}


def _roll_back(what: str, why: str) -> SmokeCheck:
    to_do = _("Roll back to the version before; the data stays as it is.")
    return SmokeCheck(what=what, verdict=ExitCode.ROLL_BACK, why=why, to_do=to_do)


def _look(what: str, why: str, to_do: str) -> SmokeCheck:
    return SmokeCheck(what=what, verdict=ExitCode.LOOK, why=why, to_do=to_do)
