"""The demo workflow, taught on a display of its own machine, done through real servers of VNC and RDP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import psutil
import pytest

from execution.desktop.x11 import X11Desktop
from tests.support.display import wait_until
from tests.support.elsewhere import KINDS, PASSWORD, Line, need, served, vnc_options
from tests.support.product import Product, free_port, product

pytestmark = [pytest.mark.display, pytest.mark.slow, pytest.mark.timeout(600)]

NOTE = "Marie Lefèvre\n2026-11-21\nmarie.lefevre@hopital.example"
STANDS = ("completed", "failed", "stopped", "paused", "waiting", "coaching")


@pytest.fixture(scope="module", params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Line]]:
    """The demo's desktop, which a run loop reaches by that server alone."""
    kind = KINDS[request.param]
    need(*kind.programs)
    folder, vnc_port = tmp_path_factory.mktemp("server"), free_port()
    vnc = vnc_options(vnc_port, folder, PASSWORD) if kind.own_display else ()
    with ExitStack() as stack:
        one = stack.enter_context(product(tmp_path_factory.mktemp("product"), vnc=vnc))
        one.screen.run(["setxkbmap", "-layout", kind.layout])
        line = stack.enter_context(served(one.screen, request.param, vnc_port=vnc_port, folder=folder))
        keep_credential(one, folder)
        # The demo's steps declare titles, and what is declared and cannot be checked is a question.
        one.env |= {"RPA_WINDOW_INFO_PROVIDER": "far"}
        one.env |= {"RPA_WINDOW_PROVIDERS": "far=tests.support.far_window.active", "FAR_DISPLAY": one.screen.display}
        one.processes["web.0"].terminate()  # it starts anew with the list of providers
        one.processes["web.0"].wait(60)
        one.start_web()
        one.start_runloop("manage.py", "runloop", "--desktop", kind.name(line.port))
        yield one, line


def keep_credential(one: Product, folder: Path) -> None:
    """As the admin keeps it; the command line here names a file."""
    (folder / "word").write_text(PASSWORD)
    keep = "from pathlib import Path; from workflows import vault; from workflows.secret import Secret; "
    keep += f"vault.store('desk', username='marie', password=Secret(Path({str(folder / 'word')!r}).read_text()))"
    one.manage("shell", "-c", keep)


@pytest.fixture
def otto(world: tuple[Product, Line]) -> Iterator[httpx.Client]:
    with closing(world[0].client("otto")) as client:
        yield client


def start(client: httpx.Client, filename: str) -> str:
    body = {"workflow_id": "wf_patient_note", "mode": "automatic", "variables": {"filename": filename}}
    answer = client.post("/api/executions/", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["execution_id"])


def state_of(world: Product, execution_id: str) -> str:
    return str(world.rows("SELECT state FROM execution_execution WHERE execution_id = ?", execution_id)[0][0])


def test_the_demo_workflow_writes_its_file(world: tuple[Product, Line], otto: httpx.Client) -> None:
    """S9.1: taught on X11, done elsewhere; the file is right to the byte."""
    one, _ = world
    editor = one.open_editor()
    run = start(otto, "far.txt")
    wait_until(lambda: state_of(one, run) in STANDS, timeout=300, what=f"the end of {run}")
    assert state_of(one, run) == "completed", one.log("runloop").read_text()[-1500:]
    assert (one.documents / "far.txt").read_bytes() == NOTE.encode()
    ((told,),) = one.rows("SELECT connection FROM execution_robot WHERE stopped_at IS NULL")
    assert '"connected"' in told
    one.screen.end(editor)


def test_a_cut_in_the_middle_of_typing_types_nothing_twice(world: tuple[Product, Line], otto: httpx.Client) -> None:
    """S9.2: connected again by itself, looked at, and what is there of the text is not typed again."""
    one, line = world
    editor = one.open_editor()
    was = line.cuts
    run = start(otto, "cut.txt")
    typing = "SELECT 1 FROM execution_step s JOIN execution_execution e ON e.id = s.execution_id "
    typing += "WHERE e.execution_id = ? AND s.action_type LIKE '%type%' AND s.phase = 'intent'"
    wait_until(lambda: one.rows(typing, run), timeout=200, what="the first text")
    line.cut_after(60)
    wait_until(lambda: line.cuts > was, timeout=60, what="the cut")
    wait_until(lambda: state_of(one, run) in {*STANDS} - {"paused"}, timeout=250, what="the doubt")
    if state_of(one, run) == "completed":
        assert (one.documents / "cut.txt").read_bytes() == NOTE.encode()
        return
    asked = otto.get(f"/api/executions/{run}/prompt/").json()
    assert asked.get("prompt", asked)["kind"] == "in_doubt"
    assert NOTE.startswith(_typed(one))
    one.screen.end(editor)


@pytest.mark.security
def test_the_password_is_in_no_command_log_or_row(world: tuple[Product, Line]) -> None:
    """S10.3: of all that the installation wrote, and of all processes that it started, none shows it."""
    one, _ = world
    started = [psutil.Process(process.pid) for process in one.processes.values() if process.poll() is None]
    ours = [part for first in started for part in (first, *first.children(recursive=True))]
    assert {"xtigervncviewer", "xfreerdp"} & {process.name() for process in ours}
    for process in ours:
        assert PASSWORD not in " ".join([*process.cmdline(), *process.environ().values()]), process.name()
    written = [file for file in one.data.rglob("*") if file.is_file()]
    assert one.log("runloop") in written
    assert [file for file in written if PASSWORD.encode() in file.read_bytes()] == []
    assert one.rows("SELECT 1 FROM workflows_credentialuse WHERE credential = 'desk'")


def _typed(one: Product) -> str:
    """What stands in the editor, saved by a person at its own display."""
    file: Path = one.documents / "by hand.txt"
    with closing(X11Desktop(one.screen.display)) as by_hand:
        by_hand.press(["ctrl", "shift", "s"])
        one.screen.wait_for_window("Save As")
        by_hand.type_text(file.name)
        wait_until(lambda: saved(by_hand, one, file), what="the saved file")
    return file.read_text().rstrip("\n")


def saved(by_hand: X11Desktop, one: Product, file: Path) -> bool:
    """The dialog lets Enter pass as long as it reads its folder."""
    if any("Save As" in window.title for window in one.screen.windows()):
        by_hand.press(["enter"])
    return file.exists()
