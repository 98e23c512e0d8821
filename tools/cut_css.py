"""Cut the vendored style sheet down to the rules that the product's pages can use.

    python tools/cut_css.py            writes the cut sheet; to be run when a template or script uses more of it
    python tools/cut_css.py --check    says whether the sheet that is there is the one that would be written

A selector stays if all classes, ids and attributes in it are words of a template, a script, or a Python file that
writes HTML, wherever they stand there: what is put together at run time stays too, as long as each whole name is
written out. Then the variables and animations that nothing is left to use go.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tinycss2

ROOT = Path(__file__).resolve().parent.parent
WHOLE = ROOT / "tools" / "vendor" / "tabler.min.css"
CUT = ROOT / "rpa_site" / "static" / "rpa_site" / "vendor" / "tabler.min.css"
FOLDERS = ("templates", "rpa_site", "workflows", "gpu", "execution", "analytics")
WRITES_HTML = re.compile(r"""class=\\?["']|["']class["']""")
WORD = re.compile(r"[A-Za-z_][\w-]*")
VARIABLE = re.compile(r"--[\w-]+")
CONDITIONAL = ("media", "supports")


@dataclass(frozen=True)
class Rule:
    """One rule: its head, and the declarations (name and whole text) or the rules inside."""

    head: str
    declarations: tuple[tuple[str, str], ...] = ()
    rules: tuple[Rule, ...] = ()
    whole: str = ""  # of a rule that is taken as it is

    def __str__(self) -> str:
        inside = ";".join(text for _, text in self.declarations) or "".join(map(str, self.rules))
        return self.whole or f"{self.head}{{{inside}}}"


def sources() -> Iterator[str]:
    """The text of all that makes pages."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if "vendor" in path.parts or path.suffix not in (".html", ".js", ".css", ".py"):
                continue
            text = path.read_text()
            if path.suffix != ".py" or WRITES_HTML.search(text):
                yield text


def cut(sheet: str, pages: Iterable[str]) -> str:
    """The rules of `sheet` that `pages` (templates, scripts, style sheets) can use."""
    text = "\n".join(pages)
    rules = tuple(usable(tinycss2.parse_stylesheet(sheet, True, True), frozenset(WORD.findall(text))))
    written = ""
    while written != (written := "".join(map(str, rules))):  # a variable may stand in another one that goes
        known = set(VARIABLE.findall(text)) | {name for rule in rules for name in used_by(rule)}
        moving = set(WORD.findall(" ".join(animations(rules))))
        rules = tuple(needed(rules, known, moving))
    return written + "\n"


def usable(nodes: Iterable[Any], words: frozenset[str]) -> Iterator[Rule]:
    """The rules that a page made of those words can have something for."""
    for node in nodes:
        if node.type == "qualified-rule":
            fit = [tinycss2.serialize(one).strip() for one in selectors(node.prelude) if names_in(one) <= words]
            if fit:
                yield Rule(",".join(fit), declarations=tuple(declared(node.content)))
        elif node.type == "at-rule" and node.lower_at_keyword in CONDITIONAL:
            inside = tuple(usable(tinycss2.parse_rule_list(node.content, True, True), words))
            if inside:
                yield Rule(f"@{node.at_keyword}{tinycss2.serialize(node.prelude)}", rules=inside)
        else:
            yield Rule(f"@{node.at_keyword}{tinycss2.serialize(node.prelude)}", whole=node.serialize())


def selectors(prelude: Iterable[Any]) -> Iterator[list[Any]]:
    """The tokens of each selector of a list."""
    part: list[Any] = []
    for one in prelude:
        if one == ",":
            yield part
            part = []
        else:
            part.append(one)
    yield part


def names_in(tokens: Iterable[Any]) -> set[str]:
    """The classes, ids and attributes that a selector names, those inside :not(…) and the like left out."""
    found: set[str] = set()
    before: Any = None
    for one in tokens:
        if (one.type == "ident" and before == ".") or one.type == "hash":
            found.add(one.value)
        elif one.type == "[] block":
            found |= {next(inner.value for inner in one.content if inner.type == "ident")}
        before = one
    return found


def declared(content: list[Any]) -> Iterator[tuple[str, str]]:
    for one in tinycss2.parse_blocks_contents(content, True, True):
        if one.type == "declaration":
            value = tinycss2.serialize(one.value).strip()
            yield one.name, f"{one.name}:{value}{'!important' if one.important else ''}"


def used_by(rule: Rule) -> Iterator[str]:
    """The variables whose values a rule asks for."""
    for _, text in rule.declarations:
        yield from VARIABLE.findall(text.partition(":")[2])
    for inner in rule.rules:
        yield from used_by(inner)


def animations(rules: Iterable[Rule]) -> Iterator[str]:
    for rule in rules:
        yield from (text for name, text in rule.declarations if name.startswith("animation"))
        yield from animations(rule.rules)


def needed(rules: Iterable[Rule], variables: set[str], moving: set[str]) -> Iterator[Rule]:
    """The rules without variables that none asks for, and without animations that none names."""
    for rule in rules:
        if rule.whole:
            kind, _, name = rule.head.partition(" ")
            if kind == "@charset" or name.strip() in variables | moving:
                yield rule
        elif rule.rules:
            inside = tuple(needed(rule.rules, variables, moving))
            if inside:
                yield replace(rule, rules=inside)
        else:
            left = tuple((name, text) for name, text in rule.declarations if name[:2] != "--" or name in variables)
            if left:
                yield replace(rule, declarations=left)


def main(arguments: list[str]) -> int:
    small = cut(WHOLE.read_text(), sources())
    if arguments == ["--check"]:
        return int(small != CUT.read_text())
    CUT.write_text(small)
    print(f"{CUT.name}: {len(small) / 1000:.0f} kB of {WHOLE.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
