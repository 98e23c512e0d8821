"""`manage.py scene`: what the robot sees on a picture file (S2.12)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import cv2
import pytest
from django.core.management import CommandError, call_command

from execution.management.commands import scene
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from execution.perception.ocr.base import ReaderUnavailable
from tests.execution.perception.test_single_look import Reader, form


@pytest.fixture
def picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, and an analyzer that knows what is written there."""
    canvas, path = form(), tmp_path / "form.png"
    cv2.imwrite(str(path), canvas.pixels)
    analyzer = ScreenAnalyzer(Reader(canvas.lines), FrameDetector(), None)
    monkeypatch.setattr(scene, "build_analyzer", lambda config: analyzer)
    return path


def told(*args: Any, **options: Any) -> list[str]:
    out = io.StringIO()
    call_command("scene", *args, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue().splitlines()


def test_each_thing_is_a_line_and_the_picture_lies_beside(picture: Path) -> None:
    first, second, third, last = told(str(picture))
    assert first.split() == ["1", "field", "element", "100,20", "200×28"]
    assert second.split()[:3] + second.split()[-1:] == ["2", "text", "text", "Name"]
    assert third.split() == ["3", "button", "element", "200,120", "90×28", "Save"]
    drawn = picture.with_name("form.png.scene.png")
    assert last.startswith("Read in 0.")
    assert last.endswith(f"Drawn: {drawn}")
    assert cv2.imread(str(drawn)).shape == (400, 800, 3)


def test_it_is_drawn_where_one_says(picture: Path, tmp_path: Path) -> None:
    told(str(picture), out=tmp_path / "elsewhere.png")
    assert (tmp_path / "elsewhere.png").exists()
    assert not list(tmp_path.glob("form.png.*"))


def test_what_is_no_picture_or_not_there_is_refused_in_words(picture: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no picture")
    for name, why in (
        (str(text), "notes.txt is no picture"),
        ("nowhere.png", "nowhere.png cannot be used: No such file"),
    ):
        with pytest.raises(CommandError, match=why):
            told(name)
    with pytest.raises(CommandError, match="nowhere/x.png cannot be used"):
        told(str(picture), out=tmp_path / "nowhere" / "x.png")


def test_a_reader_that_is_off_unknown_or_not_to_be_had_is_said(picture, settings, monkeypatch) -> None:
    settings.RPA_OCR_ENGINE = "telepathy"
    with pytest.raises(CommandError, match="RPA_OCR_ENGINE is “telepathy”"):
        told(str(picture))
    settings.RPA_OCR_ENGINE = "none"
    monkeypatch.setattr(scene, "build_analyzer", lambda config: ScreenAnalyzer(None, None, None))
    with pytest.raises(CommandError, match="No text reader is set up"):
        told(str(picture))

    def missing(_analyzer: Any) -> None:
        raise ReaderUnavailable("The reader rapidocr is not installed.")

    monkeypatch.setattr(ScreenAnalyzer, "warm_up", missing)
    with pytest.raises(CommandError, match="is not installed"):
        told(str(picture))
