from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from execution.choices import ExecutionState, PromptKind, Wish
from execution.models import Decision, Execution, ExecutionEvent, Prompt, Prototype, Robot, Step
from tests.factories import make_execution

RUNS = reverse("admin:execution_execution_changelist")
MODELS = ("execution", "step", "prompt", "decision", "executionevent", "robot")
VECTOR = np.array([1.0, 0.0], "<f4").tobytes()
ClientOf = Callable[[Any], Client]


@pytest.fixture
def run(db: None) -> Execution:
    return make_execution(state=ExecutionState.RUNNING, desktop="host:1", variables={"patient": "Ada Martin"})


@pytest.fixture
def rows(run: Execution) -> dict[str, Any]:
    """One row of every kind."""
    step = Step.objects.create(execution=run, index=1, epoch=1, mode=run.mode, node_id="empty_note")
    prompt = Prompt.objects.create(execution=run, step=step, kind=PromptKind.COACHING, message="Suggested action")
    return {
        "execution": run,
        "step": step,
        "prompt": prompt,
        "decision": Decision.objects.create(prompt=prompt, choice="accept", source="coach"),
        "executionevent": ExecutionEvent.objects.create(execution=run, seq=1, kind="state"),
        "robot": Robot.objects.create(name="host:1", desktop="host:1", host="host", pid=1),
    }


def choose(client: Client, action: str, *runs: Execution) -> Any:
    chosen = {"action": action, "_selected_action": [run.pk for run in runs]}
    return client.post(RUNS, chosen, follow=True)


def words(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize("model", MODELS)
def test_every_part_of_a_run_can_be_looked_at(
    client_of: ClientOf, designer: Any, rows: dict[str, Any], model: str
) -> None:
    client = client_of(designer)
    assert client.get(reverse(f"admin:execution_{model}_changelist")).status_code == 200
    assert client.get(reverse(f"admin:execution_{model}_change", args=[rows[model].pk])).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_no_part_of_a_run_can_be_added_changed_or_deleted_even_by_an_admin(
    client_of: ClientOf, rows: dict[str, Any], django_user_model: Any, model: str
) -> None:
    """S8.4, T17: not by a superuser either."""
    client = client_of(django_user_model.objects.create_superuser("root", password="x"))
    row = rows[model]
    assert client.post(reverse(f"admin:execution_{model}_add"), {}).status_code == 403
    assert client.post(reverse(f"admin:execution_{model}_change", args=[row.pk]), {}).status_code == 403
    assert client.post(reverse(f"admin:execution_{model}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    client.post(
        reverse(f"admin:execution_{model}_changelist"),
        {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"},
    )
    assert type(row).objects.filter(pk=row.pk).exists()


def test_the_values_a_run_was_started_with_are_not_on_its_admin_page(client_of, designer, run) -> None:
    """S10.3"""
    page = client_of(designer).get(reverse("admin:execution_execution_change", args=[run.pk]))
    assert "Ada Martin" not in page.content.decode()


@pytest.mark.parametrize(
    ("action", "state", "wish"), [("pause", "running", Wish.PAUSE), ("resume", "paused", "resume")]
)
def test_pause_and_resume_are_wishes_for_the_run_loop(client_of, designer, action, state, wish) -> None:
    """S1.7"""
    run = make_execution(state=state, desktop="host:1")
    assert words(choose(client_of(designer), action, run)) == ["Asked of 1 run."]
    run.refresh_from_db()
    assert (run.state, run.wish) == (state, wish)


def test_a_run_that_refuses_says_why_and_keeps_no_other_from_it(client_of, designer, run) -> None:
    ended = make_execution(state=ExecutionState.COMPLETED, ended_at=timezone.now())
    said = words(choose(client_of(designer), "stop", run, ended))
    assert sorted(said) == ["Asked of 1 run.", f"The run {ended.name_for_people} is completed. It has already ended."]
    run.refresh_from_db()
    assert run.wish == Wish.STOP


def test_without_the_right_to_operate_there_is_no_action(client_of, make_user, run) -> None:
    """S10.1: looking is not operating."""
    from django.contrib.auth.models import Permission

    looker = make_user("looker")
    looker.user_permissions.set(Permission.objects.filter(codename__in=["change_workflow", "view_execution"]))
    page = choose(client_of(looker), "stop", run)
    assert page.status_code == 200
    assert 'value="stop"' not in page.content.decode()
    run.refresh_from_db()
    assert run.wish == Wish.NONE


def test_one_picture_of_a_screen_is_put_back_to_what_was_taught(client_of, viewer, designer, run) -> None:
    """S6.6: the other pictures of the screen stay where they are."""

    def moved(picture: str, number: int = 1, **more: Any) -> Prototype:
        return Prototype.objects.create(
            workflow=run.version.workflow, node_id="save_dialog", picture=picture * 64, model="eye",
            number=number, vector=VECTOR, away=0.1, **more,
        )  # fmt: skip

    chosen, other = moved("a"), moved("b")
    page = reverse("admin:execution_prototype_changelist")
    asked = {"action": "put_back", "_selected_action": [chosen.pk]}
    client_of(viewer).post(page, asked)
    assert Prototype.objects.count() == 2
    told = client_of(designer).post(page, asked, follow=True)
    assert words(told) == ["1 picture looks as it was taught."]
    back = Prototype.objects.get(is_reset=True)
    assert (back.picture, back.number, back.name) == (chosen.picture, 2, designer.username)
    assert Prototype.objects.filter(picture=other.picture).count() == 1
    assert "5.7°" in told.content.decode()
