"""Numbers that no database holds, in every parameter and body of the API and in queries of pages: never a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from execution.api.serializers import VERBS
from execution.models import Replay, Worklist
from tests.factories import make_execution, make_published
from tests.support.sockets import session_of

pytestmark = pytest.mark.django_db

TOO_LARGE = (2**63, "NaN", "9" * 900)
AS_LARGE = [pytest.param(value, marks=pytest.mark.slow) for value in (10**23, "1e23", "-Infinity")]
# What pages take in their queries.
PAGE_QUERIES = (
    "page",
    "after",
    "step",
    "limit",
    "offset",
    "v",
    "hours",
    "days",
    "last",
    "index",
    "prompt",
    "execution",
    "workflow",
    "q",
    "before",
    "version",
    "until",
)
SIGNED = ("/api/webhooks/{hook_id}/",)  # by the caller, whom no login stands for: tests/execution/api/test_webhooks.py
NO_NUMBERS = ("²", "१२", "nan", "-inf", "1_0", "9" * 5000)


@cache
def operations() -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Method, path, its description, and the schemas that it refers to."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    return [
        (method, path, described, schema["components"]["schemas"])
        for path, methods in schema["paths"].items()
        for method, described in methods.items()
    ]


@pytest.fixture
def admin(make_user: Any) -> Client:
    person = make_user("ada", "admin")
    browser = Client(raise_request_exception=False)
    browser.cookies["sessionid"] = session_of(person)
    return browser


@pytest.fixture
def named() -> dict[str, str]:
    version = make_published()
    run = make_execution(version=version)
    return {
        "execution_id": run.execution_id,
        "workflow_id": run.workflow_id,
        "index": "1",
        "replay_id": Replay.objects.create(workflow=version.workflow).replay_id,
        "worklist_id": Worklist.objects.create(name="Letters", workflow=version.workflow).worklist_id,
        "number": "1",
        "request_id": "1f0b0a4e-0000-4000-8000-000000000000",
    }


def filled(path: str, named: dict[str, str], **other: str) -> str:
    for name, value in (named | other).items():
        path = path.replace(f"{{{name}}}", value)
    return path


@pytest.mark.parametrize("value", [*TOO_LARGE, *AS_LARGE], ids=lambda v: str(v)[:12])
def test_no_parameter_of_the_api_makes_the_server_fail(admin: Client, named: dict[str, str], value: Any) -> None:
    failed = {}
    for method, path, described, _schemas in operations():
        for parameter in described.get("parameters", ()):
            name = parameter["name"]
            url = filled(path, named, **({name: str(value)} if parameter["in"] == "path" else {}))
            query = f"?{name}={value}" if parameter["in"] == "query" else ""
            answer = getattr(admin, method)(
                url + query, **({"content_type": "application/json"} if method != "get" else {})
            )
            is_number = parameter["schema"].get("type") in ("integer", "number")
            if answer.status_code >= 500 or (is_number and parameter["in"] == "query" and answer.status_code != 400):
                failed[f"{method} {path} {name}"] = answer.status_code
    assert failed == {}


def numbers_of(schema: dict[str, Any], schemas: dict[str, Any], depth: int = 0) -> Iterator[tuple[str, ...]]:
    """The paths of all properties of a body that take a number, or whatever one likes."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    for part in schema.get("allOf", ()):
        yield from numbers_of(part, schemas, depth)
    for name, inner in schema.get("properties", {}).items() if depth < 4 else ():
        if inner.get("type") in ("integer", "number") or not {"type", "$ref", "allOf"} & set(inner):
            yield (name,)
        for deeper in numbers_of(inner, schemas, depth + 1):
            yield (name, *deeper)


def example(schema: dict[str, Any], schemas: dict[str, Any], named: dict[str, str]) -> Any:
    """A body with a plain value for all that is needed."""
    if "$ref" in schema:
        return example(schemas[schema["$ref"].rsplit("/", 1)[1]], schemas, named)
    if schema.get("allOf"):
        return example(schema["allOf"][0], schemas, named)
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            return {n: named.get(n) or example(properties[n], schemas, named) for n in schema.get("required", ())}
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case "array":
            return []
    return (schema.get("enum") or ["x"])[0]


