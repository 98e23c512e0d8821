"""What every test stands on: run-time data and a database of their own, the four roles, and five people."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as property_settings
from playwright.sync_api import expect

from tests.support.installations import SHARED, put_database
from tests.support.order import Together, longest_first
from tests.support.telling import ToldAtOnce

# Hundreds of processes would compile the product anew, and both workers all tests. What is written, git ignores.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that starts the suite behind itself has it ignore Ctrl-C, and with it whatever a test starts and breaks off.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The settings read these when they are imported, so they are set before anything of Django is.
DATA_DIR = Path(tempfile.mkdtemp(prefix="surehand-test-"))
(DATA_DIR / "static").mkdir()  # whitenoise warns where there is none
os.environ["RPA_DATA_DIR"] = str(DATA_DIR)
os.environ["RPA_ENV_FILE"] = os.devnull
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
os.environ.setdefault(SHARED, str(DATA_DIR / "shared"))  # of the first process, which outlives its workers

# The same examples every time, neither they nor the making of them timed: the machines that run them are of any speed.
# What every change must pass tries fewer of them.
SAME = {"derandomize": True, "deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
property_settings.register_profile("surehand", **SAME)
property_settings.register_profile("gate", **SAME, max_examples=25)
property_settings.register_profile("many", **SAME, max_examples=10_000)
property_settings.load_profile("surehand")

# A page has as long as a machine may take that runs the other half of the tests meanwhile; what comes is not slower.
expect.set_options(timeout=60_000)

PASSWORD = "correct horse battery"
ASKING = pytest.StashKey[set[Path]]()  # the files of which a test asks for the database


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database", action="store_true", help="only tests that ask for the database: others are as on any other one"
    )


def pytest_configure(config: pytest.Config) -> None:
    from django.conf import settings

    if not DATA_DIR.samefile(settings.DATA_DIR):
        raise pytest.UsageError("Settings were read before tests/conftest.py: leave DJANGO_SETTINGS_MODULE to it.")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(ToldAtOnce(config.pluginmanager))
    make_commits_cheap(settings.DATABASES["default"])
    settings.WHITENOISE_AUTOREFRESH = True  # else each new client goes through all files of pages, to serve none
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # tests log in often


def make_commits_cheap(database: dict[str, Any]) -> None:
    """SQLite leaves writing to the disk to the system: a test's database need not survive a power cut."""
    if database["ENGINE"] == "django.db.backends.sqlite3":
        options = database["OPTIONS"]
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """A worker inherits the environment: with this name in it, its settings would be read with this process's data."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(DATA_DIR, ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("database"):
        others = [item for item in items if not asks_for_the_database(item)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if asks_for_the_database(item)]
    if hasattr(config, "workerinput"):
        items[:] = longest_first(items)


def asks_for_the_database(item: pytest.Item) -> bool:
    asked = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
    return bool(asked) or item.get_closest_marker("django_db") is not None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together | None:
    return Together(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Nothing that is collected goes again, and the collector's walks through it were half of the work."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish(session: pytest.Session) -> None:
    session.stash[ASKING] = {item.path for item in session.items if asks_for_the_database(item)}
    gc.collect()  # what is there by now stays: the collector need not walk through it again and again
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not Path("/dev/nvidia0").exists():
        pytest.skip("no NVIDIA GPU on this machine")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """A file, as in production: threads, other processes and the stream's own connection see the same rows."""
    from django.db import connections

    database = connections["default"].settings_dict
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = str(DATA_DIR / "test.sqlite3")
        if "PYTEST_XDIST_WORKER" in os.environ:
            put_database(DATA_DIR / "test.sqlite3")  # one for all workers


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The folder that it lies in goes; and what was copied there is not made anew."""
    from django.db import connection

    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any
) -> Iterator[Callable[[], list[str]]]:
    from asgiref.sync import SyncToAsync
    from django.db import connections

    from tests.support.flushing import flushed_quickly

    with django_db_blocker.unblock():
        quickly = flushed_quickly()
        flush = quickly.__enter__()
    yield flush
    quickly.__exit__(None, None, None)
    # Asynchronous tests ask the database in this thread, whose connection no request closes there.
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()
    with django_db_blocker.unblock():
        left = end_sessions_left()
    if left:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print("\nSessions that tests left open:", *left, sep="\n  ", file=sys.stderr)


def end_sessions_left() -> list[str]:
    """PostgreSQL drops no database that a thread of a test still has a session of: those are ended, and told."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid), backend_start::time, state, query FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return [f"since {began}, {state}, last: {query[:200]}" for _, began, state, query in cursor.fetchall()]


