"""What one run is done with: the stages of the product, made of its eyes, its matcher and its resolver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from execution.desktop.base import Desktop
from execution.desktop.window_providers import load_provider
from execution.matching import Reference, ScopedMatcher
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.masking import masks_from
from execution.record.journal import Journal
from execution.record.place_store import DatabasePlaces
from execution.record.secret_values import secrets_of
from execution.running.advisers import advisers
from execution.targeting.resolver import TargetResolver
from execution.turn.eyes import Eyes, Flags
from execution.turn.workflow_stages import WorkflowStages
from sentences.said import told_by
from workflows.graph import NormBox
from workflows.pictures import PictureStore


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
