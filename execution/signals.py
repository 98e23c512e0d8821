"""The one signal that leaves this package. Sent after commit and robustly: a receiver that raises loses nothing."""

from __future__ import annotations

from django.dispatch import Signal

# provides args: step_id (int)
step_recorded = Signal()
