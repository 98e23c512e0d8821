"""Pictures on their way to a model (A.1, A.5.14; S10, S3.2)."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from gpu.exceptions import PromptTooLarge, RequestRefused
from gpu.wire import contents
from tests.doubles.ollama import NEW, OLD, Model, Profile
from tests.gpu.ollama.conftest import VLM, Make, Stage, head_of, png

MEGA = 1_000_000


def arrived(scene: Stage) -> Image.Image:
    """What the server got, as a picture."""
    (encoded,) = scene.asked["messages"][-1]["images"]
    return Image.open(io.BytesIO(base64.b64decode(encoded, validate=True)))


async def test_a_picture_goes_as_plain_base64_and_arrives_as_it_was(stage: Make) -> None:
    """A.1: neither a data URI nor an address"""
    scene, picture = stage(), png(640, 480)
    await scene.answer(pictures=[picture])
    assert base64.b64decode(scene.asked["messages"][-1]["images"][0], validate=True) == picture
    assert scene.ollama.asks[-1].images == [picture]


@pytest.mark.security
@pytest.mark.parametrize("size", [(10_000, 10_000), (20_000, 20_000), (2**31 - 1, 2**31 - 1)])
async def test_a_picture_that_would_fill_the_memory_is_refused_without_a_warning(
    stage: Make, size: tuple[int, int]
) -> None:
    with pytest.raises((PromptTooLarge, RequestRefused)):
        await stage().answer(pictures=[head_of(*size)])


async def test_the_limit_is_a_setting(stage: Make) -> None:
    scene = stage(config={"max_picture_megapixels": 0.1})
    with pytest.raises(PromptTooLarge, match=r"0\.1 megapixels"):
        await scene.answer(pictures=[png(640, 480)])


@pytest.mark.parametrize(("size", "form"), [((3840, 2160), "PNG"), ((3000, 5000), "JPEG"), ((30_000, 100), "PNG")])
async def test_a_large_picture_is_scaled_down_to_what_a_model_reads(
    stage: Make, size: tuple[int, int], form: str
) -> None:
    scene = stage()
    await scene.answer(pictures=[png(*size, form=form)])
    got = arrived(scene)
    assert got.width * got.height <= contents.READ_MEGAPIXELS * MEGA
    assert got.width * got.height > 1.8 * MEGA
    assert got.width / got.height == pytest.approx(size[0] / size[1], rel=0.01)
    got.load()


@pytest.mark.parametrize("form", ["WEBP", "BMP", "GIF", "TIFF"])
async def test_other_forms_become_png(stage: Make, form: str) -> None:
    """Old servers read PNG and JPEG alone."""
    scene = stage(profile=OLD)
    await scene.answer(pictures=[png(60, 40, form)])
    got = arrived(scene)
    assert (got.format, got.size) == ("PNG", (60, 40))


@pytest.mark.parametrize("junk", [b"", b"png", b"\x89PNG picture", b"<svg/>"])
async def test_what_is_no_picture_is_not_sent(stage: Make, junk: bytes) -> None:
    scene = stage()
    with pytest.raises(RequestRefused, match="no picture"):
        await scene.answer(pictures=[junk])
    assert scene.ollama.asks == []


async def test_a_broken_picture_that_has_to_be_scaled_is_not_sent(stage: Make) -> None:
    scene = stage()
    with pytest.raises(RequestRefused, match="broken"):
        await scene.answer(pictures=[png(3000, 2000)[:-2000]])
    assert scene.ollama.asks == []


@pytest.mark.parametrize("profile", [OLD, NEW], ids=lambda profile: profile.name)
async def test_a_broken_picture_that_the_server_finds_is_not_sent_again(stage: Make, profile: Profile) -> None:
    """A.5.14: a 500 of old servers, a 400 of new ones"""
    with pytest.raises(RequestRefused) as caught:
        await stage(profile=profile).answer(pictures=[png(64, 64)[:-20]])
    assert not caught.value.passing


@pytest.mark.parametrize("profile", [OLD, NEW], ids=lambda profile: profile.name)
async def test_a_model_that_sees_nothing_refuses_and_another_one_may_be_asked(stage: Make, profile: Profile) -> None:
    scene = stage(Model(VLM, capabilities=("completion",)), profile=profile)
    with pytest.raises(RequestRefused) as caught:
        await scene.answer(pictures=[png()])
    assert caught.value.falls_back and not caught.value.passing
