"""Which models an admin lets run on another machine (T9): asked by clients right before they send."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate

from django.db import DatabaseError, connections

from gpu.choices import ProviderName
from gpu.models import CatalogueModel
from gpu.ollama.protocol import tagged

log = logging.getLogger(__name__)

FRESH_S = 2.0  # so long after an admin has changed it, it is obeyed everywhere
PATIENCE_S = 1.0  # reading waits for nobody who writes; a database that is away is not waited for


class AllowedModels:
    """Those of one provider, by its names; what cannot be read is not allowed. For any thread and any event loop."""

    def __init__(self, provider: ProviderName, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._provider, self._clock = provider, clock
        self._lock = threading.Lock()
        self._names: frozenset[str] = frozenset()
        self._read_at: float | None = None

    def __call__(self, model: str) -> bool:
        with self._lock:
            if self._read_at is None or self._clock() - self._read_at >= FRESH_S:
                self._names, self._read_at = self._read(), self._clock()
            return tagged(model) in self._names

    def _read(self) -> frozenset[str]:
        """In a thread of its own: an event loop may run in the caller's, where Django refuses to ask."""
        reader = ThreadPoolExecutor(1, "allowed-models")
        try:
            return reader.submit(_names, self._provider).result(PATIENCE_S)
        except (DatabaseError, TooLate) as error:
            log.warning("which models may run on another machine cannot be read, so none may: %s", error)
            return frozenset()
        finally:
            reader.shutdown(wait=False)


def _names(provider: ProviderName) -> frozenset[str]:
    try:
        allowed = CatalogueModel.objects.filter(provider=provider, allow_remote=True, enabled=True)
        return frozenset(tagged(name) for name in allowed.values_list("name", flat=True))
    finally:
        connections.close_all()


is_allowed = AllowedModels(ProviderName.OLLAMA)
is_allowed_at_openai = AllowedModels(ProviderName.OPENAI)
