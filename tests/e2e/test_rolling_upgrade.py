"""An upgrade while run loops of the release before are at work: they finish under their own code, on the new schema.

The code of that release comes from git's history; where that is not there (a shallow clone), the test is skipped, and
says so. tests/test_compatible_migrations.py holds the migrations to it anywhere.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support import servers
from tests.support.display import wait_until
from tests.support.processes import finished
from tools import previous_release

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

NEW = Path(__file__).resolve().parents[2]
DESKTOP = "scripted:tests.support.scripted.three_pages"
PUBLISH_AND_START = """
from tests import factories
from tests.support.scripted import publish_line, queue
factories._numbers = iter({numbers})
print(queue(publish_line("one", "two", "three"), {mode!r}).execution_id)
"""
START_AGAIN = """
from execution.actions.start import start
from execution.models import Execution
print(start(workflow_id=Execution.objects.by_id({!r}).workflow_id, mode="automatic").execution_id)
"""
WAIT = """
import time
from execution.models import Execution
until = time.monotonic() + 90
while (state := Execution.objects.by_id({!r}).state) != {!r} and time.monotonic() < until:
    time.sleep(0.2)
print(state)
"""
OTHERS = """
import json
from execution.models import Execution, Robot
runs = list(Execution.objects.order_by("pk").values_list("state", "robot__name"))
robots = [[one.is_alive, one.stopped_at is not None] for one in Robot.objects.all()]
print(json.dumps([runs, robots]))
"""
PAGE = """
from django.contrib.auth.models import Group, User
from django.test import Client
user = User.objects.create_user("vera"); user.groups.add(Group.objects.get(name="viewer"))
client = Client(); client.force_login(user)
paths = ("/runs/{0}", "/robots", "/api/executions/{0}/events/")
print([client.get(path, headers={{"host": "localhost"}}).status_code for path in paths])
"""


def history_has(commit: str) -> bool:
    try:
        previous_release.git("cat-file", "-e", f"{commit}^{{commit}}")
    except (subprocess.CalledProcessError, FileNotFoundError):
        return False
    return True


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of the release before."""
    commit, _migrations = previous_release.previous()
    if not history_has(commit):
        pytest.skip(f"the release before, {commit[:12]}, is not in the history of this clone")
    folder = tmp_path_factory.mktemp("release") / "before"
    folder.mkdir()
    archive = subprocess.run(("git", "archive", commit), cwd=NEW, check=True, capture_output=True).stdout
    subprocess.run(("tar", "-x", "-C", folder), input=archive, check=True)
    return folder


@dataclass
class Installation:
    """One database and data folder, which code of both releases works on."""

    data: Path
    env: dict[str, str]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def manage(self, code: Path, *arguments: str) -> str:
        done = finished([sys.executable, "manage.py", *arguments], cwd=code, env=self.env, timeout=180)
        assert done.returncode == 0, f"{code}: {arguments[0]}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def shell(self, code: Path, program: str) -> str:
        return self.manage(code, "shell", "-v0", "-c", program).splitlines()[-1]

    def run_loop(self, code: Path, *more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "runloop", "--desktop", DESKTOP, *more]
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command, cwd=code, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.processes.append(process)
        return process

    @property
    def log(self) -> Path:
        return self.data / "runloop.log"

    def wait_for(self, code: Path, run: str, state: str) -> None:
        said = self.shell(code, WAIT.format(run, state))
        assert said == state, f"{said}, not {state}: {self.log.read_text()[-3000:]}"

    def confirm(self, code: Path, run: str) -> None:
        """Once there is a question: one that was answered is none any more."""

        def confirmed() -> bool:
            command = [sys.executable, "manage.py", "execution", "confirm", run]
            return finished(command, cwd=code, env=self.env, timeout=60).returncode == 0

        wait_until(confirmed, timeout=90, what=f"a question ({self.log.read_text()[-3000:]})")


@contextmanager
def installation(folder: Path, database: str) -> Iterator[Installation]:
    with ExitStack() as stack:
        folder.mkdir(parents=True)
        told = {"RPA_DATA_DIR": str(folder), "RPA_ENV_FILE": os.devnull, "RPA_CONFIRMATION_TIMEOUT_S": "600"}
        env = {**os.environ, **told, "DJANGO_SETTINGS_MODULE": "rpa_site.settings"}
        env.pop("DATABASE_URL", None)
        if database == "postgresql":
            env["DATABASE_URL"] = stack.enter_context(servers.postgresql())
        one = Installation(folder, env)
        try:
            yield one
        finally:
            for process in one.processes:
                if process.poll() is None:
                    process.kill()
                process.wait(60)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_run_loop_of_the_release_before_finishes_on_the_new_schema(old: Path, tmp_path: Path, database: str) -> None:
    """S9.4: in the middle of a run the database is migrated, its questions are answered by the new code, and it ends;
    another one begins after that and does what the new code published and started; then the new one goes on."""
    with installation(tmp_path / "data", database) as here:
        here.manage(old, "migrate", "-v0")
        begun = here.shell(old, PUBLISH_AND_START.format(numbers="range(1, 9)", mode="supervised"))
        loop = here.run_loop(old)
        here.wait_for(old, begun, "waiting")

        here.manage(NEW, "migrate", "-v0")
        for _click in range(2):
            here.confirm(NEW, begun)
        here.wait_for(NEW, begun, "completed")

        loop.send_signal(signal.SIGTERM)
        assert loop.wait(60) == 0

        following = here.shell(NEW, PUBLISH_AND_START.format(numbers="range(100, 109)", mode="automatic"))
        assert here.run_loop(old, "--once").wait(120) == 0
        here.wait_for(NEW, following, "completed")
        assert here.shell(NEW, PAGE.format(following)) == "[200, 200, 200]"

        last = here.shell(NEW, START_AGAIN.format(begun))
        assert here.run_loop(NEW, "--once").wait(120) == 0
        here.wait_for(NEW, last, "completed")
        runs, robots = json.loads(here.shell(NEW, OTHERS))
        assert [state for state, _robot in runs] == ["completed"] * 3
        assert robots == [[False, True]], "one desktop is one robot, whichever code works on it"
        assert "Traceback" not in here.log.read_text()


def test_migrations_of_the_release_before_are_as_they_were() -> None:
    """Installations have applied them: what is changed in one reaches nobody."""
    commit, last = previous_release.previous()
    if not history_has(commit):
        pytest.skip(f"the release before, {commit[:12]}, is not in the history of this clone")
    assert previous_release.last_migrations(commit) == last
    changed = previous_release.git("diff", "--name-status", "--no-renames", commit, "--", "*/migrations/*.py")
    assert [line for line in changed.splitlines() if not line.startswith("A")] == []
