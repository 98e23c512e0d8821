"""Ways to find a taught target on a changed screen: the product's own, and those it is measured beside.

Each takes a Scene and answers with a point to click or None; it sees the pictures and the readings, never the truth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np

from benchmarks.drift.pairs import FOLDER, PARTS, Pair, Truth
from benchmarks.foreign.finding import Question
from benchmarks.foreign.scoring import Area
from benchmarks.readings import FOLDER as READINGS
from benchmarks.readings import Read, read_all
from benchmarks.screens.corpus import Screen
from execution.perception.analyzer import build_analyzer
from execution.perception.embedding import BuiltinEmbedder
from execution.targeting.boxes import text_lines_in
from execution.targeting.embedding import EmbeddingAdviser
from execution.targeting.judge import Judge
from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, Point, ResolveStatus, ScreenState, pixels_digest
from workflows.graph import TargetSpec

_PYAUTOGUI_CONFIDENCE = 0.9
_SCALES_SCORE = 0.8
_SCALES = tuple(0.5 * 4 ** (step / 16) for step in range(17))  # 0.5 to 2 with 1 among them, each 9 % more


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """One pair with both its screens as they were read, and their pixels."""

    pair: Pair
    taught: ScreenState
    seen: ScreenState

    @property
    def template(self) -> np.ndarray:
        return np.ascontiguousarray(self.taught.frame.crop(self.pair.box))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Where to click, or None; how long that took, in milliseconds, and what was said to it."""

    point: Point | None
    ms: float
    box: Box | None = None
    said: str = ""


class Method(Protocol):
    name: str

    def answer(self, scene: Scene) -> Answer: ...


def scene(pair: Pair, taught: Read, seen: Read) -> Scene:
    """The pair with its pixels; the window is left out where the pair says that nobody knows of it."""
    return Scene(pair=pair, taught=_state(pair, taught), seen=_state(pair, seen))


def _state(pair: Pair, read: Read) -> ScreenState:
    state = read.state(window=pair.window)
    return replace(state, frame=replace(state.frame, pixels=read.screen.pixels(FOLDER / pair.part)))


def read_screens(pairs: Iterable[Pair], screens: dict[str, Screen], *, kept: bool) -> dict[str, Read]:
    """What the product's eyes make of the screens of these pairs, by `part/name`.

    They are kept until the eyes are changed; with `kept` even then, and nothing is read that was not.
    """
    names = {f"{pair.part}/{name}" for pair in pairs for name in (pair.taught, pair.seen)}
    analyzer, reads = build_analyzer(), {}
    for part in PARTS:
        chosen = [screens[name] for name in sorted(names) if name.startswith(f"{part}/")]
        seen = read_all(
            chosen, FOLDER / part, analyzer=analyzer, kept=kept, unread=not kept, kept_in=READINGS / "drift"
        )
        reads |= {f"{part}/{read.screen.name}": read for read in seen}
    return reads


def likeness(on: Scene) -> float | None:
    """How alike the taught target and the true one are in grey, -1 to 1, whatever its size; None without a true one."""
    if not on.pair.boxes:
        return None
    taught, seen = on.taught.frame.crop(on.pair.box), on.seen.frame.crop(on.pair.boxes[0])
    fitted = cv2.resize(taught, (seen.shape[1], seen.shape[0]), interpolation=cv2.INTER_AREA)
    grey = [cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (fitted, seen)]
    return float(cv2.matchTemplate(*grey, cv2.TM_CCOEFF_NORMED)[0, 0])


