"""A run's page in French: what the run loop said of it is in French as well, to the last sign (S8.5)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from execution.choices import ExecutionState, Outcome, PauseReason
from sentences.said import by_sentence, say, then, to_json
from tests.execution.pages.test_runs import make_step, move
from tests.factories import make_execution, make_picture

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TEXTS = then([say("matching.texts_seen", seen=1, of=2), say("matching.missing", texts=["Annuler"])])
RUNG = say("targeting.not_similar", score=0.61, said=say("sign.kind"))
ENGLISH = re.compile(r"\b(the|of|is|was|not|it|texts|seen|window|which|similar|enough|speaks|place|nothing|done)\b")


def test_a_paused_run_and_its_steps_are_told_in_french(page_of, operator) -> None:
    execution = make_execution(variables={})
    picture = make_picture().digest
    make_step(
        execution,
        1,
        Outcome.FAILED,
        message=by_sentence([say("turn.changed_before", why=say("turn.screen_size"))]),
        picture_before=picture,
        recognition={"match": None, "candidates": [], "why_not": to_json(TEXTS)},
        verified="no",
        verification={"answer": "no", "message": to_json(say("verification.unchanged")), "evidence": []},
        suggestion={
            "action": "click",
            "params": {},
            "target": {"label": "Annuler"},
            "status": "not_found",
            "message": to_json(RUNG),
            "evidence": [{"rung": "ocr_text", "status": "not_found", "score": 0.61, "note": to_json(RUNG)}],
        },
    )
    why = say("matching.not_sure_enough", node="Note", confidence=0.62, needed=0.75, notes=TEXTS)
    reason = {"sign": "texts", "score": 0.25, "note": to_json(TEXTS)}
    candidate = {"node_id": "save_dialog", "name": "Dialogue", "confidence": 0.62, "reasons": [reason]}
    detail = {
        "message": to_json(say("turn.unknown_screen", why=why)),
        "candidates": [candidate],
        "expected": {"node_id": "save_dialog", "name": "Dialogue"},
        "picture": picture,
    }
    move(execution, ExecutionState.PAUSED, desktop="a", pause_reason=PauseReason.NO_MATCH, pause_detail=detail)
    page = page_of(operator, f"/runs/{execution.execution_id}", locale="fr")
    expect(page.locator("#question")).to_contain_text("il en faut 75\u00a0%")
    expect(page.locator("#question")).to_contain_text("il manque\u00a0: Annuler")
    page.locator(".tabs button").first.click()
    told = page.locator("main").inner_text()
    assert not ENGLISH.findall(re.sub(r"“[^”]*”|«[^»]*»", "", told)), told
