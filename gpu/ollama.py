"""Talking to Ollama: liveness, loading, unloading, what is loaded (RELIABILITY.md A)."""

from __future__ import annotations

from typing import Any

import httpx

from gpu.types import VLMUnavailable

CONNECT_S = 5.0
ASK_S = 5.0
LOAD_S = 300.0  # a client that hangs up earlier aborts the load on the server (A.4)
CLOUD = (":cloud", "-cloud")


class OllamaManager:
    def __init__(self, url: str) -> None:
        # the proxy of the environment must not see what goes to loopback
        self._client = httpx.Client(base_url=url, trust_env=False, timeout=httpx.Timeout(ASK_S, connect=CONNECT_S))

    def is_healthy(self) -> bool:
        try:
            return self._client.get("/api/version").is_success
        except httpx.HTTPError:
            return False

    def is_model_loaded(self, model: str) -> bool:
        """Whether the model is in memory; a model being loaded is not."""
        models = self._ask("GET", "/api/ps").get("models", [])
        return any(m.get("name") == model or m.get("model") == model for m in models)

    def load_model(self, model: str) -> None:
        """Block until the model is loaded; raises VLMUnavailable."""
        refuse_cloud(model)
        self._ask("POST", "/api/generate", json={"model": model}, timeout=httpx.Timeout(LOAD_S, connect=CONNECT_S))

    def unload_model(self, model: str) -> None:
        """Ask for the unload; the answer is a receipt, `is_model_loaded` tells when it is gone."""
        self._ask("POST", "/api/generate", json={"model": model, "keep_alive": 0})

    def _ask(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        try:
            response = self._client.request(method, path, **more)
            response.raise_for_status()
            answer: dict[str, Any] = response.json()
        except httpx.HTTPStatusError as error:
            raise VLMUnavailable(f"Ollama refused {path}: {error.response.text[:200]}") from error
        except (httpx.HTTPError, ValueError) as error:
            raise VLMUnavailable(f"Ollama at {self._client.base_url} does not answer: {error!r}") from error
        return answer


def refuse_cloud(model: str) -> None:
    """A cloud model would send screens to another machine through the same local API (T9)."""
    if model.endswith(CLOUD):
        raise VLMUnavailable(f"“{model}” runs in a cloud: screens do not leave this machine. Choose a local model.")
