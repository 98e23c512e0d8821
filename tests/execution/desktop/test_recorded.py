"""A desktop that plays pictures."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from execution.desktop.base import DesktopError
from execution.desktop.recorded import RecordedDesktop
from execution.types import Box, Point


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, shade in (("01.png", 10), ("02.jpg", 120), ("03.png", 240)):
        Image.new("RGB", (100, 60), (shade, shade, shade)).save(tmp_path / name)
    return tmp_path


def test_each_action_leads_to_the_next_picture_and_the_last_stays(folder: Path) -> None:
    desktop = RecordedDesktop(folder)
    shades = []
    for act in (lambda: desktop.click(Point(1, 1)), lambda: desktop.press(["enter"]), lambda: desktop.type_text("x")):
        shades.append(int(desktop.grab().pixels[0, 0, 0]))
        act()
    assert desktop.current == "03.png"
    assert shades == [10, pytest.approx(120, abs=2), 240]
    assert [(act.kind, act.point, act.keys, act.text) for act in desktop.actions] == [
        ("click", Point(1, 1), (), ""),
        ("press", None, ("enter",), ""),
        ("type_text", None, (), "x"),
    ]


def test_moving_and_letting_go_lead_nowhere_but_are_noted(folder: Path) -> None:
    desktop = RecordedDesktop(folder)
    desktop.move(Point(3, 3))
    desktop.release_all()
    assert desktop.current == "01.png"
    assert [act.kind for act in desktop.actions] == ["move", "release_all"]


def test_pictures_keep_their_colours_in_bgr(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4), (255, 0, 7)).save(tmp_path / "red.png")
    assert RecordedDesktop(tmp_path).grab().pixels[0, 0].tolist() == [7, 0, 255]


def test_the_notes_say_titles_and_what_leads_where(folder: Path) -> None:
    rules = [
        {"act": "click", "box": [10, 10, 20, 20], "to": "03.png"},
        {"act": "press", "keys": ["ctrl", "r"], "to": "02.jpg"},
    ]
    notes = {"01.png": {"title": "Accès", "app_name": "Portal", "box": [0, 0, 50, 60], "next": rules}}
    (folder / "desktop.json").write_text(json.dumps({"pictures": notes}))
    desktop = RecordedDesktop(folder)
    window = desktop.window()
    assert window is not None
    assert (window.title, window.app_name, window.box) == ("Accès", "Portal", Box(0, 0, 50, 60))
    desktop.click(Point(50, 50))
    desktop.press(["ctrl", "s"])
    assert desktop.current == "01.png"
    desktop.press(["Ctrl", "R"])
    assert desktop.current == "02.jpg"
    assert desktop.window() is None


@pytest.mark.parametrize(
    ("notes", "named"),
    [
        ("{", "desktop.json"),
        ('{"pictures": {"09.png": {}}}', "09.png"),
        ('{"pictures": {"01.png": {"next": [{"to": "x.png"}]}}}', "x.png"),
        ('{"pictures": {"01.png": {"box": [1, 2]}}}', "desktop.json"),
        ("[]", "desktop.json"),
    ],
)
def test_bad_notes_are_refused_and_named(folder: Path, notes: str, named: str) -> None:
    (folder / "desktop.json").write_text(notes)
    with pytest.raises(DesktopError, match=named):
        RecordedDesktop(folder)


def test_a_huge_picture_is_refused_from_its_header(tmp_path: Path) -> None:
    header = struct.pack(">IIBBBBB", 10_000, 10_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", len(header)) + b"IHDR" + header + struct.pack(">I", zlib.crc32(b"IHDR" + header))
    body = b"IDAT" + b"\x00" * 10
    data = struct.pack(">I", 10) + body + struct.pack(">I", zlib.crc32(body))
    (tmp_path / "huge.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk + data)
    with pytest.raises(DesktopError, match=r"huge.png is 10000 × 10000 pixels; at most 33 megapixels"):
        RecordedDesktop(tmp_path)


@pytest.mark.parametrize("start", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0broken"])
def test_what_is_no_picture_is_refused_and_named(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "bad.png").write_bytes(start)
    with pytest.raises(DesktopError, match=r"bad\.png"):
        RecordedDesktop(tmp_path)


def test_a_picture_cut_short_is_refused(folder: Path) -> None:
    whole = (folder / "01.png").read_bytes()
    (folder / "01.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DesktopError, match=r"01\.png"):
        RecordedDesktop(folder)


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DesktopError, match="no pictures"):
        RecordedDesktop(tmp_path)
    with pytest.raises(DesktopError, match="no folder"):
        RecordedDesktop(tmp_path / "missing")
