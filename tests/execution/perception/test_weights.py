"""D6: which files of weights there are, and how a damaged one is told without a model library."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from execution.perception.languages import UnknownLanguage, tesseract_codes
from execution.perception.weights import Damaged, Weights, checksum, easyocr_table, easyocr_weights, look_over, verify


def safetensors(**tensors: int) -> bytes:
    """A file of that format, each tensor with so many bytes."""
    header, start = {}, 0
    for name, length in tensors.items():
        header[name] = {"dtype": "U8", "shape": [length], "data_offsets": [start, start + length]}
        start += length
    text = json.dumps({**header, "__metadata__": {"format": "pt"}}).encode()
    return struct.pack("<Q", len(text)) + text + bytes(start)


def zipped(folder: Path) -> bytes:
    with zipfile.ZipFile(folder / "whole.zip", "w") as file:
        file.writestr("archive/data.pkl", b"x" * 500)
    return (folder / "whole.zip").read_bytes()


def test_whole_files_pass(tmp_path):
    (tmp_path / "w.safetensors").write_bytes(safetensors(a=10, b=30))
    (tmp_path / "w.pth").write_bytes(zipped(tmp_path))
    (tmp_path / "old.pth").write_bytes(b"\x80\x02legacy pickle")
    for name in ("w.safetensors", "w.pth", "old.pth"):
        look_over(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("w.pth", b"", "is empty"),
        ("w.pth", b"\n <html><body>Sign in", "web page"),
        ("w.bin", b"version https://git-lfs.github.com/spec/v1\noid sha256:00", "pointer to the weights"),
        ("w.safetensors", safetensors(a=10, b=30)[:-1], r"cut off: it has \d+ bytes of \d+"),
        ("w.safetensors", safetensors(a=10, b=30) + b"..", "2 bytes too many"),
        ("w.safetensors", safetensors(a=10, b=30)[:40], "within its header"),
        ("w.safetensors", b"abc", "no safetensors file"),
        ("w.safetensors", struct.pack("<Q", 2) + b"[]", "no safetensors file"),
        ("w.safetensors", struct.pack("<Q", 9) + b'{"a": {}}', "no safetensors file"),
        ("w.safetensors", bytes(range(256)), "no safetensors file"),
    ],
)
def test_a_damaged_file_is_told_by_what_is_wrong(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(Damaged, match=said):
        look_over(path)


def test_a_zip_that_is_cut_off_is_told(tmp_path):
    whole = zipped(tmp_path)
    for length in (4, len(whole) // 2, len(whole) - 1):
        (tmp_path / "w.pth").write_bytes(whole[:length])
        with pytest.raises(Damaged, match="cut off after"):
            look_over(tmp_path / "w.pth")


def test_a_file_is_verified_by_the_checksum_and_the_size_that_were_published(tmp_path):
    path = tmp_path / "w.pth"
    path.write_bytes(b"weights")
    row = Weights(group="g", filename="w.pth", url="", checksum=hashlib.md5(b"weights").hexdigest(), size=7)
    verify(path, row)
    assert checksum(path, "sha256") == hashlib.sha256(b"weights").hexdigest()
    path.write_bytes(b"weighty")
    with pytest.raises(Damaged, match=f"md5 checksum {hashlib.md5(b'weighty').hexdigest()} where {row.checksum}"):
        verify(path, row)
    path.write_bytes(b"weights!")
    with pytest.raises(Damaged, match="8 bytes where 7"):
        verify(path, row)
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "none", row)


@pytest.mark.extras
@pytest.mark.parametrize(
    ("languages", "said"), [(("en", "tlh"), "tlh; it reads"), (("ru", "fr"), "ru with English alone, not with fr")]
)
def test_languages_that_easyocr_cannot_read_are_named(languages, said):
    with pytest.raises(UnknownLanguage, match=said):
        easyocr_weights(languages)


def test_easyocr_that_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="EasyOCR is not installed"):
        easyocr_table.__wrapped__()


@pytest.mark.extras
def test_the_table_of_models_is_read_without_loading_easyocr_or_changing_the_environment():
    """D4: importing the package would load torch, and its table sets a variable for it."""
    program = "import os, sys; from execution.perception.weights import easyocr_weights; easyocr_weights(('en',))\n"
    program += "print(sorted({'torch', 'easyocr', 'cv2'} & set(sys.modules)), os.environ.get('LRU_CACHE_CAPACITY'))"
    environment = {k: v for k, v in os.environ.items() if k != "LRU_CACHE_CAPACITY"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout.strip(), done.stderr) == ("[] None", "")


@pytest.mark.parametrize(
    ("languages", "codes"), [(("en", "fr"), "eng+fra"), (("fra", "en"), "fra+eng"), (("en", "eng"), "eng")]
)
def test_tesseract_has_its_own_names_for_languages(languages, codes):
    assert tesseract_codes(languages) == codes


def test_a_language_that_tesseract_has_no_name_for_is_refused():
    with pytest.raises(UnknownLanguage, match=r"'tlh'; known are: .*\bfr\b"):
        tesseract_codes(("tlh",))
