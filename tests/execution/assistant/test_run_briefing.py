"""S4.6: the briefing of a run says by itself what people ask, with the right steps, in English and in French."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from django.utils import timezone, translation

from execution.assistant.facts import gather
from execution.assistant.run_briefing import as_text, briefing
from execution.assistant.run_records import RunRecords, overview
from execution.choices import ExecutionState, Outcome, PauseReason, StepPhase
from execution.models import Execution
from gpu.assistant.records import RecordsAnswer
from tests.execution.assistant.runs import answer, make_asking, make_failed, make_secretive, make_step
from tests.factories import make_execution

pytestmark = pytest.mark.django_db

TITLES = ["What happened", "What failed", "Why", "What was corrected", "What is next"]


def brief(run: Execution, language: str = "en") -> Mapping[str, str]:
    run.refresh_from_db()
    with translation.override(language):
        return {section.title: section.text for section in briefing(gather(run))}


def ask(text: str, run: Execution, language: str = "en") -> RecordsAnswer:
    return RunRecords().answer(text, about=run.execution_id, language=language)


def test_a_failed_run_in_five_answers(operator: Any) -> None:
    run = make_failed(operator, started_by=operator)
    told = brief(run)
    assert list(told) == TITLES
    assert told["What happened"].startswith(
        f"Run {run.pk} of “{run.version.workflow.name}”: failed. operator started it, in the mode “coaching”. "
        "2 of 4 actions were done, in 1:15. Step 4 was tried more than once. "
        "Step 2 was done, and nothing on the screen proved it. The slowest was step 2"
    )
    assert told["What failed"] == "Step 4 (Click “Save”, on “Save dialog”) failed."
    assert told["Why"] == (
        "The window did not change after the click. Found by its text. Its score is 0.97. Runner-up: “Save All”, 0.41."
    )
    assert told["What was corrected"] == (
        "operator corrected step 2. They wrote: “the other shortcut”. Nobody answered in time, so step 3 was skipped."
    )
    assert told["What is next"].startswith("Nothing happens by itself.")


def test_a_completed_run_says_that_nothing_failed() -> None:
    run = make_execution()
    make_step(run, 1, node_id="empty_note", edge_id="type_patient")
    Execution.objects.filter(pk=run.pk).update(state=ExecutionState.COMPLETED, ended_at=timezone.now())
    told = brief(run)
    assert list(told) == [title for title in TITLES if title != "Why"]
    assert told["What failed"] == "No step of this run failed."
    assert told["What was corrected"] == "Nobody corrected a step of this run."
    assert told["What is next"] == "Nothing: the run is over."


def test_a_run_that_asks_says_what_and_what_comes_without_an_answer() -> None:
    told = brief(make_asking().execution)
    assert "Why" not in told
    assert told["What is next"] == (
        "The run waits for a person to answer about step 2 (Click “Save”, on “Save dialog”). Click “Save”? "
        "Without an answer in time it is skipped."
    )
    assert "2 steps taken" in told["What happened"] and "about 1 to come" in told["What happened"]


def test_a_paused_run_says_why_and_what_makes_it_go_on() -> None:
    run = make_failed()
    Execution.objects.filter(pk=run.pk).update(
        state=ExecutionState.PAUSED,
        pause_reason=PauseReason.NO_MATCH,
        pause_detail={"message": "It looks like nothing."},
        current_node_id="save_dialog",
    )
    told = brief(run)
    assert told["Why"].endswith("The run is paused: screen not known. It looks like nothing.")
    assert told["What is next"] == (
        "It goes on when somebody resumes it, and looks at the screen first. Likely next: Click “Save”."
    )


def test_a_stopped_run_says_by_whom() -> None:
    run = make_execution()
    ended = {"state": ExecutionState.STOPPED, "ended_at": timezone.now()}
    Execution.objects.filter(pk=run.pk).update(stopped_by="zoe", stopped_from="page", **ended)
    told = brief(run)
    assert told["Why"] == "Stopped by zoe (page)."
    assert told["What is next"].startswith("Nothing: the run was stopped")


def test_of_several_failed_steps_the_last_one_comes_first() -> None:
    run = make_failed()
    make_step(run, 5, Outcome.FAILED, node_id="save_dialog", message="The target was not found.")
    assert brief(run)["What failed"].startswith("The steps that failed are 4 and 5. The last of them is: Step 5")
    assert brief(run)["Why"] == "The target was not found."
    assert ask("what went wrong?", run).steps[:2] == (5, 4)


def test_what_was_rejected_not_carried_out_or_is_in_doubt_is_said() -> None:
    run = make_execution()
    make_step(run, 1, Outcome.REJECTED, node_id="empty_note")
    make_step(run, 2, Outcome.INTERRUPTED, node_id="empty_note")
    make_step(run, 3, "", phase=StepPhase.INTENT, in_doubt=True, ended_at=None, node_id="save_dialog")
    told = brief(run)["What failed"]
    assert told.startswith("No step of this run failed. Step 1 (")
    for words in (": rejected.", ": not carried out.", "Nobody knows whether step 3 ("):
        assert words in told


def test_what_people_accepted_is_counted_and_what_else_they_said_is_told(operator: Any) -> None:
    run = make_execution()
    for index, choice in enumerate(("accept", "accept", "manual", "reject"), start=1):
        answer(make_step(run, index, node_id="empty_note"), choice, operator)
    assert brief(run)["What was corrected"] == (
        "Nobody corrected a step of this run. operator did step 3 by hand. operator rejected step 4. "
        "2 steps were accepted as they were suggested."
    )


# --- questions in somebody's own words ------------------------------------------------------------------------------
def test_of_many_answers_the_first_are_told_and_the_others_counted(operator: Any) -> None:
    run = make_execution()
    for index in range(1, 12):
        answer(make_step(run, index, node_id="empty_note"), "correct", operator)
    assert brief(run)["What was corrected"].endswith("operator corrected step 8. And 3 more answers.")


@pytest.mark.parametrize("state", [ExecutionState.IDLE, ExecutionState.QUEUED, ExecutionState.RUNNING])
def test_a_run_without_steps_has_a_briefing_too(state: ExecutionState) -> None:
    run = make_execution()
    Execution.objects.filter(pk=run.pk).update(state=state)
    told = brief(run)
    assert told["What failed"] == "No step of this run failed."
    assert told["What is next"]


@pytest.mark.parametrize("text", ["Which step failed?", "Qui a corrigé ?", "hello", "Draft a correction", "step 2?"])
def test_a_question_is_not_understood_but_given_to_a_model_with_the_briefing(text: str) -> None:
    run = make_failed()
    told = ask(text, run)
    assert told.answer == (
        "Step 4 (Click “Save”, on “Save dialog”) failed. The window did not change after the click. "
        "The run ended as failed."
    )
    assert told.without_model == as_text(briefing(gather(run)))
    assert told.data["briefing"]["What failed"] == "Step 4 (Click “Save”, on “Save dialog”) failed."
    assert told.steps[0] == 4
    assert told.references[0] == {"step": 4, "sentence": "Click “Save”", "outcome": "failed"}
    assert (told.known_steps, told.failed_steps) == ({1, 2, 3, 4}, {4})
    assert (dict(told.draft), told.drafting) == ({}, None)


def test_a_question_in_french_on_an_english_page_is_answered_in_english() -> None:
    """The language is the reader's, not guessed from the words."""
    assert ask("Quelle étape a échoué ?", make_failed()).answer.startswith("Step 4")
    assert ask("Which step failed?", make_failed(), "fr").answer.startswith("L’étape 4")


