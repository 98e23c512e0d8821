"""How an answer is written: /api/chat, /api/generate, /v1/chat/completions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.doubles.ollama.durations import nanoseconds, stamp

if TYPE_CHECKING:
    from tests.doubles.ollama.asks import Ask
    from tests.doubles.ollama.clock import VirtualClock
    from tests.doubles.ollama.models import Model


def compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Framing:
    """The native forms; times are those of the virtual clock."""

    content_type = "application/x-ndjson"

    def __init__(self, ask: Ask, model: Model, clock: VirtualClock) -> None:
        self.ask = ask
        self.model = model
        self.clock = clock
        self.began = clock.now

    def said(self, content: str, thinking: str = "", *, done: bool = False) -> dict[str, Any]:
        line: dict[str, Any] = {"model": self.ask.model, "created_at": stamp(self.clock.wall())}
        if self.model.remote_host:
            line |= {"remote_model": self.model.remote_model, "remote_host": self.model.remote_host}
        more = {"thinking": thinking} if thinking else {}
        if self.ask.chat:
            line["message"] = {"role": "assistant", "content": content, **more}
        else:
            line |= {"response": content, **more}
        return line | {"done": done}

    def final(self, reason: str, tokens: int, content: str = "", thinking: str = "") -> dict[str, Any]:
        took = nanoseconds(self.clock.now - self.began)
        return self.said(content, thinking, done=True) | {
            "done_reason": reason,
            "total_duration": took + 1,
            "load_duration": 1,
            "prompt_eval_count": self.ask.prompt_tokens,
            "prompt_eval_duration": 1,
            "eval_count": tokens,
            "eval_duration": took + 1,
        }

    def receipt(self, reason: str) -> dict[str, Any]:
        """The answer to a load or an unload: one object, whatever `stream` says."""
        return self.said("", done=True) | {"done_reason": reason}

    def line(self, value: dict[str, Any]) -> bytes:
        return compact(value) + b"\n"

    def last(self) -> bytes:
        return b""

    def error(self, text: str, **more: str) -> dict[str, Any]:
        return {"error": text, **more}


class OpenAIFraming(Framing):
    """Server-sent events; `keep_alive` is ignored on this path (A.4.9)."""

    content_type = "text/event-stream"

    def said(self, content: str, thinking: str = "", *, done: bool = False) -> dict[str, Any]:
        key = "delta" if self.ask.stream else "message"
        said = {"role": "assistant", "content": content} | ({"reasoning": thinking} if thinking else {})
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk" if self.ask.stream else "chat.completion",
            "created": int(self.clock.wall().timestamp()),
            "model": self.ask.model,
            "choices": [{"index": 0, key: said, "finish_reason": None}],
        }

    def final(self, reason: str, tokens: int, content: str = "", thinking: str = "") -> dict[str, Any]:
        line = self.said(content, thinking, done=True)
        line["choices"][0]["finish_reason"] = reason
        prompt = self.ask.prompt_tokens
        usage = {"prompt_tokens": prompt, "completion_tokens": tokens, "total_tokens": prompt + tokens}
        return line if self.ask.stream else line | {"usage": usage}

    def line(self, value: dict[str, Any]) -> bytes:
        return b"data: " + compact(value) + b"\n\n"

    def last(self) -> bytes:
        return b"data: [DONE]\n\n"

    def error(self, text: str, **more: str) -> dict[str, Any]:
        return {"error": {"message": text, "type": "api_error", "param": None, "code": None}}
