"""The viewer of a run that has ended: its film, each step told, times that add up, what it is held against."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from execution.actions.mark import mark
from execution.choices import ExecutionState, Outcome, PromptKind, Verified
from execution.exceptions import BadMark
from execution.models import Execution, Prompt, Step, StepMark, ValueRead
from execution.pages.viewer.compare import MOST_ROWS, side_by_side
from execution.pages.viewer.earlier import differences, last_good
from execution.pages.viewer.ending import ending
from execution.pages.viewer.film import film, first_look
from execution.pages.viewer.times import bars
from execution.pages.viewer.told import again_from
from execution.record.pruning import drop_texts
from tests.execution.assistant.runs import answer
from tests.execution.pages.test_live import page_data
from tests.execution.pages.test_runs import make_step, move
from tests.factories import EDGES, VARIABLES, make_execution, make_picture, make_published
from workflows.models import Correction

pytestmark = pytest.mark.django_db

MOST_QUERIES = 15
BUTTON = [0.1, 0.5, 0.2, 0.1]


def screen(*texts: tuple[str, list[float]]) -> dict[str, Any]:
    return {"perception": {"detected_text": [t for t, _ in texts], "text_boxes": [b for _, b in texts]}}


def meant(**more: Any) -> dict[str, Any]:
    target = {"target_id": "t", "label": "Save", "text": "Save"}
    return {"edge_id": "click_save", "action": "click", "params": {}, "target": target, "status": "found",
            "rung": "ocr_text", "score": 0.97, "box": BUTTON, "point": [0.2, 0.55], **more}  # fmt: skip


def a_run(
    state: str = ExecutionState.COMPLETED, *, version: Any = None, button: str = "Save", **last: Any
) -> Execution:
    """Two steps: one that went well, then one that clicks a button."""
    run = make_execution(version=version or make_published(), started_at=timezone.now() - timedelta(seconds=30))
    make_step(run, 1, verified=Verified.YES, success=True, total_ms=400, node_id="empty_note")
    fields = {
        "node_id": "save_dialog",
        "edge_id": "click_save",
        "suggestion": meant(),
        "verified": Verified.YES,
        "success": True,
    }
    seen = screen(("Save As", [0.1, 0.1, 0.2, 0.05]), (button, BUTTON))
    make_step(run, 2, **{**fields, "screen": seen, "total_ms": 900, **last})
    return move(run, state)


def told(client: Any, run: Execution, index: int = 2) -> dict[str, Any]:
    return client.get(f"/runs/{run.execution_id}/steps/{index}/told").json()


def unpacked(film_: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows as the page makes them of what was sent, with the long part of those that came with it."""
    rows = [{"index": index, **film_["kinds"][kind]} for index, kind, *_ in film_["steps"]]
    return [{**row, **film_["near"]["steps"].get(str(row["index"]), {})} for row in rows]


def queries(client: Any, path: str) -> int:
    client.get(path)  # who looks for the first time is recorded besides (S10.7)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


# --- the page ------------------------------------------------------------------------------------------------------
def test_a_run_that_has_ended_is_a_film_and_one_at_work_is_not(client_of, viewer) -> None:
    """S7.3: every step in a short row, with what was the matter."""
    run = a_run(ExecutionState.FAILED, outcome=Outcome.FAILED, message="It did not open.")
    data = page_data(client_of(viewer), run)
    rows = unpacked(data["film"])
    assert [row["index"] for row in rows] == [1, 2]
    assert [row.get("problem", "") for row in rows] == ["", "failed"]
    assert [row["message"] for row in rows] == ["", "It did not open."]
    assert data["film"]["first"] == 2
    assert data["snapshot"]["steps"] == []  # they come once, and the long part of each when it is looked at
    assert "screen" not in rows[0]
    assert page_data(client_of(viewer), make_execution())["film"] is None


def test_every_step_has_an_address(client_of, viewer) -> None:
    run = a_run()
    page = client_of(viewer).get(f"/runs/{run.execution_id}/steps/2")
    assert page.status_code == 200
    assert '"at": 2' in page.content.decode()
    assert client_of(viewer).get(f"/runs/{run.execution_id}/steps/3").status_code == 404


