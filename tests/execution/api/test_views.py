"""The REST API of runs (S8.3): what it answers, in the shapes that its schema promises, and in how many queries."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import jsonschema
import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from execution.choices import ExecutionMode, ExecutionState, PromptKind
from execution.models import Decision, Execution, Prompt, Robot, Step
from execution.record.events import emit_state
from tests.factories import make_execution, make_published

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(viewer: Any, client_of: Any) -> Client:
    return client_of(viewer)


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    from drf_spectacular.generators import SchemaGenerator

    return SchemaGenerator().get_schema(request=None, public=True)


def make_run(**fields: Any) -> Execution:
    """A run at work, with two steps, an open question about the second, a robot and three events."""
    number = Robot.objects.count() + 1
    desktop = f"host:{number}"
    robot = Robot.objects.create(name=desktop, desktop=desktop, host="host", pid=number)
    defaults = {"state": ExecutionState.WAITING_COACHING, "desktop": desktop, "robot": robot}
    run = make_execution(**{**defaults, "started_at": timezone.now(), **fields})
    for index in (1, 2):
        step = Step.objects.create(execution=run, index=index, epoch=1, mode=run.mode, node_id="empty_note")
    Step.objects.filter(pk=step.pk).update(screen={"screen_state_id": "s"}, sentence="Click Save")
    step.refresh_from_db()
    Prompt.objects.create(execution=run, step=step, kind=PromptKind.COACHING, message="Click Save?")
    for _ in range(3):
        with transaction.atomic():
            emit_state(run)
    return run


def check(schema: dict[str, Any], path: str, answer: Any, *, method: str = "get", status: int = 200) -> Any:
    """The answer's JSON, after holding it against the schema."""
    assert answer.status_code == status, answer.content[:500]
    operation = schema["paths"][path][method]["responses"][str(status)]
    [media] = operation["content"].values()
    document = {"components": schema["components"], **media["schema"]}
    jsonschema.validate(answer.json(), strict(document), format_checker=jsonschema.FormatChecker())
    return answer.json()


def strict(part: Any) -> Any:
    """OpenAPI 3.0 to JSON schema: `nullable`, and no field beyond the described ones."""
    if isinstance(part, list):
        return [strict(p) for p in part]
    if not isinstance(part, dict):
        return part
    made = {name: strict(p) for name, p in part.items() if name not in ("nullable", "readOnly", "writeOnly")}
    if "properties" in made and "additionalProperties" not in made:
        made["additionalProperties"] = False
    return {"anyOf": [made, {"type": "null"}]} if part.get("nullable") else made


# --- reading --------------------------------------------------------------------------------------------------------
def test_a_run_is_described_with_all_that_it_was_started_with(api, schema):
    run = make_run()
    body = check(schema, "/api/executions/{execution_id}/", api.get(f"/api/executions/{run.execution_id}/"))
    assert (body["execution_id"], body["number"], body["state"]) == (run.execution_id, run.pk, "coaching")
    assert body["flags"]["analyze_timeout_ms"] == 8000
    assert body["variables"] == {"patient": "Ada Martin"}
    assert (body["prompt"]["message"], body["last_seq"]) == ("Click Save?", 3)


def test_progress_is_readable_at_any_moment(api, schema):
    """S1.12"""
    run = make_run(steps_executed=3, steps_succeeded=2, steps_failed=1, last_confidence=0.9, current_node_id="saved")
    path = f"/api/executions/{run.execution_id}/progress/"
    body = check(schema, "/api/executions/{execution_id}/progress/", api.get(path))
    assert 0 <= body["duration_seconds"] < 60
    assert body == {**run.progress(), "duration_seconds": body["duration_seconds"]}


