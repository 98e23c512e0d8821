"""The first start is light: all that the defaults use is in requirements-base.txt, and what is not there is named (D8).

Checked where everything is installed: whatever the light set does not bring is made to look as if it were not there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from execution.perception.weights import easyocr_table
from gpu.clip import tower
from gpu.exceptions import ClipUnavailable

ROOT = Path(__file__).resolve().parents[1]
BASE = ROOT / "requirements-base.txt"
MODELS = ("torch", "torchvision", "open_clip_torch", "easyocr")

WITHOUT = """
import importlib.util, json, pkgutil, sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

HIDDEN = set(json.loads(sys.argv[1]))
sys.meta_path.insert(0, NotInstalled())
whole = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in HIDDEN else whole(name, package)

import django
django.setup()
"""
EVERYTHING = """
for package in ("rpa_site", "workflows", "gpu", "execution", "analytics", "sentences"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if module.name not in ("workflows.picture_bucket", "execution.behind.rq"):  # only settings lead to them
            importlib.import_module(module.name)
"""
A_SCREEN_IS_READ = """
import cv2, numpy
from django.conf import settings
from datetime import UTC, datetime
from execution.perception.config import PerceptionConfig
from execution.perception.analyzer import build_analyzer
from execution.types import Box, Frame, Window, pixels_digest

pixels = numpy.full((200, 400, 3), 255, numpy.uint8)
cv2.putText(pixels, "Patients", (40, 100), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2)
frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
analyzer = build_analyzer(PerceptionConfig.from_settings(settings))
state = analyzer.analyze(frame, Window(title="", box=Box(0, 0, 400, 200)))
print(json.dumps({"texts": [line.text for line in state.texts], "embedded": state.embedding is not None}))
"""


def brought_by(*lines: str) -> set[str]:
    """The distributions that these requirements install, with all that they require in turn."""
    found: set[str] = set()
    waiting = [(requirement.name, requirement.extras) for requirement in map(Requirement, lines)]
    while waiting:
        name, extras = waiting.pop()
        if canonicalize_name(name) in found and not extras:
            continue
        found.add(canonicalize_name(name))
        try:
            needs = [Requirement(line) for line in requires(name) or []]
        except PackageNotFoundError:
            continue  # for another system
        for need in needs:
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                waiting.append((need.name, need.extras))
    return found


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line and not line.startswith(("#", "-r "))]


@cache
def hidden() -> list[str]:
    """The packages that can be imported here and that the light set does not bring."""
    light = brought_by(*lines_of(BASE))
    return [
        name
        for name, distributions in packages_distributions().items()
        if not light & {canonicalize_name(one) for one in distributions}
    ]


def light(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script where only the light set can be imported."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + script, json.dumps(hidden())],
        cwd=ROOT,
        env={**os.environ, "DISPLAY": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_what_the_defaults_never_use_is_not_in_the_light_set() -> None:
    assert not brought_by(*lines_of(BASE)) & {canonicalize_name(name) for name in (*MODELS, "triton", "scipy")}


def test_the_whole_set_holds_the_light_one_and_the_models() -> None:
    text = (ROOT / "requirements.txt").read_text()
    assert "-r requirements-base.txt\n" in text
    assert {Requirement(line).name for line in lines_of(ROOT / "requirements.txt")} == set(MODELS)
    assert "-r requirements-base.txt\n" in (ROOT / "requirements-dev.txt").read_text()


@pytest.mark.slow
def test_every_module_can_be_imported_with_the_light_set_alone() -> None:
    done = light(EVERYTHING)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
def test_the_defaults_read_a_screen_with_the_light_set_alone() -> None:
    done = light(A_SCREEN_IS_READ)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {"texts": ["Patients"], "embedded": True}


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """PyTorch and what stands on it look as if they were not there."""
    for name in ("torch", "torchvision", "open_clip", "easyocr"):
        monkeypatch.setitem(sys.modules, name, None)
    easyocr_table.cache_clear()
    yield
    easyocr_table.cache_clear()


@pytest.mark.usefixtures("not_installed")
class TestWhatIsNotInstalled:
    def test_loading_clip_names_it(self) -> None:
        with pytest.raises(ClipUnavailable, match="'make models'"):
            tower._library()

    @pytest.mark.parametrize("group", ["easyocr", "open_clip"])
    def test_fetching_weights_names_it(self, group: str) -> None:
        with pytest.raises(CommandError, match="'make models'"):
            call_command("fetchmodels", group)

    def test_the_command_is_there_and_installs_the_whole_set(self) -> None:
        assert "\nmodels:\n\t@tools/setup.sh models\n" in (ROOT / "Makefile").read_text()
