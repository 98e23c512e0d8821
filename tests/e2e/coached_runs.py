"""A series of automatic runs that a program coaches as a person would: by what it sees, and only when it is asked."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings

from tests.e2e.patients_page import Patient
from tests.e2e.visits_page import STORY, Look, Visits, right_acts, shown_as, visits
from tests.support.display import wait_until
from tests.support.product import Product, product

WORKFLOW = "wf_mark_a_visit"
RUN_S = 150
WIDTH, HEIGHT = 1280, 800  # of the desktop
ENDED = ("completed", "failed", "stopped")
SHOWS, CONFIRMS, SCREEN, CLOSES, DOUBT = "shows", "confirms", "which screen", "closes a dialog", "done?"


@dataclass
class Coached:
    """One run: what was asked of a person, what they had to do for it, and what was done on the page."""

    patient: Patient
    look: Look
    asked: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    state: str = ""
    seconds: float = 0.0

    @property
    def wrong(self) -> list[str]:
        """What was done and was not the next right thing."""
        return self.judged(self.done)[0]

    def judged(self, done: Sequence[str]) -> tuple[list[str], list[str]]:
        """Of what was done what was wrong, and of what is right what is left to do."""
        left, wrong = right_acts(self.patient, self.look), []
        for act in done:
            if left and act == left[0]:
                left.pop(0)
            else:
                wrong.append(act)
        return wrong, left


@dataclass
class Coach:
    """Answers the questions of one installation's runs."""

    one: Product
    web: Visits
    client: httpx.Client
    wrongly: str = ""  # the button that is shown in the place of any that is due

    def run(self, patient: Patient, look: Look, *, most: int = 8, wrongly: str = "") -> Coached:
        """`wrongly`: the button that the coach shows in the place of any that is due."""
        self.wrongly = wrongly
        found = Coached(patient, look)
        began = time.monotonic()
        with shown_as(self.one.screen, self.web, look):
            body = {"workflow_id": WORKFLOW, "mode": "automatic", "variables": {"patient": patient.name}}
            execution_id = self._post("/api/executions/", body)["execution_id"]
            try:
                while (state := self._stands(execution_id)) not in ENDED:
                    if len(found.asked) >= most:
                        self._stop(execution_id)
                        continue
                    self._answer(execution_id, state, found)
            finally:
                if self._state(execution_id) not in ENDED:
                    self._stop(execution_id)
            found.state, found.done = self._state(execution_id), list(self.web.done)
        found.seconds = time.monotonic() - began
        return found

    def _answer(self, execution_id: str, state: str, found: Coached) -> None:
        due = self._due(found)
        if state == "paused":
            told = self._get(execution_id)
            reason = told["pause_reason"]
            found.why.append(f"{reason}: {told.get('pause_detail', {}).get('message', '')}")
            if reason == "dialog":
                found.asked.append(CLOSES)
                self._control(execution_id, verb="resume", press=due or "")
            else:
                found.asked.append(SCREEN)
                self._control(execution_id, verb="resume", node_id=self._node())
            self._went_on(execution_id, lambda: self._state(execution_id) != "paused")
            return
        prompt = self.client.get(f"/api/executions/{execution_id}/prompt/").json()
        if prompt is None:
            return  # it goes on
        found.why.append(f"{prompt['kind']}: {prompt['message']}")
        answer: dict[str, Any] = {"prompt_id": prompt["prompt_id"]}
        if prompt["kind"] == "in_doubt":
            found.asked.append(DOUBT)
            answer["choice"] = "done" if due is None else "stop"
        elif due and "accept" in prompt["choices"] and self._is_right(prompt, due):
            found.asked.append(CONFIRMS)
            answer["choice"] = "accept"
        elif due and "correct" in prompt["choices"]:
            found.asked.append(SHOWS)
            answer |= {"choice": "correct", "correction": {"target": {"point": self._point(self.wrongly or due)}}}
        else:
            found.asked.append("stops")
            self._stop(execution_id)
            return
        self._post(f"/api/executions/{execution_id}/decide/", answer)
        self._went_on(execution_id, lambda: self._open(execution_id) != prompt["prompt_id"])

    def _due(self, found: Coached) -> str | None:
        """The button that is to be pressed next, by what was done; None where nothing is left."""
        _wrong, left = found.judged(self.web.done)
        whole = left[0] if left else None
        return whole.removeprefix(f"{found.patient.name}: ") if whole and not whole.endswith(": Open") else whole

    def _is_right(self, prompt: dict[str, Any], due: str) -> bool:
        point, box = prompt["step"]["suggestion"].get("point"), self.web.box(due)
        if not point or box is None:
            return False
        x, y = point[0] * WIDTH, point[1] * HEIGHT
        return box[0] <= x <= box[2] and box[1] <= y <= box[3]

    def _point(self, name: str) -> list[float]:
        box = self.web.box(name)
        assert box is not None, f"no button {name} is on the page"
        return [(box[0] + box[2]) / 2 / WIDTH, (box[1] + box[3]) / 2 / HEIGHT]

    def _node(self) -> str:
        name = "Record" if any(act.endswith(": Open") for act in self.web.done) else None
        sql = "SELECT node_id FROM workflows_node WHERE " + ("name = ?" if name else "is_entry")
        return str(self.one.rows(sql, *([name] if name else []))[-1][0])

    # --- the installation -------------------------------------------------------------------------------------------
    def _stands(self, execution_id: str) -> str:
        stands = (*ENDED, "paused", "waiting", "coaching")
        wait_until(lambda: self._state(execution_id) in stands, timeout=RUN_S, what="a question, or the end")
        return self._state(execution_id)

    def _went_on(self, execution_id: str, gone: Callable[[], bool]) -> None:
        wait_until(lambda: self._state(execution_id) in ENDED or gone(), timeout=RUN_S, what="the answer to be heeded")

    def _state(self, execution_id: str) -> str:
        sql = "SELECT state FROM execution_execution WHERE execution_id = ?"
        return str(self.one.rows(sql, execution_id)[0][0])

    def _open(self, execution_id: str) -> int | None:
        sql = (
            "SELECT p.id FROM execution_prompt p JOIN execution_execution e ON e.id = p.execution_id "
            "WHERE p.state = 'open' AND e.execution_id = ?"
        )
        rows = self.one.rows(sql, execution_id)
        return int(rows[0][0]) if rows else None

    def _get(self, execution_id: str) -> dict[str, Any]:
        sql = "SELECT pause_reason FROM execution_execution WHERE execution_id = ?"
        return {
            **self.client.get(f"/api/executions/{execution_id}/").json(),
            "pause_reason": self.one.rows(sql, execution_id)[0][0],
        }

    def page(self, path: str) -> str:
        told = self.client.get(path)
        assert told.status_code == 200, f"{path}: {told.status_code}"
        return told.text

    def _stop(self, execution_id: str) -> None:
        self._control(execution_id, verb="stop")
        wait_until(lambda: self._state(execution_id) in ENDED, what="the end of a stopped run")

    def _control(self, execution_id: str, **asked: str) -> None:
        self._post(f"/api/executions/{execution_id}/control/", asked)

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        told = self.client.post(path, json=body)
        assert told.status_code in (200, 201), told.text[:400]
        answer: dict[str, Any] = told.json()
        return answer


