"""Which models there are to choose from: the rows as values, and what a file adds to them (S4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from django.db import transaction

from gpu.choices import Capability, ProviderName, Tier
from gpu.exceptions import UnknownModel
from gpu.models import CatalogueModel
from sentences.said import say

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
