"""Pages in French to the last sign, and a run that says why it waits, in a real browser (S7.3, S8.5, S9.4)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from execution.choices import ExecutionState, Outcome, PauseReason
from execution.models import Robot
from sentences.said import by_sentence, say, then, to_json
from tests.execution.pages.test_runs import make_step, move
from tests.execution.record.test_places import queued, robot, taken, workflow
from tests.execution.record.test_vanished import falls_silent
from tests.factories import NODES, make_execution, make_picture, make_published

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TEXTS = then([say("matching.texts_seen", seen=1, of=2), say("matching.missing", texts=["Annuler"])])
RUNG = say("targeting.not_similar", score=0.61, said=say("sign.kind"))
ENGLISH = re.compile(  # no French text has these words
    r"\b(the|of|is|was|were|not|it|its|and|with|without|for|this|that|which|what|who|from|nothing|nobody|seen|shown|"
    r"done|asked|run|runs|step|steps|screen|target|waiting|taken|never|always|only|by|at|in|to|yes|change|add|delete|"
    r"texts|window|similar|enough|speaks)\b",
    re.IGNORECASE,
)


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
    assert english(page) == []


SHOWN = """() => {
  const said = ["title", "aria-label", "placeholder", "alt"].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].map((element) => element.getAttribute(name)));
  return [document.title, document.body.innerText, ...said].join("\\n");
}"""


def english(page: Page) -> list[str]:
    """The lines of a page with an English word in them, without what is quoted and what screens are called."""
    told = re.sub(r"“[^”]*”|«[^»]*»", "", page.evaluate(SHOWN))
    for text in ("English", *(node["name"] for node in NODES)):
        told = told.replace(text, "")
    return [line.strip() for line in told.splitlines() if ENGLISH.search(line)]


@pytest.mark.parametrize("path", ["/login", "/", "/workflows/", "/workflows/{}", "/robots", "/account", "/runs/new"])
def test_no_page_on_the_way_to_a_run_has_an_english_word(page_of, operator, path: str) -> None:
    """S8.5"""
    version = make_published()
    make_execution(version=version, variables={})
    page = page_of(operator, path.format(version.workflow.workflow_id), locale="fr")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    assert english(page) == []


def test_why_it_waits_follows_what_other_runs_do(page_of: Any, operator: Any) -> None:
    flow = workflow(most_at_once=1)
    first, second = queued(flow), queued(flow)
    assert taken(robot()) == first.execution_id
    page = page_of(operator, f"/runs/{second.execution_id}")
    question = page.locator("#question")
    expect(question).to_contain_text(f"At most 1 run of “{flow.name}” is at work at once, and one is.")
    link = question.get_by_role("link", name=f"{flow.name}, run {first.pk}")
    expect(link).to_have_attribute("href", f"/runs/{first.execution_id}")
    Robot.objects.all().delete()
    expect(question).to_contain_text("No robot is alive. It begins when a run loop starts.")
    expect(question.get_by_role("link")).to_have_count(0)


def test_that_its_robot_has_gone_is_said_while_somebody_looks(page_of: Any, operator: Any) -> None:
    run = queued(workflow())
    assert taken(robot()) == run.execution_id
    page = page_of(operator, f"/runs/{run.execution_id}", locale="fr")
    question = page.locator("#question")
    expect(question).to_contain_text("Le robot travaille")
    falls_silent()
    expect(question).to_contain_text("Le robot here:7 ne donne plus signe de vie.")
    expect(question).not_to_contain_text("Le robot travaille")
