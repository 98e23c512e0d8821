"""S2.10, S3.5: perception looks through the CLIP that the GPU side keeps, wherever that is."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig
from execution.perception.embedding import BuiltinEmbedder, ModelsDiffer, OpenClipEmbedder, cosine, open_embedder
from gpu.clip import CLIPManager
from tests.doubles.cuda import FakeCuda
from tests.execution.perception.drawing import Canvas, frame
from tests.support.clip import NAME, Made, broken, made_clip

pytestmark = pytest.mark.extras


@pytest.fixture(scope="module")
def made() -> Made:
    return made_clip()


@pytest.fixture(scope="module")
def embedder(made: Made) -> OpenClipEmbedder:
    return OpenClipEmbedder(CLIPManager(model=NAME, weights=made.safetensors))


def screen(text: str = "Invoice") -> np.ndarray:
    canvas = Canvas(640, 360)
    canvas.text(text, 40, 60, size=40)
    canvas.draw.rectangle((300, 150, 600, 300), fill=(40, 90, 200))
    return canvas.pixels


def config(weights: Path | None) -> PerceptionConfig:
    return PerceptionConfig(reader="none", embedder="open_clip", clip_model=NAME, clip_weights=weights)


def test_vectors_bear_the_name_of_their_model_and_of_its_weights(embedder, made):
    other = OpenClipEmbedder(CLIPManager(model=NAME, weights=made.pickled))
    one, same = embedder.embed(screen()), other.embed(screen())
    assert one.model == embedder.model_id == embedder.clip.model_id
    assert np.allclose(one.vector, same.vector, atol=1e-6)
    with pytest.raises(ModelsDiffer):
        cosine(one, same)


def test_threads_get_the_vectors_of_their_own_pictures(embedder):
    pictures = [screen(f"Page {i}") for i in range(4)]
    alone = [embedder.embed(p).vector for p in pictures]
    found: dict[int, np.ndarray] = {}

    def work(index: int) -> None:
        for _ in range(5):
            found[index] = embedder.embed(pictures[index]).vector

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.allclose(found[i], alone[i], atol=1e-6) for i in range(4))


async def test_a_run_goes_on_seeing_the_same_while_clip_moves(made, monkeypatch):
    """S2.10: the pipeline takes the device anew for each screen; what was embedded elsewhere still compares."""
    cuda = FakeCuda()
    cuda.install(monkeypatch)
    clip = CLIPManager(model=NAME, weights=made.safetensors)
    analyzer = build_analyzer(config(made.safetensors), clip=clip)
    here = await embedded(analyzer)
    for device in ("cuda:0", "cpu"):
        await clip.move(device)
        before = cuda.copies
        there = await embedded(analyzer)
        assert (cuda.copies > before) == (device == "cuda:0")
        assert cosine(here, there) >= 0.999


async def embedded(analyzer: ScreenAnalyzer) -> Any:
    state = analyzer.analyze(frame(screen()), None, ocr=False, ui=False)
    assert state.embedding is not None
    return state.embedding


async def test_a_gpu_that_is_lost_costs_no_screen(made, monkeypatch):
    """S3.10"""
    cuda = FakeCuda()
    cuda.install(monkeypatch)
    clip = CLIPManager(model=NAME, weights=made.safetensors)
    analyzer = build_analyzer(config(made.safetensors), clip=clip)
    await clip.move("cuda:0")
    cuda.lost = True
    assert np.isfinite((await embedded(analyzer)).vector).all()
    assert clip.device == "cpu"


def test_the_configured_weights_are_opened_without_a_warning(made, caplog):
    with caplog.at_level(logging.WARNING):
        embedder, note = open_embedder(config(made.safetensors))
    assert caplog.records == []
    assert embedder.model_id.startswith(f"open_clip/{NAME}/")
    assert note == ""


@pytest.mark.parametrize("kind", ["missing", "safetensors cut off", "not set"])
def test_without_usable_weights_the_built_in_embedding_serves_and_says_so(made, tmp_path, caplog, kind):
    """D6."""
    weights = None if kind == "not set" else broken(made, kind, tmp_path)
    with caplog.at_level(logging.WARNING):
        embedder, note = open_embedder(config(weights))
    assert isinstance(embedder, BuiltinEmbedder)
    assert "built-in embedding serves" in note
    assert note in caplog.text


def test_an_unknown_embedder_is_refused():
    with pytest.raises(ValueError, match=r"'resnet'.*builtin, open_clip"):
        open_embedder(PerceptionConfig(embedder="resnet"))
