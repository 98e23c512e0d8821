"""Pictures in a bucket: the real client and a real server on loopback, of which keys count (S8.6, S10.4)."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from botocore.exceptions import ClientError
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.test import Client

from sentences.said import told_by, worded
from tests.support.product import free_port
from tests.support.s3 import BUCKET, S3Server, s3
from workflows.exceptions import PictureAway, PictureMissing, PictureNotStored
from workflows.pictures import PictureStore, name_of

PIXELS = np.random.default_rng(7).integers(0, 255, (40, 60, 3), dtype=np.uint8)
NEVER = float("inf")

pytestmark = pytest.mark.extras


def pixels(number: int) -> np.ndarray:
    made = PIXELS.copy()
    made[0, 0] = number
    return made


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3() as one:
        yield one


@pytest.fixture(autouse=True)
def patient(server: S3Server, settings: Any) -> Iterator[PictureStore]:
    """A store, empty before each test, with all the time that a busy machine takes."""
    settings.STORAGES = settings.STORAGES | {"pictures": server.storage()}
    yield PictureStore()
    server.resume()
    client = server.client()
    for one in client.list_object_versions(Bucket=BUCKET).get("Versions", []):
        client.delete_object(Bucket=BUCKET, Key=one["Key"], VersionId=one["VersionId"])


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    from workflows import picture_bucket

    monkeypatch.setattr(picture_bucket, "ANSWER_S", 0.3)
    monkeypatch.setattr(picture_bucket, "TRIES", 1)


def elsewhere(settings: Any, server: S3Server, **options: Any) -> PictureStore:
    settings.STORAGES = settings.STORAGES | {"pictures": server.storage(**options)}
    return PictureStore()


# --- what is put is what is got ---------------------------------------------------------------------------------------
def test_what_is_put_is_what_is_got_and_lies_nowhere_else(server: S3Server, settings: Any, tmp_path: Path) -> None:
    store, folder = PictureStore(), PictureStore(tmp_path / "folder")
    digest = store.put(PIXELS)
    assert digest == folder.put(PIXELS)
    assert (store.get(digest) == PIXELS).all()
    assert store.bytes_of(digest) == folder.bytes_of(digest)
    assert (store.has(digest), store.size(digest)) == (True, folder.size(digest))
    assert server.lying() == {name_of(digest)}
    assert not list(Path(settings.DATA_DIR).rglob("*.png"))


def test_it_is_written_once(server: S3Server) -> None:
    store = PictureStore()
    digest = store.put(PIXELS)
    assert store.put(PIXELS) == digest
    assert server.written() == [name_of(digest)]


def test_two_who_put_it_at_once_write_it_once(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have seen that it is not there."""
    store = PictureStore()
    monkeypatch.setattr(type(store.place), "touch", lambda self, name: False)
    assert store.put(PIXELS) == store.put(PIXELS)
    assert len(server.written()) == 1
    assert (store.get(store.put(PIXELS)) == PIXELS).all()


def test_below_a_folder_of_the_bucket(server: S3Server, settings: Any) -> None:
    other, own = PictureStore(), elsewhere(settings, server, location="ward/3")
    kept, there = own.put(PIXELS), other.put(pixels(1))
    assert server.lying() == {f"ward/3/{name_of(kept)}", name_of(there)}
    assert dict(own.sizes()) == {kept: own.size(kept)}
    with pytest.raises(PictureMissing):
        own.get(there)


def test_what_is_not_there_is_missing(server: S3Server) -> None:
    store = PictureStore()
    with pytest.raises(PictureMissing, match="abababab"):
        store.get("ab" * 32)
    with pytest.raises(PictureMissing):
        store.bytes_of("../secret")
    assert (store.has("ab" * 32), store.size("ab" * 32)) == (False, 0)


def test_what_is_dropped_is_gone_and_what_was_put_again_stays(server: S3Server) -> None:
    store = PictureStore()
    digest, other = store.put(PIXELS), store.put(pixels(1))
    size = store.size(digest)
    store.get(digest)
    assert store.drop(digest, untouched_since=time.time() - 3600) == 0
    assert store.drop(digest, untouched_since=NEVER) == size
    assert store.drop(digest, untouched_since=NEVER) == 0
    assert server.lying() == {name_of(other)}
    with pytest.raises(PictureMissing):  # nor is it in memory
        store.get(digest)


