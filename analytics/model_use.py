"""What models were asked and what it took: by day, model and purpose, for all or for one run (S4.4, S7)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from gpu.choices import ProviderName, UseOutcome
from gpu.config import is_this_machine
from gpu.models import ModelUse

DAYS = 30
MOST_DAYS = 400
PAGE = 5000
COLUMNS = (
    "at", "model", "provider", "purpose", "outcome", "error", "instead_of", "tokens_in", "tokens_out", "seconds",
    "load_seconds",
)  # fmt: skip
LOCAL, REMOTE = "local", "remote"
CLOUD = (":cloud", "-cloud")

Row = dict[str, Any]
Key = tuple[date, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which uses: from a day to a day, both included; of one run its days do not matter."""

    since: date | None = None
    until: date | None = None
    model: str = ""
    purpose: str = ""
    execution_id: str = ""

    def days(self) -> tuple[date, date]:
        until = self.until or timezone.localdate()
        return self.since or until - timedelta(days=DAYS - 1), until

    def uses(self) -> QuerySet[ModelUse]:
        named = {name: value for name in ("model", "purpose", "execution_id") if (value := getattr(self, name))}
        chosen = ModelUse.objects.order_by().filter(**named)
        if self.execution_id:
            return chosen
        since, until = self.days()
        return chosen.filter(at__gte=_midnight(since), at__lt=_midnight(until + timedelta(days=1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUseReport:
    """`rows` by day, model and purpose; `fallbacks` from a model to the one after it; `totals` of all of it."""

    rows: list[Row] = field(default_factory=list)
    fallbacks: list[Row] = field(default_factory=list)
    totals: Row = field(default_factory=dict)


def model_use(scope: Scope, *, by_day: bool = True) -> ModelUseReport:
    """One query. Seconds are those of answers, not of failures; without `by_day` all days are one row."""
    groups: dict[Key, _Group] = defaultdict(_Group)
    pairs: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    total, zone, since = _Group(), timezone.get_current_timezone(), scope.days()[0]
    for at, model, provider, purpose, *took in scope.uses().values_list(*COLUMNS).iterator(PAGE):
        use = _Took(*took)
        groups[at.astimezone(zone).date() if by_day else since, model, provider, purpose].add(use)
        total.add(use)
        if use.instead_of:
            pairs[use.instead_of, model][0] += 1
            pairs[use.instead_of, model][1] += use.outcome == UseOutcome.ANSWERED
    ordered = sorted(groups.items(), key=lambda one: (-one[0][0].toordinal(), *one[0][1:]))
    rows = [
        {"day": day.isoformat(), "model": model, "provider": provider, "purpose": purpose, **group.told(),
         "cost": cost_of(model, provider)}
        for (day, model, provider, purpose), group in ordered
    ]  # fmt: skip
    cost = next((row["cost"] for row in rows if row["cost"]["reason"] == REMOTE), cost_of(""))
    fallbacks = [
        {"from": old, "to": new, "times": times, "answered": answered}
        for (old, new), (times, answered) in sorted(pairs.items(), key=lambda one: (-one[1][0], one[0]))
    ]
    return ModelUseReport(rows=rows, fallbacks=fallbacks, totals={**total.told(), "cost": cost})


class _Took(NamedTuple):
    outcome: str
    error: str
    instead_of: str
    tokens_in: int
    tokens_out: int
    seconds: float
    load_seconds: float


@dataclass(slots=True)
class _Group:
    """Uses that are told together."""

    outcomes: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    fallbacks: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    load_seconds: float = 0.0
    seconds: list[float] = field(default_factory=list)

    def add(self, use: _Took) -> None:
        self.outcomes[use.outcome] += 1
        self.fallbacks += bool(use.instead_of)
        self.tokens_in += use.tokens_in
        self.tokens_out += use.tokens_out
        self.load_seconds += use.load_seconds
        if use.outcome == UseOutcome.FAILED:
            self.errors[use.error or "unknown"] += 1
        elif use.outcome == UseOutcome.ANSWERED:
            self.seconds.append(use.seconds)

    def told(self) -> Row:
        self.seconds.sort()
        return {
            "calls": self.outcomes.total(),
            "answered": self.outcomes[UseOutcome.ANSWERED],
            "failed": self.outcomes[UseOutcome.FAILED],
            "cancelled": self.outcomes[UseOutcome.CANCELLED],
            "failed_by": dict(sorted(self.errors.items(), key=lambda one: (-one[1], one[0]))),
            "fallbacks": self.fallbacks,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "seconds_p50": _not_exceeded(self.seconds, percent=50),
            "seconds_p95": _not_exceeded(self.seconds, percent=95),
            "load_seconds": round(self.load_seconds, 3),
        }


def _not_exceeded(ordered: list[float], *, percent: int) -> float | None:
    """The value that so many of a hundred did not exceed (nearest rank)."""
    return round(ordered[-(-len(ordered) * percent // 100) - 1], 3) if ordered else None


def cost_of(model: str, provider: str = ProviderName.OLLAMA) -> dict[str, str | None]:
    """Nothing, because it ran here; what a cloud, or an OpenAI-compatible server elsewhere, asks is not known here."""
    elsewhere = provider == ProviderName.OPENAI and not is_this_machine(settings.RPA_OPENAI_URL or "http://localhost")
    if elsewhere or model.lower().endswith(CLOUD):
        return {"amount": None, "reason": REMOTE}
    return {"amount": "0.00", "reason": LOCAL}


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
