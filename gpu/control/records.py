"""What is known of one model of the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpu.types import ModelState, Purpose, Resident


@dataclass(eq=False, slots=True, kw_only=True)
class Record:
    """`last_used` in seconds of the loop's clock; None: nobody here has used it since it was loaded."""

    name: str
    state: ModelState = ModelState.UNLOADED
    digest: str = ""
    size_mb: int = 0
    need_mb: int | None = None
    learned: bool = False
    last_used: float | None = None
    users: tuple[Purpose, ...] = ()
    resident: Resident | None = None
    adopted: bool = False  # loaded, or taken over, by a request of ours
    context: int | None = None  # what that came to

    def forget(self) -> None:
        """It is not in memory any more."""
        self.resident = self.last_used = self.context = None
        self.adopted = False

    @property
    def is_worth_telling(self) -> bool:
        return self.resident is not None or self.state is not ModelState.UNLOADED

    def told(self) -> dict[str, Any]:
        """As the page shows it."""
        resident = self.resident
        expires = resident.expires_at if resident else None
        return {
            "name": self.name,
            "state": self.state.value,
            "vram_mb": resident.vram_mb if resident else 0,
            "size_mb": resident.size_mb if resident else self.size_mb,
            "need_mb": self.need_mb,
            "context_length": resident.context_length if resident else None,
            "expires_at": expires.isoformat() if expires else None,
        }