class Pictures:
    """Taught pictures in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, np.ndarray] = {}

    def put(self, pixels: np.ndarray) -> str:
        digest = pixels_digest(pixels)
        self._kept[digest] = pixels
        return digest

    def load(self, digest: str) -> np.ndarray:
        return self._kept[digest]


def taught(on: Scene, pictures: Pictures) -> TargetSpec:
    """The target as teaching makes it with one click in its middle, and what the pair gives to it."""
    pair = on.pair
    target = teach_target(
        on.taught.frame, pair.box, label=pair.label, state=on.taught, click=pair.box.center, store=pictures
    )
    if pair.row:
        target = replace(target, row=pair.row)
    if pair.text and target.named_by and not target.text:
        return replace(target, named_by=replace(target.named_by, text=pair.text))
    return replace(target, text=pair.text) if pair.text else target


def question(pair: Pair, reads: Mapping[str, Read]) -> Question | None:
    """The pair as a foreign set asks; None where there is nothing that could be taught."""
    on, pictures = scene(pair, reads[pair.taught_on], reads[pair.seen_on]), Pictures()
    try:
        target = taught(on, pictures)
    except ValueError:
        return None
    right = tuple(Area(*box) for box in pair.boxes) if pair.truth is Truth.HERE else ()
    return Question(
        name=pair.name, groups=(pair.kind,), right=right, family=pair.family, target=target, state=on.seen,
        pictures=pictures, variables=pair.variables,
    )  # fmt: skip


class Ours:
    """The product's resolver as a run has it without a model, taught with one click in the middle of the target.

    `judge_of` gives a judge that was fitted without the pair's program; without it the product's own is measured.
    """

    name = "ours"

    def __init__(self, judge_of: Callable[[Pair], Judge] | None = None) -> None:
        self._judge_of = judge_of
        self._advisers = (EmbeddingAdviser(BuiltinEmbedder()),)

    def answer(self, scene: Scene) -> Answer:
        pair, pictures = scene.pair, Pictures()
        target = taught(scene, pictures)
        judge = self._judge_of(pair) if self._judge_of else None
        resolver = TargetResolver(pictures=pictures, advisers=self._advisers, judge=judge)
        started = time.perf_counter()
        said = resolver.resolve(target, scene.seen, variables=pair.variables)
        took = _ms_since(started)
        found = said.status is ResolveStatus.FOUND
        message = f"{said.status} by {said.rung or 'nothing'} {said.score:.2f}: {said.message}"
        return Answer(point=said.point if found else None, ms=took, box=said.box if found else None, said=message)


class PyAutoGui:
    """What pyautogui.locateOnScreen does with a picture, given the screen: pyscreeze, in grey."""

    name = "pyautogui"

    def answer(self, scene: Scene) -> Answer:
        import pyscreeze

        started = time.perf_counter()
        try:
            found = pyscreeze.locate(scene.template, scene.seen.frame.pixels, confidence=_PYAUTOGUI_CONFIDENCE)
        except (pyscreeze.ImageNotFoundException, ValueError):  # ValueError: larger than the screen
            found = None
        box = Box(*(int(side) for side in found)) if found else None
        return Answer(point=box.center if box else None, ms=_ms_since(started), box=box)


class Scales:
    """Template matching in grey at sizes from a half to the double, the best of all."""

    name = "scales"

    def answer(self, scene: Scene) -> Answer:
        started = time.perf_counter()
        screen = cv2.cvtColor(scene.seen.frame.pixels, cv2.COLOR_BGR2GRAY)
        template = cv2.cvtColor(scene.template, cv2.COLOR_BGR2GRAY)
        best, where = 0.0, None
        for scale in _SCALES:
            sized = cv2.resize(template, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            height, width = sized.shape
            if min(height, width) < 3 or height > screen.shape[0] or width > screen.shape[1]:
                continue
            _, score, _, corner = cv2.minMaxLoc(cv2.matchTemplate(screen, sized, cv2.TM_CCOEFF_NORMED))
            if np.isfinite(score) and score > best:
                best, where = score, Box(corner[0], corner[1], width, height)
        box = where if best >= _SCALES_SCORE else None
        return Answer(point=box.center if box else None, ms=_ms_since(started), box=box, said=f"{best:.2f}")


class TextAlone:
    """The first line that reads as the target read, in reading order; nothing where the target had no text."""

    name = "text"

    def answer(self, scene: Scene) -> Answer:
        started = time.perf_counter()
        wanted = _plain(" ".join(line.text for line in text_lines_in(scene.pair.box, scene.taught)))
        box = next((line.box for line in scene.seen.texts if wanted and _plain(line.text) == wanted), None)
        return Answer(point=box.center if box else None, ms=_ms_since(started), box=box, said=wanted)


class ScreenPlace:
    """The same point of the screen again."""

    name = "screen place"

    def answer(self, scene: Scene) -> Answer:
        point, size = scene.pair.box.center, scene.seen.frame.size
        inside = point.x < size.width and point.y < size.height
        return Answer(point=point if inside else None, ms=0.0)


class WindowPlace:
    """The same point of the window again, from its upper left corner; of the screen where no window is known."""

    name = "window place"

    def answer(self, scene: Scene) -> Answer:
        point, size = scene.pair.box.center, scene.seen.frame.size
        before, after = (state.window.box if state.window else None for state in (scene.taught, scene.seen))
        if before and after:
            point = Point(point.x - before.x + after.x, point.y - before.y + after.y)
        inside = 0 <= point.x < size.width and 0 <= point.y < size.height
        return Answer(point=point if inside else None, ms=0.0)


def peers() -> Sequence[Method]:
    """The others that need nothing but this virtual environment."""
    return PyAutoGui(), Scales(), TextAlone(), ScreenPlace(), WindowPlace()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
