"""What was said to be secret is read by the run loop alone (S10.3): searched for wherever a run leaves anything."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from execution.choices import ExecutionState
from execution.models import Execution, Step
from execution.record.hidden import HIDDEN
from execution.record.journal import Journal
from execution.record.secret_values import redaction_for, secrets_of
from execution.types import Box, Point
from rpa_site.logs import LineFormatter
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Field, ScriptedScreen, TextLabel
from tests.execution.record.test_redaction import everything
from tests.execution.running.test_runner import Talk, hooks
from tests.factories import make_published
from tests.support.scripted import queue
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.security, pytest.mark.usefixtures("own_folder")]

SECRET = "Zx81-Quokka"
VARIABLES = (
    {"name": "patient", "label": "Patient"},
    {"name": "key", "label": "Key of the ward", "kind": "secret"},
    {"name": "mot_de_passe", "label": "Mot de passe", "required": False},
)


def published() -> Any:
    nodes = [
        {"node_id": "form", "name": "Form", "texts": ["Ward"], "window_title": "Form", "is_entry": True},
        {"node_id": "done", "name": "Done", "texts": ["Thank you"], "window_title": "Done", "is_end": True},
    ]
    edge = {
        "edge_id": "write", "source": "form", "destination": "done", "action_type": "type_text",
        "params": {"text": "{{key}}"}, "settle_ms": 20, "settle_timeout_ms": 300, "retry_backoff_ms": 0,
    }  # fmt: skip
    return make_published(nodes=nodes, edges=[edge], variables=VARIABLES)


def started(**values: str) -> Execution:
    return queue(published(), variables={"patient": "Ada", "key": SECRET, **values})


def journal_of(execution: Execution) -> Journal:
    execution.move(ExecutionState.RUNNING, desktop="here:7", epoch=1)
    return Journal(Execution.objects.by_id(execution.execution_id), execution.version.spec())


def test_a_secret_value_is_sealed_and_only_the_run_loop_opens_it() -> None:
    execution = started(mot_de_passe="hunter2-hunter2")
    assert execution.variables == {"patient": "Ada", "key": HIDDEN, "mot_de_passe": HIDDEN}
    assert secrets_of(execution) == {"key": SECRET, "mot_de_passe": "hunter2-hunter2"}
    assert SECRET not in everything()
    assert "hunter2" not in everything()


def test_nothing_that_a_run_leaves_holds_the_secret_that_it_typed(
    operator: Any, client_of: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Database, events, logs, API, pages, export."""
    execution = started()
    desktop = ScriptedDesktop(
        [
            ScriptedScreen(
                name="form",
                title="Form",
                widgets=[
                    TextLabel(text="Ward", at=Point(60, 90)),
                    Field(name="key", box=Box(60, 200, 300, 40)),
                ],
            )
        ]
    )
    talk = Talk(desktop)

    def leave_when_it_waits(execution: Execution) -> None:
        if execution.state != ExecutionState.RUNNING:
            talk.leave.set()

    talk.runner.hooks = hooks(
        on_prompt=lambda prompt: talk.leave.set(),
        on_begin=lambda journal: journal.on_state.append(leave_when_it_waits),
    )
    with caplog.at_level(logging.DEBUG):
        said = talk.run()
    typed = "".join(act.text for act in desktop.log if act.kind == "type_text")
    assert typed == SECRET, said
    client = client_of(operator)
    run = f"/api/executions/{execution.execution_id}/"
    shown = [client.get(f"/runs/{execution.execution_id}"), client.get("/"), client.get(run)]
    shown += [client.get(f"{run}{part}/") for part in ("steps", "events", "prompt")]
    found = {
        "database": everything(),
        "log": caplog.text,
        "terminal": said,
        **{f"answer {n}": answer.content.decode() for n, answer in enumerate(shown)},
    }
    assert [place for place, text in found.items() if SECRET in text] == []
    files = [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert files == []
    assert HIDDEN in str(list(execution.steps.values_list("suggestion", flat=True)))


def test_a_run_loop_that_takes_over_hides_the_field_while_it_is_in_sight() -> None:
    """S9.2, S10.3: the picture that was kept before the secret was typed tells what surrounded it."""
    execution = started()
    field = Box(60, 200, 300, 40)
    words = TextLabel(text="A patient's row", at=Point(80, 210))
    desktop = ScriptedDesktop(
        [
            ScriptedScreen(name="form", title="Form", widgets=[Field(name="key", box=field)]),
            ScriptedScreen(name="list", title="List", widgets=[words]),
        ]
    )
    form = desktop.grab()
    box = list(field.normalised(form.size))
    kept = {"action": "type_text", "params": {"text": HIDDEN}, "box": box, "target": {"role": "field"}}
    Step.objects.create(
        execution=execution,
        index=1,
        epoch=1,
        suggestion=kept,
        intent_at=timezone.now(),
        started_at=timezone.now(),
        picture_before=PictureStore().put(form.pixels),
    )
    redaction, _ = redaction_for(execution, execution.version.spec())
    desktop.show("list")
    listed = desktop.grab()
    assert (redaction.live(listed) == listed.pixels).all()
    inside = redaction.live(form)[field.y : field.bottom, field.x : field.right]
    assert (inside == 128).all()


def test_the_sealed_values_go_when_the_run_ends() -> None:
    execution = started()
    execution.move(ExecutionState.STOPPED)
    assert Execution.objects.get(pk=execution.pk).secrets == ""


def test_searching_the_runs_does_not_tell_a_secret(operator: Any, client_of: Any) -> None:
    """Else it would be guessed letter by letter."""
    execution = started()
    client = client_of(operator)
    assert execution.execution_id in client.get("/", {"q": "Ada"}).content.decode()
    assert execution.execution_id not in client.get("/", {"q": SECRET[:4]}).content.decode()


def test_the_sign_in_the_place_of_a_secret_is_never_taken_for_the_value(operator: Any, client_of: Any) -> None:
    """A run that is started again asks for it anew."""
    execution = started()
    page = client_of(operator).get("/runs/new", {"workflow": execution.workflow_id, "again": execution.execution_id})
    form = page.context["form"]
    assert form["var_patient"].value() == "Ada"
    assert not form["var_key"].value()
    assert 'type="password"' in str(form["var_key"])
    body = {"workflow_id": execution.workflow_id, "variables": {"patient": "Ada", "key": HIDDEN}}
    answer = client_of(operator).post("/api/executions/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (422, "bad_variable")


def test_no_line_of_the_log_holds_an_opened_secret_not_even_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    journal = journal_of(started())
    try:
        raise ValueError(f"cannot type {SECRET!r}")
    except ValueError:
        logging.getLogger("any").exception("it failed with %s", SECRET)
    line = LineFormatter().format(caplog.records[-1])
    assert "ValueError" in line
    assert SECRET not in line
    assert journal.hidden.text(SECRET) == HIDDEN


def test_what_a_programs_executor_leaves_among_its_variables_is_sealed_as_well() -> None:
    execution = started()
    journal = journal_of(execution)
    journal.keep_variables({"patient": "Ada", "key": SECRET, "session_token": "tk-77-Wombat"})
    kept = Execution.objects.get(pk=execution.pk)
    assert kept.variables == {"patient": "Ada", "key": HIDDEN, "session_token": HIDDEN}
    assert secrets_of(kept) == {"key": SECRET, "session_token": "tk-77-Wombat"}
    assert "Wombat" not in everything()
    assert journal.hidden.text("tk-77-Wombat") == HIDDEN
