"""EasyOCR with weights from a local folder; nothing is ever downloaded here (D6)."""

from __future__ import annotations

import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from execution.perception.languages import UnknownLanguage
from execution.perception.ocr.base import ReaderUnavailable, in_reading_order, within
from execution.perception.ocr.formats import easyocr_lines
from execution.perception.weights import Damaged, Weights, easyocr_weights, verify
from execution.types import Box, TextLine
from gpu.weights import INSTALL

_AGAIN = "Get them with 'manage.py fetchmodels easyocr', or choose the reader rapidocr, which brings its own."
_SMALLEST = 6  # pixels; its own 20 would leave out "OK" and "7" in interface fonts
# Drawn labels of 10 to 16 px, English weights: 7 % of the characters wrong as they are, 4 % enlarged by half, which
# takes twice as long. Without a GPU a screen of 1280 × 800 takes 5 s as it is, so there it is not.
_ENLARGED = 1.5


class EasyReader:
    """Reads with EasyOCR; `folder` holds its weights, `languages` are its codes. One caller at a time."""

    name = "easyocr"

    def __init__(
        self,
        *,
        folder: str | Path | None = None,
        languages: tuple[str, ...] = ("en", "fr"),
        gpu: bool = False,
        least_confidence: float = 0.3,
    ) -> None:
        self._folder = Path(folder) if folder else None
        self._languages = languages
        self._gpu = gpu
        self._least = least_confidence
        self._reader: Any = None
        self._on_gpu = False
        self._lock = threading.Lock()

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        """The lines inside `region` (default: all).

        Raises ReaderUnavailable where EasyOCR or its weights are missing or damaged, ValueError for what is no picture.
        """
        part = within(region, pixels)
        if not part.area:
            return ()
        crop = np.ascontiguousarray(pixels[part.y : part.bottom, part.x : part.right])
        with self._lock:
            if self._reader is None:
                self._reader = self._open()
                self._on_gpu = getattr(self._reader, "device", "cpu") != "cpu"  # it takes none where there is none
            found = self._reader.readtext(crop, min_size=_SMALLEST, mag_ratio=_ENLARGED if self._on_gpu else 1.0)
        return in_reading_order(line for line in easyocr_lines(found, part=part) if line.confidence >= self._least)

    def _open(self) -> Any:
        folder = self._checked_folder()
        _quiet()
        import easyocr

        path = list(sys.path)
        try:
            return easyocr.Reader(
                list(self._languages),
                gpu=self._gpu,
                model_storage_directory=str(folder),
                user_network_directory=str(folder),
                download_enabled=False,
                verbose=False,
            )
        except Exception as error:  # what damaged weights raise is PyTorch's, and any of many kinds
            reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
            raise ReaderUnavailable(f"EasyOCR cannot load its weights from {folder} ({reason}). {_AGAIN}") from error
        finally:
            sys.path[:] = path  # it adds the folder of weights, from which code could be imported

    def _checked_folder(self) -> Path:
        """The folder, its weights looked at one by one, so that a damaged file is named."""
        try:
            wanted = easyocr_weights(self._languages)
        except ImportError as error:
            raise ReaderUnavailable(f"The reader easyocr is not installed. {INSTALL}") from error
        except UnknownLanguage as error:
            raise ReaderUnavailable(f"{error} Set RPA_OCR_LANGUAGES to those that you need.") from error
        folder = self._folder
        names = ", ".join(weights.filename for weights in wanted)
        if folder is None:
            raise ReaderUnavailable(f"The reader easyocr lacks its weights {names} (no folder is configured). {_AGAIN}")
        missing = [weights.filename for weights in wanted if not (folder / weights.filename).is_file()]
        if missing:
            raise ReaderUnavailable(f"The reader easyocr lacks its weights {', '.join(missing)} in {folder}. {_AGAIN}")
        for weights in wanted:
            _check(folder / weights.filename, weights)
        return folder


def _check(path: Path, weights: Weights) -> None:
    try:
        verify(path, weights)
    except Damaged as error:
        raise ReaderUnavailable(f"The weights of the reader easyocr, {path}: the file {error}. {_AGAIN}") from error


def _quiet() -> None:
    """Keep out of the log what EasyOCR does with every line it reads and nobody can change."""
    warnings.filterwarnings("ignore", message=".*pin_memory.*", category=UserWarning)
    warnings.filterwarnings("ignore", message=".*quantiz.*")
