"""Answers that come in pieces, late, broken, or without end (A.5.11, A.4.5, A.4.7, S3.2)."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from gpu.exceptions import AnswerBroken, AnswerTimeout, AnswerUnusable, GpuBusy
from tests.doubles.ollama import LOADED, OLD, End, Fault, Kind, Model, Reply, Settings
from tests.gpu.ollama.conftest import SAY, VLM, Make

CHAT = "/api/chat"


async def test_a_slow_drip_is_no_silence(stage: Make) -> None:
    scene = stage()
    scene.ollama.replies.append(Reply(content="One two three", gap_s=25))
    async with aclosing(scene.client.chat(VLM, SAY)) as chunks:
        said = [(await anext(chunks)).text]
        for _ in range(2):
            coming = asyncio.ensure_future(anext(chunks))
            await scene.let(25)
            said.append((await coming).text)
    assert said == ["One", " two", " three"]


async def test_a_drip_that_goes_on_beyond_the_time_of_an_answer_is_given_up(stage: Make) -> None:
    """A.4.7: each wait is short enough, and the whole is not."""
    scene = stage()
    scene.ollama.replies.append(Reply(content="One two three four", gap_s=25))
    async with aclosing(scene.client.chat(VLM, SAY)) as chunks:
        await anext(chunks)
        with pytest.raises(AnswerTimeout, match="did not come to the end of its answer"):
            for _ in range(3):
                coming = asyncio.ensure_future(anext(chunks))
                await scene.let(25)
                await coming
    await scene.until(lambda: scene.ollama.models[VLM].aborted_runs == 1)


async def test_no_byte_at_all_costs_the_time_of_an_answer_and_no_more(stage: Make) -> None:
    scene = stage()
    scene.ollama.replies.append(Reply(first_s=10_000))
    asking = asyncio.ensure_future(scene.say())
    await scene.until(lambda: scene.ollama.generations)
    await scene.hours.pass_by(59)
    assert not asking.done()
    await scene.hours.pass_by(2)
    with pytest.raises(AnswerTimeout):
        await asking
    await scene.until(lambda: scene.ollama.models[VLM].aborted_runs == 1)


async def test_a_model_that_repeats_itself_ends_without_done_on_old_servers(stage: Make) -> None:
    """A.4.5"""
    scene = stage(profile=OLD)
    scene.ollama.replies.append(Reply(end=End.REPEAT))
    with pytest.raises(AnswerBroken, match="no end was told"):
        await scene.say()


async def test_a_model_that_repeats_itself_is_told_of_by_new_servers(stage: Make) -> None:
    scene = stage()
    scene.ollama.replies.append(Reply(end=End.REPEAT))
    with pytest.raises(AnswerUnusable, match="went round in circles"):
        await scene.say()


async def test_a_full_queue_says_when_to_come_back(stage: Make) -> None:
    """A.5.9: only for a model that is not loaded"""
    scene = stage(Model(VLM), Model("b:7b"), Model("c:7b"), settings=Settings(max_queue=1))
    scene.ollama.hold_loads = True
    loads = [asyncio.ensure_future(scene.client.load_model(name)) for name in (VLM, "b:7b")]
    await scene.until(lambda: scene.ollama.count("/api/generate") == 2)
    with pytest.raises(GpuBusy, match="server busy, please try again. maximum") as caught:
        await scene.say(model="c:7b")
    assert caught.value.retry_after_s > 0
    await asyncio.to_thread(scene.ollama.let_loads_end)
    await asyncio.gather(*loads)
    assert scene.ollama.models[VLM].state == LOADED


async def test_nothing_counts_after_the_end_was_told(stage: Make) -> None:
    scene = stage()
    lines = '{"message":{"content":"yes"},"done":false}\n{"message":{"content":""},"done":true}\n{"error":"late"}\n'
    scene.ollama.faults.append(Fault(kind=Kind.BODY, path=CHAT, text=lines))
    assert await scene.say() == "yes"
