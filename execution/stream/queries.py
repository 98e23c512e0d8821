"""What the hub reads: each function is a query or a few for all sockets together, in the thread that calls it.

No transaction spans them (on SQLite even a reading one takes the write lock). A snapshot's number is read first: what
is newer than it is told again by the events that follow, and telling it twice changes nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Max, Q, TextField
from django.db.models.functions import Cast
from django.utils import translation

from execution.choices import FINAL, ON_DESKTOP, EventKind, ExecutionState
from execution.models import Execution, ExecutionEvent
from execution.record.rows import run_row, with_rows
from execution.record.snapshot import run_snapshot
from execution.running.live_picture import path_of
from sentences.said import holds_sentences, in_words

REPLAY_LIMIT = 1000  # whoever is further behind gets a snapshot: it is smaller, and sooner there
READ_LIMIT = 64  # events a read; bounds what one turn holds in memory
SNAPSHOT_STEP_BYTES = 1024 * 1024
RECENT_RUNS = 50
EXECUTIONS_A_QUERY = 200  # SQLite parses at most 1000 nested conditions

NOT_FINAL = [state for state in ExecutionState if state not in FINAL]


@dataclass(frozen=True, slots=True)
class WordedEvent:
    """One event as it is sent: already JSON, by language, made once for all who read it in that one."""

    seq: int
    texts: Mapping[str, str]
    is_state: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class SnapshotTexts:
    """A run as it is: already JSON, by language."""

    seq: int
    texts: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class RunReading:
    """News of one run. `pieces` are unbroken sequences of events; whose cursor is in `stale` gets the snapshot."""

    head: int
    pieces: list[list[WordedEvent]] = field(default_factory=list)
    stale: set[int | None] = field(default_factory=set)
    snapshot: SnapshotTexts | None = None

    def after(self, cursor: int) -> list[WordedEvent]:
        """The events that follow `cursor` without a gap; empty when none of the pieces holds the next one."""
        for piece in self.pieces:
            if piece[0].seq <= cursor + 1 <= piece[-1].seq:
                return piece[cursor + 1 - piece[0].seq :]
        return []


def to_json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, separators=(",", ":"))


def find(execution_id: str) -> int | None:
    return Execution.objects.filter(execution_id=execution_id).values_list("pk", flat=True).first()


def read(wanted: Mapping[int, Collection[int | None]], languages: Collection[str]) -> dict[int, RunReading]:
    """What is new for each execution's cursors (None asks for a snapshot). An execution that is gone is not in it.

    The furthest cursor of an execution is served first, then the one that lags most: nobody who is up to date waits for
    somebody who replays.
    """
    heads = dict(Execution.objects.filter(pk__in=wanted).values_list("pk", "next_seq"))
    readings = {pk: RunReading(head=next_seq - 1) for pk, next_seq in heads.items()}
    newest, oldest = {}, {}
    for pk, reading in readings.items():
        behind = []
        for cursor in wanted[pk]:
            if cursor is None or not 0 <= reading.head - cursor <= REPLAY_LIMIT:
                reading.stale.add(cursor)
            elif cursor < reading.head:
                behind.append(cursor)
        if behind:
            newest[pk], oldest[pk] = max(behind), min(behind)
    _read_into(readings, newest, languages)
    _read_into(readings, {pk: cursor for pk, cursor in oldest.items() if cursor != newest[pk]}, languages)
    for pk, reading in readings.items():
        if reading.stale:
            reading.snapshot = snapshot(pk, languages)
    return {pk: r for pk, r in readings.items() if not r.stale or r.snapshot}


def _read_into(readings: dict[int, RunReading], cursors: Mapping[int, int], languages: Collection[str]) -> None:
    found = events(cursors, languages)
    was_cut_off = sum(map(len, found.values())) >= READ_LIMIT
    for pk, cursor in cursors.items():
        piece = _unbroken(found.get(pk, []), cursor)
        if piece:
            readings[pk].pieces.append(piece)
        elif pk in found or not was_cut_off:
            readings[pk].stale.add(cursor)  # the event after the cursor is no longer kept


def _unbroken(rows: list[WordedEvent], cursor: int) -> list[WordedEvent]:
    """The events that follow `cursor` one by one, up to the first that is missing."""
    return [event for number, event in enumerate(rows, cursor + 1) if event.seq == number]


def events(cursors: Mapping[int, int], languages: Collection[str]) -> dict[int, list[WordedEvent]]:
    """The next events after each run's cursor, in order, READ_LIMIT in all."""
    found: dict[int, list[WordedEvent]] = defaultdict(list)
    pks = sorted(cursors)
    for start in range(0, len(pks), EXECUTIONS_A_QUERY):
        condition = Q()
        for pk in pks[start : start + EXECUTIONS_A_QUERY]:
            condition |= Q(execution=pk, seq__gt=cursors[pk])
        # The payload stays text where it holds no sentences: nobody here looks into it then, and some hold 64 KiB.
        rows = (
            ExecutionEvent.objects.filter(condition)
            .order_by("execution", "seq")
            .values_list("execution", "seq", "kind", "at", Cast("payload", TextField()))
        )
        for pk, seq, kind, at, payload in rows[:READ_LIMIT]:
            head = to_json({"seq": seq, "kind": kind, "at": at.isoformat()})
            texts = _by_language(f'{head[:-1]},"payload":{payload}}}', languages)
            found[pk].append(WordedEvent(seq, texts, kind == EventKind.STATE, at))
    return found


