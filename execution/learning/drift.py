"""Drift (S6.7), told by sequential tests that keep a stated rate of false alarms.

Two things are watched. How sure a screen was recognised has no known distribution, so its ranks are used: while nothing
changes, the rank of a new value among all before it is uniform and independent of theirs, whatever the distribution
(Vovk, Gammerman and Shafer 2005, 8.1; ties by a draw). Small ranks are betted on. Whether a step was verified is tested
against a rate of failures that is put up with, by likelihood ratios against higher ones.

Each bet multiplies by a factor whose mean is at most 1 while nothing changes. The evidence sums all products that could
have begun at any time: R = (1 + R) · factor (Shiryaev 1963, Roberts 1966; as an e-detector: Shin, Ramdas and Rinaldo
2023). Then R minus the number of looks is a martingale or falls, and by Doob's inequality the chance that R reaches
LOOKS / RATE within LOOKS looks is at most RATE, however the looks before it went and whenever one counts from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

LOOKS, RATE = 1000, 0.01  # in 1 000 looks at what does not change, at most 1 in 100 is ever told to have changed
ALARM = LOOKS / RATE
WATCHED = LOOKS / 0.25  # not told to anybody; shown
RECENT = 10  # S6.7: so many confidences are kept and shown

_BETS = (0.15, 0.35, 0.6)  # powers of ranks: the smaller, the more on a great change
_MATERIAL = 0.02  # a change of rank that is a smaller fall of confidence is none that anybody should mend
_GRAIN = 1000  # confidences are compared in thousandths
PUT_UP_WITH = 0.05  # of the steps may fail without being told
_WORSE = (0.15, 0.3, 0.6)
_FULL = 1e300


class Advice(StrEnum):
    """What somebody should do about it."""

    NONE = "none"
    WATCH = "watch"
    RE_TEACH = "re-teach"


@dataclass(frozen=True, slots=True)
class DriftStatus:
    """S11.7: whether it has changed, how much of the way to not being known any more it is (0 to 1), and what to do."""

    is_drifting: bool = False
    drift_severity: float = 0.0
    recommended_action: str = Advice.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Surety:
    """How sure one screen was recognised, look by look; a value: `saw` gives the next one.

    `seen` counts all confidences by thousandths, `recent` are the last ten, `evidence` is R for each bet.
    """

    seen: Mapping[int, int] = field(default_factory=dict)
    recent: tuple[float, ...] = ()
    evidence: tuple[float, ...] = (0.0,) * len(_BETS)
    told: bool = False

    def saw(self, confidence: float, *, draw: float) -> Self:
        """After one more look; `draw` is uniform on 0 to 1, and breaks ties."""
        value = round(min(1.0, max(0.0, confidence)) * _GRAIN)
        below = sum(count for other, count in self.seen.items() if other < value)
        equal = self.seen.get(value, 0) + 1
        rank = max((below + draw * equal) / (self.looks + 1), 1e-12)
        evidence = tuple(
            min(_FULL, (1 + r) * bet * rank ** (bet - 1)) for r, bet in zip(self.evidence, _BETS, strict=True)
        )
        later = replace(
            self,
            seen={**self.seen, value: equal},
            recent=(*self.recent, round(min(1.0, max(0.0, confidence)), 4))[-RECENT:],
            evidence=evidence,
        )
        return replace(later, told=self.told or (later.strength >= ALARM and later.fell >= _MATERIAL))

    @property
    def looks(self) -> int:
        return sum(self.seen.values())

    @property
    def strength(self) -> float:
        return sum(self.evidence) / len(self.evidence)

    @property
    def usual(self) -> float:
        """The mean of all but the last ten."""
        looks, recent = self.looks, len(self.recent)
        if looks <= recent:
            return sum(self.recent) / recent if recent else 0.0
        total = sum(value * count for value, count in self.seen.items()) / _GRAIN
        return (total - sum(self.recent)) / (looks - recent)

    @property
    def fell(self) -> float:
        """How much less sure the latest looks are than all before; of those half that are least sure, for a change is
        told before it fills the last ten."""
        if self.looks <= len(self.recent):
            return 0.0
        least = sorted(self.recent)[: (len(self.recent) + 1) // 2]
        return max(0.0, self.usual - sum(least) / len(least))

    def status(self, threshold: float) -> DriftStatus:
        """`threshold` is the confidence below which the screen is not recognised."""
        severity = min(1.0, self.fell / max(_MATERIAL, self.usual - threshold))
        return _status(self.told, self.strength, severity)

    def to_json(self) -> dict[str, Any]:
        return {
            "seen": {str(value): count for value, count in self.seen.items()},
            "recent": list(self.recent),
            "evidence": list(self.evidence),
            "told": self.told,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave; anew where it is of another shape."""
        evidence = tuple(float(one) for one in data.get("evidence", ()))
        if len(evidence) != len(_BETS):
            return cls()
        seen = {int(value): int(count) for value, count in data.get("seen", {}).items()}
        return cls(
            seen=seen, recent=tuple(data.get("recent", ())), evidence=evidence, told=bool(data.get("told"))
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Whether one step was verified, time by time; a value: `saw` gives the next one."""

    recent: tuple[bool, ...] = ()
    evidence: tuple[float, ...] = (0.0,) * len(_WORSE)
    told: bool = False

    def saw(self, good: bool) -> Self:
        factors = ((1 - worse) / (1 - PUT_UP_WITH) if good else worse / PUT_UP_WITH for worse in _WORSE)
        evidence = tuple(min(_FULL, (1 + r) * factor) for r, factor in zip(self.evidence, factors, strict=True))
        strength = sum(evidence) / len(evidence)
        return replace(
            self, recent=(*self.recent, good)[-RECENT:], evidence=evidence, told=self.told or strength >= ALARM
        )

    def status(self) -> DriftStatus:
        strength = sum(self.evidence) / len(self.evidence)
        failed = self.recent.count(False) / len(self.recent) if self.recent else 0.0
        return _status(self.told, strength, failed)

    def to_json(self) -> dict[str, Any]:
        return {"recent": list(self.recent), "evidence": list(self.evidence), "told": self.told}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        evidence = tuple(float(one) for one in data.get("evidence", ()))
        if len(evidence) != len(_WORSE):
            return cls()
        return cls(recent=tuple(bool(r) for r in data.get("recent", ())), evidence=evidence, told=bool(data["told"]))


def _status(told: bool, strength: float, severity: float) -> DriftStatus:
    if told:
        return DriftStatus(True, round(severity, 4), Advice.RE_TEACH)
    return DriftStatus(False, round(severity, 4), Advice.WATCH if strength >= WATCHED else Advice.NONE)


def draw_of(*names: str | int) -> float:
    """A number on 0 to 1 that nobody chose and that is the same every time: what was told can be worked out again."""
    digest = hashlib.blake2b("\0".join(str(name) for name in names).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def after(surety: Surety, confidences: Iterable[float], *, of: Sequence[str | int] = ()) -> Surety:
    """After all these looks at the screen of that name."""
    for confidence in confidences:
        surety = surety.saw(confidence, draw=draw_of(*of, surety.looks))
    return surety
