"""S4.6, S1.10: a correction is drafted from the person's words and the records, within what the workflow allows."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.decide import decide
from execution.assistant.briefing import RunBriefer
from execution.assistant.drafts import is_open
from execution.choices import PromptKind
from execution.models import Execution, Prompt
from tests.execution.assistant.runs import CANCEL, FIELD, SAVE_ALL, click, make_asking, make_failed, screen, typing
from tests.factories import EDGES, make_published

pytestmark = pytest.mark.django_db


def draft(text: str, run: Execution, proposal: dict[str, Any] | None = None) -> dict[str, Any]:
    briefer = RunBriefer()
    briefing = briefer.brief(text, about=run.execution_id, language="en")
    return dict(briefing.draft if proposal is None else briefer.draft(proposal, briefing))


@pytest.mark.parametrize(
    "text",
    [
        "It should click “Cancel” instead",
        "It should click Cancel instead of Save",
        "Il faut cliquer sur « Cancel » plutôt",
        'correct it: "cancel"',
    ],
)
def test_what_the_person_names_is_found_on_the_screen(text: str) -> None:
    prompt = make_asking()
    drafted = draft(text, prompt.execution)
    assert drafted["target"] == {"box": CANCEL, "point": [0.5, 0.825], "text": "Cancel"}
    assert (drafted["prompt_id"], drafted["step"]) == (prompt.pk, 2)
    assert "params" not in drafted and "action" not in drafted
    assert "Cancel" in drafted["words"]


def test_without_a_name_the_runner_up_is_drafted() -> None:
    assert draft("Draft a correction", make_asking().execution)["target"]["box"] == SAVE_ALL


def test_a_target_that_was_not_found_is_looked_for_by_its_text() -> None:
    gone = click(status="not_found", box=None, runner_up=None, evidence=[], can_accept=False)
    gone["target"] = {**gone["target"], "label": "Save everything", "text": "Save Al"}
    prompt = make_asking(gone, kind=PromptKind.TARGET)
    assert draft("Draft a correction", prompt.execution)["target"]["text"] == "Save All"


def test_where_several_could_be_meant_none_is_drafted_and_they_are_named() -> None:
    twins = screen("Save As", ("Cancel", [0.1, 0.5, 0.1, 0.05]))
    run = make_asking(screen=twins).execution
    briefing = RunBriefer().brief("It should click “Cancel” instead", about=run.execution_id, language="en")
    assert briefing.draft == {}
    assert "It may be one of these: “Cancel”, “Cancel”. Say which." in briefing.answer
    assert [place["place"] for place in briefing.data["places_for_a_correction"]] == [1, 2]


def test_a_model_may_choose_among_them_and_nothing_else() -> None:
    """S10.5"""
    twins = screen("Save As", ("Cancel", [0.1, 0.5, 0.1, 0.05]))
    run = make_asking(screen=twins).execution
    text = "It should click “Cancel” instead"
    assert draft(text, run, {"place": 2})["target"]["box"] == [0.1, 0.5, 0.1, 0.05]
    for bad in ({"place": 3}, {"place": 0}, {"place": True}, {"place": "2"}, {"box": SAVE_ALL}, {}):
        assert draft(text, run, bad) == {}, bad


def test_a_text_to_type_is_the_persons_own() -> None:
    run = make_asking(typing()).execution
    assert draft("It should type “Marie Curie” instead", run)["params"] == {"text": "Marie Curie"}
    assert draft("It should type the other name", run) == {}
    assert (
        draft("It should type Marie Curie", run, {"params": {"text": "Marie Curie"}})["params"]["text"] == "Marie Curie"
    )
    assert (
        draft("It should type the patient", run, {"params": {"text": "Ada Martin"}})["params"]["text"] == "Ada Martin"
    )
    assert draft("It should type the other name", run, {"params": {"text": "rm -rf /"}}) == {}
    assert draft("It should type the other name", run, {"params": {"command": "the"}}) == {}


def test_keys_are_the_persons_own() -> None:
    run = make_asking(typing(edge_id="open_save", action="press_keys", params={"keys": "ctrl+s"})).execution
    assert draft("It should press ctrl + shift + s instead", run)["params"] == {"keys": "ctrl+shift+s"}


def test_only_actions_of_the_workflow_are_drafted() -> None:
    text = "It should double-click “Cancel” instead"
    assert "action" not in draft(text, make_asking().execution)
    edge = {"edge_id": "twice", "source": "saved", "destination": "saved", "action_type": "double_click",
            "target": {"target_id": "x", "label": "x", "text": "x"}}  # fmt: skip
    run = make_asking(version=make_published(edges=[*EDGES, edge])).execution
    assert draft(text, run)["action"] == "double_click"


def test_a_masked_place_is_no_target() -> None:
    """S10.4"""
    run = make_asking(version=make_published(masks=[FIELD])).execution
    assert draft("It should click “Ada Martin” instead", run) == {}


@pytest.mark.parametrize("kind", [PromptKind.CONFIRMATION, PromptKind.IN_DOUBT, PromptKind.IDENTITY])
def test_a_question_that_takes_no_correction_gets_no_draft(kind: str) -> None:
    run = make_asking(kind=kind).execution
    briefing = RunBriefer().brief("It should click “Cancel” instead", about=run.execution_id, language="en")
    assert (briefing.draft, briefing.may_draft) == ({}, False)
    assert "takes no correction" in briefing.answer


def test_nothing_is_drafted_where_nothing_is_asked() -> None:
    assert draft("It should click “Cancel” instead", make_failed()) == {}
    assert draft("Which step failed?", make_asking().execution) == {}
    assert draft("Which step failed?", make_asking().execution, {"place": 1}) == {}


def test_a_draft_is_gone_with_its_question(operator: Any) -> None:
    prompt = make_asking()
    drafted = draft("It should click “Cancel” instead", prompt.execution)
    assert is_open(drafted, prompt)
    decide(prompt_id=prompt.pk, choice="accept", user=operator)
    assert not is_open(drafted, Prompt.objects.open().first())
    assert draft("It should click “Cancel” instead", prompt.execution) == {}


def test_a_draft_is_what_deciding_takes(operator: Any) -> None:
    """S1.10: the person sends it as it is, through the one way there is."""
    prompt = make_asking()
    drafted = draft("It should click “Cancel” instead", prompt.execution)
    correction = {name: drafted[name] for name in ("target", "params", "action") if name in drafted}
    decision = decide(prompt_id=prompt.pk, choice="correct", user=operator, correction=correction)
    assert decision.correction["target"]["text"] == "Cancel"
