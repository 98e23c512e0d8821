"""`manage.py assistant` as a person uses it (S4.7), and through the web process, as answers are made (S4.6)."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.doubles.ollama import End, Model, OllamaServer, Reply, ollama_server
from tests.support.display import wait_until
from tests.support.installations import PASSWORD
from tests.support.processes import finished
from tests.support.product import free_port

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = """
models:
  - {key: small, name: "small:1b", capabilities: [text], tier: light, vram_mb: 9, ram_mb: 9, context_length: 8192}
  - {key: large, name: "large:2b", capabilities: [text], tier: standard, vram_mb: 9, ram_mb: 9, context_length: 8192}
"""
MAKE_RUN = """
from tests.execution.assistant.runs import make_failed
from tests.factories import make_user
print(make_failed(make_user("operator", "otto")).execution_id)
"""


class Terminal:
    """A process at a terminal of its own, and what it has written there."""

    def __init__(self, env: dict[str, str], *command: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "assistant", *command],
            cwd=ROOT, env={**env, "TERM": "dumb"}, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=lambda: _own_terminal(slave),
        )  # fmt: skip
        os.close(slave)
        self.shown = ""
        self._from = 0

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def until(self, wanted: str, timeout: float = 40) -> str:
        """What is shown from the last `until` to `wanted`, a pattern."""
        deadline = time.monotonic() + timeout
        while (found := re.compile(wanted).search(self.shown, self._from)) is None:
            if not self._read(deadline):
                raise AssertionError(f"“{wanted}” did not come: {self.shown[self._from :]!r}")
        passage = self.shown[self._from : found.end()]
        self._from = found.end()
        return passage

    def interrupt(self, timeout: float = 40) -> None:
        """Ctrl-C at the prompt. Python's readline loses one that comes between the prompt and the wait for a key."""
        waits = Path(f"/proc/{self.process.pid}/wchan")
        wait_until(
            lambda: waits.read_text().startswith(("poll_schedule_timeout", "do_select")),
            timeout=timeout,
            what="the wait for a key",
        )
        self.type("\x03")

    def end(self, timeout: float = 40) -> int:
        """The exit code, once it has ended and all that it wrote was read."""
        deadline = time.monotonic() + timeout
        while self._read(deadline):
            pass
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.master)

    def _read(self, deadline: float) -> bool:
        """Whether there was more to read."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.master], [], [], left)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # how Linux says that nobody writes there any more
            return False
        self.shown += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


def _own_terminal(slave: int) -> None:
    """Ctrl-C typed there reaches the process, as it does for a person, also where the tests run in the background."""
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], str]:
    """A migrated installation with a catalogue of two models and one failed run: its environment, and the run's id."""
    data = tmp_path_factory.mktemp("data")
    (data / "static").mkdir()
    (data / "models.yaml").write_text(CATALOGUE)
    env = {
        **os.environ,
        "RPA_DATA_DIR": str(data),
        "RPA_ENV_FILE": os.devnull,
        "RPA_MODEL_CATALOGUE": str(data / "models.yaml"),
        "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
        "LC_ALL": "C.UTF-8",
    }
    env.pop("RPA_OLLAMA_URL", None)
    # not a copy of what all share: an empty database takes its models from the catalogue
    done = [manage(env, "migrate", "-v0"), manage(env, "shell", "-v0", "-c", MAKE_RUN)]
    assert [one.returncode for one in done] == [0, 0], done
    return env, done[1].stdout.strip().splitlines()[-1]


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    models = [Model(name, size_mb=100, capabilities=("completion",)) for name in ("small:1b", "large:2b")]
    with ollama_server(*models, hurry=True) as server:
        server.clock.start = datetime.now(UTC)  # what it says of the end of a model is compared with the real time
        yield server


