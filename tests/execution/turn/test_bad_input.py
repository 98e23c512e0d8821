"""What people and machines get wrong: refused with a sentence that says what, where and what to do."""

from __future__ import annotations

import sqlite3
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from execution.choices import ExecutionState
from execution.desktop.scripted import ScriptedDesktop
from execution.models import Execution, ExecutionEvent
from execution.running.runner import Hooks, Runner
from sentences.said import worded
from tests.factories import NODES, make_published, make_workflow
from tests.support.scripted import analyzer, publish_line, queue, screens
from workflows.actions.publish import publish
from workflows.exceptions import InvalidWorkflow, PictureRefused
from workflows.models import WorkflowVersion
from workflows.pictures import PictureStore, decode

pytestmark = pytest.mark.django_db(transaction=True)

LOCKED_S = 3.0


def nodes(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**node, **changes.get(node["node_id"], {})} for node in NODES]


LONELY = {"node_id": "lonely", "name": "Lonely", "texts": ["Nobody comes here"], "is_end": True}
BROKEN = {
    "no end": (nodes(saved={"is_end": False}), "no_end"),
    "no entry": (nodes(empty_note={"is_entry": False}), "no_entry"),
    "unreachable": ([*NODES, LONELY], "unreachable"),
}


@pytest.mark.parametrize(("drawn", "code"), BROKEN.values(), ids=BROKEN.keys())
def test_a_graph_that_cannot_be_run_is_not_published_from_anywhere(
    drawn: list[dict[str, Any]], code: str, designer: Any, client_of: Any
) -> None:
    """By API, by page and by action: the same words, and nothing is written."""
    workflow = make_workflow(nodes=drawn)
    with pytest.raises(InvalidWorkflow) as refusal:
        publish(workflow=workflow, user=designer)
    problem = next(p for p in refusal.value.problems if p.code == code)
    assert str(problem.message) in str(refusal.value)
    if code == "unreachable":
        assert problem.where == "lonely"
        assert "Lonely" in problem.message
    client = client_of(designer)
    answer = client.post(f"/api/workflows/{workflow.workflow_id}/publish/", {}, content_type="application/json")
    assert answer.status_code == 422
    assert {"where": problem.where, "message": str(problem.message), "code": code} in answer.json()["problems"]
    page = client.post(f"/workflows/{workflow.workflow_id}/publish", follow=True)
    assert page.status_code in (200, 422)
    assert workflow.name in page.content.decode()
    assert not WorkflowVersion.objects.exists()


COMMANDS = {
    "unknown workflow": (("--workflow", "wf_nowhere"), "wf_nowhere"),
    "unpublished": (("--workflow", "wf_draft"), "published"),
    "missing variable": (("--workflow", "wf_asking"), "Patient"),
    "unknown variable": (("--workflow", "wf_asking", "--var", "dose=1"), "dose"),
    "unknown start node": (("--workflow", "wf_asking", "--var", "patient=x", "--start-node", "nowhere"), "nowhere"),
    "no pair": (("--workflow", "wf_asking", "--var", "patient"), "name=value"),
}


@pytest.mark.parametrize(("arguments", "named"), COMMANDS.values(), ids=COMMANDS.keys())
def test_the_command_line_refuses_in_one_sentence_and_starts_nothing(arguments: tuple[str, ...], named: str) -> None:
    """S1.4"""
    make_workflow(workflow_id="wf_draft")
    make_published(workflow_id="wf_asking", variables=[{"name": "patient", "label": "Patient"}])
    with pytest.raises(CommandError, match=named) as refusal:
        call_command("runloop", *arguments, "--once", stdout=StringIO())
    assert refusal.value.returncode == 1
    assert not Execution.objects.exists()


def test_no_display_is_a_sentence_and_exit_code_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(CommandError, match=":987") as refusal:
        call_command("runloop", "--once", stdout=StringIO())
    assert refusal.value.returncode == 2


# --- pictures -------------------------------------------------------------------------------------------------------
def png_of(width: int, height: int) -> bytes:
    """A whole, valid PNG of so many black pixels; small, because black compresses well."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width // 8 + 1) * height), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_picture_of_ten_thousand_squared_is_refused_from_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is decoded: the size is said with the limit."""
    from PIL import Image

    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("it was decoded"))
    with pytest.raises(PictureRefused, match=r"10000 × 10000 pixels.*megapixels"):
        decode(png_of(10_000, 10_000), name="screen.png")


def test_a_small_picture_made_the_same_way_is_taken() -> None:
    assert decode(png_of(16, 8)).shape == (8, 16, 3)


def test_a_picture_of_ten_thousand_squared_is_refused_in_words_by_the_admin() -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from workflows.admin.fields import PictureField

    field = PictureField(required=False)
    upload = SimpleUploadedFile("screen.png", png_of(10_000, 10_000), content_type="image/png")
    with pytest.raises(Exception, match="megapixels"):
        field.clean(upload)


