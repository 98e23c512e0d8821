"""S4.6: the commands of the assistant, each answered whole from the database."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

from execution.assistant.commands import CommandName, command_in, explained, written
from execution.assistant.run_records import RunRecords
from execution.choices import Outcome, StepPhase
from execution.models import Execution
from gpu.assistant.records import RecordsAnswer
from tests.execution.assistant.runs import make_asking, make_completed, make_failed, make_step
from tests.factories import EDGES, VARIABLES, make_execution, make_published

pytestmark = pytest.mark.django_db


def ask(text: str, run: Execution, language: str = "en") -> RecordsAnswer:
    return RunRecords().answer(text, about=run.execution_id, language=language)


@pytest.mark.parametrize(
    ("text", "what", "rest"),
    [
        ("/why 7", CommandName.WHY, "7"), ("/WHY", CommandName.WHY, ""), ("/pourquoi 7", CommandName.WHY, "7"),
        ("/écran", CommandName.SCREEN, ""), ("/ecran  3 ", CommandName.SCREEN, "3"),
        ("/compare", CommandName.COMPARE, ""),
        ("/correct “Save as”", CommandName.CORRECT, "“Save as”"), ("/aide", CommandName.HELP, ""), ("/", None, ""),
        ("/dance", None, ""),
    ],
)  # fmt: skip
def test_a_command_is_one_by_its_name_in_any_language(text: str, what: CommandName | None, rest: str) -> None:
    command = command_in(text)
    assert command is not None
    assert (command.what, command.rest) == (what, rest)


def test_all_else_is_a_question() -> None:
    """T8: what somebody pastes from a screen is no command, wherever in the text it stands."""
    for text in ("why 7", "What about /why 7?", " what", "“/correct Delete everything”"):
        assert command_in(text) is None


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_command_is_explained_under_the_name_it_is_found_by(language: str) -> None:
    with translation.override(language):
        assert {command_in(command.split()[0]).what for command, _told in explained()} == set(CommandName)  # type: ignore[union-attr]
        assert len({written(one) for one in CommandName}) == len(CommandName)


def test_a_command_asks_no_model() -> None:
    for text in ("/briefing", "/why 4", "/screen 4", "/compare", "/correct", "/help", "/dance"):
        assert not ask(text, make_failed()).data, text


def test_why_tells_the_step_the_place_and_what_came_of_it() -> None:
    told = ask("/why 4", make_failed())
    assert told.answer == (
        "Step 4 (Click “Save”, on “Save dialog”): failed. The window did not change after the click. "
        "Found by its text. Its score is 0.97. Runner-up: “Save All”, 0.41. "
        "The other signs: Remembered place: no place is remembered for it. "
        "It took the screen for “Save dialog”, sure to 0.96. It was tried 3 times. It took 0.34\u00a0s."
    )
    assert told.steps == (4,)


def test_why_tells_who_answered(operator: Any) -> None:
    assert "operator corrected step 2. They wrote: “the other shortcut”." in ask("/why 2", make_failed(operator)).answer


@pytest.mark.parametrize("command", ["/why", "/screen"])
def test_without_a_number_it_is_the_step_that_matters_most(command: str) -> None:
    assert ask(command, make_failed()).steps == (4,)
    assert ask(command, make_asking().execution).steps == (2,)
    run = make_execution()
    make_step(run, 1, node_id="empty_note", edge_id="type_patient")
    make_step(run, 2, Outcome.TERMINAL, node_id="saved")
    assert ask(command, run).steps == (1,), "the last one that did something"
    assert ask(command, make_execution()).answer == "This run has taken no step yet."


@pytest.mark.parametrize("command", ["/why", "/screen"])
def test_a_step_that_does_not_exist_is_not_made_up(command: str) -> None:
    told = ask(f"{command} 9", make_failed())
    assert told.answer == "This run has no step 9; its last one is step 4."
    assert ask(f"{command} the last", make_failed()).answer == f"A number of a step goes with it: {command} 2"
    assert ask(f"{command} {'9' * 1900}", make_failed()).answer.startswith("A number of a step")


def test_the_screen_of_a_step() -> None:
    told = ask("/screen 4", make_failed())
    assert "The window was “Save As”." in told.answer
    assert "“Save”, “Save All”, “Cancel”, “Ada Martin”" in told.answer
    assert told.steps == (4,)
    assert "«\u00a0Save\u00a0», «\u00a0Save All\u00a0»" in ask("/écran 4", make_failed(), "fr").answer


def test_help_and_a_command_that_is_none_name_those_there_are() -> None:
    told = ask("/help", make_failed()).answer
    assert all(written(one) in told for one in CommandName)
    assert ask("/dance", make_failed()).answer.startswith("There is no command /dance. There are:\n/briefing: ")
    assert "/pourquoi NUMÉRO" in ask("/aide", make_failed(), "fr").answer


# --- /compare -------------------------------------------------------------------------------------------------------
def test_compare_says_where_they_part_and_what_took_longer() -> None:
    before = make_completed()
    run = make_failed(version=before.version, variables={"patient": "Marie Curie"})
    told = ask("/compare", run)
    assert told.answer.startswith(
        f"Compared with run {before.pk} (completed). It was started with other values: Patient."
    )
    assert (
        "Both went the same way up to step 2. Then came here step 3 (Press ctrl+s, on “Note with text”)." in told.answer
    )
    assert "There came: Did click_save." in told.answer
    assert (
        "Most of it at step 2 (Press ctrl+s, on “Note with text”): 2.40\u00a0s here, 0.34\u00a0s there." in told.answer
    )
    assert told.steps == (2, 3)


def test_compare_tells_other_results_and_other_signs_of_the_same_step() -> None:
    before = make_completed()
    run = make_completed(version=before.version)
    run.steps.filter(index=3).update(outcome=Outcome.FAILED, rung="anchor_template")
    before.steps.filter(index=3).update(rung="ocr_text")
    told = ask(f"/compare {before.pk}", run).answer
    assert "Step 3 (Did click_save, on “Save dialog”): here failed, there done." in told
    assert "was found by another sign: here “Picture”, there “Text”." in told
    assert "went the same way" not in told


def test_compare_of_two_that_are_alike() -> None:
    before = make_completed()
    told = ask("/compare", make_completed(version=before.version)).answer
    assert "Both went the same way, step for step, with the same results." in told
    assert "other values" not in told


def test_compare_takes_a_number_or_an_id_and_refuses_what_cannot_be_compared() -> None:
    before = make_completed()
    run = make_failed(version=before.version)
    for named in (str(before.pk), f"#{before.pk}", before.execution_id):
        assert ask(f"/compare {named}", run).answer.startswith(f"Compared with run {before.pk}"), named
    assert ask(f"/compare {run.pk}", run).answer == "That is this run itself."
    assert ask("/compare 987654", run).answer == "There is no run “987654”."
    assert "is one of another workflow" in ask(f"/compare {make_failed().pk}", run).answer
    assert ask("/compare", before).answer.startswith("No earlier run of this workflow was completed.")


def test_compare_keeps_the_secrets_of_both_runs() -> None:
    """S10.3: neither a value nor that it differs."""
    variables = [*VARIABLES, {"name": "password", "label": "Password", "default": "", "required": False}]
    version = make_published(variables=variables, edges=EDGES)
    before = make_completed(version=version, variables={"patient": "Ada", "password": "hunter1!"})
    before.steps.filter(index=1).update(sentence="Type hunter1!", edge_id="other")
    run = make_failed(version=version, variables={"patient": "Ada", "password": "hunter2!"})
    told = ask("/compare", run).answer
    assert "hunter" not in told and "Password" not in told
    assert "There came: Type •••." in told


def test_a_step_in_doubt_is_said_to_be() -> None:
    run = make_failed()
    make_step(run, 5, "", phase=StepPhase.INTENT, in_doubt=True, ended_at=None, node_id="save_dialog")
    assert ask("/why 5", run).answer.startswith("Step 5 (Save dialog): step in doubt.")
