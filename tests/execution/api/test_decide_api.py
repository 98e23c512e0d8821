"""Deciding by the API (S1.8 to S1.11): one answer wins, and whoever comes second is told who was first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from execution.choices import ExecutionState, PromptKind, PromptState
from execution.models import Decision, Execution, ExecutionEvent, Prompt, Step
from tests.factories import make_execution


def make_prompt(kind: PromptKind = PromptKind.COACHING, run: Execution | None = None) -> Prompt:
    run = run or make_execution(state=ExecutionState.WAITING_COACHING, desktop=f"host:{Execution.objects.count()}")
    index = run.steps.count() + 1
    step = Step.objects.create(execution=run, index=index, epoch=0, mode=run.mode, sentence="Click Save")
    return Prompt.objects.create(execution=run, step=step, kind=kind, message="Click Save?")


def decide(client: Client, prompt: Prompt, **body: Any) -> Any:
    path = f"/api/executions/{prompt.execution.execution_id}/decide/"
    return client.post(path, body, content_type="application/json")


def confirm(client: Client, prompt: Prompt, **body: Any) -> Any:
    path = f"/api/executions/{prompt.execution.execution_id}/confirm/"
    return client.post(path, body, content_type="application/json")


@pytest.fixture
def bob(make_user: Any, client_of: Any) -> Client:
    return client_of(make_user("bob", "operator"))


@pytest.fixture
def carol(make_user: Any, client_of: Any) -> Client:
    return client_of(make_user("carol", "operator"))


@pytest.mark.django_db
class TestOneAfterTheOther:
    @pytest.mark.parametrize("choice", ["accept", "manual", "skip", "reject"])
    def test_an_answer_is_recorded_with_who_gave_it(self, bob, choice):
        """S1.9"""
        prompt = make_prompt()
        answer = decide(bob, prompt, prompt_id=prompt.pk, choice=choice, feedback="as taught")
        assert (answer.status_code, answer.json()["decided_by"], answer.json()["choice"]) == (200, "bob", choice)
        decision = Decision.objects.get()
        assert (decision.choice, decision.source, decision.feedback) == (choice, "coach", "as taught")
        assert ExecutionEvent.objects.get().payload["decided_by"] == "bob"

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"choice": "maybe"}, 422),
            ({}, 400),
            ({"choice": "accept", "prompt_id": "x"}, 400),
            ({"choice": "accept", "correction": []}, 400),
            ({"choice": "accept", "feedback": "x" * 3000}, 400),
        ],
    )
    def test_an_answer_that_the_question_does_not_take_is_refused(self, bob, body, status):
        prompt = make_prompt()
        assert decide(bob, prompt, **body).status_code == status
        assert not Decision.objects.exists()

    @pytest.mark.parametrize("number", [True, False])
    def test_the_second_is_told_who_was_first_and_what_was_said(self, bob, carol, number):
        """S1.11: with the question's number, and without it just after."""
        prompt = make_prompt()
        body = {"prompt_id": prompt.pk} if number else {}
        assert decide(bob, prompt, choice="accept", **body).status_code == 200
        answer = decide(carol, prompt, choice="reject", **body)
        assert answer.status_code == 409
        told, at = answer.json(), Decision.objects.get().decided_at
        assert "bob (page) accepted at" in told.pop("detail")
        assert told == {
            "error": "already_decided",
            "choice": "accept",
            "decided_by": "bob",
            "source": "coach",
            "origin": "page",
            "decided_at": at.isoformat(),
        }
        assert Decision.objects.get().choice == "accept"

    def test_a_late_answer_does_not_fall_on_the_next_question(self, bob, carol):
        """S1.11: the number says which question was looked at."""
        first = make_prompt()
        assert decide(bob, first, prompt_id=first.pk, choice="accept").status_code == 200
        second = make_prompt(run=first.execution)
        assert decide(carol, first, prompt_id=first.pk, choice="reject").status_code == 409
        second.refresh_from_db()
        assert second.state == PromptState.OPEN

    def test_a_question_of_another_run_is_not_answered(self, bob):
        mine, other = make_prompt(), make_prompt()
        answer = decide(bob, mine, prompt_id=other.pk, choice="accept")
        assert (answer.status_code, answer.json()["error"]) == (409, "nothing_to_decide")
        assert not Decision.objects.exists()

    @pytest.mark.parametrize(("approved", "choice"), [(True, "accept"), (False, "reject")])
    def test_a_confirmation_is_a_decision(self, bob, carol, approved, choice):
        """S1.8"""
        prompt = make_prompt(PromptKind.CONFIRMATION)
        assert confirm(bob, prompt, approved=approved).json()["choice"] == choice
        second = confirm(carol, prompt, approved=True)
        assert (second.status_code, second.json()["decided_by"]) == (409, "bob")

    def test_a_confirmation_says_yes_or_no(self, bob):
        assert confirm(bob, make_prompt(PromptKind.CONFIRMATION)).status_code == 400


ANSWERS = st.lists(st.sampled_from(["accept", "manual", "skip", "reject"]), min_size=2, max_size=4)


@pytest.mark.django_db(transaction=True)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choices=ANSWERS)
@pytest.mark.slow
def test_of_browsers_that_decide_at_once_one_wins_and_the_others_are_told_who(make_user, choices):
    """S1.11: real threads on the database file; who wins is chance, that only one does is not."""
    prompt = make_prompt()
    names = [f"person{prompt.pk}_{number}" for number in range(len(choices))]
    clients = []
    for name in names:
        clients.append(Client())
        clients[-1].force_login(make_user(name, "operator"))
    answers = at_once(
        *(partial(decide, client, prompt, choice=choice) for client, choice in zip(clients, choices, strict=True))
    )
    winners = [i for i, answer in enumerate(answers) if answer.status_code == 200]
    assert len(winners) == 1
    [won] = winners
    for i, answer in enumerate(answers):
        if i != won:
            assert answer.status_code == 409
            assert (answer.json()["decided_by"], answer.json()["choice"]) == (names[won], choices[won])
    decision = Decision.objects.get(prompt=prompt)
    assert (decision.user.username, decision.choice) == (names[won], choices[won])
    assert ExecutionEvent.objects.filter(execution=prompt.execution, kind="decision").count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(10))
def test_a_decision_and_a_stop_at_once_leave_one_decision_and_the_wish_to_stop(bob, carol, seed):
    """S1.7, S1.11"""
    prompt = make_prompt()

    path = f"/api/executions/{prompt.execution.execution_id}/control/"
    calls = [
        partial(decide, bob, prompt, prompt_id=prompt.pk, choice="accept"),
        partial(carol.post, path, {"verb": "stop"}, content_type="application/json"),
    ]
    answers = at_once(*(calls if seed % 2 else calls[::-1]))
    decided, stopped = answers if seed % 2 else answers[::-1]
    assert stopped.status_code == 200
    assert decided.status_code in (200, 409)
    decision = Decision.objects.get(prompt=prompt)
    assert (decision.choice == "accept") is (decided.status_code == 200)
    assert Execution.objects.get(pk=prompt.execution_id).wish == "stop"


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """The answers to calls that leave together, each from its own thread and connection."""
    barrier = threading.Barrier(len(calls))

    def answer(call: Callable[[], Any]) -> Any:
        try:
            barrier.wait(60)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(60) for future in [pool.submit(answer, call) for call in calls]]
