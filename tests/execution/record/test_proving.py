"""S6.4: a correction is trusted on screens like those that it was proved on, and proved anew on others."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from execution.actions.corrections import put_correction
from execution.choices import CorrectionState, UseOutcome
from execution.learning.conditions import DARK, LIGHT, Conditions
from execution.learning.standing import MOST_CONDITIONS
from execution.models import CorrectionUse, LearnedCorrection
from execution.pages.correction_cards import where_trusted
from execution.record.corrections import in_force, settle
from execution.record.proving import proofs_of
from execution.signals import correction_proved
from tests.execution.actions.test_corrections_decided import BROKEN, look
from tests.factories import make_published
from tests.support.learned import run_of

pytestmark = pytest.mark.django_db

SIZE = (1000, 600)
LIT, UNLIT = (Conditions(theme=theme, size=SIZE) for theme in (LIGHT, DARK))


@pytest.fixture
def row() -> LearnedCorrection:
    """Learned on a light screen; tried, and breaking nothing."""
    return look(make_published(), checked_on=3, checked_at=timezone.now())


def used(row: LearnedCorrection, under: Conditions, outcome: str = UseOutcome.RIGHT, **more: Any) -> None:
    step = run_of(row.pack.workflow.versions.get()).steps.get(edge_id="click_save")
    fields = {"part": "place", "acted": True, "outcome": outcome, "conditions": under.to_json(), "tried": True, **more}
    CorrectionUse.objects.create(correction=row, step=step, **fields)
    row.refresh_from_db()
    settle(row)


def trusted(row: LearnedCorrection) -> set[Conditions | None]:
    (one,) = in_force(row.pack.workflow.workflow_id)
    return set(one.trusted_in)


def test_it_is_trusted_where_it_was_proved_not_where_it_was_learned(row: LearnedCorrection) -> None:
    for _n in range(2):
        assert trusted(row) == set()
        used(row, UNLIT)
    assert (row.state, row.streak, trusted(row)) == (CorrectionState.TRUSTED, 2, {UNLIT})
    used(row, LIT)
    assert trusted(row) == {UNLIT}
    used(row, LIT)
    assert trusted(row) == {LIT, UNLIT}
    assert [(one.conditions, one.runs) for one in proofs_of(row)] == [(UNLIT, 2), (LIT, 2)]


def test_right_once_here_and_once_there_proves_it_nowhere(row: LearnedCorrection) -> None:
    used(row, LIT)
    used(row, UNLIT)
    used(row, Conditions(theme=LIGHT, size=(800, 600)))
    assert (row.state, row.streak, trusted(row)) == (CorrectionState.ON_TRIAL, 3, set())


def test_wrong_anywhere_it_is_off_everywhere(row: LearnedCorrection) -> None:
    for under in (LIT, LIT, UNLIT, UNLIT):
        used(row, under)
    assert trusted(row) == {LIT, UNLIT}
    used(row, Conditions(theme=DARK, size=(800, 600)), UseOutcome.WRONG)
    assert (row.state, row.proved, in_force(row.pack.workflow.workflow_id)) == (CorrectionState.OFF, [], ())


@pytest.fixture
def asked_for() -> Any:
    asked: list[int] = []

    def ask(correction_id: int, **_more: Any) -> None:
        asked.append(correction_id)

    correction_proved.connect(ask)
    yield asked
    correction_proved.disconnect(ask)


def test_it_is_tried_again_before_it_is_trusted_on_other_screens(
    row: LearnedCorrection, asked_for: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    """Its uses there are among what was right."""
    used(row, LIT)
    used(row, LIT)
    assert (trusted(row), asked_for) == ({LIT}, [])
    with django_capture_on_commit_callbacks(execute=True):
        used(row, UNLIT, tried=False)
        used(row, UNLIT, tried=False)
    assert (trusted(row), asked_for) == ({LIT}, [row.pk])
    row.uses.update(tried=True)
    LearnedCorrection.objects.update(breaks=BROKEN)
    row.refresh_from_db()
    settle(row)
    assert trusted(row) == {LIT}, "what breaks something is not trusted further"
    LearnedCorrection.objects.update(breaks=[])
    row.refresh_from_db()
    settle(row)
    assert trusted(row) == {LIT, UNLIT}


def test_a_persons_word_holds_as_it_was_learned_and_elsewhere_it_is_proved(row: LearnedCorrection, admin: Any) -> None:
    used(row, UNLIT)
    row = put_correction(correction_id=row.pk, state="trusted", user=admin)
    assert trusted(row) == {LIT}
    used(row, UNLIT)
    assert trusted(row) == {LIT}, "what its uses said before counts no more"
    used(row, UNLIT)
    assert trusted(row) == {LIT, UNLIT}
    row = put_correction(correction_id=row.pk, state="on_trial", user=admin)
    assert trusted(row) == set()


def test_what_a_run_proved_last_it_does_not_trust_itself_there(row: LearnedCorrection) -> None:
    for under in (LIT, LIT, LIT, UNLIT, UNLIT):
        used(row, under)
    execution = CorrectionUse.objects.order_by("pk").last().step.execution  # type: ignore[union-attr]
    (one,) = in_force(row.pack.workflow.workflow_id, execution)
    assert one.trusted_in == {LIT}
    assert trusted(row) == {LIT, UNLIT}


def test_of_many_sizes_those_used_last_are_kept(row: LearnedCorrection) -> None:
    sizes = [Conditions(theme=DARK, size=(800 + n, 600)) for n in range(MOST_CONDITIONS + 5)]
    for under in sizes:
        used(row, under)
        used(row, under)
    assert trusted(row) == set(sizes[1 - MOST_CONDITIONS :])
    assert len(row.proved) == MOST_CONDITIONS
    used(row, sizes[0])
    assert sizes[0] in trusted(row), "come back to, it is as it was"
    assert len(row.proved) == MOST_CONDITIONS


@pytest.mark.parametrize("kind", ["target", "node"])
def test_where_nobody_kept_what_its_screen_was_like_it_is_trusted_nowhere(kind: str, admin: Any) -> None:
    """Neither by a person's word nor by uses of which that was not kept either; proved on a screen it is, there."""
    row = look(make_published(), kind=kind, node_id="save_dialog", conditions={}, checked_on=3)
    LearnedCorrection.objects.update(payload={**row.payload, "picture": "0" * 64})
    row = put_correction(correction_id=row.pk, state="trusted", user=admin)
    LearnedCorrection.objects.update(proved=[{"runs": 2, "trusted": True}])  # as it was kept before
    row.refresh_from_db()
    assert (trusts_anywhere(row), where_trusted(row)) == (False, "")
    for _n in range(2):
        used(row, UNLIT)
        CorrectionUse.objects.update(conditions={})
    settle(row)
    assert (trusts_anywhere(row), where_trusted(row)) == (False, "")
    used(row, UNLIT)
    used(row, UNLIT)
    assert trusts_anywhere(row)
    assert "dark screen" in where_trusted(row)


def trusts_anywhere(row: LearnedCorrection) -> bool:
    (one,) = in_force(row.pack.workflow.workflow_id)
    return one.is_trusted(LIT) or one.is_trusted(UNLIT)