def test_what_is_put_again_after_long_counts_as_put_now(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """S10.4: whoever deletes old ones spares what a step is being written with."""
    from workflows import picture_bucket

    store = PictureStore()
    digest = store.put(PIXELS)
    before = store.place.get_modified_time(name_of(digest))
    monkeypatch.setattr(picture_bucket, "TOUCHED_ANEW_AFTER", timedelta(0))
    late = time.monotonic() + 10
    while store.place.get_modified_time(name_of(digest)) == before and time.monotonic() < late:
        assert store.put(PIXELS) == digest  # times have whole seconds there
    assert store.place.get_modified_time(name_of(digest)) > before
    assert (store.get(digest) == PIXELS).all()
    head = server.client().head_object(Bucket=BUCKET, Key=name_of(digest))
    assert head["ContentType"] == "image/png"


def test_all_that_lie_there_are_told_page_by_page(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PictureStore()
    digests = {store.put(pixels(number)) for number in range(5)}
    paginate = store.place._client.get_paginator("list_objects_v2").paginate  # type: ignore[attr-defined]
    pages = paginate(Bucket=BUCKET, PaginationConfig={"PageSize": 2})
    monkeypatch.setattr("botocore.client.BaseClient.get_paginator", lambda self, name: _Pages(pages))
    assert {digest for digest, _size in store.sizes()} == digests


class _Pages:
    def __init__(self, pages: Any) -> None:
        self.paginate = lambda **asked: pages


def test_nobody_gets_an_address_of_a_picture(server: S3Server) -> None:
    """S10.1: what goes to a browser goes through Django; and without the key nothing is had."""
    import httpx

    store = PictureStore()
    digest = store.put(PIXELS)
    with pytest.raises(NotImplementedError):
        store.place.url(name_of(digest))  # type: ignore[attr-defined]
    answer = httpx.get(store.address(digest), trust_env=False)
    assert answer.status_code == 403, answer.text


def test_a_program_gets_a_file_of_this_machine(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """S11.4: `screenshot_path` can be opened; the copy goes after an hour."""
    from workflows import pictures

    store = PictureStore()
    digest = store.put(PIXELS)
    path = store.file(digest)
    assert path.is_relative_to(settings.DATA_DIR)
    assert path.read_bytes() == store.bytes_of(digest)
    assert path.stat().st_mode & 0o077 == 0
    pictures.drop_old_copies()
    assert path.exists()
    monkeypatch.setattr(pictures, "STAY_S", -1.0)
    pictures.drop_old_copies()
    assert not path.exists()


# --- what goes wrong is said ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"access_key": "AKIANOBODY"}, "knows no such key"),
        ({"secret_key": "not this one"}, "knows no such key"),
        ({"bucket_name": "nowhere"}, "no such bucket"),
    ],
)
def test_what_is_set_wrongly_is_said(server: S3Server, settings: Any, options: dict[str, str], said: str) -> None:
    store = elsewhere(settings, server, **options)
    with pytest.raises(PictureNotStored, match=said) as refused:
        store.put(PIXELS)
    assert server.url in worded(refused.value)
    for ask in (lambda: store.get("ab" * 32), store.answer, lambda: list(store.sizes())):
        with pytest.raises(PictureAway, match=said):
            ask()


def test_a_refusal_that_nobody_knows_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    store = PictureStore()

    def refused(code: str) -> Callable[..., None]:
        def answer(**asked: Any) -> None:
            raise ClientError({"Error": {"Code": code, "Message": "for AKIAKEY"}}, "HeadObject")

        return answer

    client = store.place._client  # type: ignore[attr-defined]
    monkeypatch.setattr(client, "head_object", refused("403"))
    monkeypatch.setattr(client, "list_objects_v2", refused("SlowDown"))
    with pytest.raises(PictureNotStored, match="it answers SlowDown") as told:
        store.put(PIXELS)
    assert "AKIAKEY" not in worded(told.value)


def test_what_speaks_no_tls_is_said(server: S3Server, settings: Any) -> None:
    store = elsewhere(settings, server, endpoint_url=server.url.replace("http:", "https:"))
    with pytest.raises(PictureAway, match="certificate is not trusted"):
        store.answer()


def test_a_store_that_is_away_is_said_and_not_waited_for_twice(
    server: S3Server, settings: Any, patient: PictureStore, impatient: None
) -> None:
    digest, other = patient.put(PIXELS), patient.put(pixels(1))
    store = elsewhere(settings, server)
    store.get(digest)
    server.suspend()
    with pytest.raises(PictureAway, match="does not answer"):
        store.get(other)
    began = time.monotonic()
    for _n in range(50):
        with pytest.raises(PictureAway):
            store.has(other)
    with pytest.raises(PictureNotStored, match="does not answer"):
        store.put(pixels(2))
    assert time.monotonic() - began < 0.25
    assert (store.get(digest) == PIXELS).all()  # what was read lately goes on
    with pytest.raises(PictureAway):  # but is shown to nobody: it may have been deleted
        store.bytes_of(digest)
    server.resume()
    store.answer()
    assert (store.get(other) == pixels(1)).all()


def test_the_secret_is_told_to_nobody(server: S3Server, settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    """S10.2"""
    caplog.set_level(logging.DEBUG)
    store = PictureStore()
    store.get(store.put(PIXELS))
    wrong = elsewhere(settings, server, bucket_name="nowhere")
    with pytest.raises(PictureNotStored) as refused:
        wrong.put(PIXELS)
    import traceback

    said = caplog.text + "".join(traceback.format_exception(refused.value)) + str(told_by(refused.value))
    assert server.secret not in said
    assert not re.search(r"Signature|Credential=", said)
    assert server.key_id not in said


def test_neither_aws_profiles_nor_proxies_of_the_machine_are_asked(
    server: S3Server, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "another")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "another")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{free_port()}")
    store = elsewhere(settings, server)
    assert (store.get(store.put(PIXELS)) == PIXELS).all()


# --- pages ------------------------------------------------------------------------------------------------------------
@pytest.fixture
def as_viewer(client_of: Any, viewer: Any) -> Client:
    client: Client = client_of(viewer)
    return client


def test_a_page_shows_it_to_who_may_see_it(server: S3Server, as_viewer: Client, client_of: Any, stranger: Any) -> None:
    """S10.1"""
    digest = PictureStore().put(PIXELS)
    for path in (f"/pictures/{digest}.png", f"/pictures/{digest}/part?width=40"):
        assert Client().get(path).status_code in (302, 403)
        assert client_of(stranger).get(path).status_code == 403
        answer = as_viewer.get(path)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
        assert as_viewer.get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert as_viewer.get(f"/pictures/{digest}.png").content == PictureStore().bytes_of(digest)
    PictureStore().drop(digest, untouched_since=NEVER)
    for path in (f"/pictures/{digest}.png", f"/pictures/{digest}/part?width=40"):
        assert as_viewer.get(path).status_code == 404
        assert as_viewer.get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 404


@pytest.mark.parametrize("path", ["/pictures/{}.png", "/pictures/{}/part?width=40"])
def test_a_picture_that_cannot_be_read_now_says_so(
    server: S3Server, settings: Any, patient: PictureStore, impatient: None, as_viewer: Client, path: str
) -> None:
    digest = patient.put(PIXELS)
    elsewhere(settings, server)
    server.suspend()
    shown = as_viewer.get(path.format(digest), headers={"Accept": "image/avif,image/webp,*/*;q=0.8"})
    assert (shown.status_code, shown["Content-Type"]) == (503, "image/svg+xml")
    assert "The picture cannot be read now." in shown.content.decode()
    asked = as_viewer.get(path.format(digest), headers={"Accept": "application/json"})
    assert (asked.status_code, asked.json()["error"]) == (503, "picture_away")
    assert "it does not answer" in asked.json()["detail"]
    read = as_viewer.get(
        path.format(digest), headers={"Accept": "text/html,image/avif,*/*;q=0.8", "Accept-Language": "fr"}
    )
    assert read.status_code == 503
    assert "Les images ne peuvent pas être lues pour l’instant" in read.content.decode()


# --- deleted at night -------------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_at_night_they_go_from_there_and_where_it_is_away_the_next_night(
    server: S3Server, settings: Any, patient: PictureStore, impatient: None
) -> None:
    """S10.4"""
    from analytics import retention
    from analytics.models import PrunedPicture, StorageDay

    Path(settings.DATA_DIR).mkdir()
    gone, other = patient.put(PIXELS), patient.put(pixels(1))
    store = elsewhere(settings, server)
    size = store.size(other)
    PrunedPicture.objects.create(digest=gone)
    server.suspend()
    with pytest.raises(CommandError, match="does not answer"):
        call_command("prune")
    server.resume()
    elsewhere(settings, server, bucket_name="nowhere")  # where no picture is: their notes would go
    with pytest.raises(CommandError, match="no such bucket"):
        call_command("prune")
    assert PrunedPicture.objects.count() == 1
    store = elsewhere(settings, server)
    store.answer()
    retention.prune()
    assert server.lying() == {name_of(gone), name_of(other)}  # put an hour ago at most: it may be of a step
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retention, "FRESH_S", -60.0)
        call_command("prune")
    assert server.lying() == {name_of(other)}
    assert not PrunedPicture.objects.exists()
    parts = StorageDay.objects.get().parts
    assert (parts["store"], "pictures" in parts, "taught" in parts) == (size, False, False)


