"""Which models there are to choose from: rows, and a file whose every error is named by its line (S4.1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import yaml
from django.conf import settings
from django.db import DatabaseError, transaction

from gpu.choices import Capability, ProviderName, Tier
from gpu.exceptions import CatalogueErrors, UnknownModel
from gpu.models import CatalogueModel
from gpu.ollama import tagged
from gpu.runtime import DatabaseThread
from gpu.types import CloudAllowed
from sentences.said import say

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

NOT_HERE = {
    "allow_remote": "catalogue.allow_remote",
    "held": "catalogue.held",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """One model of the catalogue. Memory in MB, the context in tokens."""

    key: str
    name: str
    provider: ProviderName = ProviderName.OLLAMA
    capabilities: frozenset[str] = frozenset({Capability.TEXT.value})
    tier: Tier = Tier.STANDARD
    vram_mb: int
    ram_mb: int
    context_length: int
    enabled: bool = True
    allow_remote: bool = False
    held: bool = False
    note: str = ""

    @classmethod
    def of(cls, row: CatalogueModel) -> Self:
        plain = {name: getattr(row, name) for name in cls.__dataclass_fields__}
        return cls(
            **{
                **plain,
                "provider": ProviderName(row.provider),
                "capabilities": frozenset(row.capabilities),
                "tier": Tier(row.tier),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What became of the models of a file, by their keys."""

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()  # they differ from the file, and people's changes stand
    same: tuple[str, ...] = ()


def entries() -> tuple[ModelEntry, ...]:
    return tuple(ModelEntry.of(row) for row in CatalogueModel.objects.all())


def find(among: Sequence[ModelEntry], named: str) -> ModelEntry:
    """The model of that key, or of that name at its provider; raises UnknownModel, which names those there are."""
    for entry in among:
        if named in (entry.key, entry.name):
            return entry
    known = ", ".join(sorted(entry.key for entry in among)) or "none"
    raise UnknownModel(say("model.unknown", name=named, known=known))


# --- into the database ----------------------------------------------------------------------------------------------
@transaction.atomic
def load(wanted: Sequence[ModelEntry], *, replace: bool = False) -> LoadReport:
    """Add what is new; what is there already stays as people have made it, or is replaced if that was asked for."""
    rows = {row.key: row for row in CatalogueModel.objects.select_for_update()}
    in_file = {entry.key for entry in wanted}
    if replace:
        _free_names(rows, wanted)
    owners = {(row.provider, row.name): key for key, row in rows.items() if not (replace and key in in_file)}
    told: dict[str, list[str]] = {"added": [], "replaced": [], "kept": [], "same": []}
    for entry in wanted:
        owner = owners.get((entry.provider, entry.name), entry.key)
        if owner != entry.key:
            told["kept"].append(f"{entry.key} (in the catalogue as {owner})")
        else:
            told[_load_one(entry, rows.get(entry.key), replace=replace)].append(entry.key)
    return LoadReport(**{word: tuple(keys) for word, keys in told.items()})


def _free_names(rows: dict[str, CatalogueModel], wanted: Sequence[ModelEntry]) -> None:
    """Where models of a file change names with one another, the names are free before they are given."""
    for entry in wanted:
        row = rows.get(entry.key)
        if row is not None and (row.provider, row.name) != (entry.provider, entry.name):
            CatalogueModel.objects.filter(pk=row.pk).update(name=f"({row.pk})")


def _load_one(entry: ModelEntry, row: CatalogueModel | None, *, replace: bool) -> str:
    columns = {name: value for name, value in asdict(entry).items() if name not in NOT_HERE}
    columns |= {"capabilities": sorted(entry.capabilities)}
    if row is None:
        CatalogueModel.objects.create(**columns)
        return "added"
    if all(_same(getattr(row, name), value) for name, value in columns.items()):
        return "same"
    if not replace:
        return "kept"
    if (row.provider, row.name) != (entry.provider, entry.name):
        row.allow_remote = False  # it was allowed to another model
    for name, value in columns.items():
        setattr(row, name, value)
    row.save()
    return "replaced"


def _same(here: Any, there: Any) -> bool:
    return sorted(here) == sorted(there) if isinstance(there, list) else bool(here == there)


log = logging.getLogger(__name__)

SEED = Path(__file__).with_name("catalogue.yaml")
LARGEST_FILE = 1024 * 1024
LARGEST_NUMBER = 100_000_000  # MB or tokens; more is a slip of the hand, and more than a row can hold
DEPTH = 4  # the file, its models, a model, its capabilities: what aliases multiply below that is not looked at

