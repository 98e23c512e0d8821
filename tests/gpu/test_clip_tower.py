"""S2.10: CLIP from weights in a local file. The model is tiny and random; the code that loads it is the product's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu.clip.tower import Tower, features, load_tower
from gpu.exceptions import ClipUnavailable
from tests.execution.perception.drawing import Canvas
from tests.support.clip import NAME, OTHER, Made, broken, made_clip, picture

pytestmark = pytest.mark.extras


@pytest.fixture(scope="module")
def made() -> Made:
    return made_clip()


@pytest.fixture(scope="module")
def tower(made: Made) -> Tower:
    return load_tower(NAME, made.safetensors)


def seen(tower: Tower, pixels: np.ndarray) -> np.ndarray:
    return features(tower.network, tower.batch(pixels), "cpu")


def direct(model: Any, pixels: np.ndarray) -> np.ndarray:
    """What open_clip itself makes of the picture, squashed to its square."""
    import torch
    from open_clip.transform import PreprocessCfg, image_transform_v2
    from PIL import Image

    prepare = image_transform_v2(PreprocessCfg(size=64, resize_mode="squash", interpolation="bilinear"), is_train=False)
    with torch.inference_mode():
        batch = prepare(Image.fromarray(np.ascontiguousarray(pixels[:, :, ::-1])))[None]
        return np.asarray(model.encode_image(batch, normalize=True)[0])


def test_vectors_are_those_of_the_model_itself(tower: Tower, made: Made) -> None:
    screen = Canvas(640, 360)
    screen.text("Invoice", 40, 60, size=40)
    screen.draw.rectangle((300, 150, 600, 300), fill=(40, 90, 200))
    pixels = screen.pixels
    vector = seen(tower, pixels)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert float(vector @ direct(made.model, pixels)) > 0.9999
    assert float(vector @ seen(tower, pixels[::-1])) < 0.9999  # it does look


def test_both_kinds_of_file_give_the_same_vectors_under_ids_of_their_own(tower: Tower, made: Made) -> None:
    """Vectors of other weights are never compared: the id holds a digest of the file."""
    other = load_tower(NAME, made.pickled)
    assert np.allclose(seen(tower, picture()), seen(other, picture()), atol=1e-6)
    digest = hashlib.sha256(made.safetensors.read_bytes()).hexdigest()
    assert tower.model_id == f"open_clip/{NAME}/{digest[:12]}" != other.model_id


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (1080, 1920), (64, 64)])
def test_pictures_of_any_size_are_taken(tower: Tower, size: tuple[int, int]) -> None:
    assert np.isfinite(seen(tower, picture(0, *size))).all()


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
    path = broken(made, kind, tmp_path)
    with pytest.raises(ClipUnavailable, match=said) as caught:
        load_tower(NAME, path)
    assert str(path) in str(caught.value)
    assert "fetchmodels open_clip" in str(caught.value)


@pytest.mark.security
def test_code_in_a_file_of_weights_is_never_run(made, tmp_path):
    import torch

    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    torch.save({"state_dict": Trap()}, tmp_path / "w.pt")
    with pytest.raises(ClipUnavailable, match="cannot be read"):
        load_tower(NAME, tmp_path / "w.pt")
    assert not (tmp_path / "sprung").exists()


def test_weights_of_another_model_are_named_with_the_first_that_do_not_fit(made, tmp_path):
    import open_clip
    import torch

    with pytest.raises(ClipUnavailable, match=rf"not of the model {OTHER}: other sizes of visual\.") as caught:
        load_tower(OTHER, made.safetensors)
    assert "RPA_CLIP_MODEL" in str(caught.value)
    state = made.model.state_dict()
    fewer = {key: value for key, value in state.items() if not key.startswith("visual.transformer.resblocks.1")}
    torch.save(fewer, tmp_path / "fewer.pt")
    with pytest.raises(ClipUnavailable, match=r"no visual\.transformer\.resblocks\.1\.\S+, .* and \d+ more"):
        load_tower(NAME, tmp_path / "fewer.pt")
    torch.save(state | {"visual.extra": torch.zeros(1)}, tmp_path / "more.pt")
    with pytest.raises(ClipUnavailable, match=r"visual\.extra too many"):
        load_tower(NAME, tmp_path / "more.pt")
    assert NAME in open_clip.list_models()


@pytest.mark.security
@pytest.mark.parametrize("name", ["hf-hub:someone/model", "local-dir:/tmp", "ViT-Z-1", "roberta-ViT-B-32"])
def test_a_name_that_would_ask_a_hub_is_refused(made, name):
    with pytest.raises(ClipUnavailable, match="set RPA_CLIP_MODEL to"):
        load_tower(name, made.safetensors)


def test_weights_named_as_fetched_are_looked_through_as_they_were_trained(made, tmp_path, monkeypatch):
    """Colours' mean and the kind of GELU are no part of the file; open_clip's table has them by MODEL.TAG."""
    import open_clip

    table = {(NAME, "grey"): {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5), "quick_gelu": True, "url": "x"}}
    monkeypatch.setattr(open_clip, "get_pretrained_cfg", lambda model, tag: table.get((model, tag), {}))
    path = tmp_path / f"{NAME}.grey.safetensors"
    path.write_bytes(made.safetensors.read_bytes())
    tower = load_tower(NAME, path)
    assert tower.mean.tolist() == [0.5, 0.5, 0.5]
    assert any("QuickGELU" in type(m).__name__ for m in tower.network.modules())
