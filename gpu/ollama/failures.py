"""What only Ollama means by a refusal (A.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpu.exceptions import CloudModelRefused, ModelMissing, ServerAway, VLMUnavailable
from gpu.wire import failures

WHO = "Ollama"
FORBIDDEN = (
    "Ollama refuses to talk to this machine (403 without a reason): it accepts only a local Host header. Reach it as "
    "localhost, or set OLLAMA_HOST where it runs so that it listens on the network."
)


def refused(
    status: int, raw: bytes, headers: Mapping[str, str], *, what: str, model: str = "", loading: bool = False
) -> VLMUnavailable:
    """The error for a refusal of the path `what`; `model` where it is about one. 404 means the model, by its status."""
    said = failures.words(raw)
    if status == 403 and not raw.strip():
        return ServerAway(FORBIDDEN, passing=False)
    if status == 403 and "cloud" in said.lower():
        return CloudModelRefused(f"Ollama does not run “{model}”: {said} (403).")
    if status == 404 and model:
        return ModelMissing(
            f"Ollama does not have “{model}”: {said or 'no reason given'} (404). Try `ollama pull {model}`."
        )
    return failures.refused(status, said, headers, who=WHO, what=what, model=model, loading=loading)


def told(said: Mapping[str, Any], *, model: str, loading: bool = False) -> VLMUnavailable:
    """The error for an object with an error text under 200."""
    return failures.told(failures.error_text(said), who=WHO, model=model, loading=loading)
