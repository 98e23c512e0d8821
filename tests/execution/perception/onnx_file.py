"""Writing a tiny detector as an ONNX file, byte by byte: the format is protobuf, and no package for it is needed.

Field numbers are those of onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

_FLOAT, _INT = 1, 2


def write_detector(
    path: Path,
    table: np.ndarray,
    *,
    metadata: Mapping[str, str] | None = None,
    side: int | None = 64,
    channels: int = 3,
) -> Path:
    """A model whose one output is `table` times the brightest value of the picture; `side` None leaves the size open.

    On a black picture it finds nothing, on one with white in it what the table says.
    """
    image = _value("images", [1, channels, side, side])
    nodes = [
        _node("ReduceMax", ["images"], ["bright"], keepdims=0),
        _node("Mul", ["table", "bright"], ["output0"]),
    ]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"detector")
    graph += _field(5, _tensor("table", table)) + _field(11, image) + _field(12, _value("output0", table.shape))
    model = _number(1, 8) + _field(2, b"tests") + _field(7, graph) + _field(8, _field(1, b"") + _number(2, 11))
    for key, value in (metadata or {}).items():
        model += _field(14, _field(1, key.encode()) + _field(2, value.encode()))
    path.write_bytes(model)
    return path


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **numbers: int) -> bytes:
    made = b"".join(_field(1, name.encode()) for name in inputs) + b"".join(
        _field(2, name.encode()) for name in outputs
    )
    made += _field(4, kind.encode())
    for name, value in numbers.items():
        made += _field(5, _field(1, name.encode()) + _number(3, value) + _number(20, _INT))
    return made


def _tensor(name: str, values: np.ndarray) -> bytes:
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, _FLOAT) + _field(8, name.encode()) + _field(9, values.astype("<f4").tobytes())


def _value(name: str, shape: Sequence[int | None]) -> bytes:
    dims = b"".join(_field(1, _number(1, size) if size is not None else _field(2, b"any")) for size in shape)
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, _FLOAT) + _field(2, dims)))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
