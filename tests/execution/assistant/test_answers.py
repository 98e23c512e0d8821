"""S4.6: the records answer by themselves, with the right steps, in English and in French."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

from execution.assistant.briefing import RunBriefer
from execution.choices import ExecutionState, Outcome, PauseReason, StepPhase
from execution.models import Execution
from gpu.assistant.assistant import Briefing
from tests.execution.assistant.runs import make_asking, make_failed, make_secretive, make_step
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


def ask(text: str, run: Execution, earlier: tuple[int, ...] = ()) -> Briefing:
    return RunBriefer().brief(text, about=run.execution_id, language="en", earlier=earlier)


def test_which_step_failed_and_why() -> None:
    briefing = ask("Which step failed?", make_failed())
    assert briefing.answer == (
        "Step 4 (Click “Save”, on “Save dialog”) failed. The window did not change after the click. "
        "The run ended as failed."
    )
    assert briefing.references == ({"step": 4, "sentence": "Click “Save”", "outcome": "failed"},)
    assert briefing.decides
    assert briefing.known_steps == {1, 2, 3, 4}


def test_the_same_in_french() -> None:
    """S8.5"""
    briefing = ask("Quelle étape a échoué ?", make_failed())
    assert briefing.language == "fr"
    assert briefing.steps == (4,)
    assert briefing.answer.startswith("L’étape 4 (Cliquer “Save”, sur « Save dialog ») a échoué.")
    assert briefing.answer.endswith("L’exécution s’est terminée en échec.")
    assert translation.get_language() == "en", "the language of whoever asks is not that of the thread"


def test_of_several_failed_steps_the_last_one_comes_first() -> None:
    run = make_failed()
    make_step(run, 5, Outcome.FAILED, node_id="save_dialog", message="The target was not found.")
    briefing = ask("what went wrong?", run)
    assert briefing.steps == (5, 4)
    assert "The steps that failed are 4 and 5." in briefing.answer


def test_a_run_without_a_failed_step_says_so() -> None:
    run = make_execution()
    make_step(run, 1, Outcome.REJECTED, node_id="empty_note")
    briefing = ask("which step failed?", run)
    assert briefing.answer.startswith("No step of this run failed. But step 1")
    assert briefing.steps == (1,)
    assert not briefing.decides


def test_what_it_did_at_a_step() -> None:
    briefing = ask("What did it do at step 2?", make_failed())
    assert briefing.answer.startswith("Step 2 (Press ctrl+s, on “Note with text”): done, not verified.")
    assert "the other shortcut" in briefing.answer
    assert "It took 2.40 s." in briefing.answer
    assert briefing.steps == (2,)


@pytest.mark.parametrize("text", ["What did it do at step 9?", "Why did step 9 fail?", "étape 9 ?"])
def test_a_step_that_does_not_exist_is_not_made_up(text: str) -> None:
    briefing = ask(text, make_failed())
    assert briefing.steps == (4,), "the last one there is"
    assert "9" in briefing.answer


def test_why_this_target() -> None:
    briefing = ask("Why this target?", make_asking().execution)
    assert "Found by its text. Its score is 0.97. Next best: “Save All”, 0.41." in briefing.answer
    assert "Remembered place: no place is remembered for it." in briefing.answer
    assert "It took the screen for “Save dialog”, sure to 0.96." in briefing.answer
    assert briefing.steps == (2,)


def test_what_was_on_the_screen() -> None:
    briefing = ask("What was on the screen at step 4?", make_failed())
    assert "The window was “Save As”." in briefing.answer
    assert "“Save”, “Save All”, “Cancel”, “Ada Martin”" in briefing.answer
    assert briefing.steps == (4,)


def test_who_corrected(operator: Any) -> None:
    briefing = ask("Who corrected?", make_failed(operator))
    assert briefing.answer == "operator corrected step 2. They wrote: “the other shortcut”."
    assert briefing.steps == (2,)


def test_who_started_it_and_what_comes_next(operator: Any) -> None:
    run = make_execution(started_by=operator, current_node_id="save_dialog")
    make_step(run, 1, node_id="empty_note")
    assert ask("Who started it?", run).answer == "operator started the run."
    assert "Likely next: Click “Save”." in ask("What comes next?", run).answer
    assert "Likely next: Click “Save”." in ask("And the next step?", run).answer


def test_the_screen_of_a_failure_is_that_of_the_step_that_failed() -> None:
    assert ask("What did it see when it failed?", make_failed(), earlier=(1,)).steps == (4,)


def test_how_far_it_is() -> None:
    briefing = ask("How far is it?", make_asking().execution)
    assert "2 steps taken" in briefing.answer
    assert "about 1 to come" in briefing.answer
    done = ask("How long did it take?", make_failed())
    assert "in 1:15" in done.answer
    assert "The slowest was step 2" in done.answer


def test_why_it_is_paused() -> None:
    run = make_failed()
    Execution.objects.filter(pk=run.pk).update(
        state=ExecutionState.PAUSED,
        pause_reason=PauseReason.NO_MATCH,
        pause_detail={"message": "It looks like nothing."},
    )
    briefing = ask("Why is it paused?", run)
    assert briefing.answer.startswith("The run is paused: screen not known. It looks like nothing.")
    assert briefing.steps == (4,)


def test_what_it_waits_for() -> None:
    briefing = ask("What is it waiting for?", make_asking().execution)
    assert "waits for a person to answer about step 2" in briefing.answer
    assert briefing.steps == (2,)


def test_a_question_goes_on_from_the_last_answer() -> None:
    run = make_failed()
    assert ask("and the step before?", run, earlier=(3,)).steps == (2,)
    assert ask("and the next step?", run, earlier=(3,)).steps == (4,)
    assert ask("why?", run, earlier=(1,)).steps == (1,)
    assert ask("the first step?", run, earlier=(3,)).steps == (1,)


def test_another_run_can_be_asked_about() -> None:
    failed, other = make_failed(), make_execution()
    assert ask(f"Which step of run {failed.pk} failed?", other, earlier=(1,)).about == failed.execution_id
    assert ask(f"Which step of {failed.execution_id} failed?", other).steps == (4,)
    assert ask(f"Which step of run {failed.pk} failed?", other).answer.startswith(f"About run {failed.pk} of “Patient")
    assert "no run “exec_nope”" in ask("Which step of exec_nope failed?", other).answer


def test_a_run_that_does_not_exist_is_not_taken_for_the_one_at_hand() -> None:
    briefing = ask("Which step of run 987654 failed?", make_failed())
    assert briefing.answer == "There is no run “987654”."
    assert briefing.steps == ()


def test_of_the_steps_that_failed_the_first_or_last_can_be_meant() -> None:
    run = make_failed()
    make_step(run, 5, Outcome.FAILED, node_id="save_dialog")
    make_step(run, 6, node_id="save_dialog")
    for text, step in (
        ("What was the first step that failed?", 4), ("the last step that failed?", 5), ("the first failure?", 4),
        ("Quelle est la première étape qui a échoué ?", 4), ("la dernière étape en échec ?", 5),
        ("did the last step fail?", 6), ("what did it do at the second to last step?", 5),
        ("que s’est-il passé à l’avant-dernière étape ?", 5),
    ):  # fmt: skip
        assert ask(text, run).steps == (step,), text
    assert ask("the first step that failed?", make_execution()).answer.startswith("No step of this run failed.")


@pytest.mark.parametrize(
    "text",
    [
        "Did the next step fail?", "What was on the screen at the next step?", "Why did it click there the next step?",
        "Draft a correction for the next step", "Who corrected the next step?", "How long did the next step take?",
    ],
)  # fmt: skip
def test_a_step_that_is_not_there_yet_is_not_made_up(text: str) -> None:
    for run, step in ((make_failed(), 4), (make_asking().execution, 2)):
        briefing = ask(text, run, earlier=(step,))
        how_far = ("actions were done", "steps taken")  # how long it takes is told of the whole run
        assert any(words in briefing.answer for words in ("no such step", *how_far)), briefing.answer


def test_the_open_question_is_about_its_own_step_whichever_is_named() -> None:
    briefing = ask("Correct step 1: click “Cancel”", make_asking().execution)
    assert "The question that is open is about step 2" in briefing.answer
    assert not briefing.draft


def test_what_is_asked_of_a_step_is_told_of_that_step() -> None:
    run = make_failed()
    assert ask("How long did step 1 take?", run).answer.endswith("It took 0.34 s.")
    assert ask("Why did it wait at step 2?", run).steps == (2,)


def test_why_after_a_failure_is_why_it_failed() -> None:
    briefing = ask("Why?", make_failed(), earlier=(4,))
    assert "The window did not change after the click." in briefing.answer
    assert "Found by its text." in briefing.answer


def test_what_became_of_steps_beside_failing() -> None:
    run = make_failed()
    make_step(run, 5, Outcome.INTERRUPTED, node_id="save_dialog")
    make_step(run, 6, Outcome.REJECTED, node_id="save_dialog")
    make_step(run, 7, "", phase=StepPhase.INTENT, in_doubt=True, ended_at=None, node_id="save_dialog")
    make_step(run, 8, node_id="save_dialog")
    for text, step in (
        ("Which steps were skipped?", 3), ("Was any step tried again?", 4), ("Which step was interrupted?", 5),
        ("Which step was rejected?", 6), ("Which step is in doubt?", 7), ("Quelle étape a été ignorée ?", 3),
    ):  # fmt: skip
        assert ask(text, run).steps == (step,), text
    assert "Nobody answered in time, so step 3 was skipped." in ask("Which steps were skipped?", run).answer
    assert "Step 7 (Save dialog): step in doubt." in ask("Which step is in doubt?", run).answer
    assert ask("Was step 4 skipped?", run).answer.startswith("Step 4 (Click “Save”, on “Save dialog”): failed.")
    assert ask("Was a step done by hand?", run).answer.startswith("No step of this run is marked “done by a person”.")


def test_of_many_such_steps_the_first_are_told_and_the_others_named() -> None:
    run = make_execution()
    for index in range(1, 8):
        make_step(run, index, Outcome.SKIPPED, node_id="empty_note")
    briefing = ask("Which steps were skipped?", run)
    assert briefing.steps == (1, 2, 3, 4, 5, 6, 7)
    assert briefing.answer.endswith("The others are the steps 5, 6 and 7.")


def test_a_run_without_steps_has_answers_too() -> None:
    run = make_execution()
    for text in (
        "which step failed?", "why this target?", "what was on the screen?", "who corrected?", "how far is it?",
        "why is it paused?", "what did it do at step 4?", "draft a correction", "hello",
    ):  # fmt: skip
        briefing = ask(text, run)
        assert briefing.answer
        assert briefing.steps == ()


def test_a_secret_and_a_masked_region_are_in_no_answer_and_no_fact() -> None:
    """S10.3, S10.4: what is secret leaves the database neither in words nor as data for a model."""
    run = make_secretive()
    step = run.steps.get(index=4)
    step.message = "Typed hunter2! for ADA MARTIN"
    step.suggestion["evidence"][0]["note"] = "'Ada Martin' is not read"
    step.save()
    for text in (
        "Which step failed?",
        "What was on the screen?",
        "Why this target?",
        "hello",
        "what did it do at step 4",
    ):
        briefing = ask(text, run)
        said = f"{briefing.answer} {briefing.data}".lower()
        assert "hunter2!" not in said, text
        assert "password" not in said, text
        assert "texts_on_the_screen': ['save', 'save all', 'cancel']" in said or text == "hello"
    assert "ada martin" not in str(ask("What was on the screen?", run).data["details"]).lower()
    assert "masked regions is left out" in ask("What was on the screen?", run).answer


def test_an_answer_has_no_blank_line_and_takes_few_queries(django_assert_max_num_queries: Any) -> None:
    run = make_failed()
    run.steps.filter(index=4).update(message="one\n\ntwo\n\n\nthree")
    with django_assert_max_num_queries(8):
        assert "\n" not in ask("Which step failed?", run).answer


def test_the_facts_of_a_long_run_fit_a_context() -> None:
    """S4.3: about 5000 tokens at the most, whatever the screens hold."""
    run = make_execution()
    long = {"window": {"window_title": "x" * 5000}, "perception": {"detected_text": ["word " * 400] * 500}}
    for index in range(1, 151):
        make_step(
            run, index, Outcome.FAILED if index % 50 == 0 else Outcome.SUCCEEDED, node_id="empty_note", screen=long
        )
    data = ask("Which step failed?", run).data
    assert [line["step"] for line in data["steps"]][:6] == [1, 2, 3, 4, 5, 50]
    assert len(data["steps"]) <= 40
    assert len(str(data)) < 15_000