def manage(env: dict[str, str], *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return finished([sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, input=typed, timeout=60)


def asked(ollama: OllamaServer) -> list[Any]:
    """The questions that models got, in order."""
    return [ask for ask in ollama.asks if not ask.empty]


def test_a_chat_at_a_terminal(installed: tuple[dict[str, str], str], ollama: OllamaServer) -> None:
    """A failed run asked about, a model switched in the middle with the history kept, Ctrl-C twice, no traceback."""
    env, execution_id = installed
    terminal = Terminal({**env, "RPA_OLLAMA_URL": ollama.url}, "chat")
    with closing(terminal):
        greeting = terminal.until(r"> $")
        assert f"Mai · run 1, Patient note 1 ({execution_id})" in greeting
        assert "What was corrected: otto corrected step 2." in greeting
        terminal.type("/why 4\n")
        assert "Found by its text" in terminal.until(r"> $")
        assert not asked(ollama)

        ollama.replies.append(Reply(content="The window stayed as it was after step 4."))
        terminal.type("Which step failed?\n")
        first = terminal.until(r"> $")
        assert "Step 4 (Click “Save”, on “Save dialog”) failed." in first
        assert "The window stayed as it was after step 4.\n(large)" in first
        assert asked(ollama)[-1].model == "large:2b"

        terminal.type("/model small\n")
        assert "From now on: small" in terminal.until(r"> $")
        ollama.replies.append(Reply(content="Otto corrected step 2."))
        terminal.type("And who corrected?\n")
        second = terminal.until(r"> $")
        assert "Otto corrected step 2." in second
        assert "(small)" in second
        last = asked(ollama)[-1]
        assert last.model == "small:1b"
        earlier = [message["content"] for message in last.messages if message["role"] != "system"][:-1]
        assert earlier[-2] == "Which step failed?"
        assert "The window stayed as it was after step 4." in earlier[-1]

        ollama.replies.append(Reply(content="It clicked there because of much more than", after=5, end=End.STALL))
        terminal.type("Why this target at step 4?\n")
        terminal.until("there because")
        terminal.type("\x03")
        assert "(stopped)" in terminal.until(r"> $")
        ollama.wait_for(lambda: ollama.models["small:1b"].aborted_runs)

        terminal.interrupt()
        assert terminal.end() == 130, terminal.shown
        assert "Traceback" not in terminal.shown
        assert "Exception" not in terminal.shown


def test_ctrl_c_while_one_question_is_answered(installed: tuple[dict[str, str], str], ollama: OllamaServer) -> None:
    env, _execution_id = installed
    ollama.replies.append(Reply(content="It clicked there because of much more than", after=5, end=End.STALL))
    with closing(Terminal({**env, "RPA_OLLAMA_URL": ollama.url}, "ask", "Why this target?")) as terminal:
        terminal.until("there because")
        terminal.type("\x03")
        assert terminal.end() == 130, terminal.shown
        assert "Traceback" not in terminal.shown


@pytest.fixture
def web(installed: tuple[dict[str, str], str], ollama: OllamaServer) -> Iterator[str]:
    """The address of a web process that asks the double."""
    env, port = {**installed[0], "RPA_OLLAMA_URL": ollama.url, "RPA_API_BASIC_AUTH": "1"}, free_port()
    command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "rpa_site.asgi:application"]
    log = Path(env["RPA_DATA_DIR"]) / "web.log"
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/health"), timeout=60, what="the web process")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)


def answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def test_the_web_process_streams_and_whoever_leaves_stops_the_model(
    installed: tuple[dict[str, str], str], ollama: OllamaServer, web: str
) -> None:
    """The records are there before the model has begun to answer; a page that is closed keeps no model busy."""
    url = f"{web}/api/executions/{installed[1]}/assistant/"
    ollama.replies.append(Reply(content="It clicked there because of much more than", after=5, end=End.STALL))
    with httpx.Client(trust_env=False, auth=("otto", PASSWORD), timeout=30) as client:
        with client.stream("POST", url, json={"text": "Why this target at step 4?"}) as response:
            assert response.headers["content-type"] == "application/x-ndjson"
            lines = response.iter_lines()
            first = json.loads(next(lines))
            assert (first["kind"], first["references"][0]["step"]) == ("records", 4)
            words = ""
            while "there" not in words:
                words += json.loads(next(lines))["text"]
        ollama.wait_for(lambda: any(model.aborted_runs for model in ollama.models.values()))
        wait_until(lambda: len(client.get(url).json()["messages"]) == 2, what="what was said, as it is kept")
        kept = client.get(url).json()["messages"][-1]
        assert kept["words"].startswith("It clicked there")
        assert kept["words"].endswith(" …")
