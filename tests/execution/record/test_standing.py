"""What the rows of the last runs prove (S6.8): which steps count, and as what."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.mark import mark
from execution.choices import Outcome, PromptKind, PromptState
from execution.learning.promotion import Tally
from execution.models import CorrectionPack, Decision, DriftWatch, LearnedCorrection, Prompt, Step
from execution.record import standing
from execution.record.standing import evidence_of, proposal_for, proved, tally_of
from execution.types import Choice, DecisionSource
from tests.factories import EDGES, make_published
from tests.support.learned import run_of, taught_in
from workflows.actions.publish import publish
from workflows.models import Edge, WorkflowVersion

pytestmark = pytest.mark.django_db

STEPS = len(EDGES)


@pytest.fixture
def version() -> WorkflowVersion:
    return make_published()


def whole(version: WorkflowVersion) -> tuple[int, int]:
    evidence = evidence_of(version.workflow)
    return evidence.whole.good, evidence.whole.of


def decided(step: Step, choice: Choice, source: str = "coach", **fields: Any) -> None:
    kind = fields.pop("kind", PromptKind.COACHING)
    prompt = Prompt.objects.create(
        execution=step.execution, step=step, kind=kind, message="?", state=PromptState.ANSWERED
    )
    Decision.objects.create(prompt=prompt, choice=choice, source=DecisionSource(source), **fields)


def test_verified_acts_count_and_what_was_not_verified_counts_against(version: WorkflowVersion) -> None:
    run_of(version)
    run_of(version, {"open_save": "failed", "click_save": "unsure"})
    assert whole(version) == (STEPS + 1, 2 * STEPS)
    assert evidence_of(version.workflow).steps["open_save"] == Tally(good=1, of=2)


def test_what_was_watched_counts_by_its_agreement(version: WorkflowVersion) -> None:
    """S1.18"""
    run_of(version, {"type_patient": "agreed", "open_save": "differed", "click_save": "left"})
    assert whole(version) == (1, 2)


@pytest.mark.parametrize(
    ("choice", "fields", "counts"),
    [
        (Choice.ACCEPT, {}, (1, 1)),
        (Choice.CORRECT, {"correction": {"target": {"text": "Other"}}}, (0, 1)),
        (Choice.CORRECT, {}, (1, 1)),
        (Choice.SKIP, {"source": "policy"}, (0, 0)),
        (Choice.REJECT, {}, (0, 1)),
        (Choice.MANUAL, {}, (0, 1)),
        (Choice.REJECT, {"kind": PromptKind.IN_DOUBT}, (1, 1)),
    ],
)
def test_what_a_coach_said_counts(
    version: WorkflowVersion, choice: Choice, fields: dict[str, Any], counts: tuple[int, int]
) -> None:
    run = run_of(version, {"open_save": "left", "click_save": "left"})
    decided(run.steps.get(), choice, **fields)
    assert whole(version) == counts


def test_the_newest_mark_is_the_last_word(version: WorkflowVersion) -> None:
    run = run_of(version, {"click_save": "unsure"})
    good, wrong = run.steps.get(edge_id="click_save"), run.steps.get(edge_id="open_save")
    mark(step=good, feedback="correct")
    assert whole(version) == (3, 3)
    mark(step=wrong, feedback="incorrect")
    assert whole(version) == (2, 3)
    mark(step=wrong, feedback="correct")
    assert whole(version) == (3, 3)


def test_a_mark_proves_no_act_that_nobody_did(version: WorkflowVersion) -> None:
    """Else whoever may mark could have a workflow trusted that never did anything."""
    run = run_of(version)
    run.steps.update(outcome="skipped", verified="")
    for step in run.steps.all():
        mark(step=step, feedback="correct")
    assert whole(version) == (0, 0)
    mark(step=run.steps.latest("index"), feedback="incorrect")
    assert whole(version) == (0, 1)


def test_a_step_that_was_mended_proves_itself_anew(version: WorkflowVersion) -> None:
    run_of(version)
    Edge.objects.filter(workflow=version.workflow, edge_id="click_save").update(settle_ms=700)
    newer = publish(workflow=version.workflow, user=None)
    assert newer.number == 2
    evidence = evidence_of(version.workflow)
    assert (evidence.whole.of, evidence.untried) == (STEPS - 1, ("click_save",))
    run = run_of(newer)
    assert tally_of(run, "click_save") == Tally(good=1, of=1)
    assert tally_of(run, "open_save") == Tally(good=2, of=2)


def test_steps_are_told_in_words_and_open_corrections_stand_in_the_way(version: WorkflowVersion) -> None:
    workflow = version.workflow
    workflow.learning_state = "COACHING"
    for _ in range(5):
        run_of(version)
    proposal = proposal_for(workflow)
    assert proposal is not None
    assert proposal.is_due
    pack = CorrectionPack.objects.create(workflow=workflow)
    kept = {"pack": pack, "kind": "params", "edge_id": "open_save", "of": {"keys": "ctrl+s"}}
    kept["taught_as"] = taught_in(version, "params", "open_save")
    LearnedCorrection.objects.create(**kept, state="trusted")
    assert proposal_for(workflow).is_due  # type: ignore[union-attr]
    LearnedCorrection.objects.create(**{**kept, "taught_as": "else"})
    assert proposal_for(workflow).is_due, "what was taught anew since is in nobody's way"  # type: ignore[union-attr]
    LearnedCorrection.objects.create(**kept)
    assert [str(one) for one in proposal_for(workflow).lacks] == ["1 correction has not proved right yet."]  # type: ignore[union-attr]
    assert "Press" in evidence_of(workflow).names["open_save"]


def test_runs_that_did_nothing_say_nothing(version: WorkflowVersion) -> None:
    run_of(version, dict.fromkeys(("type_patient", "open_save", "click_save"), "left"))
    assert evidence_of(version.workflow).runs == 0
    assert str(evidence_of(version.workflow).sentence()) == "Nothing was tried yet in its runs."
    assert not Step.objects.filter(outcome=Outcome.SUCCEEDED).exists()


def test_many_workflows_are_told_as_each_by_itself_in_as_many_queries(django_assert_max_num_queries: Any) -> None:
    versions = [make_published() for _ in range(3)]
    for number, version in enumerate(versions[:2]):
        run_of(version, {"open_save": "failed"} if number else {})
        publish(workflow=version.workflow, user=None)
        run_of(version)
        corrected = {"kind": "params", "edge_id": "open_save", "of": {"keys": "ctrl+s"}}
        LearnedCorrection.objects.create(
            pack=CorrectionPack.objects.create(workflow=version.workflow),
            payload={"params": {"keys": "f2"}},
            version_number=1,
            taught_as=taught_in(version, "params", "open_save"),
            **corrected,
        )
        DriftWatch.objects.create(workflow=version.workflow, kind="screen", name="empty_note", is_drifting=True)
    workflows = [version.workflow for version in versions]
    with django_assert_max_num_queries(8):
        told = [(one.evidence, one.proposal()) for one in proved(workflows)]
    assert told == [(evidence_of(one), proposal_for(one)) for one in workflows]
    assert len({str(evidence.sentence()) for evidence, _proposal in told}) == 3
    assert [len(proposal.lacks) for _evidence, proposal in told if proposal] != [0, 0, 0]


def test_of_many_runs_the_last_are_told_of_each_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "WINDOW", 1)  # twice as many are asked for
    versions = [make_published() for _ in range(2)]
    for steps in ({"open_save": "failed"}, {}, {}):
        for version in versions:
            run_of(version, steps)
    workflows = [version.workflow for version in versions]
    assert [one.evidence.runs for one in proved(workflows)] == [2, 2]
    assert [one.evidence for one in proved(workflows)] == [evidence_of(one) for one in workflows]
