"""What perception is made of, as the settings say it, and what is wrong with that; nothing is loaded to find out."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from execution.perception.languages import UnknownLanguage, tesseract_codes
from execution.perception.ocr.base import NO_READER, READERS
from execution.perception.weights import Damaged, easyocr_weights, look_over
from gpu.weights import INSTALL

EMBEDDERS = ("builtin", "open_clip")
BUILTIN = "builtin"
CLIP_SUFFIXES = (".safetensors", ".pt", ".pth", ".bin")


class SettingProblem(NamedTuple):
    """One setting that cannot stand: which, what is wrong with it and what to do."""

    setting: str
    text: str
    hint: str


class BadConfig(ValueError):
    """The settings of perception cannot be used; the message names each of them with what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptionConfig:
    """Which reader, embedder and element detector, and where their files lie.

    `languages` are two-letter codes (en, fr). `ui_detector` is "builtin" or the path of an ONNX file. A part that has
    not come back after twice `analyze_timeout_ms` is given up as hanging, where a run does not say otherwise.
    """

    reader: str = "rapidocr"
    models_dir: Path = Path("models")
    languages: tuple[str, ...] = ("en", "fr")
    ocr_gpu: bool = False
    embedder: str = BUILTIN
    clip_model: str = "ViT-B-32"
    clip_weights: Path | None = None
    ui_detector: str = BUILTIN
    analyze_timeout_ms: int = 8000

    @classmethod
    def from_settings(cls, settings: Any) -> PerceptionConfig:
        """As the RPA_ settings of the deployment have it; `settings` is Django's, or anything with those names."""
        weights = str(settings.RPA_CLIP_WEIGHTS or "")
        models_dir = Path(settings.RPA_MODELS_DIR)
        return cls(
            reader=settings.RPA_OCR_ENGINE,
            models_dir=models_dir,
            languages=tuple(settings.RPA_OCR_LANGUAGES),
            embedder=settings.RPA_EMBEDDER,
            clip_model=settings.RPA_CLIP_MODEL,
            clip_weights=models_dir / weights if weights else None,  # an absolute path stays what it is
            ui_detector=settings.RPA_UI_DETECTOR,
            analyze_timeout_ms=settings.RPA_ANALYZE_TIMEOUT_MS,
        )

    def problems(self) -> list[SettingProblem]:
        """All that stands in the way of using it; empty when sound."""
        return [*self._reader_problems(), *self._embedder_problems(), *self._detector_problems()]

    def check(self) -> None:
        """Raises BadConfig with every problem there is."""
        if problems := self.problems():
            raise BadConfig("\n".join(f"{p.setting}: {p.text} {p.hint}" for p in problems))

    def _reader_problems(self) -> Iterator[SettingProblem]:
        if self.reader not in (*READERS, NO_READER):
            hint = f"Set RPA_OCR_ENGINE to one of: {', '.join(sorted(READERS))}; or {NO_READER} to read no text."
            yield SettingProblem("RPA_OCR_ENGINE", f"RPA_OCR_ENGINE is “{self.reader}”.", hint)
        if not self.languages:
            yield SettingProblem("RPA_OCR_LANGUAGES", "RPA_OCR_LANGUAGES is empty.", "Name at least one, as in: en,fr.")
        elif self.reader == "easyocr":
            yield from self._easyocr_problems()
        elif self.reader == "tesseract":
            try:
                tesseract_codes(self.languages)
            except UnknownLanguage as error:
                yield SettingProblem("RPA_OCR_LANGUAGES", f"RPA_OCR_LANGUAGES: {error}", "Correct it, as in: en,fr.")

    def _easyocr_problems(self) -> Iterator[SettingProblem]:
        try:
            wanted = easyocr_weights(self.languages)
        except UnknownLanguage as error:
            yield SettingProblem("RPA_OCR_LANGUAGES", f"RPA_OCR_LANGUAGES: {error}", "Correct it, as in: en,fr.")
            return
        except ImportError as error:
            yield SettingProblem(
                "RPA_OCR_ENGINE", f"RPA_OCR_ENGINE is easyocr: {error}", f"{INSTALL} Or set it to rapidocr."
            )
            return
        missing = [weights.filename for weights in wanted if not (self.models_dir / weights.filename).is_file()]
        if missing:
            text = f"The reader easyocr lacks its weights {', '.join(missing)} in {self.models_dir}."
            hint = "Get them once with 'manage.py fetchmodels easyocr', or set RPA_MODELS_DIR to where they are."
            yield SettingProblem("RPA_MODELS_DIR", text, hint)

    def _embedder_problems(self) -> Iterator[SettingProblem]:
        if self.embedder not in EMBEDDERS:
            hint = f"Set RPA_EMBEDDER to one of: {', '.join(EMBEDDERS)}."
            yield SettingProblem("RPA_EMBEDDER", f"RPA_EMBEDDER is “{self.embedder}”.", hint)
        if self.embedder != "open_clip":
            return
        names = clip_model_names()
        if not names:
            text = "RPA_EMBEDDER is open_clip: it is not installed."
            yield SettingProblem("RPA_EMBEDDER", text, f"{INSTALL} Or set it to builtin.")
        elif self.clip_model not in names:
            hint = f"Set RPA_CLIP_MODEL to one that open_clip knows: {', '.join(_nearest(self.clip_model, names))}, …"
            yield SettingProblem("RPA_CLIP_MODEL", f"RPA_CLIP_MODEL is “{self.clip_model}”.", hint)
        yield from self._clip_weights_problems()

    def _clip_weights_problems(self) -> Iterator[SettingProblem]:
        get = "Run 'manage.py fetchmodels open_clip' and set RPA_CLIP_WEIGHTS to the file that it names."
        path = self.clip_weights
        if path is None:
            text = "RPA_EMBEDDER is open_clip and RPA_CLIP_WEIGHTS is not set."
            yield SettingProblem("RPA_CLIP_WEIGHTS", text, f"{get} Or set RPA_EMBEDDER to builtin.")
        elif not path.is_file():
            yield SettingProblem("RPA_CLIP_WEIGHTS", f"RPA_CLIP_WEIGHTS is {path}, and there is no such file.", get)
        elif path.suffix not in CLIP_SUFFIXES:
            text = f"RPA_CLIP_WEIGHTS is {path}, which is no weights file ({', '.join(CLIP_SUFFIXES)})."
            yield SettingProblem("RPA_CLIP_WEIGHTS", text, get)
        else:
            try:
                look_over(path)
            except Damaged as error:
                yield SettingProblem("RPA_CLIP_WEIGHTS", f"RPA_CLIP_WEIGHTS is {path}: {error}.", get)

    def _detector_problems(self) -> Iterator[SettingProblem]:
        if self.ui_detector == BUILTIN:
            return
        path = Path(self.ui_detector)
        hint = "Set RPA_UI_DETECTOR to builtin, or to the path of a detector's .onnx or .xml file."
        if path.suffix not in (".onnx", ".xml"):
            yield SettingProblem("RPA_UI_DETECTOR", f"RPA_UI_DETECTOR is “{self.ui_detector}”.", hint)
        elif not path.is_file():
            yield SettingProblem("RPA_UI_DETECTOR", f"RPA_UI_DETECTOR is {path}, and there is no such file.", hint)


def clip_model_names() -> tuple[str, ...]:
    """The models that open_clip can build from its own list; empty where it is not installed."""
    spec = importlib.util.find_spec("open_clip")
    if spec is None or not spec.submodule_search_locations:
        return ()
    folder = Path(spec.submodule_search_locations[0]) / "model_configs"
    return tuple(sorted(path.stem for path in folder.glob("*.json")))


def _nearest(name: str, names: tuple[str, ...]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, names, n=3, cutoff=0.3) or [n for n in names if n.startswith("ViT-B")][:3]
