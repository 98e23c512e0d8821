"""What models took of the memory when they were loaded, kept by digest and context (A.9.3)."""

from __future__ import annotations

import logging

from django.db import Error as DatabaseTrouble
from django.utils import timezone

from gpu.database import DatabaseThread
from gpu.models import LearnedNeed

log = logging.getLogger(__name__)


class Needs:
    """A database that refuses costs a line in the log and the size of the file is taken for the need, no more."""

    def __init__(self, database: DatabaseThread) -> None:
        self._database = database
        self._known: dict[tuple[str, int], int] = {}

    async def get(self, digest: str, num_ctx: int) -> int | None:
        """In MB; None where this model was never seen being loaded with this context."""
        key = (digest, num_ctx)
        if key not in self._known:
            try:
                need = await self._database.run(lambda: _stored(digest, num_ctx))
            except DatabaseTrouble as error:
                log.warning("what a model needs of the memory cannot be read: %s", error)
                return None
            if need is None:
                return None
            self._known[key] = need
        return self._known[key]

    async def learn(self, digest: str, num_ctx: int, *, name: str, need_mb: int) -> None:
        """Keep the largest that was seen: to load it into less would fail."""
        need = max(need_mb, await self.get(digest, num_ctx) or 0)
        self._known[digest, num_ctx] = need
        fields = {"name": name, "need_mb": need, "seen_at": timezone.now()}
        try:
            await self._database.run(
                lambda: LearnedNeed.objects.update_or_create(digest=digest, num_ctx=num_ctx, defaults=fields)
            )
        except DatabaseTrouble as error:
            log.warning("what a model needs of the memory cannot be kept: %s", error)


def _stored(digest: str, num_ctx: int) -> int | None:
    return LearnedNeed.objects.filter(digest=digest, num_ctx=num_ctx).values_list("need_mb", flat=True).first()
