from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

import gpu
from gpu.config import GPUResourceConfig


def test_address_model_and_times_come_from_the_environment(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3.1"""
    settings.RPA_OLLAMA_URL, settings.RPA_VLM_MODEL = "http://gpu.example:11434/", "qwen2.5vl:7b"
    monkeypatch.setenv("RPA_GPU_IDLE_TIMEOUT_S", "60")
    config = GPUResourceConfig.from_settings()
    assert (config.ollama_url, config.vlm_model) == ("http://gpu.example:11434", "qwen2.5vl:7b")
    assert (config.idle_timeout_s, config.load_timeout_s) == (60.0, 300.0)
    assert config.has_vlm
    assert not config.ollama_is_here


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.0.1.1", "0.0.0.0", "[::1]", "[::]", "me"])
def test_ollama_uses_the_memory_of_this_machine_under_all_of_its_own_names(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """Otherwise the VLM would be loaded beside CLIP into memory that nobody has looked at."""
    monkeypatch.setattr("socket.gethostname", lambda: "Me")
    assert GPUResourceConfig(ollama_url=f"http://{host}:11434").ollama_is_here


@pytest.mark.parametrize(
    ("name", "text"),
    [("NUM_CTX", "0.5"), ("SWAPS_PER_MINUTE", "0.9"), ("MAX_TOKENS", "inf")]
    + [("IDLE_TIMEOUT_S", text) for text in ("nan", "inf", "soon", "0", "-5")],
)
def test_numbers_that_nothing_can_be_counted_by_are_refused(
    settings: Any, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setenv(f"RPA_GPU_{name}", text)
    with pytest.raises(ImproperlyConfigured, match=f"RPA_GPU_{name} must be .*“{text}”"):
        GPUResourceConfig.from_settings()


def test_the_names_of_the_package_load_nothing_until_they_are_used() -> None:
    """S3.1, D4"""
    code = "import sys, gpu; print([m for m in ('httpx', 'django', 'pynvml', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_an_unknown_one_is_refused() -> None:
    assert all(getattr(gpu, name) is not None for name in gpu.__all__)
    with pytest.raises(AttributeError, match="GPUMagic"):
        _ = gpu.GPUMagic
