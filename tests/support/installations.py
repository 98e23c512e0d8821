"""What an installation starts with, made once for a whole run of the tests and copied by all who need it.

Migrations, passwords, the demo and reading its pictures take seconds each time. The workers of one run share what is
made: whoever needs it first makes it, and the others wait for that.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.support.processes import finished

ROOT = Path(__file__).resolve().parents[2]
NAME = "surehand.sqlite3"
TOLD = "told.json"
MADE_S = 300
SHARED = "SUREHAND_TESTS_SHARED"  # names the folder that the workers of one run share: tests/conftest.py
PASSWORD = "correct horse battery"
PEOPLE = {"vera": "viewer", "otto": "operator", "dora": "designer", "ada": "admin", "sam": ""}

BEGIN = f"""
from django.contrib.auth.models import Group, User
from django.core.management import call_command
for name, role in {PEOPLE!r}.items():
    user = User.objects.create_user(name, password={PASSWORD!r})
    if role:
        user.groups.add(Group.objects.get(name=role))
call_command("load_demo")
from execution.matching.references import prepare
from tests.support.eyes import patient_analyzer
from execution.record.reference_store import DatabaseReferences
from workflows.models import Workflow, WorkflowVersion
from workflows.pictures import PictureStore
Workflow.objects.update(learning_state="AUTO_CONFIRMED")  # operators may have it act by itself
analyzer = patient_analyzer()
for version in WorkflowVersion.objects.all():
    known = prepare(version.spec(), analyzer=analyzer, pictures=PictureStore(), store=DatabaseReferences())
    assert not [one.problem for one in known.values() if one.problem], known
"""


def put_database(path: Path) -> None:
    """A database as the migrations leave it: `manage.py migrate` finds nothing left to do."""
    shutil.copy(_made("migrated", _migrate) / NAME, path)


def put_installation(data: Path) -> None:
    """The data folder of an installation with PEOPLE and the demo workflow, its pictures read; it is not there yet."""
    shutil.copytree(_made("begun", _begin), data, dirs_exist_ok=True)


def put_run_at_work(data: Path) -> tuple[str, str]:
    """The data folder of an installation with a run at work that somebody may watch: the key of their session, the
    run's id. `data` is not there yet."""
    shutil.copytree(_made("at_work", _begin_run), data)
    told = json.loads((data / TOLD).read_text())
    return told["session_key"], told["execution_id"]


def _migrate(folder: Path) -> None:
    _manage(folder, "migrate", "-v0")


def _begin(folder: Path) -> None:
    put_database(folder / NAME)
    _manage(folder, "shell", "-v0", "-c", BEGIN)


def _begin_run(folder: Path) -> None:
    put_database(folder / NAME)
    (folder / "static").mkdir()
    (folder / TOLD).write_text(_python(folder, "-m", "tests.support.stream_worker", "prepare"))


def _manage(folder: Path, *arguments: str) -> None:
    _python(folder, "manage.py", *arguments)


def _python(folder: Path, *arguments: str) -> str:
    """Run it with that data folder; what it printed."""
    env = {**os.environ, "RPA_DATA_DIR": str(folder), "RPA_ENV_FILE": os.devnull}
    env |= {"DJANGO_SETTINGS_MODULE": "rpa_site.settings"}
    env.pop("DATABASE_URL", None)
    done = finished([sys.executable, *arguments], cwd=ROOT, env=env, timeout=MADE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _made(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of that name, made by whoever comes first; one that was given up half made is made anew."""
    made = _shared() / name
    with (_shared() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            half = _shared() / f"{name}.half"
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir()
            make(half)
            half.rename(made)
    return made


@cache
def _shared() -> Path:
    if named := os.environ.get(SHARED):
        Path(named).mkdir(exist_ok=True)
        return Path(named)
    folder = Path(tempfile.mkdtemp(prefix="surehand-shared-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