@pytest.mark.parametrize("steps", [3, 60])
def test_no_page_takes_more_queries_than_it_may(client_of, viewer, operator, steps: int) -> None:
    """However many steps there are; the runs before it as well."""
    version = make_published()
    for _ in range(3):
        a_run(version=version)
    run = a_run(version=version)
    for index in range(3, steps):
        answer(make_step(run, index), "accept", operator)
    client = client_of(viewer)
    assert queries(client, f"/runs/{run.execution_id}") <= MOST_QUERIES
    assert queries(client, f"/runs/{run.execution_id}/film") <= MOST_QUERIES
    assert queries(client, f"/runs/{run.execution_id}/film/0") <= MOST_QUERIES
    assert queries(client, f"/runs/{run.execution_id}/steps/2/told") <= MOST_QUERIES + 4  # asked for beside the page


def test_a_page_of_two_thousand_steps_is_short(client_of, viewer) -> None:
    """Some ten bytes a step, whatever was seen, found, and said of each, and however different their pictures are."""
    run = a_run()
    long = meant(evidence=[{"rung": "x", "candidates": [{"text": "y" * 200}] * 20}])
    rows = [
        Step(execution=run, index=n, epoch=1, mode=run.mode, outcome=Outcome.SUCCEEDED, phase="closed",
             suggestion={**long, "params": {"text": f"patient {n}"}, "action": "type_text"}, message=f"Said of {n}. ",
             ended_at=timezone.now(), started_at=timezone.now(), edge_id="click_save", node_id="save_dialog",
             verified=Verified.YES, total_ms=700 + n, capture_ms=n % 90, picture_before=f"{n:064x}",
             picture_after=f"{n + 5000:064x}")
        for n in range(3, 2001)
    ]  # fmt: skip
    Step.objects.bulk_create(rows, batch_size=500)
    page = client_of(viewer).get(f"/runs/{run.execution_id}/steps/1000")
    assert len(page.content) <= 200_000
    near = page.context["page_data"]["film"]["near"]["steps"]
    assert "patient 1000" in near[1000]["sentence"]
    assert 1000 - 60 in near and 1000 + 100 in near  # who walks finds them there
    assert 500 not in near
    more = client_of(viewer).get(f"/runs/{run.execution_id}/film/5").json()["steps"]
    assert list(more) == [str(n) for n in range(500, 600)]
    assert "patient 512" in more["512"]["sentence"]
    assert more["512"]["picture_before"] == f"{512:064x}"
    assert more["512"]["message"].startswith("Said of 512.")


def test_who_answered_comes_with_the_stretch_of_its_step(client_of, viewer, operator) -> None:
    """With the page near the step that it opens with, else as somebody comes there."""
    run = a_run()
    for index in range(3, 240):
        make_step(run, index)
    for index in (150, 230):
        answer(run.steps.get(index=index), "correct", operator)
    client = client_of(viewer)
    near = page_data(client, run)["film"]
    assert near["first"] == 3  # it was not seen to work
    assert near["near"]["decisions"] == {}
    there = client.get(f"/runs/{run.execution_id}/steps/200").context["page_data"]["film"]
    assert set(there["near"]["decisions"]) == {150, 230}
    assert unpacked(there)[149]["problem"] == "corrected"
    more = client.get(f"/runs/{run.execution_id}/film/1").json()["decisions"]
    assert more["150"]["decided_by"] == operator.get_username()
    assert set(more) == {"150"}


# --- how it ended --------------------------------------------------------------------------------------------------
def ended(run: Execution) -> dict[str, Any]:
    rows = film(run)["steps"]
    return ending(run, rows, first_look(rows, run.state))


def test_the_head_says_how_it_ended_who_stopped_it_and_why() -> None:
    """S7.3"""
    done = ended(a_run())
    assert done["said"].endswith("every step went as it should.")
    stopped = a_run(ExecutionState.STOPPED, outcome=Outcome.REJECTED, message="Not done: zoe stopped the run.")
    step = stopped.steps.get(index=2)
    asked = "The target was not found."
    Prompt.objects.create(execution=stopped, step=step, kind=PromptKind.TARGET, message=asked, state="answered")
    Execution.objects.filter(pk=stopped.pk).update(stopped_by="zoe", stopped_from="page")
    stopped.refresh_from_db()
    told_ = ended(stopped)
    assert told_["said"].startswith("Stopped by zoe (page) after ")
    assert told_["said"].endswith("at step 2: Click “Save”")
    assert told_["why"] == asked  # not that it was stopped, which is said already
    assert told_["step"] == 2


