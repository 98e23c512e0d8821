"""An operator who answers what is asked, by what the program on the desk shows, through the one address."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import httpx

from benchmarks.crowd.desk import done_at
from benchmarks.crowd.house import House

EVERY_S = 1.0
ACT_OF = {"menu_record": "new", "record_written": "typed", "written_saved": "saved"}  # by edge


class Operator:
    """`asked` counts what it was asked, `answered` what it said, `again` the acts that it sent for once more."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.again: Counter[tuple[str, str]] = Counter()
        self.unreached = 0
        self._client: httpx.Client | None = None
        self._seen: set[object] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="operator")

    def __enter__(self) -> Operator:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.wait(EVERY_S):
            try:
                self._look()
            except (httpx.TransportError, httpx.HTTPStatusError, AssertionError):
                self.unreached += 1  # as a page that does not load: looked at again
                self._client = None

    def _look(self) -> None:
        self._client = self._client or self.house.one.client("otto")
        for prompt in self._got("/api/prompts/"):
            self._answer(prompt)
        for run in self._got("/api/executions/?state=paused&limit=100")["results"]:
            if not run["wish"]:
                self._go_on(run)

    def _got(self, path: str) -> Any:
        assert self._client is not None
        return self._client.get(path).raise_for_status().json()

    def _answer(self, prompt: dict[str, Any]) -> None:
        run, edge = prompt["execution_id"], prompt["step"]["edge_id"]
        self._note(("prompt", prompt["prompt_id"]), f"{prompt['kind']}: {edge}")
        is_done = ACT_OF.get(edge, "") in done_at(self.house.desks).acts.get(run, ())
        wanted = "done" if is_done else "retry"
        choice = wanted if wanted in prompt["choices"] else "manual" if is_done else "reject"
        said = {"prompt_id": prompt["prompt_id"], "choice": choice}
        self._say(f"/api/executions/{run}/decide/", said, f"{prompt['kind']}: {choice}")

    def _go_on(self, run: dict[str, Any]) -> None:
        reason = run["pause_reason"]
        self._note((run["execution_id"], run["steps_executed"], reason), f"paused: {reason}: {run['error']}")
        self._say(f"/api/executions/{run['execution_id']}/control/", {"verb": "resume"}, f"paused: {reason}: resume")

    def _note(self, key: object, what: str) -> None:
        if key not in self._seen:
            self._seen.add(key)
            self.asked[what] += 1

    def _say(self, path: str, said: dict[str, Any], what: str) -> None:
        assert self._client is not None
        answer = self._client.post(path, json=said)
        if answer.status_code != 409:  # it was answered, or is over, since it was looked at
            answer.raise_for_status()
            self.answered[what] += 1
