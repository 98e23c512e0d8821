"""S6.4: a person may trust a correction, try it once more, or switch it off; from then on only what follows counts."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from execution.actions.corrections import put_correction
from execution.choices import CorrectionKind, CorrectionState, UseOutcome
from execution.exceptions import BadDecision
from execution.models import CorrectionPack, CorrectionUse, LearnedCorrection
from execution.record.corrections import in_force, settle
from tests.execution.pages.test_runs import make_step
from tests.factories import make_execution

pytestmark = pytest.mark.django_db

OFF, TRIAL, TRUSTED = CorrectionState.OFF, CorrectionState.ON_TRIAL, CorrectionState.TRUSTED


@pytest.fixture
def row() -> LearnedCorrection:
    run = make_execution()
    pack = CorrectionPack.objects.create(workflow=run.version.workflow)
    return LearnedCorrection.objects.create(
        pack=pack, kind=CorrectionKind.PARAMS, edge_id="ab", of={"text": "a"}, payload={"params": {"text": "b"}},
        execution_id=run.execution_id, step=1, checked_at=timezone.now(),
    )  # fmt: skip


def used(row: LearnedCorrection, outcome: UseOutcome, index: int = 1) -> None:
    step = make_step(make_execution(version=row.pack.workflow.versions.get()), index)
    CorrectionUse.objects.create(correction=row, step=step, part="params", acted=True, outcome=outcome)
    settle(row)


def test_tried_once_more_only_what_follows_counts(row: LearnedCorrection, admin: Any) -> None:
    used(row, UseOutcome.WRONG)
    assert row.state == OFF
    row = put_correction(correction_id=row.pk, state="on_trial", user=admin)
    settle(row)
    assert (row.state, row.changed_by) == (TRIAL, admin.username), "what was wrong before is forgiven"
    used(row, UseOutcome.RIGHT)
    used(row, UseOutcome.RIGHT, 2)
    assert row.state == TRUSTED
    used(row, UseOutcome.WRONG, 3)
    assert row.state == OFF, "and what is wrong after it is not"


def test_what_a_person_switched_off_stays_off(row: LearnedCorrection, admin: Any) -> None:
    row = put_correction(correction_id=row.pk, state="off", user=admin)
    for n in range(3):
        used(row, UseOutcome.RIGHT, n + 1)
    assert row.state == OFF
    assert in_force(row.pack.workflow.workflow_id) == ()


def test_what_a_person_trusts_acts_by_itself_until_it_is_wrong(row: LearnedCorrection, admin: Any) -> None:
    row = put_correction(correction_id=row.pk, state="trusted", user=admin)
    assert [one.trusted_in for one in in_force(row.pack.workflow.workflow_id)] == [{None}], "a value, on any screen"
    used(row, UseOutcome.WRONG)
    assert row.state == OFF


@pytest.mark.parametrize("state", ["merged", "needs_person", "nonsense"])
def test_what_nobody_says_by_hand_is_refused(row: LearnedCorrection, state: str) -> None:
    with pytest.raises(BadDecision):
        put_correction(correction_id=row.pk, state=state)


def test_neither_a_way_nor_what_is_in_a_version_is_changed(row: LearnedCorrection) -> None:
    LearnedCorrection.objects.update(kind=CorrectionKind.WAY)
    with pytest.raises(BadDecision):
        put_correction(correction_id=row.pk, state="trusted")
    LearnedCorrection.objects.update(kind=CorrectionKind.PARAMS, state=CorrectionState.MERGED)
    with pytest.raises(BadDecision):
        put_correction(correction_id=row.pk, state="off")
    with pytest.raises(BadDecision):
        put_correction(correction_id=0, state="off")


def test_what_many_say_costs_one_query(row: LearnedCorrection, django_assert_num_queries: Any) -> None:
    for _ in range(20):
        LearnedCorrection.objects.create(pack=row.pack, kind="params", edge_id="ab", execution_id=row.execution_id)
    with django_assert_num_queries(1):
        assert len(in_force(row.pack.workflow.workflow_id)) == 21