def test_a_huge_screen_is_not_stored(tmp_path: Path) -> None:
    import numpy as np

    pixels = np.broadcast_to(np.zeros(3, np.uint8), (10_000, 10_000, 3))
    with pytest.raises(PictureRefused, match="10000 × 10000"):
        PictureStore(tmp_path).put(pixels)
    assert list(tmp_path.iterdir()) == []


# --- the database ---------------------------------------------------------------------------------------------------
@contextmanager
def locked_database(seconds: float) -> Iterator[threading.Event]:
    """Another program holds the write lock for so long; the event is set once it lets go."""
    taken, released = threading.Event(), threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, timeout=20)) as other:
            other.execute("BEGIN IMMEDIATE")
            taken.set()
            released.wait(seconds)
            other.execute("ROLLBACK")
        released.set()

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(30)
    try:
        yield released
    finally:
        thread.join(seconds + 20)


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="locks of SQLite")
def test_a_run_waits_for_a_locked_database_and_loses_nothing(settings: Any, tmp_path: Path) -> None:
    """C.7: locked in the middle of an action; every act once, every event in order, none missing."""
    settings.DATA_DIR = tmp_path
    names = ("one", "two", "three")
    execution = queue(publish_line(*names))
    desktop = ScriptedDesktop(screens(*names))
    held: list[Any] = []

    def lock_at_the_first_click(journal: Any, own: Any) -> Any:
        act = own.act

        def acting(suggestion: Any, hold: Any) -> Any:
            if not held:
                held.append(locked_database(LOCKED_S))
                held[0].__enter__()
            return act(suggestion, hold)

        own.act = acting
        return own

    began = time.monotonic()
    hooks = Hooks(stages=lock_at_the_first_click, on_prompt=lambda prompt: pytest.fail(prompt.message))
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, hooks=hooks).run()
    held[0].__exit__(None, None, None)
    assert time.monotonic() - began >= LOCKED_S
    done = Execution.objects.by_id(execution.execution_id)
    assert (done.state, done.steps_succeeded, done.steps_failed) == (ExecutionState.COMPLETED, 2, 0)
    assert len([act for act in desktop.log if act.kind == "click"]) == 2
    seqs = list(ExecutionEvent.objects.order_by("pk").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="locks of SQLite")
def test_a_request_is_answered_while_the_database_is_locked(operator: Any, client_of: Any) -> None:
    """Reading goes on; writing waits for the lock and is done once."""
    version = make_published()
    client: Client = client_of(operator)
    with locked_database(1.0) as released:
        assert client.get("/api/executions/").status_code == 200
        assert not released.is_set()
        answer = client.post(
            "/api/executions/", {"workflow_id": version.workflow.workflow_id}, content_type="application/json"
        )
        assert released.is_set()
    assert answer.status_code == 201
    assert Execution.objects.count() == 1


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="locks of SQLite")
def test_a_database_locked_for_too_long_is_said_and_not_a_crash(operator: Any, client_of: Any) -> None:
    """503 with a sentence and when to try again, on the API and on pages."""
    version = make_published()
    client: Client = client_of(operator, raise_request_exception=False)
    connection.cursor().execute("PRAGMA busy_timeout = 50")
    try:
        with locked_database(1.0):
            answer = client.post(
                "/api/executions/", {"workflow_id": version.workflow.workflow_id}, content_type="application/json"
            )
            page = client.post(
                "/runs/new", {"workflow": version.workflow.workflow_id, "mode": "coaching", "var_patient": "Ada"}
            )
    finally:
        connection.close()
    assert (answer.status_code, answer.json()["error"]) == (503, "database_busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert (page.status_code, int(page.headers["Retry-After"])) == (503, 5), page.content.decode()[-3000:]
    assert not Execution.objects.exists()


# --- the disk -------------------------------------------------------------------------------------------------------
def test_a_full_disk_in_the_middle_of_a_run_pauses_it_before_the_next_act(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result of what was done is recorded all the same; nothing more is done until there is room."""
    settings.DATA_DIR = tmp_path
    names = ("one", "two", "three")
    execution = queue(publish_line(*names))
    desktop = ScriptedDesktop(screens(*names))
    leave = threading.Event()

    def paused(row: Execution) -> None:
        if row.state == ExecutionState.PAUSED:
            leave.set()

    monkeypatch.setattr("pathlib.Path.replace", replace_unless_full(desktop))
    hooks = Hooks(on_begin=lambda journal: journal.on_state.append(paused))
    Runner(desktop=desktop, analyzer=analyzer(desktop), leave=leave, once=True, hooks=hooks).run()
    stuck = Execution.objects.by_id(execution.execution_id)
    assert (stuck.state, stuck.pause_reason) == (ExecutionState.PAUSED, "storage")
    assert "No space left" in worded(stuck.pause_detail["message"])
    assert "Free some space" in worded(stuck.pause_detail["message"])
    assert stuck.steps_succeeded == len([act for act in desktop.log if act.kind == "click"]) == 1


def replace_unless_full(desktop: ScriptedDesktop) -> Any:
    whole = Path.replace

    def replace(path: Path, target: Any) -> Any:
        if any(act.kind == "click" for act in desktop.log):
            raise OSError(28, "No space left on device")
        return whole(path, target)

    return replace
