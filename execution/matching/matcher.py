"""Which node of the workflow the present screen is, with the signs that spoke for and against it; or none of them.

What a node declares and what lies on top are conditions, what its picture shows is judged by one fitted model. A screen
that could be two nodes is no match unless the run itself tells which: where the last edge leads, where it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from execution.language.fuzzy import SEEN, folded
from execution.language.screen_texts import ScreenWords
from execution.matching.areas import boxes_of, forbidden, must_texts, with_areas
from execution.matching.declared import Declared, Rarity, look_for, proposed_of, without_refusals
from execution.matching.gallery import Gallery
from execution.matching.index import TextIndex, found_by
from execution.matching.reasons import OTHER_PAGE, not_compared, reasons, ruled_out, shows_none
from execution.matching.references import Reference
from execution.matching.same import Judged, SameScreen, fitted_model
from execution.matching.telling import shows
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
_ALIKE = 0.6  # of what the screen says, without data, another one that it may be says as well


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A node with what speaks for it. `judged` is None where there is nothing of its picture to compare; `against` is
    why it is not the node, however `alike` the rest is."""

    node: NodeSpec
    declared: Declared
    judged: Judged | None
    reference: Reference | None = None
    against: Reason | None = None
    is_neutral: bool = False  # `taught` shows no more than was known of the node: the rest was painted over

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """In words, which only the likeliest need; what rules it out comes first."""
        if self.judged:
            compared = reasons(self.judged.compared)
        else:
            compared = (not_compared(self.reference),) if self.reference else ()
        first = (self.against,) if self.against else ()
        return (*first, *(reason for reason in (*self.declared.reasons, *compared) if reason != self.against))

    @property
    def alike(self) -> float:
        if self.judged is None:
            return self.declared.certainty
        comparison = self.judged.compared.comparison
        if self.is_neutral and comparison and comparison["recall"] >= SEEN:
            return max(self.judged.probability, self.declared.certainty)
        return self.judged.probability

    @property
    def taught(self) -> Reference | None:
        """The picture of it that the screen is most like."""
        return self.judged.compared.reference if self.judged else None

    @property
    def may_be(self) -> bool:
        """Whether the screen shows some of it and nothing that speaks against it, whatever is missing."""
        comparison = self.judged.compared.comparison if self.judged else None
        seen = comparison["fixed_precision"] >= _ALIKE if comparison else 0.0 < self.declared.told < 1.0
        return seen and self.against is None

    @property
    def confidence(self) -> float:
        return 0.0 if self.against or self.declared.is_ruled_out else self.alike


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
        model: SameScreen | None = None,
    ) -> None:
        """`references` as `prepare` gives them, by node id; nodes without one are known by what is declared alone."""
        self.graph = graph
        self.pictures = pictures
        self.threshold = threshold
        self.margin = margin
        self._model = model or fitted_model()
        known = {name: one for name, one in (references or {}).items() if graph.node(name)}
        must = {node.node_id: must_texts(node, known.get(node.node_id)) for node in graph.nodes}
        self._nodes = {
            node.node_id: replace(node, texts=tuple(dict.fromkeys((*node.texts, *must[node.node_id]))))
            for node in without_refusals(graph.nodes)
        }
        self._proposed = {name: proposed_of(node, known.get(name), must[name]) for name, node in self._nodes.items()}
        known = {name: _where_it_counts(one, self._nodes[name]) for name, one in known.items()}
        self.gallery = Gallery(known, embedder=embedder)
        self._neutral = dict[tuple[str, str], bool]()
        self._rarity = Rarity(self._nodes.values())
        self._texts = {node.node_id: frozenset(folded(t) for t in node.texts) for node in self._nodes.values()}
        self._following = {e.source: {f.destination for f in graph.outgoing(e.source)} for e in graph.edges}
        declared = {n.node_id: keys for n in self._nodes.values() if (keys := _declared(n))}
        self._declared = TextIndex(declared)
        # nothing leads to these but looking at them: no fixed texts, no reference
        found = declared.keys() | self.gallery.findable
        self._always = tuple(name for name in self._nodes if name not in found)

    @property
    def embedder(self) -> Embedder | None:
        """Whose vectors are compared; give it anew after the model was moved or changed (S2.10)."""
        return self.gallery.embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self.gallery.embedder = embedder

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
        among = self._among(state, likely)
        words = ScreenWords.of(state.texts)
        declared = {name: self._look_for(name, state, words, variables) for name in among}
        shares = {name: one.share for name, one in declared.items()}
        none_of = {name for name, one in declared.items() if one.is_ruled_out}
        judged = self._model.judge(self.gallery.compared(state, among=among, declared=shares), none_of=none_of)
        names = list(dict.fromkeys([*among, *judged]))
        declared |= {name: self._look_for(name, state, words, variables) for name in judged if name not in declared}
        ranked = sorted(
            (self._candidate(self._nodes[name], state, declared[name], judged.get(name)) for name in names),
            key=lambda c: (-c.confidence * (c.confidence >= self.threshold), -c.alike, c.node.node_id),
        )
        return self._decided(ranked, state, last_node=last_node, expected=expected)

    def _among(self, state: ScreenState, likely: Sequence[str]) -> list[str]:
        """The nodes to be looked at whatever their references share with the screen."""
        if len(self._nodes) <= _ALL:
            return list(self._nodes)
        found = self._declared.best(found_by(t.text for t in state.texts)) if state.text_method else []
        return list(dict.fromkeys([*likely, *self._always, *found]))

    def _look_for(self, name: str, state: ScreenState, words: ScreenWords, variables: Mapping[str, str]) -> Declared:
        proposed = self._proposed[name]
        return look_for(self._nodes[name], state, words, variables, proposed=proposed, rarity=self._rarity)

    def _candidate(self, node: NodeSpec, state: ScreenState, declared: Declared, judged: Judged | None) -> Candidate:
        reference = judged.compared.reference if judged else self.gallery.references.get(node.node_id)
        against = forbidden(node, reference, state) or declared.against
        if judged and not against:
            none_of_it = declared.reasons[0] if shows_none(judged.compared, node) else None
            against = ruled_out(judged.compared, node) or none_of_it
        return Candidate(
            node=node,
            declared=declared,
            judged=judged,
            reference=reference,
            against=against,
            is_neutral=judged is not None and self._is_neutral(node, judged.compared.reference),
        )

    def _is_neutral(self, node: NodeSpec, look: Reference) -> bool:
        """The same for every screen, and asked at each."""
        key = node.node_id, look.picture
        if key not in self._neutral:
            self._neutral[key] = _is_neutral(node, look, self.gallery.references[node.node_id])
        return self._neutral[key]

    def _decided(
        self, ranked: Sequence[Candidate], state: ScreenState, *, last_node: str | None, expected: str | None
    ) -> Recognition:
        shown = tuple(_match(c, _next_to(c, ranked)) for c in ranked[:_SHOWN])
        dropped = {c.node.node_id for c in self._dropped(ranked, state)}
        plausible = self._plausible([c for c in ranked if c.node.node_id not in dropped])
        if not plausible:
            return Recognition(match=None, candidates=shown, why_not=_why_none(ranked, self.threshold))
        if page := _page_of(ranked, plausible[0]):
            return Recognition(match=None, candidates=shown, why_not=_why_none([page], self.threshold))
        plausible = self._shown_rather(plausible, state)
        chosen, why = self._choose(plausible, last_node=last_node, expected=expected)
        rivals = self._rivals(chosen, ranked, state) if chosen else []
        if chosen and rivals:
            plausible, chosen = [chosen, *rivals], None
        if chosen is None:
            why_not = say("matching.ambiguous", names=either(c.node.name or c.node.node_id for c in plausible))
            return Recognition(match=None, candidates=shown, why_not=why_not)
        match = _match(chosen, _next_to(chosen, [c for c in ranked if c.node.node_id not in dropped]))
        if why:
            match = replace(match, reasons=(*match.reasons, Reason(sign=CONTEXT, score=None, note=why)))
        return Recognition(match=match, candidates=shown)

    def _good(self, ranked: Iterable[Candidate]) -> list[Candidate]:
        return [c for c in ranked if c.confidence >= self.threshold]

    def _plausible(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The best node and those as good as it."""
        good = self._good(ranked)
        return [c for c in good if c.confidence >= good[0].confidence - self.margin]

    def _dropped(self, ranked: Sequence[Candidate], state: ScreenState) -> list[Candidate]:
        """Good nodes that another good node says more about than they do.

        An open menu shows all that the window without it shows; a filled form shows all that the empty one shows, and
        the run's values.
        """
        good = self._good(ranked)
        fuller = [c for c in good if c.declared.is_complete]
        return [c for c in good if any(self._says_more(other, c, state) for other in fuller if other is not c)]

    def _says_more(self, one: Candidate, other: Candidate, state: ScreenState) -> bool:
        if other.judged is None:
            return self._texts[other.node.node_id] < self._texts[one.node.node_id]
        if not other.declared.named < one.declared.named:
            return False
        return shows(other.node, other.taught, one.node, one.taught, state) is not True

    def _rivals(self, chosen: Candidate, ranked: Sequence[Candidate], state: ScreenState) -> list[Candidate]:
        """Those that the screen may be as well, as what would tell is not in sight. There the run does not decide: it
        does between screens that show the same, and these do not."""
        if chosen.judged is None or not state.text_method:
            return []
        return [
            c
            for c in ranked
            if c is not chosen
            and c.may_be
            and chosen.declared.named <= set(c.node.texts)
            and any(shows(chosen.node, chosen.taught, c.node, look, state) is False for look in self._looks(c))
        ]

    def _looks(self, candidate: Candidate) -> tuple[Reference | None, ...]:
        reference = self.gallery.references.get(candidate.node.node_id)
        return (reference, *(reference.looks if reference else ()))

    def _shown_rather(self, plausible: Sequence[Candidate], state: ScreenState) -> list[Candidate]:
        """Without those that another one is, by what the screen shows."""
        if len(plausible) < 2 or not state.text_method or any(c.judged is None for c in plausible):
            return list(plausible)

        def rather(one: Candidate, other: Candidate) -> bool:
            return shows(one.node, one.taught, other.node, other.taught, state) is True

        return [
            c for c in plausible if not any(rather(o, c) and not rather(c, o) for o in plausible if o is not c)
        ] or list(plausible)

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


def _is_neutral(node: NodeSpec, look: Reference, own: Reference) -> bool:
    """Whether it is a look that a coach picked, of which nothing is kept but what the taught picture says too."""
    if look.picture not in node.looks or look.reading is None:
        return False
    taught = own.reading.texts if own.reading and own.picture == node.picture else ()
    known = ScreenWords(taught)
    said = {folded(text) for text in node.texts}
    return all(folded(line.text) in said or known.seen(line.text) >= SEEN for line in look.reading.texts)


def _where_it_counts(reference: Reference, node: NodeSpec) -> Reference:
    return with_areas(reference, boxes_of(node, RegionKind.IGNORE), boxes_of(node, RegionKind.LIST))


def _declared(node: NodeSpec) -> list[str]:
    """What a node can be found by of its declared texts: those without variables, and their words."""
    return found_by(text for text in node.texts if not templates.names(text))


def _page_of(ranked: Sequence[Candidate], best: Candidate) -> Candidate | None:
    """The node of whose program it is another page, or layer: what is less like the screen than that is not it, unless
    the tab that is chosen says so."""
    if best.judged and best.judged.compared.comparison and best.judged.compared.comparison["chosen"] > 0:
        return None
    pages = (c for c in ranked if c.against and c.against.sign in OTHER_PAGE and c.alike > best.alike)
    return max(pages, key=lambda c: c.alike, default=None)


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
        reasons=candidate.reasons,
    )


def _why_none(ranked: Sequence[Candidate], threshold: float) -> str:
    if not ranked:
        return say("matching.no_nodes")
    best = ranked[0]
    name = best.node.name or best.node.node_id
    if best.declared.lacks:
        return say("matching.lacks", node=name, texts=list(best.declared.lacks))
    notes = then(r.note for r in best.reasons)
    return say("matching.not_sure_enough", node=name, confidence=best.confidence, needed=threshold, notes=notes)
