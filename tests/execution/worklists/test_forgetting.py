"""What stands in rows goes with the texts of their runs (S12.4, S10.4)."""

from __future__ import annotations

import pytest

from execution.choices import ExecutionState
from execution.record.journal import Journal
from execution.record.pruning import drop_texts
from execution.worklists.claiming import take
from execution.worklists.outcome import settle
from tests.support.lists import IDENTITY, new_list, robot

pytestmark = pytest.mark.django_db


def test_a_row_says_nothing_of_its_patient_once_its_run_says_nothing() -> None:
    worklist = new_list("Ada", "Bea", most_attempts=1)
    claimed = take(robot(), IDENTITY)
    assert claimed is not None
    Journal(claimed.execution, claimed.execution.version.spec()).finish(ExecutionState.FAILED, "Ada is not there")
    settle(claimed.execution.execution_id)
    drop_texts([claimed.execution.pk])
    gone, other = worklist.items.order_by("number")
    assert (gone.state, gone.data, gone.reason, gone.reference) == ("failed", {}, "", "#1")
    assert (other.reference, other.data) == ("Bea", {"Patient": "Bea"})
    assert "Ada" not in str(list(worklist.events.values_list("payload", flat=True)))
    assert "Ada" not in str(list(gone.runs.values_list("reason", "unanswered")))
