"""Talking to Ollama: liveness, what is there, what is loaded, loading, unloading (S3.2, RELIABILITY.md A)."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from gpu.config import GPUResourceConfig
from gpu.exceptions import CloudModelRefused, VLMUnavailable

CLOUD = (":cloud", "-cloud")
OPTIONS: Mapping[str, Any] = {"num_ctx": 8192, "num_predict": 512, "temperature": 0, "seed": 0}


class OllamaManager:
    """One Ollama server. Every call has its own time limit, and raises VLMUnavailable with the reason in words."""

    def __init__(self, config: GPUResourceConfig) -> None:
        self.config = config
        # the proxy of the environment must not see what goes to loopback
        self._client = httpx.Client(
            base_url=config.ollama_url, trust_env=False, timeout=self._limit(config.ask_timeout_s)
        )

    def close(self) -> None:
        self._client.close()

    def health(self) -> bool:
        """Whether the server answers; touches no model."""
        try:
            return self._client.get("/api/version").is_success
        except httpx.HTTPError:
            return False

    def list_models(self) -> list[dict[str, Any]]:
        """The models on the server's disk."""
        return self._models("/api/tags")

    def loaded_models(self) -> list[dict[str, Any]]:
        """The models in memory; one that is being loaded is not among them."""
        return self._models("/api/ps")

    def is_model_loaded(self, model: str) -> bool:
        return any(is_named(entry, model) for entry in self.loaded_models())

    def show(self, model: str) -> dict[str, Any]:
        return self._ask("POST", "/api/show", json={"model": model})

    def load_model(self, model: str) -> None:
        """Block until the model is loaded. Refuses models that run elsewhere, before anything is sent to them."""
        self.refuse_cloud(model)
        limit = self._limit(self.config.load_timeout_s)
        answer = self._ask("POST", "/api/generate", json={"model": model, "stream": False}, timeout=limit)
        if answer.get("done") is not True:
            raise VLMUnavailable(f"Ollama ended the load of “{model}” without saying that it is done.")

    def unload_model(self, model: str) -> None:
        """Ask for the unload; the answer is a receipt, `is_model_loaded` tells when it is gone."""
        self._ask("POST", "/api/generate", json={"model": model, "keep_alive": 0, "stream": False})

    def answer(self, model: str, *, prompt: str, pictures: Sequence[bytes], schema: Mapping[str, Any]) -> str:
        """What the model says of encoded pictures, meant to be JSON after `schema` and not to be relied on.

        One fixed set of options for all callers: other ones would load the model anew (RELIABILITY.md A.3). An answer
        that was cut, or that ended without saying so, is no answer (A.4).
        """
        self.refuse_cloud(model)
        said = self._ask(
            "POST",
            "/api/generate",
            json={
                "model": model,
                "prompt": prompt,
                "images": [base64.b64encode(picture).decode() for picture in pictures],
                "format": dict(schema),
                "stream": False,
                "think": False,
                "options": dict(OPTIONS),
            },
            timeout=self._limit(self.config.answer_timeout_s),
        )
        if said.get("error") or said.get("done") is not True:
            raise VLMUnavailable(f"“{model}” broke off: {str(said.get('error') or 'no end was told')[:300]}.")
        if said.get("done_reason") == "length":
            raise VLMUnavailable(f"“{model}” did not come to an end within {OPTIONS['num_predict']} tokens.")
        return str(said.get("response") or "")

    def refuse_cloud(self, model: str) -> None:
        """A cloud model would send screens to another machine through the same local API (T9)."""
        about = {} if model.endswith(CLOUD) else self.show(model)
        if model.endswith(CLOUD) or about.get("remote_host") or about.get("remote_model"):
            raise CloudModelRefused(
                f"“{model}” runs in a cloud: screens do not leave this machine. Choose a local one."
            )

    def _limit(self, seconds: float) -> httpx.Timeout:
        return httpx.Timeout(seconds, connect=self.config.connect_timeout_s)

    def _models(self, path: str) -> list[dict[str, Any]]:
        models = self._ask("GET", path).get("models")
        return models if isinstance(models, list) else []

    def _ask(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        try:
            response = self._client.request(method, path, **more)
            response.raise_for_status()
            answer = response.json()
        except httpx.HTTPStatusError as error:
            passing = error.response.status_code >= 500
            raise VLMUnavailable(f"Ollama refused {path}: {_reason(error.response)}", passing=passing) from error
        except httpx.TimeoutException as error:
            raise VLMUnavailable(f"Ollama at {self.config.ollama_url} did not answer {path} in time.") from error
        except httpx.HTTPError as error:
            raise VLMUnavailable(f"Ollama at {self.config.ollama_url} cannot be reached: {error}") from error
        except ValueError as error:
            raise VLMUnavailable(f"What answers {path} at {self.config.ollama_url} is no Ollama.") from error
        if not isinstance(answer, dict):
            raise VLMUnavailable(f"What answers {path} at {self.config.ollama_url} is no Ollama.")
        return answer


def is_named(entry: dict[str, Any], model: str) -> bool:
    """Whether an entry of the server is that model; a name without a tag means `latest`."""
    wanted = model if ":" in model.rpartition("/")[2] else f"{model}:latest"
    return wanted in (entry.get("name"), entry.get("model")) or model in (entry.get("name"), entry.get("model"))


def _reason(response: httpx.Response) -> str:
    try:
        said = response.json()
    except ValueError:
        said = None
    text = said.get("error") if isinstance(said, dict) else response.text
    return f"{str(text or 'no reason given')[:300]} ({response.status_code})"
