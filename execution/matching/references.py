"""What the analyzer sees on a node's taught picture, kept so that each picture is read once (S2.10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from execution.language.fuzzy import folded
from execution.matching.sheet import Sheet
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.pictures import PictureSource
from execution.types import (
    Box,
    Element,
    ElementRole,
    ElementState,
    Embedding,
    Frame,
    ScreenState,
    Size,
    TextLine,
    Window,
    pixels_digest,
)
from sentences.said import say, then
from workflows.exceptions import PictureError
from workflows.graph import GraphSpec, NodeSpec, NormBox, TargetSpec
from workflows.places import has_size

FORMAT = 1  # of what is kept; another number reads the pictures again


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The texts and elements of one picture. `maker` names the reader, the detector and the format: see `maker_of`."""

    picture: str
    maker: str
    size: Size
    texts: tuple[TextLine, ...] = ()
    elements: tuple[Element, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain lists and texts; `from_json` gives an equal value back."""
        return {
            "picture": self.picture,
            "maker": self.maker,
            "size": list(self.size),
            "texts": [[t.text, *t.box, round(t.confidence, 3)] for t in self.texts],
            "elements": [
                [e.role.value, *e.box, e.text, round(e.confidence, 3), sorted(s.value for s in e.states)]
                for e in self.elements
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reading:
        """Raises ValueError where the data is of another shape: it must be read again."""
        try:
            return cls(
                picture=data["picture"],
                maker=data["maker"],
                size=Size(*data["size"]),
                texts=tuple(TextLine(text=t[0], box=Box(*t[1:5]), confidence=t[5]) for t in data["texts"]),
                elements=tuple(_element(e) for e in data["elements"]),
            )
        except (KeyError, IndexError, TypeError) as error:
            raise ValueError(f"A kept reading has another shape ({error!r}); it has to be made again.") from error


def _element(row: list[Any]) -> Element:
    role, x, y, w, h, text, confidence, states = row
    return Element(
        role=ElementRole(role), box=Box(x, y, w, h), text=text, confidence=confidence,
        states=frozenset(ElementState(s) for s in states),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Reference:
    """All that is known of one node's taught screen. A sign that could not be had is None, and `problem` says why.

    `window` is what the targets taught on that screen say of their window, its box in pixels of the picture. `looks`
    are the references of further pictures of the same screen; a screen is the node if it is any one of them.
    `ignored` are areas, as fractions of the picture, of which nothing is in the reading and nothing counts on a screen;
    `lists` are those of lists, which may be longer or shorter another day.
    """

    picture: str
    reading: Reading | None = None
    embedding: Embedding | None = None
    window: Window | None = None
    problem: str = ""
    looks: tuple[Reference, ...] = ()
    ignored: tuple[NormBox, ...] = ()
    lists: tuple[NormBox, ...] = ()

    @cached_property
    def sheet(self) -> Sheet | None:
        """Its reading, made ready to be compared."""
        reading = self.reading
        if reading is None:
            return None
        lists = [Box.from_normalised(box, reading.size) for box in self.lists]
        return Sheet(texts=reading.texts, elements=reading.elements, size=reading.size, window=self.window, lists=lists)

    def nearest(self, state: ScreenState) -> Reference:
        """Of all its looks the one of which most is on the screen, and of the screen on it."""
        shown = {folded(line.text) for line in state.texts}

        def shared(look: Reference) -> float:
            read = {folded(line.text) for line in look.reading.texts} if look.reading else set()
            return len(read & shown) / max(1, len(read | shown)) if look.reading else -1.0

        return max((self, *self.looks), key=shared)


class ReferenceStore(Protocol):
    """Keeps readings by picture and maker, vectors by picture and model."""

    def readings(self, pictures: Iterable[str], maker: str) -> dict[str, Reading]:
        """Those that are kept, by picture."""

    def embeddings(self, pictures: Iterable[str], model: str) -> dict[str, Embedding]:
        """Those that are kept, by picture."""

    def keep_reading(self, reading: Reading) -> None:
        """Keep it, in place of one of the same picture and maker."""

    def keep_embedding(self, picture: str, embedding: Embedding) -> None:
        """Keep it, in place of one of the same picture and model."""


class ReferencesInMemory:
    """A store that ends with the process."""

    def __init__(self) -> None:
        self._readings: dict[tuple[str, str], Reading] = {}
        self._embeddings: dict[tuple[str, str], Embedding] = {}

    def readings(self, pictures: Iterable[str], maker: str) -> dict[str, Reading]:
        return {p: self._readings[p, maker] for p in pictures if (p, maker) in self._readings}

    def embeddings(self, pictures: Iterable[str], model: str) -> dict[str, Embedding]:
        return {p: self._embeddings[p, model] for p in pictures if (p, model) in self._embeddings}

    def keep_reading(self, reading: Reading) -> None:
        self._readings[reading.picture, reading.maker] = reading

    def keep_embedding(self, picture: str, embedding: Embedding) -> None:
        self._embeddings[picture, embedding.model] = embedding


def maker_of(analyzer: ScreenAnalyzer) -> str:
    """The id of what reads and detects: readings of another maker are of no use."""
    detector = analyzer.detector
    seer = getattr(detector, "name", type(detector).__name__) if detector else "none"
    return f"{analyzer.reader.name if analyzer.reader else 'none'}+{seer}/{FORMAT}"


def prepare(
    graph: GraphSpec,
    *,
    analyzer: ScreenAnalyzer,
    pictures: PictureSource,
    store: ReferenceStore,
    read: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Reference]:
    """The references of all nodes that have a picture, by node id; only what the store lacks is read and embedded.

    `read` False makes no new readings (OCR is off for the run). `progress` is told how many pictures of those that have
    to be looked at are done; `stop` is asked before each, and what is left then lacks its signs. A picture that cannot
    be had or read costs its signs alone.
    """
    wanted = sorted({picture for node in graph.nodes for picture in _pictures(node)})
    maker = maker_of(analyzer)
    model = analyzer.embedder.model_id if analyzer.embedder else ""
    readings, embeddings = store.readings(wanted, maker), store.embeddings(wanted, model) if model else {}
    reads = read and analyzer.reader is not None
    missing = [p for p in wanted if (reads and p not in readings) or (model and p not in embeddings)]
    problems = dict[str, str]()
    for done, picture in enumerate(missing):
        progress(done, len(missing))
        if stop():
            problems |= dict.fromkeys(missing[done:], "the run was told to leave before it was read")
            break
        state, problems[picture] = _look(picture, analyzer, pictures, ocr=reads and picture not in readings)
        if state and state.embedding and picture not in embeddings:
            embeddings[picture] = state.embedding
            store.keep_embedding(picture, state.embedding)
        if state and state.text_method:
            readings[picture] = _reading(picture, maker, state)
            store.keep_reading(readings[picture])
    if missing and not stop():
        progress(len(missing), len(missing))
    known = {
        picture: Reference(
            picture=picture,
            reading=readings.get(picture),
            embedding=embeddings.get(picture),
            problem=problems.get(picture, ""),
        )
        for picture in wanted
    }
    return {node.node_id: _of_node(graph, node, known) for node in graph.nodes if _pictures(node)}


def _pictures(node: NodeSpec) -> list[str]:
    return [picture for picture in dict.fromkeys((node.picture, *node.looks)) if picture]


def _of_node(graph: GraphSpec, node: NodeSpec, known: Mapping[str, Reference]) -> Reference:
    window = taught_window(graph, node)
    reading = known[node.picture].reading if node.picture else None
    if (window is None or window.box is None) and node.window_box and reading is not None:
        box = Box.from_normalised(node.window_box, reading.size)
        window = replace(window or Window(title="", app_name=node.app_name), box=box)
    first, *further = (replace(known[picture], window=window) for picture in _pictures(node))
    return replace(first, looks=tuple(further))


def _look(
    picture: str, analyzer: ScreenAnalyzer, pictures: PictureSource, *, ocr: bool
) -> tuple[ScreenState | None, str]:
    """The picture as the analyzer sees it, and what went wrong ("" if nothing)."""
    try:
        pixels = pictures.load(picture)
    except PictureError as error:
        return None, say("matching.picture_not_had", error=error)
    frame = Frame(pixels=np.ascontiguousarray(pixels), taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
    state = analyzer.analyze(frame, None, ocr=ocr, ui=ocr)
    if not (ocr and state.degraded):
        return state, ""
    why = then(state.notes) or say("matching.reader_failed")
    return replace(state, text_method=""), say("matching.picture_not_read_why", why=why)


def _reading(picture: str, maker: str, state: ScreenState) -> Reading:
    return Reading(
        picture=picture, maker=maker, size=state.frame.size, texts=state.texts, elements=state.elements
    )  # fmt: skip


def taught_window(graph: GraphSpec, node: NodeSpec) -> Window | None:
    """The window of the node's taught screen, as the targets of its edges say it; None where none of them does."""
    targets = [e.target for e in graph.outgoing(node.node_id) if e.target and e.target.window_title]
    if not targets:
        return Window(app_name=node.app_name) if node.app_name else None
    title, _ = Counter(t.window_title for t in targets).most_common(1)[0]
    boxes = (_window_box(t) for t in targets if t.window_title == title)
    return Window(title=title, app_name=node.app_name, box=next((box for box in boxes if box), None))


def _window_box(target: TargetSpec) -> Box | None:
    """Where the window lay, from the same box as fractions of the screen and of the window."""
    if not (target.box and target.window_box and all(target.screen_size) and has_size(target.window_box)):
        return None
    box = Box.from_normalised(target.box, Size(*target.screen_size))
    width, height = box.w / target.window_box[2], box.h / target.window_box[3]
    left, top = box.x - target.window_box[0] * width, box.y - target.window_box[1] * height
    return Box(round(left), round(top), round(width), round(height))
