"""Each attempt at an answer is kept: what it took, what came of it (S4.4, S7)."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass

from django.db import DatabaseError
from django.utils import timezone

from gpu.choices import Outcome, ProviderName
from gpu.models import ModelUse
from gpu.types import Purpose

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    purpose: Purpose
    model: str
    outcome: Outcome
    seconds: float
    provider: ProviderName = ProviderName.OLLAMA
    error: str = ""  # the class of gpu.exceptions
    attempt: int = 1
    instead_of: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    load_seconds: float = 0.0
    execution_id: str = ""
    step: int | None = None


def record(use: Use) -> None:
    """Keep it; a database that refuses costs a line in the log, never an answer (S1.21)."""
    try:
        ModelUse.objects.create(at=timezone.now(), **asdict(use))
    except DatabaseError as error:
        log.warning("the use of a model could not be kept: %s", error)
