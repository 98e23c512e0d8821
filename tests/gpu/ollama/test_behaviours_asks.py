"""What is there, what is loaded, and who it is that answers (A.1, A.2, A.4, A.5.5, A.5.17, S3.2)."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest
from django.core.exceptions import ImproperlyConfigured

from gpu.config import GPUResourceConfig
from gpu.exceptions import AnswerBroken, AnswerTimeout, GpuBusy, ModelMissing, ServerAway
from gpu.ollama import OllamaManager
from gpu.wire import http
from tests.doubles.ollama import LOADING, OLD, Fault, Kind, Model
from tests.gpu.ollama.conftest import VLM, Make

AWAY = "http://127.0.0.1:9"


# --- liveness ---------------------------------------------------------------------------------------------------------
async def test_a_server_that_is_away_is_named_with_its_address(stage: Make) -> None:
    with pytest.raises(ServerAway, match=rf"Ollama at {AWAY} cannot be reached") as caught:
        await stage(config={"ollama_url": AWAY}).client.health()
    assert caught.value.passing


async def test_the_environments_proxy_never_sees_what_goes_to_loopback(
    stage: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A.4.10"""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, AWAY)
    assert await stage().client.health()


async def test_a_server_that_says_nothing_costs_the_time_of_a_question(stage: Make) -> None:
    scene = stage()
    scene.ollama.silent = True
    asking = asyncio.ensure_future(scene.client.health())
    await scene.until(lambda: scene.ollama.count("/api/version"))
    await scene.hours.pass_by(4)
    assert not asking.done()
    await scene.hours.pass_by(2)
    with pytest.raises(ServerAway, match="did not answer /api/version in time"):
        await asking


async def test_a_list_that_blocks_does_not_mean_that_the_server_is_dead(stage: Make) -> None:
    """A.4.8: /api/ps waits while the server holds a lock, and the version is told meanwhile."""
    scene = stage()
    scene.ollama.faults.append(Fault(kind=Kind.STALL, path="/api/ps"))
    asking = asyncio.ensure_future(scene.client.loaded_models())
    await scene.until(lambda: scene.ollama.count("/api/ps"))
    assert await scene.client.health()
    await scene.hours.pass_by(6)
    with pytest.raises(AnswerTimeout, match="did not answer /api/ps in time"):
        await asking
    assert await scene.client.loaded_models() == ()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Kind.EMPTY, "no such server"),
        (Kind.GARBAGE, "no such server"),
        (Kind.ENDLESS, "no such server"),
        (Kind.SHORT, "cannot be reached"),
        (Kind.RESET, "cannot be reached"),
        (Kind.PROXY, "502 Bad Gateway"),
    ],
)
async def test_what_is_no_answer_means_away_once_and_the_next_is_read(stage: Make, kind: Kind, said: str) -> None:
    """A.5.11"""
    scene = stage()
    scene.ollama.faults.append(Fault(kind=kind, path="/api/tags"))
    with pytest.raises(ServerAway, match=said) as caught:
        await scene.client.list_models()
    assert caught.value.passing and caught.value.falls_back
    assert len(await scene.client.list_models()) == 1


@pytest.mark.parametrize("body", ["<html>It works!</html>", "[]", "null", '{"version": 3}', "[" * 100_000])
async def test_something_else_that_listens_there_is_called_a_stranger(stage: Make, body: str) -> None:
    scene = stage()
    scene.ollama.body_instead = body
    with pytest.raises(ServerAway, match="no such server: check the address"):
        await scene.client.health()


@pytest.mark.parametrize("path", ["/api/tags", "/api/generate", "/api/chat"])
async def test_a_page_without_end_under_an_error_is_read_only_so_far(stage: Make, path: str) -> None:
    scene = stage()
    scene.ollama.faults.append(Fault(kind=Kind.ENDLESS, path=path, status=502))
    ask = {"/api/tags": scene.client.list_models, "/api/chat": scene.say}
    with pytest.raises(ServerAway, match="502"):
        await ask.get(path, lambda: scene.client.load_model(VLM))()


async def test_an_error_under_200_is_an_error(stage: Make) -> None:
    scene = stage()
    scene.ollama.body_instead = '{"error": "the list is not to be had"}'
    for ask in (scene.client.list_models, scene.client.loaded_models, lambda: scene.client.show(VLM)):
        with pytest.raises(AnswerBroken, match="the list is not to be had"):
            await ask()


