"""S3.5: where CLIP is. open_clip and PyTorch are real, the model is tiny, the memory of the GPU is simulated."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpu.clip import CLIPManager
from gpu.clip.manager import CONTEXT_MB, WORKING_MB
from gpu.clip.tower import load_tower
from gpu.exceptions import ClipUnavailable
from gpu.types import VRAMInfo
from tests.doubles.cuda import FakeCuda
from tests.doubles.nvml import Card
from tests.support.clip import NAME, broken, made_clip, picture

pytestmark = pytest.mark.extras

SCALE = 1000  # the tiny tower takes 242 MB of a simulated card
FIRST, SECOND = "GPU-00000000-0000-0000-0000-00000000000a", "GPU-00000000-0000-0000-0000-00000000000b"
TENSORS = 32  # of the tiny tower


@pytest.fixture(scope="module", autouse=True)
def quick_collections() -> Iterator[None]:
    """A million objects of PyTorch's are not looked through at every move."""
    made_clip()
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def one_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.clip.tower.load_tower", _loaded_once)


@cache
def _loaded_once(model: str, weights: Path) -> Any:
    return load_tower(model, weights)


def clip_manager(**fields: Any) -> CLIPManager:
    return CLIPManager(**{"model": NAME, "weights": made_clip().safetensors, **fields})


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    made = FakeCuda(Card(uuid=FIRST, total_mb=8000), Card(uuid=SECOND, total_mb=4000), scale=SCALE)
    made.install(monkeypatch)
    return made


@pytest.fixture
def clip(cuda: FakeCuda) -> CLIPManager:
    return clip_manager()


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def told_to(clip: CLIPManager) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    clip.on_device_change(lambda device, why: told.append((device, why)))
    return told


async def refusal(clip: CLIPManager, device: str) -> str:
    with pytest.raises(ClipUnavailable) as caught:
        await clip.move(device)
    return str(caught.value)


# --- what there is --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"weights": None}, "RPA_CLIP_WEIGHTS is not set; get weights with 'manage.py fetchmodels open_clip'"),
        ({"weights": Path("/none/w.pt")}, "are not at /none/w.pt"),
        ({"weights": Path("/")}, "cannot be read"),
        ({"unused": "CLIP is not used."}, "CLIP is not used."),
    ],
)
def test_without_weights_it_says_why_there_is_none(fields: dict[str, Any], why: str) -> None:
    clip = clip_manager(**fields)
    assert not clip.available
    assert why in clip.why_unavailable
    assert (clip.device, clip.need_mb) == ("cpu", 0)
    with pytest.raises(ClipUnavailable, match="."):
        clip.embed(picture())


def test_weights_that_only_loading_finds_out_about_make_it_unavailable(tmp_path: Path) -> None:
    clip = clip_manager(weights=broken(made_clip(), "rubbish", tmp_path))
    assert clip.available
    with pytest.raises(ClipUnavailable, match="cannot be read"):
        clip.load()
    assert "cannot be read" in clip.why_unavailable


@pytest.mark.parametrize(
    ("embedder", "weights", "why"),
    [("builtin", "w.pt", "not used"), ("open_clip", "", "is not set"), ("open_clip", "w.pt", "/models/w.pt")],
)
def test_it_is_set_as_perception_is(settings: Any, embedder: str, weights: str, why: str) -> None:
    settings.RPA_EMBEDDER, settings.RPA_CLIP_WEIGHTS, settings.RPA_MODELS_DIR = embedder, weights, Path("/models")
    assert why in CLIPManager.from_settings().why_unavailable


