"""What a live page begins with is what the stream begins with."""

from __future__ import annotations

import json

import pytest

from execution.choices import ExecutionState, PromptKind
from execution.models import Prompt, Step
from execution.pages.snapshot import snapshot
from execution.stream import queries
from sentences.said import say
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


def test_the_page_and_the_stream_begin_with_the_same_run() -> None:
    """S8.2: whoever comes by either door sees the same steps, question and state."""
    run = make_execution(state=ExecutionState.WAITING_COACHING, error=say("targeting.unconfirmed"))
    steps = [
        Step.objects.create(execution=run, index=i, epoch=0, mode=run.mode, message=say("targeting.unconfirmed"))
        for i in (1, 2)
    ]
    Prompt.objects.create(execution=run, step=steps[1], kind=PromptKind.TARGET, message=say("targeting.not_told_apart"))
    page, streamed = snapshot(run), queries.snapshot(run.pk, ["en"])
    assert streamed is not None
    told = json.loads(streamed.texts["en"])
    assert told.pop("type") == "snapshot"
    assert told == json.loads(json.dumps({name: page[name] for name in ("seq", "execution", "prompt", "steps")}))
    assert [step["index"] for step in told["steps"]] == [1, 2]
    assert told["prompt"]["step"]["index"] == 2
