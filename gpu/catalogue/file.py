"""A YAML file of models, read with every error named by its line; one error, and nothing of it is used (S4.1)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from django.conf import settings

from gpu.catalogue.entries import NOT_HERE, ModelEntry, load
from gpu.choices import Capability, ProviderName, Tier
from gpu.exceptions import CatalogueErrors
from gpu.models import CatalogueModel

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

log = logging.getLogger(__name__)

SEED = Path(__file__).with_name("models.yaml")
LARGEST_FILE = 1024 * 1024
LARGEST_NUMBER = 100_000_000  # MB or tokens; more is a slip of the hand, and more than a row can hold
DEPTH = 4  # the file, its models, a model, its capabilities: what aliases multiply below that is not looked at

_MEMORY = {
    "type": "integer",
    "minimum": 0,
    "maximum": LARGEST_NUMBER,
    "must": f"be a whole number of MB up to {LARGEST_NUMBER}",
}
_FIELDS: dict[str, dict[str, Any]] = {
    "key": {"type": "string", "pattern": r"\A[A-Za-z0-9_-]{1,100}\Z", "must": "be a text of letters, figures, - and _"},
    "name": {"type": "string", "pattern": r"\S", "maxLength": 200, "must": "be a text of at most 200 letters"},
    "provider": {"enum": ProviderName.values},
    "capabilities": {
        "type": "array",
        "must": "be a list such as [text, vision], with text in it",
        "items": {"enum": Capability.values},
        "contains": {"const": Capability.TEXT.value},
    },
    "tier": {"enum": [tier.name.lower() for tier in Tier]},
    "vram_mb": _MEMORY,
    "ram_mb": _MEMORY,
    "context_length": {
        "type": "integer",
        "minimum": 512,
        "maximum": LARGEST_NUMBER,
        "must": f"be a whole number of tokens from 512 to {LARGEST_NUMBER}",
    },
    "enabled": {"type": "boolean", "must": "be yes or no"},
    "note": {"type": ["string", "null"], "must": "be a text"},
}
_MODEL = {
    "type": "object",
    "must": "be fields and values (`key: …`)",
    "properties": _FIELDS,
    "required": ["key", "name", "capabilities", "tier", "vram_mb", "ram_mb", "context_length"],
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "must": "hold `models:` and a list of them",
    "properties": {"models": {"type": "array", "minItems": 1, "must": "be a list of models", "items": _MODEL}},
    "required": ["models"],
    "additionalProperties": False,
}

Problems = list[tuple[int, str]]  # the line, and what is wrong there


def path_of_file() -> Path:
    """The file of the settings, or the product's own."""
    return Path(settings.RPA_MODEL_CATALOGUE) if settings.RPA_MODEL_CATALOGUE else SEED


def fill_catalogue(sender: Any, using: str = "default", **kwargs: Any) -> None:
    """An empty one, after migrations; a file with errors costs the models, not the migration."""
    if using != "default" or CatalogueModel.objects.exists():
        return
    try:
        load(_read_once(path_of_file()))
    except CatalogueErrors as error:
        log.error("the catalogue of models stays empty:\n%s", error)


def read_file(path: Path) -> tuple[ModelEntry, ...]:
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


_read_once = lru_cache(maxsize=1)(read_file)


def read(text: str, *, source: str) -> tuple[ModelEntry, ...]:
    """The models of a text; raises CatalogueErrors with every error that is in it, each with its line."""
    from jsonschema import Draft202012Validator

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)  # nodes know their lines, values do not
        if node is None:
            raise CatalogueErrors(source, [(0, "is empty: it must hold `models:` and a list of them")])
        problems: Problems = []
        value = _value(node, problems)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part)
        raise CatalogueErrors(source, [(mark.line + 1 if mark else 0, f"is no YAML: {words}")]) from error
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise CatalogueErrors(source, [(line, f"a character that YAML does not allow: {error.character!r}")]) from error
    except RecursionError as error:
        raise CatalogueErrors(source, [(0, "is nested too deeply: that is no catalogue")]) from error
    problems += [one for error in Draft202012Validator(_SCHEMA).iter_errors(value) for one in _problems_of(error, node)]
    if not problems:
        problems += _taken(value["models"], node)
    if problems:
        raise CatalogueErrors(source, problems)
    return tuple(_entry(model) for model in value["models"])


