"""A screen at which a run stood still and that no step was opened for: its own cell of the film, told as a step is."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from playwright.sync_api import expect

from execution.choices import EventKind, ExecutionState, Origin, Outcome, PauseReason, Verb
from execution.models import Execution, Step, WishRecord
from execution.pages.texts import lines_with, pauses_showing, steps_showing
from execution.pages.viewer.export import archive
from execution.pages.viewer.film import film, first_look
from execution.record.events import emit
from execution.record.journal import Journal
from execution.record.pauses import pauses
from execution.record.payloads import texts_json
from execution.record.pruning import drop_texts, forget_pictures, pictures_of, still_shown
from execution.record.screen_index import make_index
from execution.types import ActionResult, ActionStatus, Answer, Box, ScreenState, TextLine, Verification
from tests.execution.pages.test_live import page_data
from tests.execution.record.journals import at_work, open_step, screen, suggestion
from tests.factories import make_execution, make_picture, make_published

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]

SAID = "A dialog came: “Session expired”."


def done(journal: Journal, shade: int, after: ScreenState | None = None, *, well: bool = True) -> Step:
    step = open_step(journal, shade)
    journal.intend(step, suggestion(journal), screen(shade), attempt=0)
    result = ActionResult(status=ActionStatus.DONE, act_ms=3.0)
    verification = Verification(answer=Answer.YES if well else Answer.NO, message="It did not come.")
    outcome = Outcome.SUCCEEDED if well else Outcome.FAILED
    journal.close_step(step, outcome, "", result=result, verification=verification, after=after)
    return step


def stand_still(journal: Journal, shade: int, message: str = SAID, *, texts: Sequence[str] = ()) -> str:
    kept = journal.pictures.keep(lines(*texts, shade=shade))
    detail = {"picture": kept.digest, "dialog": {"title": "Session expired"}}
    journal.pause(PauseReason.DIALOG, message, {**detail, "perception": texts_json(kept.shown.state)})
    return kept.digest


def lines(*texts: str, shade: int = 0) -> ScreenState:
    state = screen(shade)
    found = tuple(TextLine(text=text, box=Box(2, 4 * n, 40, 4), confidence=0.9) for n, text in enumerate(texts))
    return ScreenState(frame=state.frame, texts=found, text_method="test")


def told(client: Any, run: Execution, seq: int) -> Any:
    return client.get(f"/runs/{run.execution_id}/pauses/{seq}/told")


def story_of(client: Any, run: Execution, seq: int) -> dict[str, str]:
    return {part["key"]: part["lead"] for part in told(client, run, seq).json()["story"]}


def test_where_it_stood_still_is_a_cell_of_its_own_with_its_picture(client_of, viewer) -> None:
    journal = at_work()
    run = journal.execution
    done(journal, 10)
    picture = stand_still(journal, 20)
    WishRecord.objects.create(execution=run, verb=Verb.RESUME, name="zoe", origin=Origin.PAGE)
    journal.resume()
    done(journal, 30)
    journal.finish(ExecutionState.COMPLETED)
    rows = film(Execution.objects.get())["steps"]
    (pause,) = pauses(run)
    assert [row["index"] for row in rows] == [1, f"p{pause.seq}", 2]
    stood = rows[1]
    assert (stood["picture_before"], stood["message"], stood["after"], stood["problem"]) == (picture, SAID, 1, "paused")
    client = client_of(viewer)
    data = page_data(client, run)
    assert data["film"]["first"] == f"p{pause.seq}"  # the first that was not as usual
    said = story_of(client, run, pause.seq)
    assert (said["saw"], said["why"]) == ("“Session expired”", SAID)
    assert said["came"] == "zoe (page) had it go on."
    page = client.get(f"/runs/{run.execution_id}/pauses/{pause.seq}")
    assert f'"at": "p{pause.seq}"' in page.content.decode()
    for other in (pause.seq + 1, 9999):
        assert told(client, run, other).status_code == 404
        assert client.get(f"/runs/{run.execution_id}/pauses/{other}").status_code == 404


def test_a_run_that_was_stopped_there_opens_there_and_says_so(client_of, viewer) -> None:
    journal = at_work()
    done(journal, 10)
    stand_still(journal, 20)
    WishRecord.objects.create(execution=journal.execution, verb=Verb.STOP, name="ada", origin=Origin.PAGE)
    journal.finish(ExecutionState.STOPPED)
    client = client_of(viewer)
    found = page_data(client, journal.execution)["film"]
    (pause,) = pauses(journal.execution)
    assert found["first"] == found["ending"]["step"] == f"p{pause.seq}"
    assert re.fullmatch(r"Stopped by ada \(page\) after .*; it stood still after step 1", found["ending"]["said"])
    assert found["ending"]["why"] == SAID
    assert story_of(client, journal.execution, pause.seq)["came"] == "The run ended here."


def test_what_a_step_shows_is_no_second_cell() -> None:
    """An action that failed: the screen after it is where the run stood still."""
    journal = at_work()
    done(journal, 10, screen(20), well=False)
    stand_still(journal, 20)
    journal.finish(ExecutionState.FAILED)
    rows = film(Execution.objects.get())["steps"]
    assert [row["index"] for row in rows] == [1]
    assert first_look(rows, ExecutionState.FAILED) == 1


def test_what_came_of_an_act_that_went_well_is_told_where_it_stood_still_there(client_of, viewer) -> None:
    """The act did what it should, and something else is on the screen it led to."""
    journal = at_work()
    done(journal, 10, lines("Signed", "Archive for ever", shade=20))
    stand_still(journal, 20)
    journal.finish(ExecutionState.STOPPED)
    found = page_data(client_of(viewer), journal.execution)["film"]
    (pause,) = pauses(journal.execution)
    assert found["first"] == found["ending"]["step"] == f"p{pause.seq}"
    assert "stood still after step 1" in found["ending"]["said"]
    assert found["ending"]["why"] == f"{SAID} What came on the screen: “Signed · Archive for ever”."


def test_the_same_pause_told_twice_is_one_and_two_after_each_other_are_two() -> None:
    journal = at_work()
    stand_still(journal, 20)
    journal.degrade("slow")  # tells of the state once more
    journal.resume()
    stand_still(journal, 25)
    journal.finish(ExecutionState.STOPPED)
    found = pauses(journal.execution)
    assert [one.went_on for one in found] == [True, False]
    assert [row["after"] for row in film(Execution.objects.get())["steps"]] == [0, 0]


def test_its_picture_goes_when_pictures_go_and_not_before() -> None:
    """S10.4: nothing else shows it, so nobody else would delete its file."""
    journal = at_work()
    picture = stand_still(journal, 20)
    key = [journal.execution.pk]
    assert pictures_of(key) == set()  # the run is at work
    journal.resume()
    other = stand_still(journal, 25)
    journal.finish(ExecutionState.STOPPED)
    assert pictures_of(key) == still_shown({picture, other}) == {picture, other}
    forget_pictures(key)
    assert pictures_of(key) == still_shown({picture, other}) == set()
    assert pauses(Execution.objects.get()) == []


def test_it_is_in_the_export_without_its_place_on_this_machine() -> None:
    journal = at_work()
    done(journal, 10)
    picture = stand_still(journal, 20)
    journal.finish(ExecutionState.STOPPED)
    with zipfile.ZipFile(io.BytesIO(b"".join(archive(Execution.objects.get())))) as file:
        page, names = file.read("index.html").decode(), file.namelist()
        told_to_programs = json.loads(file.read("run.json"))
    assert f"pictures/{picture}.png" in names
    assert page.index('id="step-1"') < page.index("Session expired", page.index('id="step-1"'))
    assert "To where it stood still" in page
    assert [one["message"] for one in told_to_programs["pauses"]] == [SAID]


# --- what came after an act ------------------------------------------------------------------------------------------
def test_what_came_after_an_act_is_quoted_and_found(client_of, viewer) -> None:
    journal = at_work()
    step = done(journal, 10, lines("Disk full", "Nothing was saved", shade=20), well=False)
    journal.finish(ExecutionState.FAILED)
    step.refresh_from_db()
    assert step.verification["came"] == ["Disk full", "Nothing was saved"]
    assert list(steps_showing("nothing was saved")) == [step]
    assert lines_with(step, "disk full") == ("Disk full",)
    answer = client_of(viewer).get(f"/runs/{journal.execution.execution_id}/steps/1/told").json()
    (came,) = [part for part in answer["story"] if part["key"] == "came"]
    assert "What came on the screen: “Disk full · Nothing was saved”." in came["more"]
    drop_texts([journal.execution.pk])
    assert list(steps_showing("nothing was saved")) == []


# --- what was read there ----------------------------------------------------------------------------------------------
def test_its_texts_are_searched_and_go_with_the_others(client_of, viewer) -> None:
    """S10.4: of a screen that no step was opened for nothing else tells."""
    journal = at_work()
    run = journal.execution
    done(journal, 10)
    stand_still(journal, 20, texts=("Serveur indisponible", "Réessayez plus tard"))
    journal.degrade("slow")  # tells of the state once more
    journal.finish(ExecutionState.STOPPED)
    (pause,) = pauses(run)
    (event,) = pauses_showing("reessayez plus")
    assert (event.seq, lines_with(event, "serveur")) == (pause.seq, ("Serveur indisponible",))
    client = client_of(viewer)
    page = client.get("/texts?q=serveur+indisp").content.decode()
    assert page.count("<li><a href=") == 1
    assert f'href="/runs/{run.execution_id}/pauses/{pause.seq}"' in page and "Serveur indisponible" in page
    shown = client.get(f"/runs/{run.execution_id}/pauses/{pause.seq}/screen").json()["perception"]
    assert shown["detected_text"] == ["Serveur indisponible", "Réessayez plus tard"]
    assert len(shown["text_boxes"]) == 2
    drop_texts([run.pk])
    assert not pauses_showing("serveur").exists()
    assert "Nothing like it was read" in client.get("/texts?q=serveur").content.decode()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere no trigger makes it")
def test_the_index_of_pauses_is_whole_again_when_it_was_taken() -> None:
    journal = at_work()
    stand_still(journal, 20, texts=("Serveur",))
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER execution_steptexts_stood")
    journal.resume()
    stand_still(journal, 30, texts=("Demain",))
    assert not pauses_showing("demain").exists()
    make_index()
    assert (pauses_showing("demain").count(), pauses_showing("serveur").count()) == (1, 1)


def test_it_is_told_what_differs_from_the_run_that_went_well(client_of, viewer) -> None:
    version = make_published()
    good = make_execution(version=version, state=ExecutionState.COMPLETED, ended_at=timezone.now())
    boxes = [[0.1, 0.1, 0.2, 0.05], [0.1, 0.3, 0.2, 0.05]]
    seen = {"perception": {"detected_text": ["Signed and ready", "Send the letter"], "text_boxes": boxes}}
    Step.objects.create(
        execution=good, index=2, epoch=1, mode=good.mode, node_id="ready", edge_id="send", success=True,
        screen=seen, suggestion={"box": boxes[1]}, outcome=Outcome.SUCCEEDED, phase="closed",
        ended_at=timezone.now(),
    )  # fmt: skip
    run = make_execution(version=version, state=ExecutionState.STOPPED, ended_at=timezone.now())
    now = {"detected_text": ["Signed and ready", "Archive for ever"], "text_boxes": boxes}
    detail = {"picture": "a" * 64, "message": "?", "expected": {"node_id": "ready", "name": "Ready"}, "perception": now}
    Step.objects.create(execution=run, index=1, epoch=1, mode=run.mode, node_id="draft", edge_id="sign")
    emit(run, EventKind.STATE, {"status": "paused", "pause_detail": detail})
    (pause,) = pauses(run)
    found = told(client_of(viewer), run, pause.seq).json()["difference"]
    assert found["said"] == ["Where “Send the letter” was then, “Archive for ever” stands now."]
    assert (found["number"], found["index"]) == (good.pk, 2)


def test_what_stood_there_before_did_not_come() -> None:
    journal = at_work()
    step = open_step(journal)
    step.screen = {"perception": {"detected_text": ["Patient: Ada", "Speichem unter"]}}
    after = lines("Patient: Ada", "Speichern unter", "•••", "ok", "Disk full")
    journal.close_step(step, Outcome.FAILED, after=after)
    assert step.verification["came"] == ["Disk full"]


# --- in a browser ----------------------------------------------------------------------------------------------------
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_keys_walk_to_it_and_it_has_its_address(page_of, viewer) -> None:
    journal = at_work()
    done(journal, 10)
    done(journal, 15)
    Step.objects.update(picture_after=make_picture(seed=3).digest)
    stand_still(journal, 200)
    journal.finish(ExecutionState.STOPPED)
    (pause,) = pauses(journal.execution)
    page = page_of(viewer, f"/runs/{journal.execution.execution_id}")
    expect(page.locator("#tab-why")).to_have_text("Stood still")
    expect(page.locator("#frame")).to_have_attribute("src", re.compile(pause.picture))
    expect(page.locator("#story")).to_contain_text("Session expired")
    expect(page.locator("#steps-count")).to_have_text("2 steps")
    page.keyboard.press("k")
    expect(page.locator("#tab-why")).to_have_text("Step 2")
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile(rf"/pauses/{pause.seq}$"))
    page.keyboard.press("Home")
    page.keyboard.press("n")
    expect(page.locator('.film-cell[aria-current="step"]')).to_have_attribute("data-index", f"p{pause.seq}")
    again = page_of(viewer, f"/runs/{journal.execution.execution_id}/pauses/{pause.seq}")
    expect(again.locator("#tab-why")).to_have_text("Stood still")


def test_two_pauses_after_one_step_stand_in_the_order_they_came(client_of, viewer) -> None:
    """The run ended at the second, and that is the one it opens with and gives as the cause."""
    journal = at_work()
    done(journal, 10)
    stand_still(journal, 20, "The first dialog.")
    journal.resume()
    stand_still(journal, 25, "The second dialog.")
    journal.finish(ExecutionState.STOPPED)
    first, second = (f"p{one.seq}" for one in pauses(journal.execution))
    rows = film(Execution.objects.get())["steps"]
    assert [row["index"] for row in rows] == [1, first, second]
    assert first_look(rows, ExecutionState.STOPPED) == second
    found = page_data(client_of(viewer), journal.execution)["film"]
    assert found["first"] == found["ending"]["step"] == second
    assert found["ending"]["why"] == "The second dialog."
