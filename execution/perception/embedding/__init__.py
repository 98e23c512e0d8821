"""What a whole screen looks like, as one vector (S2.10)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from execution.perception.embedding.base import DeviceUnavailable, Embedder, ModelsDiffer, cosine
from execution.perception.embedding.builtin import BuiltinEmbedder
from execution.perception.weights import WeightsUnavailable

if TYPE_CHECKING:
    from execution.perception.config import PerceptionConfig
    from execution.perception.embedding.open_clip import OpenClipEmbedder

__all__ = [
    "BuiltinEmbedder",
    "DeviceUnavailable",
    "Embedder",
    "ModelsDiffer",
    "OpenedEmbedder",
    "WeightsUnavailable",
    "cosine",
    "open_embedder",
]

logger = logging.getLogger(__name__)


class OpenedEmbedder(NamedTuple):
    """An embedder that works; `note` says why it is not the one that is configured, empty if it is."""

    embedder: Embedder
    note: str


def open_embedder(config: PerceptionConfig) -> OpenedEmbedder:
    """The embedder that is configured, on its device; ValueError for a name that there is not.

    Where its weights or its device cannot be had, the built-in one or the processor serves, with a warning logged.
    """
    if config.embedder == "builtin":
        return OpenedEmbedder(BuiltinEmbedder(), "")
    if config.embedder != "open_clip":
        raise ValueError(f"There is no embedder named {config.embedder!r}; choose one of: builtin, open_clip.")
    try:
        embedder = _open_clip(config)
    except WeightsUnavailable as error:
        return _told(BuiltinEmbedder(), f"the built-in embedding serves: {error}")
    try:
        embedder.move(config.clip_device)
    except DeviceUnavailable as error:
        return _told(embedder, str(error))
    return OpenedEmbedder(embedder, "")


def _open_clip(config: PerceptionConfig) -> OpenClipEmbedder:
    from execution.perception.embedding.open_clip import OpenClipEmbedder

    if config.clip_weights is None:
        raise WeightsUnavailable("RPA_CLIP_WEIGHTS is not set; get weights with 'manage.py fetchmodels open_clip'.")
    return OpenClipEmbedder(model=config.clip_model, weights=config.clip_weights)


def _told(embedder: Embedder, note: str) -> OpenedEmbedder:
    logger.warning("Perception is degraded: %s", note)
    return OpenedEmbedder(embedder, note)