def test_a_run_that_completed_opens_at_what_was_not_as_usual() -> None:
    run = a_run(verified=Verified.CANNOT_TELL)
    assert first_look(film(run)["steps"], run.state) == 2
    assert ended(run)["said"].endswith("1 step was not as usual.")
    assert first_look(film(a_run())["steps"], ExecutionState.COMPLETED) == 1
    assert first_look([], ExecutionState.STOPPED) is None


# --- a step --------------------------------------------------------------------------------------------------------
def test_a_step_is_told_in_five_sentences(client_of, viewer, operator) -> None:
    match = {"node_id": "save_dialog", "confidence": 0.97, "runner_up": "empty_note", "runner_up_confidence": 0.41}
    run = a_run(recognition={"match": match, "candidates": []})
    parts = {part["key"]: part for part in told(client_of(viewer), run)["story"]}
    assert list(parts) == ["saw", "meant", "why", "decided", "came"]
    assert parts["saw"]["lead"] == "“Save dialog”, 0.97 sure."
    assert parts["saw"]["more"] == ["Next best: “Empty note”, 0.41."]
    assert parts["meant"]["lead"] == "Click “Save”."
    assert parts["why"]["lead"] == "Found by its text."
    assert parts["decided"]["lead"] == "Nobody was asked: the run was in mode “coaching”."
    assert parts["came"]["lead"] == "Done, verified."


def test_who_decided_is_named_with_what_they_wrote(client_of, viewer, operator) -> None:
    run = a_run()
    answer(run.steps.get(index=2), "correct", operator, name="zoe", origin="page", feedback="the other")
    decided = told(client_of(viewer), run)["story"][3]
    assert decided["lead"].startswith("zoe (page) corrected at ")
    assert "They wrote: “the other”." in decided["more"]


TIMES = {
    "capture_ms": 10, "analyze_ms": 80, "match_ms": 5, "resolve_ms": 20, "act_ms": 2, "look_ms": 300, "verify_ms": 100,
}  # fmt: skip


def test_the_bars_add_up_to_the_step() -> None:
    """What no part measured is a bar as well; a try that came to nothing is seen."""
    tried = [{"act_ms": 3.0, "look_ms": 150.0, "verify_ms": 200.0, "answer": "no", "message": "no", "picture": ""}]
    step = Step(**TIMES, waited_ms=1500, total_ms=2500, attempts=tried, success=True)
    found = bars(step)
    assert sum(bar["ms"] for bar in found["bars"]) == pytest.approx(found["total_ms"], abs=0.05) == 2500
    names = [bar["name"] for bar in found["bars"]]
    assert names[4:] == ["waited_ms", *2 * ["act_ms", "look_ms", "verify_ms"], "rest"]
    assert [bar["kind"] for bar in found["bars"] if bar["name"] == "verify_ms"] == ["no", "yes"]
    after = [bar["name"] for bar in bars(step, asked_after=True)["bars"]]
    assert after.index("waited_ms") > after.index("verify_ms")
    short = Step(**TIMES, total_ms=0)
    assert sum(bar["ms"] for bar in bars(short)["bars"]) == pytest.approx(bars(short)["total_ms"])


def test_a_correction_is_shown_old_and_new_with_its_reason(client_of, viewer, operator) -> None:
    run = a_run()
    Correction.objects.create(
        workflow=run.version.workflow, version_number=1, execution_id=run.execution_id, step=2, node_id="", edge_id="",
        correction_type="target+params", original_target={"target": {"label": "Save"}, "box": BUTTON},
        corrected_target={"text": "Keep", "box": BUTTON}, original_params={"text": "Ada"},
        corrected_params={"text": "Ada Martin"}, feedback="the whole name", decided_by=operator,
    )  # fmt: skip
    (one,) = told(client_of(viewer), run)["corrections"]
    assert one["rows"] == [
        {"what": "Place", "old": "Save", "new": "Keep"},
        {"what": "Text", "old": "Ada", "new": "Ada Martin"},
    ]
    assert (one["reason"], one["by"]) == ("the whole name", operator.get_username())


def test_attempts_stand_side_by_side(client_of, viewer) -> None:
    """Those within a step, and steps that tried the same again."""
    tried = [{"act_ms": 3, "verify_ms": 200, "answer": "no", "message": "nothing changed", "picture": "a" * 64}]
    run = a_run(retries=1, attempts=tried)
    make_step(run, 3, edge_id="click_save", node_id="save_dialog", outcome=Outcome.FAILED, message="again not")
    found = told(client_of(viewer), run)["attempts"]
    assert [(one["index"], one["outcome"], one["said"]) for one in found] == [
        (2, "failed", "nothing changed"), (2, "succeeded", ""), (3, "failed", "again not"),
    ]  # fmt: skip
    assert told(client_of(viewer), a_run())["attempts"] == []


