"""Autonomy step by step (S6.8): a run in automatic works alone where it is proved, and asks where it is not."""

from __future__ import annotations

from typing import Any

import pytest

from execution.choices import PromptKind
from execution.models import Execution
from tests.support.learned import run_of
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def asking(s: Any, below: float) -> None:
    """As the run would have been started with that level."""
    Execution.objects.filter(pk=s.execution.pk).update(ask_below=below)
    s.journal.refresh()


def test_it_asks_at_the_step_that_is_not_proved_and_at_no_other(stage: Any) -> None:
    s = stage()
    for _ in range(8):
        run_of(s.execution.version)
    for _ in range(2):
        run_of(s.execution.version, {"bc": "failed"})
    asking(s, 0.7)
    done = s.run("accept")
    assert done.state == "completed"
    [prompt] = s.asked
    assert (prompt.kind, prompt.step.edge_id) == (PromptKind.CONFIRMATION, "bc")
    assert str(prompt.message).startswith(
        "It asks here because this step was verified 8 of 10 times: at least 49%, and 70% is needed."
    )
    assert s.outcomes() == ["succeeded", "succeeded", "succeeded", "terminal"]


@pytest.mark.django_db(transaction=True)  # whoever waits for an answer opens the database anew
def test_without_an_answer_nothing_is_done(stage: Any) -> None:
    s = stage(confirmation_timeout_s=0.05)
    asking(s, 0.5)
    s.run()
    assert s.world.acts == []
    assert "never tried before" in str(s.asked[0].message)


def test_the_level_is_that_of_the_start(stage: Any) -> None:
    """S6.8: what is changed meanwhile counts for the next run."""
    s = stage(fields={"ask_below": 0.6})
    assert s.execution.ask_below == 0.6
    Workflow.objects.update(ask_below=0.0)
    s.run("accept", "accept", "accept")
    assert [prompt.step.edge_id for prompt in s.asked] == ["ab", "bc", "cd"]


def test_what_went_wrong_in_this_run_counts_in_this_run(stage: Any) -> None:
    s = stage()
    for _ in range(5):
        run_of(s.execution.version)
    asking(s, 0.5)
    assert s.journal.unproved(s.journal.graph.edge("bc")) == ""
    run_of(s.execution.version, {"bc": "failed"})
    assert "5 of 6 times" in s.journal.unproved(s.journal.graph.edge("bc"))


def test_what_cannot_be_worked_out_is_asked(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1.21"""
    s = stage()
    asking(s, 0.5)

    def broken(*_: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr("execution.record.steps.tally_of", broken)
    assert "nobody can say" in s.journal.unproved(s.journal.graph.edge("ab"))


@pytest.mark.parametrize("mode", ["coaching", "supervised"])
def test_other_modes_ask_as_they_always_do(stage: Any, mode: str) -> None:
    s = stage(mode)
    asking(s, 0.9)
    s.run("accept", "accept", "accept")
    assert not any("It asks here" in str(prompt.message) for prompt in s.asked)
