"""What a whole screen looks like, as one vector (S2.10)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from execution.perception.embedding.base import Embedder, ModelsDiffer, cosine
from execution.perception.embedding.builtin import BuiltinEmbedder
from execution.perception.embedding.open_clip import OpenClipEmbedder
from gpu.clip import CLIPManager
from gpu.exceptions import ClipUnavailable
from sentences.said import say

if TYPE_CHECKING:
    from execution.perception.config import PerceptionConfig

__all__ = [
    "BuiltinEmbedder",
    "Embedder",
    "ModelsDiffer",
    "OpenClipEmbedder",
    "OpenedEmbedder",
    "cosine",
    "open_embedder",
]

logger = logging.getLogger(__name__)


class OpenedEmbedder(NamedTuple):
    """An embedder that works; `note` says why it is not the one that is configured, empty if it is."""

    embedder: Embedder
    note: str


def open_embedder(config: PerceptionConfig, *, clip: CLIPManager | None = None) -> OpenedEmbedder:
    """The embedder that is configured; ValueError for a name that there is not.

    `clip` is the CLIP that the GPU manager moves; without it, one of its own stays on the processor. Where its weights
    cannot be had, the built-in embedder serves, with a warning logged.
    """
    if config.embedder == "builtin":
        return OpenedEmbedder(BuiltinEmbedder(), "")
    if config.embedder != "open_clip":
        raise ValueError(f"There is no embedder named {config.embedder!r}; choose one of: builtin, open_clip.")
    try:
        return OpenedEmbedder(
            OpenClipEmbedder(clip or CLIPManager(model=config.clip_model, weights=config.clip_weights)), ""
        )
    except ClipUnavailable as error:
        note = say("perception.builtin_embedding", error=error)
        logger.warning("Perception is degraded: %s", note)
        return OpenedEmbedder(BuiltinEmbedder(), note)
