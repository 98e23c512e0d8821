"""The product's own eyes for tests: however busy the machine is, no reader is given up as hanging."""

from __future__ import annotations

from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig

PATIENT_MS = 999_999  # of RPA_ANALYZE_TIMEOUT_MS: as long as a reader is ever waited for, and no run is degraded for it


def patient_analyzer() -> ScreenAnalyzer:
    """As a deployment with the defaults has it, but for its patience."""
    return build_analyzer(PerceptionConfig(analyze_timeout_ms=PATIENT_MS))
