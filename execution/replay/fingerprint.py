"""What this machine looks with today, part by part: whoever changes one of them wants to know what would differ."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings

from execution import matching, targeting
from execution.matching.references import maker_of
from execution.models import EyesPrint
from execution.perception.analyzer import ScreenAnalyzer

_FITTED = {
    "judge": Path(targeting.__file__).parent / "fitted.json",
    "matching": Path(matching.__file__).parent / "fitted.json",
}
_WEIGHTS = ("*.onnx", "*.pth", "*.pt", "*.safetensors", "*.bin", "*.xml")


def fingerprint(analyzer: ScreenAnalyzer) -> dict[str, str]:
    """By part, in words or as a digest."""
    return {
        "eyes": maker_of(analyzer),
        "embedding": analyzer.embedder.model_id if analyzer.embedder else "",
        "weights": _digest(*_weights(Path(settings.RPA_MODELS_DIR))),
        "languages": ",".join(settings.RPA_OCR_LANGUAGES),
        "match_threshold": str(settings.RPA_MATCH_THRESHOLD),
        "similarity_threshold": str(settings.RPA_SIMILARITY_THRESHOLD),
        **{name: _digest(path) for name, path in _FITTED.items()},
    }


def note(parts: dict[str, str]) -> dict[str, tuple[str, str]] | None:
    """Keep what the machine looks with; gives what changed since it was kept last, by part, or None the first time."""
    last = EyesPrint.objects.first()
    if last is None or last.parts != parts:
        EyesPrint.objects.create(parts=parts)
    if last is None:
        return None
    names = sorted(last.parts.keys() | parts.keys())
    return {n: (last.parts.get(n, ""), parts.get(n, "")) for n in names if last.parts.get(n) != parts.get(n)}


def _weights(folder: Path) -> list[Path]:
    return sorted(path for pattern in _WEIGHTS for path in folder.rglob(pattern)) if folder.is_dir() else []


def _digest(*paths: Path) -> str:
    """Of the contents, 12 hex digits; "" of no file."""
    hasher = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            hasher.update(hashlib.file_digest(file, "sha256").digest())
    return hasher.hexdigest()[:12] if paths else ""
