"""What one run is done with: the stages of the product, made of its eyes, its matcher and its resolver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from django.conf import settings

from execution.desktop.base import Desktop
from execution.desktop.window_providers import load_provider
from execution.matching import Reference, ScopedMatcher
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.embedding import Embedder
from execution.perception.masking import masks_from
from execution.record.journal import Journal
from execution.record.place_store import DatabasePlaces
from execution.record.secret_values import secrets_of
from execution.targeting.embedding import EmbeddingAdviser
from execution.targeting.opinions import Adviser
from execution.targeting.resolver import TargetResolver
from execution.targeting.vision.model import VisionUnavailable
from execution.targeting.vision.opinion import VisionAdviser
from execution.turn.eyes import Eyes, Flags
from execution.turn.workflow_stages import WorkflowStages
from execution.types import ScreenState
from gpu import GPUError, GPUResourceManager, get_gpu_resource_manager
from sentences.said import cause, told_by
from workflows.graph import NormBox
from workflows.pictures import PictureStore

# Whom a run asks where the signs do not settle it: the embedding, a vision-language model (S2.2, S5.3).


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


def build_stages(
    journal: Journal,
    desktop: Desktop,
    analyzer: ScreenAnalyzer,
    *,
    pictures: PictureStore,
    provider: Any = None,
    references: Mapping[str, Reference] | None = None,
) -> WorkflowStages:
    """The product's own stages for one run."""
    execution, graph = journal.execution, journal.graph
    flags = Flags(
        enable_ocr=execution.enable_ocr,
        enable_ui_detection=execution.enable_ui_detection,
        analyze_timeout_ms=execution.analyze_timeout_ms,
        masks=masks_of(journal),
    )
    eyes = Eyes(
        desktop,
        analyzer,
        flags,
        window_provider=load_provider(provider or execution.window_info_provider),
        warn=journal.warn,
    )
    eyes.hides = journal.hidden.places
    eyes.degraded, eyes.degraded_reason = execution.degraded, execution.degraded_reason
    matcher = ScopedMatcher(
        graph,
        pictures=pictures,
        embedder=analyzer.embedder,
        references=references,
        threshold=settings.RPA_MATCH_THRESHOLD,
    )
    resolver = TargetResolver(
        pictures=pictures,
        similarity_threshold=settings.RPA_SIMILARITY_THRESHOLD,
        places=DatabasePlaces(),
        advisers=advisers(
            analyzer.embedder, flags, execution_id=execution.execution_id, hides=eyes.hides, warn=journal.warn
        ),
    )
    read = {name: value.as_variable for name, value in execution.values_read.all().newest().items()}
    variables = {**execution.variables, **read, **secrets_of(execution)}
    return WorkflowStages(graph, variables, eyes, matcher, resolver)


def masks_of(journal: Journal) -> tuple[NormBox, ...]:
    """Where changes do not matter (S2.6), as the workflow says; what it says wrongly costs a warning."""
    try:
        return masks_from(journal.graph.flags.get("masks"))
    except (TypeError, ValueError) as error:
        journal.warn("masks", told_by(error))
        return ()
