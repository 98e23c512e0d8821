"""What people decide of corrections (S6.4, S6.17): with a reason where it breaks something, and told."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from audit.models import Entry
from execution.actions.corrections import choose, put_correction
from execution.choices import CorrectionState, UseOutcome
from execution.exceptions import BadDecision
from execution.models import CorrectionPack, CorrectionUse, LearnedCorrection
from execution.record.contradictions import contradict
from execution.record.corrections import in_force, settle
from tests.factories import make_published
from tests.support.learned import HERE, LIGHT, run_of, taught_in
from workflows.models import WorkflowVersion

pytestmark = pytest.mark.django_db

THERE = [0.7, 0.8, 0.1, 0.05]
BROKEN = [{"run": "r", "step": 1, "about": "place", "was": HERE, "now": THERE, "verdict": "wrong", "picture": ""}]


@pytest.fixture
def version() -> WorkflowVersion:
    return make_published()


@pytest.fixture
def designer(make_user: Any) -> Any:
    return make_user("ada", "designer")


def look(version: WorkflowVersion, box: Any = HERE, **more: Any) -> LearnedCorrection:
    """One more look of the button, as a coach showed it; tried, and breaking nothing."""
    pack, _ = CorrectionPack.objects.get_or_create(workflow=version.workflow)
    target = {"target_id": "save_button", "label": "Save", "text": "Keep"}
    said: dict[str, Any] = {"kind": "target", "edge_id": "click_save", "of": "save_button", "box": list(box)}
    said |= {"payload": {"target": target}, "conditions": LIGHT, "version_number": 1}
    said |= {"checked_at": timezone.now(), **more}
    of = taught_in(version, said["kind"], said["edge_id"], said.get("node_id", ""))
    return LearnedCorrection.objects.create(pack=pack, **{"taught_as": of, **said})


def state(row: LearnedCorrection) -> tuple[str, str]:
    row.refresh_from_db()
    return row.state, row.began_as


def test_each_decision_holds_against_the_uses_before_it_and_is_told(version: WorkflowVersion, designer: Any) -> None:
    row = look(version)
    put_correction(correction_id=row.pk, state="off", was="on_trial", user=designer, reason="the other ward")
    assert state(row) == ("off", "off")
    assert in_force(version.workflow.workflow_id) == ()
    settle(row)
    assert state(row) == ("off", "off"), "no use of it changes what a person said"
    put_correction(correction_id=row.pk, state="trusted", was="off", user=designer)
    assert state(row) == ("trusted", "trusted")
    put_correction(correction_id=row.pk, state="on_trial", was="trusted", user=designer)
    assert state(row) == ("on_trial", "on_trial")
    assert row.changed_by == "ada"
    told = list(Entry.objects.filter(kind="correction").order_by("pk").values_list("who", "about", "detail"))
    said = {"workflow": version.workflow.workflow_id}
    assert told == [
        ("ada", str(row.pk), {**said, "now": "off", "was": "on_trial", "reason": "the other ward"}),
        ("ada", str(row.pk), {**said, "now": "trusted", "was": "off"}),
        ("ada", str(row.pk), {**said, "now": "on_trial", "was": "trusted"}),
    ]


@pytest.mark.parametrize("more", [{"breaks": BROKEN, "state": "needs_person"}, {"checked_at": None}])
def test_what_breaks_something_or_was_never_tried_is_trusted_only_with_a_reason(
    version: WorkflowVersion, designer: Any, more: dict[str, Any]
) -> None:
    row = look(version, **more)
    was = row.state
    with pytest.raises(BadDecision, match="why"):
        put_correction(correction_id=row.pk, state="trusted", was=was, user=designer, reason="  ")
    assert state(row)[0] == was
    assert not Entry.objects.filter(kind="correction").exists()
    put_correction(correction_id=row.pk, state="trusted", was=was, user=designer, reason="the old button is gone")
    assert state(row) == ("trusted", "trusted")
    kept = Entry.objects.get(kind="correction").detail
    assert kept["reason"] == "the old button is gone"
    assert kept.get("breaks", 0) == len(row.breaks)


def test_what_breaks_something_is_tried_further_but_never_trusted_by_its_uses(
    version: WorkflowVersion, designer: Any
) -> None:
    row = look(version, breaks=BROKEN, state="needs_person")
    put_correction(correction_id=row.pk, state="on_trial", was="needs_person", user=designer)
    run = run_of(version)
    for step in run.steps.all()[:3]:
        CorrectionUse.objects.create(correction=row, step=step, part="place", acted=True, outcome=UseOutcome.RIGHT)
    row.refresh_from_db()
    settle(row)
    assert state(row)[0] == CorrectionState.ON_TRIAL


def test_nobody_decides_of_what_he_was_not_shown_and_only_designers_do(
    version: WorkflowVersion, make_user: Any
) -> None:
    row, bob = look(version), make_user("bob", "operator")
    with pytest.raises(BadDecision, match="changed"):
        put_correction(correction_id=row.pk, state="off", was="trusted", user=make_user("ada", "designer"))
    for act in (lambda: put_correction(correction_id=row.pk, state="off", was="on_trial", user=bob),
                lambda: choose(correction_id=row.pk, was="on_trial", user=bob)):  # fmt: skip
        with pytest.raises(PermissionDenied):
            act()
    LearnedCorrection.objects.filter(pk=row.pk).update(state="merged")
    with pytest.raises(BadDecision, match="taught in the workflow"):
        put_correction(correction_id=row.pk, state="off", was="merged", user=None)


def test_of_two_that_contradict_each_other_the_one_that_was_not_chosen_is_off(
    version: WorkflowVersion, designer: Any
) -> None:
    one, other, elsewhere = look(version), look(version, THERE), look(version, THERE, edge_id="click_other")
    choose(correction_id=one.pk, was="on_trial", user=designer)
    assert state(one)[0] == "on_trial"
    assert state(other) == ("off", "off")
    assert state(elsewhere)[0] == "on_trial"
    assert Entry.objects.get(kind="correction").detail["instead"] == one.pk
    with pytest.raises(BadDecision, match="Nothing contradicts"):
        choose(correction_id=one.pk, was="on_trial", user=designer)


@pytest.mark.parametrize(
    ("other", "so"),
    [
        ({}, False),  # the same place
        ({"box": THERE}, True),
        ({"box": THERE, "conditions": {**LIGHT, "theme": "dark"}}, False),  # never both at once
        ({"box": THERE, "of": "another"}, False),  # of a target that was taught anew since
        ({"box": THERE, "kind": "node"}, False),
    ],
)
def test_what_contradicts_a_look(version: WorkflowVersion, other: dict[str, Any], so: bool) -> None:
    assert contradict(look(version), look(version, **{"box": HERE, **other})) is so


def test_what_contradicts_a_value(version: WorkflowVersion) -> None:
    def typed(said: str, of: str = "old") -> LearnedCorrection:
        return look(version, kind="params", of={"text": of}, payload={"params": {"text": said}})

    assert contradict(typed("a"), typed("b"))
    assert not contradict(typed("a"), typed("a"))
    assert not contradict(typed("a"), typed("b", of="older"))
