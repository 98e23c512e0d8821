"""The server's own words for what goes wrong (A.2)."""

from __future__ import annotations

BUSY = "server busy, please try again.  maximum pending requests exceeded"
MISSING_BODY = "missing request body"
MODEL_REQUIRED = "model is required"
TOO_LONG = (
    "the prompt is longer than the context length currently available to the model; shorten the prompt, "
    "adjust the context length in settings, or use a model with a longer context length"
)
RUNNER_STOPPED = (
    "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, "
    "check ollama server logs for details"
)
CUDA_OOM = "CUDA error: out of memory"
TOKEN_REPEAT = "prediction aborted, token repeat limit reached"
CLOUD_DISABLED = "ollama cloud is disabled: remote model is unavailable"


class Refusal(Exception):
    """An answer that is an error: a status and the text in it; without a text the body is empty."""

    def __init__(self, status: int, text: str | None, **more: str) -> None:
        super().__init__(f"{status} {text}")
        self.status = status
        self.text = text
        self.more = more


def not_found(name: str) -> Refusal:
    return Refusal(404, f"model '{name}' not found")


def not_found_while_scheduling(name: str) -> Refusal:
    return Refusal(404, f'model "{name}" not found, try pulling it first')


def unsupported(name: str, what: str) -> Refusal:
    return Refusal(400, f'"{name}" does not support {what}')


def bad_format(value: str) -> Refusal:
    return Refusal(500, f'invalid format: {value}; expected "json" or a valid JSON Schema object')
