"""What is asked of an OpenAI-compatible server, and the events it answers with."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from gpu.exceptions import AnswerBroken
from gpu.types import ChatMessage, Chunk, ModelOnDisk
from gpu.wire import failures
from gpu.wire.pictures import kind_of, readable
from gpu.wire.reading import count_of, mapping_of, text_of
from gpu.wire.untrusted import without_control


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One part. The reason of the end and the count of tokens come in parts of their own, in either order."""

    text: str = ""
    thinking: str = ""
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0

    @classmethod
    def read(cls, data: str, *, model: str, secret: str) -> Self:
        """Raises what an error in the event means, and AnswerBroken for one that is garbled."""
        try:
            said = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise AnswerBroken(f"“{model}” broke off with a garbled line.") from error
        if not isinstance(said, dict):
            raise AnswerBroken(f"“{model}” broke off with a garbled line.")
        if said.get("error"):
            words = failures.error_text(said, secret=secret)
            raise failures.told(words, who="The OpenAI-compatible server", model=model)
        choices = said.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        delta, usage = mapping_of(choice.get("delta")), mapping_of(said.get("usage"))
        return cls(
            text=text_of(delta.get("content")),
            thinking=text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning")),
            reason=text_of(choice.get("finish_reason"))[:40],
            tokens_in=count_of(usage.get("prompt_tokens")),
            tokens_out=count_of(usage.get("completion_tokens")),
        )

    def end(self, last: Chunk | None) -> Chunk | None:
        """What is known of the end of the answer after this part; None while nothing said that it ended."""
        if self.reason:
            last = replace(last or Chunk(done=True), done_reason=self.reason)
        if last is not None and (self.tokens_in or self.tokens_out):
            last = replace(last, tokens_in=self.tokens_in, tokens_out=self.tokens_out)
        return last


async def chat_body(
    model: str,
    messages: Sequence[ChatMessage],
    *,
    schema: Mapping[str, Any] | None,
    max_tokens: int,
    max_megapixels: float,
) -> dict[str, Any]:
    """Raises PromptTooLarge or RequestRefused for a picture that cannot be sent."""
    form = {"name": "answer", "strict": True, "schema": schema}
    return {
        "model": model,
        "messages": [await _message(one, max_megapixels=max_megapixels) for one in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": 0,
        **({} if schema is None else {"response_format": {"type": "json_schema", "json_schema": form}}),
    }


async def _message(message: ChatMessage, *, max_megapixels: float) -> dict[str, Any]:
    text = without_control(message.content)
    if not message.pictures:
        return {"role": message.role, "content": text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for picture in message.pictures:
        sent = await asyncio.to_thread(readable, picture, max_megapixels=max_megapixels)
        url = f"data:image/{kind_of(sent)};base64,{base64.b64encode(sent).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": message.role, "content": parts}


def listed(said: Mapping[str, Any], *, remote: bool) -> tuple[ModelOnDisk, ...]:
    """The models of a list; an entry that makes no sense is left out."""
    names = [text_of(mapping_of(entry).get("id")) for entry in said["data"]]
    return tuple(ModelOnDisk(name=name, digest="", size_mb=0, remote=remote) for name in names if name)
