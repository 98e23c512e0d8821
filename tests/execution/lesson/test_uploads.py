"""Screenshots taken in: pictures of one size, in the order in which people count, within the limits (S6.16)."""

from __future__ import annotations

import io
import pathlib
import weakref
import zipfile

import cv2
import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from execution.lesson import uploads
from execution.lesson.uploads import BadUpload, slides_from
from workflows.graph import GraphSpec
from workflows.pictures import PictureStore, decode

pytestmark = pytest.mark.usefixtures("own_folder")


def picture(grey: int, *, size: tuple[int, int] = (80, 50), kind: str = ".png") -> bytes:
    return cv2.imencode(kind, np.full((size[1], size[0], 3), grey, np.uint8))[1].tobytes()


def file(name: str, data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def zipped(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


def taken(*files: SimpleUploadedFile, graph: GraphSpec | None = None) -> list[str]:
    return [one.name for one in slides_from(files, graph=graph, store=PictureStore())]


def test_pictures_come_in_the_order_of_their_names_as_people_count() -> None:
    files = [file("shot 10.png", picture(10)), file("shot 2.jpg", picture(2, kind=".jpg"))]
    assert taken(*files, file("more.zip", zipped(**{"a__shot 1.png": picture(1)}))) == [
        "a/shot 1.png",
        "shot 2.jpg",
        "shot 10.png",
    ]


def test_names_with_digits_of_any_kind_and_length_are_taken() -> None:
    names = ["x²", "x१", "x" + "9" * 5000, "x2", "x10"]
    packed = zipped(**{f"{name}.png": picture(number) for number, name in enumerate(names)})
    found = taken(file("all.zip", packed))
    assert sorted(found) == sorted(f"{name}.png" for name in names)
    assert found.index("x2.png") < found.index("x10.png")


def test_what_is_kept_is_the_picture_and_its_size() -> None:
    store = PictureStore()
    [slide] = slides_from([file("one.png", picture(90))], graph=None, store=store)
    assert slide.size == (80, 50)
    assert np.all(store.get(slide.picture) == 90)


def test_masked_regions_of_the_workflow_are_painted_over_before_anything_is_kept() -> None:
    """S10.4"""
    graph = GraphSpec(workflow_id="w", name="W", learning_state="", flags={"masks": [[0.5, 0, 0.5, 1]]})
    store = PictureStore()
    [slide] = slides_from([file("one.png", picture(7))], graph=graph, store=store)
    pixels = store.get(slide.picture)
    assert np.all(pixels[:, :38] == 7)
    assert not np.any(pixels[:, 40:] == 7)
    assert [path.stem for path in pathlib.Path(store.where).rglob("*.png")] == [slide.picture]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ([], "Choose the screenshots"),
        ([file("notes.txt", b"hello")], "“notes.txt” is no PNG or JPEG picture."),
        ([file("one.png", b"not a picture")], "“one.png” is no picture that can be read"),
        ([file("one.png", picture(1)[:60])], "“one.png”"),
        ([file("a.png", picture(1)), file("b.png", picture(1, size=(81, 50)))], "“b.png” has 81 × 50"),
        ([file("a.zip", b"PK\x03\x04 and no more")], "“a.zip”: This is no zip file"),
        ([file("a.zip", zipped(**{"letter.docx": b"x"}))], "“a.zip: letter.docx” is no PNG or JPEG picture."),
    ],
)
def test_what_is_no_picture_is_refused_by_its_name_and_nothing_is_kept(files: list, why: str) -> None:
    with pytest.raises(BadUpload) as refused:
        taken(*files)
    assert why in str(refused.value)
    assert not list(pathlib.Path(PictureStore().where).rglob("*.png"))


def test_no_more_than_the_limits_are_taken(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    """Of pictures, of bytes, also of those that a zip file unpacks to, and of pixels."""
    monkeypatch.setattr(uploads, "MOST_PICTURES", 2)
    with pytest.raises(BadUpload, match="At most 2 pictures"):
        taken(*(file(f"{n}.png", picture(n)) for n in range(3)))
    with pytest.raises(BadUpload, match="At most 2 pictures"):
        taken(file("a.zip", zipped(**{f"{n}.png": picture(n) for n in range(3)})))
    monkeypatch.setattr(uploads, "MOST_BYTES", 5_000)
    with pytest.raises(BadUpload, match="larger than"):
        taken(file("a.zip", zipped(**{"a.png": b"\0" * 9_000})))
    with pytest.raises(BadUpload, match="larger than 0 MB together"):
        taken(file("a.png", b"\0" * 9_000))
    settings.RPA_MAX_BUNDLE_MEGAPIXELS = 0
    with pytest.raises(BadUpload, match="more than 0 megapixels"):
        taken(file("a.png", picture(1)))


def test_what_systems_put_into_a_zip_file_is_passed_over() -> None:
    packed = zipped(**{"__MACOSX/._a.png": b"junk", "a.png": picture(1), "shots/.DS_Store": b"junk"})
    assert taken(file("a.zip", packed)) == ["a.png"]


def test_one_picture_at_a_time_is_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file may hold many large pictures of one colour."""
    alive: list[weakref.ref[np.ndarray]] = []
    most = 0

    def counted(data: bytes, *, name: str = "") -> np.ndarray:
        nonlocal most
        pixels = decode(data, name=name)
        alive.append(weakref.ref(pixels))
        most = max(most, sum(one() is not None for one in alive))
        return pixels

    monkeypatch.setattr(uploads, "decode", counted)
    assert len(taken(*(file(f"{n}.png", picture(n)) for n in range(8)))) == 8
    assert most <= 2  # the one before may live until the next one takes its place
