"""Into memory and out of it: what a load and an unload really do (A.3, A.4, A.5.1 to A.5.9, A.5.15, S3.2)."""

from __future__ import annotations

import asyncio

import pytest

from gpu.exceptions import AnswerTimeout, GpuBusy, LoadFailed, ModelMissing, OutOfMemory, ServerAway
from tests.doubles.ollama import LOADING, ON_DISK, STOPPING, Fault, Kind, Model
from tests.gpu.ollama.conftest import VLM, Make, Stage

GENERATE = "/api/generate"


async def loading(scene: Stage) -> asyncio.Future[None]:
    """A load that has begun and does not end by itself."""
    scene.ollama.hold_loads = True
    load = asyncio.ensure_future(scene.client.load_model(VLM))
    await scene.until(lambda: scene.ollama.models[VLM].state == LOADING)
    return load


async def test_a_load_returns_when_the_model_is_there_and_not_before(stage: Make) -> None:
    """A.5.1"""
    scene = stage()
    load = await loading(scene)
    assert not await scene.client.is_model_loaded(VLM)
    assert not load.done()
    await asyncio.to_thread(scene.ollama.let_loads_end)
    await load
    assert await scene.client.is_model_loaded(VLM)


async def test_a_load_that_does_not_end_is_given_up_and_the_server_aborts_it(stage: Make) -> None:
    """A.4.1, A.5.2"""
    scene = stage()
    load = await loading(scene)
    await scene.hours.pass_by(295)
    assert not load.done()
    await scene.hours.pass_by(6)
    with pytest.raises(LoadFailed, match="did not load “qwen2.5vl:7b” within 300 s") as caught:
        await load
    assert caught.value.passing
    await scene.until(lambda: scene.ollama.models[VLM].aborted_loads == 1)
    assert scene.ollama.models[VLM].state == ON_DISK


async def test_a_cancelled_load_is_aborted_on_the_server(stage: Make) -> None:
    scene = stage()
    load = await loading(scene)
    load.cancel()
    with pytest.raises(asyncio.CancelledError):
        await load
    await scene.until(lambda: scene.ollama.models[VLM].aborted_loads == 1)


async def test_a_model_leaves_by_itself_some_time_after_its_owner_would_have_unloaded_it(stage: Make) -> None:
    """A.4.9: by the native path, which obeys how long a model is to stay."""
    scene = stage(config={"idle_timeout_s": 300.0})
    await scene.client.load_model(VLM)
    assert scene.asked["keep_alive"] == 360
    await asyncio.to_thread(scene.ollama.advance, 359)
    assert await scene.client.is_model_loaded(VLM)
    await asyncio.to_thread(scene.ollama.advance, 2)
    assert not await scene.client.is_model_loaded(VLM)


async def test_loads_and_answers_of_all_kinds_never_load_a_model_anew(stage: Make) -> None:
    """A.5.8: one set of options, however many tokens an answer may have."""
    scene = stage(Model(VLM, default_ctx=2048))
    await scene.client.load_model(VLM)
    await scene.chat()
    await scene.chat(max_tokens=50, context_length=4000)
    await scene.answer()
    await scene.client.load_model(VLM)
    model = scene.ollama.models[VLM]
    assert (model.loads, model.reloads) == (1, 0)
    assert (await scene.client.loaded_models())[0].context_length == 8192


async def test_a_model_that_vanishes_before_its_load_is_missing(stage: Make) -> None:
    """A.2: the second text of 404; it is known by its status."""
    scene = stage(Model(VLM, vanishes=True))
    with pytest.raises(ModelMissing, match="try pulling it first"):
        await scene.client.load_model(VLM)


async def test_a_full_queue_is_busy_and_not_a_failed_load(stage: Make) -> None:
    scene = stage()
    scene.ollama.fail_loads = [(503, "server busy, please try again.  maximum pending requests exceeded")]
    with pytest.raises(GpuBusy) as caught:
        await scene.client.load_model(VLM)
    assert caught.value.passing
    await scene.client.load_model(VLM)


@pytest.mark.parametrize(
    "text",
    [
        "CUDA error: out of memory",
        "model requires more system memory (7.6 GiB) than is available (3.1 GiB)",
        "llama runner process has terminated: cudaMalloc failed: out of memory",
        "unable to allocate CUDA0 buffer",
        "ggml_vulkan: ErrorOutOfDeviceMemory",
    ],
)
async def test_memory_that_runs_out_is_known_by_the_servers_words(stage: Make, text: str) -> None:
    """A.2: all of them are a 500."""
    scene = stage()
    scene.ollama.fail_loads = [(500, text)]
    with pytest.raises(OutOfMemory) as caught:
        await scene.client.load_model(VLM)
    assert caught.value.falls_back and text[:20] in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["timed out waiting for llama-server to start - progress 0.00 - ", "llama runner process has terminated: exit 2"],
)
async def test_a_load_that_the_server_gives_up_has_failed(stage: Make, text: str) -> None:
    scene = stage()
    scene.ollama.fail_loads = [(500, text)]
    with pytest.raises(LoadFailed, match="could not load") as caught:
        await scene.client.load_model(VLM)
    assert caught.value.passing and caught.value.falls_back


@pytest.mark.parametrize("said", ['{"response": ""}', '{"response": "", "done": false}', '{"done": "yes"}'])
async def test_an_answer_without_done_is_no_load(stage: Make, said: str) -> None:
    """A.4.5"""
    scene = stage()
    scene.ollama.faults.append(Fault(kind=Kind.BODY, path=GENERATE, text=said))
    with pytest.raises(LoadFailed, match="without saying that it is done"):
        await scene.client.load_model(VLM)


async def test_a_server_killed_during_a_load_is_away(stage: Make) -> None:
    scene = stage()
    load = await loading(scene)
    await asyncio.to_thread(scene.ollama.stop)
    with pytest.raises(ServerAway):
        await load


async def test_the_answer_to_an_unload_is_a_receipt(stage: Make) -> None:
    """Finding 10, A.5.4"""
    scene = stage()
    await scene.client.load_model(VLM)
    scene.ollama.hold_unloads = True
    await scene.client.unload_model(VLM)
    assert scene.ollama.models[VLM].state == STOPPING
    assert await scene.client.is_model_loaded(VLM)
    await asyncio.to_thread(scene.ollama.let_unloads_end)
    assert not await scene.client.is_model_loaded(VLM)


async def test_an_unload_of_what_is_not_loaded_says_nothing_against_it(stage: Make) -> None:
    scene = stage()
    await scene.client.unload_model(VLM)
    with pytest.raises(ModelMissing):
        await scene.client.unload_model("nobody:1b")


async def test_an_unload_that_is_not_answered_costs_the_time_of_a_question(stage: Make) -> None:
    """A.4.8"""
    scene = stage()
    scene.ollama.faults.append(Fault(kind=Kind.STALL, path=GENERATE))
    asking = asyncio.ensure_future(scene.client.unload_model(VLM))
    await scene.until(lambda: scene.ollama.count(GENERATE))
    await scene.hours.pass_by(6)
    with pytest.raises(AnswerTimeout):
        await asking
