"""From the parts of an answer to an answer that can be used: it ended, it was not cut, it says something (A.4).

Nothing of what a model said stands in the message of an error: it may repeat the screen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from gpu.exceptions import AnswerBroken, AnswerUnusable, PromptTooLarge
from gpu.types import Chunk
from sentences.said import say

PASSES = 2  # a thinking model that has to keep to a schema begins anew with the grammar (A.3)
TOKENS_MORE = 16
BYTES_A_TOKEN = 1024  # a line of a stream carries one token and some 200 bytes around it
BYTES_MORE = 1024 * 1024

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


def max_parts(max_tokens: int) -> int:
    """Parts of an answer that was given so many tokens; more of them means that nobody ends it."""
    return PASSES * max_tokens + TOKENS_MORE


def max_bytes(max_tokens: int) -> int:
    return max_parts(max_tokens) * BYTES_A_TOKEN + BYTES_MORE


def read_object(line: str, *, model: str) -> dict[str, Any]:
    """The JSON object of a line of a stream; raises AnswerBroken."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise AnswerBroken(say("answer.garbled", model=model)) from error
    if not isinstance(said, dict):
        raise AnswerBroken(say("answer.garbled", model=model))
    return said


class AnswerBuffer:
    """One answer as it comes in. `model` names it in errors, `schema` is what it was asked to keep to."""

    def __init__(self, model: str, *, max_tokens: int, context_length: int, schema: Mapping[str, Any] | None) -> None:
        self.model, self.max_tokens, self.context_length, self.schema = model, max_tokens, context_length, schema
        self._texts: list[str] = []
        self._parts = 0
        self._thought = False

    @property
    def text(self) -> str:
        return "".join(self._texts)

    @property
    def begun(self) -> bool:
        return self._parts > 0

    def add(self, text: str, *, thinking: str = "") -> None:
        """Count a part; raises AnswerBroken when it goes on beyond what it was given."""
        self._texts.append(text)
        self._thought = self._thought or bool(thinking)
        self._parts += bool(text or thinking)
        if self._parts > max_parts(self.max_tokens):
            raise AnswerBroken(say("answer.too_long", model=self.model, n=self.max_tokens))

    def unended(self) -> AnswerBroken:
        """The stream is over and nothing said that the answer was: it is none (A.4.5)."""
        return AnswerBroken(say("answer.no_end", model=self.model))

    def check(self, last: Chunk) -> None:
        if last.done_reason in ("load", "unload"):
            raise AnswerBroken(say("answer.only_moved", model=self.model, did=last.done_reason))
        if last.tokens_in >= self.context_length:
            raise PromptTooLarge(say("answer.beginning_lost", model=self.model, n=self.context_length))
        if self.schema is not None and last.done_reason == "length":
            raise AnswerUnusable(say("answer.unended", model=self.model, n=self.max_tokens))
        if not self.text.strip():
            code = "answer.thought" if self._thought else "answer.empty"
            raise AnswerUnusable(say(code, model=self.model, why=last.done_reason or say("answer.no_reason")))
        if self.schema is not None:
            refuse_other_than(self.schema, self.text, model=self.model)


def without_fence(text: str) -> str:
    """What stands in a fence of Markdown; models put one around JSON where the server does not keep them from it."""
    fenced = _FENCE.match(text)
    return fenced.group(1) if fenced else text.strip()


def refuse_other_than(schema: Mapping[str, Any], text: str, *, model: str) -> None:
    """Raises AnswerUnusable where it is no JSON after the schema: servers say that they keep to one, and not all do.

    A fence around it is let pass (A.3).
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    try:
        value = json.loads(without_fence(text))
    except (ValueError, RecursionError) as error:
        raise AnswerUnusable(say("answer.no_json", model=model)) from error
    wrong = best_match(Draft202012Validator(dict(schema)).iter_errors(value))
    if wrong is not None:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in wrong.absolute_schema_path)
        raise AnswerUnusable(say("answer.not_after_schema", model=model, where=where.lstrip(".")))
