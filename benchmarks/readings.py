"""What the product's own eyes make of the pictures of the corpus, kept beside it: reading a picture costs a second.

Texts, elements and vectors are kept with a digest of the code that made them, and made anew when that has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.screens.corpus import ROOT, Screen
from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.types import Element, Embedding, Frame, ScreenState, Size, TextLine, Window, pixels_digest

FOLDER = ROOT / "build" / "bench" / "readings"
_EYES = ROOT / "execution" / "perception"
_CODE = {"texts": ("ocr",), "elements": ("ocr", "elements"), "embedding": ("embedding",)}
_PATIENCE_S = 120.0  # other work on the machine may slow a reading down; nothing waits for it here
PARTS = ("texts", "elements", "embedding")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Read:
    """One picture of the corpus as it was seen."""

    screen: Screen
    digest: str
    size: Size
    texts: tuple[TextLine, ...]
    elements: tuple[Element, ...]
    embedding: Embedding

    def state(self, *, window: bool = True) -> ScreenState:
        """The state that matching is given; its frame has the right size and no pixels of its own."""
        blank = np.broadcast_to(np.zeros((1, 1, 3), np.uint8), (self.size.height, self.size.width, 3))
        return ScreenState(
            frame=Frame(pixels=blank, taken_at=datetime(2026, 1, 1, tzinfo=UTC), digest=self.digest),
            window=self.window if window else None,
            texts=self.texts,
            elements=self.elements,
            embedding=self.embedding,
            text_method="rapidocr",
        )

    @property
    def window(self) -> Window | None:
        return self.screen.window


def read_all(
    screens: Iterable[Screen],
    folder: Path,
    *,
    fresh: Collection[str] = (),
    kept: bool = False,
    unread: bool = True,
    analyzer: ScreenAnalyzer | None = None,
    kept_in: Path = FOLDER,
) -> list[Read]:
    """The readings of the pictures that lie in `folder`, made where they are not kept yet or the code was changed.

    `fresh` names what is made anew at all events; `kept` takes what there is, whatever made it; without `unread`
    pictures of which nothing is kept are left out.
    """
    readings = Readings(analyzer or build_analyzer(), kept_in, fresh=fresh, kept=kept)
    digests = _Digests(kept_in / f"{folder.name}.json")
    done, began, said = [], time.perf_counter(), time.perf_counter()
    for screen in screens:
        digest = digests.of(folder / screen.picture)
        if unread or readings.has(digest):
            done.append(readings.of(screen, digest, partial(_pixels, folder / screen.picture)))
        if time.perf_counter() - said > 30:
            said = time.perf_counter()
            digests.save()
            print(f"  {len(done)} pictures seen after {said - began:.0f} s", flush=True)
    digests.save()
    return done


class Readings:
    """What the eyes make of pictures, kept by the digest of their pixels; the options are those of `read_all`."""

    def __init__(
        self, analyzer: ScreenAnalyzer, kept_in: Path = FOLDER, *, fresh: Collection[str] = (), kept: bool = False
    ) -> None:
        self._analyzer, self._kept_in, self._fresh = analyzer, kept_in, set(fresh)
        self._makers = dict[str, str]() if kept else {part: _maker(part, analyzer) for part in PARTS}
        kept_in.mkdir(parents=True, exist_ok=True)

    def has(self, digest: str) -> bool:
        return self._file(digest).is_file()

    def of(self, screen: Screen, digest: str, pixels: Callable[[], np.ndarray]) -> Read:
        """The reading of the picture of that digest; `pixels` gives it where it has to be looked at."""
        path = self._file(digest)
        known: dict[str, Any] = pickle.loads(path.read_bytes()) if path.is_file() else {}
        made_by = known.setdefault("makers", {})
        stale = {part for part, maker in self._makers.items() if made_by.get(part) != maker}
        missing = [part for part in PARTS if part in self._fresh | stale or part not in known]
        if "texts" in missing and "elements" not in missing:
            missing.append("elements")  # made from the texts
        if missing:
            picture = pixels()
            known |= {"digest": digest, "size": Size(picture.shape[1], picture.shape[0])}
            _fill(known, picture, missing, self._analyzer)
            made_by |= {part: self._makers[part] for part in missing if part in self._makers}
            whole = path.with_suffix(f".{os.getpid()}")
            whole.write_bytes(pickle.dumps(known))
            whole.replace(path)
        return Read(screen=screen, **{name: known[name] for name in ("digest", "size", *PARTS)})

    def _file(self, digest: str) -> Path:
        return self._kept_in / f"{digest}.pickle"


class _Digests:
    """The digest of each picture file, as long as the file is what it was."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, list[Any]] = json.loads(path.read_text()) if path.is_file() else {}

    def of(self, file: Path) -> str:
        stamp = file.stat().st_mtime_ns
        if self._known.get(file.name, [None])[0] != stamp:
            self._known[file.name] = [stamp, pixels_digest(_pixels(file))]
        return str(self._known[file.name][1])

    def save(self) -> None:
        fresh = self._path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(self._known))
        fresh.replace(self._path)


def _pixels(file: Path) -> np.ndarray:
    pixels = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if pixels is None:
        raise FileNotFoundError(f"{file} is missing; make the corpus again.")
    return np.asarray(pixels)


def _maker(part: str, analyzer: ScreenAnalyzer) -> str:
    """What makes this part: its code, and the model of the vectors."""
    hasher = hashlib.blake2b(digest_size=8)
    for folder in _CODE[part]:
        for file in sorted((_EYES / folder).glob("*.py")):
            hasher.update(file.read_bytes())
    model = analyzer.embedder.model_id if part == "embedding" and analyzer.embedder else ""
    return f"{model}{hasher.hexdigest()}"


def _fill(known: dict[str, Any], pixels: np.ndarray, missing: list[str], analyzer: ScreenAnalyzer) -> None:
    if "texts" in missing:
        frame = Frame(pixels=pixels, taken_at=datetime(2026, 1, 1, tzinfo=UTC), digest=known["digest"])
        state = ScreenAnalyzer(analyzer.reader, None, None).analyze(frame, None, patience=_PATIENCE_S)
        if not state.text_method:
            raise RuntimeError(f"a picture of the corpus could not be read: {'; '.join(state.notes)}")
        known["texts"] = state.texts
    if "elements" in missing:
        assert analyzer.detector is not None
        known["elements"] = analyzer.detector.detect(pixels, known["texts"])
    if "embedding" in missing:
        assert analyzer.embedder is not None
        known["embedding"] = analyzer.embedder.embed(pixels)
