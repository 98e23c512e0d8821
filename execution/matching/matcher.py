"""Which node of the workflow the present screen is, with the signs that spoke for and against it; or none of them.

A screen that could be two nodes is no match unless the run itself tells which: where the last edge leads, where it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from execution.language.fuzzy import folded
from execution.language.screen_texts import ScreenWords
from execution.matching.areas import boxes_of, forbidden, required, taught_without
from execution.matching.calibration import TIED
from execution.matching.cut_off import CutOff
from execution.matching.fusion import FusionEngine
from execution.matching.index import TextIndex, found_by
from execution.matching.references import Reference
from execution.matching.rivals import Candidate, Rivals
from execution.matching.shown import Shown
from execution.matching.signs import LOOK, Evidence, Likeness, Rarity, gather
from execution.matching.weighed import Weighed
from execution.perception.embedding import Embedder
from execution.perception.pictures import PictureSource
from execution.types import Match, Reason, Recognition, ScreenState
from sentences.said import either, say, then
from workflows import text as templates
from workflows.choices import RegionKind
from workflows.graph import GraphSpec, NodeSpec

CONTEXT = "context"  # the sign of a match that the run decided, not the screen
_SHOWN = 3
_ALL = 48  # nodes: so many are compared one by one, of more only those that share something with the screen
# Of the scale of looks: another line typed costs 0.01, an open menu 0.1.
_LOOKS_BETTER = 0.05


class Matcher:
    """Recognises the nodes of one workflow. `threshold` is the confidence below which nothing is recognised,
    `margin` the lead below which two nodes are equally plausible."""

    def __init__(
        self,
        graph: GraphSpec,
        *,
        pictures: PictureSource | None,
        embedder: Embedder | None,
        references: Mapping[str, Reference] | None = None,
        threshold: float = 0.75,
        margin: float = 0.05,
    ) -> None:
        """`references` as `prepare` gives them, by node id; nodes without one are known by what is declared alone."""
        self.graph = graph
        self.pictures = pictures
        self.threshold = threshold
        self.margin = margin
        known = references or {}
        self._nodes = {node.node_id: required(node, known.get(node.node_id)) for node in graph.nodes}
        known = {
            name: taught_without(known[name], boxes_of(node, RegionKind.IGNORE))
            for name, node in self._nodes.items()
            if name in known
        }
        self.fusion = FusionEngine(known, embedder=embedder)
        self._likeness = Likeness(pictures, embedder)
        self._rarity = Rarity(self._nodes.values())
        self._texts = {node.node_id: frozenset(folded(t) for t in node.texts) for node in self._nodes.values()}
        self._following = {e.source: {f.destination for f in graph.outgoing(e.source)} for e in graph.edges}
        declared = {n.node_id: keys for n in self._nodes.values() if (keys := _declared(n))}
        self._declared = TextIndex(declared)
        # nothing leads to these but looking at them: no fixed texts, no reference
        found = declared.keys() | self.fusion.findable
        self._always = tuple(name for name in self._nodes if name not in found)

    @property
    def embedder(self) -> Embedder | None:
        """Whose vectors are compared; give it anew after the model was moved or changed (S2.10)."""
        return self.fusion.embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self.fusion.embedder = embedder
        self._likeness = self._likeness.by(embedder)

    def recognise(
        self,
        state: ScreenState,
        *,
        variables: Mapping[str, str],
        last_node: str | None = None,
        expected: str | None = None,
    ) -> Recognition:
        """The node that the screen is. `expected` is where the edge just done leads, `last_node` where the run was."""
        likely = [n for n in (expected, last_node, *self._following.get(last_node or "", ())) if n in self._nodes]
        weighed = {w.node_id: w for w in self.fusion.weigh(state, among=self._among(state, likely))}
        names = self._nodes if len(self._nodes) <= _ALL else dict.fromkeys([*self._among(state, likely), *weighed])
        declares = any(self._nodes[name].texts or self._nodes[name].absent for name in names)
        words, now = ScreenWords(state.texts if declares else ()), Shown.now(state)
        ranked = sorted(
            (self._candidate(self._nodes[name], state, words, now, variables, weighed.get(name)) for name in names),
            key=lambda c: (-c.confidence, -c.evidence.alike, c.node.node_id),
        )
        return self._decided(ranked, now, last_node=last_node, expected=expected)

    def _among(self, state: ScreenState, likely: Sequence[str]) -> list[str]:
        """The nodes to be looked at whatever their references share with the screen."""
        if len(self._nodes) <= _ALL:
            return list(self._nodes)
        if not state.text_method:
            return [*likely, *self._always]
        return list(
            dict.fromkeys([*likely, *self._always, *self._declared.best(found_by(t.text for t in state.texts))])
        )

    def _candidate(
        self,
        node: NodeSpec,
        state: ScreenState,
        words: ScreenWords,
        now: Shown,
        variables: Mapping[str, str],
        weighed: Weighed | None,
    ) -> Candidate:
        reference = weighed.reference if weighed else self.fusion.references.get(node.node_id)
        if against := forbidden(node, reference, state):
            ruled_out = Evidence(confidence=0.0, reasons=(against,), contradicted=True)
            return Candidate(node=node, evidence=ruled_out, weighed=weighed)
        if weighed is None:
            evidence = gather(
                node, state, words, variables, rarity=self._rarity, likeness=self._likeness, threshold=self.threshold
            )
            more = self.fusion.missing(node.node_id)
        else:
            beyond = CutOff(weighed.reference.shown, now).hides
            evidence = gather(node, state, words, variables, rarity=self._rarity, reference=weighed, beyond=beyond)
            more = self.fusion.reasons(weighed)
        evidence = replace(evidence, reasons=(*evidence.reasons, *more))
        return Candidate(node=node, evidence=evidence, weighed=weighed)

    def _decided(
        self, ranked: Sequence[Candidate], now: Shown, *, last_node: str | None, expected: str | None
    ) -> Recognition:
        shown = tuple(_match(c, _next_to(c, ranked)) for c in ranked[:_SHOWN])
        plausible = self._plausible(ranked)
        if not plausible:
            return Recognition(match=None, candidates=shown, why_not=_why_none(ranked, self.threshold))
        chosen, why = self._choose(plausible, last_node=last_node, expected=expected)
        rivals = Rivals(chosen, now, self.fusion.references).among(ranked) if chosen else []
        if chosen and rivals:
            plausible, chosen = [chosen, *rivals], None
        if chosen is None:
            why_not = say("matching.ambiguous", names=either(c.node.name or c.node.node_id for c in plausible))
            return Recognition(match=None, candidates=shown, why_not=why_not)
        dropped = {c.node.node_id for c in self._dropped(ranked)}
        match = _match(chosen, _next_to(chosen, [c for c in ranked if c.node.node_id not in dropped]))
        if why and not _looks_most_like(chosen, plausible):
            match = replace(match, reasons=(*match.reasons, Reason(sign=CONTEXT, score=None, note=why)))
        return Recognition(match=match, candidates=shown)

    def _good(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        return [c for c in ranked if c.confidence >= self.threshold and not c.evidence.lacks]

    def _plausible(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The best node and those as good as it, without those that another one says more about."""
        dropped = {c.node.node_id for c in self._dropped(ranked)}
        good = [c for c in self._good(ranked) if c.node.node_id not in dropped]
        if not good:
            return []
        fits = max((c.weighed.score for c in good if c.weighed), default=0.0)
        return [
            c
            for c in good
            if c.confidence >= good[0].confidence - self.margin
            and not (c.weighed and good[0].weighed and fits - c.weighed.score > TIED)
        ]

    def _dropped(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """Good nodes all of whose texts belong to another good node that has more, all of them seen.

        An open menu shows all that the window without it shows, and says more.
        """
        good = self._good(ranked)
        fuller = [c for c in good if c.evidence.all_texts_seen]
        return [
            c
            for c in good
            if (c.node.texts or c.weighed is None)
            and any(self._texts[c.node.node_id] < self._texts[other.node.node_id] for other in fuller)
        ]

    def _choose(
        self, plausible: Sequence[Candidate], *, last_node: str | None, expected: str | None
    ) -> tuple[Candidate | None, str]:
        """One of several equally plausible nodes and why that one; None where the run does not tell."""
        if len(plausible) == 1:
            return plausible[0], ""
        by_id = {c.node.node_id: c for c in plausible}
        others = either(sorted(c.node.name or c.node.node_id for c in plausible))
        if expected in by_id:
            return by_id[expected], say("matching.led_here", names=others)
        if last_node in by_id:
            return by_id[last_node], say("matching.was_here", names=others)
        following = self._following.get(last_node or "", set()) & set(by_id)
        if len(following) == 1:
            return by_id[following.pop()], say("matching.follows_last", names=others)
        return None, ""


def _declared(node: NodeSpec) -> list[str]:
    """What a node can be found by of its declared texts: those without variables, and their words."""
    return found_by(text for text in node.texts if not templates.names(text))


def _looks_most_like(candidate: Candidate, plausible: Sequence[Candidate]) -> bool:
    """True if the screen resembles the candidate's reference picture clearly more than those of all the others."""
    looks = {c.node.node_id: c.evidence.score_of(LOOK) for c in plausible}
    own = looks.pop(candidate.node.node_id)
    others = [look for look in looks.values() if look is not None]
    return own is not None and len(others) == len(looks) and own >= max(others) + _LOOKS_BETTER


def _next_to(candidate: Candidate, ranked: Sequence[Candidate]) -> Candidate | None:
    """The best of the others."""
    return next((c for c in ranked if c is not candidate), None)


def _match(candidate: Candidate, other: Candidate | None) -> Match:
    return Match(
        node_id=candidate.node.node_id,
        confidence=round(candidate.confidence, 4),
        margin=round(candidate.confidence - (other.confidence if other else 0.0), 4),
        runner_up=other.node.node_id if other else "",
        runner_up_confidence=round(other.confidence, 4) if other else 0.0,
        reasons=candidate.evidence.reasons,
    )


def _why_none(ranked: Sequence[Candidate], threshold: float) -> str:
    if not ranked:
        return say("matching.no_nodes")
    best = ranked[0]
    notes = then(r.note for r in best.evidence.reasons)
    name = best.node.name or best.node.node_id
    if best.evidence.lacks:
        return say("matching.lacks", node=name, texts=list(best.evidence.lacks))
    return say("matching.not_sure_enough", node=name, confidence=best.confidence, needed=threshold, notes=notes)
