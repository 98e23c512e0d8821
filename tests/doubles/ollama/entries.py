"""Models as /api/tags, /api/ps and /api/show tell them (A.1, A.5.5, A.5.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.doubles.ollama.durations import stamp
from tests.doubles.ollama.models import LOADED, LOADING, MB, STOPPING, Model, Runner, expires_at

if TYPE_CHECKING:
    from tests.doubles.ollama.lifecycle import Lifecycle


def details(model: Model) -> dict[str, Any]:
    return {
        "parent_model": "",
        "format": "" if model.is_remote else "gguf",
        "family": model.family,
        "families": [model.family],
        "parameter_size": f"{model.size_mb / 600:.1f}B",
        "quantization_level": "Q4_K_M",
    }


def remote(model: Model) -> dict[str, str]:
    host = model.remote_host
    return {"remote_model": model.remote_model, "remote_host": host} if host else {}


def tags(life: Lifecycle) -> dict[str, Any]:
    return {"models": [_tag(model, life) for model in life.models.values()]}


def _tag(model: Model, life: Lifecycle) -> dict[str, Any]:
    entry = {
        "name": model.name,
        "model": model.name,
        **remote(model),
        "modified_at": stamp(life.clock.wall(0)),
        "size": 384 if model.remote_host else model.size_mb * MB,
        "digest": model.digest,
        "details": details(model),
    }
    return entry | ({"capabilities": list(model.capabilities)} if life.profile.tags_tell_capabilities else {})


def ps(life: Lifecycle) -> dict[str, Any]:
    """The longest remaining first."""
    listed = [runner for model in life.models.values() if (runner := life.runner(model)) is not None]
    if life.profile.ps_shows_loading:
        loading = [model for model in life.models.values() if model.state == LOADING]
        listed += [Runner(model, {}, 0, life.settings.keep_alive_s, 0) for model in loading]
    listed.sort(key=lambda runner: -expires_at(runner, life.clock))
    return {"models": [_loaded(runner, life) for runner in listed]}


def _loaded(runner: Runner, life: Lifecycle) -> dict[str, Any]:
    model = runner.model
    told_mb = runner.vram_mb if model.told_vram_mb is None else model.told_vram_mb
    entry = {
        "name": model.name,
        "model": model.name,
        "size": model.size_mb * MB,
        "digest": model.digest,
        "details": details(model),
        "expires_at": stamp(life.clock.wall(expires_at(runner, life.clock))),
        "size_vram": told_mb * MB if model.state in (LOADED, STOPPING) else 0,
    }
    return entry | ({"context_length": runner.context} if life.profile.ps_tells_context else {})


def show(model: Model, life: Lifecycle) -> dict[str, Any]:
    return {
        "license": "",
        "modelfile": f"FROM {model.name}",
        "parameters": "" if model.default_ctx is None else f"num_ctx                        {model.default_ctx}",
        "template": "{{ .Prompt }}",
        "system": "",
        "details": details(model),
        **remote(model),
        "model_info": {
            "general.architecture": model.family,
            f"{model.family}.context_length": model.context_length,
        },
        "capabilities": list(model.capabilities),
        "modified_at": stamp(life.clock.wall(0)),
    }