_MEMORY = {
    "type": "integer",
    "minimum": 0,
    "maximum": LARGEST_NUMBER,
    "must": "catalogue.must_memory",
}
_FIELDS: dict[str, dict[str, Any]] = {
    "key": {"type": "string", "pattern": r"\A[A-Za-z0-9_-]{1,100}\Z", "must": "catalogue.must_key"},
    "name": {"type": "string", "pattern": r"\S", "maxLength": 200, "must": "catalogue.must_name"},
    "provider": {"enum": ProviderName.values},
    "capabilities": {
        "type": "array",
        "must": "catalogue.must_capabilities",
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
        "must": "catalogue.must_context",
    },
    "enabled": {"type": "boolean", "must": "catalogue.must_switch"},
    "note": {"type": ["string", "null"], "must": "catalogue.must_text"},
}
_MODEL = {
    "type": "object",
    "must": "catalogue.must_fields",
    "properties": _FIELDS,
    "required": ["key", "name", "capabilities", "tier", "vram_mb", "ram_mb", "context_length"],
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "must": "catalogue.must_models",
    "properties": {"models": {"type": "array", "minItems": 1, "must": "catalogue.must_list", "items": _MODEL}},
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
        raise CatalogueErrors(str(path), [(0, say("catalogue.unreadable", error=error.strerror or error))]) from error
    if len(data) > LARGEST_FILE:
        raise CatalogueErrors(str(path), [(0, say("catalogue.too_large", limit=LARGEST_FILE // 1024))])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CatalogueErrors(str(path), [(line, say("catalogue.not_utf8"))]) from error
    return read(text, source=str(path))


_read_once = lru_cache(maxsize=1)(read_file)


def read(text: str, *, source: str) -> tuple[ModelEntry, ...]:
    """The models of a text; raises CatalogueErrors with every error that is in it, each with its line."""
    from jsonschema import Draft202012Validator

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)  # nodes know their lines, values do not
        if node is None:
            raise CatalogueErrors(source, [(0, say("catalogue.empty"))])
        problems: Problems = []
        value = _value(node, problems)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise CatalogueErrors(source, [(mark.line + 1 if mark else 0, say("catalogue.no_yaml"))]) from error
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise CatalogueErrors(
            source, [(line, say("catalogue.no_character", character=repr(error.character)))]
        ) from error
    except RecursionError as error:
        raise CatalogueErrors(source, [(0, say("catalogue.too_deep"))]) from error
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
            problems.append((line, say("catalogue.twice", field=_shown(name), first=str(first))))
    return {_shown(name): _value(value, problems, depth + 1) for name, value in node.value}


def _problems_of(error: ValidationError, root: yaml.Node) -> Iterator[tuple[int, str]]:
    """What a person is told of an error: where it is, what must stand there, and what does."""
    node, name = _node_at(root, error.absolute_path)
    line = node.start_mark.line + 1
    if error.validator == "additionalProperties":
        of = say("catalogue.a_model" if error.absolute_path else "catalogue.the_file")
        for field, _value_node in node.value:
            if (unknown := _shown(field)) not in error.schema["properties"]:
                known = list(error.schema["properties"])
                what = say("catalogue.unknown", field=unknown, what=of, known=known)
                if error.absolute_path and unknown in NOT_HERE:
                    what = say("value.labelled", label=unknown, what=say(NOT_HERE[unknown]))
                yield field.start_mark.line + 1, what
    elif error.validator == "required":
        if error.absolute_path:
            missing = next(field for field in error.validator_value if f"'{field}'" in error.message)
            yield line, say("catalogue.missing", field=missing)
        elif not error.instance:  # else another field stands in its place, which is told
            yield line, say("catalogue.must", field=say("catalogue.the_file"), must=say(error.schema["must"]))
    elif error.validator != "contains" or set(map(str, error.instance)) <= set(Capability.values):
        code = error.schema.get("must", "catalogue.must_one_of")
        must = say(code, most=LARGEST_NUMBER, known=error.schema.get("enum", ()))
        field = name or say("catalogue.the_file")
        yield line, say("catalogue.must_but_is", field=field, must=must, there=_kind(node))


def _node_at(root: yaml.Node, path: Sequence[str | int]) -> tuple[yaml.Node, str]:
    """The node of a place, and the field that it belongs to."""
    node, name = root, ""
    for part in path:
        if isinstance(part, int):
            node, name = node.value[part], name if name != "models" else say("catalogue.a_model")
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
                problems.append((line, say("catalogue.taken", field=field, text=model[field], first=str(before))))
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
        return say("catalogue.a_list" if node.value else "catalogue.empty_list")
    if isinstance(node, yaml.MappingNode):
        return say("catalogue.fields")
    return say("value.quoted", text=str(node.value)[:60]) if node.value else say("catalogue.nothing")


PATIENCE_S = 1.0  # a database that is away is not waited for


def allowed_elsewhere(provider: ProviderName, database: DatabaseThread) -> CloudAllowed:
    """Asked of models that would run on another machine, right before they are sent anything (T9)."""

    async def is_allowed(model: str) -> bool:
        allowed = CatalogueModel.objects.filter(provider=provider, allow_remote=True, enabled=True)
        try:
            async with asyncio.timeout(PATIENCE_S):
                names = await database.run(lambda: list(allowed.values_list("name", flat=True)))
        except (DatabaseError, TimeoutError) as error:
            log.warning("which models may run on another machine cannot be read, so none may: %s", error)
            return False
        return tagged(model) in map(tagged, names)

    return is_allowed
