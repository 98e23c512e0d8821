"""The header Idempotency-Key: a request to start a run that is sent again starts no second one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
import time_machine
from django.db import connections
from django.test import Client
from django.utils import timezone

from execution.behind.old import forget_old
from execution.models import Execution, StartKey
from execution.models.execution import START_KEYS_KEPT
from tests.factories import make_published

PATH = "/api/executions/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def workflow_id() -> str:
    return make_published().workflow.workflow_id


def post(client: Client, workflow_id: str, key: str, patient: str = "Bo Li") -> Any:
    body = {"workflow_id": workflow_id, "variables": {"patient": patient}}
    return client.post(PATH, body, content_type="application/json", headers={"Idempotency-Key": key})


def test_the_same_key_and_body_give_the_same_run(client_of: Any, operator: Any, workflow_id: str) -> None:
    client = client_of(operator)
    first, second = post(client, workflow_id, "a-1"), post(client, workflow_id, "a-1")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.headers["Location"] == second.headers["Location"]
    assert Execution.objects.count() == 1
    assert post(client, workflow_id, "a-2").json()["execution_id"] != first.json()["execution_id"]
    assert "Bo Li" not in str(list(StartKey.objects.values()))


def test_the_same_key_with_another_body_is_refused(client_of: Any, operator: Any, workflow_id: str) -> None:
    client = client_of(operator)
    run = post(client, workflow_id, "a-1").json()["execution_id"]
    refused = post(client, workflow_id, "a-1", patient="Zoe Ray")
    assert (refused.status_code, refused.json()["error"]) == (422, "idempotency_key_used")
    assert run in refused.json()["detail"]
    assert Execution.objects.count() == 1


def test_a_key_is_its_persons_own(client_of: Any, operator: Any, make_user: Any, workflow_id: str) -> None:
    runs = {
        post(client_of(one), workflow_id, "a-1").json()["execution_id"]
        for one in (operator, make_user("o", "operator"))
    }
    assert len(runs) == 2


def test_a_refused_request_uses_no_key_up(client_of: Any, operator: Any, workflow_id: str) -> None:
    client = client_of(operator)
    assert post(client, "wf_none", "a-1").status_code == 404
    assert post(client, workflow_id, "a-1").status_code == 201


@pytest.mark.parametrize("key", ["", " ", "é", "x" * 201, "a b"])
def test_a_key_that_is_none_is_refused(client_of: Any, operator: Any, workflow_id: str, key: str) -> None:
    refused = post(client_of(operator), workflow_id, key)
    assert (refused.status_code, refused.json()["error"]) == (400, "bad_parameter")
    assert not Execution.objects.exists()


@pytest.mark.parametrize("forgotten", [True, False])
def test_a_key_is_kept_for_a_day(client_of: Any, operator: Any, workflow_id: str, forgotten: bool) -> None:
    client = client_of(operator)
    first = post(client, workflow_id, "a-1").json()["execution_id"]
    later = timezone.now() + START_KEYS_KEPT + timedelta(seconds=1)
    forget_old(later - timedelta(seconds=2))
    assert StartKey.objects.exists()
    if forgotten:
        forget_old(later)
        assert not StartKey.objects.exists()
    with time_machine.travel(later, tick=False):
        client.force_login(operator)
        assert post(client, workflow_id, "a-1").json()["execution_id"] != first


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_start_one_run(client_of: Any, operator: Any, workflow_id: str) -> None:
    clients, ready = [client_of(operator) for _ in range(4)], Barrier(4)

    def ask(client: Client) -> str:
        try:
            ready.wait(30)
            return str(post(client, workflow_id, "a-1").json()["execution_id"])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(ask, clients))) == 1
    assert Execution.objects.count() == 1
