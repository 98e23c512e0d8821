"""One run beside another of the same workflow."""

from __future__ import annotations

import pytest

from execution.choices import ExecutionState, Outcome
from execution.pages.viewer.compare import MOST_ROWS, side_by_side
from tests.execution.pages.test_runs import make_step
from tests.execution.pages.test_viewer import MOST_QUERIES, a_run, queries
from tests.factories import make_published


def row(index: int, edge: str, outcome: str = "succeeded") -> dict[str, object]:
    return {"index": index, "node_id": "n", "edge_id": edge, "outcome": outcome, "cell": "done"}


def test_the_same_actions_stand_beside_each_other() -> None:
    here = [row(1, "a"), row(2, "x"), row(3, "b", "failed")]
    there = [row(1, "a"), row(2, "b"), row(3, "c")]
    found = [
        ((pair["here"] or {}).get("index"), (pair["there"] or {}).get("index"), pair["mark"])
        for pair in side_by_side(here, there)
    ]
    assert found == [(1, 1, ""), (2, None, "only here"), (3, 2, "differs"), (None, 3, "only there")]


@pytest.mark.django_db
def test_without_another_one_it_is_the_last_that_went_well(client_of, viewer) -> None:
    version = make_published()
    good = a_run(version=version)
    stopped = a_run(ExecutionState.STOPPED, version=version)
    run = a_run(ExecutionState.FAILED, version=version, outcome=Outcome.FAILED, success=False)
    a_run()  # another workflow's
    client = client_of(viewer)
    page = client.get(f"/runs/{run.execution_id}/compare")
    assert page.context["other"] == good
    assert [one.pk for one in page.context["others"]] == [stopped.pk, good.pk]
    assert "here failed, there done" in page.content.decode()
    assert page.content.decode().count('class="differs"') == 1
    asked = client.get(f"/runs/{run.execution_id}/compare?with={stopped.execution_id}")
    assert asked.context["other"] == stopped
    assert client.get(f"/runs/{run.execution_id}/compare?with=nothing").context["other"] == good


@pytest.mark.django_db
def test_a_first_run_has_nothing_beside_it(client_of, viewer) -> None:
    run = a_run()
    assert "No other run" in client_of(viewer).get(f"/runs/{run.execution_id}/compare").content.decode()


@pytest.mark.django_db
def test_of_long_runs_the_part_where_they_differ_is_shown(client_of, viewer) -> None:
    version = make_published()
    runs = [a_run(version=version) for _ in range(2)]
    for run in runs:
        for index in range(3, MOST_ROWS + 60):
            make_step(run, index, outcome=Outcome.FAILED if run is runs[1] and index == 340 else Outcome.SUCCEEDED)
    client = client_of(viewer)
    page = client.get(f"/runs/{runs[1].execution_id}/compare")
    assert len(page.context["pairs"]) == MOST_ROWS
    assert any(pair["mark"] for pair in page.context["pairs"])
    assert queries(client, f"/runs/{runs[1].execution_id}/compare") <= MOST_QUERIES
