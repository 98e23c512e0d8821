"""What leaves this package, and how whoever listens is told: one that raises keeps nobody from anything.

Signals are sent after commit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from django.dispatch import Signal

log = logging.getLogger(__name__)

# provides args: step_id (int)
step_recorded = Signal()

# provides args: step_id (int); somebody said of a finished step that it was right or wrong
step_marked = Signal()

# provides args: execution_id (str); sent by the run loop when it begins with a run and when it is done with it
run_begun = Signal()
run_ended = Signal()

# provides args: correction_id (int); it was right often enough, and has to be tried on the stored pictures before it is
# trusted
correction_proved = Signal()

# provides args: executions (list of primary keys); sent in the transaction that drops what was read in these runs:
# whoever keeps a copy of it drops that as well
texts_pruned = Signal()

# provides args: digests (set of str); sent in the transaction after which nothing shows them: whoever deletes by night
# deletes those that could not go at once
pictures_let_go = Signal()


def tell(signal: Signal, warn: Callable[[str, str], None], **told: Any) -> None:
    """Send it robustly; `warn` gets a kind and a message of each receiver that raised, and says each kind once."""
    for receiver, answer in signal.send_robust(**told):
        if isinstance(answer, Exception):
            name = getattr(receiver, "__qualname__", type(receiver).__qualname__)
            warn(f"receiver {name}", f"{name}: {type(answer).__name__}: {answer}")


def call_each(listeners: Iterable[Callable[..., Any]], *said: Any, of: str) -> None:
    """One after the other, in this thread; `of` names in the log what they hear of.

    The GPU has its own (`gpu.runtime.Listeners`): it knows nobody above it, and runs are recorded without it.
    """
    for listener in listeners:
        try:
            listener(*said)
        except Exception:  # other people's code: whatever it raises is its own
            log.exception("a listener for %s failed", of)
