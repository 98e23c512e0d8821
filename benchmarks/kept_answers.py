"""What slow methods answered before: the others never change, and asking them all takes the better part of an hour."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.drift.pairs import FOLDER
from benchmarks.targeting_methods import Answer, Method, Scene
from execution.types import Box, Point

KEPT = FOLDER / "answers.json"


class KeptAnswers:
    """Answers by method, pair and pictures, with the times they took then; `save` writes what was added."""

    def __init__(self, path: Path = KEPT) -> None:
        self._path = path
        self._known: dict[str, Mapping[str, Any]] = json.loads(path.read_text()) if path.is_file() else {}

    def ask(self, method: Method, scene: Scene, *, anew: bool) -> Answer:
        """The kept answer, or the method's own, kept from now on; `anew` asks the method at all events."""
        pair = scene.pair
        key = "|".join(
            (method.name, pair.name, scene.taught.frame.digest, scene.seen.frame.digest, str(tuple(pair.box)))
        )
        if anew or key not in self._known:
            answer = method.answer(scene)
            self._known[key] = {"point": answer.point, "ms": answer.ms, "box": answer.box, "said": answer.said}
            return answer
        told = self._known[key]
        point, box = told["point"], told["box"]
        return Answer(
            point=Point(*point) if point else None, ms=told["ms"], box=Box(*box) if box else None, said=told["said"]
        )

    def save(self) -> None:
        fresh = self._path.with_suffix(f".{os.getpid()}")
        fresh.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(self._known, ensure_ascii=False, indent=0))
        fresh.replace(self._path)
