"""The same step in earlier runs, and what differs from the last run that went well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.choices import ExecutionState, Outcome
from execution.language import fuzzy
from execution.language.volatile import lasting
from execution.models import Execution, Step
from execution.record.hidden import HIDDEN
from execution.types import ResolveStatus

RUNS_BACK = 100  # as far as "how often" looks
SHOWN = 5
MOST_TEXTS = 4
SHORTEST = 3  # letters: what is shorter is a mark that was read as a letter
_OF_STEP = (
    "index", "node_id", "edge_id", "outcome", "verified", "retries", "score", "picture_before", "suggestion__box",
    "suggestion__status", "execution__execution_id", "execution_id", "execution__started_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stood:
    """A text, and where it stood on the picture."""

    text: str
    box: tuple[float, float, float, float]


class Way(NamedTuple):
    """A step as far as it says which way a run went."""

    at: int
    node_id: str
    edge_id: str
    success: bool


def earlier(step: Step, before: QuerySet[Execution]) -> dict[str, Any]:
    """Its last times as rows, and in a sentence how it went in all of the runs that are looked back on."""
    if not step.edge_id:
        return {"rows": [], "said": ""}
    runs = list(before.values_list("pk", flat=True)[:RUNS_BACK])
    rows = list(Step.objects.filter(execution__in=runs, edge_id=step.edge_id).order_by("-pk").values(*_OF_STEP))
    return {"rows": [_row(row) for row in rows[:SHOWN]], "said": _said(rows)}


def runs_before(execution: Execution) -> QuerySet[Execution]:
    """Earlier runs of the same workflow, the last one first."""
    return Execution.objects.filter(version__workflow_id=execution.version.workflow_id, pk__lt=execution.pk).order_by(
        "-pk"
    )


def difference(execution: Execution, step: Step) -> dict[str, Any] | None:
    """Against the last run that went well: how the screen differs, and which step was the first to go another way."""
    good = last_good(execution)
    if good is None or not step.screen:
        return None
    ours, theirs = ways(execution, good)
    at = counterpart(step, ours, theirs)
    then = Step.objects.filter(execution=good, index=at).first() if at else None
    known = [str(value) for run in (execution, good) for value in run.variables.values()]
    found: dict[str, Any] = {"said": [_("It had no such step.")], "box": None}
    if then and not then.screen:
        found = {"said": [_("What was read then is no longer kept.")], "box": None, "same": True}
    elif then:
        found = differences(step, then, known)
    return {
        **found,
        "run": good.execution_id,
        "number": good.pk,
        "index": then.index if then else None,
        "picture": then.picture_before if then else "",
        "first": first_difference(ours, theirs),
    }


def last_good(execution: Execution) -> Execution | None:
    """The last run before this one that came to its end."""
    good = runs_before(execution).filter(state=ExecutionState.COMPLETED)
    return good.select_related("version").defer("version__graph").first()


def ways(execution: Execution, good: Execution) -> tuple[list[Way], list[Way]]:
    """How each of the two runs went, step by step."""
    columns = ("execution_id", "index", "node_id", "edge_id", "success")
    found: dict[int, list[Way]] = {execution.pk: [], good.pk: []}
    both = Step.objects.filter(execution__in=[execution.pk, good.pk]).order_by("index")
    for run, *way in both.values_list(*columns):
        found[run].append(Way(*way))
    return found[execution.pk], found[good.pk]


def first_difference(ours: Sequence[Way], theirs: Sequence[Way]) -> int | None:
    """The number of the first step that went another way than in the good run; None where none did."""
    for n, mine in enumerate(ours):
        if n >= len(theirs) or mine[1:] != theirs[n][1:]:
            return mine.at
    return None


def counterpart(step: Step, ours: Sequence[Way], theirs: Sequence[Way]) -> int | None:
    """The same action in the good run: as many times after others of it as here; else the same screen's first step."""
    if step.edge_id:
        done_before = sum(one.edge_id == step.edge_id and one.success and one.at < step.index for one in ours)
        same = [one.at for one in theirs if one.edge_id == step.edge_id and one.success]
        if same:
            return same[min(done_before, len(same) - 1)]
    later = (one.at for one in theirs if one.node_id == step.node_id and one.at >= step.index)
    return next(later, None)