# --- earlier runs --------------------------------------------------------------------------------------------------
def test_the_same_step_in_earlier_runs(client_of, viewer) -> None:
    version = make_published()
    first, _second = a_run(version=version), a_run(version=version, retries=1)
    a_run()  # of another workflow
    found = told(client_of(viewer), a_run(version=version))["earlier"]
    assert [row["retries"] for row in found["rows"]] == [1, 0]
    assert found["rows"][1]["url"] == f"/runs/{first.execution_id}/steps/2"
    assert found["said"] == "Found 2 of 2 times before. Tried twice 1 time."
    assert told(client_of(viewer), first)["earlier"]["said"] == "This is its first time."


def test_what_stands_at_the_place_now_is_told_beside_what_stood_there(client_of, viewer) -> None:
    """A renamed button explains itself."""
    version = make_published()
    good = a_run(version=version)
    a_run(ExecutionState.STOPPED, version=version)  # later, but it did not go well
    run = a_run(
        ExecutionState.STOPPED, version=version, button="Keep", outcome=Outcome.REJECTED, success=False,
        suggestion=meant(status="not_found", box=None, point=None),
    )  # fmt: skip
    found = told(client_of(viewer), run)["difference"]
    assert found["said"] == ["Where “Save” was then, “Keep” stands now."]
    assert (found["run"], found["index"], found["first"]) == (good.execution_id, 2, 2)
    assert last_good(good) is None


def test_values_of_the_run_and_what_changes_by_itself_are_no_difference() -> None:
    now = Step(screen=screen(("Ada Martin", [0, 0, 0.1, 0.1]), ("12:30", [0, 0.2, 0.1, 0.1]), ("Menu", BUTTON)))
    then = Step(screen=screen(("Zoe Durand", [0, 0, 0.1, 0.1]), ("14:05", [0, 0.2, 0.1, 0.1]), ("Menu", BUTTON)))
    found = differences(now, then, ["Ada Martin", "Zoe Durand"])
    assert found["same"] is True
    assert differences(now, then, [])["said"] == [
        "Then and not now: “Zoe Durand”.", "Now and not then: “Ada Martin”.",
    ]  # fmt: skip


# --- start again ---------------------------------------------------------------------------------------------------
def test_it_starts_again_only_where_that_can_be(client_of, operator) -> None:
    run = a_run()
    step = run.steps.get(index=2)
    again = again_from(run, step)
    assert again["why_not"] == ""
    assert "node=save_dialog" in again["url"]
    form = client_of(operator).get(again["url"])
    assert form.context["form"].initial["start_node_id"] == "save_dialog"
    assert "not recognised" in again_from(run, Step(execution=run, index=2))["why_not"]
    assert "no such screen" in again_from(run, Step(execution=run, index=2, node_id="gone"))["why_not"]


def test_it_does_not_begin_in_a_list_nor_without_what_was_read_before() -> None:
    run = a_run(suggestion=meant(line=1))
    assert "list again" in again_from(run, run.steps.get(index=2))["why_not"]
    assert again_from(run, run.steps.get(index=1))["url"]
    uses = [{**edge, "params": {"text": "{{number}}"}} if edge["edge_id"] == "type_patient" else edge for edge in EDGES]
    number = {"name": "number", "label": "Number", "default": "1", "example": "1"}
    reading = a_run(version=make_published(edges=uses, variables=[*VARIABLES, number]), node_id="empty_note")
    first = reading.steps.get(index=1)
    ValueRead.objects.create(execution=reading, step=first, name="number", text="7", value="7")
    assert "“number”" in again_from(reading, reading.steps.get(index=2))["why_not"]
    assert again_from(reading, first)["url"]


# --- right or wrong ------------------------------------------------------------------------------------------------
def test_a_mark_is_kept_and_the_newest_counts(client_of, operator, viewer) -> None:
    """S6.5"""
    run = a_run()
    client = client_of(operator)
    path = f"/api/executions/{run.execution_id}/steps/2/mark/"
    first = client.post(path, {"feedback": "correct"}, content_type="application/json")
    assert first.status_code == 201, first.content
    client.post(path, {"feedback": "incorrect", "reason": "the other one"}, content_type="application/json")
    assert [one.feedback for one in StepMark.objects.all()] == ["incorrect", "correct"]
    assert told(client_of(viewer), run)["marks"][0]["reason"] == "the other one"
    assert film(run)["steps"][1]["mark"] == "incorrect"
    assert StepMark.objects.first().name == operator.get_username()
    refused = client_of(viewer).post(path, {"feedback": "correct"}, content_type="application/json")
    assert refused.status_code == 403
    assert client.post(path, {"feedback": "nice"}, content_type="application/json").status_code == 400


