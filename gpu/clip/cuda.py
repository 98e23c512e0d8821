"""The few things CLIP needs of CUDA, each of which may fail: PyTorch is loaded by the first call."""

from __future__ import annotations

import copy
import gc
import os
import re
from typing import Any

from gpu.exceptions import ClipUnavailable
from sentences.said import say

MB = 1024 * 1024


def torch() -> Any:
    """PyTorch, counting GPUs as NVML does among those that this process may see (A.7)."""
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")  # read when CUDA is first used
    try:
        import torch as library
    except ImportError as error:
        raise ClipUnavailable(say("clip.no_torch", error=error)) from error
    return library


def why_not(device: str) -> str:
    """Why nothing can be put on `cpu` or `cuda:N`; empty if it can be tried."""
    if device == "cpu":
        return ""
    number = re.fullmatch(r"cuda:(0|[1-9][0-9]*)", device)
    if not number:
        return say("clip.device_names")
    count = count_gpus()
    if not count:
        return say("clip.torch_finds_none")
    return "" if int(number[1]) < count else say("clip.counted_from_0", count=count)


def count_gpus() -> int:
    library = torch()
    return library.cuda.device_count() if library.cuda.is_available() else 0


def uuids() -> tuple[str, ...]:
    """Of the GPUs that this process may use, in the order of their numbers, without the word before it as NVML has."""
    cuda = torch().cuda
    return tuple(str(cuda.get_device_properties(number).uuid).lower() for number in range(count_gpus()))


def free_mb(device: str) -> int:
    """Memory that is free on a GPU; this process takes its share of some hundred MB by asking. RuntimeError if lost."""
    return int(torch().cuda.mem_get_info(device)[0]) // MB


def held_bytes(device: str) -> int:
    return int(torch().cuda.memory_allocated(device))


def copy_to(network: Any, device: str) -> Any:
    """A second network with its tensors there; the first is untouched. RuntimeError where they do not fit."""
    there: dict[int, Any] = {}
    for parameter in network.parameters():
        there[id(parameter)] = type(parameter)(parameter.detach().to(device), requires_grad=False)
    for buffer in network.buffers():
        there[id(buffer)] = buffer.to(device)
    return copy.deepcopy(network, there)


def give_back() -> str:
    """Return what nobody refers to any more to the driver; the reason where that cannot be done.

    What cuBLAS works in counts as held, and is kept until it is cleared (PyTorch's notes on CUDA semantics).
    """
    gc.collect()
    clear = getattr(torch()._C, "_cuda_clearCublasWorkspaces", None)
    if clear is not None:
        clear()
    return empty_cache()


def empty_cache() -> str:
    """Return what is kept for tensors to come to the driver; the reason where that cannot be done."""
    try:
        torch().cuda.empty_cache()
    except RuntimeError as error:  # a device that is lost
        return told(error)
    return ""


def told(error: Exception) -> str:
    """The first line of an error of CUDA's; the others advise programmers."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(". ")
