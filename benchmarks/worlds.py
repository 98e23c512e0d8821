"""What the matching is fitted to and measured on: taught screens, and the same ones seen changed.

Three parts of the corpus together: `nodes`, where the data always differs and much of a program is alike, the pages of
`drift`, where everything else differs: the dress, the icons, the scale, the wording, what lies over it, and its real
programs, with their menus and dialogs. What is compared is what the product's own eyes made of the pictures.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.drift.cases import cases
from benchmarks.drift.pairs import FOLDER as DRIFT
from benchmarks.drift.pairs import load as load_pairs
from benchmarks.drift.pairs import screen_of
from benchmarks.readings import FOLDER as READINGS
from benchmarks.readings import Read, read_all
from benchmarks.screens.corpus import FOLDER, Screen, load
from execution.matching import Reading, Reference

FOLDS = 3  # of the programs: what is told of one third was fitted to the others
_SALT = 161  # with it the thirds are of about the same size
ANOTHER_LANGUAGE = "language"  # a program that speaks another language is another screen to whoever reads it
COVERED = "covered"  # something lies over it: not the screen itself
_WEB_KINDS = ("covered", "data", "font", "icons", "language", "moved", "neighbours", "order", "remote", "renamed",
              "resized", "rows", "scale", "scrolled", "theme")  # fmt: skip
# Of the real programs: states that show nothing else than another one, but for data or a bar.
_ONE_SCREEN = {
    "gtk3-demo-search": "gtk3-demo-main", "featherpad-find": "featherpad-main", "meld-find": "meld-main",
    "galculator-typed": "galculator-main", "homebank-menu": "homebank-main", "pcmanfm-list": "pcmanfm-main",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A screen seen. `node` is the taught one that it is, "" where that was never taught; `kind` what was changed.

    `same` names the screen whatever it wears, `program` the program or the page.
    """

    read: Read
    part: str
    kind: str
    node: str
    same: str
    program: str


class World(NamedTuple):
    """The taught screens by node, what each is the same as whatever it wears, and the screens seen."""

    taught: Mapping[str, Read]
    same: Mapping[str, str]
    seen: tuple[Sight, ...]


def third(name: str) -> int:
    return zlib.crc32(f"{name}{_SALT}".encode()) % FOLDS


def world(*, kept: bool = False) -> World:
    """All parts; `kept` takes the pictures that were read already, by whatever code, and leaves out the others."""
    programs = [_programs(kept=kept)] if (FOLDER / "nodes").is_dir() else []
    return joined((*programs, _pages(kept=kept), _desktop(kept=kept)))


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
            same=read.screen.family, program=str(read.screen.variant["app"]),
        )
        for read in reads
        if read.screen.variant["role"] == "seen"
    ]  # fmt: skip
    return World(taught, {name: name for name in taught}, tuple(seen))


def _pages(*, kept: bool) -> World:
    """A page in two dresses or three is one screen; those of the made-up programs are the ones of `nodes`."""
    screens, kinds = list[Screen](), dict[str, str]()
    for file in sorted((DRIFT / "web").glob("*.json")):
        if file.stem not in (*_WEB_KINDS, "taught"):
            continue
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
            kind, node = kinds[read.screen.name], name if name in taught else ""
            seen.append(Sight(read=read, part="drift", kind=kind, node=node, same=same[name], program=program[name]))
    return World(taught, {name: same[name] for name in taught}, tuple(seen))


def _desktop(*, kept: bool) -> World:
    """Real programs: each state in the dress that it was taught in, and in others."""
    files = sorted((DRIFT / "apps" / "shown").glob("*.json"))
    rows = [row["screen"] for file in files for row in json.loads(file.read_text())]
    screens = [screen_of(row) for row in rows if row["variant"]["look"] != "fr"]
    reads = read_all(screens, DRIFT / "apps", kept=kept, unread=not kept, kept_in=READINGS / "drift")
    taught, seen = dict[str, Read](), list[Sight]()
    for read in reads:
        look, program = str(read.screen.variant["look"]), str(read.screen.variant["app"])
        name = f"{program}-{read.screen.variant['state']}"
        if look == "taught":
            taught[name] = read
        else:
            same = _ONE_SCREEN.get(name, name)
            seen.append(Sight(read=read, part="apps", kind=look, node=name, same=same, program=program))
    seen = [sight for sight in seen if sight.node in taught]
    return World(taught, {name: _ONE_SCREEN.get(name, name) for name in taught}, tuple(seen))


def reference(read: Read, *, window: bool = True) -> Reference:
    """What the product would keep of a taught picture; without the window where none is ever known (Citrix)."""
    reading = Reading(picture=read.digest, maker="corpus", size=read.size, texts=read.texts, elements=read.elements)
    taught_in = read.window if window else None
    return Reference(picture=read.digest, reading=reading, embedding=read.embedding, window=taught_in)
