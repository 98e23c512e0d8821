"""From a frame to a ScreenState: what is read, what elements there are, what the screen looks like (S2.1)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar

import numpy as np

from execution.perception.cache import Asked, CachedScreen, ScreenStateCache
from execution.perception.carrying import detect_changed, read_changed
from execution.perception.changes import Changes, find_changes
from execution.perception.clocks import moved_clocks, told_anew
from execution.perception.config import PerceptionConfig
from execution.perception.elements import ElementDetector
from execution.perception.embedding import Embedder, open_embedder
from execution.perception.harmless import CLOCK, Harmless, judge
from execution.perception.languages import tesseract_codes
from execution.perception.masking import painted_over
from execution.perception.ocr import NO_READER, TextReader, open_reader
from execution.perception.pixels import check_bgr
from execution.perception.ui_detector import Classifier, UIDetector, open_detector
from execution.perception.watchdog import Guard, Hung, patience_s
from execution.types import Box, Element, Frame, ScreenState, TextLine, Timings, Window
from gpu.clip import CLIPManager
from sentences.said import cause, say
from workflows.graph import NormBox

# One question to the analyzer, and the known screen that comes nearest to answering it.


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisRequest:
    """One question to the analyzer."""

    frame: Frame
    window: Window | None
    asked: Asked
    masks: tuple[NormBox, ...]
    hides: Callable[[ScreenState], Sequence[NormBox]] | None
    patience: float

    def state(self, **more: Any) -> ScreenState:
        return ScreenState(frame=self.frame, window=self.window, **more)


class Near(NamedTuple):
    """A screen seen lately, and where the present one differs from it."""

    entry: CachedScreen
    changes: Changes

    def verdict(self, look: AnalysisRequest) -> Harmless | None:
        state = self.entry.state
        masks = [Box.from_normalised(mask, look.frame.size) for mask in look.masks]
        return judge(state.frame.pixels, look.frame.pixels, self.changes, state.texts, masks)


def unusable(frame: Frame) -> str:
    """Why nothing can be read on the frame, as a sentence; empty for a picture."""
    try:
        check_bgr(frame.pixels)
    except ValueError as error:
        return say("perception.picture_unusable", error=error)
    return "" if frame.pixels.size else say("perception.picture_empty")


def with_problem(state: ScreenState, problem: str) -> ScreenState:
    return replace(state, degraded=True, notes=(*state.notes, problem)) if problem else state


# The parts of perception as the analyzer calls them: guarded, their answers checked, what is wrong with them told.

logger = logging.getLogger(__name__)

_MARGIN = 4  # pixels

T = TypeVar("T")
Boxed = TypeVar("Boxed", TextLine, Element)


class PartAnswer(NamedTuple, Generic[T]):
    """What a part answered, None where nothing came, and the sentence on what is wrong ("" where nothing is)."""

    answer: T | None
    problem: str = ""


class PerceptionPart:
    """A reader, detector or embedder, `name` in words; each problem of it is logged the first time it comes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._guard = Guard(name)
        self._told: set[str] = set()

    @property
    def hangs(self) -> str:
        """The sentence that says so while a call that was given up still runs, else ""."""
        return say("perception.hangs", part=self.name) if self._guard.hangs else ""

    def ask(self, function: Callable[[], T], *, patience: float) -> PartAnswer[T]:
        """The answer to a call; a call that raises or has not come back after `patience` seconds gives a problem."""
        try:
            return PartAnswer(self._guard.run(function, limit_s=patience))
        except Hung as hung:
            if hung.seconds:
                return PartAnswer(None, self._tell(say("perception.late", part=self.name, n=hung.seconds), "hung"))
            return PartAnswer(None, self._tell(say("perception.hangs", part=self.name), "hangs"))
        except Exception as error:  # noqa: BLE001  other people's code: one bad frame must not end a run
            told = say("perception.failed", part=self.name, error=cause(error))
            return PartAnswer(None, self._tell(told, type(error).__name__))

    def ask_boxes(
        self, function: Callable[[], Iterable[Boxed]], frame: Frame, *, patience: float
    ) -> PartAnswer[tuple[Boxed, ...]]:
        """The same of a call for lines or elements: what lies outside the frame is cut off, and is a problem where it
        is more than the margin around a thing at the frame's edge."""
        said = self.ask(lambda: _cut_to(function(), frame), patience=patience)
        if said.answer is None:
            return PartAnswer(None, said.problem)
        inside, strays = said.answer
        return PartAnswer(inside, self._tell(say("perception.outside", part=self.name), "outside") if strays else "")

    def _tell(self, sentence: str, kind: str) -> str:
        if kind not in self._told:
            self._told.add(kind)
            logger.warning("Perception is degraded: %s", sentence)
        return sentence


