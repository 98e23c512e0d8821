"""What goes wrong around a run: each fault is said where the person looks, and nothing is lost (S5.7)."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.support.display import DisplayProblem, wait_until
from tests.support.product import Product, product

pytestmark = [pytest.mark.display, pytest.mark.timeout(600)]

LOCKED_S = 10


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("product")) as one:
        yield one


@pytest.fixture
def otto(world: Product) -> Iterator[httpx.Client]:
    with closing(world.client("otto")) as client:
        yield client


def start(client: httpx.Client, mode: str, filename: str) -> str:
    body = {"workflow_id": "wf_patient_note", "mode": mode, "variables": {"filename": filename}}
    answer = client.post("/api/executions/", json=body)
    assert answer.status_code == 201, answer.text
    execution_id: str = answer.json()["execution_id"]
    return execution_id


def wait_for(client: httpx.Client, execution_id: str, *states: str, timeout: float = 180) -> dict[str, object]:
    """The run as the API tells it, once it is in one of these states; DisplayProblem with how it is instead."""
    told: dict[str, object] = {}

    def reached() -> bool:
        nonlocal told
        told = client.get(f"/api/executions/{execution_id}/").json()
        return (told.get("state") or told.get("status")) in states

    try:
        wait_until(reached, timeout=timeout, what=f"{execution_id} to be {states}")
    except DisplayProblem as problem:
        raise DisplayProblem(f"{problem}; it is {json.dumps(told, ensure_ascii=False)[:3000]}") from None
    return told


def test_no_answer_names_the_software_behind_it(world: Product, otto: httpx.Client) -> None:
    """T13."""
    login = httpx.get(f"{world.url}/login", trust_env=False)
    for answer in (login, otto.get("/api/executions/"), otto.get("/nowhere")):
        assert "server" not in answer.headers


def test_a_desktop_has_one_run_loop(world: Product) -> None:
    """S9.4: the second is told who holds it."""
    first = world.start_runloop()
    done = world.manage("runloop", "--desktop", world.screen.display, "--once", check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    (pid,) = world.rows("SELECT pid FROM execution_robot WHERE stopped_at IS NULL")[0]
    assert str(pid) in done.stderr
    assert first.poll() is None


def test_a_locked_database_is_waited_for(world: Product, otto: httpx.Client) -> None:
    """C.7: locked for 10 s in the middle of a run; the run completes, and a request is answered."""
    world.open_editor()
    execution_id = start(otto, "automatic", "locked.txt")
    wait_until(lambda: world.rows("SELECT 1 FROM execution_step"), timeout=60, what="the first step")
    with closing(sqlite3.connect(world.data / "surehand.sqlite3", isolation_level=None, timeout=20)) as other:
        other.execute("BEGIN IMMEDIATE")
        end = time.monotonic() + LOCKED_S
        assert otto.get(f"/api/executions/{execution_id}/progress/").status_code == 200
        wait_until(lambda: time.monotonic() > end, timeout=LOCKED_S + 5, what="the end of the lock")
        other.execute("ROLLBACK")
    wait_for(otto, execution_id, "completed")
    assert (world.documents / "locked.txt").read_text().startswith("Marie Lefèvre\n")
    seqs = [seq for (seq,) in world.rows("SELECT seq FROM execution_executionevent ORDER BY id")]
    assert seqs == list(range(1, len(seqs) + 1))


def test_a_file_of_that_name_is_no_proof_that_it_was_typed(world: Product, otto: httpx.Client) -> None:
    """The dialog lists the name before it is typed; it is typed all the same, and nobody's file is replaced."""
    (world.documents / "taken.txt").write_text("somebody else's")
    editor = world.open_editor()
    execution_id = start(otto, "automatic", "taken.txt")
    wait_for(otto, execution_id, "coaching", "paused", "waiting", timeout=120)
    steps = world.rows(
        "SELECT s.edge_id, s.outcome, s.phase FROM execution_step s "
        "JOIN execution_execution e ON e.id = s.execution_id "
        'WHERE e.execution_id = ? ORDER BY s."index"',
        execution_id,
    )
    assert ("type_filename", "succeeded", "closed") in steps, steps
    assert steps[-1][0] == "click_save", steps
    assert (world.documents / "taken.txt").read_text() == "somebody else's"
    prompt = otto.get(f"/api/executions/{execution_id}/prompt/").json()
    prompt = prompt.get("prompt", prompt)
    assert "Click “Save”" in prompt["message"], prompt
    assert otto.post(f"/api/executions/{execution_id}/control/", json={"verb": "stop"}).status_code == 200
    wait_for(otto, execution_id, "stopped")
    editor.kill()  # it would ask whether to save
    editor.wait()


def test_a_display_that_is_lost_pauses_the_run_and_is_waited_for(world: Product, otto: httpx.Client) -> None:
    """The reason stands on the run; the loop comes back by itself; another desktop is not acted on blindly (S9.2)."""
    world.open_editor()
    execution_id = start(otto, "coaching", "lost.txt")
    wait_for(otto, execution_id, "coaching")
    world.screen.kill_server()
    prompt = otto.get(f"/api/executions/{execution_id}/prompt/").json()
    prompt_id = prompt.get("prompt", prompt)["prompt_id"]
    otto.post(f"/api/executions/{execution_id}/decide/", json={"prompt_id": prompt_id, "choice": "accept"})
    paused = wait_for(otto, execution_id, "paused")
    assert paused["pause_reason"] == "desktop_lost"
    world.screen.restart_server()
    alive = "SELECT 1 FROM execution_robot WHERE stopped_at IS NULL"
    wait_until(lambda: world.rows(alive), timeout=60, what="the run loop's return")
    assert otto.get(f"/api/executions/{execution_id}/").json()["pause_reason"] == "desktop_lost"
    assert otto.post(f"/api/executions/{execution_id}/control/", json={"verb": "stop"}).status_code == 200
    wait_for(otto, execution_id, "stopped")
    acted = world.rows("SELECT COUNT(*) FROM execution_step WHERE phase = 'intent'")
    assert acted == [(0,)]


def test_smoke_says_keep_only_while_everything_that_is_needed_runs(tmp_path: Path) -> None:
    with product(tmp_path) as world:
        world.env["PORT"] = str(world.port)
        alone = world.manage("smoke", "--timeout", "1", check=False)
        assert alone.returncode == 2, alone.stdout + alone.stderr
        world.start_runloop()
        whole = world.manage("smoke", "--timeout", "30", check=False)
        assert whole.returncode == 0, whole.stdout + whole.stderr
        assert "✗" not in whole.stdout
        assert whole.stdout.rstrip().endswith("Keep it.")
        web = next(process for name, process in world.processes.items() if name.startswith("web"))
        web.terminate()
        web.wait(60)
        silent = world.manage("smoke", "--timeout", "1", check=False)
        assert silent.returncode == 2, silent.stdout + silent.stderr
