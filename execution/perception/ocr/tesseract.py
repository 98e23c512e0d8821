"""Tesseract, the system's own program, called once per picture."""

from __future__ import annotations

import shutil
import subprocess

import cv2
import numpy as np

from execution.perception.ocr.base import ReaderUnavailable, in_reading_order, within
from execution.perception.ocr.formats import tesseract_lines
from execution.types import Box, TextLine

_ENLARGED = 2.0  # screen text of 10 to 13 px is half the size that its models were trained on
_LARGE = 4000  # pixels; longer pictures come from screens whose text is large already, and take minutes when enlarged
_SECONDS = 60
_SPARSE = "11"  # page segmentation: text anywhere, in no order; screens have no columns of prose


class TesseractReader:
    """Reads with the `tesseract` program; `languages` as it names them, joined by +."""

    name = "tesseract"

    def __init__(self, *, program: str = "tesseract", languages: str = "", least_confidence: float = 0.3) -> None:
        self._program = program
        self._languages = languages
        self._least = least_confidence
        self._checked = False

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        """The lines inside `region` (default: all).

        Raises ReaderUnavailable where the program or a language is missing or fails, ValueError for what is no picture.
        """
        part = within(region, pixels)
        if not part.area:
            return ()
        self._check()
        crop = pixels[part.y : part.bottom, part.x : part.right]
        scale = _ENLARGED if max(crop.shape) <= _LARGE else 1.0
        enlarged = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        _ok, picture = cv2.imencode(".png", enlarged, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        table = self._run(["stdin", "stdout", "-l", self._languages, "--psm", _SPARSE, "tsv"], picture.tobytes())
        lines = tesseract_lines(table, part=part, scale=scale)
        return in_reading_order(line for line in lines if line.confidence >= self._least)

    def _check(self) -> None:
        """Find the program and the languages once, when first needed."""
        if self._checked:
            return
        if shutil.which(self._program) is None:
            raise ReaderUnavailable(
                f"The reader tesseract needs the program {self._program!r}, which is not installed: "
                "apt-get install tesseract-ocr tesseract-ocr-fra."
            )
        installed = self._run(["--list-langs"]).split("\n")[1:]
        if not self._languages:
            self._languages = "+".join(lang for lang in ("eng", "fra") if lang in installed) or "eng"
        missing = [lang for lang in self._languages.split("+") if lang not in installed]
        if missing:
            raise ReaderUnavailable(
                f"Tesseract has no data for {', '.join(missing)}: "
                f"apt-get install {' '.join(_package(code) for code in missing)}, or change RPA_OCR_LANGUAGES."
            )
        self._checked = True

    def _run(self, arguments: list[str], picture: bytes | None = None) -> str:
        command = [self._program, *arguments]
        try:
            done = subprocess.run(command, input=picture, capture_output=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise ReaderUnavailable(f"Tesseract did not end within {_SECONDS} s.") from error
        if done.returncode:
            message = done.stderr.decode(errors="replace").strip()[-300:]
            raise ReaderUnavailable(f"Tesseract ended with code {done.returncode}: {message}")
        return done.stdout.decode("utf-8", errors="replace")


def _package(code: str) -> str:
    """The package of Debian and Ubuntu that holds a language's data."""
    return "tesseract-ocr-" + code.replace("_", "-")
