"""The runs page: what needs a person first, every run with its step bar, search, filter and the live fragment."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind, PromptState, StepPhase, Verified
from execution.models import Execution, Prompt, Step, Worklist
from execution.models.worklist import WorklistState
from execution.pages import listing
from tests.execution.assistant.runs import answer
from tests.factories import make_execution, make_published, make_workflow
from tests.support.lists import new_list
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec

pytestmark = pytest.mark.django_db


def make_step(execution: Execution, index: int, outcome: str = Outcome.SUCCEEDED, **fields: Any) -> Step:
    closed = {"phase": StepPhase.CLOSED, "outcome": outcome, "ended_at": timezone.now()}
    node = {"node_id": "empty_note", "edge_id": "type_patient", "sentence": "Type “Ada”"}
    return Step.objects.create(
        execution=execution, index=index, epoch=1, mode=execution.mode, **{**closed, **node, **fields}
    )


def make_question(
    execution: Execution, kind: str = PromptKind.COACHING, seconds: int | None = 60, **step: Any
) -> Prompt:
    """The run asks: an open step, its prompt, and the state that waits for the answer."""
    opened = {"phase": StepPhase.PLANNED, "outcome": "", "ended_at": None}
    asked = make_step(execution, execution.steps.count() + 1, **{**opened, **step})
    Execution.objects.filter(pk=execution.pk).update(
        state=ExecutionState.WAITING_COACHING, desktop=f"here:{execution.pk}"
    )
    deadline = timezone.now() + timedelta(seconds=seconds) if seconds else None
    return Prompt.objects.create(
        execution=execution, step=asked, kind=kind, message="Was it done?", deadline_at=deadline
    )


def move(execution: Execution, state: str, **fields: Any) -> Execution:
    ended = {"ended_at": timezone.now()} if state in ("completed", "failed", "stopped") else {}
    Execution.objects.filter(pk=execution.pk).update(state=state, **{**ended, **fields})
    execution.refresh_from_db()
    return execution


# --- the page ------------------------------------------------------------------------------------------------------
def test_a_question_can_be_accepted_on_its_card(client_of, operator) -> None:
    """U1: what needs a person comes first, as cards that can be answered there."""
    execution = make_execution()
    prompt = make_question(execution)
    page = client_of(operator).get("/").content.decode()
    assert "Needs you" in page
    assert f'data-answer="accept" data-url="/api/executions/{execution.execution_id}/decide/"' in page
    assert f'data-prompt="{prompt.pk}"' in page
    assert "data-deadline=" in page


def test_a_viewer_sees_the_card_and_no_answer(client_of, viewer) -> None:
    make_question(make_execution())
    page = client_of(viewer).get("/").content.decode()
    assert "Waiting for a person" in page
    assert "data-answer" not in page
    assert "/runs/new" not in page


def test_a_doubt_is_compared_not_accepted_on_its_card(client_of, operator) -> None:
    make_question(make_execution(), PromptKind.IN_DOUBT, seconds=None)
    page = client_of(operator).get("/").content.decode()
    assert "Was it done?" in page
    assert "Compare" in page
    assert "data-answer" not in page


def test_a_queue_without_a_robot_is_said(client_of, operator) -> None:
    move(make_execution(), ExecutionState.QUEUED)
    assert "no robot is alive" in client_of(operator).get("/").content.decode()


def test_htmx_gets_the_table_alone_and_the_refresh_the_board(client_of, operator) -> None:
    make_execution()
    client = client_of(operator)
    table = client.get("/", headers={"HX-Request": "true"}).content.decode()
    assert table.strip().startswith('<div id="runs-table">')
    board = client.get("/?board=1").content.decode()
    assert "<html" not in board
    assert 'id="needs"' in board and 'id="runs-table"' in board


def test_lists_at_work_are_shown_with_their_bars_those_that_stand_first(client_of, operator) -> None:
    """S12: a list that waits for its start or has ended is on its own page alone."""
    client = client_of(operator)
    assert "Lists at work" not in client.get("/").content.decode()
    runs, stands, ready = (new_list("Ada", "Bea", name=name) for name in ("Letters", "Bills", "Forms"))
    Worklist.objects.filter(pk=stands.pk).update(state=WorklistState.STANDS, reason="Three rows failed")
    Worklist.objects.filter(pk=ready.pk).update(state=WorklistState.FINISHED)
    board = client.get("/?board=1").content.decode()
    places = [board.find(f'id="list-{one.worklist_id}"') for one in (stands, runs, ready)]
    assert 0 < places[0] < places[1]
    assert places[2] == -1
    assert "Three rows failed" in board
    assert board.count('class="lot-bar"') == 2


def test_the_page_takes_the_same_queries_for_two_runs_as_for_twelve(client_of, operator) -> None:
    client, version = client_of(operator), make_published()

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/").status_code == 200
        return len(captured)

    for _ in range(2):
        make_step(make_execution(version=version), 1)
        make_question(make_execution(version=version))
        new_list("Ada")
    few = queries()
    for _ in range(10):
        make_step(make_execution(version=version), 1)
        make_question(make_execution(version=version))
        new_list("Ada")
    assert queries() == few


# --- search --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["Notes of Zoë", "exec_", "Zoë Blanc", "disk is full"])
def test_runs_are_found_by_workflow_id_value_and_error(text: str) -> None:
    workflow = make_workflow(name="Notes of Zoë")
    from workflows.actions.publish import publish

    found = make_execution(version=publish(workflow=workflow, user=None), variables={"patient": "Zoë Blanc"})
    move(found, ExecutionState.FAILED, error="The disk is full.")
    other = make_execution(variables={"patient": "Ada"})
    Execution.objects.filter(pk=other.pk).update(execution_id="other")
    assert list(listing.search(Execution.objects.all(), text=text)) == [found]


def test_a_number_finds_the_run_of_that_number() -> None:
    run = make_execution(variables={})
    Execution.objects.filter(pk=run.pk).update(execution_id="a_run_without_digits")
    assert run in listing.search(Execution.objects.all(), text=str(run.pk))
    assert not listing.search(Execution.objects.all(), text=str(run.pk + 10_000)).exists()


def test_the_filter_knows_the_runs_that_need_a_person() -> None:
    paused = move(make_execution(), ExecutionState.PAUSED, desktop="a")
    move(make_execution(), ExecutionState.COMPLETED)
    assert list(listing.search(Execution.objects.all(), state="attention")) == [paused]
    assert listing.search(Execution.objects.all(), state="no such state").count() == 2


# --- the step bar --------------------------------------------------------------------------------------------------
def test_each_step_is_a_cell_that_says_how_it_went() -> None:
    execution = make_execution()
    make_step(execution, 1)
    answer(make_step(execution, 2), "correct")
    make_step(execution, 3, verified=Verified.CANNOT_TELL)
    make_step(execution, 4, Outcome.FAILED)
    make_step(execution, 5, Outcome.SKIPPED)
    [row] = listing.rows([move(execution, ExecutionState.COMPLETED)])
    assert row.cells == ("done", "corrected", "unsure", "failed", "skipped")
    assert row.cells_words == "1 done, 1 corrected, 1 failed, 1 not verified, 1 skipped"


def test_a_run_at_work_shows_about_how_much_is_to_come() -> None:
    execution = move(make_execution(), ExecutionState.RUNNING, desktop="a", current_node_id="empty_note")
    [row] = listing.rows([execution])
    assert row.cells == ("ahead",) * 3
    make_step(execution, 1, phase=StepPhase.PLANNED, outcome="", ended_at=None)
    [row] = listing.rows([execution])
    assert row.cells == ("now", "ahead", "ahead")


def test_a_step_just_done_is_not_counted_as_still_to_come() -> None:
    execution = move(make_execution(), ExecutionState.RUNNING, desktop="a", current_node_id="empty_note")
    make_step(execution, 1)
    [row] = listing.rows([execution])
    assert row.cells == ("done", "ahead", "ahead")


def test_a_row_says_how_much_of_the_workflow_was_done() -> None:
    """S1.22: a run that completed without doing anything looks like none that did it all."""
    execution = move(make_execution(), ExecutionState.COMPLETED)
    assert listing.rows([execution])[0].done_words == "0 of 3 actions done"
    make_step(execution, 1, edge_id="type_patient")
    make_step(execution, 2, Outcome.SKIPPED, edge_id="open_save")
    make_step(execution, 3, Outcome.MANUAL, edge_id="click_save")
    make_step(execution, 4, Outcome.TERMINAL)
    assert listing.rows([execution])[0].done_words == "2 of 3 actions done"


def test_a_long_run_keeps_its_failures_in_sight() -> None:
    cells = ["done"] * 100
    cells[57] = "failed"
    squeezed = listing.squeezed(cells)
    assert len(squeezed) == listing.MOST_CELLS
    assert squeezed.count("failed") == 1


def test_a_ring_in_the_graph_does_not_make_an_endless_outlook() -> None:
    graph = make_published().spec()
    assert [e.edge_id for e in graph.likely_path("empty_note")] == ["type_patient", "open_save", "click_save"]
    from dataclasses import replace

    ring = replace(graph, edges=(*graph.edges[:1], replace(graph.edges[1], destination="empty_note")))
    assert len(ring.likely_path("empty_note")) == 2


def test_the_steps_of_a_form_belong_to_the_likely_way() -> None:
    """S6.12: edges that lead back to their screen are done there, up to the one that leads on."""
    ends = (("one", "form"), ("two", "form"), ("on", "saved"), ("else", "other"))
    edges = tuple(
        EdgeSpec(edge_id=name, source="form", destination=to, action_type="click", order=order)
        for order, (name, to) in enumerate(ends)
    )
    graph = GraphSpec(workflow_id="w", name="W", learning_state="COACHING", edges=edges)
    assert [edge.edge_id for edge in graph.likely_path("form")] == ["one", "two", "on"]


def test_a_workflow_that_ends_where_it_begins_has_steps_ahead() -> None:
    """S6.13: a form that is filled and comes back empty, a list that is done line by line."""
    ends = (("fill", "form", "form"), ("save", "form", "saved"), ("next", "saved", "form"))
    edges = tuple(
        EdgeSpec(edge_id=name, source=source, destination=to, action_type="click", order=order)
        for order, (name, source, to) in enumerate(ends)
    )
    form = NodeSpec(node_id="form", name="Form", is_entry=True, is_end=True)
    nodes = (form, NodeSpec(node_id="saved", name="Saved"))
    graph = GraphSpec(workflow_id="w", name="W", learning_state="COACHING", nodes=nodes, edges=edges)
    assert [edge.edge_id for edge in graph.likely_path("form")] == ["fill", "save", "next"]
    assert [edge.edge_id for edge in graph.likely_path("saved")] == ["next"]


# --- cards ---------------------------------------------------------------------------------------------------------
def test_the_most_urgent_question_comes_first_then_doubts_then_pauses() -> None:
    paused = move(make_execution(), ExecutionState.PAUSED, desktop="p", pause_reason=PauseReason.NO_MATCH)
    late, soon, doubt = make_execution(), make_execution(), make_execution()
    make_question(late, seconds=100)
    make_question(soon, seconds=5)
    make_question(doubt, PromptKind.IN_DOUBT, seconds=None)
    order = [card.execution.pk for card in listing.cards(listing.listed(Execution.objects.all()))]
    assert order == [soon.pk, late.pk, doubt.pk, paused.pk]


def test_an_answered_question_is_no_card_any_more() -> None:
    """The run's state follows a moment later; until then nobody is asked twice."""
    prompt = make_question(make_execution())
    Prompt.objects.filter(pk=prompt.pk).update(state=PromptState.ANSWERED)
    assert listing.cards(listing.listed(Execution.objects.all())) == []


def test_the_card_shows_where_it_means_to_touch() -> None:
    make_question(make_execution(), suggestion={"box": [0.1, 0.2, 0.3, 0.04]})
    [card] = listing.cards(listing.listed(Execution.objects.all()))
    assert card.box == "0.1 0.2 0.3 0.04"


def test_every_state_has_a_badge_with_an_icon_and_every_outcome_a_cell() -> None:
    """U10: colour never alone."""
    assert set(listing.ICON_OF_STATE) == set(ExecutionState)
    assert set(listing.CELL_OF_OUTCOME) == set(Outcome) - {Outcome.NONE}
    assert set(listing.CELL_OF_OUTCOME.values()) <= set(listing.WORDS_OF_CELL)
