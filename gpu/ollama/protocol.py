"""What is asked of Ollama, and what its answers and refusals mean (A.1 to A.3)."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from gpu.config import GPUResourceConfig
from gpu.exceptions import AnswerBroken, CloudModelRefused, ModelMissing, ServerAway, VLMUnavailable
from gpu.types import ChatMessage, Chunk, ModelCard, ModelOnDisk, Resident
from gpu.wire import failures
from gpu.wire.answers import read_object
from gpu.wire.pictures import as_sent
from gpu.wire.texts import count_of, mapping_of, text_of, without_control
from sentences.said import say

MB = 1024 * 1024
NANO = 1_000_000_000
CLOUD = (":cloud", "-cloud")
WHO = "Ollama"
FORBIDDEN = (
    "Ollama refuses to talk to this machine (403 without a reason): it accepts only a local Host header. Reach it as "
    "localhost, or set OLLAMA_HOST where it runs so that it listens on the network."
)


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
        pictures = await as_sent(message.pictures, max_megapixels=max_megapixels)
        said["images"] = [base64.b64encode(picture).decode() for picture in pictures]
    return said


def read_line(
    line: str, *, model: str, first: bool, stranger: VLMUnavailable, may_be_far: bool = False
) -> tuple[Chunk, str]:
    """A part of an answer and what the model thought beside it; raises what an error in the line means."""
    try:
        said = read_object(line, model=model)
    except AnswerBroken as error:
        if first:
            raise stranger from error
        raise
    if said.get("error"):
        raise told(said, model=model)
    if not may_be_far and (said.get("remote_host") or said.get("remote_model")):
        raise CloudModelRefused(say("server.from_cloud", model=model))
    message = mapping_of(said.get("message"))
    chunk = Chunk(
        text=text_of(message.get("content")),
        done=said.get("done") is True,
        done_reason=text_of(said.get("done_reason"))[:40],
        tokens_in=count_of(said.get("prompt_eval_count")),
        tokens_out=count_of(said.get("eval_count")),
        load_s=count_of(said.get("load_duration")) / NANO,
    )
    return chunk, text_of(message.get("thinking"))


def tagged(model: str) -> str:
    """The name as the server keeps it: without a tag it is the latest."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def is_named(entry: ModelOnDisk | Resident | ModelCard | str, model: str) -> bool:
    name = entry if isinstance(entry, str) else entry.name
    return tagged(name) == tagged(model)


def is_cloud_name(model: str) -> bool:
    return model.lower().endswith(CLOUD)


def on_disk(said: Mapping[str, Any]) -> tuple[ModelOnDisk, ...]:
    return tuple(
        ModelOnDisk(
            name=name,
            digest=text_of(entry.get("digest")),
            size_mb=count_of(entry.get("size")) // MB,
            capabilities=_words(entry.get("capabilities")),
            remote=_is_remote(name, entry),
        )
        for name, entry in _entries(said)
    )


def resident(said: Mapping[str, Any]) -> tuple[Resident, ...]:
    return tuple(
        Resident(
            name=name,
            digest=text_of(entry.get("digest")),
            size_mb=count_of(entry.get("size")) // MB,
            vram_mb=count_of(entry.get("size_vram")) // MB,
            context_length=count_of(entry.get("context_length")) or None,
            expires_at=_moment(entry.get("expires_at")),
        )
        for name, entry in _entries(said)
    )


def card(model: str, said: Mapping[str, Any]) -> ModelCard:
    facts = mapping_of(said.get("model_info"))
    length = next((value for key, value in facts.items() if str(key).endswith(".context_length")), None)
    return ModelCard(
        name=model,
        capabilities=_words(said.get("capabilities")),
        context_length=count_of(length) or None,
        remote=_is_remote(model, said),
    )


def _entries(said: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    models = said.get("models")
    for entry in models if isinstance(models, list) else ():
        facts = mapping_of(entry)
        if name := text_of(facts.get("name")) or text_of(facts.get("model")):
            yield name, facts


def _is_remote(name: str, entry: Mapping[str, Any]) -> bool:
    return is_cloud_name(name) or bool(entry.get("remote_host") or entry.get("remote_model"))


def _words(value: Any) -> frozenset[str]:
    return frozenset(one for one in value if isinstance(one, str)) if isinstance(value, list) else frozenset()


def _moment(value: Any) -> datetime | None:
    """Up to nine digits of a second; “forever” is told as a year some 292 years away."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def refused(
    status: int, raw: bytes, headers: Mapping[str, str], *, what: str, model: str = "", loading: bool = False
) -> VLMUnavailable:
    """The error for a refusal of the path `what`; `model` where it is about one. 404 means the model, by its status."""
    said = failures.words(raw)
    if status == 403 and not raw.strip():
        return ServerAway(FORBIDDEN, passing=False)
    if status == 403 and "cloud" in said.lower():
        return CloudModelRefused(say("server.no_cloud_model", model=model, why=said))
    if status == 404 and model:
        return ModelMissing(say("server.ollama_lacks", model=model, why=said or say("gpu.no_reason")))
    return failures.refused(status, said, headers, who=WHO, what=what, model=model, loading=loading)


def told(said: Mapping[str, Any], *, model: str, loading: bool = False) -> VLMUnavailable:
    return failures.told(failures.error_text(said), who=WHO, model=model, loading=loading)