def _cut_to(things: Iterable[Boxed], frame: Frame) -> tuple[tuple[Boxed, ...], bool]:
    """The things with their boxes cut to the frame, those that lie wholly outside left out, and whether any strayed."""
    whole = Box(0, 0, *frame.size)
    inside, strays = [], False
    for thing in things:
        box = thing.box.intersection(whole)
        strays |= max(-thing.box.x, -thing.box.y, thing.box.right - whole.w, thing.box.bottom - whole.h) > _MARGIN
        if box.area:
            inside.append(thing if box == thing.box else replace(thing, box=box))
    return tuple(inside), strays


_READY_S = 1.0


class PerceptionReport(TypedDict):
    """What looks at the screens, what is wrong with it now, and how often a screen was known; for the status page."""

    reader: str
    detector: str
    embedder: str
    problems: list[str]
    cache: dict[str, Any]


class ScreenAnalyzer:
    """Looks at frames with whatever parts it was given; a part that fails or hangs degrades the state.

    `analyze` never raises and always comes back. Screens seen lately are remembered, over all runs.
    """

    def __init__(
        self,
        reader: TextReader | None,
        detector: ElementDetector | None,
        embedder: Embedder | None,
        *,
        cache: ScreenStateCache | None = None,
        classifier: Classifier | None = None,
        problems: Sequence[str] = (),
        patience: float = patience_s(8000),
    ) -> None:
        """`problems` are sentences on what could not be had from the start, for the status page; `patience` is how many
        seconds each part is waited for where `analyze` is not told otherwise."""
        self.patience = patience
        self.reader, self.detector, self.embedder = reader, detector, embedder
        self.cache = cache or ScreenStateCache()
        self._naming = UIDetector(detector, classifier) if detector and classifier else None
        self._problems, self._notes = tuple(problems), tuple[str, ...]()
        self._reading = PerceptionPart(say("perception.text_reader", name=reader.name if reader else "–"))
        self._detecting = PerceptionPart(say("perception.element_detector"))
        self._embedding = PerceptionPart(say("perception.embedding"))
        self._classifying = PerceptionPart(say("perception.naming"))

    def warm_up(self) -> None:
        """Load what is heavy now; raises ReaderUnavailable and the like, which `analyze` would only log."""
        blank = np.full((64, 256, 3), 255, np.uint8)
        if self.reader:
            self.reader.read(blank)
        if self.detector:
            self.detector.detect(blank, ())
        if self.embedder:
            self.embedder.embed(blank)

    def misses(self, state: ScreenState) -> bool:
        """Whether nobody knows what stands on a screen, though there is a reader: it failed, or hangs."""
        return self.reader is not None and not state.text_method

    def report(self) -> PerceptionReport:
        """How perception is; may be asked for by another thread."""
        parts = (self._reading, self._detecting, self._classifying, self._embedding)
        hanging = [said for part in parts if (said := part.hangs)]
        return PerceptionReport(
            reader=self.reader.name if self.reader else "",
            detector=_name_of(self.detector),
            embedder=self.embedder.model_id if self.embedder else "",
            problems=list(dict.fromkeys([*self._problems, *self._notes, *hanging])),
            cache=asdict(self.cache.counts()),
        )

    def analyze(
        self,
        frame: Frame,
        window: Window | None,
        *,
        ocr: bool = True,
        ui: bool = True,
        anew: bool = True,
        previous: ScreenState | None = None,
        masks: Sequence[NormBox] = (),
        hides: Callable[[ScreenState], Sequence[NormBox]] | None = None,
        patience: float | None = None,
    ) -> ScreenState:
        """What is on the frame; only what changed since a screen seen lately, or `previous`, is read anew (S2.11).

        Both flags off gives a stub: no texts, no elements, degraded (S2.3). `anew` False reads nothing: a screen that
        is known, else a stub (S2.4). `masks` are regions whose changes do not matter, as fractions of the frame: a
        known screen is given as it was first read there; `hides` tells what of a
        screen no model sees (S10.4), without it these regions. `patience` is how many seconds each part is waited for.
        What is no BGR picture gives a stub with a note.
        """
        started = time.perf_counter()
        asked = Asked(self.reader.name if ocr and self.reader else "", _name_of(self.detector) if ui else "")
        look = AnalysisRequest(
            frame=frame,
            window=window,
            asked=asked,
            masks=tuple(masks),
            hides=hides,
            patience=self.patience if patience is None else patience,
        )
        state = self._answer(look, previous, anew=anew)
        self._notes = state.notes
        return replace(state, timings=replace(state.timings, analyze_ms=_ms_since(started)))

    def _answer(self, look: AnalysisRequest, previous: ScreenState | None, *, anew: bool) -> ScreenState:
        if problem := unusable(look.frame):
            return look.state(degraded=True, notes=(problem,))
        if not any(look.asked):
            return self._embedded(look.state(degraded=True), look)
        self._take_up(previous, look)
        known = self.cache.same(look.frame, look.asked)
        if known and not (anew and self._may_be_named_now(known.state)):
            self.cache.count_hit()
            return self._again(known.state, look)
        near = self._near(look)
        verdict = near.verdict(look) if near and not known else None
        if near and verdict and verdict.reason != CLOCK:
            self.cache.count_near(verdict.reason)
            if not verdict.masked:
                self.cache.also(look.frame, near.entry)
            return self._again(near.entry.state, look)
        if not anew:
            return self._embedded(look.state(degraded=True), look)
        return self._seen(look, near, verdict)

    # --- known screens ----------------------------------------------------------------------------------------------
    def _take_up(self, previous: ScreenState | None, look: AnalysisRequest) -> None:
        """Remember a state from elsewhere; one that came out of a cache need not be what its own picture shows."""
        if previous is None or previous.degraded or previous.cache_hit:
            return
        asked = Asked(previous.text_method, look.asked.detector if previous.elements else "")
        if not look.asked.is_answered_by(asked) or self.cache.same(previous.frame, asked):
            return
        self.cache.put(previous, asked)

    def _near(self, look: AnalysisRequest) -> Near | None:
        """The screen seen lately that is most like this one, and where they differ."""
        entry = self.cache.close(look.frame, look.asked)
        changes = find_changes(entry.state.frame.pixels, look.frame.pixels) if entry else None
        return Near(entry, changes) if entry and changes else None

    def _again(self, state: ScreenState, look: AnalysisRequest) -> ScreenState:
        """A known state as the answer to this look."""
        elements = state.elements if look.asked.detector else ()
        state = replace(
            state, frame=look.frame, window=look.window, elements=elements, cache_hit=True, timings=Timings()
        )
        if self.embedder and (state.embedding is None or state.embedding.model != self.embedder.model_id):
            return self._embedded(state, look)
        return state

    # --- screens that have to be looked at --------------------------------------------------------------------------
    def _seen(self, look: AnalysisRequest, near: Near | None, verdict: Harmless | None) -> ScreenState:
        state = self._read(look, near)
        if near and verdict and (moved := self._with_clocks_moved(state, look, near, verdict)):
            return moved
        self.cache.count_miss()
        state = self._embedded(self._detected(state, look, near), look)
        if not state.degraded:
            self.cache.put(state, look.asked)
        return state

    def _read(self, look: AnalysisRequest, near: Near | None) -> ScreenState:
        reader = self.reader
        if not look.asked.reader or reader is None:
            return look.state()
        begun = time.perf_counter()
        said = self._reading.ask_boxes(
            lambda: read_changed(
                look.frame, reader, near.entry.state if near else None, near.changes if near else None
            ),
            look.frame,
            patience=look.patience,
        )
        texts = said.answer or ()
        fresh = set(texts) - set(near.entry.state.texts if near else ())
        return with_problem(
            look.state(
                texts=texts,
                text_method=reader.name if said.answer is not None else "",
                timings=Timings(ocr_ms=_ms_since(begun), lines_read=len(fresh)),
            ),
            said.problem,
        )

    def _detected(self, state: ScreenState, look: AnalysisRequest, near: Near | None) -> ScreenState:
        detector = self.detector
        if not look.asked.detector or detector is None:
            return state
        begun = time.perf_counter()
        before = near.entry.state if near and near.entry.asked.detector and not state.degraded else None
        said = self._detecting.ask_boxes(
            lambda: detect_changed(look.frame, detector, state.texts, before, near.changes if near else None),
            look.frame,
            patience=look.patience,
        )
        elements, notes = said.answer or (), state.notes
        if self._naming:
            elements, notes = self._named(self._naming, look, replace(state, elements=elements), notes)
        timings = replace(state.timings, ui_ms=_ms_since(begun))
        return with_problem(replace(state, elements=elements, notes=notes, timings=timings), said.problem)

    def _named(
        self, naming: UIDetector, look: AnalysisRequest, state: ScreenState, notes: tuple[str, ...]
    ) -> tuple[tuple[Element, ...], tuple[str, ...]]:
        """The elements with what a model calls them; without their names the state is whole, and says so (S2.9)."""
        elements = state.elements
        shown = painted_over(look.frame.pixels, look.hides(state) if look.hides else look.masks)
        said = self._classifying.ask(lambda: naming.classified(shown, elements), patience=look.patience)
        if said.answer is None:
            return elements, (*notes, said.problem)
        return said.answer.elements, (*notes, *said.answer.notes)

    def _may_be_named_now(self, state: ScreenState) -> bool:
        """Whether a known state lacks names that a model would give by now."""
        classifier = self._naming.classifier if self._naming else None
        if not state.notes or classifier is None:
            return False
        return bool(self._classifying.ask(classifier.ready, patience=_READY_S).answer)

    def _embedded(self, state: ScreenState, look: AnalysisRequest) -> ScreenState:
        embedder = self.embedder
        if embedder is None:
            return state
        said = self._embedding.ask(lambda: embedder.embed(look.frame.pixels), patience=look.patience)
        return with_problem(replace(state, embedding=said.answer), said.problem)

    def _with_clocks_moved(
        self, state: ScreenState, look: AnalysisRequest, near: Near, verdict: Harmless
    ) -> ScreenState | None:
        """The known screen with its clocks as they read now; None where something else reads otherwise too."""
        known = near.entry.state
        passed = look.frame.taken_at - known.frame.taken_at
        pairs = None if state.degraded else moved_clocks(verdict.clocks, known.texts, state.texts, passed=passed)
        if pairs is None:
            return None
        elements = known.elements
        for clock, now in pairs:
            elements = tuple(told_anew(element, clock, now) for element in elements)
        whole = replace(known, frame=look.frame, window=look.window, texts=state.texts, elements=elements)
        self.cache.count_near(CLOCK)
        if not verdict.masked:
            self.cache.instead(near.entry, replace(whole, cache_hit=False))
        return replace(self._again(whole, look), timings=state.timings)