def _value(node: yaml.Node, problems: Problems, depth: int = 0) -> Any:
    """What a node holds; a field that is given twice is a problem."""
    if isinstance(node, yaml.ScalarNode):
        try:
            return yaml.SafeLoader("").construct_object(node)
        except ValueError:  # the 99th of a month
            return None
    if depth >= DEPTH:
        return None
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, problems, depth + 1) for item in node.value]
    lines: dict[str, int] = {}
    for name, _value_node in node.value:
        line = name.start_mark.line + 1
        first = lines.setdefault(_shown(name), line)
        if first != line:
            problems.append((line, f"{_shown(name)} is given twice, first in line {first}"))
    return {_shown(name): _value(value, problems, depth + 1) for name, value in node.value}


def _problems_of(error: ValidationError, root: yaml.Node) -> Iterator[tuple[int, str]]:
    """What a person is told of an error: where it is, what must stand there, and what does."""
    node, name = _node_at(root, error.absolute_path)
    line = node.start_mark.line + 1
    if error.validator == "additionalProperties":
        of = "a model" if error.absolute_path else "the file"
        for field, _value_node in node.value:
            if (unknown := _shown(field)) not in error.schema["properties"]:
                known = f"unknown field “{unknown}”: {of} has {', '.join(error.schema['properties'])}"
                what = f"{unknown}: {NOT_HERE[unknown]}" if of == "a model" and unknown in NOT_HERE else known
                yield field.start_mark.line + 1, what
    elif error.validator == "required":
        if error.absolute_path:
            missing = next(field for field in error.validator_value if f"'{field}'" in error.message)
            yield line, f"a model has no {missing}"
        elif not error.instance:  # else another field stands in its place, which is told
            yield line, f"the file: must {error.schema['must']}"
    elif error.validator != "contains" or set(map(str, error.instance)) <= set(Capability.values):
        must = error.schema.get("must") or f"be of {', '.join(error.schema['enum'])}"
        yield line, f"{name or 'the file'}: must {must}, it is {_kind(node)}"


def _node_at(root: yaml.Node, path: Sequence[str | int]) -> tuple[yaml.Node, str]:
    """The node of a place, and the field that it belongs to."""
    node, name = root, ""
    for part in path:
        if isinstance(part, int):
            node, name = node.value[part], name if name != "models" else "a model"
        else:
            node, name = next(value for key, value in reversed(node.value) if _shown(key) == part), part
    return node, name


def _taken(models: Sequence[dict[str, Any]], root: yaml.Node) -> Problems:
    """No two models with one key, nor with one name at one provider."""
    problems: Problems = []
    first: dict[tuple[str, str], int] = {}
    for index, model in enumerate(models):
        for field, owner in (("key", ""), ("name", model.get("provider", ProviderName.OLLAMA))):
            line = _node_at(root, ["models", index, field])[0].start_mark.line + 1
            before = first.setdefault((f"{field} {owner}", model[field]), line)
            if before != line:
                problems.append((line, f"{field}: “{model[field]}” is taken by the model in line {before}"))
    return problems


def _entry(model: dict[str, Any]) -> ModelEntry:
    values = {
        "provider": ProviderName(model.get("provider", ProviderName.OLLAMA)),
        "capabilities": frozenset(model["capabilities"]),
        "tier": Tier[model["tier"].upper()],
        "note": model.get("note") or "",
    }
    return ModelEntry(**{**model, **values})


def _shown(node: yaml.Node) -> str:
    return node.value if isinstance(node, yaml.ScalarNode) else "?"


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.SequenceNode):
        return "a list" if node.value else "an empty list"
    if isinstance(node, yaml.MappingNode):
        return "fields and values"
    return f"“{str(node.value)[:60]}”" if node.value else "nothing"
