"""How well it knows a thing again: on names and families that it never saw, beside plain correlation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tools.eye.drawings import Drawings, is_held_out
from tools.eye.samples import seen
from tools.eye.sources import HELD_OUT

_SEED = 11
_FALSE = 0.001  # of the pairs of different names that may be taken for one thing


def judge(drawings: Drawings, embed: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
    """Shares, 0 to 1, on one drawing per name and family of held out names by held out families.

    `first`: the same name by another family is the most alike of all names that that family draws. `recognised`: of
    pairs of one name, those more alike than all but one in a thousand pairs of different names.
    """
    rng = np.random.default_rng(_SEED)
    wanted: dict[tuple[str, str], int] = {}
    for number, (name, family) in enumerate(zip(drawings.names, drawings.families, strict=True)):
        if family in HELD_OUT and is_held_out(name):
            wanted.setdefault((str(name), str(family)), number)
    keys = list(wanted)
    pictures = np.stack([seen(drawings.pixels[number], rng) for number in wanted.values()])
    figures = {"drawings": float(len(keys))}
    for told, vectors in (("eye", embed(pictures)), ("correlation", _flat(pictures))):
        figures |= {f"{told} {name}": value for name, value in _figures(keys, vectors @ vectors.T).items()}
    return figures


def _flat(pictures: np.ndarray) -> np.ndarray:
    flat = pictures[:, 0].reshape(len(pictures), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6))


def _figures(keys: list[tuple[str, str]], alike: np.ndarray) -> dict[str, float]:
    names, families = np.array([k[0] for k in keys]), np.array([k[1] for k in keys])
    same, across = names[:, None] == names[None, :], families[:, None] != families[None, :]
    firsts = []
    for row in range(len(keys)):
        for family in set(families) - {families[row]}:
            among = np.flatnonzero(families == family)
            if same[row, among].any():
                firsts.append(bool(same[row, among[np.argmax(alike[row, among])]]))
    least = np.quantile(alike[across & ~same], 1 - _FALSE)
    return {
        "first": float(np.mean(firsts)),
        "recognised": float((alike[across & same] > least).mean()),
        "at": float(least),
    }
