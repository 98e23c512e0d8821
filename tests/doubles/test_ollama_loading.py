"""Loads, unloads, who goes and who waits, and what the ledger knows: A.5.1 to A.5.9, A.5.15."""

from __future__ import annotations

from collections.abc import Callable

from tests.doubles.conftest import ASKED, VLM, A, Asker, B, busy, loading
from tests.doubles.ollama import LOADED, MB, OLD, ON_DISK, STOPPING, Model, OllamaServer, Reply, Settings

Make = Callable[..., tuple[OllamaServer, Asker]]


# --- loads ------------------------------------------------------------------------------------------------------------
def test_many_who_wait_for_the_same_model_cost_one_load(double: Make) -> None:
    """A.5.3"""
    ollama, ask = double(Model(VLM, load_s=10))
    answers = [ask.later(ask.load) for _ in range(5)]
    ollama.wait_for(lambda: len(ollama.scheduler.queue) == 4)
    ollama.advance(10)
    assert all(answer.result(60)["done"] for answer in answers)
    assert ollama.models[VLM].loads == 1


def test_what_is_loaded_is_not_held_up_by_a_load_of_something_else(double: Make) -> None:
    """A.5.3: profile new"""
    ollama, ask = double(Model(A), Model(B, load_s=60))
    ask.load(A)
    slow = ask.later(ask.load, B)
    loading(ollama, B)
    assert ask.chat(model=A)["done"]
    ollama.advance(60)
    slow.result(60)


def test_an_old_server_lets_what_is_loaded_wait_behind_a_load(double: Make) -> None:
    """A.5.3, A.5.19: profile old"""
    ollama, ask = double(Model(A), Model(B, load_s=60), profile=OLD)
    ask.load(A)
    slow = ask.later(ask.load, B)
    loading(ollama, B)
    behind = ask.later(ask.chat, model=A)
    ollama.wait_for(lambda: len(ollama.scheduler.queue) == 1)
    assert not behind.done()
    ollama.advance(60)
    assert slow.result(60)["done"] and behind.result(60)["done"]


# --- unloads ----------------------------------------------------------------------------------------------------------
def test_an_old_server_holds_an_unload_until_the_load_is_over(double: Make) -> None:
    """A.4.8, A.5.19: profile old"""
    ollama, ask = double(Model(VLM, load_s=10), profile=OLD)
    load = ask.later(ask.load)
    loading(ollama)
    unload = ask.later(ask.unload)
    ollama.wait_for(lambda: ollama.count("/api/generate") == 2)
    assert not unload.done()
    ollama.advance(10)
    assert load.result(60)["done"] and unload.result(60)["done_reason"] == "unload"
    assert ollama.models[VLM].state == ON_DISK


