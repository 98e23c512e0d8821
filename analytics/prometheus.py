"""What a Prometheus server is told at `/metrics` (S7.4): sums by day, what waits now, robots, GPU, disk.

Eight queries at most, whatever the number of runs: the sums of days long gone are read anew every few minutes only.
Labels are ids of workflows, names of robots and words of the product: nothing of a screen, of a value or of a person.
The words that explain are English, as those of other exporters are.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, Min, OuterRef, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from analytics.figures import Sums
from analytics.models import RunDay, StepDay, StorageDay
from analytics.panels import CLASSES, LADDER
from analytics.rollups import MILLION, WITHIN_S, day_of
from execution.choices import LIVE, ON_DESKTOP, ExecutionState, PromptKind
from execution.models import Execution, Prompt, Robot
from execution.stream.hub import stream_health
from gpu import last_known_status

KEPT_S = 600.0  # so late what changes on an earlier day may be told
MOST_WORKFLOWS, MOST_ROBOTS = 200, 100  # so many rows a number has at most
OTHERS = "(others)"

RUN_SUMS = ("runs", *CLASSES, "took_us", "suggestions", "accepted", *(f"within_{most}s" for most in WITHIN_S))
COUNTED = {  # of the sums of steps: name, what it says
    "done": ("actions", "Actions that were done."),
    "unverified": ("actions_unverified", "Actions that were done and not seen to work."),
    "retries": ("retries", "Attempts after the first one."),
    "degraded": ("steps_degraded", "Steps done while the run was degraded."),
}
TIMED = {
    "robot_us": ("robot_seconds", "Time of steps without waiting for a person."),
    "resolve_us": ("resolve_seconds", "Time taken to find targets; part of the robot's."),
    "waited_us": ("person_seconds", "Time that steps waited for a person."),
}


def exposition(accept: str) -> tuple[bytes, str]:
    """The text in the format that is asked for, and its content type."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Everything())
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class _Everything(Collector):
    def collect(self) -> Iterable[Metric]:
        yield from _runs()
        yield from _steps()
        yield from _now()
        yield from _questions()
        yield from _robots()
        yield from _gpu()
        yield from _stream()
        yield from _disk()


def _named(workflow_ids: Iterable[str]) -> dict[str, str]:
    """The label of each workflow: of very many, the last ones share one."""
    return {name: name if n < MOST_WORKFLOWS else OTHERS for n, name in enumerate(sorted(set(workflow_ids)))}


def _runs() -> Iterator[Metric]:
    sums = _summed(RunDay.objects.order_by().values("workflow_id").annotate(**_totals(RUN_SUMS)), RUN_SUMS)
    ended = CounterMetricFamily("surehand_runs", "Runs that ended, and how.", labels=("workflow", "outcome"))
    took = HistogramMetricFamily("surehand_run_duration_seconds", "From begin to end of a run.", labels=("workflow",))
    asked = CounterMetricFamily("surehand_suggestions", "Suggestions made to people.", labels=("workflow",))
    taken = CounterMetricFamily("surehand_suggestions_accepted", "Suggestions they accepted.", labels=("workflow",))
    for (workflow,), one in sums.items():
        for how in CLASSES:
            ended.add_metric((workflow, how), one[how])
        buckets = [(f"{most}.0", one[f"within_{most}s"]) for most in WITHIN_S]
        took.add_metric((workflow,), [*buckets, ("+Inf", one["runs"])], one["took_us"] / MILLION)
        asked.add_metric((workflow,), one["suggestions"])
        taken.add_metric((workflow,), one["accepted"])
    yield from (ended, took, asked, taken)


def _steps() -> Iterator[Metric]:
    names = ("steps", "succeeded", "wrong", *COUNTED, *TIMED)
    sums = _summed(_past.steps(names), names)
    by_workflow: dict[str, Sums] = {}
    found = CounterMetricFamily("surehand_targets", "Targets found, by the way.", labels=("workflow", "way"))
    for (workflow, rung), one in sums.items():
        by_workflow.setdefault(workflow, Counter()).update(one)
        if rung:
            found.add_metric((workflow, rung), one["steps"])
    steps = CounterMetricFamily("surehand_steps", "Steps, and how they ended.", labels=("workflow", "outcome"))
    # people take it back: no counter
    wrong = GaugeMetricFamily("surehand_steps_said_wrong", "Steps that people said were wrong.", labels=("workflow",))
    for workflow, one in by_workflow.items():
        steps.add_metric((workflow, "succeeded"), one["succeeded"])
        steps.add_metric((workflow, "failed"), one["steps"] - one["succeeded"])
        wrong.add_metric((workflow,), one["wrong"])
    yield from (found, steps, wrong)
    for column, (name, told) in (COUNTED | TIMED).items():
        family = CounterMetricFamily(f"surehand_{name}", told, labels=("workflow",))
        for workflow, one in by_workflow.items():
            family.add_metric((workflow,), one[column] / (MILLION if column in TIMED else 1))
        yield family


