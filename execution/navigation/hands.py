"""What an action of several steps, such as `navigate`, is given to work with: eyes, hands, and its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from execution.types import Point, ScreenState
from workflows.graph import NodeSpec
from workflows.secret import Login


class Stopped(Exception):
    """A person asked for pause or stop, the lease is lost or the time is over: nothing more may be done.

    Raised by every look and every touch of `Hands`; a handler need not catch it. `touched`: something was done before.
    """

    touched = False


class Hands(Protocol):
    """One server-side action's hold on the desktop. Points are frame pixels.

    `variables` are the run's, `texts` those of the workflow's `nodes` (what its screens are known by), `deadline` is on
    the clock of `time.monotonic`. Every method raises Stopped once the action must end, and DesktopLost.
    """

    variables: Mapping[str, str]
    texts: tuple[str, ...]
    nodes: tuple[NodeSpec, ...]
    deadline: float

    def observe(self) -> ScreenState:
        """The desktop as it is now."""

    def click(self, point: Point) -> None: ...

    def type_text(self, text: str) -> None: ...

    def press(self, keys: Sequence[str]) -> None:
        """Press a chord such as ("ctrl", "a")."""

    def settle(self) -> ScreenState:
        """The desktop once it stands still."""

    def stopped(self) -> bool:
        """Whether the action must end now: asked to, no longer ours, or out of time."""

    def credential(self, name: str) -> Login:
        """The credentials kept under that name, to be typed at once and kept nowhere. Raises VaultError."""
