"""Nothing of a conversation is lost without a word (A.3, A.5.16, S3.2)."""

from __future__ import annotations

import pytest

from gpu.exceptions import PromptTooLarge
from gpu.types import ChatMessage
from tests.doubles.ollama import NEW, OLD, Fault, Kind, Model, Profile
from tests.gpu.ollama.conftest import VLM, Make, png


def talk(turns: int, *, words: int) -> tuple[ChatMessage, ...]:
    """A system message, and turns of so many words."""
    roles = ("user", "assistant")
    said = [ChatMessage(role=roles[at % 2], content="word " * words) for at in range(turns)]
    return (ChatMessage(role="system", content="Be short."), *said)


@pytest.mark.parametrize("profile", [OLD, NEW], ids=lambda profile: profile.name)
async def test_a_conversation_that_fits_is_seen_whole(stage: Make, profile: Profile) -> None:
    scene = stage(profile=profile)
    messages = talk(5, words=100)
    await scene.chat(messages)
    assert scene.ollama.asks[-1].kept == list(range(6))
    assert [one["role"] for one in scene.asked["messages"]] == [one.role for one in messages]


async def test_a_conversation_that_does_not_fit_is_refused_by_new_servers(stage: Make) -> None:
    """They are told not to drop the oldest messages, and answer 400."""
    scene = stage(config={"num_ctx": 400})
    with pytest.raises(PromptTooLarge, match="more than its context holds") as caught:
        await scene.chat(talk(5, words=100))
    assert not caught.value.passing
    assert scene.asked["truncate"] is False and scene.asked["shift"] is False


async def test_a_conversation_that_does_not_fit_is_not_sent_to_old_servers(stage: Make) -> None:
    """They would drop the oldest messages whatever they are told."""
    scene = stage(profile=OLD, config={"num_ctx": 400})
    with pytest.raises(PromptTooLarge, match=r"takes about \d+ tokens, and its context holds 400"):
        await scene.chat(talk(5, words=100))
    assert scene.ollama.asks == []


async def test_pictures_count_in_what_an_old_server_can_take(stage: Make) -> None:
    scene = stage(profile=OLD, config={"num_ctx": 2000})
    with pytest.raises(PromptTooLarge):
        await scene.answer(pictures=[png()] * 3)
    assert await scene.answer(pictures=[png()] * 2)


async def test_a_model_with_a_shorter_context_is_asked_for_no_more_than_it_holds(stage: Make) -> None:
    scene = stage(Model(VLM, context_length=300), profile=OLD)
    with pytest.raises(PromptTooLarge, match="holds 300"):
        await scene.chat(talk(5, words=100), context_length=300)


@pytest.mark.parametrize("counted", [8192, 9000])
async def test_an_answer_to_a_full_context_is_not_trusted(stage: Make, counted: int) -> None:
    """What was counted fills it: something may have been dropped, whatever the server knows."""
    scene = stage()
    last = f'{{"message":{{"content":"yes"}},"done":true,"done_reason":"stop","prompt_eval_count":{counted}}}'
    scene.ollama.faults.append(Fault(kind=Kind.BODY, path="/api/chat", text=last))
    with pytest.raises(PromptTooLarge, match="fills its whole context of 8192 tokens"):
        await scene.say()


@pytest.mark.parametrize(
    ("version", "knows"),
    [("0.13.0", True), ("1.0", True), ("0.13.0-rc1", True), ("0.12.11", False), ("dev", False), ("", False)],
)
async def test_what_a_server_knows_is_told_by_its_version(stage: Make, version: str, knows: bool) -> None:
    """One that tells no number is taken for an old one: that costs a refusal, not a lost message."""
    scene = stage(config={"num_ctx": 900})
    scene.ollama.version = version
    long = (ChatMessage(role="user", content="x" * 3000),)  # one word for the double, a thousand tokens by our count
    if knows:
        assert await scene.say(long)
    else:
        with pytest.raises(PromptTooLarge):
            await scene.say(long)
