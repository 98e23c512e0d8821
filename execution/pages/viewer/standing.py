"""Where a run stood still on a screen that no step was opened for: a row of the film, and what is told of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from execution.assistant.phrases import decimal, one_line, seconds, sentence
from execution.choices import Verb
from execution.models import Execution, Step, WishRecord
from execution.pages.viewer.earlier import difference
from execution.record.attribution import named
from execution.record.hidden import hidden_in
from execution.record.pauses import Pause, pauses
from sentences.said import in_words, worded

MOST_TEXTS = 6


def rows(execution: Execution, steps: Sequence[Mapping[str, Any]], began: Any) -> list[dict[str, Any]]:
    """A row for each pause that no step tells of, to be put after the step that it names: the one before it where that
    did not go well and shows its screen, or the one after it that begins there."""
    return [row for pause in pauses(execution) if (row := _row(execution, pause, steps, began))]


def key_of(seq: int) -> str:
    """What the film calls it: steps have numbers, this has the number of its event."""
    return f"p{seq}"


def _row(execution: Execution, pause: Pause, steps: Sequence[Mapping[str, Any]], began: Any) -> dict[str, Any] | None:
    at_ms = round((pause.at - began).total_seconds() * 1000) if began else 0
    at = bisect_right(steps, at_ms, key=lambda row: row["at_ms"])
    before, then = steps[at - 1] if at else {}, steps[at] if at < len(steps) else {}
    told = [before.get("picture_before"), before.get("picture_after")] if before.get("problem") else []
    if pause.picture in [*told, then.get("picture_before")]:
        return None
    until = pause.until or execution.ended_at or pause.at
    stood = max(0, round((until - pause.at).total_seconds() * 1000))
    return {
        "index": key_of(pause.seq),
        "pause": pause.seq,
        "after": before.get("index", 0),
        "outcome": "paused",
        "sentence": _("Stood still"),
        "message": worded(pause.detail.get("message", "")),
        "picture_before": pause.picture,
        "waited_ms": stood,
        "duration_ms": stood,
        "at_ms": at_ms,
        "started_at": pause.at.isoformat(),
        "cell": "unsure",
        "problem": "paused",
    }


def told_of(execution: Execution, seq: int) -> dict[str, Any] | None:
    """What stood there, why it could not go on, and who ended the waiting; None: it never stood still there."""
    pause = next((one for one in pauses(execution) if one.seq == seq), None)
    if pause is None:
        return None
    parts = [
        ("saw", _("Saw"), *_saw(pause)),
        ("why", _("Why"), sentence(worded(pause.detail.get("message", ""))) or "–", []),
        ("came", _("Came of it"), *_came(execution, pause)),
    ]
    hidden = hidden_in(execution, execution.version.spec())
    story = [
        {"key": key, "title": title, "lead": one_line(hidden.text(lead)), "more": [hidden.text(one) for one in more]}
        for key, title, lead, more in parts
    ]
    step: dict[str, Any] = {"index": key_of(seq), "phase": "", "edge_id": None, "picture_before": pause.picture}
    step["candidates"] = hidden.any(in_words(pause.detail).get("candidates") or [])
    last = _as_step(execution, pause)
    nothing: dict[str, Any] = {"times": {"bars": []}, "earlier": {"rows": [], "said": ""}}
    nothing |= {"corrections": [], "attempts": [], "marks": [], "again": None}
    ended_here = execution.pause_detail.get("picture") == pause.picture  # then the mending of the last step shows it
    return {
        "step": step,
        "story": story,
        **nothing,
        "difference": difference(execution, last) if pause.expected and pause.perception else None,
        "mend": last.index - 1 if ended_here else None,
    }


def _as_step(execution: Execution, pause: Pause) -> Step:
    """What a step on that screen would hold: to be compared with the one that a run that went well had there."""
    before = Step.objects.filter(execution=execution, started_at__lte=pause.at).order_by("-index")
    index = (before.values_list("index", flat=True).first() or 0) + 1
    return Step(execution=execution, index=index, node_id=pause.expected, screen={"perception": pause.perception})


def _saw(pause: Pause) -> tuple[str, list[str]]:
    detail = in_words(pause.detail)
    more = []
    if expected := detail.get("expected"):
        more.append(_("Expected: “%(name)s”.") % {"name": expected["name"]})
    near = [one for one in detail.get("candidates") or () if one.get("name")]
    if near:
        words = {"name": near[0]["name"], "score": decimal(near[0].get("confidence") or 0)}
        more.append(_("Most like it: “%(name)s”, %(score)s.") % words)
    dialog = detail.get("dialog") or {}
    texts = [str(text) for text in (dialog.get("title"), *(dialog.get("texts") or ())) if text]
    if texts:
        return _("“%(text)s”") % {"text": " · ".join(dict.fromkeys(texts[:MOST_TEXTS]))}, more
    window = str(detail.get("window") or "")
    return (_("The window “%(name)s”.") % {"name": window} if window else _("A screen without a name.")), more


def _came(execution: Execution, pause: Pause) -> tuple[str, list[str]]:
    if pause.until is None or not pause.went_on:
        return _("The run ended here."), []
    stood = _("It stood still for %(time)s.") % {"time": seconds((pause.until - pause.at).total_seconds())}
    wishes = WishRecord.objects.filter(execution=execution, verb=Verb.RESUME, asked_at__gte=pause.at)
    wish = wishes.filter(asked_at__lte=pause.until).order_by("asked_at").first()
    return (_("%(who)s had it go on.") % {"who": named(wish.name, wish.origin)}, [stood]) if wish else (stood, [])
