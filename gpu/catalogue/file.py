"""A YAML file of models, read with every error named by its line; one error, and nothing of it is used (S4.1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from gpu.catalogue.entries import NOT_HERE, Entry
from gpu.choices import Capability, ProviderName, Tier
from gpu.exceptions import CatalogueErrors

LARGEST_FILE = 1024 * 1024
LARGEST_NUMBER = 100_000_000  # MB or tokens; more is a slip of the hand, and more than a row can hold
SMALLEST_CONTEXT = 512
KEY = re.compile(r"[A-Za-z0-9_-]{1,100}")
TIERS = {tier.name.lower(): tier for tier in Tier}


def read_file(path: Path) -> tuple[Entry, ...]:
    """The models of a file; raises CatalogueErrors with every error that is in it."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise CatalogueErrors(str(path), [(0, f"cannot be read: {error.strerror or error}")]) from error
    if len(data) > LARGEST_FILE:
        raise CatalogueErrors(str(path), [(0, f"is larger than {LARGEST_FILE // 1024} KB: that is no catalogue")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CatalogueErrors(str(path), [(line, "is not written in UTF-8")]) from error
    return read(text, source=str(path))


def read(text: str, *, source: str) -> tuple[Entry, ...]:
    """The models of a text; raises CatalogueErrors with every error that is in it, each with its line."""
    reader = _Reader()
    found = reader.file(_composed(text, source))
    if reader.problems:
        raise CatalogueErrors(source, reader.problems)
    return tuple(found)


def _composed(text: str, source: str) -> yaml.Node | None:
    """The nodes with their places: constructed values have none."""
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part)
        raise CatalogueErrors(source, [(mark.line + 1 if mark else 0, f"is no YAML: {words}")]) from error
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise CatalogueErrors(source, [(line, f"a character that YAML does not allow: {error.character!r}")]) from error
    except RecursionError as error:
        raise CatalogueErrors(source, [(0, "is nested too deeply: that is no catalogue")]) from error


class _Reader:
    """Takes nodes apart; what is wrong is noted, and reading goes on."""

    def __init__(self) -> None:
        self.problems: list[tuple[int, str]] = []
        self._lines: dict[tuple[str, ...], int] = {}

    def file(self, node: yaml.Node | None) -> list[Entry]:
        if node is None:
            self.problems.append((0, "is empty: it must hold `models:` and a list of them"))
            return []
        if not isinstance(node, yaml.MappingNode):
            self._wrong(node, "the file must hold `models:` and a list of them")
            return []
        fields = self._fields(node, "the file", known=("models",))
        if "models" not in fields:
            if not any("unknown field" in what for _line, what in self.problems):
                self._wrong(node, "the file must hold `models:` and a list of them")
            return []
        models = fields["models"]
        if not isinstance(models, yaml.SequenceNode) or not models.value:
            self._wrong(models, f"models: must be a list of models, it is {_kind(models)}")
            return []
        return [entry for item in models.value if (entry := self._model(item)) is not None]

    def _model(self, node: yaml.Node) -> Entry | None:
        if not isinstance(node, yaml.MappingNode):
            self._wrong(node, f"a model must be fields and values (`key: …`), it is {_kind(node)}")
            return None
        before = len(self.problems)
        fields = self._fields(node, "a model", known=tuple(_FIELDS))
        for name in _REQUIRED:
            if name not in fields:
                self._wrong(node, f"a model has no {name}")
        values = {name: _FIELDS[name](self, name, value) for name, value in fields.items()}
        self._once(fields, values)
        return Entry(**values) if len(self.problems) == before else None

    def _fields(self, node: yaml.MappingNode, of: str, *, known: tuple[str, ...]) -> dict[str, yaml.Node]:
        found: dict[str, yaml.Node] = {}
        for name_node, value in node.value:
            name = name_node.value if isinstance(name_node, yaml.ScalarNode) else "?"
            if name in NOT_HERE and "key" in known:
                self._wrong(name_node, f"{name}: {NOT_HERE[name]}")
            elif name not in known:
                self._wrong(name_node, f"unknown field “{name}”: {of} has {', '.join(known)}")
            elif name in found:
                first = found[name].start_mark.line + 1
                self._wrong(name_node, f"{name} is given twice, first in line {first}")
            else:
                found[name] = value
        return found

    def _once(self, fields: dict[str, yaml.Node], values: dict[str, Any]) -> None:
        """No two models with one key, nor with one name at one provider."""
        provider = str(values.get("provider", ProviderName.OLLAMA))
        for what, which in (("key", ("key",)), ("name", (provider, "name"))):
            if not values.get(what):
                continue
            line = fields[what].start_mark.line + 1
            first = self._lines.setdefault((*which, str(values[what])), line)
            if first != line:
                self._wrong(fields[what], f"{what}: “{values[what]}” is taken by the model in line {first}")

    # --- values -----------------------------------------------------------------------------------------------------
    def key(self, name: str, node: yaml.Node) -> str:
        text = self.text(name, node)
        if text and not KEY.fullmatch(text):
            self._wrong(node, f"{name}: only letters, figures, - and _, it is “{text[:60]}”")
        return text

    def text(self, name: str, node: yaml.Node) -> str:
        value = self._scalar(node, "str")
        if value is None or not str(value).strip():
            hint = " (put it in quotes)" if isinstance(node, yaml.ScalarNode) and node.value else ""
            self._wrong(node, f"{name}: must be a text, it is {_kind(node)}{hint}")
            return ""
        if name == "name" and len(str(value)) > 200:
            self._wrong(node, f"{name}: at most 200 letters, it has {len(str(value))}")
        return str(value)

    def note(self, name: str, node: yaml.Node) -> str:
        return "" if node.tag == "tag:yaml.org,2002:null" else self.text(name, node)

    def number(self, name: str, node: yaml.Node) -> int:
        value = self._scalar(node, "int")
        if value is None:
            self._wrong(node, f"{name}: must be a whole number{_UNITS[name]}, it is {_kind(node)}")
            return 0
        if value < 0:
            self._wrong(node, f"{name}: cannot be negative, it is {value}")
        elif value > LARGEST_NUMBER:
            self._wrong(node, f"{name}: {value} is too large")
        elif name == "context_length" and value < SMALLEST_CONTEXT:
            self._wrong(node, f"{name}: must be at least {SMALLEST_CONTEXT} tokens, it is {value}")
        return int(value)

    def yes_or_no(self, name: str, node: yaml.Node) -> bool:
        value = self._scalar(node, "bool")
        if value is None:
            self._wrong(node, f"{name}: must be yes or no, it is {_kind(node)}")
        return bool(value)

    def provider(self, name: str, node: yaml.Node) -> ProviderName:
        return self._one_of(name, node, {one.value: one for one in ProviderName}, ProviderName.OLLAMA)

    def tier(self, name: str, node: yaml.Node) -> Tier:
        return self._one_of(name, node, TIERS, Tier.STANDARD)

    def capabilities(self, name: str, node: yaml.Node) -> frozenset[str]:
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self._wrong(node, f"{name}: must be a list such as [text, vision], it is {_kind(node)}")
            return frozenset()
        known = {one.value: one.value for one in Capability}
        found = frozenset(self._one_of(name, item, known, "") for item in node.value)
        if not found & {Capability.TEXT.value, ""}:
            self._wrong(node, f"{name}: every model here answers in text: add text")
        return found

    def _one_of(self, name: str, node: yaml.Node, known: dict[str, Any], otherwise: Any) -> Any:
        text = node.value if isinstance(node, yaml.ScalarNode) else ""
        if text not in known:
            self._wrong(node, f"{name}: must be of {', '.join(known)}, it is {_kind(node)}")
        return known.get(text, otherwise)

    def _scalar(self, node: yaml.Node, kind: str) -> Any:
        """The value of a scalar of that kind of YAML's; None where it is something else."""
        if not isinstance(node, yaml.ScalarNode) or node.tag != f"tag:yaml.org,2002:{kind}":
            return None
        try:
            return yaml.SafeLoader("").construct_object(node)
        except (ValueError, yaml.YAMLError):
            return None

    def _wrong(self, node: yaml.Node, what: str) -> None:
        self.problems.append((node.start_mark.line + 1, what))


_FIELDS: dict[str, Callable[[_Reader, str, yaml.Node], Any]] = {
    "key": _Reader.key,
    "name": _Reader.text,
    "provider": _Reader.provider,
    "capabilities": _Reader.capabilities,
    "tier": _Reader.tier,
    "vram_mb": _Reader.number,
    "ram_mb": _Reader.number,
    "context_length": _Reader.number,
    "enabled": _Reader.yes_or_no,
    "note": _Reader.note,
}
_REQUIRED = ("key", "name", "capabilities", "tier", "vram_mb", "ram_mb", "context_length")
_UNITS = {"vram_mb": " of MB", "ram_mb": " of MB", "context_length": " of tokens"}


def _kind(node: yaml.Node) -> str:
    """What stands there, in words."""
    if isinstance(node, yaml.SequenceNode):
        return "a list" if node.value else "an empty list"
    if isinstance(node, yaml.MappingNode):
        return "fields and values"
    return f"“{str(node.value)[:60]}”" if node.value else "nothing"