def test_the_steps_whose_numbers_are_written_are_told_in_full_whatever_is_asked() -> None:
    run = make_failed()
    for text in ("What about step 1?", "1 ?", "étape n° 1", "pourquoi la 1"):
        assert ask(text, run).data["details"][0]["step"] == 1, text
    for text in ("v1.2", "what about 99?", "9" * 1900):
        assert ask(text, run).data["details"][0]["step"] == 4, text


def test_a_run_that_does_not_exist_is_said() -> None:
    told = RunRecords().answer("hello", about="", language="en")
    assert (told.answer, dict(told.data)) == ("There is no run yet.", {})


def test_the_panel_gets_the_briefing_and_the_commands_that_fit() -> None:
    failed = make_failed()
    page = overview(failed)
    assert [section["title"] for section in page["briefing"]] == TITLES
    assert page["briefing"][1]["references"] == [{"step": 4, "sentence": "Click “Save”", "outcome": "failed"}]
    assert [one["command"] for one in page["commands"]] == ["/why 4", "/screen 4"]
    asking = overview(make_asking().execution)
    assert [one["command"] for one in asking["commands"]] == ["/why 2", "/screen 2", "/correct"]
    assert overview(make_execution())["commands"] == []


def test_a_secret_and_a_masked_region_are_in_no_answer_and_no_fact() -> None:
    """S10.3, S10.4: what is secret leaves the database neither in words nor as data for a model."""
    run = make_secretive()
    step = run.steps.get(index=4)
    step.message = "Typed hunter2! for ADA MARTIN"
    step.suggestion["evidence"][0]["note"] = "'Ada Martin' is not read"
    step.save()
    for text in ("/briefing", "/screen 4", "/why 4", "/compare", "hello", "what did it do at step 4", "/hunter2! x"):
        told = ask(text, run)
        said = f"{told.asked} {told.answer} {told.without_model} {told.data}".lower()
        assert "hunter2!" not in said, text
        assert "password" not in said, text
    data = ask("hello 4", run).data
    assert data["details"][0]["texts_on_the_screen"] == ["Save", "Save All", "Cancel"]
    assert "ada martin" not in str(data["details"]).lower()
    assert "masked regions is left out" in ask("/screen 4", run).answer
    assert "is not read" in ask("/why 4", run).answer and "ada martin" not in ask("/why 4", run).answer.lower()
    assert "hunter2!" not in str(overview(run)).lower()


def test_an_answer_has_no_blank_line_and_takes_few_queries(django_assert_max_num_queries: Any) -> None:
    run = make_failed()
    run.steps.filter(index=4).update(message="one\n\ntwo\n\n\nthree")
    with django_assert_max_num_queries(14):
        told = ask("Which step failed?", run)
    assert "\n\n" not in f"{told.answer} {told.without_model}"


@pytest.mark.slow
def test_the_facts_of_a_long_run_fit_a_context() -> None:
    """S4.3: about 5000 tokens at the most, whatever the screens hold."""
    run = make_execution()
    long = {"window": {"window_title": "x" * 5000}, "perception": {"detected_text": ["word " * 400] * 500}}
    for index in range(1, 151):
        make_step(
            run, index, Outcome.FAILED if index % 50 == 0 else Outcome.SUCCEEDED, node_id="empty_note", screen=long,
            message="m" * 9000,
        )  # fmt: skip
    data = ask("Which step failed?", run).data
    assert [line["step"] for line in data["steps"]][:6] == [1, 2, 3, 4, 5, 50]
    assert len(data["steps"]) <= 40
    assert len(str(data)) < 16_000
