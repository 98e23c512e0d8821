"""Promotion by people, demotion by itself, and taking it back (S6.8)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from audit.models import Entry, Verb
from execution.actions.mark import mark
from execution.actions.trust import demote_for_drift, promote, review, take_back
from execution.exceptions import NotProved
from sentences.said import worded
from tests.factories import make_published
from tests.support.learned import run_of
from workflows.actions.trust import change_trust
from workflows.models import TrustChange, Workflow, WorkflowVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def version() -> WorkflowVersion:
    return make_published()


def state(version: WorkflowVersion) -> str:
    return Workflow.objects.get(pk=version.workflow.pk).learning_state


def trusted(version: WorkflowVersion, as_: str) -> Workflow:
    Workflow.objects.filter(pk=version.workflow.pk).update(learning_state=as_)
    version.workflow.refresh_from_db()
    return version.workflow


def test_a_designer_promotes_on_evidence_and_it_is_logged(version: WorkflowVersion, designer: Any) -> None:
    workflow = trusted(version, "COACHING")
    for _ in range(5):
        run_of(version)
    change = promote(workflow=workflow, to="AUTO_CANDIDATE", user=designer, origin="page")  # type: ignore[arg-type]
    assert state(version) == "AUTO_CANDIDATE"
    assert (change.was, change.by_itself, change.name) == ("COACHING", False, designer.username)
    assert str(change.evidence) == "15 of 15 acts verified over the last 5 runs: at least 81% succeed (95% confidence)."
    entry = Entry.objects.get(verb=Verb.TRUST)
    assert (entry.who, entry.about, entry.detail["now"]) == (designer.username, workflow.workflow_id, "AUTO_CANDIDATE")


def test_what_is_not_proved_is_refused_with_what_lacks(version: WorkflowVersion, designer: Any) -> None:
    workflow = trusted(version, "COACHING")
    for _ in range(4):
        run_of(version)
    with pytest.raises(NotProved, match="runs are too few: 4 of 5"):
        promote(workflow=workflow, to="AUTO_CANDIDATE", user=designer)
    with pytest.raises(NotProved, match="look again"):
        promote(workflow=workflow, to="AUTO_CONFIRMED", user=designer)  # not what is next
    assert state(version) == "COACHING"
    assert not TrustChange.objects.exists()


def test_an_operator_may_not(version: WorkflowVersion, operator: Any) -> None:
    workflow = trusted(version, "OBSERVATION")
    for _ in range(3):
        run_of(version)
    with pytest.raises(PermissionDenied):
        promote(workflow=workflow, to="COACHING", user=operator)
    with pytest.raises(PermissionDenied):
        take_back(change=TrustChange(workflow=workflow), user=operator)
    assert state(version) == "OBSERVATION"


def test_failures_take_it_back_by_themselves_and_a_person_may_say_otherwise(
    version: WorkflowVersion, designer: Any
) -> None:
    workflow = trusted(version, "AUTO_CONFIRMED")
    for _ in range(12):
        run_of(version)
    assert review(workflow) is None
    for _ in range(4):
        run_of(version, {"click_save": "failed", "open_save": "failed"})
    change = review(workflow)
    assert change is not None
    assert (state(version), change.by_itself, change.name) == ("AUTO_CANDIDATE", True, "")
    assert "8 of 30 acts failed over the last 10 runs" in str(change.reason)
    assert review(workflow) is None  # of what follows the change nothing was seen yet
    back = take_back(change=change, user=designer, reason="The server was down that day.")
    assert (state(version), back.name) == ("AUTO_CONFIRMED", designer.username)
    assert review(workflow) is None  # what was seen before is answered for
    with pytest.raises(NotProved):
        take_back(change=change, user=designer, reason="Once more.")
    for _ in range(2):
        run_of(version, {"click_save": "failed", "open_save": "failed", "type_patient": "failed"})
    assert review(workflow) is not None


def test_marks_of_wrong_steps_count_as_failures_at_once(version: WorkflowVersion) -> None:
    workflow = trusted(version, "AUTO_CONFIRMED")
    for step in run_of(version).steps.all():
        mark(step=step, feedback="incorrect")
    assert state(version) == "AUTO_CANDIDATE"
    assert Workflow.objects.get(pk=workflow.pk).trust_changes.get().by_itself


def test_drift_lowers_it_by_one_and_never_to_watching_alone(version: WorkflowVersion) -> None:
    workflow = trusted(version, "AUTO_CONFIRMED")
    for expected in ("AUTO_CANDIDATE", "COACHING"):
        change = demote_for_drift(workflow, "The letter has changed.")
        assert change is not None
        assert (change.state, str(change.reason)) == (expected, "The letter has changed.")
    assert demote_for_drift(workflow, "The letter has changed.") is None
    assert state(version) == "COACHING"


def test_whoever_comes_second_changes_nothing(version: WorkflowVersion, designer: Any) -> None:
    workflow = trusted(version, "COACHING")
    assert change_trust(workflow=workflow, to="AUTO_CANDIDATE", was="OBSERVATION", reason="", user=designer) is None
    assert change_trust(workflow=workflow, to="COACHING", reason="", user=designer) is None
    assert not TrustChange.objects.exists()


def demoted(version: WorkflowVersion) -> TrustChange:
    change = change_trust(workflow=trusted(version, "AUTO_CONFIRMED"), to="AUTO_CANDIDATE", reason="drift")
    assert change is not None
    return change


def test_back_up_without_evidence_it_goes_on_a_person_s_reason_alone(version: WorkflowVersion, designer: Any) -> None:
    """To take a demotion back is to promote: nobody gets there without saying why."""
    change = demoted(version)
    for user, reason in ((designer, ""), (designer, "  "), (None, "It is right.")):
        with pytest.raises(NotProved, match="runs are too few: 0 of 10"):
            take_back(change=change, user=user, reason=reason)
    with pytest.raises(NotProved, match="longer than 300"):
        take_back(change=change, user=designer, reason="x" * 301)
    assert state(version) == "AUTO_CANDIDATE"
    back = take_back(change=change, user=designer, reason=" The server was down. ")
    assert state(version) == "AUTO_CONFIRMED"
    assert "“The server was down.”" in str(worded(back.reason))
    assert worded(back.evidence) == "Nothing was tried yet in its runs."
    entry = Entry.objects.filter(verb=Verb.TRUST).latest("pk")
    assert (entry.who, entry.detail["now"], entry.detail["reason"]) == (
        designer.username, "AUTO_CONFIRMED", "The server was down."
    )  # fmt: skip


def test_what_its_runs_still_prove_needs_no_reason(version: WorkflowVersion, designer: Any) -> None:
    change = demoted(version)
    for _ in range(14):
        run_of(version)
    take_back(change=change, user=designer)
    assert state(version) == "AUTO_CONFIRMED"
    assert TrustChange.objects.first().evidence  # type: ignore[union-attr]


def test_over_several_rungs_the_highest_one_must_be_proved(version: WorkflowVersion, designer: Any) -> None:
    change = change_trust(workflow=trusted(version, "AUTO_CONFIRMED"), to="COACHING", reason="drift")
    assert change is not None
    for _ in range(5):
        run_of(version)
    with pytest.raises(NotProved, match="runs are too few: 5 of 10"):
        take_back(change=change, user=designer)


def test_a_promotion_is_taken_back_at_once(version: WorkflowVersion, designer: Any) -> None:
    """Less trust needs neither evidence nor a reason; putting it up again does."""
    workflow = trusted(version, "COACHING")
    for _ in range(5):
        run_of(version)
    down = take_back(change=promote(workflow=workflow, to="AUTO_CANDIDATE", user=designer), user=designer)
    assert state(version) == "COACHING"
    for _ in range(3):
        run_of(version, {"click_save": "failed", "open_save": "failed"})
    with pytest.raises(NotProved):
        take_back(change=down, user=designer)
    assert state(version) == "COACHING"
