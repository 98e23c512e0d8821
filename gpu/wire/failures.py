"""What a refusal of a server of models means: by its status, by its words only where that does not tell (A.2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from gpu.exceptions import (
    AnswerBroken,
    AnswerUnusable,
    GpuBusy,
    LoadFailed,
    ModelMissing,
    OutOfMemory,
    PromptTooLarge,
    RequestRefused,
    ServerAway,
    VLMUnavailable,
)
from sentences.said import say

MAX_WORDS = 300  # of the server's own in a message: they may repeat what they were asked
BUSY_AGAIN_S = 2.0

_OUT_OF_MEMORY = re.compile(
    r"out of memory|\boom\b|requires more system memory|failed to allocate|unable to allocate|cudaMalloc failed"
    r"|ErrorOutOfDeviceMemory|insufficient (?:gpu |system |video )?(?:memory|resources)"
    r"|not enough (?:gpu |system |video )?memory",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"longer than the context|exceeds? the (?:available |maximum )?context|context[ _]length[ _]exceeded"
    r"|maximum context length|greater than the context length|context length of only|input is too (?:large|long)",
    re.IGNORECASE,
)
_NOT_LOADED = re.compile(
    r"timed out waiting for .* to start|(?:error|failed|unable) (?:loading|to load) (?:the )?model"
    r"|no models? (?:is |are )?loaded",
    re.IGNORECASE,
)
_FAULT_OF_THE_REQUEST = re.compile(
    r"invalid format|does not support|not supported|missing data required|unknown format|failed to load image",
    re.IGNORECASE,
)
_REPEATS = re.compile(r"token repeat limit", re.IGNORECASE)


def words(raw: bytes, *, secret: str = "") -> str:
    """The server's own words without `secret`: on one line, at most 300 characters; of a page of HTML its text."""
    text = raw.decode(errors="replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return clean(re.sub(r"<[^>]*>", " ", text), secret=secret)
    return error_text(said, secret=secret) if isinstance(said, dict) else ""


def error_text(said: Mapping[str, object], *, secret: str = "") -> str:
    """Of `{"error": "…"}`, or of `{"error": {"message": "…"}}`."""
    error = said.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    return clean(error, secret=secret) if isinstance(error, str) else ""


def clean(text: str, *, secret: str = "") -> str:
    """Servers repeat a key that they refuse: it goes before anything is cut, so that no part of it stays."""
    text = text.replace(secret, "…") if secret else text
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * MAX_WORDS])
    return " ".join(plain.split())[:MAX_WORDS]


def refused(
    status: int, said: str, headers: Mapping[str, str], *, who: str, what: str, model: str = "", loading: bool = False
) -> VLMUnavailable:
    """The error for a refusal of the path `what` by `who`; `model` where it is about one."""
    reason = say("value.aside", what=said or say("gpu.no_reason"), aside=status)
    if status in (429, 503):
        return GpuBusy(say("server.busy", who=who, why=reason), retry_after_s=_retry_after(headers))
    if 300 <= status < 400:
        return ServerAway(say("server.redirects", who=who, what=what, status=status))
    if _OUT_OF_MEMORY.search(said) or _NOT_LOADED.search(said):  # LM Studio tells it under 400 and 404
        return told(said, reason=reason, who=who, model=model, loading=loading)
    if status == 404 and model:
        return ModelMissing(say("server.lacks", who=who, model=model, why=reason))
    if status in (401, 403, 407):
        return ServerAway(say("server.asks_who", who=who, why=reason), passing=False)
    if status in (404, 405):
        return ServerAway(say("server.is_another", what=what, who=who, why=reason))
    if status in (408, 502, 504):
        return ServerAway(say("server.between", who=who, what=what, why=reason))
    if status >= 499:  # 499: Ollama's own word for a question that it gave up
        return told(said, reason=reason, who=who, model=model, loading=loading)
    if _TOO_LONG.search(said):
        return PromptTooLarge(say("server.context_full", model=model, why=reason))
    return RequestRefused(say("server.refused", who=who, what=what, why=reason))


def told(said: str, *, who: str, model: str, reason: str = "", loading: bool = False) -> VLMUnavailable:
    """The error for an error text of a server, under a 500 or in the middle of an answer."""
    reason = reason or said or say("gpu.no_reason")
    named = say("server.model", model=model) if model else who
    if _OUT_OF_MEMORY.search(said):
        return OutOfMemory(say("server.no_memory", who=who, what=named, why=reason))
    if _TOO_LONG.search(said):
        return PromptTooLarge(say("server.context_full", model=model, why=reason))
    if loading or _NOT_LOADED.search(said):
        return LoadFailed(say("server.not_loaded", who=who, model=model, why=reason))
    if _FAULT_OF_THE_REQUEST.search(said):
        return RequestRefused(say("server.refused_question", what=named, why=reason))
    if _REPEATS.search(said):
        return AnswerUnusable(say("server.in_circles", what=named, why=reason))
    return AnswerBroken(say("server.broke_off", what=named, why=reason))


def _retry_after(headers: Mapping[str, str]) -> float:
    """The header Retry-After in seconds, at most 60; a date there counts as none."""
    try:
        return min(60.0, max(0.0, float(headers.get("retry-after", ""))))
    except ValueError:
        return BUSY_AGAIN_S
