"""What the model says, as a test scripts it: words, pace, form, and how it ends."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class End(StrEnum):
    DONE = "done"
    NO_DONE = "no_done"  # the stream ends cleanly, and nothing said that it was done
    CUT = "cut"  # the connection is closed in the middle of the body
    RESET = "reset"  # RST
    STALL = "stall"  # nothing more comes
    ERROR = "error"  # a line with an error under status 200
    GARBAGE = "garbage"  # a line that is no JSON
    CRASH = "crash"  # the runner dies
    OOM = "oom"  # the GPU is out of memory
    REPEAT = "repeat"  # the same token over and over, until the server ends it
    ENDLESS = "endless"  # the same token over and over, and nobody ends it


class Shape(StrEnum):
    """What becomes of the answer where a format was asked for."""

    VALID = "valid"
    VIOLATING = "violating"
    PROSE = "prose"
    TRUNCATED = "truncated"
    THINKING_ONLY = "thinking_only"


@dataclass(frozen=True, kw_only=True)
class Reply:
    content: str | None = None  # None: "Hello there." or, where a format was asked for, an answer of `shape`
    thinking: str = "Let me see."
    shape: Shape = Shape.VALID
    end: End = End.DONE
    reason: str = "stop"
    error: str = "an error in the middle"
    first_s: float = 0.0  # until the first token
    gap_s: float = 0.0  # between tokens, or between the pieces of `every`
    after: int | None = None  # tokens before the end; None: all
    every: int = 0  # the body is sent in pieces of that many bytes


def words(text: str) -> list[str]:
    return re.findall(r"\s*\S+", text) or ([text] if text else [])


def content_of(reply: Reply, format_asked: Any) -> tuple[str, str]:
    """What is said, and the reason why it ended."""
    if reply.content is not None:
        return reply.content, reply.reason
    if format_asked in (None, ""):
        return "Hello there.", reply.reason
    schema = format_asked if isinstance(format_asked, dict) else {}
    good = json.dumps(instance(schema) if schema else {"answer": "yes"})
    said = {
        Shape.VALID: good,
        Shape.VIOLATING: json.dumps({"unexpected": [1, 2, 3]}),
        Shape.PROSE: "Sure! Here is what I see on the screen.",
        Shape.TRUNCATED: good[: max(1, len(good) // 2)],
        Shape.THINKING_ONLY: "",
    }[reply.shape]
    return said, "length" if reply.shape is Shape.TRUNCATED else reply.reason


def instance(schema: dict[str, Any]) -> Any:
    """The plainest value of a JSON schema."""
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "anyOf", "oneOf"):
        if schema.get(key):
            return schema[key][0] if key == "enum" else instance(schema[key][0])
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: instance(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema.get("items", {}))] * max(1, schema.get("minItems", 1))
    return {
        "integer": schema.get("minimum", 1),
        "number": schema.get("minimum", 0.5),
        "boolean": True,
        "null": None,
    }.get(kind, "text")
