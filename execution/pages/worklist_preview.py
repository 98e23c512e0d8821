"""What the page says of a file before its rows come in: how it was read, its columns, what is open (S12.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _

from execution.models import Worklist
from execution.worklists.bringing import Looked
from execution.worklists.intake.checking import BadCell
from execution.worklists.intake.delimited import ALONE, DELIMITERS
from execution.worklists.intake.encodings import ENCODINGS
from execution.worklists.intake.preview import About, Question
from sentences.said import worded
from workflows.choices import VariableKind
from workflows.secret_names import holds_secret

EXAMPLES = 2  # cells of a column that tell what it holds
MOST_SHOWN = 60  # characters of one

Options = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownColumn:
    index: int
    letter: str
    head: str
    examples: Sequence[str]
    chosen: str
    fills: str  # the column of the list, where no variable is chosen
    is_key: bool
    is_hidden: bool
    is_date: bool
    order: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An open question; `confirmed` is what says that it may stay as it is, empty where something must be chosen."""

    said: str
    confirmed: str
    about: str
    column: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    reading: str
    encodings: Options
    delimiters: Options
    variables: Options
    columns: Sequence[ShownColumn]
    asked: Sequence[Asked]
    confirmed: Sequence[str]
    notes: Sequence[str]
    refused: Sequence[str]
    posted: Mapping[str, str]
    orders: Options


def shown(one: Worklist, looked: Looked, posted: Mapping[str, Any]) -> Shown:
    """All that the template needs, in the active language."""
    is_same = posted.get("of") == looked.digest
    kept = {name: posted.get(name, "") if is_same else "" for name in ("encoding", "delimiter", "sheet", "head")}
    hidden = {True: "yes", False: ""}[looked.plan.with_hidden]
    graph = one.at_version().spec()
    offered = [v for v in graph.asked if not holds_secret(v)]
    kinds = {v.name: v.kind for v in offered}
    confirmed = posted.getlist("confirm") if is_same and hasattr(posted, "getlist") else []
    return Shown(
        reading="|".join(_reading(kept)),
        encodings=[("", _("found: %(name)s") % {"name": looked.preview.source.encoding}), *((e, e) for e in ENCODINGS)],
        delimiters=[
            ("", _("found: %(name)s") % {"name": delimiter_words(looked.preview.source.delimiter)}),
            *((d.replace("\t", "tab"), delimiter_words(d)) for d in (*DELIMITERS, ALONE)),
        ],
        variables=[(v.name, v.label or v.name) for v in offered],
        columns=_columns(one, looked, kinds),
        asked=[_asked(question) for question in looked.preview.questions],
        confirmed=confirmed,
        notes=[worded(note) for note in looked.preview.notes],
        refused=[worded(reason) for reason in looked.checked.refused],
        posted={**kept, "hidden": posted.get("hidden", "") if is_same else hidden},
        orders=[("day_first", _("day, month, year")), ("month_first", _("month, day, year"))],
    )


def _reading(kept: Mapping[str, str]) -> tuple[str, str, str, str]:
    head = kept["head"].strip()
    return kept["encoding"], kept["delimiter"].replace("tab", "\t"), kept["sheet"], head if head.isdigit() else "None"


def delimiter_words(delimiter: str) -> str:
    match delimiter:
        case "\t":
            return _("tab character")
        case "":
            return "–"
        case _:
            return _("none: one column") if delimiter == ALONE else delimiter


def _columns(one: Worklist, looked: Looked, kinds: Mapping[str, str]) -> list[ShownColumn]:
    plan = looked.plan
    return [
        ShownColumn(
            index=column.index,
            letter=column.letter,
            head=column.head,
            examples=_examples(looked, column.index),
            chosen=plan.mapping.get(column.index, ""),
            fills=looked.columns.get(column.index, ""),
            is_key=column.index in plan.keys,
            is_hidden=column.is_hidden,
            is_date=kinds.get(plan.mapping.get(column.index, "")) == VariableKind.DATE,
            order=plan.orders.get(column.index, ""),
        )
        for column in plan.columns
    ]


def _examples(looked: Looked, index: int) -> list[str]:
    cells = (row.at(index) for row in looked.preview.rows)
    return [str(cell)[:MOST_SHOWN] for cell in cells if cell][:EXAMPLES]


def bad_cells(bad: Iterable[BadCell]) -> list[dict[str, Any]]:
    """Each with its reason in words."""
    return [{**asdict(cell), "reason": worded(cell.reason)} for cell in bad]


def _asked(question: Question) -> Asked:
    chosen_elsewhere = question.about in (About.DATE_ORDER, About.HIDDEN_ROWS)
    return Asked(
        said=worded(question.said),
        confirmed="" if chosen_elsewhere else question.key,
        about=question.about,
        column=question.column,
    )