@pytest.mark.parametrize(("status", "text"), [(401, "Unauthorized"), (403, "no entry"), (407, "")])
async def test_a_server_that_wants_to_know_who_asks_is_not_asked_again(stage: Make, status: int, text: str) -> None:
    """A proxy with a password stands before it."""
    scene = stage()
    scene.ollama.faults.append(Fault(kind=Kind.ERROR, status=status, text=text))
    with pytest.raises(ServerAway, match=f"does not let this machine.*{status}") as caught:
        await scene.client.list_models()
    assert not caught.value.passing


async def test_a_refusal_without_a_word_names_the_host_header(stage: Make) -> None:
    """A.2: the guard against DNS rebinding answers 403 with an empty body."""
    scene = stage()
    scene.ollama.faults.append(Fault(kind=Kind.FORBIDDEN, path="/api/tags"))
    with pytest.raises(ServerAway, match="local Host header") as caught:
        await scene.client.list_models()
    assert not caught.value.passing


@pytest.mark.parametrize(("headers", "seconds"), [((), 2.0), (("Retry-After: 7",), 7.0), (("Retry-After: soon",), 2.0)])
async def test_too_many_requests_say_when_to_come_back(stage: Make, headers: tuple[str, ...], seconds: float) -> None:
    scene = stage()
    scene.ollama.faults.append(Fault(kind=Kind.ERROR, status=429, text="slow down", headers=headers))
    with pytest.raises(GpuBusy, match="slow down") as caught:
        await scene.client.list_models()
    assert caught.value.retry_after_s == seconds


@pytest.mark.security
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(stage: Make, status: int) -> None:
    """T10: the address of the environment is the only one."""
    scene, canary = stage(), stage()
    scene.ollama.faults.append(Fault(kind=Kind.REDIRECT, status=status, text=f"{canary.ollama.url}/api/tags"))
    with pytest.raises(ServerAway, match="not followed"):
        await scene.client.list_models()
    assert canary.ollama.log == []


