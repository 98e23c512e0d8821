"""S2.10: CLIP from weights in a local file. The model is tiny and random; the code that loads it is the product's."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from execution.perception.config import PerceptionConfig
from execution.perception.embedding import BuiltinEmbedder, DeviceUnavailable, ModelsDiffer, cosine, open_embedder
from execution.perception.weights import WeightsUnavailable
from tests.execution.perception.drawing import Canvas

NAME, OTHER = "surehand-tiny", "surehand-tinier"


class Made(NamedTuple):
    """A model as open_clip makes it, and its weights in both kinds of file."""

    model: Any
    safetensors: Path
    pickled: Path


def tiny(width: int, layers: int) -> dict[str, Any]:
    return {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 64, "layers": layers, "width": width, "head_width": 16, "patch_size": 16},
        "text_cfg": {"context_length": 8, "vocab_size": 64, "width": 16, "heads": 2, "layers": 1},
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    import open_clip
    import torch
    from safetensors.torch import save_file

    folder = tmp_path_factory.mktemp("clip")
    for name, config in ((NAME, tiny(32, 2)), (OTHER, tiny(48, 1))):
        (folder / f"{name}.json").write_text(json.dumps(config))
    open_clip.add_model_config(folder)
    torch.manual_seed(4)
    model = open_clip.create_model(NAME).eval()
    state = {key: value.contiguous() for key, value in model.state_dict().items()}
    save_file(state, folder / "tiny.safetensors")
    torch.save({"state_dict": state, "epoch": 3}, folder / "tiny.pt")
    return Made(model, folder / "tiny.safetensors", folder / "tiny.pt")


@pytest.fixture(scope="module")
def embedder(made: Made) -> Any:
    from execution.perception.embedding.open_clip import OpenClipEmbedder

    return OpenClipEmbedder(model=NAME, weights=made.safetensors)


def screen(text: str = "Invoice") -> np.ndarray:
    canvas = Canvas(640, 360)
    canvas.text(text, 40, 60, size=40)
    canvas.draw.rectangle((300, 150, 600, 300), fill=(40, 90, 200))
    return canvas.pixels


def direct(model: Any, pixels: np.ndarray) -> np.ndarray:
    """What open_clip itself makes of the picture, squashed to its square."""
    import torch
    from open_clip.transform import PreprocessCfg, image_transform_v2
    from PIL import Image

    prepare = image_transform_v2(PreprocessCfg(size=64, resize_mode="squash", interpolation="bilinear"), is_train=False)
    with torch.inference_mode():
        batch = prepare(Image.fromarray(np.ascontiguousarray(pixels[:, :, ::-1])))[None]
        return np.asarray(model.encode_image(batch, normalize=True)[0])


def test_vectors_are_those_of_the_model_itself(embedder, made):
    vector = embedder.embed(screen()).vector
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert float(vector @ direct(made.model, screen())) > 0.9999
    assert float(vector @ embedder.embed(screen()[::-1]).vector) < 0.9999  # it does look


def test_a_picture_of_the_models_own_size_gives_the_very_same_vector(embedder, made):
    pixels = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    assert np.allclose(embedder.embed(pixels).vector, direct(made.model, pixels), atol=1e-6)


def test_both_kinds_of_file_give_the_same_vectors_under_ids_of_their_own(embedder, made):
    """Vectors of other weights are never compared: the id holds a digest of the file."""
    from execution.perception.embedding.open_clip import OpenClipEmbedder

    other = OpenClipEmbedder(model=NAME, weights=made.pickled)
    one, same = embedder.embed(screen()), other.embed(screen())
    assert np.allclose(one.vector, same.vector, atol=1e-6)
    digest = hashlib.sha256(made.safetensors.read_bytes()).hexdigest()
    assert embedder.model_id == f"open_clip/{NAME}/{digest[:12]}"
    with pytest.raises(ModelsDiffer):
        cosine(one, same)


def test_the_text_half_is_let_go_and_nothing_is_kept_for_training(embedder):
    assert not any(p.requires_grad for p in embedder._tower.parameters())
    assert not embedder._tower.training
    assert {str(p.dtype) for p in embedder._tower.parameters()} == {"torch.float32"}


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


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (1080, 1920), (64, 64)])
def test_pictures_of_any_size_are_taken(embedder, size):
    embedder.warm_up()
    pixels = np.random.default_rng(0).integers(0, 255, (*size, 3), np.uint8)
    assert np.isfinite(embedder.embed(pixels).vector).all()


@pytest.mark.parametrize(
    "pixels", [np.zeros((8, 8), np.uint8), np.zeros((8, 8, 4), np.uint8), np.zeros((8, 8, 3), np.uint16)]
)
def test_what_is_no_bgr_picture_is_refused(embedder, pixels):
    with pytest.raises(ValueError, match="BGR.*not 8 × 8.*convert"):
        embedder.embed(pixels)


@pytest.mark.parametrize(
    ("device", "why"), [("tpu", "cpu or cuda:N"), ("cuda", "cpu or cuda:N"), ("cuda:99", "no GPU here|there are")]
)
def test_a_device_that_there_is_not_is_refused_and_the_model_works_on(embedder, device, why):
    """S3.5: a failed move leaves a working model where it was."""
    before = embedder.embed(screen()).vector
    with pytest.raises(DeviceUnavailable, match=why):
        embedder.move(device)
    assert embedder.device == "cpu"
    assert np.array_equal(embedder.embed(screen()).vector, before)


def test_a_move_that_breaks_half_way_is_taken_back(embedder, monkeypatch):
    """Tensors go over one by one; the memory of the GPU may end in between."""
    import torch

    asked = []

    def to(device):
        asked.append(device)
        if device != "cpu":
            raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(embedder._tower, "to", to)
    monkeypatch.setattr("execution.perception.embedding.open_clip._why_not", lambda device: "")
    with pytest.raises(DeviceUnavailable, match=r"stays on cpu: CUDA out of memory"):
        embedder.move("cuda:0")
    assert asked == ["cuda:0", "cpu"]
    assert embedder.device == "cpu"


def test_a_move_to_where_it_is_changes_nothing(embedder):
    before = embedder.embed(screen()).vector
    embedder.move("cpu")
    assert np.array_equal(embedder.embed(screen()).vector, before)


@pytest.mark.gpu
def test_the_gpu_gives_the_vectors_of_the_processor(embedder):
    """S3.5: cosine of at least 0.999."""
    before = embedder.embed(screen()).vector
    embedder.move("cuda:0")
    try:
        assert float(before @ embedder.embed(screen()).vector) >= 0.999
    finally:
        embedder.move("cpu")


def broken(made: Made, kind: str, folder: Path) -> Path:
    """A file that is none, by what is wrong with it."""
    import torch

    path = folder / ("w.safetensors" if kind.startswith("safe") else "w.pt")
    source = made.safetensors if kind.startswith("safe") else made.pickled
    whole = source.read_bytes()
    if kind.endswith("cut off"):
        path.write_bytes(whole[: len(whole) // 2])
    elif kind.endswith("head"):
        path.write_bytes(whole[:300])
    elif kind == "empty":
        path.touch()
    elif kind == "web page":
        path.write_text("<!DOCTYPE html><title>Sign in</title>")
    elif kind == "rubbish":
        path.write_bytes(bytes(range(256)) * 40)
    elif kind == "code":
        torch.save({"state_dict": {}, "when": Path("/tmp")}, path)
    elif kind == "nothing in it":
        torch.save({}, path)
    elif kind == "no tensors":
        torch.save([1, 2, 3], path)
    return path


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("missing", "are not at"),
        ("empty", "is empty"),
        ("safetensors cut off", r"is cut off: it has \d+ bytes of \d+"),
        ("safetensors head", "within its header"),
        ("pt cut off", "is cut off after"),
        ("web page", "is a web page"),
        ("rubbish", "cannot be read"),
        ("code", "cannot be read"),
        ("nothing in it", "cannot be read"),
        ("no tensors", "cannot be read"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong_and_what_to_do(made, tmp_path, kind, said):
    from execution.perception.embedding.open_clip import OpenClipEmbedder

    path = broken(made, kind, tmp_path)
    with pytest.raises(WeightsUnavailable, match=said) as caught:
        OpenClipEmbedder(model=NAME, weights=path)
    assert str(path) in str(caught.value)
    assert "fetchmodels open_clip" in str(caught.value)


@pytest.mark.security
def test_code_in_a_file_of_weights_is_never_run(made, tmp_path):
    import torch

    from execution.perception.embedding.open_clip import OpenClipEmbedder

    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    torch.save({"state_dict": Trap()}, tmp_path / "w.pt")
    with pytest.raises(WeightsUnavailable, match="cannot be read"):
        OpenClipEmbedder(model=NAME, weights=tmp_path / "w.pt")
    assert not (tmp_path / "sprung").exists()


def test_weights_of_another_model_are_named_with_the_first_that_do_not_fit(made, tmp_path):
    import open_clip
    import torch

    from execution.perception.embedding.open_clip import OpenClipEmbedder

    with pytest.raises(WeightsUnavailable, match=rf"not of the model {OTHER}: other sizes of visual\.") as caught:
        OpenClipEmbedder(model=OTHER, weights=made.safetensors)
    assert "RPA_CLIP_MODEL" in str(caught.value)
    state = made.model.state_dict()
    fewer = {key: value for key, value in state.items() if not key.startswith("visual.transformer.resblocks.1")}
    torch.save(fewer, tmp_path / "fewer.pt")
    with pytest.raises(WeightsUnavailable, match=r"no visual\.transformer\.resblocks\.1\.\S+, .* and \d+ more"):
        OpenClipEmbedder(model=NAME, weights=tmp_path / "fewer.pt")
    torch.save(state | {"visual.extra": torch.zeros(1)}, tmp_path / "more.pt")
    with pytest.raises(WeightsUnavailable, match=r"visual\.extra too many"):
        OpenClipEmbedder(model=NAME, weights=tmp_path / "more.pt")
    assert NAME in open_clip.list_models()


@pytest.mark.security
@pytest.mark.parametrize("name", ["hf-hub:someone/model", "local-dir:/tmp", "ViT-Z-1", "roberta-ViT-B-32"])
def test_a_name_that_would_ask_a_hub_is_refused(made, name):
    from execution.perception.embedding.open_clip import OpenClipEmbedder

    with pytest.raises(WeightsUnavailable, match="set RPA_CLIP_MODEL to"):
        OpenClipEmbedder(model=name, weights=made.safetensors)


def test_weights_named_as_fetched_are_looked_through_as_they_were_trained(made, tmp_path, monkeypatch):
    """Colours' mean and the kind of GELU are no part of the file; open_clip's table has them by MODEL.TAG."""
    import open_clip

    from execution.perception.embedding.open_clip import OpenClipEmbedder

    table = {(NAME, "grey"): {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5), "quick_gelu": True, "url": "x"}}
    monkeypatch.setattr(open_clip, "get_pretrained_cfg", lambda model, tag: table.get((model, tag), {}))
    path = tmp_path / f"{NAME}.grey.safetensors"
    path.write_bytes(made.safetensors.read_bytes())
    embedder = OpenClipEmbedder(model=NAME, weights=path)
    assert embedder._mean.tolist() == [0.5, 0.5, 0.5]
    assert any("QuickGELU" in type(m).__name__ for m in embedder._tower.modules())


def config(weights: Path | None, **changes: Any) -> PerceptionConfig:
    return PerceptionConfig(embedder="open_clip", clip_model=NAME, clip_weights=weights, **changes)


def test_the_configured_weights_are_opened_without_a_warning(made, caplog):
    with caplog.at_level(logging.WARNING):
        embedder, note = open_embedder(config(made.safetensors))
    assert caplog.records == []
    assert embedder.model_id.startswith(f"open_clip/{NAME}/")
    assert note == ""


@pytest.mark.parametrize("kind", ["missing", "safetensors cut off", "not set"])
def test_without_usable_weights_the_built_in_embedding_serves_and_says_so(made, tmp_path, caplog, kind):
    """DESIGN 5.9."""
    weights = None if kind == "not set" else broken(made, kind, tmp_path)
    with caplog.at_level(logging.WARNING):
        embedder, note = open_embedder(config(weights))
    assert isinstance(embedder, BuiltinEmbedder)
    assert "built-in embedding serves" in note
    assert note in caplog.text


def test_without_its_device_it_serves_on_the_processor_and_says_so(made, caplog):
    embedder, note = open_embedder(config(made.safetensors, clip_device="cuda:99"))
    assert embedder.model_id.startswith("open_clip/")
    assert "'cuda:99'" in note
    assert note in caplog.text


def test_an_unknown_embedder_is_refused():
    with pytest.raises(ValueError, match=r"'resnet'.*builtin, open_clip"):
        open_embedder(PerceptionConfig(embedder="resnet"))