def test_what_is_not_finished_is_neither_right_nor_wrong() -> None:
    run = a_run()
    Step.objects.filter(execution=run, index=2).update(phase="planned", outcome="")
    with pytest.raises(BadMark):
        mark(step=run.steps.get(index=2), feedback="correct")
    for wrong in ({"feedback": "good"}, {"feedback": "correct", "confidence": 2.0}):
        with pytest.raises(BadMark):
            mark(step=run.steps.get(index=1), **wrong)


# --- pictures ------------------------------------------------------------------------------------------------------
def test_a_thumbnail_is_small_and_gone_with_its_picture(client_of, viewer) -> None:
    from workflows.pictures import PictureStore

    client, digest = client_of(viewer), make_picture(width=1280, height=800).digest
    path = f"/pictures/{digest}/part?width=192"
    small = client.get(path)
    assert (small.status_code, small.headers["Content-Type"]) == (200, "image/webp")
    assert small.headers["Cache-Control"] == "no-store"
    crop = client.get(f"/pictures/{digest}/part?box=0.1,0.1,0.2,0.1&width=120")
    assert crop.status_code == 200
    assert client.get(path, headers={"If-None-Match": small.headers["ETag"]}).status_code == 304
    PictureStore().path(digest).unlink()
    assert client.get(path).status_code == 404


def test_of_a_run_whose_texts_are_no_longer_kept_the_rest_is_shown(client_of, viewer, operator) -> None:
    """S10.4: what was tried and what was said of it goes with the other texts; the page stays whole."""
    tried = [{"act_ms": 3, "verify_ms": 200, "answer": "no", "message": "“Ada” is not seen", "picture": ""}]
    version = make_published()
    good = a_run(version=version)
    run = a_run(ExecutionState.FAILED, version=version, attempts=tried, confidence=0.95)
    mark(step=run.steps.get(index=2), feedback="incorrect", reason="it was Ada", user=operator)
    assert told(client_of(viewer), run)["keeps_words"]
    drop_texts([run.pk])
    found = told(client_of(viewer), run)
    assert "Ada" not in str(found)
    assert not found["keeps_words"], "a reason is not asked for where none is kept"
    said = {part["key"]: part["lead"] for part in found["story"]}
    assert said["saw"] == "“Save dialog”, 0.95 sure."  # nothing is said that nobody can know any more
    assert said["meant"] == "Click “Save”."
    assert said["why"] == "What it rested on is no longer kept."
    assert found["difference"] is None
    film = page_data(client_of(viewer), run)["film"]
    later = a_run(ExecutionState.FAILED, version=version)
    drop_texts([good.pk])
    assert told(client_of(viewer), later)["difference"]["said"] == ["What was read then is no longer kept."]
    assert film["ending"]["said"].endswith("at step 2: Click “Save”")
    assert film["near"]["steps"]["2"]["sentence"] == "Click “Save”"
    assert Step.objects.get(execution=run, index=2).attempts == []
    assert unpacked(page_data(client_of(viewer), run)["film"])[1]["mark"] == "incorrect"


def test_what_was_taught_is_not_said_to_be_meant_where_a_coach_put_something_else(client_of, viewer) -> None:
    """S10.4: once the texts are gone nobody knows what; that it was so stays."""
    run = a_run(ExecutionState.FAILED, confidence=0.95)
    answer(run.steps.get(index=2), "correct", correction={"params": {"text": "Ada"}})
    assert unpacked(page_data(client_of(viewer), run)["film"])[1]["sentence"] == "Click “Save”"
    drop_texts([run.pk])
    instead = "What a coach put in the place of what is taught, which is no longer kept"
    film = page_data(client_of(viewer), run)["film"]
    assert [row["sentence"] for row in unpacked(film)][1] == instead
    assert film["ending"]["said"].endswith(f"at step 2: {instead}")
    found = told(client_of(viewer), run)
    assert {part["key"]: part["lead"] for part in found["story"]}["meant"] == f"{instead}."
    assert "Save" not in film["ending"]["said"]


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
