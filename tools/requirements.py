"""Which test proves which requirement of docs/requirements.md, by what the tests cite.

    python tools/requirements.py             print the files of tests of each number (`make requirements`)
    python tools/requirements.py S9.2 T8     print each test that cites these

A test cites by its docstring, by that of its class or module, or by its name (`test_s1_22_no_leap`); "S9.1 to S9.4" is
four numbers. Other Python cites in comments and docstrings, everything else wherever the number stands.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "requirements.md"
NUMBER = r"(?:S\d{1,2}(?:\.\d{1,2}){0,2}|[ABC]\.\d(?:\.\d{1,2})?|[DU]\d{1,2}|T\d{1,2})"
CITED = re.compile(rf"(?<![\w.])({NUMBER})(?: to ({NUMBER}))?(?![\w-]|\.\d)")
OF_THE_THIRTEEN = re.compile(r"\((\d{1,2})\)")  # "S3.11 (7) and (12)"
IN_A_NAME = re.compile(r"^test_s(\d{1,2})_(\d{1,2})(?=_|$)")
ENTRY = re.compile(rf"^\*\*({NUMBER})\*\* ")
CHAPTER = re.compile(r"^## (\w+) ")
TEXT = (".py", ".md", ".html", ".js", ".json", ".css", ".toml", ".sh", ".txt", ".yml", "Makefile")
NOT_OURS = ("/vendor/", "/static/rpa_site/tabler", "/locale/")
OTHER_NUMBERS = ("pyproject.toml", "requirements")  # codes of tools, versions


@dataclass(frozen=True, slots=True)
class Citation:
    """`test` is empty outside of tests, and where a whole file of tests cites."""

    number: str
    path: str  # from the root of the repository
    line: int
    test: str = ""

    def __str__(self) -> str:
        return f"{self.path}::{self.test}" if self.test else self.path


def tracked() -> list[str]:
    """What git keeps or would keep, without what is ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


def numbers_in(text: str) -> Iterator[str]:
    for first, last in CITED.findall(text):
        yield from _from_to(first, last) if last else [first]
    for said in re.finditer(r"\bS3\.11((?:,| and)? \(\d{1,2}\))+", text):
        yield from (f"S3.11.{one}" for one in OF_THE_THIRTEEN.findall(said[0]))


def _from_to(first: str, last: str) -> list[str]:
    stem, begin = _cut(first)
    other, end = _cut(last)
    if stem != other or end < begin:
        return [first, last]
    return [f"{stem}{one}" for one in range(begin, end + 1)]


def _cut(number: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.*?)(\d+)", number)
    assert found is not None
    return found[1], int(found[2])


def proofs(path: str, source: str) -> Iterator[Citation]:
    """What a file of tests proves: by each docstring and name of a test, its class or the module."""
    yield from _proofs(ast.parse(source), path)


def _proofs(node: ast.Module | ast.ClassDef, path: str, above: str = "") -> Iterator[Citation]:
    for number in numbers_in(ast.get_docstring(node) or ""):
        yield Citation(number, path, getattr(node, "lineno", 1), above)
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _proofs(child, path, f"{above}::{child.name}".lstrip(":"))
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name.startswith("test_"):
            name = f"{above}::{child.name}".lstrip(":")
            named = IN_A_NAME.match(child.name)
            cited = {f"S{named[1]}.{named[2]}"} if named else set()
            for number in sorted(cited | set(numbers_in(ast.get_docstring(child) or ""))):
                yield Citation(number, path, child.lineno, name)


def citations(path: str, text: str) -> Iterator[Citation]:
    """Every number that a file cites, test or not."""
    pieces = _comments_and_docstrings(text) if path.endswith(".py") else enumerate(text.splitlines(), 1)
    for line, piece in pieces:
        for number in numbers_in(piece):
            yield Citation(number, path, line)


def _comments_and_docstrings(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""


def is_ours(path: str) -> bool:
    """Whether it is text that was written here."""
    return path.endswith(TEXT) and not any(part in path for part in NOT_OURS)


def cites(path: str) -> bool:
    """Whether numbers that stand in the file are numbers of requirements."""
    return is_ours(path) and not path.startswith(OTHER_NUMBERS) and ROOT / path != DOCUMENT


def all_citations() -> list[Citation]:
    texts = ((path, (ROOT / path).read_text()) for path in tracked() if cites(path))
    return [one for path, text in texts if CITED.search(text) for one in citations(path, text)]


def all_proofs() -> dict[str, list[Citation]]:
    """The tests of each number, in the order of their files."""
    tests = [path for path in tracked() if re.fullmatch(r"tests/(.*/)?test_\w+\.py", path)]
    found: dict[str, list[Citation]] = {}
    for path in tests:
        for one in proofs(path, (ROOT / path).read_text()):
            found.setdefault(one.number, []).append(one)
    return found


def numbers_of(document: str) -> list[str]:
    """The numbers that have a sentence."""
    return [found[1] for line in document.splitlines() if (found := ENTRY.match(line))]


def chapters_of(document: str) -> list[str]:
    return [found[1] for line in document.splitlines() if (found := CHAPTER.match(line))]


def main() -> None:
    parser = argparse.ArgumentParser(description="Which test proves which requirement.")
    parser.add_argument("numbers", nargs="*", help="print each test of these")
    asked = parser.parse_args()
    numbers, found = numbers_of(DOCUMENT.read_text()), all_proofs()
    for number in asked.numbers or numbers:
        named = dict.fromkeys(str(one) if asked.numbers else one.path for one in found.get(number, []))
        print("\n  ".join([number, *(named or ["no test"])]))
    if not asked.numbers:
        without = [number for number in numbers if number not in found]
        print(f"{len(numbers)} requirements, {len(without)} without a test: {', '.join(without) or 'none'}")


if __name__ == "__main__":
    main()