class _Past:
    """Sums of the steps of earlier days, kept in memory for a while; those since then are asked for each time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self._day, self._until, self._rows = 0, 0.0, list[dict[str, Any]]()

    def steps(self, names: Iterable[str]) -> list[dict[str, Any]]:
        days: Any = StepDay.objects.order_by().values("workflow_id", "rung").annotate(**_totals(names))
        with self._lock:
            if time.monotonic() >= self._until:
                today = day_of(timezone.now())
                self._rows = list(days.filter(day__lt=today))
                self._day, self._until = today, time.monotonic() + KEPT_S
            day, rows = self._day, self._rows
        return [*rows, *days.filter(day__gte=day)]


_past = _Past()


def _now() -> Iterator[Metric]:
    live = Execution.objects.filter(state__in=LIVE).order_by().values("version__workflow__workflow_id", "state")
    rows = list(live.annotate(n=Count("pk"), oldest=Min("created_at")))
    labels = _named(row["version__workflow__workflow_id"] for row in rows)
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts[labels[row["version__workflow__workflow_id"]], row["state"]] += row["n"]
    now = GaugeMetricFamily("surehand_live_runs", "Runs that have not ended.", labels=("workflow", "state"))
    for key, n in sorted(counts.items()):
        now.add_metric(key, n)
    yield now
    queued = [row for row in rows if row["state"] == ExecutionState.QUEUED]
    yield _gauge("surehand_queue_runs", "Runs that wait for a robot.", sum(row["n"] for row in queued))
    oldest = max((_age(row["oldest"]) for row in queued), default=0.0)
    yield _gauge("surehand_queue_oldest_seconds", "How long the first of them has waited.", oldest)


def _questions() -> Iterator[Metric]:
    rows = Prompt.objects.open().order_by().values("kind").annotate(n=Count("pk"), oldest=Min("created_at"))
    known = {row["kind"]: row for row in rows}
    waiting = GaugeMetricFamily("surehand_questions", "Questions that wait for a person.", labels=("kind",))
    age = GaugeMetricFamily("surehand_question_oldest_seconds", "How old the oldest one is.", labels=("kind",))
    for kind in PromptKind.values:
        row = known.get(kind)
        waiting.add_metric((kind,), row["n"] if row else 0)
        age.add_metric((kind,), _age(row["oldest"]) if row else 0.0)
    yield from (waiting, age)


def _robots() -> Iterator[Metric]:
    at_work = Execution.objects.filter(robot=OuterRef("pk"), state__in=ON_DESKTOP)
    up = GaugeMetricFamily("surehand_robot_up", "1 where its sign of life is fresh.", labels=("robot",))
    busy = GaugeMetricFamily("surehand_robot_busy", "1 where it has a run in hand.", labels=("robot",))
    for robot in Robot.objects.annotate(busy=Exists(at_work)).order_by("-heartbeat_at")[:MOST_ROBOTS]:
        up.add_metric((robot.name,), int(robot.is_alive))
        busy.add_metric((robot.name,), int(robot.is_alive and robot.busy))
    yield from (up, busy)


def _gpu() -> Iterator[Metric]:
    status = last_known_status()
    memory = status["vram"] if status else None
    yield _gauge("surehand_gpu_present", "1 where its owner sees a GPU.", int(memory is not None))
    owned = bool(status and status["owner"] and status["fresh"])
    yield _gauge("surehand_gpu_owner_up", "1 where a live process owns it.", int(owned))
    yield _gauge(
        "surehand_gpu_degraded", "1 where something about it is wrong.", int(bool(status and status["degraded"]))
    )
    yield _gauge("surehand_gpu_queue_requests", "Requests that wait for it.", status["queue_length"] if status else 0)
    if memory:
        used, total = memory["used_mb"] * 2**20, memory["total_mb"] * 2**20
        yield _gauge("surehand_gpu_memory_used_bytes", "Memory in use.", used)
        yield _gauge("surehand_gpu_memory_bytes", "Memory that it has.", total)


def _stream() -> Iterator[Metric]:
    health = stream_health()
    yield _gauge("surehand_stream_sockets", "Browsers and programs that follow runs here.", health.sockets)
    yield _gauge("surehand_stream_lag_seconds", "How old the newest event was when it was handed on.", health.lag_s)


def _disk() -> Iterator[Metric]:
    newest = StorageDay.objects.order_by("-day").first()
    parts = GaugeMetricFamily(
        "surehand_storage_bytes", "What takes how much, at the last nightly look.", labels=("part",)
    )
    for part, size in sorted(newest.parts.items()) if newest else ():
        parts.add_metric((part,), size)
    yield parts
    disk = shutil.disk_usage(settings.DATA_DIR)
    yield _gauge("surehand_disk_free_bytes", "What is free where the data lie.", disk.free)
    yield _gauge("surehand_disk_bytes", "How large that disk is.", disk.total)


def _totals(names: Iterable[str]) -> dict[str, Sum]:
    return {f"sum_{name}": Sum(name) for name in names}


def _summed(rows: Iterable[Mapping[str, Any]], names: Iterable[str]) -> dict[tuple[str, ...], Sums]:
    """By label of the workflow, and by way where the rows have one."""
    kept = sorted(rows, key=lambda row: row["workflow_id"])
    labels = _named(row["workflow_id"] for row in kept)
    found: dict[tuple[str, ...], Sums] = {}
    for row in kept:
        key: tuple[str, ...] = (labels[row["workflow_id"]],)
        if "rung" in row:
            key = (*key, row["rung"] if row["rung"] in ("", *LADDER) else "other")
        place = found.setdefault(key, Counter())
        for name in names:
            place[name] += row[f"sum_{name}"]
    return found


def _gauge(name: str, told: str, value: float) -> Metric:
    return GaugeMetricFamily(name, told, value=value)


def _age(since: Any) -> float:
    """In seconds; clocks are set, also backwards."""
    return max(0.0, (timezone.now() - since).total_seconds())