def test_an_unload_of_a_busy_model_waits_for_its_answer(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double()
    ollama.replies.append(Reply(first_s=5))
    answer = ask.later(ask.chat)
    busy(ollama)
    ask.unload()
    assert ollama.models[VLM].state == STOPPING
    ollama.advance(5)
    assert answer.result(60)["done"] and ollama.models[VLM].state == ON_DISK


def test_a_later_request_without_one_waits_for_the_end_and_loads_again(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double(Model(VLM, unload_s=5))
    ask.load()
    ask.unload()
    again = ask.later(ask.load)
    ollama.wait_for(lambda: ollama.scheduler.current is not None)
    ollama.advance(5)
    assert again.result(60)["done"]
    assert (ollama.models[VLM].unloads, ollama.models[VLM].loads) == (1, 2)


def test_the_keep_alive_begins_when_the_answer_ends(double: Make) -> None:
    """A.5.4"""
    ollama, ask = double()
    ollama.replies.append(Reply(first_s=100))
    answer = ask.later(ask.chat, keep_alive=10)
    busy(ollama)
    ollama.advance(100)
    answer.result(60)
    ollama.advance(9)
    assert ollama.models[VLM].state == LOADED
    ollama.advance(1)
    assert ollama.models[VLM].state == ON_DISK


# --- who goes, who waits ----------------------------------------------------------------------------------------------
def test_the_idle_one_with_the_shortest_keep_alive_goes(double: Make) -> None:
    """A.5.7"""
    ollama, ask = double(Model(A, 8000), Model(B, 8000), Model(VLM, 8000))
    ask.load(A, keep_alive=600)
    ask.load(B, keep_alive=60)
    ask.load()
    assert [ollama.models[name].state for name in (A, B, VLM)] == [LOADED, ON_DISK, LOADED]


def test_a_second_model_may_need_no_more_than_four_fifths_of_what_is_free(double: Make) -> None:
    """A.5.7: 10 000 MB are free; 8000 go in beside the first, 8001 do not"""
    ollama, ask = double(Model(A, 14_000), Model(B, 8000), Model(VLM, 8001))
    ask.load(A)
    ask.load(B)
    assert ollama.models[A].state == LOADED
    ask.unload(B)
    ask.load()
    assert ollama.models[A].state == ON_DISK


def test_a_busy_model_is_waited_for_before_it_goes(double: Make) -> None:
    """A.5.7"""
    ollama, ask = double(Model(A, 20_000), Model(B, 20_000))
    ollama.replies.append(Reply(first_s=7))
    answer = ask.later(ask.chat, model=A)
    busy(ollama, A)
    load = ask.later(ask.load, B)
    ollama.wait_for(lambda: ollama.models[A].state == STOPPING)
    assert ollama.models[B].state == ON_DISK
    ollama.advance(7)
    assert answer.result(60)["done"] and load.result(60)["done"]
    assert (ollama.models[A].state, ollama.models[B].state) == (ON_DISK, LOADED)


def test_no_more_models_than_the_limit_are_loaded(double: Make) -> None:
    """A.3"""
    ollama, ask = double(Model(A, 100), Model(B, 100), settings=Settings(max_loaded=1))
    ask.load(A)
    ask.load(B)
    assert [ollama.models[name].state for name in (A, B)] == [ON_DISK, LOADED]


def test_who_waits_for_a_loaded_model_waits_without_bound(double: Make) -> None:
    """A.5.9: one slot, and no 503 however many wait"""
    ollama, ask = double(settings=Settings(max_queue=1))
    ollama.reply = Reply(first_s=1)
    ask.load()
    answers = [ask.later(ask.chat) for _ in range(8)]
    busy(ollama, refs=8)
    runner = ollama.models[VLM].runner
    assert runner is not None and (len(runner.running), len(runner.waiting)) == (1, 7)
    for left in range(7, -1, -1):
        ollama.advance(1)
        assert runner.refs == left
    assert all(answer.result(60)["done"] for answer in answers)


def test_an_old_server_counts_who_wants_a_loaded_model_against_its_queue(double: Make) -> None:
    """A.5.9, A.5.19: profile old"""
    ollama, ask = double(Model(A), Model(B, load_s=10), profile=OLD, settings=Settings(max_queue=0))
    ollama.models[A].state = LOADED
    assert ask.post("/api/generate", model=A).status_code == 503


def test_who_hangs_up_in_the_line_for_a_slot_leaves_it(double: Make) -> None:
    """A.5.9"""
    ollama, ask = double()
    ollama.reply = Reply(first_s=5)
    first = ask.later(ask.chat)
    busy(ollama)
    second = ask.hanging("/api/chat", **ASKED)
    busy(ollama, refs=2)
    second.close()
    busy(ollama)
    ollama.advance(5)
    assert first.result(60)["done"] and len(ollama.asks) == 2


# --- out of memory, crashes -------------------------------------------------------------------------------------------
def test_out_of_memory_makes_an_automatic_context_smaller_once(double: Make) -> None:
    """A.3, A.5.15"""
    ollama, ask = double(Model(VLM, oom_loads=1))
    assert ask.load()["done"]
    assert (ollama.models[VLM].ctx_steps, ask.ps()[0]["context_length"]) == (1, 4096)


def test_out_of_memory_puts_everybody_else_out_once_and_then_fails(double: Make) -> None:
    """A.5.15"""
    ollama, ask = double(Model(A), Model(VLM, oom_loads=9))
    ask.load(A)
    response = ask.post("/api/generate", model=VLM, options={"num_ctx": 4096})
    assert (response.status_code, response.json()["error"]) == (500, "CUDA error: out of memory")
    assert (ollama.models[A].state, ollama.models[VLM].oom_loads) == (ON_DISK, 7)


def test_memory_that_another_program_takes_during_a_load_is_missed_at_its_end(double: Make) -> None:
    """A.5.15, the ledger"""
    ollama, ask = double(Model(A, 1000), Model(VLM, 10_000, load_s=10), profile=OLD)
    ask.load(A, keep_alive=-1)
    load = ask.later(ask.post, "/api/generate", model=VLM, options={"num_ctx": 4096})
    loading(ollama)
    ollama.ledger.set_foreign(20_000)
    ollama.advance(10)  # the first is put out, and it is tried again, alone: as much of it as fits
    ollama.advance(10)
    assert load.result(60).json()["done"]
    assert (ollama.models[A].state, ask.ps()[0]["size_vram"]) == (ON_DISK, 4000 * MB)
    assert ollama.ledger.peak_mb <= ollama.ledger.total_mb


# --- /api/ps ----------------------------------------------------------------------------------------------------------
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
    answer.result(60)
    assert ask.ps()[0]["expires_at"] > before


def test_what_does_not_fit_alone_is_partly_on_the_cpu(double: Make) -> None:
    """A.5.5"""
    ollama, ask = double(Model(VLM, 10_000), total_mb=8000)
    ask.load()
    entry = ask.ps()[0]
    assert (entry["size"], entry["size_vram"]) == (10_000 * MB, 8000 * MB)
    assert ollama.ledger.free_mb == 0


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
    assert load.result(60)["done"]


def test_other_programs_use_counts_and_the_peak_is_kept(double: Make) -> None:
    """A.5: the ledger"""
    ollama, ask = double()
    ollama.ledger.set_foreign(6000)
    ollama.ledger.reserved_mb = 500
    ask.load()
    ask.unload()
    assert (ollama.ledger.free_mb, ollama.ledger.peak_mb) == (17_500, 10_500)
