"""What somebody should do about a workflow today, each with the button that does it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.figures import Sums, share
from analytics.panels import amount, completed, per_cent, runs_url, steps_url
from analytics.period import Period
from workflows.choices import LearningState

ENOUGH = 10  # fewer visits, or runs, say nothing
DRIFTED = 0.08  # so much less sure of a screen than before
FELL_BY = 10  # per cent points
FEW = 50  # per cent of runs that completed
OFTEN = 3  # runs that did not
COULD_RUN = 93  # per cent that must be right at least, with 95 % certainty
TAUGHT = 100  # suggestions that were judged, before anything is said of trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    icon: str
    colour: str
    subject: str
    words: str
    detail: str
    button: str
    url: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A workflow as far as this needs it: names of screens by id, and corrections that no version has taken in."""

    workflow_id: str
    name: str
    learning_state: str
    screens: Mapping[str, str]
    corrections: int = 0
    drifted: Collection[str] = ()  # screens of which the runs' own test says that they have changed
    failing: int = 0  # steps of which it says that they work less often
    stated_s: int | None = None  # seconds by hand, where a person stated them


def items(
    workflows: Sequence[Known],
    runs: tuple[Mapping[Any, Sums], Mapping[Any, Sums]],
    screens: tuple[Mapping[Any, Sums], Mapping[Any, Sums]],
    period: Period,
    *,
    may_teach: bool,
) -> list[Item]:
    """The most urgent first; `runs` by workflow, `screens` by workflow and node, each now and before."""
    empty: Sums = Sums()
    found: list[Item] = []
    for one in workflows:
        now, before = (part.get((one.workflow_id,), empty) for part in runs)
        found += _fell(one, now, before, period) or _stuck(one, now, period)
        found += _wrong(one, now, period)
        found += _corrected(one)
        found += _trusted(one, now)
        found += _changed(one)
        for (workflow_id, node_id), sums in screens[0].items():
            if workflow_id == one.workflow_id and node_id not in one.drifted:
                was = screens[1].get((workflow_id, node_id), empty)
                found += _drifted(one, node_id, sums, was, period, may_teach)
    return sorted(found, key=lambda item: -item.weight)


def _fell(one: Known, now: Sums, before: Sums, period: Period) -> list[Item]:
    rate, was = share(completed(now), now["runs"]), share(completed(before), before["runs"])
    if rate is None or was is None or min(now["runs"], before["runs"]) < ENOUGH or rate > was - FELL_BY:
        return []
    item = Item(
        icon="trending-down",
        colour="red",
        subject=one.name,
        words=_("succeeds less often"),
        detail=_("%(now)s of runs, %(before)s in the period before; %(n)s failed")
        % {"now": per_cent(rate, 0), "before": per_cent(was, 0), "n": amount(now["failed"])},
        button=_("See what failed"),
        url=runs_url(period, workflow=one.workflow_id, how="failed"),
        weight=300 + was - rate,
    )
    return [item]


def _stuck(one: Known, now: Sums, period: Period) -> Iterator[Item]:
    """Few of its runs completed, whether or not there is a period to compare with."""
    rate = share(completed(now), now["runs"])
    if rate is None or rate >= FEW or now["runs"] - completed(now) < OFTEN:
        return
    yield Item(
        icon="player-pause",
        colour="amber",
        subject=one.name,
        words=_("seldom completes"),
        detail=_("%(done)s of %(all)s runs completed; %(failed)s failed, %(stopped)s were stopped")
        % {
            "done": amount(completed(now)),
            "all": amount(now["runs"]),
            "failed": amount(now["failed"]),
            "stopped": amount(now["stopped"]),
        },
        button=_("See them"),
        url=runs_url(period, workflow=one.workflow_id),
        weight=280 - rate / 100,
    )


def _wrong(one: Known, now: Sums, period: Period) -> Iterator[Item]:
    if not now["wrong"]:
        return
    yield Item(
        icon="alert-triangle",
        colour="red",
        subject=one.name,
        words=ngettext("did a wrong step", "did %(n)s wrong steps", now["wrong"]) % {"n": amount(now["wrong"])},
        detail=_("people who looked at its runs said so"),
        button=_("See them"),
        url=runs_url(period, workflow=one.workflow_id, how="wrong"),
        weight=400 + now["wrong"] / 1000,
    )


