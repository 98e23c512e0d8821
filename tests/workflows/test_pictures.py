"""The picture store: by digest, whole or not at all, and nothing too large is decoded (S8.6)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import translation
from PIL import Image

from sentences.said import from_text, to_text, told_by, worded
from workflows.exceptions import PictureMissing, PictureNotStored, PictureRefused
from workflows.pictures import PictureStore, check_size, decode

PIXELS = np.random.default_rng(7).integers(0, 255, (40, 60, 3), dtype=np.uint8)


@pytest.fixture
def store(tmp_path: Path) -> PictureStore:
    return PictureStore(tmp_path / "pictures")


def encoded(kind: str = "PNG", mode: str = "RGB", **options: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(PIXELS[:, :, ::-1]).convert(mode).save(out, kind, **options)
    return out.getvalue()


def files(store: PictureStore) -> list[Path]:
    return [path for path in Path(store.where).rglob("*") if path.is_file()]


def test_what_is_put_is_what_is_got(store: PictureStore) -> None:
    digest = store.put(PIXELS)
    assert (store.get(digest) == PIXELS).all()
    assert files(store) == [store.path(digest)]


def test_the_same_pixels_are_stored_once_and_another_shape_is_another_picture(store: PictureStore) -> None:
    first = store.put(PIXELS)
    written = store.path(first).stat().st_ino
    assert store.put(PIXELS[:, ::-1][:, ::-1]) == first  # a view that is not contiguous
    assert store.path(first).stat().st_ino == written
    assert store.put(PIXELS.reshape(60, 40, 3)) != first
    assert len(files(store)) == 2


def test_a_digest_does_not_depend_on_how_it_was_compressed(store: PictureStore) -> None:
    assert store.put(decode(encoded("PNG", compress_level=9))) == store.put(decode(encoded("BMP"))) == store.put(PIXELS)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_pictures_of_every_kind_become_bgr_pixels(kind: str, mode: str) -> None:
    pixels = decode(encoded(kind, mode))
    assert (pixels.shape, pixels.dtype) == ((40, 60, 3), np.uint8)


def test_red_stays_red() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (2, 2), (255, 0, 0, 255)).save(out, "PNG")
    assert decode(out.getvalue())[0, 0].tolist() == [0, 0, 255]


NO_PICTURES = {
    "empty": b"",
    "text": b"hello",
    "a kind that is not taken": encoded("GIF", "P"),
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "cut off in its header": encoded()[:20],
}


@pytest.mark.parametrize("data", NO_PICTURES.values(), ids=NO_PICTURES.keys())
def test_what_is_no_picture_is_refused_with_its_name_and_what_is_taken(data: bytes) -> None:
    with pytest.raises(PictureRefused, match=r"note\.png is no picture.*PNG, JPEG, WEBP, BMP"):
        decode(data, name="note.png")


def test_a_damaged_picture_is_refused_with_its_name() -> None:
    with pytest.raises(PictureRefused, match=r"note\.png is damaged"):
        decode(encoded()[:-2000], name="note.png")


@pytest.mark.parametrize(
    ("width", "height", "fits"), [(4000, 2500, True), (4001, 2500, False), (10_000, 10_000, False), (1, 10**9, False)]
)
def test_the_limit_is_in_megapixels(settings: Any, width: int, height: int, fits: bool) -> None:
    settings.RPA_MAX_PICTURE_MEGAPIXELS = 10
    if fits:
        check_size(width, height)
        return
    with pytest.raises(PictureRefused, match=rf"{width} × {height} pixels; at most 10 megapixels"):
        check_size(width, height)


def test_a_picture_that_is_gone_is_said(store: PictureStore) -> None:
    with pytest.raises(PictureMissing, match="abababab"):
        store.get("ab" * 32)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "ab" * 31, "AB" * 32, "zz" * 32, "ab" * 31 + "/."])
def test_what_is_no_digest_leads_to_no_file(store: PictureStore, name: str) -> None:
    """S10.1: a name from outside never becomes a path."""
    with pytest.raises(PictureMissing):
        store.path(name)


def test_a_full_disk_leaves_nothing_behind_and_says_what_to_do(
    store: PictureStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*paths: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(PictureNotStored, match="No space left on device. Free some space") as refused:
            store.put(PIXELS)
    kept = to_text(told_by(refused.value))  # with the run, which goes on in a process of no language
    with translation.override("fr"):
        assert "Libérez de la place, puis reprenez." in worded(from_text(kept))
    assert files(store) == []
    assert store.put(PIXELS)
    assert len(files(store)) == 1


def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "pictures").write_text("not a folder")
    with pytest.raises(PictureNotStored, match="pictures"):
        PictureStore(tmp_path / "pictures").put(PIXELS)
