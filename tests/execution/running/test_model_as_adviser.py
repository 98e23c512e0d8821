"""The last rung asks the model through the GPU manager and Ollama's client, over HTTP (S1.15, S5.3, S10.4, S10.5)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from execution.perception.marks import SomEngine
from execution.running.parts import ManagedVision
from execution.targeting.vision.candidates import candidates
from execution.targeting.vision.marked import marked_area
from execution.targeting.vision.opinion import VisionAdviser
from execution.targeting.weighing import weigh
from execution.types import Box, ResolveStatus, RungResult
from gpu import ExecutionMode, GPUResourceConfig, GPUResourceManager, ModelState
from gpu.choices import UseOutcome
from gpu.models import ModelUse
from gpu.types import Purpose
from tests.doubles.ollama import End, Model, OllamaServer, Reply, ollama_server
from tests.execution.perception.drawing import Pictures
from tests.execution.targeting.forms import SAVE, Form, context, taught

VLM = "qwen2.5vl:7b"
THERE = Box(SAVE.x + 30, SAVE.y, SAVE.w, SAVE.h)


class Bench:
    """A screen whose *Save* has moved, a model that is asked where it is, and what was kept of the asking."""

    def __init__(self, server: OllamaServer) -> None:
        self.server, self.uses = server, list[ModelUse]()
        self.pictures = Pictures()
        self.target, self.state = taught(SAVE, self.pictures, label="Save"), Form(dx=30).state()
        config = GPUResourceConfig(ollama_url=server.url, vlm_model=VLM, retry_pause_s=0.01)
        self.manager = GPUResourceManager(config, record=self._keep)

    async def _keep(self, use: ModelUse) -> None:
        self.uses.append(use)

    def mark(self) -> int:
        found = context(self.target, self.state, self.pictures)
        shown = marked_area(self.state.frame, found.area, candidates(found), engine=SomEngine())
        return 1 + [element.box for element in shown.elements].index(THERE)

    def find(self) -> RungResult:
        adviser = VisionAdviser(ManagedVision(self.manager, execution_id="exec_1"))
        asked = context(self.target, self.state, self.pictures)
        found = adviser(asked, weigh(asked)).result
        self.manager.runtime.run(asyncio.sleep(0))  # what is kept is kept beside the answer
        return found


@pytest.fixture
def bench() -> Iterator[Bench]:
    with ollama_server(Model(VLM, load_s=40), hurry=True) as server:
        one = Bench(server)
        yield one
        one.manager.close()


def says(mark: object, reason: str = "the same label") -> Reply:
    return Reply(content=json.dumps({"mark": mark, "reason": reason, "sure": 0.9}))


def test_a_model_that_was_not_loaded_is_loaded_and_finds_the_target(bench: Bench) -> None:
    bench.server.reply = says(bench.mark())
    found = bench.find()
    assert (found.status, found.candidates[0].box) == (ResolveStatus.FOUND, THERE), found.note
    assert bench.manager.get_status().vlm_state is ModelState.LOADED and bench.server.models[VLM].loads == 1
    (asked,) = [ask for ask in bench.server.asks if ask.images]
    picture = cv2.imdecode(np.frombuffer(asked.images[0], np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None and asked.format["properties"]["mark"]["maximum"] >= bench.mark()
    (use,) = bench.uses
    assert (use.purpose, use.outcome, use.execution_id) == (Purpose.TARGET, UseOutcome.ANSWERED, "exec_1")
    assert use.tokens_out > 0 and use.seconds > 0


def test_in_autopilot_it_is_asked_all_the_same(bench: Bench) -> None:
    """S3.11.9"""
    bench.server.reply = says(bench.mark())
    bench.manager.set_execution_mode_sync(ExecutionMode.AUTOPILOT)
    assert bench.find().status is ResolveStatus.FOUND
    assert bench.manager.get_status().execution_mode is ExecutionMode.AUTOPILOT


@pytest.mark.parametrize(
    ("reply", "error"),
    [(says(99), "AnswerUnusable"), (Reply(end=End.RESET), "AnswerBroken")],
    ids=["a mark that there is not", "hung up"],
)
def test_what_is_no_answer_clicks_nowhere_and_is_kept(bench: Bench, reply: Reply, error: str) -> None:
    bench.server.reply = reply
    found = bench.find()
    assert found.status is ResolveStatus.NOT_FOUND and not found.candidates
    assert [(use.outcome, use.error) for use in bench.uses] == [(UseOutcome.FAILED, error)]


def test_a_server_that_is_away_is_a_reason_and_no_crash(bench: Bench) -> None:
    bench.server.stop()
    found = bench.find()
    assert found.status is ResolveStatus.NOT_FOUND and "cannot be reached" in found.note