def sure(sums: Sums) -> float:
    """How sure it was of a screen, on average."""
    return sums["confidence_millionths"] / sums["recognised"] / 1_000_000 if sums["recognised"] else 0.0


def _drifted(one: Known, node: str, now: Sums, before: Sums, period: Period, may_teach: bool) -> Iterator[Item]:
    if min(now["recognised"], before["recognised"]) < ENOUGH or sure(now) > sure(before) - DRIFTED:
        return
    name = one.screens.get(node, node)
    teach = f"{reverse('teach_new')}?{urlencode({'workflow': one.workflow_id})}"
    yield Item(
        icon="eye",
        colour="amber",
        subject=f"{one.name} · {name}",
        words=_("looks different than before"),
        detail=ngettext(
            "sure %(before)s → %(now)s over %(n)s visit",
            "sure %(before)s → %(now)s over %(n)s visits",
            now["recognised"],
        )
        % {
            "before": number_format(f"{sure(before):.2f}"),
            "now": number_format(f"{sure(now):.2f}"),
            "n": amount(now["recognised"]),
        },
        button=_("Show it anew") if may_teach else _("See the visits"),
        url=teach if may_teach else steps_url(period, workflow=one.workflow_id, node=node),
        weight=200 + 100 * (sure(before) - sure(now)),
    )


def _corrected(one: Known) -> Iterator[Item]:
    if not one.corrections:
        return
    yield Item(
        icon="school",
        colour="blue",
        subject=one.name,
        words=ngettext(
            "was corrected once since its last version",
            "was corrected %(n)s times since its last version",
            one.corrections,
        )
        % {"n": amount(one.corrections)},
        detail=_("what people showed is not in a version yet"),
        button=_("Review"),
        url=f"{reverse('corrections')}?{urlencode({'workflow': one.workflow_id})}",
        weight=100 + one.corrections / 100,
    )


def _changed(one: Known) -> Iterator[Item]:
    """What the test says that runs themselves make of every look (S6.7): it needs no period to compare with."""
    for node in one.drifted:
        yield Item(
            icon="eye",
            colour="amber",
            subject=f"{one.name} · {one.screens.get(node, node)}",
            words=_("has changed"),
            detail=_("its last looks are not like those since it was taught"),
            button=_("See what changed"),
            url=reverse("learning"),
            weight=250,
        )
    if one.failing:
        yield Item(
            icon="trending-down",
            colour="amber",
            subject=one.name,
            words=ngettext("has a step that works less often", "has %(n)s steps that work less often", one.failing)
            % {"n": amount(one.failing)},
            detail=_("its last tries are not like those since it was taught"),
            button=_("See what changed"),
            url=reverse("learning"),
            weight=260,
        )


def _trusted(one: Known, now: Sums) -> Iterator[Item]:
    if one.learning_state == LearningState.AUTO_CONFIRMED or now["suggestions"] < TAUGHT:
        return
    least = 100 * at_least(now["accepted"], now["suggestions"])
    if least < COULD_RUN or one.corrections or now["wrong"] or one.drifted or one.failing:
        return
    yield Item(
        icon="user-check",
        colour="green",
        subject=one.name,
        words=_("could be trusted with more"),
        detail=_("%(right)s of %(all)s suggestions accepted, at least %(least)s with certainty; no open corrections")
        % {"right": amount(now["accepted"]), "all": amount(now["suggestions"]), "least": per_cent(least)},
        button=_("Decide"),
        url=reverse("learning"),
        weight=50 + least / 100,
    )


def at_least(right: int, of: int) -> float:
    """The share that is right at the least, with 95 % certainty (Wilson)."""
    if not of:
        return 0.0
    z, p = 1.6449, right / of
    return (p + z * z / (2 * of) - z * sqrt(p * (1 - p) / of + z * z / (4 * of * of))) / (1 + z * z / of)
