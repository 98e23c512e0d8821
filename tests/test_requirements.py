"""docs/requirements.md: every number that is cited stands there; and how a citation is told."""

from __future__ import annotations

import re
from os.path import normpath
from pathlib import PurePosixPath

import pytest

from tools import requirements as tool

DOCUMENT = tool.DOCUMENT.read_text()
ELSEWHERE = re.compile(
    r"\.\./shared|\bSPEC\b|\b(DESIGN|RELIABILITY|UI|STYLE|PEERS|SPEC)(\.md|,? (section )?[A-Z]?\d)|\bissues? #?\d"
)
NAMED = re.compile(r"(?<![\w*<>{}$/.-])[\w./-]*\w\.md\b")
TEST = '''
"""Turns (S1.5)."""

class TestDoor:
    """S10.1"""

    async def test_open(self):
        """S9.1 to S9.3: said in passing; T8."""

def test_s1_22_no_leap():
    text = "S7.7 is no citation, nor is T9 in a string"
    # S7.8: a comment is one, but proves nothing

def helper():
    """S3.1"""
'''


@pytest.mark.slow
def test_every_number_that_is_cited_stands_in_the_document() -> None:
    known = {*tool.numbers_of(DOCUMENT), *tool.chapters_of(DOCUMENT)}
    unknown = [f"{one.path}:{one.line} {one.number}" for one in tool.all_citations() if one.number not in known]
    assert unknown == [], "say in docs/requirements.md what they demand, or cite another number"


def test_every_number_stands_once() -> None:
    numbers = tool.numbers_of(DOCUMENT)
    assert len(numbers) > 150
    assert [number for number in numbers if numbers.count(number) > 1] == []


@pytest.mark.slow
def test_nothing_points_to_a_document_that_is_not_here() -> None:
    files = set(tool.tracked())
    found = []
    for path in filter(tool.is_ours, files - {"tests/test_requirements.py"}):
        text = (tool.ROOT / path).read_text()
        found += [f"{path}: {said[0]}" for said in ELSEWHERE.finditer(text)]
        beside = PurePosixPath(path).parent
        for name in NAMED.findall(text):
            if not {name, normpath(beside / name), f"docs/{name}"} & files:
                found.append(f"{path}: {name}")
    assert sorted(found) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("S1.9 to S1.11, C.2", ["S1.9", "S1.10", "S1.11", "C.2"]),
        ("(A.5.7 to A.5.9, A.4)", ["A.5.7", "A.5.8", "A.5.9", "A.4"]),
        ("S1.9 to S2.1", ["S1.9", "S2.1"]),
        ("S3.11 (7) and (12): both", ["S3.11", "S3.11.7", "S3.11.12"]),
        ("the end of S9.2.", ["S9.2"]),
        ("S4, T8; U1: D4", ["S4", "T8", "U1", "D4"]),
        ("room B.204, S101, v1.S1, wS1.2, a D4-key, S1.2.3.4", []),
    ],
)
def test_a_number_is_told_from_what_looks_like_one(text: str, numbers: list[str]) -> None:
    assert list(tool.numbers_in(text)) == numbers


def test_docstrings_and_names_of_tests_prove_and_nothing_else_does() -> None:
    proved = {(one.number, str(one)) for one in tool.proofs("t.py", TEST)}
    assert proved == {
        ("S1.5", "t.py"),
        ("S10.1", "t.py::TestDoor"),
        *((number, "t.py::TestDoor::test_open") for number in ("S9.1", "S9.2", "S9.3", "T8")),
        ("S1.22", "t.py::test_s1_22_no_leap"),
    }
    assert {one.number for one in tool.citations("t.py", TEST)} >= {"S1.5", "S9.2", "S7.8", "S3.1"}
    assert {one.number for one in tool.citations("t.py", TEST)} & {"S7.7", "T9"} == set()
