"""Who goes, who waits, what does not fit: A.5.7 to A.5.9, A.5.15."""

from __future__ import annotations

from collections.abc import Callable

from tests.doubles.conftest import (
    ASKED,
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
    OLD,
    ON_DISK,
    STOPPING,
    Model,
    OllamaServer,
    Reply,
    Settings,
)

Make = Callable[..., tuple[OllamaServer, Asker]]


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
    assert answer.result(10)["done"] and load.result(10)["done"]
    assert (ollama.models[A].state, ollama.models[B].state) == (ON_DISK, LOADED)


def test_no_more_models_than_the_limit_are_loaded(double: Make) -> None:
    """A.3"""
    ollama, ask = double(Model(A, 100), Model(B, 100), settings=Settings(max_loaded=1))
    ask.load(A)
    ask.load(B)
    assert [ollama.models[name].state for name in (A, B)] == [ON_DISK, LOADED]


def test_other_options_reload_the_model_and_are_counted(double: Make) -> None:
    """A.5.8"""
    ollama, ask = double()
    for context in (4096, 4096, 8192, 4096):
        ask.load(options={"num_ctx": context})
    assert (ollama.models[VLM].loads, ollama.models[VLM].reloads) == (3, 2)


def test_options_of_the_answer_alone_reload_nothing(double: Make) -> None:
    """A.5.8"""
    ollama, ask = double()
    for temperature in (0, 0.5, 1):
        ask.load(options={"num_ctx": 4096, "temperature": temperature, "num_predict": 9})
    assert (ollama.models[VLM].loads, ollama.models[VLM].reloads) == (1, 0)


def test_a_full_queue_refuses_with_503(double: Make) -> None:
    """A.5.9: one is being loaded, two wait, the next is refused"""
    ollama, ask = double(Model(VLM, load_s=10), settings=Settings(max_queue=2))
    waiting = [ask.later(ask.load) for _ in range(3)]
    ollama.wait_for(lambda: len(ollama.scheduler.queue) == 2)
    response = ask.post("/api/generate", model=VLM)
    assert response.status_code == 503
    assert response.json()["error"] == "server busy, please try again.  maximum pending requests exceeded"
    ollama.advance(10)
    assert all(answer.result(10)["done"] for answer in waiting)


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
    assert all(answer.result(10)["done"] for answer in answers)


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
    assert first.result(10)["done"] and len(ollama.asks) == 2


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
    assert load.result(10).json()["done"]
    assert (ollama.models[A].state, ask.ps()[0]["size_vram"]) == (ON_DISK, 4000 * MB)
    assert ollama.ledger.peak_mb <= ollama.ledger.total_mb


def test_a_load_that_fails_says_why_and_the_next_one_works(double: Make) -> None:
    """A.2"""
    ollama, ask = double()
    ollama.fail_loads.append((500, "timed out waiting for llama-server to start - progress 0.37 - "))
    assert "progress 0.37" in ask.load()["error"]
    assert ask.load()["done"]
