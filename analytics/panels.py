"""What the overview and the page of a workflow are made of: cards, bars, ways of finding; each leads to its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics import charts
from analytics.figures import Sums, share
from analytics.hand_times import ByHand
from analytics.marks import LastWrong
from analytics.period import Period
from execution.language.rungs import RUNGS

HOWS = {
    "alone": gettext_lazy("by itself"),
    "helped": gettext_lazy("with help"),
    "failed": gettext_lazy("failed"),
    "stopped": gettext_lazy("stopped"),
}
CLASSES = tuple(HOWS)
PERSON = "coach"
RUNG_WORDS = RUNGS
LADDER = tuple(RUNG_WORDS)
RUN_NAMES = ("runs", *CLASSES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a sentence; with an address, what it counts."""

    words: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    title: str
    value: str
    url: str
    spark: SafeString = field(default_factory=SafeString)
    beside: str = ""
    parts: Sequence[Part] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    drawing: SafeString
    legend: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, str, Sequence[int]]]  # of the table behind: name, address, numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way in which targets were found."""

    words: str
    share: str
    seconds: str
    strip: SafeString
    url: str


def runs_url(period: Period, **wanted: Any) -> str:
    """The runs behind a number."""
    return _behind("analytics_runs", period, wanted)


def steps_url(period: Period, **wanted: Any) -> str:
    """The steps behind a number."""
    return _behind("analytics_steps", period, wanted)


def _behind(name: str, period: Period, wanted: Mapping[str, Any]) -> str:
    asked = {"days": period.days, "until": period.last.isoformat(), **{k: v for k, v in wanted.items() if v}}
    return f"{reverse(name)}?{urlencode(asked)}"


def completed(sums: Sums) -> int:
    return sums["alone"] + sums["helped"]


