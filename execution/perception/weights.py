"""Files of weights: which there are, where they come from, and whether one on disk is the one that was published.

Nothing here connects to anything; `manage.py fetchmodels` is the only thing that downloads (D6).
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from execution.perception.languages import UnknownLanguage
from gpu.weights import Damaged, checksum, look_over

__all__ = [
    "Damaged",
    "UnknownLanguage",
    "Weights",
    "checksum",
    "easyocr_table",
    "easyocr_weights",
    "look_over",
    "verify",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One file of weights and what they are for; `packed` ones are fetched inside a zip.

    `checksum` is in hex, of the unpacked file, or its first digits; empty where its publisher gives none.
    """

    group: str
    filename: str
    url: str
    algorithm: str = "md5"
    checksum: str = ""
    size: int = 0
    packed: bool = False


def easyocr_weights(languages: Iterable[str]) -> tuple[Weights, ...]:
    """The detector and the recogniser that EasyOCR takes for these languages, from its own tables.

    Raises UnknownLanguage for one it does not read, ImportError where EasyOCR is not installed.
    """
    table = easyocr_table()
    wanted = set(languages)
    if unknown := wanted - set(table.all_lang_list):
        known = ", ".join(sorted(set(table.all_lang_list)))
        raise UnknownLanguage(f"EasyOCR does not read {', '.join(sorted(unknown))}; it reads {known}.")
    generation, model = _recogniser(table, wanted)
    return _packed(table.detection_models["craft"]), _packed(table.recognition_models[generation][model])


@cache
def easyocr_table() -> ModuleType:
    """EasyOCR's own list of models; loaded by path, because importing the package loads torch (seconds)."""
    spec = importlib.util.find_spec("easyocr")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("EasyOCR is not installed.")
    path = Path(spec.submodule_search_locations[0]) / "config.py"
    inner = importlib.util.spec_from_file_location("easyocr_models", path)
    assert inner is not None
    assert inner.loader is not None
    table = importlib.util.module_from_spec(inner)
    before = os.environ.get("LRU_CACHE_CAPACITY")
    inner.loader.exec_module(table)
    if before is None:  # it sets this for torch, which may not be meant here
        os.environ.pop("LRU_CACHE_CAPACITY", None)
    return table


# Those that EasyOCR reads together with English alone, in the order in which it asks for them.
_ALONE = (
    ("th", "gen1", "thai_g1"), ("ch_tra", "gen1", "zh_tra_g1"), ("ch_sim", "gen2", "zh_sim_g2"),
    ("ja", "gen2", "japanese_g2"), ("ko", "gen2", "korean_g2"), ("ta", "gen1", "tamil_g1"),
    ("te", "gen2", "telugu_g2"), ("kn", "gen2", "kannada_g2"),
)  # fmt: skip
_SCRIPTS = (
    ("bengali_lang_list", "gen1", "bengali_g1"),
    ("arabic_lang_list", "gen1", "arabic_g1"),
    ("devanagari_lang_list", "gen1", "devanagari_g1"),
    ("cyrillic_lang_list", "gen2", "cyrillic_g2"),
)


def _recogniser(table: ModuleType, wanted: set[str]) -> tuple[str, str]:
    if wanted == {"en"}:
        return "gen2", "english_g2"
    for code, generation, model in _ALONE:
        if code in wanted:
            return _only_with_english(wanted, {code}, generation, model)
    for script, generation, model in _SCRIPTS:
        if wanted & set(getattr(table, script)):
            return _only_with_english(wanted, set(getattr(table, script)), generation, model)
    return "gen2", "latin_g2"


def _only_with_english(wanted: set[str], script: set[str], generation: str, model: str) -> tuple[str, str]:
    if others := wanted - script - {"en"}:
        read = ", ".join(sorted(wanted & script))
        raise UnknownLanguage(f"EasyOCR reads {read} with English alone, not with {', '.join(sorted(others))}.")
    return generation, model


def _packed(row: dict[str, Any]) -> Weights:
    return Weights(group="easyocr", filename=row["filename"], url=row["url"], checksum=row["md5sum"], packed=True)


def verify(path: Path, weights: Weights) -> None:
    """Raises Damaged, or FileNotFoundError, unless the file is the very one that was published."""
    look_over(path, suffix=Path(weights.filename).suffix)
    if weights.size and path.stat().st_size != weights.size:
        raise Damaged(f"has {path.stat().st_size} bytes where {weights.size} were published")
    found = checksum(path, weights.algorithm) if weights.checksum else ""
    if not found.startswith(weights.checksum):
        raise Damaged(f"has the {weights.algorithm} checksum {found} where {weights.checksum} was published")
