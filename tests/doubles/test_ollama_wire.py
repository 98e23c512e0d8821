"""How answers are cut and broken off: A.5.11."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from tests.doubles.conftest import (
    ASKED,
    VLM,
    Asker,
)
from tests.doubles.ollama import (
    LOADED,
    End,
    Fault,
    Kind,
    OllamaServer,
    Reply,
)

Make = Callable[..., tuple[OllamaServer, Asker]]


# --- the wire ---------------------------------------------------------------------------------------------------------
def pieces(ask: Asker) -> list[bytes]:
    with ask.client.stream("POST", "/api/chat", json=ASKED) as response:
        return list(response.iter_raw())


def test_a_stream_is_a_line_for_each_token_and_one_that_says_done(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(content="One two three"))
    lines = ask.stream()
    assert [line["message"]["content"] for line in lines] == ["One", " two", " three", ""]
    assert [line["done"] for line in lines] == [False, False, False, True]
    assert lines[-1]["eval_count"] == 3


def test_pieces_end_where_the_script_says_in_the_middle_of_a_line(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(cuts=(10, 150)))
    got = pieces(ask)
    assert [len(piece) for piece in got[:2]] == [10, 140]
    assert [json.loads(line)["done"] for line in b"".join(got).splitlines()] == [False, False, True]


def test_pieces_end_in_the_middle_of_a_character(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(content="Größe €", every=1))
    got = pieces(ask)
    assert set(map(len, got)) == {1} and "ö".encode()[:1] in got
    assert "Größe" in b"".join(got).decode()


def test_a_slow_stream_drips_token_by_token(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(content="One two", first_s=3, gap_s=2))
    ollama.models[VLM].state = LOADED
    with Late(ollama, ask, 3) as response:
        lines = response.iter_lines()
        assert json.loads(next(lines))["message"]["content"] == "One"
        ollama.advance(2)
        assert json.loads(next(lines))["message"]["content"] == " two"
        ollama.advance(2)
        assert json.loads(next(lines))["done"]


class Late:
    """A stream whose first token needs time: the request goes out in a thread, then time passes."""

    def __init__(self, ollama: OllamaServer, ask: Asker, seconds: float) -> None:
        request = ask.client.build_request("POST", "/api/chat", json=ASKED)
        sent = ask.later(ask.client.send, request, stream=True)
        ollama.wait_for(lambda: len(ollama.generations) == 1)
        ollama.advance(seconds)
        self.response: httpx.Response = sent.result(10)

    def __enter__(self) -> httpx.Response:
        return self.response

    def __exit__(self, *_: object) -> None:
        self.response.close()


def test_a_stream_that_stalls_says_nothing_more(double: Make) -> None:
    """A.5.11, A.4.7"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.STALL))
    with ask.client.stream("POST", "/api/chat", json=ASKED) as response:
        lines = response.iter_lines()
        assert json.loads(next(lines))["done"] is False
        next(lines)
        ollama.advance(3600)
        assert len(ollama.generations) == 1  # still being answered, and nothing comes
    ollama.wait_for(lambda: ollama.models[VLM].aborted_runs == 1)


def test_a_stream_is_reset_in_the_middle(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.RESET))
    with pytest.raises(httpx.ReadError):
        ask.stream()


def test_a_stream_ends_cleanly_without_done(double: Make) -> None:
    """A.5.11, A.4.5"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.NO_DONE))
    assert [line["done"] for line in ask.stream()] == [False, False]


def test_a_stream_is_cut_off_in_the_middle_of_the_body(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.CUT))
    with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
        ask.stream()


def test_an_error_after_the_first_token_is_a_line_under_200(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.ERROR, error="it broke"))
    assert ask.stream()[-1] == {"error": "it broke"}


def test_an_error_before_the_first_token_is_a_status(double: Make) -> None:
    """A.1"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.ERROR, error="it broke", after=0))
    response = ask.client.post("/api/chat", json=ASKED)
    assert (response.status_code, response.json()) == (500, {"error": "it broke"})


