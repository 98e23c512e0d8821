"""`make bench NAME=perception`: how right and how quick the eyes are, beside others, on real screens made here.

`python -m benchmarks.perception [reading|elements|turns|matching|memory ...]` runs what is named, or all, on the
corpus of benchmarks.screens, prints each figure with its goal and writes build/bench/perception.json. Nothing
here passes or fails. `--sample N` takes every Nth screen, for a quick look.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import cv2
import django
import numpy as np

from benchmarks import elements, equality, matching, memory, reading, readings, turns
from benchmarks.screens import corpus, wide
from benchmarks.timing import Row, timed
from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.elements.base import ElementDetector
from execution.perception.ocr.rapidocr import RapidReader
from execution.types import Box, Element
from tests.execution.perception.drawing import Canvas

OUTPUT = corpus.ROOT / "build" / "bench" / "perception.json"
BUSY_LINES = 50  # a screen with as many lines of text is a busy one


def row(
    figure: str, value: float, unit: str = "", *, goal: float | None = None, most: bool = True, peers: str = ""
) -> Row:
    """One figure; `most` says whether the goal is a limit from above."""
    met = None if goal is None else value <= goal if most else value >= goal
    return {"figure": figure, "value": round(value, 3), "unit": unit, "goal": goal, "met": met, "peers": peers}


def measure_reading(sample: int) -> list[Row]:
    """Web pages against the DOM: ours from nothing, RapidOCR and Tesseract as they come, on the same pictures."""
    folder = corpus.FOLDER / "web"
    screens = corpus.load(folder)[::sample]
    reader = RapidReader()
    reader.read(np.full((64, 256, 3), 255, np.uint8))

    def ours(pixels: np.ndarray) -> Sequence[Any]:
        reader.forget()
        return reader.read(pixels)

    mine = reading.measure(ours, screens, folder)
    others = {
        "RapidOCR": reading.measure(reading.rapidocr_as_it_comes(), screens, folder),
        "Tesseract": reading.measure(reading.tesseract_as_it_comes(), screens, folder),
    }
    busy = [len(screen.texts) >= BUSY_LINES for screen in screens]

    def beside(of: Callable[[reading.Figures], float], form: str) -> str:
        return ", ".join(f"{name} {of(figures):{form}}" for name, figures in others.items())

    def busy_times(figures: reading.Figures) -> list[float]:
        return [ms for ms, is_busy in zip(figures.times, busy, strict=True) if is_busy] or list(figures.times)

    def share(of: Callable[[reading.Reading], float]) -> Callable[[reading.Figures], float]:
        return lambda figures: 100 * of(figures.reading)

    errors, recall = share(lambda r: r.error_rate), share(lambda r: r.recall)
    spurious = share(lambda r: r.spurious / max(1, r.chars))
    return [
        row("pages read", len(screens)),
        row("lines of text on them", mine.reading.lines),
        row("characters wrong, accents counted", errors(mine), "%", goal=1.5, peers=beside(errors, ".2f")),
        row("words found", recall(mine), "%", goal=97, most=False, peers=beside(recall, ".1f")),
        row("letters read where there are none", spurious(mine), "%", peers=beside(spurious, ".2f")),
        row(
            f"first full read of a busy screen ({BUSY_LINES} lines and more), median",
            float(np.median(busy_times(mine))), "ms", goal=1200,
            peers=beside(lambda f: float(np.median(busy_times(f))), ".0f"),
        ),
        row("the same, p95", float(np.percentile(busy_times(mine), 95)), "ms"),
        row("first full read of any screen, median", float(np.median(mine.times)), "ms"),
    ]  # fmt: skip


def measure_elements(sample: int) -> list[Row]:
    """Pages against the DOM: role and box, at an overlap of one half; of the wider ones by what was tuned on."""
    rows: list[Row] = []
    analyzer = _analyzer()
    assert analyzer.detector is not None
    for part, goal in (("web", 0.75), ("wide", 0.9)):
        folder = corpus.FOLDER / part
        screens = corpus.load(folder)[::sample]
        seen = readings.read_all(screens, folder, analyzer=analyzer, fresh=("elements",))
        found = [read.elements for read in seen]
        rows += _of_elements(part, screens, found, goal=goal)
        if part == "wide":
            for fold in sorted({wide.fold(screen) for screen in screens}):
                here = [i for i, screen in enumerate(screens) if wide.fold(screen) == fold]
                said = elements.score([screens[i] for i in here], [found[i] for i in here])
                rows.append(row(f"elements of wide, {fold} ({len(here)}): F1", said["overall"]["f1"]))
        times = [
            timed(partial(analyzer.detector.detect, screen.pixels(folder), read.texts), times=1)[0]
            for screen, read in zip(screens, seen, strict=True)
        ]
        rows.append(row(f"elements of {part}: all of a screen, median", float(np.median(times)), "ms"))
    return [
        *rows,
        row("elements: beside one median filter of the frame", _searched_per_filtered(analyzer.detector), "×"),
    ]


def _of_elements(
    part: str, screens: Sequence[corpus.Screen], found: Sequence[Sequence[Element]], *, goal: float
) -> list[Row]:
    said = elements.score(screens, found)
    focus = elements.focus_told(screens, found)
    return [
        row(f"elements of {part}: F1, role and box", said["overall"]["f1"], goal=goal, most=False),
        row(f"elements of {part}: F1, box alone", said["boxes"]["f1"]),
        *(row(f"elements of {part}: F1, {role} ({c['truth']})", c["f1"]) for role, c in said["roles"].items()),
        row(f"elements of {part}: states right", said["states"]["accuracy"]),
        row(
            f"elements of {part}: a table, a list or other controls as a field",
            len(elements.held_as_fields(screens, found)),
            goal=0,
        ),
        row(f"elements of {part}: focus right or unknown", 100 * (1 - focus.wrong / len(screens)), "%", goal=99,
            most=False, peers=f"right {focus.hit}, unknown {focus.missed}, wrong {focus.wrong}"),
    ]  # fmt: skip


def _searched_per_filtered(detector: ElementDetector) -> float:
    """On 1920×1080 with 108 buttons; the best of twenty of each, in turns."""
    canvas = Canvas(1920, 1080)
    for index in range(108):
        canvas.button(f"Button {index}", Box(20 + index % 9 * 210, 20 + index // 9 * 86, 160, 40))
    searched, filtered = [], []
    for _ in range(20):
        searched += timed(lambda: detector.detect(canvas.pixels, canvas.lines), times=1)
        filtered += timed(lambda: cv2.medianBlur(canvas.pixels, 5), times=1)
    return min(searched) / min(filtered)


def measure_turns(sample: int) -> list[Row]:
    """Real programs at work: what each following look costs, and whether it says what a first look says."""
    folder = corpus.FOLDER / "sequences"
    screens = corpus.load(folder)
    analyzer = _analyzer()
    still = turns.unchanged(corpus.load(corpus.FOLDER / "web"), corpus.FOLDER / "web", analyzer)
    played = turns.measure(screens, folder, _analyzer())
    same = equality.equality_report(folder)
    return [
        row("unchanged frame, 1920×1080, with its digest, median", float(np.median(still)), "ms", goal=10),
        row("small change (typing, caret, clock), median", float(np.median(played.small)), "ms", goal=80),
        row("small change, p95", float(np.percentile(played.small, 95)), "ms", goal=250),
        *(
            row(f"a turn while {kind} ({len(times)}), median", float(np.median(times)), "ms")
            for kind, times in sorted(played.by_kind.items())
        ),
        row("turns whose screen was known", 100 * played.known / max(1, played.frames), "%"),
        row("frames read otherwise than by a first full read", same["differing"], goal=0,
            peers=f"of {same['frames']} frames"),
    ]  # fmt: skip


def measure_matching(sample: int) -> list[Row]:
    return matching.measure()


def measure_memory(sample: int) -> list[Row]:
    points = memory.measure(memory.STEPS // sample)
    memory.draw(points)
    after = [mb for _, mb in points]
    half = [mb for steps, mb in points if steps >= points[-1][0] / 2]
    return [
        row(f"run loop after {points[-1][0]} steps", after[-1], "MB", goal=memory.GOAL_MB),
        row("the most on the way", max(after), "MB", goal=memory.GOAL_MB),
        row("growth over the second half", half[-1] - half[0], "MB"),
    ]


PARTS: dict[str, Callable[[int], list[Row]]] = {
    "reading": measure_reading,
    "elements": measure_elements,
    "turns": measure_turns,
    "matching": measure_matching,
    "memory": measure_memory,
}


def _analyzer() -> ScreenAnalyzer:
    analyzer = build_analyzer()
    analyzer.warm_up()
    return analyzer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="part")
    parser.add_argument("--sample", type=int, default=1)
    options = parser.parse_args()
    django.setup()
    print(f"{platform.node()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    rows: list[Row] = json.loads(OUTPUT.read_text()) if options.parts and OUTPUT.is_file() else []
    for part in options.parts or PARTS:
        fresh = [{**one, "part": part} for one in PARTS[part](options.sample)]
        for one in fresh:
            goal = "" if one["goal"] is None else f"goal {one['goal']:g}, {'met' if one['met'] else 'NOT met'}"
            print(f"{one['figure']:<66}{one['value']:>10} {one['unit']:<3} {goal:<22} {one['peers']}", flush=True)
        rows = [one for one in rows if one.get("part") != part] + fresh
        OUTPUT.parent.mkdir(parents=True, exist_ok=True)
        OUTPUT.write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    print(f"written to {OUTPUT.relative_to(corpus.ROOT)}")


if __name__ == "__main__":
    main()
