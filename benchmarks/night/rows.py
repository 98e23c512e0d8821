"""The rows of a night as a ward sends them, drawn from a seed: good ones, and what is wrong with the others."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openpyxl import Workbook

from benchmarks.night.records import AFTER, BEFORE, CRASH, Store

DIETS = ("Low salt", "Soft food", "Diabetic", "Vegetarian", "Clear soup")
_NAMES = ("GIRAUD", "PETIT", "SIMON", "BERNARD", "LEFEVRE", "FONTAINE", "ROUSSEL", "MERCIER", "BLANC", "GARNIER")
_FIRST = ("Louis", "Nadia", "Paul", "Claire", "Hugo", "Emma", "Lucas", "Alice", "Jules", "Rose")
_SAID = (
    "The printer of the kitchen has no paper.", "A new version comes on Monday.", "Three letters wait for you.",
    "The pharmacy is closed until six.", "Your password ends in five days.", "The menu of Sunday has changed.",
    "A colleague has this stay open.", "The kitchen asks for a call.",
)  # fmt: skip
_NO_DIET = "Whatever there is"  # not among those that are allowed
HEADS = ("Stay", "Patient", "Diet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    stay: str
    patient: str
    diet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """All lines of the file in their order, and what is wrong with which stays."""

    lines: Sequence[Line]
    unknown: frozenset[str]
    twice: frozenset[str]  # these stand in the file twice
    bad: frozenset[str]
    troubles: Mapping[str, tuple[str, str]]  # by stay: what kind, and what is said

    @property
    def good(self) -> dict[str, Line]:
        """The lines that come in, by stay."""
        return {line.stay: line for line in self.lines if line.stay not in self.bad}


def drawn(rows: int, *, seed: int) -> Night:
    """Of 200 rows 20 not found, 10 twice, 5 with a bad cell, 8 with a dialog and one crash; of fewer as many fewer."""
    chance = random.Random(seed)
    unknown, twice, bad, dialogs = (max(1, round(rows * share)) for share in (0.1, 0.05, 0.025, 0.04))
    lines = list(_lines(chance, rows - twice))
    stays = [line.stay for line in lines]
    chosen = chance.sample(stays, unknown + bad + dialogs + 1 + twice)
    parts = iter(chosen)
    no_such, spoilt = ([next(parts) for _ in range(n)] for n in (unknown, bad))
    troubles = {next(parts): (AFTER if n % 4 == 3 else BEFORE, _SAID[n % len(_SAID)]) for n in range(dialogs)}
    troubles[next(parts)] = (CRASH, "")
    again = list(parts)
    lines = [Line(stay=one.stay, patient=one.patient, diet=_NO_DIET) if one.stay in spoilt else one for one in lines]
    for line in [one for one in lines if one.stay in again]:
        lines.insert(chance.randrange(lines.index(line) + 1, len(lines) + 1), line)
    return Night(
        lines=lines,
        unknown=frozenset(no_such),
        twice=frozenset(again),
        bad=frozenset(spoilt),
        troubles=troubles,
    )


def _lines(chance: random.Random, number: int) -> Iterator[Line]:
    for stay in chance.sample(range(10_000, 99_000), number):
        patient = f"{chance.choice(_NAMES)} {chance.choice(_FIRST)}"
        yield Line(stay=f"{stay:07}", patient=patient, diet=chance.choice(DIETS))


def put_into(night: Night, store: Store) -> None:
    """The program knows all stays but those that are not found."""
    for line in night.good.values():
        if line.stay not in night.unknown:
            store.ask("INSERT INTO stays VALUES (?, ?)", line.stay, line.patient)
    for stay, (kind, said) in night.troubles.items():
        store.ask("INSERT INTO troubles (stay, kind, said) VALUES (?, ?, ?)", stay, kind, said)


def write_file(night: Night, path: Path) -> None:
    """A workbook as people make it: the number of a stay is a number, shown with its zeros by its format."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(HEADS)
    for line in night.lines:
        sheet.append((int(line.stay), line.patient, line.diet))
        sheet.cell(sheet.max_row, 1).number_format = "0000000"
    book.save(path)
