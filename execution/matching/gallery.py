"""The taught pictures of a workflow, made ready: which a screen can be, and how it compares with each (S2.10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from execution.matching.areas import ignored_on, lists_on
from execution.matching.comparison import Comparison, compare
from execution.matching.index import LookIndex, TextIndex, found_by
from execution.matching.references import Reference
from execution.matching.same import Compared
from execution.matching.sheet import Sheet, outside
from execution.matching.windows import app_speaks, folded_title, title_speaks
from execution.perception.embedding import Embedder
from execution.types import Box, ScreenState, Window

_IN_PLACE = 0.9  # of the smaller: a window that was made larger stands where it stood


class Gallery:
    """The looks of all nodes that have a picture. Whatever sign is missing makes it less certain."""

    def __init__(self, references: Mapping[str, Reference], *, embedder: Embedder | None = None) -> None:
        """`references` by node id. Without an embedder the vectors of the model that made most of them are compared."""
        self.references = dict(references)
        self._looks_of = {name: _named(name, one) for name, one in self.references.items()}
        self._all = {look: one for looks in self._looks_of.values() for look, one in looks.items()}
        self._node_of = {look: name for name, looks in self._looks_of.items() for look in looks}
        self._sheets = {look: sheet for look, one in self._all.items() if (sheet := one.sheet)}
        self._texts = TextIndex({look: found_by(sheet.texts) for look, sheet in self._sheets.items()})
        self._titles = frozenset(folded_title(one.window) for one in self.references.values()) - {""}
        self.known = known_lines((self._node_of[look], sheet) for look, sheet in self._sheets.items())
        self._view: _View | None = None
        self.embedder = embedder

    @property
    def embedder(self) -> Embedder | None:
        """Whose vectors are compared; give it anew when the model was moved or changed (S2.10)."""
        return self._embedder

    @embedder.setter
    def embedder(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._model = embedder.model_id if embedder else _commonest_model(self._all.values())
        made = {look: one.embedding for look, one in self._all.items() if one.embedding}
        vectors = {look: e.vector for look, e in made.items() if e.model == self._model}
        self._vectors = LookIndex(vectors)
        self._view = None

    @property
    def findable(self) -> frozenset[str]:
        """The nodes that a screen can lead to by its texts or its look."""
        return frozenset(self._node_of[look] for look in (*self._sheets, *self._vectors.ids))

    def compared(
        self, state: ScreenState, *, among: Collection[str], declared: Mapping[str, float] | None = None
    ) -> list[Compared]:
        """The screen beside each look of those nodes, and of those that share most with it or look most like it.

        `declared` is by node the share of its declared texts that were seen.
        """
        if self._view is None or not self._view.shows(state):
            self._view = _View(self, state)  # a step asks several times of one screen
        view = self._view
        names = [look for name in among for look in self._looks_of.get(name, ())]
        names += self._texts.best(found_by(view.sheet.texts)) if state.text_method else []
        names += view.looks.best if view.looks else []
        shares = declared or {}
        found = [view.compared(look, shares.get(self._node_of[look], np.nan)) for look in dict.fromkeys(names)]
        return [one for one in found if one.comparison is not None or not np.isnan(one.cosine)]


class _View:
    """The present screen, compared with one look after the other, with each once."""

    def __init__(self, gallery: Gallery, state: ScreenState) -> None:
        self._gallery, self._state = gallery, state
        self.sheet = Sheet(texts=state.texts, elements=state.elements, size=state.frame.size, window=state.window)
        self._sheets = dict[tuple[tuple[Box, ...], ...], Sheet]()
        self._comparisons = dict[str, Comparison]()
        embedding = state.embedding
        comparable = embedding is not None and embedding.model == gallery._model
        self.looks = gallery._vectors.looks(embedding.vector) if comparable and embedding else None

    def shows(self, state: ScreenState) -> bool:
        """Whether that state is nothing else than this one: as it was read and seen once, in the same window."""
        mine = self._state
        same = state.texts is mine.texts and state.elements is mine.elements and state.embedding is mine.embedding
        at = state.text_method, state.window, state.frame.size
        return same and at == (mine.text_method, mine.window, mine.frame.size)

    def _comparison(self, look: str) -> Comparison | None:
        taught = self._gallery._sheets.get(look)
        if taught is None or not self._state.text_method:
            return None
        if look not in self._comparisons:
            now = self._sheet_for(self._gallery._all[look])
            self._comparisons[look] = compare(taught, now, self._gallery.known)
        return self._comparisons[look]

    def compared(self, look: str, declared: float) -> Compared:
        gallery = self._gallery
        reference = gallery._all[look]
        then, now = reference.window, self._state.window
        look_tells = not reference.lists and _in_place(then, now)
        cosine = self.looks.cosine(look) if self.looks and look_tells else None
        return Compared(
            node_id=gallery._node_of[look],
            reference=reference,
            comparison=self._comparison(look),
            cosine=np.nan if cosine is None else cosine,
            look_tells=look_tells,
            title=title_speaks(then.title, now.title, gallery._titles) if then and now else np.nan,
            app=app_speaks(then.app_name, now.app_name) if then and now else np.nan,
            declared=declared,
        )

    def _sheet_for(self, reference: Reference) -> Sheet:
        """The screen as it is compared with that picture: without what stands in areas that do not matter to it, and
        with its lists."""
        if not reference.ignored and not reference.lists:
            return self.sheet
        state = self._state
        areas = ignored_on(state, reference), lists_on(state, reference)
        if areas not in self._sheets:
            self._sheets[areas] = Sheet(
                texts=outside(state.texts, areas[0]),
                elements=outside(state.elements, areas[0]),
                size=state.frame.size,
                window=state.window,
                lists=areas[1],
            )
        return self._sheets[areas]


def _in_place(then: Window | None, now: Window | None) -> bool:
    """Whether a look of the whole screen tells: of a window that was moved since it shows the desktop around it."""
    if not (then and now and then.box and now.box):
        return True
    return then.box.intersection(now.box).area >= _IN_PLACE * min(then.box.area, now.box.area)


def known_lines(sheets: Iterable[tuple[str, Sheet]]) -> Counter[str]:
    """On how many nodes each line stands that holds no data, by node and sheet."""
    lines = dict[str, set[str]]()
    for node, sheet in sheets:
        lines.setdefault(node, set()).update(sheet.keys[i] for i in np.flatnonzero(sheet.fixed))
    return Counter(key for keys in lines.values() for key in keys)


def _named(name: str, reference: Reference) -> dict[str, Reference]:
    """The looks of a node by names of their own; the first is called like the node."""
    return {f"{name}\0{number}" if number else name: one for number, one in enumerate((reference, *reference.looks))}


def _commonest_model(references: Collection[Reference]) -> str:
    models = [one.embedding.model for one in references if one.embedding]
    return max(sorted(set(models)), key=models.count) if models else ""