def test_a_process_that_only_asks_whether_there_is_one_loads_nothing_heavy() -> None:
    """The web process shows it."""
    code = (
        "import sys; from pathlib import Path; from gpu.clip import CLIPManager;"
        f"clip = CLIPManager(model={NAME!r}, weights=Path({str(made_clip().safetensors)!r}));"
        "print(clip.available, clip.device, clip.need_mb, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["True", "cpu", str(1 + WORKING_MB + CONTEXT_MB), "False"]


async def test_what_it_needs_is_told_by_the_file_then_by_the_tensors_then_by_what_a_move_took(
    clip: CLIPManager, cuda: FakeCuda
) -> None:
    from_file = clip.need_mb
    clip.load()
    assert clip.need_mb == from_file == 1 + WORKING_MB + CONTEXT_MB
    assert clip_manager(weights=made_clip().pickled).need_mb >= from_file
    before_mb = cuda.cards[0].free_mb
    await clip.move("cuda:0")
    took_mb = before_mb - cuda.cards[0].free_mb - cuda.context_mb
    assert clip.need_mb == took_mb > 200  # and its share of the driver's memory is taken already


async def test_somebody_else_who_takes_memory_in_the_same_moment_teaches_it_no_nonsense(
    clip: CLIPManager, cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = iter([7000, 100])
    monkeypatch.setattr("gpu.clip.cuda.free_mb", lambda device: next(told))
    await clip.move("cuda:0")
    assert clip.need_mb == 2 * (1 + WORKING_MB)


# --- moving ---------------------------------------------------------------------------------------------------------
async def test_on_the_gpu_it_sees_what_it_saw_before_and_back_again(clip: CLIPManager, cuda: FakeCuda) -> None:
    """S3.5, S3.11 (7)"""
    told, name = told_to(clip), clip.model_id
    before = clip.embed(picture())
    for device, uuid in (("cuda:0", FIRST), ("cuda:1", SECOND), ("cpu", "")):
        await clip.move(device)
        assert clip.device == device
        assert clip.gpu_uuid == uuid.removeprefix("GPU-")
        assert float(before @ clip.embed(picture())) >= 0.999
        assert float(before @ clip.embed(picture(2))) < 0.999  # it does look
        assert clip.model_id == name
        assert [cuda.held_bytes(n) > 0 for n in (0, 1)] == [device == "cuda:0", device == "cuda:1"]
    assert told == [(device, f"CLIP is on {device}.") for device in ("cuda:0", "cuda:1", "cpu")]
    assert clip.problem == ""


@pytest.mark.parametrize("device", ["tpu", "cuda", "cuda:2", "cuda:-1", "cuda:00", "cuda:٠", "CUDA:0", "", "cuda:0\n"])
async def test_a_device_that_there_is_not_is_refused(clip: CLIPManager, cuda: FakeCuda, device: str) -> None:
    """S3.11 (12)"""
    assert "cpu or cuda:N" in (said := await refusal(clip, device)) or "there are 2 GPUs" in said
    assert (clip.device, cuda.copies) == ("cpu", 0)


async def test_a_machine_without_a_gpu_says_so() -> None:
    """S3.10"""
    clip = clip_manager()
    assert "no GPU here" in await refusal(clip, "cuda:0")
    assert np.isfinite(clip.embed(picture())).all()


async def test_what_cannot_fit_is_refused_before_anything_is_sent(clip: CLIPManager, cuda: FakeCuda) -> None:
    """S3.10: with the needed and the free memory."""
    cuda.cards[0].foreign_mb = 8000 - cuda.context_mb - 100
    assert f"needs {1 + WORKING_MB} MB and 100 MB are free" in await refusal(clip, "cuda:0")
    assert (clip.device, cuda.copies) == ("cpu", 0)


@pytest.mark.parametrize("tensor", [1, 2, TENSORS // 2, TENSORS, TENSORS + 1])
async def test_memory_that_ends_half_way_leaves_a_working_model_and_nothing_on_the_gpu(
    clip: CLIPManager, cuda: FakeCuda, tensor: int
) -> None:
    """A.8: the last of these is the picture that a copy is tried out with."""
    told, before = told_to(clip), clip.embed(picture())
    cuda.fail_after(tensor)
    with pytest.raises(ClipUnavailable, match=r"on the processor: CUDA out of memory\. Tried to allocate") as caught:
        await clip.move("cuda:0")
    assert cuda.held_bytes() == 0  # although the error is still at hand
    assert "Further advice" not in str(caught.value)
    assert (clip.device, clip.problem, told) == ("cpu", str(caught.value), [])
    assert np.array_equal(clip.embed(picture()), before)
    await clip.move("cuda:0")  # the memory is there now
    assert (clip.device, clip.problem) == ("cuda:0", "")


async def test_a_gpu_that_sees_otherwise_is_not_used(clip: CLIPManager, cuda: FakeCuda, monkeypatch: Any) -> None:
    """S3.5: a card with broken memory computes, too."""
    from gpu.clip import cuda as real

    def harmed(network: Any, device: str, copy_to: Callable[..., Any] = real.copy_to) -> Any:
        there = copy_to(network, device)
        for tensor in there.parameters():
            tensor.mul_(-1)
        return there

    monkeypatch.setattr(real, "copy_to", harmed)
    assert "gives other vectors there, cosine" in await refusal(clip, "cuda:0")
    assert (clip.device, cuda.held_bytes()) == ("cpu", 0)


async def test_memory_that_does_not_come_back_is_said(clip: CLIPManager, cuda: FakeCuda) -> None:
    await clip.move("cuda:0")
    held = max((tensor.detach() for tensor in clip._gpu_copy._network.parameters()), key=lambda one: one.numel())
    await clip.move("cpu")
    assert clip.device == "cpu"
    assert "has left cuda:0, whose memory may not be free" in clip.problem
    assert cuda.held_bytes() > 0
    del held


async def test_nothing_grows_over_twenty_moves(clip: CLIPManager, cuda: FakeCuda) -> None:
    import torch

    def tensors() -> int:
        gc.collect()
        return sum(1 for one in gc.get_objects() if issubclass(type(one), torch.nn.Module | torch.Tensor))

    await clip.move("cuda:0")
    await clip.move("cpu")
    before, needed = tensors(), clip.need_mb
    for move in range(20):
        await clip.move("cuda:0")
        clip.embed(picture(move))
        await clip.move("cpu")
        assert cuda.held_bytes() == 0
    assert (tensors(), clip.need_mb) == (before, needed)


async def test_a_listener_that_fails_disturbs_nobody(clip: CLIPManager, caplog: pytest.LogCaptureFixture) -> None:
    clip.on_device_change(lambda device, why: 1 / 0)
    told = told_to(clip)
    await clip.move("cuda:0")
    assert told
    assert "ZeroDivisionError" in caplog.text


# --- trouble while looking ------------------------------------------------------------------------------------------
async def test_a_picture_that_the_gpu_has_no_memory_for_is_seen_by_the_processor(
    clip: CLIPManager, cuda: FakeCuda
) -> None:
    before = clip.embed(picture())
    await clip.move("cuda:0")
    told = told_to(clip)
    cuda.fail_after(1)
    assert np.array_equal(clip.embed(picture()), before)
    assert "cuda:0 had no memory for a picture, the processor saw it instead" in clip.problem
    assert (clip.device, told) == ("cuda:0", [])  # the next one goes there again
    copies = cuda.copies
    assert float(clip.embed(picture()) @ before) >= 0.999
    assert (cuda.copies, clip.problem) == (copies + 1, "")


async def test_a_gpu_that_is_lost_is_left_for_the_processor(clip: CLIPManager, cuda: FakeCuda) -> None:
    before = clip.embed(picture())
    await clip.move("cuda:0")
    told = told_to(clip)
    cuda.lost = True
    assert np.array_equal(clip.embed(picture()), before)
    assert told == [("cpu", "cuda:0 has failed, CLIP is on the processor: CUDA error: unspecified launch failure.")]
    assert "unspecified launch failure" in await refusal(clip, "cuda:0")
    cuda.lost = False
    await clip.move("cuda:0")
    assert clip.device == "cuda:0"


async def test_gpus_that_do_not_answer_when_it_is_loaded_leave_it_on_the_processor(
    clip: CLIPManager, cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(device: int) -> Any:
        raise RuntimeError("CUDA error: no device")

    monkeypatch.setattr("torch.cuda.get_device_properties", lost)
    assert np.isfinite(clip.embed(picture())).all()
    assert "do not answer: CUDA error: no device" in clip.problem


class Watched:
    """A lock that tells how many wait for it."""

    def __init__(self, clip: CLIPManager) -> None:
        self._lock, self.waiting, self.patience = threading.Lock(), 0, list[float]()
        clip._lock = self  # type: ignore[assignment]

    def acquire(self, timeout: float = -1) -> bool:
        self.waiting += 1
        self.patience.append(timeout)
        try:
            return self._lock.acquire(timeout=timeout)
        finally:
            self.waiting -= 1

    def release(self) -> None:
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def locked(self) -> bool:
        return self._lock.locked()


async def test_pictures_wait_for_a_move(clip: CLIPManager, cuda: FakeCuda, threads: ThreadPoolExecutor) -> None:
    before, gate, lock = clip.embed(picture()), cuda.hang(), Watched(clip)
    moving = asyncio.create_task(clip.move("cuda:0"))
    await until(lock.locked)
    seeing = threads.submit(clip.embed, picture())
    await until(lambda: lock.waiting == 1)
    copies = cuda.copies
    gate.set()
    await moving
    assert float(await asyncio.wrap_future(seeing) @ before) >= 0.999
    assert cuda.copies > copies


async def test_a_move_waits_for_the_picture_that_is_looked_at(
    clip: CLIPManager, cuda: FakeCuda, threads: ThreadPoolExecutor
) -> None:
    await clip.move("cuda:0")
    before, gate, lock = clip.embed(picture()), cuda.hang(), Watched(clip)
    seeing = threads.submit(clip.embed, picture())
    await until(lock.locked)
    moving = asyncio.create_task(clip.move("cpu"))
    await until(lambda: lock.waiting == 1)
    assert (clip.device, cuda.held_bytes() > 0) == ("cuda:0", True)
    gate.set()
    await moving
    assert float(await asyncio.wrap_future(seeing) @ before) >= 0.999
    assert (clip.device, clip.problem, cuda.held_bytes()) == ("cpu", "", 0)


async def test_two_moves_at_once_take_turns(clip: CLIPManager, cuda: FakeCuda) -> None:
    """S3.11 (13)"""
    await asyncio.gather(*(clip.move(f"cuda:{n % 2}") for n in range(6)))
    assert sorted(cuda.held_bytes(n) > 0 for n in (0, 1)) == [False, True]
    assert cuda.held_bytes(int(clip.device[-1])) > 0


async def test_a_move_that_is_given_up_has_ended_when_it_says_so(clip: CLIPManager, cuda: FakeCuda) -> None:
    gate = cuda.hang()
    moving = asyncio.create_task(clip.move("cuda:0"))
    await until(clip._lock.locked)
    moving.cancel()
    await asyncio.sleep(0)
    assert not moving.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await moving
    assert (clip.device, cuda.held_bytes()) == ("cpu", 0)


async def test_a_gpu_that_hangs_ends_the_move_with_an_error_and_nobody_goes_blind(cuda: FakeCuda) -> None:
    clip = clip_manager(move_timeout_s=0.05, embed_wait_s=0.01)
    before, gate, lock = clip.embed(picture()), cuda.hang(), Watched(clip)
    assert "has not reached cuda:0" in await refusal(clip, "cuda:0")
    assert np.array_equal(clip.embed(picture()), before)
    assert "the processor sees for it" in clip.problem
    assert np.array_equal(clip.embed(picture()), before)
    assert lock.patience[-2:] == [0.01, 0]  # the next one does not wait any more
    gate.set()
    await until(lambda: not lock.locked())
    assert (clip.device, cuda.held_bytes()) == ("cpu", 0)  # too late is not at all
    clip.embed(picture())
    assert not clip._hangs


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)


# --- which GPU is which ---------------------------------------------------------------------------------------------
def info(uuid: str, free_mb: int = 1000) -> VRAMInfo:
    return VRAMInfo(uuid=uuid, name="", total_mb=8000, used_mb=8000 - free_mb, free_mb=free_mb)


def test_gpus_are_told_as_cuda_counts_them(clip: CLIPManager) -> None:
    """A.7: NVML counts otherwise, and counts those that this process may not use."""
    told = (info("GPU-00000000-0000-0000-0000-0000000000ff"), info(SECOND), info(FIRST))
    assert clip.in_cuda_order(told) == told  # nobody knows yet
    clip.load()
    assert [gpu.uuid for gpu in clip.in_cuda_order(told)] == [FIRST, SECOND]
    unknown, second = clip.in_cuda_order((info(SECOND),))
    assert unknown.free_mb == 0
    assert second.uuid == SECOND


def test_a_machine_without_a_gpu_has_none_to_count() -> None:
    clip = clip_manager()
    clip.load()
    assert clip.in_cuda_order((info(FIRST),)) == ()


# --- properties -----------------------------------------------------------------------------------------------------
steps = st.one_of(
    st.tuples(st.just("move"), st.sampled_from(["cpu", "cuda:0", "cuda:1", "cuda:2", "cuda", "gpu"])),
    st.tuples(st.just("fail after"), st.integers(1, TENSORS + 2)),
    st.tuples(st.just("others hold"), st.sampled_from([0, 3500, 7900])),
    st.tuples(st.just("lost"), st.booleans()),
    st.tuples(st.just("embed"), st.integers(0, 3)),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, max_size=12))
def test_whatever_happens_it_is_somewhere_and_sees_the_same(happened: list[tuple[str, Any]]) -> None:
    """S3.11 (7) and (12): the device is one that there is, the vectors agree, and nothing is held where it is not."""
    with pytest.MonkeyPatch.context() as patch:
        cuda = FakeCuda(Card(uuid=FIRST, total_mb=8000), Card(uuid=SECOND, total_mb=4000), scale=SCALE)
        cuda.install(patch)
        clip = clip_manager()
        pictures = [picture(seed) for seed in range(4)]
        expected = [clip.embed(one) for one in pictures]
        told = told_to(clip)
        for kind, value in happened:
            said_before = clip.device
            if kind == "move":
                moved = _moves(clip, value)
                assert clip.device == (value if moved else clip.device)
                assert moved or clip.device == "cpu" or value not in ("cpu", "cuda:0", "cuda:1")
            elif kind == "fail after":
                cuda.fail_after(value)
            elif kind == "others hold":
                cuda.cards[0].foreign_mb = cuda.cards[1].foreign_mb = value
            elif kind == "lost":
                cuda.lost = value
            else:
                assert float(clip.embed(pictures[value]) @ expected[value]) >= 0.999
            assert clip.device in ("cpu", "cuda:0", "cuda:1")
            assert (told[-1][0] if told else "cpu") == clip.device
            if not cuda.lost and (kind == "move" or clip.device != said_before):
                elsewhere = [n for n in (0, 1) if clip.device != f"cuda:{n}"]
                cuda._empty_cache()  # what was lost came back
                assert [cuda.held_bytes(n) for n in elsewhere] == [0] * len(elsewhere)


def _moves(clip: CLIPManager, device: str) -> bool:
    try:
        asyncio.run(clip.move(device))
    except ClipUnavailable:
        return False
    return True


# --- the real thing -------------------------------------------------------------------------------------------------
@pytest.mark.gpu
async def test_a_real_gpu_gives_the_vectors_of_the_processor_and_its_memory_back() -> None:
    import torch

    clip = clip_manager()
    before = clip.embed(picture())
    await clip.move("cuda:0")
    on_it = torch.cuda.memory_allocated(0)
    assert on_it > 0
    assert float(clip.embed(picture()) @ before) >= 0.999
    await clip.move("cpu")
    assert torch.cuda.memory_allocated(0) < on_it
    assert clip.problem == ""
    await clip.move("cuda:0")
    await clip.move("cpu")
    assert clip.problem == ""


@pytest.mark.gpu
async def test_a_real_gpu_without_memory_leaves_a_working_model() -> None:
    import torch

    clip = clip_manager()
    before = clip.embed(picture())
    torch.cuda.set_per_process_memory_fraction(1e-7, 0)
    try:
        assert "out of memory" in await refusal(clip, "cuda:0")
        assert torch.cuda.memory_allocated(0) == 0
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, 0)
    assert np.array_equal(clip.embed(picture()), before)
    await clip.move("cuda:0")
    assert clip.device == "cuda:0"
    clip.close()
