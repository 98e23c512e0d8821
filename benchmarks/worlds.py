"""What the matching is fitted to and measured on: taught screens, and the same ones seen changed.

Two parts of the corpus together: `nodes`, where the data always differs and much of a program is alike, and the pages
of `drift`, where everything else differs: the dress, the icons, the scale, the wording, what lies over it. What is
compared is what the product's own eyes made of the pictures.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from benchmarks.drift.cases import cases
from benchmarks.drift.pairs import FOLDER as DRIFT
from benchmarks.drift.pairs import load as load_pairs
from benchmarks.readings import FOLDER as READINGS
from benchmarks.readings import Read, read_all
from benchmarks.screens.corpus import FOLDER, Screen, load
from execution.matching import Reading, Reference
from execution.types import ScreenState

PROGRAMS, KITS = "program", "kit"
FOLDS = 3  # of the programs, and of the style sheets: what is told of one third was fitted to the others of both
_SALT = 161  # with it the thirds of programs, of their style sheets and of the pages are of about the same size
ANOTHER_LANGUAGE = "language"  # a program that speaks another language is another screen to whoever reads it


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A screen seen. `node` is the taught one that it is, "" where that was never taught; `kind` what was changed.

    `same` names the screen whatever it wears, `program` the program or the page, `kit` the style sheet.
    """

    read: Read
    part: str
    kind: str
    node: str
    same: str
    program: str
    kit: str


class World(NamedTuple):
    """The taught screens by node, what each is the same as whatever it wears, and the screens seen."""

    taught: Mapping[str, Read]
    same: Mapping[str, str]
    seen: tuple[Sight, ...]


class Fold(NamedTuple):
    """One third of the programs and one of the style sheets."""

    program: int
    kit: int

    def holds(self, sight: Sight) -> bool:
        """Whether it is measured here: both are of these thirds."""
        return third(sight.program) == self.program and third(sight.kit) == self.kit

    def fits(self, sight: Sight) -> bool:
        """Whether it may be fitted to: neither is."""
        return third(sight.program) != self.program and third(sight.kit) != self.kit


FOLDS_OF_BOTH = tuple(Fold(program, kit) for program in range(FOLDS) for kit in range(FOLDS))


def third(name: str) -> int:
    return zlib.crc32(f"{name}{_SALT}".encode()) % FOLDS


def world(*, kept: bool = False) -> World:
    """Both parts; `kept` takes the pictures that were read already, by whatever code, and leaves out the others."""
    return joined((_programs(kept=kept), _pages(kept=kept)))


def joined(worlds: Iterable[World]) -> World:
    taught, same, seen = dict[str, Read](), dict[str, str](), list[Sight]()
    for one in worlds:
        taught |= one.taught
        same |= one.same
        seen += one.seen
    return World(taught, same, tuple(seen))


def _programs(*, kept: bool) -> World:
    folder = FOLDER / "nodes"
    reads = read_all(load(folder), folder, kept=kept, unread=not kept)
    taught = {read.screen.family: read for read in reads if read.screen.variant["role"] == "taught"}
    seen = [
        Sight(
            read=read, part="nodes", kind=str(read.screen.variant["changes"]),
            node=read.screen.family if read.screen.family in taught else "",
            same=read.screen.family, program=str(read.screen.variant["app"]), kit=str(read.screen.variant["style"]),
        )
        for read in reads
        if read.screen.variant["role"] == "seen"
    ]  # fmt: skip
    return World(taught, {name: name for name in taught}, tuple(seen))


def _pages(*, kept: bool) -> World:
    """A page in two dresses or three is one screen; those of the made-up programs are the ones of `nodes`."""
    screens, kinds = list[Screen](), dict[str, str]()
    for file in sorted((DRIFT / "web").glob("*.json")):
        made = load_pairs(file).screens
        screens += made
        kinds |= {screen.name: file.stem for screen in made}
    reads = read_all(screens, DRIFT / "web", kept=kept, unread=not kept, kept_in=READINGS / "drift")
    same = {case.name: case.screen.name if case.screen else case.family for case in cases()}
    program = {case.name: case.app if case.screen else case.family for case in cases()}
    taught = {read.screen.name: read for read in reads if kinds[read.screen.name] == "taught"}
    seen = []
    for read in reads:
        name = next((case for case in sorted(same, key=len, reverse=True) if read.screen.name.startswith(case)), "")
        if name and kinds[read.screen.name] != "taught":
            node, kit = name if name in taught else "", str(read.screen.variant["style"])
            seen.append(
                Sight(
                    read=read, part="drift", kind=kinds[read.screen.name], node=node, same=same[name],
                    program=program[name], kit=kit,
                )
            )  # fmt: skip
    return World(taught, {name: same[name] for name in taught}, tuple(seen))


def reference(read: Read, *, window: bool = True) -> Reference:
    """What the product would keep of a taught picture; without the window where none is ever known (Citrix)."""
    reading = Reading(picture=read.digest, maker="corpus", size=read.size, texts=read.texts, elements=read.elements)
    taught_in = read.window if window else None
    return Reference(picture=read.digest, reading=reading, embedding=read.embedding, window=taught_in)


def masked(state: ScreenState, mask: str) -> ScreenState:
    """The screen without one of its signs."""
    if mask.startswith("texts"):
        window = None if mask.endswith("window") else state.window
        return replace(state, texts=(), elements=(), text_method="", degraded=True, window=window)
    without: dict[str, dict[str, Any]] = {
        "nothing": {}, "window": {"window": None}, "elements": {"elements": ()}, "look": {"embedding": None},
    }  # fmt: skip
    return replace(state, **without[mask])