def build_analyzer(
    config: PerceptionConfig | None = None, *, classifier: Classifier | None = None, clip: CLIPManager | None = None
) -> ScreenAnalyzer:
    """The product's own analyzer, as configured; `classifier` names the elements (S2.9), `clip` is the one that moves.

    Models are loaded with the first frame or by `warm_up`. ValueError for a reader, language or embedder that there is
    not, DetectorUnavailable for a detector; see PerceptionConfig.check. An embedder whose weights cannot be had is
    replaced by the built-in one, which the report tells.
    """
    config = config or PerceptionConfig()
    opened = open_embedder(config, clip=clip)
    problems = [opened.note] if opened.note else []
    return ScreenAnalyzer(
        reader_from(config),
        open_detector(config.ui_detector),
        opened.embedder,
        classifier=classifier,
        problems=problems,
        patience=patience_s(config.analyze_timeout_ms),
    )


def _name_of(detector: ElementDetector | None) -> str:
    return str(getattr(detector, "name", type(detector).__name__)) if detector else ""


def _ms_since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000


def reader_from(config: PerceptionConfig) -> TextReader | None:
    """The reader that is configured, None for "none"; ValueError for an unknown name or language."""
    if config.reader == NO_READER:
        return None
    options: dict[str, dict[str, Any]] = {
        "easyocr": {"folder": config.models_dir, "languages": config.languages, "gpu": config.ocr_gpu},
        "tesseract": {"languages": tesseract_codes(config.languages)} if config.reader == "tesseract" else {},
    }
    return open_reader(config.reader, **options.get(config.reader, {}))