def tried(one: Product) -> None:
    """Wait until every correction in force has been tried on the stored pictures; what proved right somewhere, on its
    own too."""
    sql = (
        "SELECT checked_at, proved FROM execution_learnedcorrection "
        "WHERE kind != 'params' AND state IN ('on_trial', 'trusted')"
    )

    def waits(checked_at: str | None, proved: str) -> bool:
        proofs = json.loads(proved)
        return not checked_at or any(p["runs"] >= settings.LEARNING_PROVED_AFTER and not p["trusted"] for p in proofs)

    all_tried = "what was shown to be tried on the stored pictures"
    wait_until(lambda: not any(waits(*row) for row in one.rows(sql)), timeout=90, what=all_tried)


def learned(one: Product) -> list[tuple[str, str, int, list[Any]]]:
    """Each correction: its kind, its state, on how many pictures it was tried, and what it would break there."""
    sql = "SELECT kind, state, checked_on, breaks FROM execution_learnedcorrection ORDER BY id"
    return [(kind, state, on or 0, json.loads(breaks or "[]")) for kind, state, on, breaks in one.rows(sql)]


@contextmanager
def coached_installation(folder: Path) -> Iterator[Coach]:
    """An installation to which the visit was taught on the page as it was, its run loop and its worker."""
    with visits() as web, product(folder / "product") as one:
        with shown_as(one.screen, web, Look()):
            one.teach(STORY)
        one.manage("shell", "-v0", "-c", _TRUST)
        one.start("work", [sys.executable, "manage.py", "work"])
        one.start_runloop()
        with closing(one.client("otto")) as client:
            yield Coach(one, web, client)


def declare(one: Product, name: str, texts: Sequence[str], button: str) -> None:
    """A designer says that this dialog may come and what closes it, and publishes that, as “Mend” does it (S6.14)."""
    popup = {"name": name, "texts": list(texts), "click": button}
    one.manage("shell", "-v0", "-c", _DECLARE.format(workflow=WORKFLOW, popup=popup))


_TRUST = "from workflows.models import Workflow; Workflow.objects.update(learning_state='AUTO_CONFIRMED')"
_DECLARE = """
from django.contrib.auth.models import User
from workflows.actions.publish import publish
from workflows.models import Workflow
workflow = Workflow.objects.get(workflow_id={workflow!r})
workflow.popups = [*workflow.popups, {popup!r}]
workflow.full_clean()
workflow.save()
publish(workflow=workflow, user=User.objects.get(username="dora"))
"""
