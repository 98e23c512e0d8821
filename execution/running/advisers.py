"""Whom a run asks where the signs do not settle it: the embedding, a vision-language model (S2.2, S5.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from django.conf import settings

from execution.perception.embedding import Embedder
from execution.targeting.embedding import EmbeddingAdviser
from execution.targeting.opinions import Adviser
from execution.targeting.vision.model import VisionUnavailable
from execution.targeting.vision.opinion import VisionAdviser
from execution.turn.eyes import Flags
from execution.types import ScreenState
from gpu import GPUError, GPUResourceManager, get_gpu_resource_manager
from sentences.said import cause, told_by
from workflows.graph import NormBox


class ManagedVision:
    """The vision-language model of the GPU manager, asked for one run: it is loaded first if need be (S1.15)."""

    def __init__(self, manager: GPUResourceManager, *, execution_id: str = "") -> None:
        self._manager, self._execution_id = manager, execution_id

    def ask(self, picture: np.ndarray, prompt: str, schema: Mapping[str, Any]) -> str:
        encoded, data = cv2.imencode(".png", picture)
        if not encoded:
            raise VisionUnavailable("the marked picture could not be encoded")
        try:
            answer = self._manager.ask_vlm_sync(prompt, [data.tobytes()], schema, execution_id=self._execution_id)
        except GPUError as error:
            raise VisionUnavailable(told_by(error)) from error
        except Exception as error:  # a helper: whatever it raises costs this rung and no more (S1.21)
            raise VisionUnavailable(cause(error)) from error
        return answer


def advisers(
    embedder: Embedder | None,
    flags: Flags,
    *,
    execution_id: str = "",
    hides: Callable[[ScreenState], Sequence[NormBox]] = lambda state: (),
    warn: Callable[[str, str], None] = lambda kind, message: None,
) -> tuple[Adviser, ...]:
    """In the order they are asked; none where elements are not looked for (S2.2).

    `hides` tells what of a screen no model sees (S10.4). A GPU manager that cannot be had costs a `warn`ing and
    the model (S1.21).
    """
    if not flags.enable_ui_detection:
        return ()
    found: list[Adviser] = []
    if embedder is not None and settings.RPA_EMBEDDING_FALLBACK:
        found.append(EmbeddingAdviser(embedder))
    try:
        manager = get_gpu_resource_manager()
        has_vlm = manager.config.has_vlm
    except Exception as error:  # noqa: BLE001  a helper: whatever it raises is told, and the run goes on
        warn("gpu", cause(error))
        return tuple(found)
    if has_vlm:
        found.append(VisionAdviser(ManagedVision(manager, execution_id=execution_id), hides=hides))
    return tuple(found)
