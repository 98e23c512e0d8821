"""What is said of a run is kept as a code with its values, and told to each reader in their language."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Count
from django.utils import translation

from execution.choices import EventKind, ExecutionState
from execution.models import ExecutionEvent, Prompt, Step
from execution.pages.listing import problem
from execution.pages.snapshot import snapshot
from execution.record.events import emit, emit_state
from execution.record.hidden import HIDDEN, Hidden
from execution.record.payloads import step_payload
from execution.record.redaction import Redaction
from execution.stream import queries
from sentences.said import Said, say, then, to_json
from tests.factories import make_execution

pytestmark = pytest.mark.django_db

SMALL = say("targeting.not_similar", score=0.61, said=say("targeting.nothing_speaks"))
ENGLISH = "the most similar place is not similar enough (0.61): nothing speaks for it"
FRENCH = "l’endroit le plus ressemblant ne l’est pas assez (0,61)\u00a0: en sa faveur\u00a0: rien"


def make_step(**fields: Any) -> Step:
    run = fields.pop("execution", None) or make_execution()
    return Step.objects.create(execution=run, index=run.steps.count() + 1, epoch=0, mode=run.mode, **fields)


def test_a_message_is_kept_with_its_code_and_is_its_english_for_programs() -> None:
    """S11.4: a step result's message is a text as it always was."""
    step = make_step(message=SMALL)
    step.refresh_from_db()
    assert isinstance(step.message, Said)
    assert step.message == ENGLISH
    assert to_json(step.message) == {
        "code": "targeting.not_similar",
        "score": 0.61,
        "said": {"code": "targeting.nothing_speaks"},
    }


def test_steps_are_counted_and_found_by_what_they_say() -> None:
    run = make_execution()
    for message in (SMALL, SMALL, say("sign.kind"), "as a program put it", "", '{"code": "', '{"code": "x'):
        make_step(execution=run, message=message)
    assert Step.objects.filter(message__code="targeting.not_similar").count() == 2
    counted = Step.objects.exclude(message__code=None).values("message__code").annotate(n=Count("pk"))
    assert {row["message__code"]: row["n"] for row in counted} == {"targeting.not_similar": 2, "sign.kind": 1}


@pytest.mark.parametrize("text", ["Saved before this version.", '{"code": "of.nobody"}', "", '{"code": "'])
def test_what_was_kept_before_stays_readable(text: str) -> None:
    step = make_step(message=text)
    step.refresh_from_db()
    assert step.message == text
    with translation.override("fr"):
        assert snapshot(step.execution)["steps"][0]["message"] == text


@pytest.mark.parametrize(("language", "told"), [("en", ENGLISH), ("fr", FRENCH)])
def test_a_page_tells_it_in_its_reader_s_language(language: str, told: str) -> None:
    run = make_execution(state=ExecutionState.PAUSED, pause_detail={"message": to_json(SMALL)}, error=SMALL)
    step = make_step(
        execution=run,
        message=SMALL,
        suggestion={"message": to_json(SMALL), "evidence": [{"rung": "ocr_text", "note": to_json(SMALL)}]},
    )
    Prompt.objects.create(execution=run, step=step, kind="target", message=SMALL, changed=SMALL)
    with translation.override(language):
        page = snapshot(run)
        assert problem(run) == told
    shown = page["steps"][0]
    assert [shown["message"], shown["suggestion"]["message"], shown["suggestion"]["evidence"][0]["note"]] == [told] * 3
    assert [page["prompt"]["message"], page["prompt"]["changed"]] == [told] * 2
    assert [page["execution"]["pause_detail"]["message"], page["execution"]["error"]] == [told] * 2


def test_a_stream_tells_each_reader_in_their_language() -> None:
    """S8.2: events are kept once and read in two languages."""
    run = make_execution(error=SMALL)
    step = make_step(execution=run, message=SMALL)
    with transaction.atomic():
        emit(run, EventKind.STEP, step_payload(step))
        emit_state(run)
    kept = ExecutionEvent.objects.get(execution=run, kind=EventKind.STEP).payload
    assert kept["message"]["code"] == "targeting.not_similar"
    [first, second] = queries.events({run.pk: 0}, ["en", "fr"])[run.pk]
    newest = queries.snapshot(run.pk, ["en", "fr"])
    assert newest is not None
    for language, told in (("en", ENGLISH), ("fr", FRENCH)):
        assert json.loads(first.texts[language])["payload"]["message"] == told
        assert json.loads(second.texts[language])["payload"]["error"] == told
        assert json.loads(newest.texts[language])["steps"][0]["message"] == told
        assert json.loads(newest.texts[language])["execution"]["error"] == told


CLICK = {"action": "click", "params": {}, "target": {"label": "Save"}}
CLOSE = {"action": "close_popup", "sentence": to_json(say("turn.close_popup", name="Update"))}


@pytest.mark.parametrize(
    ("suggestion", "recorded", "english", "french"),
    [
        (CLICK, "Click “Save”", "Click “Save”", "Cliquer «\u00a0Save\u00a0»"),
        (CLOSE, "Close “Update”", "Close “Update”", "Fermer «\u00a0Update\u00a0»"),
        ({"action": "dance"}, "dance “Save”", "dance “Save”", "dance “Save”"),
    ],
)
def test_what_a_step_does_is_sent_in_its_reader_s_language(
    suggestion: dict[str, Any], recorded: str, english: str, french: str
) -> None:
    """S8.2: page, stream and events have the same sentence; a program's own action has only the program's words."""
    run = make_execution()
    step = make_step(execution=run, sentence=recorded, suggestion=suggestion)
    with transaction.atomic():
        emit(run, EventKind.STEP, step_payload(step))
    run.refresh_from_db()
    [event] = queries.events({run.pk: 0}, ["en", "fr"])[run.pk]
    streamed = queries.snapshot(run.pk, ["en", "fr"])
    assert streamed is not None
    for language, told in (("en", english), ("fr", french)):
        with translation.override(language):
            page = snapshot(run)
        assert json.loads(event.texts[language])["payload"]["sentence"] == told
        assert json.loads(streamed.texts[language])["steps"][0]["sentence"] == told
        assert page["steps"][0]["sentence"] == page["events"][0]["payload"]["sentence"] == told


def test_the_api_has_the_words_of_its_reader_with_code_and_values(client_of: Any, viewer: Any) -> None:
    step = make_step(message=SMALL)
    path = f"/api/executions/{step.execution.execution_id}/steps/"
    [row] = client_of(viewer).get(path, headers={"accept-language": "fr"}).json()["results"]
    assert row["message"] == FRENCH
    assert row["code"] == "targeting.not_similar"
    assert row["values"] == {"score": 0.61, "said": {"code": "targeting.nothing_speaks"}}


def test_secret_values_are_hidden_inside_a_sentence() -> None:
    """S10.4: the values of a sentence are kept, so they are hidden like any text."""
    said = then([say("targeting.reads_otherwise", read="hunter22 and more"), SMALL])
    shown = Redaction(Hidden(["hunter22"])).text(said)
    assert isinstance(shown, Said)
    assert "hunter22" not in json.dumps(to_json(shown))
    assert to_json(shown)["parts"][0] == {"code": "targeting.reads_otherwise", "read": f"{HIDDEN} and more"}
