"""Screens do not leave this machine (T9, A.5.18, S3.2)."""

from __future__ import annotations

import pytest

from gpu.exceptions import CloudModelRefused
from tests.doubles.ollama import Fault, Kind, Model, Settings
from tests.gpu.ollama.conftest import Make, Stage, png

pytestmark = pytest.mark.security
FAR = "https://models.example"
NAMES = ["big:480b-cloud", "small:cloud", "SMALL:CLOUD", "innocent:7b"]


def clouds(stage: Make, **more: object) -> Stage:
    models = [Model(name, remote_host=FAR) for name in NAMES]
    return stage(*models, **more)


@pytest.mark.parametrize("name", NAMES)
async def test_a_model_of_the_cloud_is_neither_loaded_nor_asked(stage: Make, name: str) -> None:
    """By its name, and by what the server says of one with an innocent name."""
    scene = clouds(stage)
    for attempt in (
        lambda: scene.client.load_model(name),
        lambda: scene.say(model=name),
        lambda: scene.answer(model=name, pictures=[png()]),
    ):
        with pytest.raises(CloudModelRefused, match="screens do not leave this machine") as caught:
            await attempt()
        assert not caught.value.passing
    assert scene.ollama.left_machine == [] and scene.ollama.asks == []


@pytest.mark.parametrize("name", NAMES[:3])
async def test_a_name_that_says_cloud_is_refused_without_asking_the_server(stage: Make, name: str) -> None:
    scene = stage()
    with pytest.raises(CloudModelRefused):
        await scene.client.refuse_cloud(name)
    assert scene.ollama.log == []


async def test_a_model_that_an_admin_allowed_is_asked_and_only_that_one(stage: Make) -> None:
    scene = clouds(stage, cloud_allowed=lambda model: model == "innocent:7b")
    assert await scene.answer(model="innocent:7b", pictures=[png()])
    assert [ask.model for ask in scene.ollama.left_machine] == ["innocent:7b"]
    with pytest.raises(CloudModelRefused):
        await scene.say(model="big:480b-cloud")


async def test_a_model_that_moves_to_a_cloud_between_two_questions_is_refused_at_the_second(stage: Make) -> None:
    """Nothing is remembered of where it ran: it is asked before every picture."""
    scene = stage(Model("innocent:7b"))
    assert await scene.answer(model="innocent:7b", pictures=[png()])
    scene.ollama.models["innocent:7b"].remote_host = FAR
    with pytest.raises(CloudModelRefused):
        await scene.answer(model="innocent:7b", pictures=[png()])
    assert scene.ollama.left_machine == []


async def test_a_server_that_was_told_to_stay_local_refuses_by_itself(stage: Make) -> None:
    """OLLAMA_NO_CLOUD: 403 with a reason, which is not the refusal of the Host header."""
    scene = clouds(stage, cloud_allowed=lambda model: True, settings=Settings(no_cloud=True))
    with pytest.raises(CloudModelRefused, match="cloud is disabled"):
        await scene.say(model="innocent:7b")
    assert scene.ollama.left_machine == []


async def test_an_answer_that_comes_from_a_cloud_after_all_is_refused(stage: Make) -> None:
    """The card said that it runs here: what comes tells that it does not."""
    scene = stage()
    line = '{"message":{"content":"yes"},"remote_host":"https://models.example","done":true,"done_reason":"stop"}'
    scene.ollama.faults.append(Fault(kind=Kind.BODY, path="/api/chat", text=line))
    with pytest.raises(CloudModelRefused, match="answers from a cloud"):
        await scene.say()
