"""A run that waits for a robot says why, and goes on saying what is true, in a real browser (S7.3, S9.4)."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from execution.models import Robot
from tests.execution.record.test_places import queued, robot, taken, workflow
from tests.execution.record.test_vanished import falls_silent

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_why_it_waits_follows_what_other_runs_do(page_of: Any, operator: Any) -> None:
    flow = workflow(most_at_once=1)
    first, second = queued(flow), queued(flow)
    assert taken(robot()) == first.execution_id
    page = page_of(operator, f"/runs/{second.execution_id}")
    question = page.locator("#question")
    expect(question).to_contain_text(f"At most 1 run of “{flow.name}” is at work at once, and one is.")
    link = question.get_by_role("link", name=f"{flow.name}, run {first.pk}")
    expect(link).to_have_attribute("href", f"/runs/{first.execution_id}")
    Robot.objects.all().delete()
    expect(question).to_contain_text("No robot is alive. It begins when a run loop starts.")
    expect(question.get_by_role("link")).to_have_count(0)


def test_that_its_robot_has_gone_is_said_while_somebody_looks(page_of: Any, operator: Any) -> None:
    run = queued(workflow())
    assert taken(robot()) == run.execution_id
    page = page_of(operator, f"/runs/{run.execution_id}", locale="fr")
    question = page.locator("#question")
    expect(question).to_contain_text("Le robot travaille")
    falls_silent()
    expect(question).to_contain_text("Le robot here:7 ne donne plus signe de vie.")
    expect(question).not_to_contain_text("Le robot travaille")