@pytest.fixture(scope="module", autouse=True)
def untouched_database(request: pytest.FixtureRequest) -> None:
    """What a thread or a process of an earlier file wrote after its end goes, and is told: a file begins without it."""
    if request.path not in request.session.stash[ASKING]:
        return
    flush = request.getfixturevalue("django_db_setup")
    with request.getfixturevalue("django_db_blocker").unblock():
        left = flush()
    if left:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print(f"\nLEFT for {request.path.name} by an earlier file: rows in {', '.join(left)}", file=sys.stderr)


@pytest.fixture(scope="session", autouse=True)
def told_of_whole_pages(django_test_environment: None) -> None:
    """What a page was rendered with is kept for the test that asked for it; not of each of the 200 parts of a page."""
    from django.template import Context
    from django.template.base import Template
    from django.test.utils import instrumented_test_render

    def render(template: Template, context: Context) -> str:
        if context.template is template:
            return str(instrumented_test_render(template, context))
        return str(template.nodelist.render(context))

    Template._render = render  # as Django's own, which is taken away at the end


@pytest.fixture(scope="session", autouse=True)
def gpu_of_this_process() -> Iterator[None]:
    """Runs and pages of a test ask a GPU manager that is alone: no lock, no rows, no server."""
    from gpu import manager
    from gpu.config import GPUResourceConfig
    from gpu.manager import GPUResourceManager, get_gpu_resource_manager

    alone = GPUResourceManager(GPUResourceConfig())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(manager, "wired_manager", lambda: alone)
        get_gpu_resource_manager.cache_clear()
        get_gpu_resource_manager()
    yield
    get_gpu_resource_manager.cache_clear()
    alone.close()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A request in French leaves its language to the thread; the next test begins in English again."""
    from django.utils import translation

    translation.activate("en")
    yield
    translation.deactivate()


@pytest.fixture
def make_user(db: None) -> Callable[..., Any]:
    """`make_user("zoe", "operator")`: a person with that role; without one, nobody special."""
    from django.contrib.auth.models import Group, User

    def make(name: str, role: str = "") -> User:
        user = User.objects.create_user(name, password=PASSWORD)
        if role:
            user.groups.add(Group.objects.get(name=role))
        return user

    return make


@pytest.fixture
def stranger(make_user: Callable[..., Any]) -> Any:
    """Can log in and holds no role."""
    return make_user("stranger")


@pytest.fixture
def viewer(make_user: Callable[..., Any]) -> Any:
    return make_user("viewer", "viewer")


@pytest.fixture
def operator(make_user: Callable[..., Any]) -> Any:
    return make_user("operator", "operator")


@pytest.fixture
def designer(make_user: Callable[..., Any]) -> Any:
    return make_user("designer", "designer")


@pytest.fixture
def admin(make_user: Callable[..., Any]) -> Any:
    return make_user("admin", "admin")


@pytest.fixture
def client_of() -> Callable[..., Any]:
    """`client_of(viewer)`: Django's test client, logged in as that person."""
    from django.test import Client

    def log_in(user: Any, **kwargs: Any) -> Client:
        client = Client(**kwargs)
        client.force_login(user)
        return client

    return log_in
