"""What /api/ps tells and what the ledger knows: A.5.5, A.5.6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.doubles.conftest import (
    VLM,
    A,
    Asker,
    B,
    busy,
    loading,
)
from tests.doubles.ollama import (
    LOADED,
    MB,
    NEW,
    OLD,
    ON_DISK,
    Model,
    OllamaServer,
    Overdrawn,
    Reply,
)

Make = Callable[..., tuple[OllamaServer, Asker]]


# --- /api/ps ----------------------------------------------------------------------------------------------------------
def test_ps_hides_what_is_being_loaded(double: Make) -> None:
    """A.5.5: profile new"""
    ollama, ask = double(Model(VLM, load_s=10))
    load = ask.later(ask.load)
    loading(ollama)
    assert ask.ps() == []
    ollama.advance(10)
    load.result(10)
    assert [entry["name"] for entry in ask.ps()] == [VLM]


def test_an_old_ps_shows_what_is_being_loaded(double: Make) -> None:
    """A.5.5, A.5.19: profile old"""
    ollama, ask = double(Model(VLM, load_s=10), profile=OLD)
    load = ask.later(ask.load)
    loading(ollama)
    assert [entry["size_vram"] for entry in ask.ps()] == [0]
    ollama.advance(10)
    load.result(10)


def test_ps_tells_a_stale_end_while_a_model_answers(double: Make) -> None:
    """A.5.5"""
    ollama, ask = double()
    ask.load(keep_alive=60)
    before = ask.ps()[0]["expires_at"]
    ollama.replies.append(Reply(first_s=100))
    answer = ask.later(ask.chat)
    busy(ollama)
    ollama.advance(90)
    assert ask.ps()[0]["expires_at"] == before  # half a minute ago
    ollama.advance(10)
    answer.result(10)
    assert ask.ps()[0]["expires_at"] > before


def test_ps_tells_an_end_in_the_past_while_a_model_stops(double: Make) -> None:
    """A.4.4, A.5.5"""
    ollama, ask = double(Model(VLM, unload_s=9))
    ask.load()
    ask.unload()
    ollama.advance(5)
    assert ask.ps()[0]["expires_at"] < ollama.clock.wall().isoformat()


@pytest.mark.parametrize("forever", [-1, "-1m"])
def test_forever_is_the_year_2318(double: Make, forever: int | str) -> None:
    """A.5.5"""
    ollama, ask = double()
    ask.load(keep_alive=forever)
    assert ask.ps()[0]["expires_at"].startswith("2318-")
    ollama.advance(1e6)
    assert ollama.models[VLM].state == LOADED


def test_what_does_not_fit_alone_is_partly_on_the_cpu(double: Make) -> None:
    """A.5.5"""
    ollama, ask = double(Model(VLM, 10_000), total_mb=8000)
    ask.load()
    entry = ask.ps()[0]
    assert (entry["size"], entry["size_vram"]) == (10_000 * MB, 8000 * MB)
    assert ollama.ledger.free_mb == 0


def test_ps_may_lie_about_the_memory(double: Make) -> None:
    """A.4.3"""
    _ollama, ask = double(Model(VLM, 4000, told_vram_mb=12_000))
    ask.load()
    assert ask.ps()[0]["size_vram"] == 12_000 * MB


def test_the_longest_remaining_comes_first(double: Make) -> None:
    """A.1"""
    _ollama, ask = double(Model(A), Model(B))
    ask.load(A, keep_alive=60)
    ask.load(B, keep_alive=600)
    assert [entry["name"] for entry in ask.ps()] == [B, A]


@pytest.mark.parametrize(("profile", "told"), [(NEW, True), (OLD, False)])
def test_only_new_servers_tell_the_context_and_the_capabilities(double: Make, profile: Any, told: bool) -> None:
    """A.5.19"""
    _ollama, ask = double(profile=profile)
    ask.load()
    assert ("context_length" in ask.ps()[0]) is told
    assert ("capabilities" in ask.client.get("/api/tags").json()["models"][0]) is told


# --- memory -----------------------------------------------------------------------------------------------------------
def test_memory_comes_back_later_than_the_model_goes(double: Make) -> None:
    """A.5.6"""
    ollama, ask = double(Model(VLM, release_s=3))
    ask.load()
    assert ollama.ledger.free_mb == 20_000
    ask.unload()
    assert ask.ps() == [] and ollama.ledger.free_mb == 20_000
    ollama.advance(2.9)
    assert ollama.ledger.free_mb == 20_000
    ollama.advance(0.1)
    assert ollama.ledger.free_mb == 24_000


def test_memory_that_leaks_never_comes_back_until_a_restart(double: Make) -> None:
    """A.5.6, A.5.17"""
    ollama, ask = double(Model(VLM, leaks=True))
    ask.load()
    ask.unload()
    ollama.advance(3600)
    assert ollama.ledger.free_mb == 20_000
    ollama.stop()
    assert ollama.ledger.free_mb == 24_000


def test_the_next_load_waits_for_the_memory_of_the_last_one_and_for_no_more_than_five_seconds(double: Make) -> None:
    """A.3, A.5.6"""
    ollama, ask = double(Model(A, leaks=True), Model(B))
    ask.load(A)
    ask.unload(A)
    load = ask.later(ask.load, B)
    ollama.wait_for(lambda: ollama.scheduler.current is not None)
    ollama.advance(4.9)
    assert ollama.models[B].state == ON_DISK
    ollama.advance(0.2)
    assert load.result(10)["done"]


def test_other_programs_use_counts_and_the_peak_is_kept(double: Make) -> None:
    """A.5: the ledger"""
    ollama, ask = double()
    ollama.ledger.set_foreign(6000)
    ollama.ledger.reserved_mb = 500
    ask.load()
    ask.unload()
    assert (ollama.ledger.free_mb, ollama.ledger.peak_mb) == (17_500, 10_500)


def test_the_free_memory_is_set_by_what_others_use(double: Make) -> None:
    """A.5: the ledger"""
    ollama, ask = double()
    ask.load()
    ollama.vram_free_mb = 1500
    assert (ollama.vram_free_mb, ollama.ledger.foreign_mb) == (1500, 18_500)
    ask.unload()
    assert ollama.vram_free_mb == 5500


def test_more_than_there_is_cannot_be_taken(double: Make) -> None:
    """A.5: the ledger"""
    ollama, _ask = double()
    with pytest.raises(Overdrawn, match="x needs 24001 MB and 24000 MB are free"):
        ollama.ledger.take("x", 24_001)
    assert ollama.ledger.used_mb == 0
