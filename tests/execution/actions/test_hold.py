"""S1.10: while somebody corrects, the prompt's time stands still; nobody holds it for ever."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from execution.actions import hold
from execution.choices import EventKind, ExecutionState
from execution.models import Decision, ExecutionEvent, Prompt
from tests.execution.api.test_decide_api import make_prompt

pytestmark = pytest.mark.django_db(transaction=True)


def ask_hold(client: Client, prompt: Prompt, held: bool = True) -> Any:
    path = f"/api/executions/{prompt.execution.execution_id}/hold/"
    return client.post(path, {"prompt_id": prompt.pk, "held": held}, content_type="application/json")


@pytest.fixture
def prompt() -> Prompt:
    asked = make_prompt()
    asked.deadline_at = asked.created_at + timedelta(seconds=100)
    asked.save()
    return asked


@pytest.fixture
def bob(make_user: Any, client_of: Any) -> Client:
    return client_of(make_user("bob", "operator"))


@pytest.fixture
def carol(make_user: Any, client_of: Any) -> Client:
    return client_of(make_user("carol", "operator"))


def held_since(prompt: Prompt, seconds: float) -> None:
    """As if the hold had begun so long ago."""
    since = timezone.now() - timedelta(seconds=seconds)
    Prompt.objects.filter(pk=prompt.pk).update(held_since=since)


def test_the_one_who_corrects_is_told_to_all(bob, prompt) -> None:
    answer = ask_hold(bob, prompt)
    assert (answer.status_code, answer.json()["held"]["by"]) == (200, "bob")
    event = ExecutionEvent.objects.get(kind=EventKind.PROMPT)
    assert (event.payload["prompt_id"], event.payload["held"]["by"]) == (prompt.pk, "bob")


def test_a_sign_of_life_is_no_news(bob, prompt) -> None:
    """Signs come every few seconds; the stream hears of the beginning and of the end."""
    since = ask_hold(bob, prompt).json()["held"]["since"]
    first = Prompt.objects.get().held_until
    assert ask_hold(bob, prompt).json()["held"]["since"] == since
    assert Prompt.objects.get().held_until > first
    assert ExecutionEvent.objects.count() == 1


def test_letting_go_moves_the_deadline_by_as_long_as_it_was_held(bob, prompt) -> None:
    ask_hold(bob, prompt)
    held_since(prompt, 30)
    answer = ask_hold(bob, prompt, held=False).json()
    assert answer["held"] is None
    stood = Prompt.objects.get().deadline_at - prompt.deadline_at
    assert 29 < stood.total_seconds() < 35
    assert ask_hold(bob, prompt, held=False).status_code == 200  # twice moves it once
    assert Prompt.objects.get().deadline_at - prompt.deadline_at == stood


def test_letting_go_is_told_once(bob, prompt) -> None:
    """S8.2: browsers show the time running again."""
    ask_hold(bob, prompt)
    for _ in range(2):
        ask_hold(bob, prompt, held=False)
    held = [event.payload["held"] is not None for event in ExecutionEvent.objects.order_by("seq")]
    assert held == [True, False]


def test_time_in_which_nobody_could_answer_is_given_back(prompt) -> None:
    """S1.9: to whoever has the question in hand, and to the browsers; once it is closed there is none to give."""
    first = prompt.deadline_at
    hold.postpone(prompt, 30)
    assert prompt.deadline_at == Prompt.objects.get().deadline_at == first + timedelta(seconds=30)
    assert ExecutionEvent.objects.get().payload["deadline_at"] == prompt.deadline_at.isoformat()
    Prompt.objects.update(state="withdrawn")
    hold.postpone(prompt, 30)
    assert (prompt.deadline_at, prompt.state) == (first + timedelta(seconds=30), "withdrawn")
    Prompt.objects.update(state="open", deadline_at=None)
    hold.postpone(prompt, 30)
    assert prompt.deadline_at is None
    assert ExecutionEvent.objects.count() == 1


def test_a_hold_is_good_up_to_its_last_moment_and_no_longer(bob, prompt) -> None:
    ask_hold(bob, prompt)
    until = Prompt.objects.get().held_until
    assert hold.expire(prompt, until - timedelta(microseconds=1)).held_by is not None
    assert hold.expire(prompt, until).held_by is None


def test_a_second_one_is_told_who_corrects_and_changes_nothing(bob, carol, prompt) -> None:
    ask_hold(bob, prompt)
    answer = ask_hold(carol, prompt)
    assert (answer.status_code, answer.json()["error"], answer.json()["held_by"]) == (409, "held", "bob")
    assert ask_hold(carol, prompt, held=False).json()["held"]["by"] == "bob"


def test_anybody_may_still_answer(bob, carol, prompt) -> None:
    """S1.11: one answer wins, held or not; holding after it says who won."""
    ask_hold(bob, prompt)
    path = f"/api/executions/{prompt.execution.execution_id}/decide/"
    assert carol.post(path, {"choice": "reject"}, content_type="application/json").status_code == 200
    refused = ask_hold(bob, prompt)
    assert (refused.status_code, refused.json()["decided_by"]) == (409, "carol")


def test_a_closed_laptop_does_not_hold_for_ever(bob, carol, prompt) -> None:
    """Without a sign of life the hold ends at the moment up to which it was good, and the next one may hold."""
    ask_hold(bob, prompt)
    since = timezone.now() - timedelta(seconds=200)
    Prompt.objects.update(held_since=since, held_until=since + hold.HOLD_FOR)
    assert ask_hold(carol, prompt).json()["held"]["by"] == "carol"
    assert Prompt.objects.get().deadline_at == prompt.deadline_at + hold.HOLD_FOR


def test_what_is_over_cannot_be_held(bob, prompt) -> None:
    Prompt.objects.update(deadline_at=timezone.now() - timedelta(seconds=1))
    answer = ask_hold(bob, prompt)
    assert (answer.status_code, answer.json()["detail"]) == (409, "The time to answer is over.")


def is_over(prompt: Prompt) -> None:
    """As if the time to answer had gone by, in the row and for the run that waits."""
    prompt.deadline_at = timezone.now()
    Prompt.objects.filter(pk=prompt.pk).update(deadline_at=prompt.deadline_at)


def test_a_held_prompt_is_not_timed_out_by_the_run(stage, make_user) -> None:
    """The run waits for the correction although the deadline has passed; then its time runs on."""
    bob = make_user("bob", "operator")
    s = stage("coaching", coaching_timeout_s=600)
    looks = []

    def hold_it(prompt: Prompt) -> None:
        hold.hold(prompt_id=prompt.pk, user=bob)
        is_over(prompt)
        s.journal.refresh = let_go_later(prompt, s.journal.refresh)

    def let_go_later(prompt: Prompt, refresh: Any) -> Any:
        def look() -> Any:
            looks.append(prompt.deadline_at)
            if len(looks) == 4:
                assert not Decision.objects.exists()
                hold.let_go(prompt_id=prompt.pk, user=bob)
                s.journal.refresh = refresh
            return refresh()

        return look

    s.run(hold_it, "accept", "accept", "accept")
    assert len(looks) == 4
    assert s.outcomes()[0] == "skipped"
    first = s.execution.prompts.order_by("created_at").first()
    assert first.deadline_at > looks[0], "by as long as it was held"


def test_a_hold_without_signs_is_ended_by_the_run(stage, make_user, monkeypatch) -> None:
    monkeypatch.setattr(hold, "HOLD_FOR", timedelta(seconds=0.4))
    bob = make_user("bob", "operator")
    s = stage("coaching", coaching_timeout_s=600)

    def hold_it(prompt: Prompt) -> None:
        hold.hold(prompt_id=prompt.pk, user=bob)
        is_over(prompt)

    s.run(hold_it, "accept", "accept", "accept")
    first = s.execution.prompts.order_by("created_at").first()
    assert s.outcomes()[0] == "skipped"
    assert first.held_by is None
    assert (first.decision.decided_at - first.created_at).total_seconds() > 0.4


# --- it is another screen ---------------------------------------------------------------------------------------------
def test_a_rejection_may_say_which_screen_it_is(stage) -> None:
    """S1.6: the suggestion is rejected, nothing is done, and the run goes on from the screen that the person named."""
    s = stage("coaching")
    execution = s.run({"choice": "reject", "node_id": "c"}, "accept")
    assert s.asked[1].step.edge_id == "cd"
    assert s.world.acts == ["cd"]
    assert execution.steps.first().message.endswith("It is another screen: “C”.")
    assert execution.state == ExecutionState.COMPLETED


def test_a_pause_tells_what_was_expected(stage) -> None:
    """S1.6: what was expected comes before what else it could be."""
    s = stage()
    done = s.execution.steps.filter(outcome="succeeded")
    s.world.on_observe = lambda world: setattr(world, "node", None if done.exists() else world.node)
    execution = s.run()
    assert execution.pause_reason == "no_match"
    assert execution.pause_detail["expected"] == {"node_id": "b", "name": "B"}