def test_the_progress_of_whatever_runs_or_idle(api, schema):
    """S1.12"""
    path = "/api/progress/"
    assert check(schema, path, api.get(path)) == {"status": "idle"}
    make_execution(state=ExecutionState.QUEUED)
    assert api.get(path).json() == {"status": "idle"}
    first = make_run(started_at=timezone.now() - timedelta(minutes=1))
    second = make_run()
    assert check(schema, path, api.get(path))["execution_id"] == second.execution_id
    assert api.get(path, {"desktop": first.desktop}).json()["execution_id"] == first.execution_id
    assert api.get(path, {"desktop": "elsewhere"}).json() == {"status": "idle"}


def test_coaching_statistics_of_a_run(api, schema):
    """S1.13"""
    run = make_run(suggestions_made=4, accepted=3, corrected=1)
    path = "/api/executions/{execution_id}/coaching_stats/"
    body = check(schema, path, api.get(path.format(execution_id=run.execution_id)))
    assert (body["acceptance_rate"], body["correction_rate"], body["skipped"]) == (0.75, 0.25, 0)


def test_capture_statistics_of_a_run(api):
    """S1.14"""
    run = make_run(capture_stats={"total_captures": 7})
    assert api.get(f"/api/executions/{run.execution_id}/capture_stats/").json() == {"total_captures": 7}


def test_steps_come_in_order_and_one_comes_with_its_screen_and_answers(api, schema, operator):
    run = make_run()
    path = f"/api/executions/{run.execution_id}/steps/"
    body = check(schema, "/api/executions/{execution_id}/steps/", api.get(path))
    assert [step["index"] for step in body["results"]] == [1, 2]
    assert "screen" not in body["results"][0]
    Decision.objects.create(prompt=run.prompts.get(), choice="accept", source="coach", user=operator)
    step = check(schema, "/api/executions/{execution_id}/steps/{index}/", api.get(f"{path}2/"))
    assert step["screen"] == {"screen_state_id": "s"}
    assert [(d["choice"], d["decided_by"]) for d in step["decisions"]] == [("accept", "operator")]
    missing = api.get(f"{path}9/")
    assert (missing.status_code, missing.json()["detail"]) == (404, f"The run {run.execution_id} has no step 9.")


def test_events_are_read_by_cursor(api, schema):
    """S8.2 without a socket"""
    run = make_run()
    path = f"/api/executions/{run.execution_id}/events/"
    template = "/api/executions/{execution_id}/events/"
    body = check(schema, template, api.get(path, {"after": 1, "limit": 1}))
    assert (body["head"], [event["seq"] for event in body["events"]]) == (3, [2])
    assert body["events"][0]["kind"] == "state"
    assert check(schema, template, api.get(path, {"after": 3}))["events"] == []
    assert [event["seq"] for event in api.get(path).json()["events"]] == [1, 2, 3]
    for bad in ({"after": "x"}, {"after": -1}, {"limit": 0}, {"limit": 501}):
        assert api.get(path, bad).status_code == 400


def test_the_open_question_or_null(api, schema):
    run = make_run()
    path = f"/api/executions/{run.execution_id}/prompt/"
    body = check(schema, "/api/executions/{execution_id}/prompt/", api.get(path))
    assert (body["kind"], body["choices"][0]) == ("coaching", "accept")
    Prompt.objects.update(state="answered")
    answer = api.get(path)
    assert (answer.status_code, answer.json()) == (200, None)


def test_all_open_questions_with_the_runs_that_ask_them(api, schema):
    runs = [make_run() for _ in range(2)]
    body = check(schema, "/api/prompts/", api.get("/api/prompts/"))
    assert [prompt["execution_id"] for prompt in body] == [run.execution_id for run in runs]


def test_robots_say_whether_they_live_and_what_they_run(api, schema):
    run = make_run()
    Robot.objects.create(name="old", desktop="old", host="h", pid=9, heartbeat_at=timezone.now() - timedelta(hours=1))
    body = check(schema, "/api/robots/", api.get("/api/robots/"))
    told = [(robot["name"], robot["is_alive"], robot["execution_id"]) for robot in body]
    assert told == [(run.desktop, True, run.execution_id), ("old", False, None)]


