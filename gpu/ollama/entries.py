"""What Ollama says of its models, read into values; an entry that makes no sense is left out (A.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from gpu.types import ModelCard, ModelOnDisk, Resident
from gpu.wire.reading import count_of, mapping_of, text_of

MB = 1024 * 1024
CLOUD = (":cloud", "-cloud")


def tagged(model: str) -> str:
    """The name as the server keeps it: without a tag it is the latest."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def is_named(entry: ModelOnDisk | Resident | ModelCard | str, model: str) -> bool:
    """Whether that is the model of this name."""
    name = entry if isinstance(entry, str) else entry.name
    return tagged(name) == tagged(model)


def is_cloud_name(model: str) -> bool:
    return model.lower().endswith(CLOUD)


def on_disk(said: Mapping[str, Any]) -> tuple[ModelOnDisk, ...]:
    return tuple(
        ModelOnDisk(
            name=name,
            digest=text_of(entry.get("digest")),
            size_mb=count_of(entry.get("size")) // MB,
            capabilities=_words(entry.get("capabilities")),
            remote=_is_remote(name, entry),
        )
        for name, entry in _entries(said)
    )


def resident(said: Mapping[str, Any]) -> tuple[Resident, ...]:
    return tuple(
        Resident(
            name=name,
            digest=text_of(entry.get("digest")),
            size_mb=count_of(entry.get("size")) // MB,
            vram_mb=count_of(entry.get("size_vram")) // MB,
            context_length=count_of(entry.get("context_length")) or None,
            expires_at=_moment(entry.get("expires_at")),
        )
        for name, entry in _entries(said)
    )


def card(model: str, said: Mapping[str, Any]) -> ModelCard:
    facts = mapping_of(said.get("model_info"))
    length = next((value for key, value in facts.items() if str(key).endswith(".context_length")), None)
    return ModelCard(
        name=model,
        capabilities=_words(said.get("capabilities")),
        context_length=count_of(length) or None,
        remote=_is_remote(model, said),
    )


def _entries(said: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    models = said.get("models")
    for entry in models if isinstance(models, list) else ():
        facts = mapping_of(entry)
        if name := text_of(facts.get("name")) or text_of(facts.get("model")):
            yield name, facts


def _is_remote(name: str, entry: Mapping[str, Any]) -> bool:
    return is_cloud_name(name) or bool(entry.get("remote_host") or entry.get("remote_model"))


def _words(value: Any) -> frozenset[str]:
    return frozenset(one for one in value if isinstance(one, str)) if isinstance(value, list) else frozenset()


def _moment(value: Any) -> datetime | None:
    """Up to nine digits of a second; “forever” is told as a year some 292 years away."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
