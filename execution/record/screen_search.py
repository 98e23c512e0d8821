"""Which screens of which runs showed a text: searched in what was kept after redaction, and in nothing else (S10.4)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import connection
from django.db.models import BooleanField, Exists, Model, OuterRef, QuerySet
from django.db.models.expressions import RawSQL

from execution.choices import EventKind
from execution.language import fuzzy
from execution.models import ExecutionEvent, Step
from execution.record.hidden import HIDDEN
from execution.record.screen_index import POSTGRES_STOOD_TEXTS, POSTGRES_TEXTS

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_ACCENTS = re.compile("[\u0300-\u036f]")
MOST_WORDS = 12
Row = TypeVar("Row", bound=Model)


def words_of(text: str) -> list[str]:
    """The words that are looked for: letters and digits alone, so that nothing of it is syntax."""
    return _WORD.findall(text)[:MOST_WORDS]


def steps_showing(text: str) -> QuerySet[Step]:
    """Steps on whose screen all these words stood, the newest first; the last word may be the beginning of one."""
    return _showing(Step.objects.order_by("-pk"), text, POSTGRES_TEXTS, "SELECT rowid")


def pauses_showing(text: str) -> QuerySet[ExecutionEvent]:
    """The same of the screens at which runs stood still: the first event that tells of each."""
    states = ExecutionEvent.objects.filter(kind=EventKind.STATE)
    before = states.filter(
        execution=OuterRef("execution"),
        seq__lt=OuterRef("seq"),
        payload__pause_detail__picture=OuterRef("payload__pause_detail__picture"),
    )
    found = _showing(states.order_by("-pk"), text, POSTGRES_STOOD_TEXTS, "SELECT -rowid")
    return found.exclude(Exists(before))


def _showing(rows: QuerySet[Row], text: str, on_postgres: str, keys: str) -> QuerySet[Row]:
    on_a_server = connection.vendor == "postgresql"
    words = words_of(_folded(text) if on_a_server else text)
    if not words:
        return rows.none()
    if on_a_server:
        wanted = " & ".join([*words[:-1], f"{words[-1]}:*"])
        return rows.filter(RawSQL(f"{on_postgres} @@ to_tsquery('simple', %s)", (wanted,), BooleanField()))  # noqa: S611  # nosec B611  our own
    wanted = " ".join([*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*'])
    return rows.filter(pk__in=RawSQL(f"{keys} FROM execution_steptexts WHERE texts MATCH %s", (wanted,)))  # noqa: S611  # nosec B611  our own


def _folded(text: str) -> str:
    """As PostgreSQL's index has it, before words are cut: “⑴” is “(1)” there, and a bracket is syntax in a query."""
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.lower()))


def lines_with(shown: Step | ExecutionEvent, text: str, most: int = 3) -> tuple[str, ...]:
    """The lines of a screen that say most of it; what is hidden of one stays hidden."""
    words = [fuzzy.folded(word) for word in words_of(text)]
    scored = [(sum(word in fuzzy.folded(line) for word in words), -n, line) for n, line in enumerate(_lines(shown))]
    best = sorted((one for one in scored if one[0]), reverse=True)[:most]
    return tuple(line for _score, _n, line in best)


def _lines(shown: Step | ExecutionEvent) -> list[str]:
    screen: Mapping[str, Any] = (shown.screen if isinstance(shown, Step) else shown.payload.get("pause_detail")) or {}
    lines = [str(line) for line in (screen.get("perception") or {}).get("detected_text") or ()]
    verified: Mapping[str, Any] = (shown.verification or {}) if isinstance(shown, Step) else {}
    said = [str(verified.get("said") or ""), *map(str, verified.get("came") or ())]
    return [line for line in [*lines, *said] if line and line != HIDDEN]
