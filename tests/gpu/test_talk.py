"""What a model is sent of a conversation: all that fits, the oldest left out first, nothing else (S4.3)."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from gpu.choices import Tier
from gpu.conversation import NO_PICTURE, ContextManager, FittedPrompt, Talk
from gpu.exceptions import PromptTooLarge
from gpu.types import ChatMessage, Purpose
from gpu.wire.contents import PICTURE_TOKENS, TokenCounter, estimated_tokens, picture_tokens

QUESTION = ChatMessage(role="user", content="And now?")


def said(*texts: str) -> tuple[ChatMessage, ...]:
    """By the person and by the model in turns."""
    return tuple(ChatMessage(role=("user", "assistant")[i % 2], content=text) for i, text in enumerate(texts))


def words(tokens: int) -> str:
    """A text that is reckoned to take so many, the four of its message included."""
    return "abc" * (tokens - 4)


def picture(width: int = 64, height: int = 64, form: str = "PNG") -> bytes:
    written = io.BytesIO()
    Image.new("1", (width, height)).save(written, form)
    return written.getvalue()


def fit(
    talk: Talk, *, room: int, manager: ContextManager | None = None, question: ChatMessage = QUESTION, **more: Any
) -> FittedPrompt:
    """Fitted to a context of `room` tokens and 100 more for the answer."""
    return (manager or ContextManager()).fit(
        talk, question, model="m", context_length=room + 100, max_tokens=100, **more
    )


# --- what goes ------------------------------------------------------------------------------------------------------
def test_what_fits_is_sent_as_it_was_said() -> None:
    talk = Talk(system="You help.", history=said("Why?", "Because."))
    fitted = fit(talk, room=100)
    assert fitted.messages == (*talk.frame, *talk.history, QUESTION)
    assert fitted.told() == {}


def test_the_oldest_are_left_out_first_and_that_is_known() -> None:
    """S4.3"""
    talk = Talk(system=words(50), history=said(*[words(100)] * 6))
    fitted = fit(talk, room=400)
    assert [m.content for m in fitted.messages] == [talk.system, *[words(100)] * 2, "And now?"]
    assert fitted.dropped == (0, 1, 2, 3)
    assert fitted.told() == {"messages": [0, 1, 2, 3], "pictures": []}
    assert fitted.tokens <= 400


def test_a_question_that_is_too_long_by_itself_is_refused_with_numbers() -> None:
    with pytest.raises(PromptTooLarge, match="takes about 160 tokens with what goes before it, and “m” holds 120"):
        fit(Talk(system=words(60)), room=120, question=ChatMessage(role="user", content=words(100)))


def test_messages_with_the_systems_first_are_a_conversation() -> None:
    system = ChatMessage(role="system", content="You help.")
    assert Talk.of([system, *said("Why?")]) == Talk(system="You help.", history=said("Why?"))
    assert Talk.of(said("Why?")) == Talk(history=said("Why?"))
    assert Talk.of(()) == Talk()


def test_how_strong_a_model_is_wanted_follows_the_purpose() -> None:
    assert Talk().wanted is Tier.STANDARD
    assert Talk(purpose=Purpose.CLASSIFY).wanted is Tier.LIGHT
    assert Talk(purpose=Purpose.CLASSIFY, complexity=Tier.STRONG).wanted is Tier.STRONG


# --- pictures -------------------------------------------------------------------------------------------------------
def test_pictures_are_counted() -> None:
    seen = ChatMessage(role="user", content="This?", pictures=(picture(), picture()))
    assert (
        ContextManager().counter.count([seen]) == estimated_tokens(ChatMessage(role="user", content="This?")) + 2 * 768
    )
    talk = Talk(history=(seen, *said("", "That.")[1:]))
    assert fit(talk, room=1000).dropped == (0, 1)
    assert fit(talk, room=2000).dropped == ()


@pytest.mark.parametrize(
    ("size", "tokens"),
    [((64, 64), PICTURE_TOKENS), ((1280, 720), 1176), ((1920, 1080), 2645), ((7680, 4320), 2679)],
)
def test_a_picture_takes_what_a_model_reads_of_it(size: tuple[int, int], tokens: int) -> None:
    """Larger ones are made smaller before they are sent."""
    assert picture_tokens(picture(*size)) == tokens


def test_what_is_no_picture_is_refused_by_whoever_sends_it() -> None:
    assert picture_tokens(b"no picture") == PICTURE_TOKENS


def test_a_model_that_sees_nothing_is_told_that_there_was_a_picture() -> None:
    seen = ChatMessage(role="user", content="This?", pictures=(picture(),))
    talk = Talk(history=(seen, *said("", "That.")[1:]))
    fitted = fit(talk, room=500, vision=False)
    assert fitted.messages[0] == ChatMessage(role="user", content=f"This?\n{NO_PICTURE}")
    assert fitted.told() == {"messages": [], "pictures": [0]}


# --- counting -------------------------------------------------------------------------------------------------------
def test_what_was_found_too_long_would_not_fit_again() -> None:
    counter = TokenCounter()
    counter.was_too_much("m", reckoned=150, context_length=1000)
    assert counter.count(said(words(150)), model="m") > 400, "as far as numbers may go wild"
    other = TokenCounter()
    other.was_too_much("m", reckoned=900, context_length=1000)
    assert other.count(said(words(900)), model="m") > 1000


# --- whatever is said -----------------------------------------------------------------------------------------------
TEXTS = st.sampled_from(("", "x", "Où est l’étape 3 ?", "步骤三在哪里？", words(30), words(200), words(800)))
MESSAGES = st.builds(ChatMessage, role=st.sampled_from(("user", "assistant", "user", "assistant")), content=TEXTS)


@given(
    system=TEXTS,
    history=st.lists(MESSAGES, max_size=12).map(tuple),
    question=TEXTS,
    room=st.sampled_from((20, 60, 250, 600, 1500, 8000)),
    factor=st.sampled_from((1.0, 1.7)),
)
def test_whatever_is_said_it_fits_and_only_the_oldest_are_missing(
    system: str, history: tuple[ChatMessage, ...], question: str, room: int, factor: float
) -> None:
    """S4.3: never the system message or the last question, and what was dropped is known."""
    manager = ContextManager()
    manager.counter._factors["m"] = factor
    asked = ChatMessage(role="user", content=question)
    talk = Talk(system=system, history=history)
    frame = manager.counter.count((*talk.frame, asked), model="m")
    if frame > room:
        with pytest.raises(PromptTooLarge):
            fit(talk, room=room, manager=manager, question=asked)
        return
    fitted = fit(talk, room=room, manager=manager, question=asked)
    assert fitted.tokens == manager.counter.count(fitted.messages, model="m") <= room
    assert fitted.messages[: len(talk.frame)] == talk.frame
    assert fitted.messages[-1].content.endswith(question)
    left = history[len(fitted.dropped) :]
    assert fitted.dropped == tuple(range(len(history) - len(left)))
    assert fitted.messages == (*talk.frame, *left, asked)
    if fitted.dropped and left:
        assert left[0].role != "assistant"
    if not fitted.dropped:
        assert not fitted.told()
    else:
        cuts = [n for n in range(len(fitted.dropped)) if n == 0 or history[n].role != "assistant"]
        more = (*talk.frame, *history[cuts[-1] :], asked)
        assert manager.counter.count(more, model="m") > room, "one more would have fitted"
