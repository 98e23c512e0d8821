"""What is asked of Ollama, and a line of what it answers (A.1, A.3)."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from gpu.config import GPUResourceConfig
from gpu.exceptions import AnswerBroken, CloudModelRefused, VLMUnavailable
from gpu.ollama import failures
from gpu.types import ChatMessage, Chunk
from gpu.wire.pictures import readable
from gpu.wire.reading import count_of, mapping_of, text_of
from gpu.wire.untrusted import without_control

NANO = 1_000_000_000


def options(config: GPUResourceConfig, *, max_tokens: int | None = None) -> dict[str, Any]:
    """The one set for all callers; `num_predict` is no part of what a model is loaded with."""
    return {"num_ctx": config.num_ctx, "num_predict": max_tokens or config.max_tokens, "temperature": 0, "seed": 0}


async def chat_body(
    config: GPUResourceConfig,
    model: str,
    messages: Sequence[ChatMessage],
    *,
    schema: Mapping[str, Any] | None,
    max_tokens: int,
    keep_alive_s: int,
) -> dict[str, Any]:
    """Raises PromptTooLarge or RequestRefused for a picture that cannot be sent."""
    return {
        "model": model,
        "messages": [await _message(one, max_megapixels=config.max_picture_megapixels) for one in messages],
        "stream": True,
        "think": False,
        "truncate": False,  # else the oldest messages go without a word
        "shift": False,  # and those of the beginning while it answers
        "keep_alive": keep_alive_s,
        "options": options(config, max_tokens=max_tokens),
        **({} if schema is None else {"format": dict(schema)}),
    }


async def _message(message: ChatMessage, *, max_megapixels: float) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": without_control(message.content)}
    if message.pictures:
        pictures = [
            await asyncio.to_thread(readable, picture, max_megapixels=max_megapixels) for picture in message.pictures
        ]
        said["images"] = [base64.b64encode(picture).decode() for picture in pictures]
    return said


def read_line(
    line: str, *, model: str, first: bool, stranger: VLMUnavailable, may_be_far: bool = False
) -> tuple[Chunk, str]:
    """A part of an answer and what the model thought beside it; raises what an error in the line means."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise (stranger if first else AnswerBroken(f"“{model}” broke off with a garbled line.")) from error
    if not isinstance(said, dict):
        raise stranger if first else AnswerBroken(f"“{model}” broke off with a garbled line.")
    if said.get("error"):
        raise failures.told(said, model=model)
    if not may_be_far and (said.get("remote_host") or said.get("remote_model")):
        raise CloudModelRefused(f"“{model}” answers from a cloud, and was said to run here: it is not asked again.")
    message = mapping_of(said.get("message"))
    chunk = Chunk(
        text=text_of(message.get("content")),
        done=said.get("done") is True,
        done_reason=text_of(said.get("done_reason"))[:40],
        tokens_in=count_of(said.get("prompt_eval_count")),
        tokens_out=count_of(said.get("eval_count")),
        load_s=count_of(said.get("load_duration")) / NANO,
        total_s=count_of(said.get("total_duration")) / NANO,
    )
    return chunk, text_of(message.get("thinking"))
