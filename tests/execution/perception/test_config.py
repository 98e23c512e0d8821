"""S2.8, S2.10: what perception is made of is checked before anything is loaded, and each fault says what to do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as django_settings

from execution.perception import config as module
from execution.perception.config import BadConfig, PerceptionConfig
from tests.execution.perception.test_weights import safetensors


def clip(weights: Path | None, **changes: Any) -> PerceptionConfig:
    return PerceptionConfig(embedder="open_clip", clip_weights=weights, **changes)


def rpa(**changes: Any) -> SimpleNamespace:
    return SimpleNamespace(
        **{
            "RPA_OCR_ENGINE": "tesseract", "RPA_OCR_LANGUAGES": ["fr", "de"], "RPA_MODELS_DIR": Path("/srv/models"),
            "RPA_EMBEDDER": "open_clip", "RPA_CLIP_MODEL": "ViT-L-14", "RPA_CLIP_WEIGHTS": "l14.safetensors",
            "RPA_UI_DETECTOR": "/srv/ui.onnx", "RPA_ANALYZE_TIMEOUT_MS": 9000, **changes,
        }
    )  # fmt: skip


def test_the_default_is_sound_and_needs_no_files():
    assert PerceptionConfig().problems() == []
    PerceptionConfig().check()
    assert PerceptionConfig.from_settings(django_settings).problems() == []


def test_it_is_taken_from_the_settings():
    assert PerceptionConfig.from_settings(rpa()) == PerceptionConfig(
        reader="tesseract",
        languages=("fr", "de"),
        models_dir=Path("/srv/models"),
        embedder="open_clip",
        clip_model="ViT-L-14",
        clip_weights=Path("/srv/models/l14.safetensors"),
        ui_detector="/srv/ui.onnx",
        analyze_timeout_ms=9000,
    )


def test_weights_are_named_within_the_models_folder_or_by_a_path_of_their_own():
    assert PerceptionConfig.from_settings(rpa(RPA_CLIP_WEIGHTS="/a/b.pt")).clip_weights == Path("/a/b.pt")
    assert PerceptionConfig.from_settings(rpa(RPA_CLIP_WEIGHTS="")).clip_weights is None


@pytest.mark.extras
@pytest.mark.parametrize(
    ("config", "setting", "said"),
    [
        (PerceptionConfig(reader="gocr"), "RPA_OCR_ENGINE", "“gocr”.*easyocr, rapidocr, tesseract"),
        (PerceptionConfig(languages=()), "RPA_OCR_LANGUAGES", "empty.*en,fr"),
        (PerceptionConfig(reader="tesseract", languages=("xx",)), "RPA_OCR_LANGUAGES", "'xx'"),
        (PerceptionConfig(reader="easyocr", languages=("xx",)), "RPA_OCR_LANGUAGES", "does not read xx"),
        (PerceptionConfig(reader="easyocr", models_dir=Path("/none")), "RPA_MODELS_DIR",
         "craft_mlt_25k.pth, latin_g2.pth in /none.*fetchmodels easyocr"),
        (PerceptionConfig(embedder="resnet"), "RPA_EMBEDDER", "“resnet”.*builtin, open_clip"),
        (clip(None), "RPA_CLIP_WEIGHTS", "not set.*fetchmodels open_clip"),
        (clip(Path("/none/w.pt")), "RPA_CLIP_WEIGHTS", "/none/w.pt, and there is no such file.*fetchmodels open_clip"),
        (clip(Path("/none/w.pt"), clip_model="ViT-B32"), "RPA_CLIP_MODEL", "“ViT-B32”.*ViT-B-32"),
        (PerceptionConfig(ui_detector="yolo"), "RPA_UI_DETECTOR", "“yolo”.*builtin, or.*onnx"),
        (PerceptionConfig(ui_detector="/none/ui.onnx"), "RPA_UI_DETECTOR", "/none/ui.onnx, and there is no such file"),
    ],
)  # fmt: skip
def test_a_fault_names_the_setting_what_is_wrong_and_what_to_do(config, setting, said):
    found = {problem.setting: problem for problem in config.problems()}
    assert setting in found
    with pytest.raises(BadConfig, match=f"(?m)^{setting}: .*{said}"):
        config.check()


def test_every_fault_is_said_at_once():
    config = PerceptionConfig(reader="gocr", embedder="resnet", ui_detector="yolo")
    assert [p.setting for p in config.problems()] == ["RPA_OCR_ENGINE", "RPA_EMBEDDER", "RPA_UI_DETECTOR"]


@pytest.mark.extras
def test_weights_that_are_there_and_whole_are_sound(tmp_path):
    path = tmp_path / "w.safetensors"
    path.write_bytes(safetensors(a=8))
    assert clip(path).problems() == []
    (tmp_path / "ui.onnx").touch()
    assert PerceptionConfig(ui_detector=str(tmp_path / "ui.onnx")).problems() == []


@pytest.mark.extras
@pytest.mark.parametrize(
    ("name", "content", "said"), [("w.pt", b"<html>", "web page"), ("w.txt", b"hello", "no weights file")]
)
def test_weights_that_cannot_be_used_are_said_without_loading_them(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    (problem,) = clip(path).problems()
    assert problem.setting == "RPA_CLIP_WEIGHTS"
    assert str(path) in problem.text
    assert said in problem.text
    assert "fetchmodels" in problem.hint


def test_easyocr_that_is_not_installed_is_said(monkeypatch):
    def none(languages):
        raise ImportError("EasyOCR is not installed.")

    monkeypatch.setattr(module, "easyocr_weights", none)
    (problem,) = PerceptionConfig(reader="easyocr").problems()
    assert "not installed" in problem.text
    assert "make models" in problem.hint


def test_open_clip_that_is_not_installed_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    problem = clip(tmp_path).problems()[0]
    assert "not installed" in problem.text
    assert "make models" in problem.hint


@pytest.mark.extras
def test_every_fault_has_a_system_check_of_its_own(settings):
    """Refused at start, all at once; `rpa_site.E003` is as it was."""
    from rpa_site import checks

    settings.RPA_OCR_ENGINE, settings.RPA_EMBEDDER, settings.RPA_UI_DETECTOR = "gocr", "open_clip", "yolo"
    settings.RPA_OCR_LANGUAGES, settings.RPA_CLIP_MODEL = [], "ViT-Z"
    found = checks.perception_can_be_built()
    assert {m.id[-4:] for m in found} == {"E003", "E007", "E010", "E011", "E012"}
    settings.RPA_OCR_ENGINE, settings.RPA_OCR_LANGUAGES, settings.RPA_EMBEDDER = "easyocr", ["en"], "resnet"
    assert {m.id[-4:] for m in checks.perception_can_be_built()} == {"E008", "E009", "E012"}
    assert all(message.hint for message in found)
