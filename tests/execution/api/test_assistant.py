"""S4.6, S8.3: the assistant in the API: who may ask, what is kept, and the answer as lines of JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import AsyncClient

from execution.models import Execution
from gpu.models import Conversation, Message
from tests.execution.assistant.models import models
from tests.execution.assistant.runs import make_failed

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["models"]


@pytest.fixture
def run() -> Execution:
    return make_failed()


def path_of(run: Execution) -> str:
    return f"/api/executions/{run.execution_id}/assistant/"


def post(client: Any, run: Execution, text: str, **more: Any) -> list[dict[str, Any]]:
    response = client.post(path_of(run), {"text": text}, content_type="application/json", **more)
    assert (response.status_code, response["Content-Type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in response.getvalue().splitlines()]


def test_an_answer_comes_in_lines_and_is_kept(client_of, operator, models, run) -> None:
    client = client_of(operator)
    first, *middle, last = post(client, run, "Which step failed?")
    assert first["kind"] == "records"
    assert first["references"][0] == {"step": 4, "sentence": "Click “Save”", "outcome": "failed"}
    assert "".join(piece["text"] for piece in middle) == "The window stayed."
    assert (last["kind"], last["outcome"]) == ("end", "answered")
    kept = client.get(path_of(run)).json()
    assert kept["name"] == "Mai"
    assert [section["title"] for section in kept["briefing"]][:2] == ["What happened", "What failed"]
    assert [one["command"] for one in kept["commands"]] == ["/why 4", "/screen 4"]
    assert [m["role"] for m in kept["messages"]] == ["user", "assistant"]
    assert kept["messages"][1] == last["message"]
    assert last["message"]["words"] == "The window stayed."


def test_a_command_is_answered_by_the_records_alone(client_of, operator, models, run) -> None:
    models.said = [RuntimeError("was asked")]
    first, last = post(client_of(operator), run, "/why 4")
    assert first["text"] == last["message"]["records"]
    assert first["text"].startswith("Step 4 (Click “Save”, on “Save dialog”): failed.")
    assert (last["outcome"], last["note"]) == ("answered", "")


def test_the_briefing_is_in_the_readers_language(client_of, operator, models, run) -> None:
    """S8.5: French sentences with French typography."""
    page = client_of(operator).get(path_of(run), headers={"accept-language": "fr"}).json()
    assert [section["title"] for section in page["briefing"]][-1] == "La suite"
    assert page["commands"][0] == {"command": "/pourquoi 4", "label": "Pourquoi l’étape 4\u00a0?"}
    assert "Deuxième choix\u00a0: «\u00a0Save All\u00a0», 0,41." in page["briefing"][2]["text"]


def test_beginning_anew_keeps_what_was_said(client_of, operator, models, run) -> None:
    client = client_of(operator)
    post(client, run, "Which step failed?")
    assert client.post(f"{path_of(run)}new/").status_code == 201
    assert client.get(path_of(run)).json()["messages"] == []
    post(client, run, "Why?")
    assert len(client.get(path_of(run)).json()["messages"]) == 2
    assert Message.objects.count() == 4
    assert Conversation.objects.count() == 2


def test_a_viewer_is_not_offered_to_ask(client_of, viewer, run) -> None:
    """S10.1"""
    assert "panel-ask" not in client_of(viewer).get(f"/runs/{run.execution_id}").content.decode()


def test_an_unknown_run_is_named(client_of, operator) -> None:
    for method in ("get", "post"):
        answer = getattr(client_of(operator), method)("/api/executions/exec_nope/assistant/")
        assert answer.status_code == 404
        assert "exec_nope" in answer.json()["detail"]


def test_an_error_in_the_middle_is_told_and_the_records_are_kept(client_of, operator, models, run) -> None:
    models.said = ["Half", RuntimeError("a bug")]
    *_, last = post(client_of(operator), run, "Which step failed?")
    assert last["kind"] == "error"
    assert "log" in last["text"]
    assert Message.objects.filter(role="assistant").count() == 1


def test_who_would_answer_is_told(client_of, operator, models) -> None:
    assert client_of(operator).get("/api/assistant/").json() == {"name": "Mai", "model": "", "reason": "No model fits."}


async def test_an_asynchronous_server_gets_the_lines_one_by_one(operator, models, run) -> None:
    """S4.6: streamed under daphne."""
    client = AsyncClient()
    await client.aforce_login(operator)
    response = await client.post(path_of(run), {"text": "Which step failed?"}, content_type="application/json")
    assert response.is_async
    assert response["X-Accel-Buffering"] == "no"
    lines = [json.loads(line) async for line in response.streaming_content]
    assert [lines[0]["kind"], lines[-1]["kind"]] == ["records", "end"]
    assert lines[-1]["message"]["words"] == "The window stayed."


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"text": ""}, {"text": "  "}, {"text": "x" * 2001}, {"text": ["x"]}, {"text": {}}),
        *('{"text": "\\ud800"}', '{"text": "a\\u0000b"}', "x", b"\xff", '{"text":' * 100_000),
    ],
    ids=lambda body: str(body)[:20],
)
def test_a_question_that_is_none_is_refused(client_of, operator, models, run, body: Any) -> None:
    refused = client_of(operator).post(path_of(run), body, content_type="application/json")
    assert refused.status_code == 400
    assert "text" in refused.json().get("fields", ()) or refused.json()["error"] == "parse_error"
    assert not Conversation.objects.exists() and not Message.objects.exists()


def test_one_answer_at_a_time_for_each_person(client_of, operator, admin, run, models) -> None:
    first = client_of(operator).post(path_of(run), {"text": "Which step failed?"}, content_type="application/json")
    lines = iter(first)
    assert json.loads(next(lines))["kind"] == "records"
    (refused,) = post(client_of(operator), run, "And why?")
    assert refused["kind"] == "error" and "still being answered" in refused["text"]
    assert post(client_of(admin), run, "And why?")[-1]["kind"] == "end"
    assert json.loads(list(lines)[-1])["kind"] == "end"
    assert post(client_of(operator), run, "And why?")[-1]["kind"] == "end"


def test_who_leaves_in_the_middle_may_ask_again(client_of, operator, run, models) -> None:
    first = client_of(operator).post(path_of(run), {"text": "Which step failed?"}, content_type="application/json")
    next(iter(first))
    first.close()
    assert post(client_of(operator), run, "And why?")[-1]["kind"] == "end"
