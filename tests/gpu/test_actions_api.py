"""What operators ask of the GPU over the API: answered soon, refused in words, with the outcome told later (S3.8)."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from gpu import api
from gpu import exceptions as ex
from gpu.models import GPUSample
from gpu.runtime import Runtime
from gpu.types import Request, RequestKind
from tests.support.display import wait_until
from tests.support.gpu_rows import make_samples

LOAD = {"kind": "load", "model": "qwen2.5vl:7b"}
pytestmark = pytest.mark.django_db


class Manager:
    """Keeps what it was asked, and does as it is told: `error` is raised, `gate` waited for first."""

    def __init__(self) -> None:
        self.runtime = Runtime("test")
        self.asked: list[tuple[Any, ...]] = []
        self.error: BaseException | None = None
        self.gate: asyncio.Event | None = None

    async def _do(self, *what: Any) -> None:
        self.asked.append(what)
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error

    async def carry_out(self, request: Request) -> None:
        await self._do(*(part for part in (request.kind, request.mode, request.model, request.asked_by) if part))


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    one = Manager()
    monkeypatch.setattr(api, "get_gpu_resource_manager", lambda: one)
    yield one
    one.runtime.close()


@pytest.fixture
def client(client_of: Callable[..., Any], operator: Any) -> Any:
    return client_of(operator)


@pytest.fixture
def ask(client: Any, manager: Manager) -> Callable[[dict[str, Any]], Any]:
    return lambda body: client.post("/api/gpu/requests/", body, content_type="application/json")


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ({"kind": "mode", "mode": "autopilot"}, ("mode", "autopilot", "operator")),
        (LOAD, ("load", "qwen2.5vl:7b", "operator")),
        ({**LOAD, "kind": "unload"}, ("unload", "qwen2.5vl:7b", "operator")),
        ({"kind": "clip_to_gpu"}, ("clip_to_gpu", "operator")),
        ({"kind": "clip_to_cpu"}, ("clip_to_cpu", "operator")),
    ],
)
def test_what_an_operator_asks_is_asked_of_the_manager_with_their_name(ask, manager, body, asked) -> None:
    answer = ask(body)
    assert (answer.status_code, answer.json()["state"]) == (200, "done")
    assert manager.asked == [asked]


@pytest.mark.parametrize(
    ("error", "status", "code", "words"),
    [
        (ex.NotEnoughVRAM("x", needed_mb=6000, free_mb=2000), 422, "not_enough_vram", "6000 MB of GPU memory and"),
        (ex.GpuBusy("It is busy.", retry_after_s=2.2), 409, "gpu_busy", "busy"),
        (ex.TooManySwaps("Too often.", retry_after_s=20), 409, "too_many_swaps", "Too often"),
        (ex.OwnedElsewhere("host:1 is silent"), 409, "owned_elsewhere", "host:1 is silent"),
        (ex.ServerAway("refused"), 503, "server_away", "refused"),
        (ex.ModelMissing("no such model"), 422, "model_missing", "no such model"),
        (ex.CloudModelRefused("cloud"), 422, "cloud_model_refused", "cloud"),
        (ex.LoadFailed("exit status 2"), 502, "load_failed", "exit status 2"),
        (ex.DeadlinePassed("300 s"), 504, "deadline_passed", "300 s"),
        (ex.ClipUnavailable("no CLIP is set up"), 422, "clip_unavailable", "no CLIP is set up"),
        (ex.GPUError(), 503, "gpu_error", "gpu_error"),
    ],
)
def test_each_refusal_is_a_status_a_word_and_a_sentence(ask, manager, error, status, code, words) -> None:
    """Issue 6 point 4: needed and free MB in the message."""
    manager.error = error
    answer = ask(LOAD)
    body = answer.json()
    assert (answer.status_code, body["error"], body["state"]) == (status, code, "failed")
    assert words in body["detail"]


def test_every_error_of_the_gpu_has_a_status_that_is_an_error() -> None:
    kinds, todo = [], [ex.GPUError]
    while todo:
        kinds.append(todo.pop())
        todo += kinds[-1].__subclasses__()
    for kind in kinds:
        error = kind.__new__(kind, "why")
        error.__dict__.update(needed_mb=1, free_mb=1, retry_after_s=1.0)
        status, body, _headers = api.answer_to(error)
        assert 400 <= status < 600, kind
        assert body["detail"], kind
        assert error.code == body["error"]


def test_what_lasts_is_answered_with_its_number_and_told_when_it_is_over(ask, client, manager, monkeypatch) -> None:
    """S3.8: a load takes minutes, a click does not wait for it."""
    monkeypatch.setattr(api, "QUICK_S", 0.01)
    gate = manager.gate = asyncio.Event()
    begun = ask(LOAD)
    assert (begun.status_code, begun.json()["state"]) == (202, "doing")
    address = f"/api/gpu/requests/{begun.json()['request_id']}/"
    assert client.get(address).json()["state"] == "doing"
    manager.error = ex.NotEnoughVRAM("x", needed_mb=6000, free_mb=2000)
    manager.runtime.loop.call_soon_threadsafe(gate.set)
    told = wait_until(lambda: (said := client.get(address).json())["state"] != "doing" and said, what="its end")
    assert (told["state"], told["status"], told["error"]) == ("failed", 422, "not_enough_vram")
    assert told["needed_mb"] == 6000


def test_an_error_of_the_program_is_logged_and_told_without_its_inside(ask, manager, caplog) -> None:
    manager.error = ZeroDivisionError("secret")
    answer = ask(LOAD)
    assert answer.status_code == 503
    assert "secret" not in answer.content.decode()
    assert "secret" in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "use", "model": "a"},
        {"kind": "mode"},
        {"kind": "mode", "mode": "warp"},
        {"kind": "load"},
        {"kind": "load", "model": ""},
        {"kind": "load", "model": "x" * 201},
        {"kind": ["load"]},
    ],
)
def test_bad_input_is_refused_and_nothing_is_asked(ask, manager, body) -> None:
    answer = ask(body)
    assert answer.status_code == 400
    assert answer.json()["detail"]
    assert manager.asked == []


def test_a_viewer_is_told_which_role_it_takes(client_of, viewer, manager) -> None:
    """S10.1"""
    answer = client_of(viewer).post("/api/gpu/requests/", LOAD, content_type="application/json")
    assert answer.status_code == 403
    assert "operator" in answer.json()["detail"]
    assert manager.asked == []


def test_a_request_that_nobody_knows_is_not_found(client_of, viewer) -> None:
    assert client_of(viewer).get(f"/api/gpu/requests/{uuid.uuid4()}/").status_code == 404


def test_only_the_last_requests_are_kept(manager, monkeypatch) -> None:
    monkeypatch.setattr(api, "KEPT", 2)
    register = api.Operations()
    request = Request(kind=RequestKind.CLIP_TO_CPU)
    first, *others = [register.make(request) for _ in range(3)]
    assert register.find(first.id) is None
    assert [register.find(operation.id) for operation in others] == others


# --- memory over time -----------------------------------------------------------------------------------------------
def test_memory_over_time_is_thinned_out_to_its_peaks(client_of, viewer, monkeypatch) -> None:
    """S3.8"""
    from gpu.machine.status import POINTS

    make_samples(*[9_000 if number == 1234 else 1_000 for number in range(1800)], every_s=0.5)
    [gpu] = client_of(viewer).get("/api/gpu/samples/").json()["gpus"]
    assert (gpu["uuid"], gpu["total_mb"]) == ("GPU-1", 24_000)
    assert 250 <= len(gpu["points"]) <= POINTS + 1
    assert max(used for _at, used in gpu["points"]) == 9_000
    times = [at for at, _used in gpu["points"]]
    assert times == sorted(times)


def test_samples_of_other_machines_and_older_ones_are_not_in_it(client_of, viewer) -> None:
    make_samples(1_000, 2_000)
    old = timezone.now() - timedelta(minutes=20)
    GPUSample.objects.filter(used_mb=1_000).update(at=old)
    GPUSample.objects.create(machine="elsewhere", gpu="GPU-9", at=timezone.now(), used_mb=1, total_mb=2)
    client = client_of(viewer)
    [gpu] = client.get("/api/gpu/samples/").json()["gpus"]
    assert [used for _at, used in gpu["points"]] == [2_000]
    [gpu] = client.get("/api/gpu/samples/?minutes=60").json()["gpus"]
    assert [used for _at, used in gpu["points"]] == [1_000, 2_000]
    [gpu] = client.get("/api/gpu/samples/?machine=elsewhere").json()["gpus"]
    assert gpu["uuid"] == "GPU-9"
    assert client.get("/api/gpu/samples/?minutes=²").status_code == 400