@pytest.mark.parametrize("value", [10**23, 2**63, 1e23, float("nan"), float("inf")], ids=str)
def test_no_number_in_a_body_makes_the_server_fail(admin: Client, named: dict[str, str], value: Any) -> None:
    failed = {}
    for method, path, described, schemas in operations():
        content = described.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            continue
        plain = example(content["schema"], schemas, named)
        for place in numbers_of(content["schema"], schemas):
            body = json.loads(json.dumps(plain))
            inner = body
            for name in place[:-1]:
                inner = inner.setdefault(name, {})
            inner[place[-1]] = value
            answer = getattr(admin, method)(filled(path, named), json.dumps(body), content_type="application/json")
            if answer.status_code >= 500:
                failed[f"{method} {path} {'.'.join(place)}"] = answer.status_code
    assert failed == {}


@pytest.mark.parametrize("value", [2**63, "NaN", "9" * 900], ids=lambda v: str(v)[:12])
@pytest.mark.slow
def test_no_number_in_the_query_of_a_page_makes_the_server_fail(admin, named, value) -> None:
    pages = ["/", "/workflows/", f"/workflows/{named['workflow_id']}", f"/runs/{named['execution_id']}", "/runs/new"]
    pages += ["/robots", f"/runs/{named['execution_id']}/snapshot", "/admin/execution/execution/", "/models"]
    failed = {}
    for page in pages:
        for name in PAGE_QUERIES:
            status = admin.get(f"{page}?{name}={value}").status_code
            if status >= 500:
                failed[f"{page}?{name}"] = status
    assert failed == {}


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda v: str(v)[:12])
def test_no_odd_digit_in_the_query_of_a_page_makes_the_server_fail(admin, named, value) -> None:
    pages = ["/", "/analytics", "/analytics/runs", "/analytics/steps", "/analytics/models", "/audit", "/texts"]
    pages += ["/learning/training", "/admin/workflows/edge/add/"]
    asked = urlencode(dict.fromkeys([*PAGE_QUERIES, "how", "c"], value))
    failed = {page: status for page in pages if (status := admin.get(f"{page}?{asked}").status_code) >= 500}
    failed |= {page: status for page in pages[:1] if (status := admin.get(f"{page}?q={value}").status_code) >= 500}
    for page in ("/admin/workflows/edge/add/", "/admin/workflows/node/add/"):
        if (status := admin.post(page, {"workflow": value}).status_code) >= 500:
            failed[f"POST {page}"] = status
    if admin.post("/analytics/storage/hold", {"run": value, "reason": "x"}).status_code >= 500:
        failed["/analytics/storage/hold"] = 500
    assert failed == {}


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_of_control_makes_the_server_fail(admin: Client, named: dict[str, str], verb: str) -> None:
    url = f"/api/executions/{named['execution_id']}/control/"
    body = json.dumps({"verb": verb, "mode": "auto", "enabled": True})
    assert admin.post(url, body, content_type="application/json").status_code < 500


def test_no_body_takes_a_field_that_it_does_not_know(admin: Client, named: dict[str, str]) -> None:
    """Of every operation of the API, at the top and in what lies in it."""
    taken, asked = {}, 0
    for method, path, described, schemas in operations():
        content = described.get("requestBody", {}).get("content", {})
        body = content.get("application/json") or content.get("multipart/form-data")
        if body is None or path in SIGNED:
            continue
        asked += 1
        plain = example(body["schema"], schemas, named) or {}
        sent = {**plain, "no_such_field": 1} if "application/json" in content else {"no_such_field": "1"}
        kind = {"content_type": "application/json"} if "application/json" in content else {}
        answer = getattr(admin, method)(filled(path, named), sent, **kind)
        if answer.status_code != 404 and (answer.status_code != 400 or "no_such_field" not in answer.json()["detail"]):
            taken[f"{method} {path}"] = answer.status_code
    assert asked > 15
    assert taken == {}