@pytest.mark.security
async def test_nothing_is_sent_where_a_name_leads_to_a_link_local_address(
    stage: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T10: clouds tell their secrets at such addresses; it is looked at where the connection has led."""
    scene = stage()
    monkeypatch.setattr(http, "is_forbidden", lambda address: address == "127.0.0.1")
    with pytest.raises(ServerAway, match="link-local") as caught:
        await scene.client.health()
    assert scene.ollama.log == [] and not caught.value.passing


@pytest.mark.security
@pytest.mark.parametrize(
    ("address", "forbidden"),
    [
        ("169.254.169.254", True), ("::ffff:169.254.169.254", True), ("fe80::1%eth0", True),
        ("127.0.0.1", False), ("::1", False), ("192.168.1.5", False), ("::ffff:10.0.0.1", False),
    ],
)  # fmt: skip
def test_link_local_addresses_are_known_in_all_their_forms(address: str, forbidden: bool) -> None:
    assert http.is_forbidden(address) is forbidden


@pytest.mark.security
async def test_a_password_in_the_address_is_in_no_message(stage: Make) -> None:
    with pytest.raises(ServerAway) as caught:
        await stage(config={"ollama_url": "http://robot:secret@127.0.0.1:9"}).client.health()
    assert "secret" not in str(caught.value) and "127.0.0.1:9" in str(caught.value)


@pytest.mark.parametrize("url", ["http://[half", "http://host:port", "http://host:99999"])
def test_an_address_that_is_none_is_a_mistake_in_the_settings(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="http://HOST:PORT"):
        OllamaManager(GPUResourceConfig(ollama_url=url))


# --- lists ------------------------------------------------------------------------------------------------------------
async def test_models_are_listed_with_size_digest_and_what_they_can_do(stage: Make) -> None:
    scene = stage(Model(VLM, 6000), Model("big:480b-cloud"))
    mine, cloud = await scene.client.list_models()
    assert (mine.name, mine.size_mb, mine.digest) == (VLM, 6000, scene.ollama.models[VLM].digest)
    assert mine.capabilities == {"completion", "vision"}
    assert (mine.remote, cloud.remote) == (False, True)


async def test_old_servers_do_not_tell_what_models_can_do(stage: Make) -> None:
    listed = await stage(profile=OLD).client.list_models()
    assert listed[0].capabilities == frozenset()


async def test_a_name_without_a_tag_is_the_latest(stage: Make) -> None:
    scene = stage(Model("llama3:latest"))
    await scene.client.load_model("llama3")
    assert await scene.client.is_model_loaded("llama3") and await scene.client.is_model_loaded("llama3:latest")
    assert not await scene.client.is_model_loaded("llama")


@pytest.mark.parametrize("entries", [[None, 3, {"size": 1}, {"name": 7}], {"name": VLM}, "x", None])
async def test_entries_that_make_no_sense_are_left_out(stage: Make, entries: object) -> None:
    scene = stage()
    scene.ollama.body_instead = json.dumps({"models": entries})
    assert await scene.client.list_models() == ()
    assert await scene.client.loaded_models() == ()


async def test_numbers_and_times_that_make_no_sense_are_unknown(stage: Make) -> None:
    scene = stage()
    entry = {"name": VLM, "size": "big", "size_vram": -5, "context_length": True, "expires_at": "soon", "digest": None}
    scene.ollama.body_instead = json.dumps({"models": [entry]})
    (found,) = await scene.client.loaded_models()
    assert (found.size_mb, found.vram_mb, found.context_length, found.expires_at) == (0, 0, None, None)


async def test_a_model_that_is_being_loaded_is_hidden_by_new_servers_and_without_memory_on_old_ones(
    stage: Make,
) -> None:
    """A.5.5, A.5.19"""
    for profile, listed in ({}, []), ({"profile": OLD}, [(VLM, 0)]):
        scene = stage(**profile)  # type: ignore[arg-type]
        scene.ollama.hold_loads = True
        loading = asyncio.ensure_future(scene.client.load_model(VLM))
        await scene.until(lambda one=scene: one.ollama.models[VLM].state == LOADING)
        assert [(entry.name, entry.vram_mb) for entry in await scene.client.loaded_models()] == listed
        await asyncio.to_thread(scene.ollama.let_loads_end)
        await loading


async def test_a_time_without_a_zone_is_taken_for_utc(stage: Make) -> None:
    """Times with and without a zone cannot be compared."""
    scene = stage()
    scene.ollama.body_instead = json.dumps({"models": [{"name": VLM, "expires_at": "2026-03-01T08:00:00"}]})
    (entry,) = await scene.client.loaded_models()
    assert entry.expires_at == datetime(2026, 3, 1, 8, tzinfo=UTC)


async def test_what_the_server_estimates_only_tells_that_a_model_is_partly_on_the_processor(stage: Make) -> None:
    """A.4.3"""
    scene = stage(Model(VLM, 6000, told_vram_mb=2000))
    await scene.client.load_model(VLM)
    (entry,) = await scene.client.loaded_models()
    assert (entry.size_mb, entry.vram_mb) == (6000, 2000)


async def test_a_card_tells_capabilities_context_and_where_it_runs(stage: Make) -> None:
    scene = stage(Model(VLM), Model("llama3:latest", remote_host="https://models.example", context_length=8000))
    mine, far = await scene.client.show(VLM), await scene.client.show("llama3")
    assert (mine.capabilities, mine.context_length, mine.remote) == ({"completion", "vision"}, 128_000, False)
    assert (far.context_length, far.remote) == (8000, True)


async def test_a_model_that_is_not_there_is_missing_for_good(stage: Make) -> None:
    """A.5.10"""
    with pytest.raises(
        ModelMissing, match=r"model 'nobody:1b' not found \(404\). Try `ollama pull nobody:1b`"
    ) as caught:
        await stage().client.show("nobody:1b")
    assert not caught.value.passing


async def test_after_a_restart_nothing_is_loaded_and_the_version_is_asked_anew(stage: Make) -> None:
    """A.5.17"""
    scene = stage()
    await scene.client.load_model(VLM)
    assert await scene.say()
    await asyncio.to_thread(scene.ollama.stop)
    with pytest.raises(ServerAway):
        await scene.client.loaded_models()
    await asyncio.to_thread(scene.ollama.start, version="0.12.0")
    assert await scene.client.loaded_models() == ()
    before = scene.ollama.count("/api/version")
    assert await scene.say()
    assert scene.ollama.count("/api/version") == before + 1
