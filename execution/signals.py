"""The signals that leave this package. Sent after commit and robustly: a receiver that raises loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.dispatch import Signal

# provides args: step_id (int)
step_recorded = Signal()

# provides args: execution_id (str); sent by the run loop when it begins with a run and when it is done with it
run_begun = Signal()
run_ended = Signal()


def tell(signal: Signal, warn: Callable[[str, str], None], **told: Any) -> None:
    """Send it robustly; `warn` gets a kind and a message of each receiver that raised, and says each kind once."""
    for receiver, answer in signal.send_robust(**told):
        if isinstance(answer, Exception):
            name = getattr(receiver, "__qualname__", type(receiver).__qualname__)
            warn(f"receiver {name}", f"{name}: {type(answer).__name__}: {answer}")
