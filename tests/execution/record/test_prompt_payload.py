"""What a browser is told of a question: why it is asked stands apart from what is asked (S1.9)."""

from __future__ import annotations

import pytest

from execution.choices import PromptKind, PromptState
from execution.models import Prompt, Step
from execution.record.payloads import prompt_payload
from execution.record.rows import in_words
from sentences.said import by_sentence, say
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("doubts", [(), ("turn.more_lines",)])
def test_why_a_question_is_asked_stands_apart_from_what_is_asked(doubts: tuple[str, ...]) -> None:
    run = make_execution()
    asked = say("turn.execute", sentence="Click “line 2”")
    message = by_sentence([*(say(code, most=3) for code in doubts), asked])
    step = Step.objects.create(execution=run, index=1, epoch=0, mode=run.mode, sentence="Click “line 2”")
    prompt = Prompt.objects.create(
        execution=run, step=step, kind=PromptKind.CONFIRMATION, message=message, state=PromptState.OPEN
    )
    told = in_words(prompt_payload(Prompt.objects.get(pk=prompt.pk)))
    assert bool(told["why"]) == bool(doubts)
    assert str(told["message"]).endswith("Execute action: Click “line 2”?")
    assert "Execute action" not in str(told["why"])
    assert str(told["message"]).startswith(str(told["why"]))
