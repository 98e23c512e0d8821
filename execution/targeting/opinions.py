"""What somebody who looks at the whole screen adds where the signs do not settle it: a factor on each place's odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from execution.targeting.context import Context
from execution.targeting.weighing import Weighed
from execution.types import RungResult


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Opinion:
    """`result` is what is told of it; `log_factors` (places,) are added to the odds, None where nothing is said."""

    result: RungResult
    log_factors: np.ndarray | None = None


class Adviser(Protocol):
    """Somebody who is asked, in the order given, as long as no place is sure enough."""

    def __call__(self, context: Context, weighed: Weighed) -> Opinion: ...
