"""Which models there are to choose from: rows, and a file whose every error is named by its line (S4.1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import yaml
from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils.translation import gettext
from rest_framework import serializers

from gpu.choices import Capability, ProviderName, Tier
from gpu.exceptions import CatalogueErrors, UnknownModel
from gpu.models import CatalogueModel
from gpu.ollama import tagged
from gpu.runtime import DatabaseThread
from gpu.types import CloudAllowed
from sentences.request_body import RequestBody
from sentences.said import say

NOT_OF_A_FILE = ("allow_remote", "held")  # people say it of a model


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
    columns = {name: value for name, value in asdict(entry).items() if name not in NOT_OF_A_FILE}
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


class ModelOfFile(RequestBody):
    """A model of a file: what only an admin may say of one is no field of it."""

    key = serializers.RegexField(r"\A[A-Za-z0-9_-]+\Z", max_length=100)
    name = serializers.CharField(max_length=200)
    provider = serializers.ChoiceField(ProviderName.values, default=ProviderName.OLLAMA)
    capabilities = serializers.ListField(child=serializers.ChoiceField(Capability.values))
    tier = serializers.ChoiceField([tier.name.lower() for tier in Tier])
    vram_mb = serializers.IntegerField(min_value=0, max_value=LARGEST_NUMBER)
    ram_mb = serializers.IntegerField(min_value=0, max_value=LARGEST_NUMBER)
    context_length = serializers.IntegerField(min_value=512, max_value=LARGEST_NUMBER)
    enabled = serializers.BooleanField(default=True)
    note = serializers.CharField(default="", allow_blank=True)

    def validate_capabilities(self, value: list[str]) -> list[str]:
        if Capability.TEXT not in value:
            raise serializers.ValidationError(gettext("Every model here answers in text: choose it."))
        return value


class Lined(dict[str, Any]):
    """The fields of a mapping, with the lines that they and the mapping begin on."""

    line: int
    lines: Mapping[str, int]


class LinedLoader(yaml.BaseLoader):
    """Texts, lists and mappings alone. An alias would make a short file long, and a field is given once."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, None, self.peek_event().start_mark)
        return super().compose_node(parent, index)

    def lined(self, node: yaml.MappingNode) -> Iterator[Lined]:
        fields = Lined()
        yield fields
        lines: dict[str, int] = {}
        for name, value in node.value:
            field = str(self.construct_object(name, deep=True))
            if field in lines:
                raise yaml.constructor.ConstructorError(problem_mark=name.start_mark)
            lines[field], fields[field] = name.start_mark.line + 1, self.construct_object(value, deep=True)
        fields.line, fields.lines = node.start_mark.line + 1, lines


LinedLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, LinedLoader.lined)

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
    """The models of a text; raises CatalogueErrors with the errors that are in it, each with its line."""
    models = _models(text, source)
    problems: Problems = []
    found = []
    for model in models:
        body = ModelOfFile(data=model)
        if body.is_valid():
            found.append(_entry(body.validated_data))
        problems += [(model.lines.get(field, model.line), _labelled(field, e)) for field, e in body.errors.items()]
    if not problems:
        problems = _taken(models)
    if problems:
        raise CatalogueErrors(source, problems)
    return tuple(found)


def _models(text: str, source: str) -> list[Lined]:
    try:
        whole = yaml.load(text, LinedLoader)  # noqa: S506  it makes texts, lists and mappings alone
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = mark.line if mark else text[: getattr(error, "position", 0)].count("\n")
        raise CatalogueErrors(source, [(line + 1, say("catalogue.no_yaml"))]) from error
    models = whole["models"] if isinstance(whole, Lined) and whole.keys() == {"models"} else []
    if not models or not isinstance(models, list) or not all(isinstance(model, Lined) for model in models):
        raise CatalogueErrors(source, [(0, say("catalogue.no_models"))])
    return models


def _labelled(field: str, errors: Any) -> str:
    """What is wrong with a field, or with one of what it lists."""
    while isinstance(errors, Mapping):
        errors = next(iter(errors.values()))
    return say("value.labelled", label=field, what=str(errors[0]))


def _taken(models: Sequence[Lined]) -> Problems:
    """No two models with one key, nor with one name at one provider."""
    problems: Problems = []
    first: dict[tuple[str, str], int] = {}
    for model in models:
        for field, owner in (("key", ""), ("name", model.get("provider", ProviderName.OLLAMA))):
            line = model.lines[field]
            before = first.setdefault((f"{field} {owner}", model[field]), line)
            if before != line:
                problems.append((line, say("catalogue.taken", field=field, text=model[field], first=str(before))))
    return problems


def _entry(model: Mapping[str, Any]) -> ModelEntry:
    values = {
        "provider": ProviderName(model["provider"]),
        "capabilities": frozenset(model["capabilities"]),
        "tier": Tier[model["tier"].upper()],
    }
    return ModelEntry(**{**model, **values})


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
