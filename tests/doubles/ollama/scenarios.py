"""Scenario files: requests in order, and the shapes of their answers, to compare the double with a real server.

A file is `{"about": ..., "steps": [{"name", "method", "path", "body"?, "raw"?, "host"?, "expect"?}]}`; `expect` says
the `status` (200), whether it is a `stream`, which keys the last line `has`, and what some of them are: `is`. In bodies
`$MODEL` stands for a model of the server that is asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

FOLDER = Path(__file__).parent / "scenarios"


@dataclass(frozen=True)
class Answer:
    name: str
    status: int
    content_type: str
    lines: tuple[Any, ...]  # parsed; one for what is no stream; the text where it is no JSON


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def read(name: str) -> dict[str, Any]:
    return dict(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def replay(scenario: dict[str, Any], url: str, model: str, *, timeout_s: float = 10.0) -> list[Answer]:
    with httpx.Client(base_url=url, trust_env=False, timeout=timeout_s) as client:
        return [_ask(client, step, model) for step in scenario["steps"]]


def _ask(client: httpx.Client, step: dict[str, Any], model: str) -> Answer:
    raw = step.get("raw")
    content = raw if raw is not None else json.dumps(step["body"]) if "body" in step else None
    headers = {"Host": step["host"]} if "host" in step else None
    filled = content.replace("$MODEL", model) if content is not None else None
    response = client.request(step["method"], step["path"], content=filled, headers=headers)
    kind = response.headers.get("content-type", "").partition(";")[0]
    texts = response.text.splitlines() if kind == "application/x-ndjson" else [response.text]
    return Answer(step["name"], response.status_code, kind, tuple(_parsed(text) for text in texts))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def shape(value: Any) -> Any:
    """The types of a value, with the keys of its objects; lists are as their first element."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def failures(scenario: dict[str, Any], answers: list[Answer]) -> list[str]:
    """Where answers are not what the file says."""
    found = []
    for step, answer in zip(scenario["steps"], answers, strict=True):
        expect, last = step.get("expect", {}), answer.lines[-1]
        if answer.status != expect.get("status", 200):
            found.append(f"{answer.name}: status {answer.status}")
        if "stream" in expect and (answer.content_type == "application/x-ndjson") != expect["stream"]:
            found.append(f"{answer.name}: {answer.content_type}")
        lacking = [key for key in expect.get("has", []) if not isinstance(last, dict) or key not in last]
        found += [f"{answer.name}: no {key}" for key in lacking]
        wrong = {key: value for key, value in expect.get("is", {}).items() if last.get(key) != value}
        found += [f"{answer.name}: {key} is {last.get(key)!r}, not {value!r}" for key, value in wrong.items()]
    return found


def differences(ours: list[Answer], real: list[Answer]) -> list[str]:
    """Where the double's answers have keys or types that the real ones lack: what a client might rely on in vain."""
    found = []
    for mine, theirs in zip(ours, real, strict=True):
        if (mine.status, mine.content_type) != (theirs.status, theirs.content_type):
            found.append(f"{mine.name}: {mine.status} {mine.content_type}, not {theirs.status} {theirs.content_type}")
        found += _lacking(shape(mine.lines[-1]), shape(theirs.lines[-1]), mine.name)
    return found


def _lacking(ours: Any, real: Any, at: str) -> list[str]:
    if isinstance(ours, dict) and isinstance(real, dict):
        missing = [f"{at}: the real one has no {key}" for key in ours if key not in real and key != "model_info"]
        both = [key for key in ours if key in real and key != "model_info"]
        return missing + [line for key in both for line in _lacking(ours[key], real[key], f"{at}.{key}")]
    if isinstance(ours, list) and isinstance(real, list):
        return _lacking(ours[0], real[0], f"{at}[]") if ours and real else []
    return [] if ours == real else [f"{at}: {ours}, the real one {real}"]
