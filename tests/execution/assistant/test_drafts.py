"""S4.6, S1.10: a correction is drafted from the person's words and the records, within what the workflow allows."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.decide import decide
from execution.assistant.run_records import RunRecords
from execution.choices import PromptKind
from execution.models import Execution
from tests.execution.assistant.runs import CANCEL, FIELD, SAVE_ALL, click, make_asking, make_failed, screen, typing
from tests.factories import make_published

pytestmark = pytest.mark.django_db


def draft(text: str, run: Execution, proposal: dict[str, Any] | None = None) -> dict[str, Any]:
    records = RunRecords()
    said = records.answer(text, about=run.execution_id, language="en")
    return dict(said.draft if proposal is None else records.draft(proposal, said))


@pytest.mark.parametrize(
    "text",
    ["/correct Cancel", "/correct “Cancel”", "/corriger « Cancel »", '/correct "cancel"', "/correct the Cancel button"],
)
def test_what_the_person_names_is_found_on_the_screen(text: str) -> None:
    prompt = make_asking()
    drafted = draft(text, prompt.execution)
    assert drafted["target"] == {"box": CANCEL, "point": [0.5, 0.825], "text": "Cancel"}
    assert (drafted["prompt_id"], drafted["step"]) == (prompt.pk, 2)
    assert "params" not in drafted and "action" not in drafted
    assert "Cancel" in drafted["words"]


def test_without_a_name_the_runner_up_is_drafted() -> None:
    assert draft("/correct", make_asking().execution)["target"]["box"] == SAVE_ALL


def test_a_target_that_was_not_found_is_looked_for_by_its_text() -> None:
    gone = click(status="not_found", box=None, runner_up=None, evidence=[], can_accept=False)
    gone["target"] = {**gone["target"], "label": "Save everything", "text": "Save Al"}
    prompt = make_asking(gone, kind=PromptKind.TARGET)
    assert draft("/correct", prompt.execution)["target"]["text"] == "Save All"


def test_where_several_could_be_meant_none_is_drafted_and_they_are_named() -> None:
    twins = screen("Save As", ("Cancel", [0.1, 0.5, 0.1, 0.05]))
    run = make_asking(screen=twins).execution
    said = RunRecords().answer("/correct Cancel", about=run.execution_id, language="en")
    assert said.draft == {}
    assert "It may be one of these: “Cancel”, “Cancel”. Say which." in said.answer
    assert [place["place"] for place in said.data["places_for_a_correction"]] == [1, 2]


def test_a_model_may_choose_among_them_and_nothing_else() -> None:
    """S10.5"""
    twins = screen("Save As", ("Cancel", [0.1, 0.5, 0.1, 0.05]))
    run = make_asking(screen=twins).execution
    text = "/correct Cancel"
    assert draft(text, run, {"place": 2})["target"]["box"] == [0.1, 0.5, 0.1, 0.05]
    for bad in ({"place": 3}, {"place": 0}, {"place": True}, {"place": "2"}, {"box": SAVE_ALL}, {}):
        assert draft(text, run, bad) == {}, bad


def test_what_a_model_may_not_choose_stays_the_persons() -> None:
    """S10.5: no value, no action, no other place; and nothing at all where there is nothing to choose."""
    for run, text in (
        (make_asking().execution, "/correct Cancel"),
        (make_asking(typing()).execution, "/correct Marie"),
    ):
        said = RunRecords().answer(text, about=run.execution_id, language="en")
        assert (said.drafting, dict(said.data)) == (None, {})
        for proposal in ({"place": 1}, {"params": {"text": "rm -rf /"}}, {"action": "drag"}):
            assert draft(text, run, proposal) == said.draft


def test_a_text_to_type_is_the_persons_own() -> None:
    run = make_asking(typing()).execution
    assert draft("/correct Marie Curie", run)["params"] == {"text": "Marie Curie"}
    assert draft("/correct “Cancel”", run)["params"] == {"text": "Cancel"}, "where a text is typed, no place is meant"
    assert draft("/correct", run) == {}


def test_keys_are_the_persons_own_and_such_as_there_are() -> None:
    run = make_asking(typing(edge_id="open_save", action="press_keys", params={"keys": "ctrl+s"})).execution
    assert draft("/correct ctrl + Shift + s", run)["params"] == {"keys": "ctrl+shift+s"}
    assert draft("/correct the other shortcut", run) == {}


def test_without_a_draft_it_is_said_how_to_get_one() -> None:
    def said(text: str, run: Execution) -> str:
        return RunRecords().answer(text, about=run.execution_id, language="en").answer

    assert said("/correct Undo", make_asking().execution).endswith("“Undo” is not read on that screen.")
    assert said("/correct", make_asking(typing()).execution).endswith("for example: /correct the right value")
    assert "Nothing is asked now" in said("/correct Cancel", make_failed())


def test_a_masked_place_is_no_target() -> None:
    """S10.4"""
    run = make_asking(version=make_published(masks=[FIELD])).execution
    assert draft("/correct Ada Martin", run) == {}


@pytest.mark.parametrize("kind", [PromptKind.CONFIRMATION, PromptKind.IN_DOUBT, PromptKind.IDENTITY])
def test_a_question_that_takes_no_correction_gets_no_draft(kind: str) -> None:
    run = make_asking(kind=kind).execution
    said = RunRecords().answer("/correct Cancel", about=run.execution_id, language="en")
    assert (said.draft, said.drafting) == ({}, None)
    assert "takes no correction" in said.answer


def test_nothing_is_drafted_where_nothing_is_asked() -> None:
    assert draft("/correct Cancel", make_failed()) == {}
    assert draft("It should click Cancel instead", make_asking().execution) == {}, "a draft is made on command alone"
    assert draft("Which step failed?", make_asking().execution) == {}
    assert draft("Which step failed?", make_asking().execution, {"place": 1}) == {}


def test_a_draft_is_gone_with_its_question(operator: Any) -> None:
    prompt = make_asking()
    assert draft("/correct Cancel", prompt.execution)["prompt_id"] == prompt.pk
    decide(prompt_id=prompt.pk, choice="accept", user=operator)
    assert draft("/correct Cancel", prompt.execution) == {}


def test_a_draft_is_what_deciding_takes(operator: Any) -> None:
    """S1.10: the person sends it as it is, through the one way there is."""
    prompt = make_asking()
    drafted = draft("/correct Cancel", prompt.execution)
    correction = {name: drafted[name] for name in ("target", "params", "action") if name in drafted}
    decision = decide(prompt_id=prompt.pk, choice="correct", user=operator, correction=correction)
    assert decision.correction["target"]["text"] == "Cancel"
