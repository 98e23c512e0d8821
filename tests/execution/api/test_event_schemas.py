"""The stream as the docs page describes it (S8.2, S8.3): what is really sent is of those schemas."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.db import transaction
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from execution.actions import control
from execution.actions.decide import decide
from execution.api.event_schemas import PAYLOADS, name_of
from execution.choices import EventKind
from execution.models import DriftWatch, Execution, ExecutionEvent, Prompt, Robot
from execution.record.drifting import emit_drift
from execution.record.events import as_message
from execution.record.resources import tell_runs
from gpu.models import GPUEvent
from gpu.types import as_json
from sentences.said import in_words, say
from tests.execution.api.test_views import strict
from tests.gpu.rows import STATUS

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]


def check(message: dict[str, Any], schemas: dict[str, Any]) -> None:
    root = {"$ref": f"#/components/schemas/{name_of(message['kind'])}", "components": {"schemas": strict(schemas)}}
    jsonschema.validate(message, root)


@pytest.mark.slow
def test_every_kind_that_is_sent_has_a_schema(schemas: dict[str, Any]) -> None:
    """S8.2: each `emit` of the code, and no kind that is never sent."""
    sent = set()
    for path in (ROOT / "execution").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "emit":
                named = {arg.attr for arg in call.args if isinstance(arg, ast.Attribute)}
                sent |= named & set(EventKind.__members__)
    assert sent == {kind.name for kind in PAYLOADS}
    assert {name_of(kind) for kind in PAYLOADS} <= set(schemas)
    assert [one["$ref"].rpartition("/")[2] for one in schemas["Event"]["oneOf"]] == [name_of(k) for k in PAYLOADS]


def test_what_a_run_really_sends_is_of_these_schemas(stage: Any, operator: Any, schemas: dict[str, Any]) -> None:
    """S8.2, with every kind there is"""
    run = stage("coaching")
    name = run.execution.execution_id

    def confirm_instead(prompt: Prompt) -> None:
        control.set_mode(execution_id=name, mode="supervised", user=operator)
        decide(prompt_id=prompt.pk, choice="accept", user=operator)

    def pause(prompt: Prompt) -> None:
        control.pause(execution_id=name, user=operator)

    run.run({"choice": "correct", "correction": {"corrected_params": {"speed": "slow"}}}, confirm_instead, pause)
    run.journal.degrade("An analysis took 9000 ms; the limit is 8000 ms.")
    run.journal.error("no_match", "")
    kept = {"workflow": run.execution.version.workflow, "kind": "screen", "name": "b", "taught": "", "recent": [0.9]}
    row = DriftWatch.objects.create(**kept, is_drifting=True, severity=0.5, action="re-teach")
    with transaction.atomic():
        emit_drift(run.journal.execution, row, run.journal.graph)
    run.journal.control({"by": "marie", "act": "click", "at": [0.1, 0.2], "on": "Save"})
    version = run.execution.version
    type(run.execution).objects.filter(execution_id=name).update(wish="version", wish_version=version)
    assert run.journal.change_version()
    for kind in ("resource_changed", "idle_unload"):
        tell_runs([gpu_event(kind)])
    messages = [in_words(as_message(event), codes=True) for event in ExecutionEvent.objects.order_by("seq")]
    assert {message["kind"] for message in messages} == set(PAYLOADS)
    for message in messages:
        check(message, schemas)


def gpu_event(kind: str) -> GPUEvent:
    """As the owner of the GPU beside the one run there is writes it."""
    robot, _made = Robot.objects.get_or_create(name="r", desktop="desk-7:1", host="desk-7", pid=1)
    Execution.objects.update(robot=robot, state="paused", desktop=robot.desktop)
    text = say("gpu.idle_unloaded", model="vlm", why=say("gpu.not_asked_for", model="vlm", n=300))
    return GPUEvent(machine=robot.host, at=timezone.now(), kind=kind, text=text, status=as_json(STATUS))


def test_what_is_not_described_does_not_pass(schemas: dict[str, Any]) -> None:
    """S8.2: the check itself can fail."""
    message = {"seq": 1, "kind": "error", "at": "2026-11-22T07:00:00+00:00", "payload": {"kind": "x", "message": "y"}}
    check(message, schemas)
    for payload in ({"kind": "x"}, {"kind": "x", "message": "y", "more": 1}, {"kind": "x", "message": 7}):
        with pytest.raises(jsonschema.ValidationError):
            check({**message, "payload": payload}, schemas)
