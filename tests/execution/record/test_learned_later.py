"""What becomes known of a correction after it was learned: a value, a person's word."""

from __future__ import annotations

import pytest

from execution.actions.corrections import put_correction
from execution.exceptions import BadDecision
from execution.models import LearnedCorrection, Step, ValueRead
from execution.record.corrections import in_force, settle
from execution.record.secret_values import redaction_for
from execution.record.values_of_runs import read_afterwards
from sentences.said import worded
from tests.factories import make_execution
from tests.support.learned import other_keys, shown, ward
from workflows.models import WorkflowVersion

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def version() -> WorkflowVersion:
    return ward()


@pytest.mark.parametrize("text", ["Dupont", "Keep"])
def test_a_value_that_is_read_later_is_in_no_picture(version: WorkflowVersion, text: str) -> None:
    """S10.4: what was learned of the text goes, and the pictures that show it; with nothing left it is off."""
    run = make_execution(version=version, execution_id="run_1")
    row, graph = shown(version, text=text), version.spec()
    step = Step.objects.create(execution=run, index=1, epoch=1, mode=run.mode)
    ValueRead.objects.create(execution=run, step=step, name="who", kind="text", text="Dupont", value="Dupont")
    read_afterwards(run, graph, redaction_for(run, graph)[0])
    row.refresh_from_db()
    pictures = {row.picture, row.payload["target"]["picture"], row.payload["target"]["context"]}
    if text == "Keep":
        assert "" not in pictures
        assert row.state == "on_trial"
    else:
        assert pictures == {""}
        assert row.payload["target"]["text"] == ""
        assert row.state == "off"


@pytest.mark.parametrize(("typed", "state"), [("Dupont", "off"), ("Keep", "on_trial")])
def test_a_value_that_was_typed_before_it_was_read_leaves_no_empty_rule(
    version: WorkflowVersion, typed: str, state: str
) -> None:
    """S6.4, S10.4: a rule of which nothing is left is off, and is switched on by nobody."""
    run = make_execution(version=version, execution_id="run_1")
    row, graph = other_keys(version, payload={"params": {"keys": typed}}), version.spec()
    step = Step.objects.create(execution=run, index=1, epoch=1, mode=run.mode)
    ValueRead.objects.create(execution=run, step=step, name="who", kind="text", text="Dupont", value="Dupont")
    read_afterwards(run, graph, redaction_for(run, graph)[0])
    row.refresh_from_db()
    assert (row.state, len(in_force("wf_ward"))) == (state, int(state != "off"))
    if state == "off":
        assert row.payload == {"params": {}}
        assert worded(row.why).startswith("All that it said was the data of one run")
        with pytest.raises(BadDecision, match="What it says is no longer kept"):
            put_correction(correction_id=row.pk, state="on_trial")


def test_what_a_person_switched_off_stays_off_for_who_read_it_before(version: WorkflowVersion) -> None:
    row = shown(version)
    before = LearnedCorrection.objects.get(pk=row.pk)
    put_correction(correction_id=row.pk, state="off")
    settle(before)
    assert LearnedCorrection.objects.get(pk=row.pk).state == before.state == "off"
