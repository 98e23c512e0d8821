"""What the file of CLIP's weights tells before anything is loaded; asked at every look, so it is cheap (D6)."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from gpu.clip import CLIPManager
from gpu.exceptions import ClipUnavailable
from gpu.weights import Damaged, WeightsFile, count_values, look_over


def weights(path: Path, **shapes: list[int]) -> Path:
    """A safetensors file with tensors of these shapes, `visual_x` for `visual.x`, in half precision."""
    header, end = {}, 0
    for name, shape in shapes.items():
        size = 2
        for length in shape:
            size *= length
        header[name.replace("_", ".", 1)] = {"dtype": "F16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    said = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(said)) + said + bytes(end))
    return path


def test_the_image_half_alone_is_counted(tmp_path: Path) -> None:
    """In numbers, not in bytes: it is loaded in another precision than it is kept in."""
    path = weights(tmp_path / "w.safetensors", visual_conv=[8, 3, 4, 4], visual_scale=[], token_embedding=[999, 7])
    assert count_values(path, "visual.") == 8 * 3 * 4 * 4 + 1
    assert WeightsFile(path).count_values() == 385
    assert CLIPManager(model="x", weights=path).need_mb > 385 * 4 // 2**20


@pytest.mark.parametrize("header", [[1], {"visual.a": {"data_offsets": [0, 0]}}, {"visual.a": 3}])
def test_a_header_that_makes_no_sense_is_damaged(tmp_path: Path, header: object) -> None:
    said = json.dumps(header).encode()
    path = tmp_path / "w.safetensors"
    path.write_bytes(struct.pack("<Q", len(said)) + said)
    with pytest.raises(Damaged, match="no safetensors file"):
        look_over(path)
        count_values(path, "visual.")
    assert "is no safetensors file" in WeightsFile(path).problem


def test_of_another_kind_of_file_no_less_than_all_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "w.pt"
    path.write_bytes(bytes(4000))
    assert WeightsFile(path).count_values() == 1000


def test_it_is_read_once_and_again_when_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def reading(path: Path) -> None:
        read.append(path)
        look_over(path)

    monkeypatch.setattr("gpu.weights.look_over", reading)
    path = tmp_path / "w.safetensors"
    file = WeightsFile(path)
    assert "are not at" in file.problem
    weights(path, visual_a=[3])
    assert (file.problem, file.count_values(), len(read)) == ("", 3, 1)
    path.write_bytes(path.read_bytes()[:-1])
    assert "is cut off" in file.problem
    assert (file.count_values(), len(read)) == (0, 2)
    with pytest.raises(ClipUnavailable, match="is cut off"):
        file.check()
    path.unlink()
    assert "are not at" in file.problem
