"""The GPU on the page “Robots and GPU”: every state in words, buttons for those who may (S3.8, S3.9, U2, U9)."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from gpu.control.reporter import NO_GPU
from gpu.exceptions import LoadFailed, NotEnoughVRAM, ServerAway
from gpu.machine.ownership import Ownership
from gpu.machine.status import gpu_folder
from gpu.models import CatalogueModel, GPUEvent, GPUState
from gpu.pages import board as texts
from gpu.types import ExecutionMode, ModelState, RequestKind
from sentences.said import by_sentence, say, told_by
from tests.support.gpu_rows import (
    DEGRADED,
    GPU,
    VLM,
    make_event,
    make_refusal,
    make_samples,
    make_state,
    resident,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def owner(tmp_path: Any, settings: Any) -> Iterator[Ownership]:
    settings.DATA_DIR = tmp_path
    ownership = Ownership(gpu_folder())
    ownership.hold("run loop host:1")
    yield ownership
    ownership.release()


@pytest.fixture
def page(client_of: Callable[..., Any], operator: Any) -> Callable[..., str]:
    """The page as text, or its source."""
    client = client_of(operator)

    def get(*, source: bool = False, **options: Any) -> str:
        body: str = client.get("/robots", **options).content.decode()
        body = body[body.index('<div id="board"') : body.index("gpu-words")]
        return body if source else words_of(body)

    return get


def words_of(body: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_before_any_run_loop_the_page_says_what_will_be_here(page) -> None:
    said = page()
    assert "Nothing is known of a GPU yet" in said
    assert "What happened" not in said


@pytest.mark.parametrize(
    ("state", "word", "button"),
    [
        ("unloaded", "on disk needs about 5.6 GB", "Load"),
        ("loading", "loading … needs about 5.6 GB", "disabled"),
        ("loaded", "in memory 5.6 GB", "Unload"),
        ("unloading", "leaving … 5.6 GB", "disabled"),
        ("error", "error needs about 5.6 GB", "Load"),
    ],
)
def test_each_state_of_a_model_is_a_word_with_what_can_be_done(page, state, word, button) -> None:
    make_state(residents=[resident(state=state)])
    body = page(source=True)
    row = body[body.index(f'id="gpu-model-{GPUState.objects.get().pk}-{VLM}"') :]
    row = row[: row.index("</tr>")]
    assert word in words_of(row)
    asks = re.findall(r'data-gpu-ask="(\w+)"', row)
    if button == "disabled":
        assert " disabled" in row
    else:
        assert asks == [button.lower()]
        assert " disabled" not in row


def test_a_model_partly_on_the_processor_is_said_to_be_slow(page) -> None:
    make_state(residents=[resident(vram_mb=3_000, size_mb=6_000)])
    assert "50 % of it on the processor: its answers are slow" in page()


def test_models_of_the_catalogue_are_offered_and_not_said_to_be_on_the_disk(page) -> None:
    CatalogueModel.objects.all().delete()
    CatalogueModel.objects.create(key="small", name="small:1b", vram_mb=1024, ram_mb=1024, context_length=4096)
    make_state()
    said = page()
    assert "1 more of the catalogue" in said
    assert "small:1b not loaded needs about 1.0 GB Load" in said


@pytest.mark.parametrize(
    ("device", "word", "kind"), [("cpu", "on the processor", "clip_to_gpu"), ("cuda:0", "on GPU 0", "clip_to_cpu")]
)
def test_clip_says_where_it_is_and_goes_to_the_other_place(page, device, word, kind) -> None:
    make_state(clip_device=device)
    body = page(source=True)
    assert word in words_of(body)
    assert [ask for ask in re.findall(r'data-gpu-ask="(\w+)"', body) if ask.startswith("clip")] == [kind]


def test_without_a_gpu_it_is_said_calmly_and_clip_has_nowhere_to_go(page) -> None:
    """S3.10: CPU only."""
    make_state(vram=[], residents=[], vlm_model="", vlm_state="unloaded")
    body = page(source=True)
    assert "No GPU here: everything runs on the processor." in words_of(body)
    assert "notice" not in body[body.index('id="gpu"') : body.index('id="gpu-said"')]
    assert "clip_to" not in body
    assert "No vision model is set up" in words_of(body)


def test_nobody_looks_after_it(page, owner) -> None:
    owner.release()
    make_state(owner="", owner_pid=None, owner_since=None)
    said = page()
    assert "No run loop is running; nobody looks after the GPU." in said
    assert "Looked after by nobody" in said


def test_an_owner_that_is_not_heard_of_is_said(page, owner) -> None:
    make_state(heartbeat_at=timezone.now() - timedelta(seconds=70))
    assert "run loop host:1 looked after the GPU and is not heard of any more. Its last word came 1 min ago" in page()


def test_degraded_says_what_is_missing_since_when_why_and_what_to_do(page) -> None:
    """S3.10"""
    make_state(**DEGRADED)
    said = page()
    assert (
        "The models work only in part · it began 3 min ago Ollama at http://127.0.0.1:11434 cannot be reached." in said
    )
    assert "Runs go on without what is missing" in said
    assert "see that Ollama runs and has the model" in said


def test_the_banner_is_on_every_page_for_whoever_may_look(client_of, viewer, stranger) -> None:
    make_state(**DEGRADED)
    for path in ("/", "/workflows/", "/robots"):
        body = client_of(viewer).get(path).content.decode()
        [banner] = re.findall(r'<div class="gpu-banner".*?</div>', body, re.S)
        assert " hidden" not in banner.split(">")[0]
        assert DEGRADED["degraded_reason"] in html.unescape(banner)
    assert "gpu-banner" not in client_of(stranger).get("/").content.decode()
    GPUState.objects.update(degraded=False)
    body = client_of(viewer).get("/").content.decode()
    assert " hidden" in re.findall(r'<div class="gpu-banner"[^>]*>', body)[0]


def test_what_happened_comes_newest_first_with_what_was_asked_in_vain(page) -> None:
    """S3.9"""
    now = timezone.now()
    make_state()
    make_event("First.", at=now - timedelta(seconds=30))
    make_refusal(NotEnoughVRAM(VLM, needed_mb=6_000, free_mb=2_000), at=now - timedelta(seconds=10))
    make_event("Last.", "mode_changed", at=now)
    said = page()
    said = said[said.index("What happened") :]
    places = [said.index(words) for words in ("Last.", f"Load {VLM}, asked by otto: not done.", "First.")]
    assert places == sorted(places)
    assert "6000 MB of GPU memory and 2000 MB are free" in said


def test_what_the_owner_says_is_told_in_the_readers_language(page) -> None:
    """S3.9: kept as codes by whatever process owns the GPU, worded where it is read."""
    away = ServerAway(say("gpu.asked_again", why=say("server.unreachable", who="Ollama", error="x")))
    make_state(degraded=True, degraded_reason=by_sentence([NO_GPU, told_by(away)]))
    make_event(say("gpu.clip_moved", before="cpu", now="cuda:0", why=say("gpu.clip_fits", needed=900, free=5000)))
    make_refusal(LoadFailed(say("gpu.load_late", model=VLM, n=30.0)))
    assert (
        GPUEvent.objects.exclude(kind="request_failed").get().text
        == "CLIP cpu → cuda:0: CLIP fits on the GPU (900 of 5000 MB)."
    )
    assert GPUEvent.objects.filter(text__code="gpu.clip_moved").count() == 1
    said = page(headers={"Accept-Language": "fr"})
    for words in (
        "Ollama est injoignable\u00a0: x. Une nouvelle demande part d’elle-même.",
        "CLIP cpu → cuda:0\u00a0: CLIP tient sur le GPU (900 sur 5000 Mo).",
        f"«\u00a0{VLM}\u00a0» n’était pas chargé au bout de 30 s.",
    ):
        assert " ".join(words.split()) in said


def test_a_viewer_sees_the_buttons_and_why_they_do_nothing(client_of, viewer) -> None:
    make_state()
    body = client_of(viewer).get("/robots").content.decode()
    buttons = re.findall(r"<button[^>]*data-gpu-ask[^>]*>", body)
    assert len(buttons) >= 5
    assert all(" disabled" in button and 'aria-describedby="gpu-why-not"' in button for button in buttons)
    assert "take the role “operator”" in html.unescape(body)


def test_another_machine_is_shown_without_buttons(page) -> None:
    make_state(machine="other-host")
    body = page(source=True)
    assert "other-host" in body
    assert "data-gpu-ask" not in body


def test_what_an_owner_or_an_event_says_is_text(page) -> None:
    """S10.5"""
    make_state(owner="<img src=x>", residents=[resident("<b>x</b>")], vram=[{**GPU, "name": "<i>"}])
    make_event("<script>alert(1)</script>")
    body = page(source=True)
    assert not re.search(r"<script>|<img src=x|<b>x|<i>", body)


def test_odd_rows_of_a_newer_or_older_owner_do_not_break_the_page(page) -> None:
    make_state(mode="warp", residents=[{"name": "a", "state": "dreaming"}], queue=[{"kind": "sing"}, {}])
    make_event("x", "what_is_this")
    for error in ("GpuBusy", "NotEnoughVRAM", "NeverHeardOf"):
        make_refusal({"error": error, "message": f"{error} it was."}, kind="sing")
    said = page()
    assert all(f"{error} it was." in said for error in ("GpuBusy", "NotEnoughVRAM", "NeverHeardOf"))
    assert "warp" in said
    assert "not loaded" in said


def test_the_page_takes_as_many_queries_for_much_as_for_little(client_of, operator) -> None:
    client = client_of(operator)
    make_state()
    make_event("x")
    make_samples(1_000)
    client.get("/robots?board=1")
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            client.get("/robots?board=1")
        counts.append(len(queries))
        make_samples(*[1_000] * 50)
        for number in range(20):
            make_event(str(number))
            make_refusal(ServerAway("x"))
    assert counts[0] == counts[1]


def test_every_mode_and_state_has_its_words() -> None:
    assert set(texts.MODES) == set(ExecutionMode)
    assert set(texts.STATES) == set(ModelState)
    for kind in RequestKind:
        assert texts.asked({"kind": kind.value, "model": "m", "mode": "idle", "purpose": "target"}) != kind.value


@pytest.mark.parametrize(("mb", "words"), [(None, "–"), (0, "0 MB"), (1023, "1023 MB"), (1024, "1.0 GB")])
def test_memory_in_words(mb, words) -> None:
    with translation.override("en"):
        assert texts.memory(mb) == words
