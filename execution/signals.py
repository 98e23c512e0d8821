"""The signals that leave this package. Sent after commit and robustly: a receiver that raises loses nothing."""

from __future__ import annotations

from django.dispatch import Signal

# provides args: step_id (int)
step_recorded = Signal()

# provides args: execution_id (str); sent by the run loop when it begins with a run and when it is done with it
run_begun = Signal()
run_ended = Signal()
