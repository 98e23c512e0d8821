"""How long the loop waits, and how often it looks, before a person is asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from django.conf import settings


@dataclass(frozen=True, slots=True)
class LoopLimits:
    capture_interval_ms: int = field(default_factory=lambda: settings.RPA_CAPTURE_INTERVAL_MS)
    max_no_match_retries: int = field(default_factory=lambda: settings.RPA_MAX_NO_MATCH_RETRIES)
    confirmation_timeout_s: float | None = field(default_factory=lambda: settings.RPA_CONFIRMATION_TIMEOUT_S)
    coaching_timeout_s: float | None = field(default_factory=lambda: settings.RPA_COACHING_TIMEOUT_S)

    def without_time_outs(self) -> LoopLimits:
        """Questions stay open until somebody answers, or whoever owns the run ends it."""
        return replace(self, confirmation_timeout_s=None, coaching_timeout_s=None)
