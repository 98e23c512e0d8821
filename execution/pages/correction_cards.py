"""Corrections as people see them: what was taught, what was seen, what the coach chose, and how it has done since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import Count, OuterRef, Q, Subquery
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from execution.actions.corrections import BY_A_PERSON, needs_reason
from execution.choices import CorrectionKind, CorrectionState, EventKind, UseOutcome
from execution.learning.conditions import DARK, NO_SCREEN, Conditions
from execution.learning.overlay import fits
from execution.models import CorrectionUse, ExecutionEvent, LearnedCorrection, Step
from execution.models.learning import IN_FORCE
from execution.pages.crops import Crop, crop
from execution.pages.value_words import act_words
from execution.record.by_hand import MOST, acts_told
from execution.record.contradictions import OPEN, contradicting
from execution.record.corrections import as_taught, learned_from
from execution.record.proving import proofs_of
from execution.replay.answers import About, Verdict
from sentences.said import worded
from workflows.graph import EdgeSpec, GraphSpec
from workflows.models import WorkflowVersion
from workflows.pictures import PictureStore
from workflows.words import PARAM_WORDS, sentence

COLOURS = {
    CorrectionState.ON_TRIAL: ("blue", "eye"),
    CorrectionState.TRUSTED: ("green", "circle-check"),
    CorrectionState.OFF: ("grey", "circle-minus"),
    CorrectionState.NEEDS_PERSON: ("amber", "hand-stop"),
    CorrectionState.MERGED: ("green", "versions"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """One answer that was right and would not be any more."""

    run: str
    step: int
    said: str | Promise
    was: Crop | None
    now: Crop | None
    was_said: str = ""
    now_said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    row: LearnedCorrection
    says: str
    learned: str
    why: str
    colour: str
    icon: str
    taught: Crop | None
    seen: Crop | None
    chosen: Crop | None
    uses: Mapping[str, int]
    breaks: Sequence[Break]
    against: Sequence[Other] = ()
    unused: str = ""  # why no run goes by it, whatever its state
    where: str = ""  # on what screens it is trusted
    acts: Sequence[DoneByHand] = ()  # of a way that was gone by hand

    @property
    def is_way(self) -> bool:
        return self.row.kind == CorrectionKind.WAY

    @property
    def may_teach(self) -> bool:
        """Whether the way may become part of the workflow: that is taught, from what is kept of it."""
        open_still = self.is_way and self.row.state == CorrectionState.NEEDS_PERSON
        return open_still and any(one and one.digest for one in (self.seen, *(act.crop for act in self.acts)))

    @property
    def used(self) -> int:
        return sum(self.uses.values())

    @property
    def needs_reason(self) -> bool:
        return needs_reason(self.row)

    @property
    def rulings(self) -> tuple[str, ...]:
        """What may be decided of it now."""
        if self.row.state == CorrectionState.MERGED:
            return ()
        known = (CorrectionState.OFF,) if self.is_way else BY_A_PERSON
        return tuple(one.value for one in known if one != self.row.state)

    @property
    def may_merge(self) -> bool:
        return self.row.state == CorrectionState.TRUSTED and not (self.unused or self.row.is_inside)


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """What contradicts it, as far as both are shown side by side."""

    row: LearnedCorrection
    says: str
    learned: str
    chosen: Crop | None


@dataclass(slots=True)
class _Known:
    """What all cards of a page are made of, each read once."""

    graphs: dict[tuple[int, int], GraphSpec] = field(default_factory=dict)
    steps: dict[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)
    uses: dict[int, dict[str, int]] = field(default_factory=dict)
    against: dict[int, list[LearnedCorrection]] = field(default_factory=dict)
    newest: dict[int, int] = field(default_factory=dict)  # the number of each workflow's newest version
    acts: dict[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    store: PictureStore = field(default_factory=PictureStore)

    def graph(self, row: LearnedCorrection) -> GraphSpec | None:
        return self.graphs.get((row.pack.workflow_id, row.version_number))

    def edge(self, row: LearnedCorrection) -> EdgeSpec | None:
        graph = self.graph(row)
        return graph.edge(row.edge_id) if graph else None


def cards_of(rows: Sequence[LearnedCorrection]) -> list[Card]:
    """In six queries however many they are; `rows` have their `pack__workflow` and `run`."""
    graphs, newest = _graphs(rows)
    known = _Known(
        graphs=graphs,
        newest=newest,
        steps=_steps(rows),
        uses=_uses(rows),
        against=contradicting(rows),
        acts=acts_of_ways(rows),
    )
    return [_card(row, known) for row in rows]


def _card(row: LearnedCorrection, known: _Known) -> Card:
    colour, icon = COLOURS[CorrectionState(row.state)]
    step = known.steps.get((row.execution_id, row.step), {})
    if row.kind == CorrectionKind.WAY and row.payload.get("until"):
        step = {}  # what was seen then stands with each act
    return Card(
        row=row,
        says=_way(row, known) if row.kind == CorrectionKind.WAY else says(row, known.edge(row), _node_name(row, known)),
        learned=worded(learned_from(row)),
        why=worded(row.why),
        colour=colour,
        icon=icon,
        taught=_taught(row, known),
        seen=crop(str(step.get("picture_before") or ""), step.get("suggestion__box"), store=known.store),
        chosen=chosen(row, known.store),
        uses=known.uses.get(row.pk, dict.fromkeys(UseOutcome.values, 0)),
        breaks=[_break(one, known) for one in row.breaks],
        against=[_other(one, known, row) for one in known.against.get(row.pk, ())],
        unused=_unused(row, known),
        where=where_trusted(row),
        acts=shown(known.acts.get(row.pk, ()), known.store),
    )


def unused(rows: Sequence[LearnedCorrection]) -> dict[int, str]:
    """Why the runs of the newest version do not go by them, by key; empty where they do."""
    graphs, newest = _graphs(rows)
    known = _Known(graphs=graphs, newest=newest)
    return {row.pk: _unused(row, known) for row in rows}


def _unused(row: LearnedCorrection, known: _Known) -> str:
    """That must be taught as it was when it was learned of it."""
    if row.state not in OPEN or row.kind == CorrectionKind.WAY:
        return ""
    number = known.newest.get(row.pack.workflow_id, 0)
    graph = known.graphs.get((row.pack.workflow_id, number))
    if graph is None or fits(graph, as_taught(row)):
        return ""
    if not row.taught_as:
        return _("Nobody knows any more how that was taught then: no run goes by it. Show it once more.")
    return _("That was taught anew since: runs of version %(n)d do not go by it.") % {"n": number}


def where_trusted(row: LearnedCorrection) -> str:
    """On what screens it acts by itself, and on which it is still on trial; "" where that is not a question of them."""
    if row.state not in IN_FORCE or row.kind == CorrectionKind.PARAMS:
        return ""
    proofs = [one for one in proofs_of(row) if one.conditions != NO_SCREEN]
    enough = settings.LEARNING_PROVED_AFTER
    trusted = [_screen(one.conditions) for one in proofs if one.trusted]
    tried = [
        _("%(screen)s (right in %(n)d of %(of)d runs)")
        % {"screen": _screen(one.conditions), "n": min(one.runs, enough), "of": enough}
        for one in proofs
        if one.runs and not one.trusted
    ]
    said = [_("Trusted on %(screens)s.") % {"screens": ", ".join(trusted)}] if trusted else []
    said += [_("On trial on %(screens)s.") % {"screens": ", ".join(tried)}] if tried else []
    said += [_("On a screen of another theme or size it is on trial.")] if trusted else []
    return " ".join(said)


def _screen(under: Conditions | None) -> str:
    if under is None:
        return _("any screen")
    dark, light = _("a dark screen of %(w)d × %(h)d"), _("a light screen of %(w)d × %(h)d")
    return (dark if under.theme == DARK else light) % {"w": under.size[0], "h": under.size[1]}


def says(row: LearnedCorrection, edge: EdgeSpec | None, node: str = "") -> str:
    """What it says, in a sentence."""
    target = row.payload.get("target") or {}
    label = (edge.target.label if edge and edge.target else "") or target.get("label")
    label = label or (sentence(edge) if edge else row.edge_id)
    match row.kind:
        case CorrectionKind.TARGET if target.get("text"):
            words = _("“%(label)s” may look like this as well; “%(text)s” stands on it.")
            return words % {"label": label, "text": target["text"]}
        case CorrectionKind.TARGET:
            return _("“%(label)s” may look like this as well.") % {"label": label}
        case CorrectionKind.PARAMS:
            told = (
                _("%(name)s is “%(now)s” instead of “%(was)s”")
                % {"name": PARAM_WORDS.get(name, name), "now": _value(value), "was": _value(row.of.get(name))}
                for name, value in (row.payload.get("params") or {}).items()
            )
            return _("At “%(label)s”: %(what)s.") % {"label": label, "what": ", ".join(told)}
        case CorrectionKind.NODE:
            return _("“%(name)s” may look like this as well.") % {"name": node or row.node_id}
    return str(label)


def _way(row: LearnedCorrection, known: _Known) -> str:
    """From where to where a person went by hand, and how often by now."""
    graph, to = known.graph(row), str(row.payload.get("to") or "")
    names = {"a": graph.name_of(row.node_id) if graph and row.node_id else "–", "b": graph.name_of(to) if graph else to}
    if not to:
        said = _("A person went on from “%(a)s” by hand; where that led nobody said.") % names
    elif row.payload.get("until"):
        said = _("A person went from “%(a)s” to “%(b)s” by hand.") % names
    else:
        said = _("A person did a step on “%(a)s” themselves, and it led to “%(b)s”.") % names
    times = int(row.payload.get("times") or 1)
    return said if times < 2 else said + " " + _("So far %(n)d times.") % {"n": times}


def _value(value: Any) -> str:
    return "" if value is None else str(value)


def _node_name(row: LearnedCorrection, known: _Known) -> str:
    graph = known.graph(row)
    node = graph.node(row.node_id) if graph else None
    return node.name if node else ""


def _taught(row: LearnedCorrection, known: _Known) -> Crop | None:
    """The target on the picture of its screen, or what there is of it."""
    if row.kind == CorrectionKind.WAY:
        return None
    graph = known.graph(row)
    edge = known.edge(row)
    node = graph.node(edge.source if edge else row.node_id) if graph else None
    target = edge.target if edge else None
    if row.kind == CorrectionKind.NODE or target is None:
        return crop(node.picture, store=known.store) if node else None
    if node and node.picture and target.box:
        return crop(node.picture, target.box, store=known.store)
    return crop(target.context, target.context_box, store=known.store) or crop(target.picture, store=known.store)


def chosen(row: LearnedCorrection, store: PictureStore) -> Crop | None:
    """What the coach showed, on the whole screen."""
    return crop(row.picture or str(row.payload.get("picture") or ""), row.box, store=store)


def _other(row: LearnedCorrection, known: _Known, beside: LearnedCorrection) -> Other:
    edge = known.edge(row) or known.edge(beside)
    return Other(row=row, says=says(row, edge), learned=worded(learned_from(row)), chosen=chosen(row, known.store))


def _break(told: Mapping[str, Any], known: _Known) -> Break:
    """The pair: where the answer was, and where it would be."""
    verdict = told.get("verdict")
    said = Verdict(verdict).label if verdict in Verdict.values else ""
    run, step = str(told.get("run") or ""), int(told.get("step") or 0)
    was, now, digest = told.get("was"), told.get("now"), str(told.get("picture") or "")
    if told.get("about") == About.SCREEN:
        seen = crop(digest, store=known.store)
        names = (str(was or ""), str(now or ""))
        return Break(run=run, step=step, said=said, was=seen, now=None, was_said=names[0], now_said=names[1])
    places = [crop(digest, box, store=known.store) if box else None for box in (was, now)]
    return Break(run=run, step=step, said=said, was=places[0], now=places[1])


# --- read once for all -----------------------------------------------------------------------------------------------
def _graphs(rows: Iterable[LearnedCorrection]) -> tuple[dict[tuple[int, int], GraphSpec], dict[int, int]]:
    """The versions that they were learned in, and the newest of each of their workflows; the numbers of these."""
    asked = {(row.pack.workflow_id, row.version_number) for row in rows}
    of_them = WorkflowVersion.objects.filter(workflow__in={workflow for workflow, _n in asked})
    newest = of_them.filter(workflow=OuterRef("workflow")).order_by("-number").values("number")[:1]
    some = Q(number__in={number for _w, number in asked}) | Q(number=Subquery(newest))
    found = {(one.workflow_id, one.number): one for one in of_them.filter(some)}
    numbers = {workflow: max(n for w, n in found if w == workflow) for workflow, _n in found}
    return {key: one.spec() for key, one in found.items() if key in asked or key[1] == numbers[key[0]]}, numbers


def _steps(rows: Iterable[LearnedCorrection]) -> dict[tuple[str, int], Mapping[str, Any]]:
    asked = {(row.execution_id, row.step) for row in rows if row.step}
    found = Step.objects.filter(
        execution__execution_id__in={run for run, _n in asked}, index__in={step for _r, step in asked}
    ).values("execution__execution_id", "index", "picture_before", "suggestion__box")
    return {(one["execution__execution_id"], one["index"]): one for one in found}


def _uses(rows: Iterable[LearnedCorrection]) -> dict[int, dict[str, int]]:
    """How often each was used, by how that came out; the act that the coach ordered with it is no use."""
    found: dict[int, dict[str, int]] = {}
    uses = CorrectionUse.objects.filter(correction__in=[row.pk for row in rows], ordered=False)
    for pk, outcome, n in uses.order_by().values_list("correction", "outcome").annotate(n=Count("pk")):
        found.setdefault(pk, dict.fromkeys(UseOutcome.values, 0))[outcome] = n
    return found


# What a person did by hand, for a page: each act in words, on the picture that it was done on.

_AROUND = 0.012  # of the screen, on each side of where it was done


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneByHand:
    said: str
    crop: Crop | None


def acts_of_ways(rows: Iterable[LearnedCorrection]) -> dict[int, Sequence[Mapping[str, Any]]]:
    """What was done on each of the proposed ways, in one query; nothing where it is not kept any more."""
    ways = {
        row.pk: (row.execution_id, int(row.payload.get("after") or 0), int(row.payload.get("until") or 0))
        for row in rows
        if row.kind == CorrectionKind.WAY and row.payload.get("until")
    }
    if not ways:
        return {}
    runs = {run for run, _after, _until in ways.values()}
    events = ExecutionEvent.objects.filter(kind=EventKind.CONTROL, execution__execution_id__in=runs).order_by("seq")
    told = list(events.values_list("execution__execution_id", "seq", "payload"))
    return {
        pk: acts_told([what for of, seq, what in told if of == run and after < seq <= until][:MOST])
        for pk, (run, after, until) in ways.items()
    }


def shown(acts: Sequence[Mapping[str, Any]], store: PictureStore) -> list[DoneByHand]:
    return [DoneByHand(said=_said(act), crop=_place(act, store)) for act in acts]


def _said(act: Mapping[str, Any]) -> str:
    words = act_words().get(str(act.get("act")), "")
    n = int(act.get("length") or 0)
    if isinstance(words, dict):
        words = words["one" if n == 1 else "other"]
    where = _("“%(text)s”") % {"text": act["on"]} if act.get("on") else ""
    if not where and act.get("at"):
        x, y = (round(100 * float(part)) for part in act["at"])
        where = _("at %(x)s %%, %(y)s %%") % {"x": x, "y": y}
    return str(words) % {"who": act.get("by") or "–", "where": where, "keys": act.get("keys") or "", "n": n}


def _place(act: Mapping[str, Any], store: PictureStore) -> Crop | None:
    """Of what was typed nobody knows where: its whole screen."""
    box = None
    if act.get("at"):
        x, y = (float(part) for part in act["at"])
        left, top = max(0.0, x - _AROUND), max(0.0, y - _AROUND)
        box = [left, top, min(1.0, x + _AROUND) - left, min(1.0, y + _AROUND) - top]
    return crop(str(act.get("picture") or ""), box, store=store)
