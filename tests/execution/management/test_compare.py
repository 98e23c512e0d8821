"""`manage.py compare`: are two pictures one screen, and why (S2.10)."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import pytest
from django.core.management import CommandError, call_command

from execution.management.commands import compare
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from tests.execution.perception.test_single_look import Reader, form


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    canvas, paths = form(), [str(tmp_path / name) for name in ("taught.png", "seen.png")]
    for path in paths:
        cv2.imwrite(path, canvas.pixels)
    analyzer = ScreenAnalyzer(Reader(canvas.lines), FrameDetector(), None)
    monkeypatch.setattr(compare, "build_analyzer", lambda config: analyzer)
    return paths


def test_the_answer_comes_with_each_sign_and_a_picture_beside(pictures: list[str], tmp_path: Path) -> None:
    out = io.StringIO()
    call_command("compare", *pictures, stdout=out)
    first, *rest = out.getvalue().splitlines()
    assert first.startswith("The same screen: ")
    assert any(line.endswith("  texts") for line in rest)
    assert rest[-1].startswith(f"Drawn: {tmp_path / 'seen.png.compared.png'}")
    assert cv2.imread(str(tmp_path / "seen.png.compared.png")).shape[0] == 200


def test_what_is_no_picture_or_cannot_be_written_is_refused_in_words(pictures: list[str], tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no picture")
    with pytest.raises(CommandError, match="notes.txt is no picture"):
        call_command("compare", pictures[0], str(text))
    with pytest.raises(CommandError, match="nowhere.png cannot be used: No such file"):
        call_command("compare", "nowhere.png", pictures[1])
    with pytest.raises(CommandError, match="cannot be used"):
        call_command("compare", *pictures, out=tmp_path / "no folder" / "one.png")