# --- moved from the folder -------------------------------------------------------------------------------------------
def test_pictures_are_moved_and_what_broke_off_goes_on(
    server: S3Server, settings: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = PictureStore(Path(settings.DATA_DIR) / "pictures")
    digests = sorted(folder.put(pixels(number)) for number in range(4))
    left = folder.path(digests[0]).with_suffix(".part")
    left.write_bytes(b"of a loop that died")
    place = PictureStore().place
    save, sent = type(place).save, list[str]()

    def breaks_off(self: Any, name: str, content: Any) -> str:
        from workflows.picture_files import StoreAway

        if len(sent) == 2:
            raise StoreAway("it does not answer.")
        sent.append(name)
        return str(save(self, name, content))

    with monkeypatch.context() as patch:
        patch.setattr(type(place), "save", breaks_off)
        with pytest.raises(CommandError, match="2 pictures were sent, 0 were there. it does not answer"):
            call_command("move_pictures")
    assert server.lying() == {name_of(digest) for digest in digests[:2]}
    assert [folder.has(digest) for digest in digests] == [False, False, True, True]
    place.save(name_of(digests[2]), ContentFile(folder.bytes_of(digests[2])))
    call_command("move_pictures")
    assert "1 picture was sent, 1 were there." in capsys.readouterr().out
    assert server.lying() == {name_of(digest) for digest in digests}
    assert not list(Path(folder.where).rglob("*.png"))
    assert {PictureStore().put(pixels(number)) for number in range(4)} == set(digests)  # whole, and written once
    assert len(server.written()) == 4


def test_a_copy_leaves_the_folder_and_what_differs_is_said(server: S3Server, settings: Any) -> None:
    folder = PictureStore(Path(settings.DATA_DIR) / "pictures")
    digest = folder.put(PIXELS)
    call_command("move_pictures", "--copy")
    assert server.lying() == {name_of(digest)}
    assert folder.has(digest)
    folder.path(digest).write_bytes(b"cut short")
    with pytest.raises(CommandError, match="another file in the store"):
        call_command("move_pictures")
    assert folder.has(digest)


def test_what_another_encoder_wrote_is_the_same_picture(server: S3Server, settings: Any) -> None:
    folder = PictureStore(Path(settings.DATA_DIR) / "pictures")
    pixels = np.zeros_like(PIXELS)
    digest = folder.put(pixels)
    call_command("move_pictures", "--copy")
    other = cv2.imencode(".png", pixels, (cv2.IMWRITE_PNG_COMPRESSION, 0))[1].tobytes()
    assert len(other) != folder.size(digest)
    folder.path(digest).write_bytes(other)
    call_command("move_pictures")
    assert not folder.has(digest)
    assert (PictureStore().get(digest) == pixels).all()


def test_there_is_nothing_to_move_to(settings: Any) -> None:
    settings.STORAGES = settings.STORAGES | {"pictures": {"BACKEND": "workflows.picture_files.PictureFiles"}}
    with pytest.raises(CommandError, match="RPA_PICTURES_URL is not set"):
        call_command("move_pictures")