@pytest.mark.parametrize(
    "rest", ["", "progress/", "coaching_stats/", "capture_stats/", "steps/", "steps/1/", "events/", "prompt/"]
)
def test_an_unknown_run_is_a_sentence(api, rest):
    answer = api.get(f"/api/executions/exec_nowhere/{rest}")
    assert answer.status_code == 404
    assert answer.json() == {"error": "unknown_execution", "detail": "There is no run “exec_nowhere”."}


# --- lists ----------------------------------------------------------------------------------------------------------
def test_the_list_is_filtered_by_state_mode_and_workflow(api, schema):
    version = make_published()
    one = make_execution(version=version, state=ExecutionState.PAUSED, mode=ExecutionMode.AUTOMATIC, desktop="a")
    two = make_execution(version=version, state=ExecutionState.QUEUED)
    three = make_execution(state=ExecutionState.PAUSED, desktop="b")

    def found(**query: Any) -> list[int]:
        body = check(schema, "/api/executions/", api.get("/api/executions/", query))
        return [run["number"] for run in body["results"]]

    assert found() == [three.pk, two.pk, one.pk]
    assert found(state="paused") == [three.pk, one.pk]
    assert found(state=["paused", "queued"]) == [three.pk, two.pk, one.pk]
    assert found(workflow_id=version.workflow.workflow_id) == [two.pk, one.pk]
    assert found(mode="automatic") == [one.pk]
    assert found(workflow_id="wf_nowhere") == []
    assert api.get("/api/executions/", {"state": "dancing"}).status_code == 400


def test_the_list_comes_in_pages_of_a_bounded_size(api):
    for _ in range(3):
        make_execution()
    body = api.get("/api/executions/", {"limit": 2}).json()
    assert (body["count"], len(body["results"])) == (3, 2)
    assert api.get(body["next"]).json()["results"][0]["number"] == Execution.objects.last().pk
    assert "limit=200" in str(api.get("/api/executions/", {"limit": 100_000, "offset": 1}).json()["previous"])


@pytest.mark.parametrize("path", ["/api/executions/", "/api/prompts/", "/api/robots/"])
def test_a_list_of_many_takes_as_many_queries_as_one_of_one(api, django_assert_max_num_queries, path):
    make_run()
    with django_assert_max_num_queries(20) as one:
        api.get(path)
    for _ in range(5):
        make_run()
    with django_assert_max_num_queries(len(one)):
        assert len(api.get(path).json()) >= 4


def test_steps_are_listed_without_their_screens_being_read(api, django_assert_max_num_queries):
    run = make_run()
    with django_assert_max_num_queries(20) as queries:
        api.get(f"/api/executions/{run.execution_id}/steps/")
    assert not [q for q in queries if '"execution_step"."screen"' in q["sql"]]
    assert not [q for q in queries if "graph" in q["sql"]]


# --- schema ---------------------------------------------------------------------------------------------------------
def test_the_schema_of_runs_is_made_without_a_warning(schema):
    """S8.3"""
    from drf_spectacular.drainage import GENERATOR_STATS
    from drf_spectacular.generators import SchemaGenerator

    GENERATOR_STATS.reset()
    with GENERATOR_STATS.silence():
        SchemaGenerator().get_schema(request=None, public=True)
    said = [str(m) for cache in (GENERATOR_STATS._warn_cache, GENERATOR_STATS._error_cache) for m in cache]
    GENERATOR_STATS.reset()
    assert [m for m in said if "execution" in m.lower()] == []


def test_every_route_of_runs_is_in_the_schema(schema):
    """S8.3"""
    from execution.api.urls import urlpatterns

    routes = {"/api/" + re.sub(r"<\w+:(\w+)>", r"{\1}", str(p.pattern)) for p in urlpatterns}
    assert routes <= set(schema["paths"])