def test_a_line_of_garbage_stands_in_a_stream(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.replies.append(Reply(end=End.GARBAGE))
    with pytest.raises(json.JSONDecodeError):
        ask.stream()


def test_an_endless_stream_goes_on_until_the_client_hangs_up(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double(hurry=True)
    ollama.replies.append(Reply(end=End.ENDLESS))
    with ask.client.stream("POST", "/api/chat", json=ASKED) as response:
        lines = response.iter_lines()
        assert [json.loads(next(lines))["done"] for _ in range(200)] == [False] * 200
    ollama.wait_for(lambda: ollama.models[VLM].aborted_runs == 1)
    assert ollama.generations == {}


def test_an_endless_body_goes_on_until_the_client_hangs_up(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.ENDLESS))
    read = 0
    with ask.client.stream("GET", "/api/tags") as response:
        for piece in response.iter_raw():
            read += len(piece)
            if read > 1_000_000:
                break
    assert ask.client.get("/api/version").status_code == 200


def test_a_proxy_answers_with_its_page(double: Make) -> None:
    """A.5.11: once, and then the server is there again"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.PROXY, path="/api/ps"))
    assert ask.client.get("/api/tags").status_code == 200
    response = ask.client.get("/api/ps")
    assert (response.status_code, response.headers["content-type"]) == (502, "text/html")
    assert ask.ps() == []


def test_an_answer_is_200_and_empty(double: Make) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.EMPTY))
    response = ask.client.get("/api/ps")
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize("stream", [True, False])
def test_answers_are_packed(double: Make, stream: bool) -> None:
    """A.5.11"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.GZIP))
    response = ask.client.post("/api/chat", json=ASKED | {"stream": stream})
    assert response.headers["content-encoding"] == "gzip"
    assert json.loads(response.text.splitlines()[-1])["done"]


@pytest.mark.parametrize(("kind", "error"), [
    (Kind.RESET, httpx.ReadError), (Kind.SHORT, httpx.RemoteProtocolError),
])  # fmt: skip
def test_connections_break_before_there_is_an_answer(double: Make, kind: Kind, error: type[Exception]) -> None:
    """A.5.11, A.4.7"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=kind))
    with pytest.raises(error):
        ask.client.get("/api/ps")


def test_a_request_that_is_never_answered_ends_with_the_clients_own_limit(double: Make) -> None:
    """A.5.11, A.4.7"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.STALL))
    with pytest.raises(httpx.ReadTimeout):
        ask.client.get("/api/ps", timeout=httpx.Timeout(10, read=0.02))


def test_an_answer_comes_late_without_anything_being_loaded(double: Make) -> None:
    """A.4.8: /api/ps blocks while a lock is held"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.LATE, path="/api/ps", delay_s=4))
    answer = ask.later(ask.ps)
    ollama.wait_for(lambda: ollama.count("/api/ps") == 1)
    assert ask.client.get("/api/version").status_code == 200 and not answer.done()
    ollama.advance(4)
    assert answer.result(10) == []


def test_a_gateway_says_too_many_requests(double: Make) -> None:
    """A.2: cloud models"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.ERROR, status=429, text="slow down"))
    assert ask.client.get("/api/tags").status_code == 429


def test_an_answer_sends_elsewhere(double: Make) -> None:
    """T10"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.REDIRECT, status=307, text="http://127.0.0.1:9/"))
    response = ask.client.get("/api/tags")
    assert (response.status_code, response.headers["location"]) == (307, "http://127.0.0.1:9/")


def test_a_line_goes_on_without_an_end(double: Make) -> None:
    """A.5.11: there is no line to be read, ever"""
    ollama, ask = double()
    ollama.faults.append(Fault(kind=Kind.LONG_LINE))
    read = b""
    with ask.client.stream("POST", "/api/chat", json=ASKED) as response:
        for piece in response.iter_raw():
            read += piece
            if len(read) > 1_000_000:
                break
    assert b"\n" not in read
