"""What a request asks for, read as the server reads it (A.1)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.ollama import errors
from tests.doubles.ollama.durations import keep_alive_s
from tests.doubles.ollama.errors import Refusal
from tests.doubles.ollama.images import decoded


@dataclass
class Ask:
    path: str
    body: dict[str, Any]
    model: str
    messages: list[dict[str, Any]]  # of /api/generate: its system and its prompt
    images: list[bytes]
    empty: bool  # neither prompt nor messages: a load or an unload
    keep_alive_s: float | None
    think: bool | str | None
    format: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    stream: bool = True
    truncate: bool = True
    # what became of it
    kept: list[int] = field(default_factory=list)  # the messages the model saw, by their place in the request
    prompt_tokens: int = 0
    passes: int = 0  # two where a thinking model has to keep to a format

    @property
    def chat(self) -> bool:
        return self.path != "/api/generate"


def body_of(raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        raise Refusal(400, errors.MISSING_BODY)
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise Refusal(400, "invalid character looking for beginning of value") from error
    return dict(body)


def ask_of(path: str, body: dict[str, Any]) -> Ask:
    messages = body.get("messages") or []
    if path == "/api/generate":
        system, prompt = body.get("system"), str(body.get("prompt") or "")
        messages = [{"role": "system", "content": system}] * bool(system)
        messages += [{"role": "user", "content": prompt, "images": body.get("images")}] * bool(prompt)
    return Ask(
        path=path,
        body=body,
        model=str(body.get("model", "")),
        messages=messages,
        images=[image for message in messages for image in decoded(message.get("images"))],
        empty=not (messages if path != "/api/generate" else body.get("prompt")),
        keep_alive_s=None if path.startswith("/v1/") else keep_alive_s(body.get("keep_alive")),
        think=body.get("think"),
        format=body.get("format"),
        options=dict(body.get("options") or {}),
        stream=body.get("stream", not path.startswith("/v1/")) is not False,
        truncate=body.get("truncate") is not False,
    )


def check_format(value: Any) -> None:
    """Found out when the model is about to answer, and therefore a 500."""
    if value not in (None, "", "json") and not isinstance(value, dict):
        raise errors.bad_format(json.dumps(value))