def _by_language(event: str, languages: Collection[str]) -> dict[str, str]:
    """JSON with its sentences in words, for readers of each language."""
    if not holds_sentences(event):
        return dict.fromkeys(languages, event)
    value, told = json.loads(event), {}
    for language in languages:
        with translation.override(language):
            told[language] = to_json(in_words(value))
    return told


def snapshot(pk: int, languages: Collection[str]) -> SnapshotTexts | None:
    """The run as it is: for whoever connects anew or is too far behind. None when the run is gone."""
    execution = Execution.objects.select_related("version__workflow").defer("version__graph").filter(pk=pk).first()
    if execution is None:
        return None
    message = {"type": "snapshot", **run_snapshot(execution)}
    steps = message.pop("steps")
    texts = {}
    for language in languages:
        with translation.override(language):
            texts[language] = _snapshot_text(message, steps)
    return SnapshotTexts(message["seq"], texts)


def _snapshot_text(message: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> str:
    """In the active language; of the steps, the newest of which comes last, as many of the newest as it may hold."""
    texts, size = [], 0
    for step in reversed(steps):
        texts.append(to_json(in_words(step)))
        size += len(texts[-1])
        if size > SNAPSHOT_STEP_BYTES:
            break
    body = to_json(in_words(message))
    return f'{body[:-1]},"steps":[{",".join(reversed(texts))}]}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRuns:
    """What followers of all runs were told of: each run that may get events, with its next number; the newest run."""

    seqs: Mapping[int, int] = field(default_factory=dict)
    newest: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsNews:
    """What followers of all runs are to be told: rows as JSON, by language; `known` is for the next asking."""

    known: KnownRuns
    changed: set[int]
    texts: dict[str, dict[int, str]]
    attention: int

    def rows(self, language: str, *, everything: bool) -> dict[int, str]:
        """The rows that changed, or all that were read, for somebody who is new."""
        return {pk: text for pk, text in self.texts[language].items() if everything or pk in self.changed}


def news_of_runs(known: KnownRuns, languages: Iterable[str], for_new: bool) -> RunsNews:
    """The rows of the runs that got events since `known`; `for_new` adds those at work and the recent ones."""
    now_known, changed = _changes(known)
    pks = set(changed)
    if for_new:
        pks |= set(now_known.seqs) | set(Execution.objects.values_list("pk", flat=True)[:RECENT_RUNS])
    executions = list(with_rows().filter(pk__in=pks).order_by("pk")) if pks else []
    texts = {}
    for language in languages:
        with translation.override(language):
            texts[language] = {execution.pk: to_json(run_row(execution)) for execution in executions}
    attention = Execution.objects.needing_a_person().count()
    return RunsNews(known=now_known, changed=changed, texts=texts, attention=attention)


def _changes(known: KnownRuns) -> tuple[KnownRuns, set[int]]:
    """What is known now, and which runs have news; one that has ended is forgotten after its last."""
    newest = known.newest
    if newest is None:
        newest = Execution.objects.aggregate(newest=Max("pk", default=0))["newest"]
    asked = Q(state__in=NOT_FINAL) | Q(pk__in=list(known.seqs)) | Q(pk__gt=newest)
    seqs, changed = {}, set()
    for pk, next_seq, state in Execution.objects.filter(asked).order_by().values_list("pk", "next_seq", "state"):
        if known.seqs.get(pk) != next_seq:
            changed.add(pk)
        if state not in FINAL or pk in changed:
            seqs[pk] = next_seq
        newest = max(newest, pk)
    return KnownRuns(seqs=seqs, newest=newest), changed


def robots(pks: Collection[int]) -> dict[int, tuple[str, str]]:
    """The text id of each of these runs that is on a desktop now, and the robot that holds it there."""
    at_work = Execution.objects.filter(pk__in=pks, state__in=ON_DESKTOP, robot__isnull=False)
    return {pk: (text, robot) for pk, text, robot in at_work.values_list("pk", "execution_id", "robot__name")}


def pictures(robot_names: Collection[str]) -> dict[str, int]:
    """When each robot's live picture was taken, in nanoseconds; robots without one are not in it."""
    taken = {}
    for name in robot_names:
        try:
            taken[name] = path_of(name).stat().st_mtime_ns
        except FileNotFoundError:
            continue
    return taken
