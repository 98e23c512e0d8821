"""Programs of users, run as they stand, with nothing of ours but what S11 names."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.front.conftest import PROGRAMS, run_in

NAMED = {
    "execution.execution_loop": {
        "ExecutionLoop", "create_execution_loop", "ExecutionMode", "ExecutionState", "CoachingDecision",
        "CoachingResponse", "ExecutionContext", "StepResult", "ExecutionResult", "ExecutionStatus",
    },
    "gpu": {"Mai", "ModelManager"},
    "analytics.integration": {"AnalyticsExecutionIntegration"},
}  # fmt: skip
OURS = ("execution", "gpu", "analytics", "workflows", "rpa_site", "sentences", "tests")


@pytest.mark.parametrize("program", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.name)
def test_a_program_needs_nothing_of_ours_but_what_is_named(program: Any) -> None:
    """S11.1, S11.10, S11.12"""
    for statement in ast.walk(ast.parse(program.read_text())):
        if isinstance(statement, ast.Import):
            assert not [a.name for a in statement.names if a.name.split(".")[0] in OURS]
        elif isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] in OURS:
            assert {alias.name for alias in statement.names} <= NAMED[statement.module or ""]


@pytest.fixture(scope="module")
def ledger(installation: Path) -> Any:
    return run_in(installation, "ledger.py")


@pytest.mark.slow
def test_it_is_idle_before_and_says_why_it_does_not_start(ledger: dict[str, Any]) -> None:
    """S1.12, S11.2: a pipeline that raises is a cause, not a crash."""
    assert ledger["before"] == {"status": "idle"}
    assert (ledger["unknown"], ledger["why"]) == (False, "'bills of another'")


def test_a_workflow_that_only_the_program_knows_is_coached_as_it_says(ledger: dict[str, Any]) -> None:
    """S1.3, S11.5, S11.9: a learning state by value, actions of its own, its own edges, without any display."""
    assert (ledger["first"], ledger["first_state"]) == (True, "completed")
    assert [(edge, action) for edge, action, *_rest in ledger["first_seen"]] == [
        ("open", "fetch_bill"), ("fill", "write_amount"), ("stamp", "stamp"),
    ]  # fmt: skip
    assert ledger["context"][0] == "coaching"
    assert (ledger["stats"]["accepted"], ledger["stats"]["corrected"]) == (2, 1)
    assert {"coaching", "completed", "paused", "running"} <= set(ledger["states"])


def test_the_executor_gets_the_variables_as_they_are_now(ledger: dict[str, Any]) -> None:
    """S11.9: with what it put there itself, which stays with the run."""
    given = {"who": "Zoé", "limit": 100}
    contexts = [context for *_rest, context in ledger["first_seen"]]
    assert contexts == [given, {**given, "last": "open"}, {**given, "last": "fill"}]
    assert ledger["context"][1] == {**given, "last": "stamp"}


def test_both_kinds_of_corrected_parameters_are_merged(ledger: dict[str, Any]) -> None:
    """S11.11: and reach the program's own edge, of which the next run gets the uncorrected one again."""
    assert ledger["first_seen"][2][2] == {"ink": "green", "times": 2}
    assert ledger["second_seen"][0][2] == {"ink": "blue", "times": 1}


def test_what_came_of_an_act_is_told_with_its_duration_and_error(ledger: dict[str, Any]) -> None:
    """S11.4"""
    assert ledger["results"][0] == ["open", True, ["success", "ok", 5.0, None]]
    assert ledger["third_result"] == [False, 7.0, "nobody pays 13"]


def test_a_second_run_has_a_context_of_its_own_and_begins_where_it_is_told(ledger: dict[str, Any]) -> None:
    """S11.2: any node, other variables, and the mode that the workflow has by now."""
    assert ledger["second"] is True
    assert [edge for edge, *_rest in ledger["second_seen"]] == ["stamp"]
    assert ledger["second_seen"][0][3] == {"who": "Ann"}
    assert ledger["second_context"] == ["automatic", {"who": "Ann", "last": "stamp"}, 2, 2]
    assert ledger["second_state"] == "completed"


def test_what_the_executor_could_not_do_is_not_done_again_by_itself(ledger: dict[str, Any]) -> None:
    """S9.3: only the program knows what it touched, so a person is asked."""
    assert (ledger["third_state"], ledger["third_times"]) == ("paused", 1)
    assert ledger["last_state"] == "stopped"


def test_the_capturers_own_watch_and_figures_are_used(ledger: dict[str, Any]) -> None:
    """S1.14, S11.9"""
    assert ledger["capture"]["total_captures"] > 0
    assert {name: ledger["capture"][name] for name in ledger["capture"] if name != "total_captures"} == {
        "captures_per_second": 2.0, "unchanged_skipped": 1, "avg_capture_time_ms": 0.5, "buffer_size": 3,
        "memory_mb": 0.25,
    }  # fmt: skip
    assert ledger["errors"] == []


@pytest.mark.slow
def test_figures_go_to_a_system_of_the_users_own_and_the_assistant_answers(installation: Path) -> None:
    """S11.10, S11.12: made without arguments, a conversation of its own, and a system that raises costs a warning."""
    told = run_in(installation, "reporting.py")
    assert told["rows"] == [["run_7", "s1", True, 12.5], 1]
    assert (told["name"], told["roles"], told["model"]) == ("Mai", ["user", "assistant"], "")
    assert told["answer"]
    assert told["system"] == ["current_model", "mode", "problem", "resources"]
    assert told["cpu"] is True