def per_cent(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else _("%(n)s %%") % {"n": number_format(f"{value:.{digits}f}")}


def amount(value: int) -> str:
    return number_format(value, force_grouping=True)


def long_time(seconds: float) -> str:
    """61 h, 12 min, 40 s."""
    if seconds >= 36_000:
        return _("%(n)s h") % {"n": amount(round(seconds / 3600))}
    if seconds >= 3600:
        return _("%(n)s h") % {"n": number_format(f"{seconds / 3600:.1f}")}
    if seconds < 59.5:
        return _("%(n)s s") % {"n": amount(round(seconds))}
    return _("%(n)s min") % {"n": amount(round(seconds / 60))}


def short_time(seconds: float) -> str:
    """6 ms, 1.1 s."""
    if seconds < 0.995:
        return _("%(n)d ms") % {"n": round(seconds * 1000)}
    return _("%(n)s s") % {"n": number_format(f"{seconds:.1f}")}


def than_before(now: float | None, before: float | None) -> str:
    """How a share compares with that of the period before."""
    if now is None or before is None:
        return _("nothing to compare with in the period before")
    was = per_cent(before, 0)
    if round(now) == round(before):
        return _("as in the period before")
    words = _("up from %(was)s in the period before") if now > before else _("down from %(was)s in the period before")
    return words % {"was": was}


def cards(
    now: Sums,
    before: Sums,
    bars: Sequence[Sums],
    period: Period,
    *,
    given: TimeGiven,
    steps: Sums,
    last: LastWrong | None,
    **only: Any,
) -> list[Card]:
    """The four numbers at the top; `only` narrows what they lead to."""
    alone, alone_before = share(now["alone"], now["runs"]), share(before["alone"], before["runs"])
    hows = [(how, now[how]) for how in CLASSES if now[how]]
    return [
        Card(
            title=_("Runs without a person"),
            value=per_cent(alone),
            url=runs_url(period, how="alone", **only),
            spark=charts.spark([share(bar["alone"], bar["runs"]) for bar in bars]),
            parts=[Part(words=than_before(alone, alone_before), url=runs_url(period.before, how="alone", **only))],
        ),
        Card(
            title=_("Runs"),
            value=amount(now["runs"]),
            url=runs_url(period, **only),
            spark=charts.spark([bar["runs"] for bar in bars]),
            parts=[
                *(
                    Part(words=f"{amount(n)} {HOWS[how]}", url=runs_url(period, how=how, **only))
                    for how, n in hows
                ),
                Part(
                    words=ngettext("%(n)s the period before", "%(n)s the period before", before["runs"])
                    % {"n": amount(before["runs"])},
                    url=runs_url(period.before, **only),
                ),
            ],
        ),
        Card(
            title=_("Time given back"),
            value=long_time(given.seconds) if given.known else "–",
            url=runs_url(period, how="alone", **only),
            parts=[Part(words=given.words)],
        ),
        Card(
            title=_("Wrong actions told by people"),
            value=amount(steps["wrong"]),
            beside=_("of %(n)s") % {"n": amount(steps["done"])},
            url=steps_url(period, wrong=1, **only),
            parts=[_last(last, period), _unseen(steps["unverified"], period, **only)],
        ),
    ]  # fmt: skip


def _last(last: LastWrong | None, period: Period) -> Part:
    """“Last one 41 days ago, run 12”."""
    if last is None:
        return Part(words=_("nobody has told of one yet"))
    days = max(0, (timezone.localdate() - timezone.localdate(last.at, period.zone)).days)
    words = _("last one today, run %(run)s")
    if days:
        words = ngettext("last one %(n)s day ago, run %(run)s", "last one %(n)s days ago, run %(run)s", days)
    url = reverse("run_step", args=[last.execution_id, last.step])
    return Part(words=words % {"n": amount(days), "run": last.number}, url=url)


def _unseen(n: int, period: Period, **only: Any) -> Part:
    """What was done, and nothing on the screen said so."""
    words = ngettext("%(n)s was not seen to work", "%(n)s were not seen to work", n)
    return Part(words=words % {"n": amount(n)}, url=steps_url(period, verified="no", **only))


def wrong_words(steps: Sums) -> str:
    n = steps["wrong"]
    return ngettext("%(n)s said to be wrong", "%(n)s said to be wrong", n) % {"n": amount(n)} if n else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeGiven:
    """What runs that needed nobody would have taken a person."""

    seconds: float
    known: bool
    words: str


def time_given(alone: Mapping[str, int], hands: Mapping[str, ByHand]) -> TimeGiven:
    """Of the workflows whose time by hand is known; runs with help are not counted."""
    counted = {name: n for name, n in alone.items() if name in hands and n}
    seconds = sum(n * hands[name].seconds for name, n in counted.items())
    runs = sum(counted.values())
    if not runs:
        unknown = any(alone.values()) and not hands
        told = _("nobody has said yet how long it takes by hand") if unknown else _("no run was done without a person")
        return TimeGiven(seconds=0, known=False, words=told)
    words = _("%(time)s a run as timed on teaching")
    if all(hands[name].stated for name in counted):
        words = _("%(time)s a run as a person stated it")
    elif any(hands[name].stated for name in counted):
        words = _("%(time)s a run, as stated or as timed on teaching")
    return TimeGiven(seconds=seconds, known=True, words=words % {"time": _minutes(seconds / runs)})


def _minutes(seconds: float) -> str:
    return short_time(seconds) if seconds < 60 else _("%(n)s min") % {"n": number_format(f"{seconds / 60:.1f}")}


def runs_chart(bars: Sequence[Sums], period: Period, **only: Any) -> Chart:
    """How many runs ended, and how."""
    classes = tuple(how for how in CLASSES if how != "stopped" or any(bar["stopped"] for bar in bars))
    drawn, rows = [], []
    for day, sums in zip(period.bars, bars, strict=True):
        until = min(day.toordinal() + period.days_a_bar, period.until.toordinal())
        here = Period(days=until - day.toordinal(), until=day.fromordinal(until), zone=period.zone)
        name = date_format(day, _("j M"))
        numbers = tuple(sums[how] for how in classes)
        told = ", ".join(f"{amount(n)} {HOWS[how]}" for how, n in zip(classes, numbers, strict=True) if n)
        url = runs_url(here, **only)
        drawn.append(charts.Bar(label=name, parts=numbers, url=url, told=f"{name}: {told}"))
        if sums["runs"]:
            rows.append((name, url, (sums["runs"], *numbers)))
    legend = [(how, str(HOWS[how])) for how in classes]
    label = _("Runs a day") if period.days_a_bar == 1 else _("Runs a week")
    return Chart(drawing=charts.bars(drawn, classes, label), legend=legend, rows=rows)


def ways(by_rung: Mapping[tuple[Any, ...], Sums], period: Period, **only: Any) -> list[Way]:
    """How targets were found, in the order of the ladder, and what it took."""
    found = {key[0]: sums for key, sums in by_rung.items() if key[0]}
    whole = sum(sums["steps"] for sums in found.values())
    order: Callable[[str], int] = lambda rung: LADDER.index(rung) if rung in LADDER else len(LADDER)  # noqa: E731
    made = []
    for rung in sorted(found, key=order):
        sums, percent = found[rung], 100 * found[rung]["steps"] / whole
        took = sums["waited_us"] if rung == PERSON else sums["resolve_us"]
        made.append(
            Way(
                words=str(RUNG_WORDS.get(rung, rung)),
                share=per_cent(percent, 0 if percent >= 2 else 1),
                seconds=short_time(took / sums["steps"] / 1_000_000),
                strip=charts.strip(percent, "person" if rung == PERSON else ""),
                url=steps_url(period, rung=rung, **only),
            )
        )
    return made


def ways_words(by_rung: Mapping[tuple[Any, ...], Sums]) -> str:
    """“9 412 targets, mean score 0.97”."""
    found = [sums for key, sums in by_rung.items() if key[0]]
    n = sum(sums["steps"] for sums in found)
    if not n:
        return ""
    mean = sum(sums["score_millionths"] for sums in found) / n / 1_000_000
    return ngettext("%(n)s target, score %(mean)s", "%(n)s targets, mean score %(mean)s", n) % {
        "n": amount(n),
        "mean": number_format(f"{mean:.2f}"),
    }