def differences(step: Step, then: Step, known: Iterable[str]) -> dict[str, Any]:
    """What of the screen is another than it was then: texts that came and went, and what stands at the target's place.

    `known` are the values that the two runs were started with: they differ as they should.
    """
    now_texts, then_texts = _texts(step.screen), _texts(then.screen)
    came = _only_in(now_texts, then_texts, known)
    gone = _only_in(then_texts, now_texts, known)
    said = []
    box = (then.suggestion or {}).get("box")
    at = _at(now_texts, box) if box else ""
    was = _at(then_texts, box) if box else ""
    if was and at and fuzzy.similarity(was, at) < fuzzy.SAME:
        said.append(_("Where “%(was)s” was then, “%(now)s” stands now.") % {"was": was, "now": at})
    else:
        was = at = ""
    told_gone, told_came = ([x for x in texts if x.text != at_place] for texts, at_place in ((gone, was), (came, at)))
    said += [_("Then and not now: %(texts)s.") % {"texts": _quoted(told_gone)}] if told_gone else []
    said += [_("Now and not then: %(texts)s.") % {"texts": _quoted(told_came)}] if told_came else []
    same = not said
    if same:
        said = [_("The same texts were on the screen then.")]
    return {
        "said": said,
        "same": same,
        "came": [{"text": one.text, "box": list(one.box)} for one in came],
        "gone": [{"text": one.text, "box": list(one.box)} for one in gone],
        "box": box,
    }


def _texts(screen: dict[str, Any] | None) -> list[Stood]:
    perception = (screen or {}).get("perception") or {}
    lines = zip(perception.get("detected_text") or (), perception.get("text_boxes") or (), strict=False)
    return [Stood(text, (b[0], b[1], b[2], b[3])) for text, b in lines if HIDDEN not in text]


def _only_in(these: Sequence[Stood], those: Sequence[Stood], known: Iterable[str]) -> list[Stood]:
    values = [value for value in known if value]
    return [
        one
        for one in these
        if len(lasting(one.text).strip()) >= SHORTEST
        and not any(value.casefold() in one.text.casefold() for value in values)
        and not any(fuzzy.similarity(one.text, other.text) >= fuzzy.SEEN for other in those)
    ][:MOST_TEXTS]


def _at(texts: Sequence[Stood], box: Sequence[float]) -> str:
    """What is read within a box."""
    inside = [one.text for one in texts if _covers(box, one.box)]
    return " ".join(inside)


def _covers(box: Sequence[float], other: Sequence[float]) -> bool:
    width = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    height = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    return width > 0 and height > 0 and width * height > 0.5 * min(other[2] * other[3], box[2] * box[3])


def _quoted(texts: Sequence[Stood]) -> str:
    return ", ".join(_("“%(text)s”") % {"text": one.text} for one in texts)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    run = row["execution__execution_id"]
    return {
        "run": run,
        "number": row["execution_id"],
        "index": row["index"],
        "at": row["execution__started_at"].isoformat() if row["execution__started_at"] else "",
        "picture": row["picture_before"],
        "box": row["suggestion__box"],
        "score": row["score"],
        "outcome": row["outcome"],
        "retries": row["retries"],
        "url": reverse("run_step", args=[run, row["index"]]),
    }


def _said(rows: Sequence[dict[str, Any]]) -> str:
    """“Found 46 of 46 times. Needed a second try 3 times.”"""
    if not rows:
        return _("This is its first time.")
    sought = [row for row in rows if row["suggestion__status"] not in (None, ResolveStatus.NOT_NEEDED)]
    found = sum(row["suggestion__status"] == ResolveStatus.FOUND for row in sought)
    again = sum(row["retries"] > 0 for row in rows)
    failed = sum(row["outcome"] == Outcome.FAILED for row in rows)
    said = []
    if sought:
        words = ngettext("Found %(n)d of %(m)d time before.", "Found %(n)d of %(m)d times before.", len(sought))
        said.append(words % {"n": found, "m": len(sought)})
    else:
        said.append(ngettext("Done %(n)d time before.", "Done %(n)d times before.", len(rows)) % {"n": len(rows)})
    if again:
        said.append(ngettext("Tried twice %(n)d time.", "Tried twice %(n)d times.", again) % {"n": again})
    if failed:
        said.append(ngettext("Failed %(n)d time.", "Failed %(n)d times.", failed) % {"n": failed})
    return " ".join(said)
